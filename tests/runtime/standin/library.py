"""Builds the stand-in for OpenCL, and runs programs with it."""

from __future__ import annotations

import atexit
import functools
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
HEADER = Path("/usr/include/CL/cl.h")
COMPILER = ("gcc", "-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror")


@functools.cache
def library_folder() -> Path:
    """A folder with `libOpenCL.so.1` and `libOpenCL.so`, built once for each test process."""
    folder = Path(tempfile.mkdtemp(prefix="standin-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    sources = [str(path) for path in sorted(HERE.glob("*.c"))]
    shared = ["-O1", "-fPIC", "-fvisibility=hidden", "-shared", "-Wl,-soname,libOpenCL.so.1"]
    target = folder / "libOpenCL.so.1"
    subprocess.run([*COMPILER, *shared, "-o", str(target), *sources, "-lm"], check=True)
    (folder / "libOpenCL.so").symlink_to(target.name)
    return folder


@dataclass(frozen=True, slots=True)
class Run:
    """What a program did: its exit status, what it printed, and the log of its OpenCL calls."""

    status: int
    output: str
    errors: str
    log: tuple[str, ...]

    @property
    def leaks(self) -> tuple[str, ...]:
        return tuple(line for line in self.log if line.startswith("leak:"))

    @property
    def launches(self) -> tuple[str, ...]:
        """The names of the kernels that were launched, in order, without those that failed."""
        made = re.compile(r"clEnqueueNDRangeKernel q\d+ k\d+\((\w+)\).* -> 0$")
        return tuple(found[1] for line in self.log if (found := made.match(line)))

    def between(self, first: str, last: str) -> tuple[str, ...]:
        """The calls between two marks of the program's own."""
        begin, end = self.log.index(f"-- {first}"), self.log.index(f"-- {last}")
        return self.log[begin + 1 : end]


def compile_program(
    folder: Path, files: Mapping[str, str], flags: Sequence[str] = (), name: str = "program"
) -> Path:
    """Writes the files to the folder, and compiles those that end in `.c`."""
    for path, text in files.items():
        (folder / path).write_text(text, encoding="utf-8")
    sources = [str(folder / path) for path in files if path.endswith(".c")]
    program = folder / name
    library = f"-L{library_folder()}"
    command = [*COMPILER, "-O0", *flags, "-o", str(program), *sources, library, "-lOpenCL", "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return program


def run_program(
    program: Path, arguments: Sequence[str] = (), environment: Mapping[str, str] | None = None
) -> Run:
    with tempfile.NamedTemporaryFile(prefix="standin-log-") as log:
        variables = {
            **os.environ,
            "LD_LIBRARY_PATH": str(library_folder()),
            "STANDIN_LOG": log.name,
            **(environment or {}),
        }
        done = subprocess.run(
            [str(program), *arguments],
            env=variables,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        lines = Path(log.name).read_text(encoding="utf-8").splitlines()
    return Run(done.returncode, done.stdout, done.stderr, tuple(lines))


def functions_of_header() -> frozenset[str]:
    """The names of all functions that `CL/cl.h` declares, of all versions."""
    text = HEADER.read_text(encoding="utf-8")
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return frozenset(re.findall(r"\b(cl[A-Z]\w*)\s*\(", text))
