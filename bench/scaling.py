"""How long kfusion itself takes: the case study, and a program ten times another.

    python -m bench.scaling

Prints medians of whole processes, and the ratio of the large program (300 kernels, 60
regions) to the small one (30 and 6) with the start-up of the process subtracted. Then how
long one kernel of so many tokens is read, of three kinds: statements, macros that unroll, one
long expression.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.generate import write_program
from kfusion.kernel.read import read_kernels
from kfusion.parse.annotations import find_annotations
from kfusion.parse.compiler import Preprocessor
from kfusion.parse.opencl import parse_opencl
from kfusion.parse.sources import preprocess_opencl
from kfusion.source.depth import refuses_depth
from kfusion.source.text import SourceFile

RUNS = 7
_KERNEL = """\
#define TWO(k) x = x * a[i] + k; x += a[i + k];
#define FOUR(k) TWO(k) TWO(k + 1)
kernel void f(global float *c, global const float *a, const uint n)
{{
    const size_t i = get_global_id(0);
    if (i >= n)
        return;
    float x = 0;
    {body}
    c[i] = x;
}}
"""
_BODIES: dict[str, Callable[[int], str]] = {
    "statements": lambda n: "\n".join(f"x = x * a[i] + {k}.0f;" for k in range(n)),
    "macros": lambda n: "\n".join(f"FOUR({k})" for k in range(0, n, 4)),
    "one expression": lambda n: "x = " + " + ".join(f"a[i + {k}] * x" for k in range(n)) + ";",
}
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
    for kind, body in _BODIES.items():
        for copies in (100, 300, 1000):
            tokens, seconds = _read(_KERNEL.format(body=body(copies)))
            shown = f"{kind}, {tokens} tokens"
            print(f"{shown:26} {seconds:7.3f} s  ({1e6 * seconds / tokens:.0f} us a token)")
    return 0


@refuses_depth
def _read(text: str) -> tuple[int, float]:
    """The kernel's tokens, and the median time of parsing and analysing it."""
    file = SourceFile(Path("kernels.cl"), text)
    marks = find_annotations(file, kernels=True)
    times: list[float] = []
    for _ in range(RUNS):
        begin = time.perf_counter()
        unit = parse_opencl(file, marks, preprocess_opencl(file, marks, Preprocessor()))
        read_kernels(unit)
        times.append(time.perf_counter() - begin)
    return len(unit.tokens), statistics.median(times)


def _linalg(name: str, out: Path) -> list[str]:
    files = [LINALG / "apps" / f"{name}.c", LINALG / "linalg.c", LINALG / "linalg.cl"]
    return [*map(str, files), f"-I{LINALG}", f"-I{LINALG / 'apps'}", "-q", "-o", str(out)]


def _seconds(words: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "kfusion", *words], check=True, capture_output=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())
