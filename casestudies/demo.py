"""What ``make demo`` shows: each linear algebra application, unfused and fused.

Fuses an application with the ``kfusion`` command, builds it both ways, runs both
programs on PoCL and on Oclgrind, and prints one line of a table for it. Exits
with 1 if anything fails or if one bit of the results differs.
"""

import os
import re
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np

from kfusion.device.measure import (
    GlobalBytes,
    MeasureError,
    RunResult,
    build,
    oclgrind_bytes,
    run_counted,
)

LINALG = Path(__file__).parent / "linalg"
VENDORS = Path("/etc/OpenCL/vendors")

_TIME = re.compile(r"^time_ms: (\S+)\n", re.MULTILINE)
_ITERATION = re.compile(r"^ *(\d+)  \S+e[+-]\d+ ", re.MULTILINE)

HEADER = (
    "application",
    "kernels launched",
    "global bytes loaded + stored",
    "time in ms",
    "largest difference",
)


@dataclass(frozen=True)
class Precision:
    """An element type, and how the library is built for it."""

    name: str
    defines: tuple[str, ...]
    dtype: type[np.floating]


@dataclass(frozen=True)
class Case:
    """An application in one precision, with the sizes it is run at."""

    application: str
    precision: Precision
    size: int
    repeats: int
    small: int  # for Oclgrind, which is slow

    @property
    def title(self) -> str:
        return f"{self.application} ({self.precision.name})"


@dataclass(frozen=True)
class Measured:
    """One program: what it computed and what that took."""

    launches: int
    iterations: int
    dump: bytes
    printed: str
    moved: GlobalBytes | None  # without Oclgrind nobody knows
    small_launches: int
    small_iterations: int
    ms: float

    @property
    def launches_per_iteration(self) -> float | None:
        """Between two runs that iterate differently often, all else is equal."""
        if self.iterations == self.small_iterations:
            return None
        more = self.launches - self.small_launches
        return more / (self.iterations - self.small_iterations)


@dataclass(frozen=True)
class Row:
    """An application, before and after."""

    case: Case
    unfused: Measured
    fused: Measured

    @property
    def same(self) -> bool:
        return (self.unfused.dump, self.unfused.printed) == (self.fused.dump, self.fused.printed)

    def cells(self) -> tuple[str, ...]:
        unfused, fused = self.unfused, self.fused
        return (
            self.case.title,
            f"{unfused.launches} -> {fused.launches}",
            f"{_traffic(unfused.moved)} -> {_traffic(fused.moved)}",
            f"{unfused.ms:.2f} -> {fused.ms:.2f}",
            describe_difference(unfused.dump, fused.dump, self.case.precision.dtype),
        )

    def notes(self) -> Iterable[str]:
        before, after = self.unfused.launches_per_iteration, self.fused.launches_per_iteration
        if before is not None and after is not None:
            yield f"{self.case.title}: {before:g} -> {after:g} launches in each iteration"
        if self.unfused.printed != self.fused.printed:
            yield f"{self.case.title}: what the two programs printed differs"


FLOAT = Precision("float", (), np.float32)
DOUBLE = Precision("double", ("LINALG_DOUBLE",), np.float64)

CASES = tuple(
    Case(application, precision, size, repeats, small)
    for application, size, repeats, small in (
        ("pythagoras", 2_000_000, 21, 1000),
        ("distance", 2_000_000, 21, 1000),
        ("cg_steps", 4096, 11, 32),
        ("cg", 128, 5, 8),
    )
    for precision in (FLOAT, DOUBLE)
)


def measure(case: Case, folder: Path) -> Row:
    """Fuse, build and run one case, everything under ``folder``."""
    application = LINALG / "apps" / f"{case.application}.c"
    sources = [application, LINALG / "linalg.c", LINALG / "linalg.cl"]
    out = folder / "out"
    fuse(sources, out, case.precision.defines)
    unfused = build_program(sources, folder / "unfused", case.precision.defines)
    fused = build_program(
        [out / source.name for source in sources], folder / "fused", case.precision.defines
    )
    runs = [(unfused, LINALG / "linalg.cl"), (fused, out / "linalg.cl")]
    # Taken in turns, so that a busy moment of the machine meets both.
    times = [[time_ms(case, *run) for run in runs] for _ in range(5)]
    unfused_ms, fused_ms = map(statistics.median, zip(*times, strict=True))
    return Row(
        case,
        measure_program(case, *runs[0], unfused_ms),
        measure_program(case, *runs[1], fused_ms),
    )


