"""How long kfusion itself takes: the case study, and a program ten times another.

    python -m bench.scaling

Prints medians of whole processes, and the ratio of the large program (300 kernels, 60
regions) to the small one (30 and 6) with the start-up of the process subtracted.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.generate import write_program

RUNS = 7
LINALG = Path(__file__).resolve().parent.parent / "casestudies" / "linalg"


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="kfusion-bench-") as folder:
        out = Path(folder) / "out"
        small = write_program(Path(folder) / "small", 30)
        large = write_program(Path(folder) / "large", 300)
        commands = {
            "start-up (--version)": ["--version"],
            **{
                f"linalg {name}": _linalg(name, out)
                for name in ("pythagoras", "distance", "cg_steps", "cg")
            },
            "30 kernels, 6 regions": [*map(str, small), "-q", "-o", str(out)],
            "300 kernels, 60 regions": [*map(str, large), "-q", "-o", str(out)],
        }
        times = {name: [_seconds(words)] for name, words in commands.items()}
        for _ in range(RUNS - 1):
            for name, words in commands.items():
                times[name].append(_seconds(words))
    medians = {name: statistics.median(values) for name, values in times.items()}
    for name, median in medians.items():
        print(
            f"{name:26} {median:7.3f} s  "
            f"(of {RUNS}: {min(times[name]):.3f} to {max(times[name]):.3f})"
        )
    start = medians["start-up (--version)"]
    ratio = (medians["300 kernels, 60 regions"] - start) / (
        medians["30 kernels, 6 regions"] - start
    )
    print(f"ratio without start-up: {ratio:.1f}")
    return 0


def _linalg(name: str, out: Path) -> list[str]:
    files = [LINALG / "apps" / f"{name}.c", LINALG / "linalg.c", LINALG / "linalg.cl"]
    return [*map(str, files), f"-I{LINALG}", f"-I{LINALG / 'apps'}", "-q", "-o", str(out)]


def _seconds(words: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "kfusion", *words], check=True, capture_output=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())
