"""`python -m tests.random.hosts --count 200 --seed 1`: random host programs, fused and not."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from tests.random.hosts.campaign import Summary, run
from tests.random.hosts.minimise import keep
from tests.random.hosts.running import MODES


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.random.hosts", description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="how many programs")
    parser.add_argument("--seed", type=int, default=1, help="which programs")
    parser.add_argument("--number", type=int, help="only the program of this number")
    parser.add_argument("--keep", type=Path, help="a folder for the programs that differ")
    parser.add_argument(
        "--without", action="append", default=[], metavar="NAME", help="a protection to switch off"
    )
    parser.add_argument("--as-written", action="store_true", help="try the generator only")
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    begin = time.monotonic()
    first = given.number if given.number is not None else given.seed * 1_000_000
    count = 1 if given.number is not None else given.count
    modes = () if given.as_written else MODES
    summary = run(first, count, tuple(given.without), given.processes, modes)
    _print(summary, time.monotonic() - begin)
    if given.keep:
        for number in dict.fromkeys(d.number for d in summary.differences):
            print(keep(number, given.keep, tuple(given.without)))
    return 1 if summary.differences or summary.faults else 0


def _print(summary: Summary, seconds: float) -> None:
    for difference in summary.differences:
        print(f"program {difference.number}, {difference.run}:\n{difference.text}\n")
    for text in summary.refused:
        print(f"not fused: {text}")
    for fault in summary.faults:
        print(f"the generator is at fault: {fault}")
    codes = ", ".join(f"{code} {count}" for code, count in summary.codes.most_common(12))
    print(f"messages of kfusion by code: {codes}")
    before, after = summary.launches
    print(
        f"{summary.count} programs in {seconds:.0f} s ({summary.count / seconds:.1f} per second), "
        f"{summary.fused} with a fused launch, {sum(summary.refused.values())} not fused as "
        f"their files were refused, {before} launches became {after}, "
        f"{len({d.number for d in summary.differences})} with differences"
    )


if __name__ == "__main__":
    sys.exit(main())
