"""Builds OpenCL programs in C, runs them, and counts what they do.

Two judges, none of which is part of the fuser: a preloaded shim counts launches, and Oclgrind
counts the bytes that kernels move through global memory.
"""

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from kfusion.device.oclgrind import (
    MeasureError,
    build_options_of,
    oclgrind,
    require_success,
    run,
)
from kfusion.source.dataclasses import dataclass

_SHIM_SOURCE = Path(__file__).with_name("shim.c")
_SHIM_FLAGS = ("-O2", "-shared", "-fPIC", "-pthread")
_SHIM_LIBRARIES = ("-ldl",)

# Oclgrind puts its own runtime in front of LD_PRELOAD; a shell inside it puts
# the shim before that again.
_PRELOAD_INSIDE_OCLGRIND = 'LD_PRELOAD="$0:$LD_PRELOAD" exec "$@"'

_KERNEL_LINE = re.compile(r"Instructions executed for kernel '(\w+)':")
_BYTES_LINE = re.compile(r"^\s*[\d,]+ - (load|store) global \(([\d,]+) bytes\)", re.MULTILINE)
_CALL_LINE = re.compile(r"- call _Z(\d+)(\w+)")  # a mangled name: length, name, parameters
# Built-in functions that reach memory without a load or store instruction.
_HIDDEN_ACCESS = re.compile("vload|vstore|atomic_|atom_|async_work_group|read_image|write_image")


@dataclass(frozen=True)
class RunResult:
    """What a program printed and which kernels it launched how often."""

    stdout: str
    stderr: str
    returncode: int
    launches: dict[str, int]

    @property
    def total(self) -> int:
        return sum(self.launches.values())


@dataclass(frozen=True)
class KernelBytes:
    """Global memory traffic of all launches of one kernel."""

    launches: int = 0
    loaded: int = 0
    stored: int = 0


@dataclass(frozen=True)
class GlobalBytes:
    """Global memory traffic of a program.

    ``uncounted`` names the built-in functions that were called and reach memory
    in a way that Oclgrind does not count (``vload4``, ``atomic_add``, images).
    """

    per_kernel: dict[str, KernelBytes]
    uncounted: tuple[str, ...]

    @property
    def loaded(self) -> int:
        return sum(kernel.loaded for kernel in self.per_kernel.values())

    @property
    def stored(self) -> int:
        return sum(kernel.stored for kernel in self.per_kernel.values())

    @property
    def launches(self) -> int:
        return sum(kernel.launches for kernel in self.per_kernel.values())


def build(
    sources: Iterable[Path],
    output: Path,
    include_dirs: Iterable[Path] = (),
    defines: Iterable[str] = (),
    flags: Sequence[str] = ("-O2",),
    libraries: Iterable[str] = (),
) -> Path:
    """Compile and link C sources into an OpenCL program; return its path.

    Defines are written ``NAME`` or ``NAME=VALUE``. Raises MeasureError with the
    compiler's output.
    """
    output.parent.mkdir(parents=True, exist_ok=True)
    argv = [
        "cc",
        *flags,
        *(f"-I{folder}" for folder in include_dirs),
        *(f"-D{define}" for define in defines),
        *map(str, sources),
        *("-o", str(output)),
        *(f"-l{library}" for library in (*libraries, "OpenCL", "m")),
    ]
    _run_tool(argv)
    return output


def compile_shim() -> Path:
    """The launch counter as a shared library, compiled once per version of it."""
    source = _SHIM_SOURCE.read_bytes()
    folder = _cache_dir()
    shim = folder / f"launches-{hashlib.sha256(source).hexdigest()[:16]}.so"
    if not shim.exists():
        # Several processes may do this at once: each renames a file of its own.
        descriptor, scratch = tempfile.mkstemp(suffix=".so", dir=folder)
        os.close(descriptor)
        _run_tool(["cc", *_SHIM_FLAGS, str(_SHIM_SOURCE), "-o", scratch, *_SHIM_LIBRARIES])
        Path(scratch).replace(shim)
    return shim


def run_counted(
    argv: Sequence[str | Path],
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    *,
    simulated: bool = False,
    timeout: float = 600,
) -> RunResult:
    """Run a program and count its kernel launches.

    ``env`` is added to the environment. A failing program is a result, not an
    exception. With ``simulated`` the program runs on Oclgrind's device.
    """
    with tempfile.TemporaryDirectory(prefix="kfusion-") as scratch:
        launches = Path(scratch) / "launches.jsonl"
        extra = {**(env or {}), "KFUSION_LAUNCHES": str(launches)}
        shim = str(compile_shim())
        command = list(map(str, argv))
        if simulated:
            command = [oclgrind(), "sh", "-c", _PRELOAD_INSIDE_OCLGRIND, shim, *command]
        else:
            extra["LD_PRELOAD"] = shim
        done = run(command, extra, cwd, timeout)
        return RunResult(done.stdout, done.stderr, done.returncode, _read_launches(launches))


def oclgrind_bytes(
    argv: Sequence[str | Path],
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    build_options: str | None = None,
    *,
    timeout: float = 600,
) -> GlobalBytes:
    """Run a program on Oclgrind and count the bytes its kernels load and store.

    Count with ``build_options="-cl-opt-disable"`` too: otherwise Oclgrind's
    compiler removes some loads and stores of its own accord.
    """
    command = [oclgrind(), *build_options_of(build_options), "--inst-counts", *map(str, argv)]
    # In other locales the counts come with separators between thousands.
    done = run(command, {**(env or {}), "LC_ALL": "C"}, cwd, timeout)
    require_success(command, done)
    return parse_instruction_counts(done.stdout)


def parse_instruction_counts(output: str) -> GlobalBytes:
    """Read what ``oclgrind --inst-counts`` printed: one section per launch."""
    per_kernel: dict[str, KernelBytes] = {}
    uncounted: set[str] = set()
    _, *sections = _KERNEL_LINE.split(output)
    for name, section in zip(sections[::2], sections[1::2], strict=True):
        moved = {"load": 0, "store": 0}
        for kind, count in _BYTES_LINE.findall(section):
            moved[kind] += int(count.replace(",", ""))
        before = per_kernel.get(name, KernelBytes())
        per_kernel[name] = KernelBytes(
            before.launches + 1, before.loaded + moved["load"], before.stored + moved["store"]
        )
        called = [mangled[: int(length)] for length, mangled in _CALL_LINE.findall(section)]
        uncounted.update(name for name in called if _HIDDEN_ACCESS.match(name))
    return GlobalBytes(per_kernel, tuple(sorted(uncounted)))


def _read_launches(path: Path) -> dict[str, int]:
    launches: dict[str, int] = {}
    if path.exists():
        for line in path.read_text().splitlines():
            entry = json.loads(line)
            launches[entry["kernel"]] = launches.get(entry["kernel"], 0) + entry["launches"]
    return launches


def _cache_dir() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(base) / "kfusion"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _run_tool(argv: Sequence[str]) -> None:
    if shutil.which(argv[0]) is None:
        raise MeasureError(f"{argv[0]} is not installed")
    require_success(argv, run(argv, {}, None, 600))
