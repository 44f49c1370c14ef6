"""Programs in C, built as written, fused and fused by hand, and run in turns.

The kernel times are those of the programs' own launches: a preloaded shim (`turns.c`) asks
OpenCL for them. All programs of an application run at once, and some repetitions of each in
turn, so that a busy or hot moment of the device meets them all.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bench.patches import apply_patch
from bench.tables import SAME_SHAPE
from casestudies.demo import FLOAT, Precision, Study
from kfusion.device.oclgrind import MeasureError

TURN = 3  # repetitions; the first of a turn is not counted: it finds others' data in the caches

_HERE = Path(__file__).parent
_CONTRACTION_OFF = "#pragma OPENCL FP_CONTRACT OFF\n"
_TIME = re.compile(r"^time_ms: (\S+)\n", re.MULTILINE)
# Libraries that only pictures need; where their headers are missing, a stub takes their place.
_STUBS = {"png": "png.h", "gif": "gif_lib.h"}


@dataclass(frozen=True)
class Built:
    """A program and the file of its kernels."""

    study: Study
    program: Path
    kernels: Path
    contract: bool  # products and sums, as the compiler likes

    def environment(self, device: str) -> dict[str, str]:
        """The study's own, but on any device."""
        own = self.study.environment(self.kernels)
        return {**{k: v for k, v in own.items() if k.endswith("_CL")}, "KFUSION_DEVICE": device}


@dataclass(frozen=True)
class Run:
    """What a program did in turns with others."""

    ms: list[float]  # kernel times of each repetition, without the first ones
    launches: dict[str, int]  # of the last repetition
    dump: Path


@dataclass(frozen=True)
class Difference:
    """Two files of real numbers."""

    differing: int
    elements: int
    ulps: int  # the largest difference, in units of the last place

    @property
    def same(self) -> bool:
        return self.differing == 0


@dataclass(frozen=True)
class Builder:
    """Where programs are built, and how kfusion is called; what is built is kept."""

    folder: Path
    options: tuple[str, ...] = ()  # of kfusion
    built: dict[Path, dict[str, Built]] = field(default_factory=dict)

    def build(
        self,
        study: Study,
        application: str,
        precision: Precision = FLOAT,
        *,
        contract: bool = True,
        by_hand: bool = True,
        same_shape: bool = False,
    ) -> dict[str, Built]:
        """In up to four ways; without `contract` no kernel contracts products and sums.

        `same_shape`: each launch is alone, but in the shape that it would have in a fused kernel.
        """
        name = f"{study.library}-{application.replace('/', '-')}-{precision.name}"
        folder = self.folder / (name if contract else f"{name}-no-contract")
        if folder in self.built:
            return self.built[folder]
        sources = study.sources(application)
        kernels = folder / "unfused" / sources[2].name
        kernels.parent.mkdir(parents=True, exist_ok=True)
        kernels.write_text(("" if contract else _CONTRACTION_OFF) + sources[2].read_text())
        ways = {"unfused": [*sources[:2], kernels]}
        ways["fused"] = study.fuse(
            ways["unfused"], folder / "fused", precision.defines, self.options
        )
        if same_shape:
            options = (*self.options, "--budget", "launches=1")
            ways[SAME_SHAPE] = study.fuse(
                ways["unfused"], folder / "same-shape", precision.defines, options
            )
        if by_hand:
            ways["by hand"] = fused_by_hand(study, application, kernels, folder / "by-hand")
        self.built[folder] = {
            kind: Built(
                study,
                _build(study, paths, folder / kind / "program", precision),
                paths[2],
                contract,
            )
            for kind, paths in ways.items()
        }
        return self.built[folder]


def built_unfused(
    study: Study, application: str, folder: Path, precision: Precision = FLOAT
) -> Built:
    sources = study.sources(application)
    return Built(study, _build(study, sources, folder / "program", precision), sources[2], True)


def fused_by_hand(study: Study, application: str, kernels: Path, folder: Path) -> list[Path]:
    """The sources with the fusions of ``reference/``, made as the READMEs say."""
    shutil.copytree(study.apps, folder / "apps", dirs_exist_ok=True)
    apply_patch((study.folder / "reference" / "apps.patch").read_text(), folder)
    made = [folder / "apps" / f"{application}.c"]
    for path in (study.folder / f"{study.library}.c", kernels):
        made.append(folder / path.name)
        made[-1].write_text(path.read_text() + study.reference(path.suffix).read_text())
    return made


def _build(study: Study, sources: Sequence[Path], output: Path, precision: Precision) -> Path:
    output.parent.mkdir(parents=True, exist_ok=True)
    missing = [library for library in study.links if not _has_header(_STUBS[library])]
    stubs = [_HERE / "stubs" / library for library in missing]
    with_stubs = Study(
        study.folder,
        study.library,
        study.shared,
        tuple(library for library in study.links if library not in missing),
    )
    return with_stubs.build(
        sources,
        output,
        precision.defines,
        ("-O2", "-w"),
        [study.folder / "reference", *stubs],
    )