def fuse(
    sources: Sequence[Path],
    out: Path,
    defines: Iterable[str] = (),
    include_dirs: Sequence[Path] = (LINALG, LINALG / "apps"),
) -> None:
    """Run the ``kfusion`` command as a Makefile would."""
    command = [
        *(sys.executable, "-m", "kfusion", "-q"),
        *map(str, sources),
        *(f"-I{folder}" for folder in include_dirs),
        *(f"-D{define}" for define in defines),
        *("-o", str(out)),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise MeasureError(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr}")


def build_program(sources: Sequence[Path], output: Path, defines: Iterable[str]) -> Path:
    """Build an application from its own two C files and the one that all share."""
    application, library, _ = sources
    return build(
        [application, library, LINALG / "apps" / "app.c"],
        output,
        [application.parent, LINALG, LINALG / "apps"],
        defines,
        flags=("-O2", "-Wall", "-Wextra", "-Wno-unknown-pragmas"),
    )


def measure_program(case: Case, program: Path, kernels: Path, ms: float) -> Measured:
    dump = program.with_name(f"{program.name}.bin")
    result = run(program, kernels, "-n", case.size, "-o", dump)
    small = run(program, kernels, "-n", case.small)
    moved = None
    if shutil.which("oclgrind"):
        moved = oclgrind_bytes([program, "-n", str(case.small)], environment(kernels))
    return Measured(
        launches=result.total,
        iterations=last_iteration(result.stdout),
        dump=dump.read_bytes(),
        printed=result.stdout,
        moved=moved,
        small_launches=small.total,
        small_iterations=last_iteration(small.stdout),
        ms=ms,
    )


def time_ms(case: Case, program: Path, kernels: Path) -> float:
    result = run(program, kernels, "-n", case.size, "-r", case.repeats)
    found = _TIME.search(result.stdout)
    if found is None:
        raise MeasureError(f"{program} printed no time:\n{result.stdout}")
    return float(found[1])


def run(program: Path, kernels: Path, *arguments: object) -> RunResult:
    """Run a program on PoCL; it must succeed."""
    command = [str(program), *map(str, arguments)]
    result = run_counted(command, environment(kernels))
    if result.returncode != 0:
        raise MeasureError(f"{' '.join(command)}: exit status {result.returncode}\n{result.stderr}")
    return result


def environment(kernels: Path) -> dict[str, str]:
    """Where the library finds its kernels, and PoCL as the only OpenCL there is."""
    variables = {"LINALG_CL": str(kernels)}
    drivers = sorted(VENDORS.glob("pocl*.icd"))
    if drivers:
        variables["OCL_ICD_VENDORS"] = str(drivers[0])
    return variables


def last_iteration(printed: str) -> int:
    """The number of the last line of residuals, 0 if there is none."""
    return max(map(int, _ITERATION.findall(printed)), default=0)


def describe_difference(before: bytes, after: bytes, dtype: type[np.floating]) -> str:
    """The largest absolute difference; 0 is said only of identical bits."""
    if before == after:
        return "0"
    if len(before) != len(after):
        return f"{len(before)} and {len(after)} bytes of results"
    with np.errstate(all="ignore"):
        apart = np.abs(np.frombuffer(before, dtype) - np.frombuffer(after, dtype))
    largest = float(apart.max())
    return "bits of equal numbers" if largest == 0 else f"{largest:.3g}"


def format_table(rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as their widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def _traffic(moved: GlobalBytes | None) -> str:
    return "not measured" if moved is None else f"{moved.loaded} + {moved.stored}"


@click.command(help=__doc__)
@click.option("--build", "folder", type=click.Path(path_type=Path), default=Path("build/demo"))
@click.argument("applications", nargs=-1)
def main(folder: Path, applications: tuple[str, ...]) -> None:
    os.environ.setdefault("POCL_MAX_PTHREAD_COUNT", "2")
    # Otherwise both threads are at times put on one processor for milliseconds,
    # most often when a program launches few kernels: the fused one.
    os.environ.setdefault("POCL_AFFINITY", "1")
    rows = []
    try:
        for case in CASES:
            if applications and case.application not in applications:
                continue
            if sys.stderr.isatty():
                click.echo(f"\r\033[K{case.title} ...", err=True, nl=False)
            place = folder.absolute() / f"{case.application}-{case.precision.name}"
            rows.append(measure(case, place))
    except MeasureError as error:
        raise click.ClickException(str(error)) from error
    finally:
        if sys.stderr.isatty():
            click.echo("\r\033[K", err=True, nl=False)
    click.echo(format_table([HEADER, *(row.cells() for row in rows)]))
    for note in (note for row in rows for note in row.notes()):
        click.echo(note)
    sys.exit(0 if rows and all(row.same for row in rows) else 1)


if __name__ == "__main__":
    main()
