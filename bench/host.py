"""What the run time of fused programs costs the host.

    python -m bench.host

(a) What a noted launch adds to the host's own statements: a region of four launches, linked with
an OpenCL that does nothing (`noting/opencl.c`), as it was written and fused; time of the
processor. (b) A fused program with KFUSION=off, against the program as it was written: whole
processes on PoCL, in turns. The machine should do nothing else.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from casestudies.demo import LINALG, fuse, only_pocl
from kfusion.paths import include_dir

NOTING = Path(__file__).parent / "noting"
SOURCES = tuple(NOTING / name for name in ("app.c", "vectors.c", "vectors.cl"))
LAUNCHES, TIMES, RUNS, PAIRS = 4, 100_000, 15, 31
APPLICATIONS = {
    "pythagoras": ("-n", "100000", "-r", "300"),
    "cg_steps": ("-n", "512", "-r", "20"),
}


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="kfusion-bench-") as scratch:
        folder = Path(scratch)
        for kind, (least, median) in noting(folder).items():
            print(f"{kind:24} {least:6.3f} us a launch (median {median:.3f})")
        for name, arguments in APPLICATIONS.items():
            print(f"{name + ', KFUSION=off':24} {switched_off(folder, name, arguments):+6.1%}")


def noting(folder: Path) -> dict[str, tuple[float, float]]:
    """What is added to a launch as it was written: the least, and the median of all runs."""
    out = folder / "noting"
    fuse(SOURCES, out, [NOTING])
    written = _noting_program(SOURCES, folder / "written")
    fused = _noting_program([out / path.name for path in SOURCES], folder / "fused")
    commands = {
        "written": (written, SOURCES[2], "on"),
        "noted, and made fused": (fused, out / SOURCES[2].name, "on"),
        "KFUSION=off": (fused, out / SOURCES[2].name, "off"),
    }
    found: dict[str, list[float]] = {kind: [] for kind in commands}
    for _ in range(RUNS):
        for kind, (program, kernels, mode) in commands.items():
            command = [str(program), str(kernels), str(TIMES)]
            printed = _run(command, {**os.environ, "KFUSION": mode})
            nanoseconds, launches = printed.split()
            assert int(launches) == TIMES * (1 if kind.startswith("noted") else LAUNCHES)
            found[kind].append(float(nanoseconds) / LAUNCHES / 1000)
    own = found.pop("written")
    return {
        kind: (min(each) - min(own), statistics.median(each) - statistics.median(own))
        for kind, each in found.items()
    }


def _noting_program(sources: list[Path] | tuple[Path, ...], output: Path) -> Path:
    files = [*map(str, sources[:2]), str(NOTING / "opencl.c")]
    flags = ["-O2", "-w", f"-I{NOTING}", f"-I{include_dir()}"]
    subprocess.run(["cc", *flags, *files, "-o", str(output)], check=True)
    return output


def switched_off(folder: Path, name: str, arguments: tuple[str, ...]) -> float:
    """How much longer the fused program takes with KFUSION=off: the median of pairs of runs."""
    sources = LINALG.sources(name)
    fused = LINALG.fuse(sources, folder / name)
    programs = {
        "written": (LINALG.build(sources, folder / f"{name}-written"), sources[2]),
        "off": (LINALG.build(fused, folder / f"{name}-fused", include_dirs=[folder]), fused[2]),
    }
    ratios = []
    for number in range(PAIRS):
        times = {}
        for kind, (program, kernels) in list(programs.items())[:: -1 if number % 2 else 1]:
            environment = {**os.environ, **only_pocl(), "LINALG_CL": str(kernels)}
            started = time.perf_counter()
            _run([str(program), *arguments], {**environment, "KFUSION": "off"})
            times[kind] = time.perf_counter() - started
        ratios.append(times["off"] / times["written"])
    return statistics.median(ratios) - 1


def _run(command: list[str], environment: dict[str, str]) -> str:
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return done.stdout


if __name__ == "__main__":
    main()
