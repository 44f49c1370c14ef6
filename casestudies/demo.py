"""What ``make demo`` shows: each application of the case studies, unfused and fused.

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
from dataclasses import dataclass, replace
from pathlib import Path

import click
import numpy as np

from casestudies.measure import GlobalBytes, RunResult, build, oclgrind_bytes, run_counted
from kfusion.device.oclgrind import MeasureError

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
    """An element type, or which one of several things is computed, and how that is built."""

    name: str
    defines: tuple[str, ...]
    dtype: type[np.number]


# Tests build hundreds of programs whose time nobody measures.
OPTIMISE = os.environ.get("CASESTUDIES_OPTIMISE", "-O2")


@dataclass(frozen=True)
class Study:
    """A library, and how programs that call it are built and run."""

    folder: Path
    library: str  # what its C file and its kernels' are called
    shared: tuple[str, ...]  # C files of all its applications, from `apps`; they have no region
    links: tuple[str, ...] = ()
    sized: tuple[str, ...] = ("-n",)  # what a size follows where results are computed
    dumped: str = "-d"  # what the file for the results follows
    variable: str = ""  # of the environment, for the path of the kernels; "": `LIBRARY_CL`
    by_hand: str = "fused_by_hand"  # what the files in `reference/` for the library are called

    @property
    def apps(self) -> Path:
        return self.folder / "apps"

    @property
    def include_dirs(self) -> tuple[Path, ...]:
        shared = ((self.apps / name).resolve().parent for name in self.shared)
        return tuple(dict.fromkeys((self.folder, self.apps, *shared)))

    def sources(self, application: str) -> list[Path]:
        return [
            self.apps / f"{application}.c",
            self.folder / f"{self.library}.c",
            self.folder / f"{self.library}.cl",
        ]

    def reference(self, suffix: str) -> Path:
        """What the fusions by hand append to the library's `.c` or `.cl`."""
        return self.folder / "reference" / f"{self.by_hand}{suffix}"

    def fuse(
        self,
        sources: Sequence[Path],
        out: Path,
        defines: Iterable[str] = (),
        options: Iterable[str] = (),
    ) -> list[Path]:
        """The same sources, fused, beside the C files that all applications share."""
        shared = [self.apps / name for name in self.shared]
        fuse([*sources, *shared], out, self.include_dirs, defines, options)
        return [out / source.name for source in sources]

    def build(
        self,
        sources: Sequence[Path],
        output: Path,
        defines: Iterable[str] = (),
        flags: Sequence[str] = (OPTIMISE, "-Wall", "-Wextra", "-Wno-unknown-pragmas"),
        include_dirs: Sequence[Path] = (),
    ) -> Path:
        """Build an application from its own two C files and those that all share."""
        application, library, _ = sources
        fused = [application.with_name(Path(name).name) for name in self.shared]
        written = [self.apps / name for name in self.shared]
        shared = [f if f.exists() else w for f, w in zip(fused, written, strict=True)]
        return build(
            [application, library, *shared],
            output,
            [application.parent, *include_dirs, *self.include_dirs],
            defines,
            flags,
            self.links,
        )

    def environment(self, kernels: Path) -> dict[str, str]:
        """Where the library finds its kernels, and PoCL."""
        variable = self.variable or f"{self.library.upper()}_CL"
        return {variable: str(kernels), **only_pocl()}

    def run(self, program: Path, kernels: Path, *arguments: object) -> RunResult:
        """Run a program on PoCL; it must succeed."""
        command = [str(program), *map(str, arguments)]
        result = run_counted(command, self.environment(kernels))
        if result.returncode != 0:
            raise MeasureError(
                f"{' '.join(command)}: exit status {result.returncode}\n{result.stderr}"
            )
        return result


@dataclass(frozen=True)
class Case:
    """An application in one precision, with the sizes it is run at."""

    study: Study
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
        unfused, fused = self.unfused, self.fused
        before, after = unfused.launches_per_iteration, fused.launches_per_iteration
        if before is not None and after is not None:
            yield f"{self.case.title}: {before:g} -> {after:g} launches in each iteration"
        if unfused.moved is not None and unfused.moved.uncounted:
            names = ", ".join(unfused.moved.uncounted)
            yield (
                f"{self.case.title}: without the bytes of {names}; what fused items load instead "
                "of copies is counted"
            )
        if unfused.printed != fused.printed:
            yield f"{self.case.title}: what the two programs printed differs"


_HERE = Path(__file__).parent
LINALG = Study(_HERE / "linalg", "linalg", ("app.c",), dumped="-o")
IMAGE = Study(_HERE / "image", "image", ("app.c", "png_file.c"), ("png",))
TEXTURE = replace(IMAGE, library="texture", variable="IMAGE_CL", by_hand="fused_by_hand_texture")
POOL = Study(
    _HERE / "physics", "pool", ("shot.c",), ("gif",), ("--shot", "1,20", "--frames", "2", "--steps")
)
_PLANES = ("../../planes/planes.c", "../../image/apps/png_file.c")
CONVOLUTION = Study(_HERE / "convolution", "convolution", _PLANES, ("png",))
STENCIL = Study(_HERE / "stencil", "stencil", _PLANES, ("png",))

