"""Writes a program around a region, fuses it, and runs it as written and fused, on PoCL."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from casestudies.demo import only_pocl
from casestudies.measure import RunResult, run_counted
from kfusion.runtime import CALLS_NAME, HEADER_NAME
from tests.support import called
from tests.support.kept import kept_object
from tests.support.run_time import can_declare, declared, is_closed, made

HERE = Path(__file__).parent
RIG = HERE.parent / "cases" / "base" / "rig"
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
    more: tuple[str, ...] = ()  # files in C++
    unseen: tuple[str, ...] = ()  # files that kfusion does not get

    def kfusion(self, *options: str) -> subprocess.CompletedProcess[str]:
        kernels = [] if self.composed else ["kernels.cl"]
        return called.kfusion([self.app, *self.more, "lib.c", *kernels, *options], self.folder)

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
        """The run time of a C program is compiled once for all of them."""
        folders, apart = [folder, self.folder], []
        header = folder / HEADER_NAME
        if self.app.endswith(".c") and header.exists() and can_declare(header.read_text()):
            linked = self.folder / "linked"
            linked.mkdir(exist_ok=True)
            for path in folder.glob("*.[ch]"):
                known = path.name in (HEADER_NAME, CALLS_NAME)
                text = path.read_text()
                (linked / path.name).write_text(declared(path.name, text) if known else text)
            folders = [linked, self.folder]
            apart = [made(self.folder, closed=is_closed(header.read_text()))]
        flags = [*FLAGS, *(["-DCOMPOSED"] if self.composed else [])]
        objects = [
            kept_object(
                name,
                [self.folder] if name in ("rig.c", *self.unseen) else folders,
                [*flags, *(["-std=c++11"] if name.endswith(".cpp") else [])],
                self.folder,
            )
            for name in (self.app, *self.more, *self.unseen, "lib.c", "rig.c")
        ]
        command = ["g++", *map(str, [*objects, *apart]), "-o", str(program), "-lOpenCL", "-lm"]
        subprocess.run(command, capture_output=True, text=True, check=True)


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
