"""Writes a program around a region, fuses it, and runs it as written and fused, on PoCL."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from casestudies.demo import only_pocl
from kfusion.device.measure import RunResult, run_counted

HERE = Path(__file__).parent
RIG = HERE.parent / "cases" / "base" / "rig"
ROOT = HERE.parent.parent
FLAGS = "-O0 -Wall -Wextra -Werror -Wno-unknown-pragmas".split()

APP = """\
#include "lib.h"
{before}
int main(int argc, char **argv)
{{
    cl_mem a, b, c, t;
    (void)argc, (void)argv;
    start();
    a = buffer(1);
    b = buffer(2);
    c = buffer(3);
    t = buffer(4);
    {declared}
{pragma}
    {{
{body}
    }}
{after}
    show("c", c);
    clReleaseMemObject(a);
    clReleaseMemObject(b);
    clReleaseMemObject(c);
    clReleaseMemObject(t);
    stop();
    return 0;
}}
"""
PAIR = """\
        launch("square", t, a, (cl_mem)0);
        launch("add", c, t, b, (cl_mem)0);
"""
EXCHANGE = """\
        if (argc > 1) {
            cl_mem old = c;
            c = t;
            t = old;
        }
"""


@dataclass(frozen=True)
class Host:
    """A program in a folder of its own; `app` is the file with the region."""

    folder: Path
    app: str
    composed: bool = False

    def kfusion(self, *options: str) -> subprocess.CompletedProcess[str]:
        kernels = [] if self.composed else ["kernels.cl"]
        return subprocess.run(
            [sys.executable, "-m", "kfusion", self.app, "lib.c", *kernels, *options],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )

    def fused(self, *options: str) -> str:
        """What kfusion says, which must succeed."""
        done = self.kfusion("-o", "out", *options)
        assert done.returncode == 0, done.stderr
        return done.stderr

    def text(self, name: str) -> str:
        return (self.folder / "out" / name).read_text()

    def run(self, kind: str, *arguments: str, **environment: str) -> RunResult:
        """`kind`: the folder of the sources, "." or "out"."""
        program = self.folder / ("plain" if kind == "." else "fused")
        self._build(self.folder / kind, program)
        kernels = self.folder / kind / "kernels.cl"
        run = run_counted(
            [program, *arguments],
            {
                **only_pocl(),
                "POCL_MAX_PTHREAD_COUNT": "2",
                "KERNELS": str(kernels),
                **environment,
            },
            cwd=self.folder,
            timeout=60,
        )
        assert run.returncode == 0, run.stderr
        return run

    def both(self, *arguments: str) -> dict[str, int]:
        """The fused program's launches; it must print what the program as written prints."""
        before, after = self.run(".", *arguments), self.run("out", *arguments)
        assert before.stdout.strip()
        assert after.stdout == before.stdout
        return after.launches

    def _build(self, folder: Path, program: Path) -> None:
        objects: list[str] = []
        for name in (self.app, "lib.c", "rig.c"):
            source = self.folder / name if name == "rig.c" else folder / name
            compiler = ["g++", "-std=c++11"] if name.endswith(".cpp") else ["gcc"]
            defines = ["-DCOMPOSED"] if self.composed else []
            made = f"{program}-{source.stem}.o"
            include = [f"-I{folder}", f"-I{self.folder}"]
            _call([*compiler, *FLAGS, *defines, *include, "-c", str(source), "-o", made])
            objects.append(made)
        _call(["g++", *objects, "-o", str(program), "-lOpenCL", "-lm"])


def host(
    folder: Path,
    pragma: str,
    body: str = PAIR,
    *,
    name: str = "app.c",
    before: str = "",
    declared: str = "",
    after: str = "",
    composed: bool = False,
) -> Host:
    for path in (*(HERE / "program").iterdir(), *RIG.iterdir()):
        shutil.copy(path, folder)
    text = APP.format(pragma=pragma, body=body, before=before, declared=declared, after=after)
    (folder / name).write_text(text)
    return Host(folder, name, composed)


def _call(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
