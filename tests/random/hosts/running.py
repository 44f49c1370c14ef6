"""Build random host programs in a folder, as written and fused, run both, and compare."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tests.random.hosts.batch import Files, files_of
from tests.random.hosts.flavour import Flavour
from tests.random.hosts.interpret import Interpreter
from tests.random.hosts.kernels import KERNELS
from tests.random.hosts.model import Program

ROOT = Path(__file__).parents[3]
CC = ("cc", "-O0", "-w")
TOOL = (sys.executable, "-m", "kfusion")
SECONDS = 120
# What KFUSION is set to in each run of the fused program.
MODES = ("", "check", "off", "trace")
COMPLAINT = re.compile(r"differ|determin|not stored", re.IGNORECASE)


class BuildError(Exception):
    """A program as written does not build or does not run: the generator is at fault."""


@dataclass(frozen=True)
class Difference:
    number: int
    run: str  # "fused" or a mode; "compilation"
    text: str

    @property
    def mode(self) -> str:
        return "" if self.run == "fused" else self.run

    @property
    def kind(self) -> tuple[str, str]:
        """What a smaller program has to show, too."""
        return self.run, " ".join(self.text.split()[:2]) if self.text[:1] not in "-+" else "lines"


@dataclass(frozen=True)
class Outcome:
    """What was seen of some programs."""

    differences: tuple[Difference, ...] = ()
    fused: frozenset[int] = frozenset()  # programs that launched a fused kernel
    refused: str = ""  # kfusion's message, where it wrote no files
    codes: tuple[str, ...] = ()  # of kfusion's messages
    launches: tuple[int, int] = (0, 0)  # as written, fused


@dataclass(frozen=True)
class Run:
    status: int
    sections: dict[int, list[str]]  # what each program printed
    errors: str
    kernels: dict[int, dict[str, int]] = field(default_factory=dict)

    @property
    def last(self) -> int:
        return list(self.sections)[-1] if self.sections else -1


@cache
def cache_folder() -> Path:
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = base / "kfusion" / "hosts"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@cache
def shim() -> Path:
    source = Path(__file__).with_name("launches.c")
    made = cache_folder() / f"launches-{source.stat().st_mtime_ns}.so"
    if not made.exists():
        scratch = made.with_suffix(f".{os.getpid()}")
        command = ["cc", "-O1", "-shared", "-fPIC", str(source), "-o", str(scratch), "-ldl"]
        subprocess.run(command, check=True)
        scratch.replace(made)
    return made


def compare(
    programs: Sequence[Program],
    flavour: Flavour,
    folder: Path,
    without: Sequence[str] = (),
    modes: Sequence[str] = MODES,
) -> Outcome:
    """The programs share a process; without modes, they only run as written."""
    files = files_of(programs, flavour)
    inputs, outputs = folder / "in", folder / "out"
    for scratch in (inputs, outputs):
        shutil.rmtree(scratch, ignore_errors=True)
    inputs.mkdir(parents=True)
    for name, text in files.texts.items():
        (inputs / name).write_text(text)
    before = as_written(programs, files, inputs)
    if not modes:
        return Outcome()
    refused, codes = fuse(files, inputs, outputs)
    if refused:
        return Outcome(refused=refused, codes=codes)
    failed = compiled(files, inputs, outputs, without)
    if failed:
        whole = (Difference(programs[0].number, "compilation", failed),)
        return Outcome(whole, codes=codes)
    differences: list[Difference] = []
    fused: set[int] = set()
    launches = [0, 0]
    for mode in modes:
        after = run_in(outputs, mode, outputs / "pocl")
        differences += differences_of(before, after, mode or "fused")
        if mode == "":
            fused = {n for n, kernels in after.kernels.items() if kernels.keys() - KERNELS.keys()}
            launches = [_total(before), _total(after)]
        (outputs / f"{mode or 'fused'}.stderr").write_text(after.errors)
    shutil.rmtree(outputs / "pocl", ignore_errors=True)
    return Outcome(tuple(differences), frozenset(fused), "", codes, (launches[0], launches[1]))


def as_written(programs: Sequence[Program], files: Files, inputs: Path) -> Run:
    """The run of the sources as written, which must print what the interpreter expects."""
    sources = [str(inputs / name) for name in files.compiled]
    built = _tool([*CC, *sources, "-o", str(inputs / "program"), "-lOpenCL"])
    if built.returncode:
        raise BuildError(built.stderr)
    pocl = cache_folder() / "pocl"
    run = run_in(inputs, "", pocl)
    if run.status:
        raise BuildError(f"status {run.status} in program {run.last}\n{run.errors}")
    for program in programs:
        wrong = _unexpected(Interpreter(program).run().log, run.sections[program.number])
        if wrong:
            raise BuildError(f"program {program.number}: {wrong}")
    return run


def _unexpected(expected: Sequence[str], found: Sequence[str]) -> str:
    for one, other in zip(expected, found, strict=False):
        same = len(one) == len(other)
        if not same or any(a != b and a != "." for a, b in zip(one, other, strict=True)):
            return f"expected {one!r}, found {other!r}"
    return "" if len(expected) == len(found) else "a line is missing or added"


def fuse(files: Files, inputs: Path, outputs: Path) -> tuple[str, tuple[str, ...]]:
    """Why kfusion wrote no files, and the codes of its messages."""
    command = [*TOOL, *files.given, "-o", str(outputs)]
    environment = {"PYTHONPATH": str(ROOT)}
    done = _tool(command, inputs, environment)
    lines = done.stderr.splitlines()
    found = (re.match(r"\S+: \w+\[(KF\d+)\]", line) for line in lines)
    codes = tuple(match.group(1) for match in found if match)
    if done.returncode == 0:
        return "", codes
    last = next((line for line in lines if "error[" in line), lines[-1] if lines else "")
    return f"exit status {done.returncode}: {last}", codes


def compiled(files: Files, inputs: Path, outputs: Path, without: Sequence[str]) -> str:
    """What the compiler says against the fused program; nothing if it is built."""
    sources = [outputs / n if (outputs / n).exists() else inputs / n for n in files.compiled]
    defines = [f"-DKFUSION_WITHOUT_{name}" for name in without]
    # The fused kernels are in the file, or in what the run time carries.
    if not (outputs / "kernels.cl").exists():
        shutil.copy(inputs / "kernels.cl", outputs)
    folders = [f"-I{outputs}", f"-I{inputs}"]
    output = ["-o", str(outputs / "program"), "-lOpenCL"]
    built = _tool([*CC, *defines, *folders, *map(str, sources), *output])
    return built.stderr or "the compiler failed" if built.returncode else ""


def run_in(folder: Path, mode: str, pocl: Path) -> Run:
    launches = folder / "launches.txt"
    launches.unlink(missing_ok=True)
    pocl.mkdir(parents=True, exist_ok=True)
    environment = {
        "OCL_ICD_VENDORS": "/etc/OpenCL/vendors",
        "POCL_MAX_PTHREAD_COUNT": "2",
        "POCL_CACHE_DIR": str(pocl),
        "LD_PRELOAD": str(shim()),
        "HOSTS_LAUNCHES": str(launches),
        **({"KFUSION": mode} if mode else {}),
    }
    done = _tool([str(folder / "program")], folder, environment)
    (folder / f"{mode or 'plain'}.stdout").write_text(done.stdout)
    return Run(done.returncode, _sections(done.stdout), done.stderr, _kernels(launches))


def _sections(printed: str) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    lines: list[str] = []
    for line in printed.splitlines():
        if line.startswith("program "):
            lines = found[int(line.split()[1])] = []
        else:
            lines.append(line)
    return found


def _kernels(path: Path) -> dict[int, dict[str, int]]:
    found: dict[int, dict[str, int]] = {}
    for line in path.read_text().splitlines() if path.exists() else []:
        number, kernel, count = line.split()
        found.setdefault(int(number), {})[kernel] = int(count)
    return found


def _total(run: Run) -> int:
    return sum(sum(kernels.values()) for kernels in run.kernels.values())


def differences_of(before: Run, after: Run, name: str) -> list[Difference]:
    found = []
    for number, lines in before.sections.items():
        others = after.sections.get(number)
        if others is None:
            break  # the process ended in an earlier program
        if lines != others:
            changed = [f"- {a}\n+ {b}" for a, b in zip(lines, others, strict=False) if a != b]
            first = changed[0] if changed else f"{len(lines)} lines, {len(others)} lines"
            found.append(Difference(number, name, first))
    if after.status:
        end = f"ended with status {after.status}\n{after.errors[-1000:]}"
        found.append(Difference(after.last, name, end))
    elif name == "check":
        complaints = [line for line in after.errors.splitlines() if COMPLAINT.search(line)]
        found += [Difference(-1, "check", line) for line in complaints]
    elif name in ("fused", "off") and after.errors:
        found.append(Difference(-1, name, f"on stderr: {after.errors[:500]}"))
    return found


def _tool(
    command: Sequence[str], folder: Path | None = None, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired as late:
        printed = (late.stdout or b"").decode(errors="replace") if late.stdout else ""
        text = f"still running after {SECONDS} s"
        return subprocess.CompletedProcess(list(command), -1, printed, text)
