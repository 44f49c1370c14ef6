"""The program of a case: its sources in one folder, and what kfusion makes of them in another.

Most cases share most of their files, with each other and between the two programs: objects
are kept. The run time is such an object.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

from casestudies.demo import only_pocl
from casestudies.measure import RunResult, run_counted
from kfusion.runtime import CALLS_NAME, HEADER_NAME
from tests.support import called, run_time
from tests.support.case_format import Case, Run
from tests.support.kept import COMPILERS, LINKER, kept_object, kept_run

UNFUSED, FUSED = "unfused", "fused"
LINKED = "linked"  # the fused program, to be linked with the run time
FLAGS = ("-O0", "-Wall", "-Wextra", "-Wno-unknown-pragmas")
SECONDS = 60.0
RIG = "rig.c"  # kfusion does not see it

_SOURCE_LINE = re.compile(r" +\d* \| ")
_POSITION = re.compile(r"^[^ ]*?:\d+:\d+: ")
_SETTING = re.compile(r"[A-Z_]+=")
_KERNEL = re.compile(r"kernel\s+void\s+(\w+\s*\([^)]*\))")


def write_files(case: Case, folder: Path) -> Path:
    folder.mkdir(parents=True)
    for name, text in case.files.items():
        (folder / name).write_text(text)
    return folder


def given_files(case: Case) -> list[str]:
    """The files that kfusion is given: hosts, and then kernels."""
    hosts = [name for name in sorted(case.files) if Path(name).suffix in COMPILERS]
    kernels = [name for name in sorted(case.files) if name.endswith(".cl")]
    return [*(name for name in hosts if name != RIG), *kernels]


def without_source(messages: str) -> str:
    """Messages without the lines that show the source."""
    lines = [line for line in messages.splitlines() if not _SOURCE_LINE.match(line)]
    return "".join(f"{line}\n" for line in lines)


class Program:
    def __init__(self, case: Case, scratch: Path) -> None:
        self.case, self.scratch = case, scratch
        write_files(case, scratch / UNFUSED)

    @cached_property
    def fused(self) -> tuple[int, str]:
        """The exit status and the messages of kfusion, started in the program's folder."""
        options = self.case.options
        target = [] if "--target" in options else ["--target", "any"]
        command = [*given_files(self.case), *options, *target, "-o", f"../{FUSED}"]
        done = called.kfusion(command, self.scratch / UNFUSED)
        return done.returncode, without_source(done.stderr)

    @cached_property
    def is_unchanged(self) -> bool:
        """Every file is what it was: there is one program."""
        written = {path.name: path.read_text() for path in (self.scratch / FUSED).iterdir()}
        given = self.case.files
        return all(given.get(name) == text for name, text in written.items())

    def build(self, kind: str) -> set[str]:
        """Compile a program; return what the C compiler warns of, without positions."""
        kind = UNFUSED if self.is_unchanged else kind
        said = "".join(path.with_suffix(".txt").read_text() for path in self._made(kind))
        return {_POSITION.sub("", line) for line in said.splitlines() if "warning: " in line}

    def _made(self, kind: str) -> list[Path]:
        """The objects of a program."""
        folders = [self._linked(), UNFUSED] if kind == FUSED else [UNFUSED]
        made = [self._object(name, folders) for name in self._sources]
        return [*made, self._run_time()] if folders[0] == LINKED else made

    @property
    def _sources(self) -> list[str]:
        return [name for name in sorted(self.case.files) if Path(name).suffix in COMPILERS]

    @property
    def _libraries(self) -> list[str]:
        return [*(flag for flag in self.case.flags if flag == "-pthread"), "-lOpenCL", "-lm"]

    def _linked(self) -> str:
        """The folder of the fused program, with headers that only declare the run time."""
        fused = {path.name: path.read_text() for path in (self.scratch / FUSED).iterdir()}
        plus = any(name.endswith(".cpp") for name in self.case.files)  # it has a template
        if plus or not run_time.can_declare(fused.get(HEADER_NAME, "")):
            return FUSED
        folder = self.scratch / LINKED
        folder.mkdir(exist_ok=True)
        for name, text in fused.items():
            header = name in (HEADER_NAME, CALLS_NAME)
            (folder / name).write_text(run_time.declared(name, text) if header else text)
        return LINKED

    def _run_time(self) -> Path:
        closed = run_time.is_closed((self.scratch / LINKED / HEADER_NAME).read_text())
        return run_time.made(self.scratch, closed=closed)

    def _binary(self, kind: str) -> Path:
        binary = self.scratch / f"{kind}-program"
        if not binary.exists():
            linker = COMPILERS[max(Path(name).suffix for name in self._sources)]
            command = [linker, *LINKER, *map(str, self._made(kind)), "-o", str(binary)]
            command += self._libraries
            subprocess.run(command, capture_output=True, text=True, check=True)
        return binary

    def _object(self, name: str, folders: Sequence[str]) -> Path:
        places = [self.scratch / folder for folder in folders]
        return kept_object(name, places, [*FLAGS, *self.case.flags], self.scratch)

    def environment(self, kind: str, run: Run) -> dict[str, str]:
        """Where the program finds its kernels, and what the run sets."""
        kernels = [name for name in self.case.files if name.endswith(".cl")]
        words = shlex.split(run.arguments)
        return {
            **only_pocl(),
            "POCL_MAX_PTHREAD_COUNT": "2",
            "KERNELS": str(self.scratch / kind / kernels[0]) if kernels else "",
            **dict(word.split("=", 1) for word in words if _SETTING.match(word)),
        }

    def command(self, kind: str, run: Run) -> list[str]:
        words = shlex.split(run.arguments)
        return [str(self._binary(kind)), *(word for word in words if not _SETTING.match(word))]

    def run(self, kind: str, run: Run) -> RunResult:
        kind = UNFUSED if self.is_unchanged else kind

        def started() -> RunResult:
            environment = self.environment(kind, run)
            return run_counted(self.command(kind, run), environment, timeout=SECONDS)

        if kind == FUSED:
            return started()
        others = [f"{n}\0{text}" for n, text in self.case.files.items() if n not in self._sources]
        made = [path.name for path in self._made(kind)]
        return kept_run([*made, *self._libraries, run.arguments, *sorted(others)], started)

    def added_kernels(self) -> str:
        """The head of each kernel that the unfused program does not have."""
        heads: list[str] = []
        for name in (name for name in self.case.files if name.endswith(".cl")):
            before, after = ((self.scratch / kind / name) for kind in (UNFUSED, FUSED))
            known = set(_heads(before.read_text()))
            heads += [head for head in _heads(after.read_text()) if head not in known]
        return "".join(f"{head}\n" for head in heads)


def _heads(text: str) -> Iterator[str]:
    return (" ".join(match[1].split()) for match in _KERNEL.finditer(text))