@cache
def _has_header(name: str) -> bool:
    command = ["cc", "-E", "-include", name, "-x", "c", "/dev/null"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


# ---- Runs ----


def run_in_turns(
    programs: Mapping[str, Built],
    arguments: Sequence[object],
    repeats: int,
    device: str,
    folder: Path,
    *,
    warm_up: int,
    sent: Path | None = None,
    timeout: float = 600,
) -> dict[str, Run]:
    """Run the programs at once, some repetitions of each in turn; the first one begins.

    `warm_up`: turns of each that are not counted.
    `sent`: what the first program transfers to the device is kept in files named like that.
    """
    folder.mkdir(parents=True, exist_ok=True)
    turns = warm_up + -(-repeats // (TURN - 1))
    pipes = [os.pipe() for _ in programs]
    running: dict[str, subprocess.Popen[bytes]] = {}
    try:
        for number, (kind, built) in enumerate(programs.items()):
            take, give = pipes[number][0], pipes[(number + 1) % len(pipes)][1]
            extra = {
                "LD_PRELOAD": str(_shim()),
                "KFUSION_TIMES": str(folder / f"{kind}.times"),
                "KFUSION_TURN": f"{take},{give},{TURN}",
                **({"KFUSION_SENT": str(sent)} if sent and number == 0 else {}),
            }
            study = built.study
            command = [
                str(built.program),
                *("-r", str(turns * TURN)),
                *map(str, arguments),
                *(study.dumped, str(folder / f"{kind}.dump")),
            ]
            with (folder / f"{kind}.log").open("wb") as log:
                running[kind] = subprocess.Popen(
                    command,
                    env={**os.environ, **built.environment(device), **extra},
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    pass_fds=(take, give),
                )
        os.write(pipes[0][1], b"\0")
    finally:
        for pipe in pipes:  # a program that ends shall be seen by the next
            os.close(pipe[0])
            os.close(pipe[1])
    try:
        for kind, process in running.items():
            if process.wait(timeout) != 0:
                said = (folder / f"{kind}.log").read_text(errors="replace")[-500:]
                raise MeasureError(f"{kind}: exit status {process.returncode}: {said}")
    except subprocess.TimeoutExpired as expired:
        raise MeasureError(f"still running after {timeout:.0f} s") from expired
    finally:
        for process in running.values():
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
                process.wait()
    return {
        kind: _read_times(folder / f"{kind}.times", folder / f"{kind}.dump", warm_up)
        for kind in programs
    }


def _read_times(times: Path, dump: Path, warm_up: int) -> Run:
    repetitions: dict[int, float] = {}
    launches: dict[int, dict[str, int]] = {}
    for line in times.read_text().splitlines():
        number, kernel, nanoseconds = line.split()
        repetition = int(number)
        repetitions[repetition] = repetitions.get(repetition, 0) + int(nanoseconds) / 1e6
        counts = launches.setdefault(repetition, {})
        counts[kernel] = counts.get(kernel, 0) + 1
    counted = [n for n in sorted(repetitions) if n >= warm_up * TURN and n % TURN]
    return Run([repetitions[n] for n in counted], launches[max(launches)], dump)


def wall_ms(built: Built, arguments: Sequence[object], device: str, timeout: float = 600) -> float:
    """The median wall time that a program tells of itself."""
    return float(_TIME.findall(run_alone(built, arguments, device, timeout))[0])


def run_alone(built: Built, arguments: Sequence[object], device: str, timeout: float = 600) -> str:
    """What a program prints; it must succeed."""
    command = [str(built.program), *map(str, arguments)]
    extra = {**built.environment(device), "LD_PRELOAD": str(_shim())}
    try:
        done = subprocess.run(
            command,
            env={**os.environ, **extra},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired as expired:
        raise MeasureError(f"{command[0]}: still running after {timeout:.0f} s") from expired
    if done.returncode != 0:
        raise MeasureError(f"{' '.join(command)}: {done.returncode}: {done.stderr[-500:]}")
    return done.stdout


@cache
def _shim() -> Path:
    source = _HERE / "turns.c"
    digest = hashlib.sha256(source.read_bytes()).hexdigest()[:16]
    shim = Path(tempfile.gettempdir()) / f"kfusion-turns-{os.getuid()}-{digest}.so"
    if not shim.exists():
        scratch = shim.with_suffix(f".{os.getpid()}")
        command = ["cc", "-O2", "-shared", "-fPIC", str(source), "-o", str(scratch), "-ldl"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise MeasureError(done.stderr)
        scratch.replace(shim)
    return shim


# ---- Results ----


def difference(expected: Path, found: Path, dtype: type[np.number]) -> Difference:
    before, after = (_numbers(path, dtype) for path in (expected, found))
    if before.size != after.size:
        raise MeasureError(f"{before.size} and {after.size} results")
    differing, ulps = 0, 0
    for start in range(0, before.size, 1 << 24):
        sides = before[start : start + (1 << 24)], after[start : start + (1 << 24)]
        apart = sides[0] != sides[1]
        if apart.any():
            differing += int(apart.sum())
            ulps = max(ulps, _ulps(*(side[apart] for side in sides)))
    return Difference(differing, int(before.size), ulps)


def _numbers(path: Path, dtype: type[np.number]) -> npt.NDArray[np.signedinteger]:
    """The bits of real numbers, as whole numbers."""
    return np.memmap(path, np.dtype(f"i{np.dtype(dtype).itemsize}"), "r")


def _ulps(a: npt.NDArray[np.signedinteger], b: npt.NDArray[np.signedinteger]) -> int:
    """The largest difference, counted in numbers of the type that lie between."""
    lowest = np.iinfo(a.dtype).min
    sides = [np.where(bits < 0, lowest - bits, bits).astype(object) for bits in (a, b)]
    return int(max(abs(sides[0] - sides[1])))