FLOAT = Precision("float", (), np.float32)
DOUBLE = Precision("double", ("LINALG_DOUBLE",), np.float64)
LADDER = {
    name: Precision(name, (f"RUNG={rung}",), np.float32)
    for rung, name in enumerate(("17 x 17", "17 x 17 in tiles", "rows and columns in tiles"), 1)
}
# What `jacobi` and `steps` of the stencils are built for.
CHAINS = {n: Precision(f"{n} steps", (f"STEPS={n}",), np.float32) for n in (2, 4, 8)}
IN_3D = ("STENCIL=STENCIL_JACOBI_3D", "ARRAY=app_volume")
CHAINS_3D = {n: Precision(f"{n} steps in 3-D", (f"STEPS={n}", *IN_3D), np.float32) for n in (2, 4)}
STEPS = {
    name: Precision(name, (f"STENCIL={name.upper()}", *defines), dtype)
    for name, defines, dtype in (
        ("jacobi", (), np.float32),
        ("gaussian", (), np.float32),
        ("life", ("ELEMENT=cl_uchar",), np.uint8),
        ("star_2d_1", (), np.float32),
        ("star_2d_2", (), np.float32),
        ("box_2d_1", (), np.float32),
        ("box_2d_2", (), np.float32),
        ("gradient", (), np.float32),
        ("heat_3d", ("ARRAY=app_volume",), np.float32),
        ("jacobi_3d", ("ARRAY=app_volume",), np.float32),
        ("star_3d_1", ("ARRAY=app_volume",), np.float32),
        ("star_3d_2", ("ARRAY=app_volume",), np.float32),
        ("box_3d_1", ("ARRAY=app_volume",), np.float32),
    )
}

CASES = (
    *(
        Case(LINALG, application, precision, size, repeats, small)
        for application, size, repeats, small in (
            ("pythagoras", 2_000_000, 21, 1000),
            ("distance", 2_000_000, 21, 1000),
            ("cg_steps", 4096, 11, 32),
            ("cg", 128, 3, 8),
        )
        for precision in (FLOAT, DOUBLE)
    ),
    *(
        Case(IMAGE, application, FLOAT, 512, 11, 32)
        for application in ("ldd", "mdd", "hdd", "hddlf")
    ),
    *(
        Case(CONVOLUTION, application, FLOAT, size, 11, 24)
        for application, size in (("separable", 256), ("harris", 512), ("unsharp", 256))
    ),
    Case(CONVOLUTION, "ladder", LADDER["17 x 17 in tiles"], 128, 11, 24),
    Case(STENCIL, "jacobi", CHAINS[4], 512, 11, 24),
    *(Case(STENCIL, each, FLOAT, 256, 11, 24) for each in ("sobel", "canny", "hotspot")),
    Case(STENCIL, "steps", STEPS["life"], 256, 11, 24),
    Case(STENCIL, "steps", STEPS["heat_3d"], 64, 11, 12),
    Case(POOL, "game", FLOAT, 2000, 5, 20),
)


def measure(case: Case, folder: Path) -> Row:
    """Fuse, build and run one case, everything under ``folder``."""
    study, defines = case.study, case.precision.defines
    before = study.sources(case.application)
    after = study.fuse(before, folder / "out", defines, ("--target", "cpu"))
    unfused = study.build(before, folder / "unfused", defines)
    fused = study.build(after, folder / "fused", defines)
    runs = [(unfused, before[2]), (fused, after[2])]
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
    include_dirs: Sequence[Path],
    defines: Iterable[str] = (),
    options: Iterable[str] = (),
) -> None:
    """Run the ``kfusion`` command as a Makefile would."""
    words = [
        *("-q", *map(str, sources)),
        *(f"-I{folder}" for folder in include_dirs),
        *(f"-D{define}" for define in defines),
        *options,
        *("-o", str(out)),
    ]
    done = kfusion(words)
    if done.returncode != 0:
        raise MeasureError(
            f"kfusion {' '.join(words)}: exit status {done.returncode}\n{done.stderr}"
        )


def kfusion(words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "kfusion", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def measure_program(case: Case, program: Path, kernels: Path, ms: float) -> Measured:
    dump = program.with_name(f"{program.name}.bin")
    study = case.study
    result = study.run(program, kernels, *study.sized, case.size, study.dumped, dump)
    small = study.run(program, kernels, *study.sized, case.small)
    moved = None
    if shutil.which("oclgrind"):
        moved = oclgrind_bytes([program, *study.sized, str(case.small)], study.environment(kernels))
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
    result = case.study.run(program, kernels, "-n", case.size, "-r", case.repeats)
    found = _TIME.search(result.stdout)
    if found is None:
        raise MeasureError(f"{program} printed no time:\n{result.stdout}")
    return float(found[1])


def only_pocl() -> dict[str, str]:
    """An environment in which PoCL is the only OpenCL there is."""
    drivers = sorted(VENDORS.glob("pocl*.icd"))
    return {"OCL_ICD_VENDORS": str(drivers[0])} if drivers else {}


def last_iteration(printed: str) -> int:
    """The number of the last line of residuals, 0 if there is none."""
    return max(map(int, _ITERATION.findall(printed)), default=0)


def describe_difference(before: bytes, after: bytes, dtype: type[np.number]) -> str:
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
