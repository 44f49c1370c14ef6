"""How many random host programs miss a protection of the run time that is switched off?

    python -m tests.random.hosts.switched_off --count 100 [NAME...]

prints a line for each name in a `KFUSION_PROTECTS(NAME)` of the run time: how many programs print
something else, or end otherwise, than as they were written. The programs are the same for all
names, and are fused once.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from kfusion.runtime import implementation_text
from tests.random.hosts import running
from tests.random.hosts.batch import files_of
from tests.random.hosts.campaign import BATCH
from tests.random.hosts.flavour import flavour_of
from tests.random.hosts.generate import generate
from tests.random.hosts.model import Program

# No random program can show these, and why.
OUT_OF_REACH = {
    "ESCAPED": "PoCL counts a part as a reference of the whole, which RELEASED looks at",
    "HOLDING_NAMED": "what a region names is known when it ends, and NAMED_AT_END waits for that",
    "MAPPED": "a kernel must not write what is mapped, nor read what is mapped to be written",
    "ONE_PROGRAM": "all kernels are of one program",
}


@dataclass
class Missed:
    """Programs that differ, by the protection that they do without."""

    programs: int = 0
    by_name: dict[str, dict[int, str]] = field(default_factory=dict)

    def add(self, other: Missed) -> None:
        self.programs += other.programs
        for name, found in other.by_name.items():
            self.by_name.setdefault(name, {}).update(found)


def names() -> list[str]:
    """All that can be switched off; OPEN: programs are taken for closed as a whole."""
    found = re.findall(r"KFUSION_PROTECTS\(([A-Z_]+)\)", implementation_text())
    return sorted({*found, "OPEN"})


def missed(first: int, count: int, without: Sequence[str], processes: int) -> Missed:
    found = Missed()
    batches: dict[int, list[int]] = {}
    for number in range(first, first + count):
        batches.setdefault(number // BATCH, []).append(number)
    running.shim()  # made once, before several batches want it
    with ThreadPoolExecutor(processes) as pool:
        for each in pool.map(lambda numbers: _in_batch(numbers, without), batches.values()):
            found.add(each)
    return found


def _in_batch(numbers: Sequence[int], without: Sequence[str]) -> Missed:
    flavour = flavour_of(numbers[0] // BATCH)
    programs = [generate(number) for number in numbers]
    found = Missed()
    for start in range(0, len(programs), flavour.together):
        with tempfile.TemporaryDirectory(prefix="hosts-") as scratch:
            some = programs[start : start + flavour.together]
            found.add(_together(some, Path(scratch), without))
    return found


def _together(programs: Sequence[Program], folder: Path, without: Sequence[str]) -> Missed:
    """Programs that share a process; if one is refused, each half of them."""
    flavour = flavour_of(programs[0].number // BATCH)
    files = files_of(programs, flavour)
    inputs, outputs = folder / "in", folder / "out"
    inputs.mkdir(parents=True)
    for name, text in files.texts.items():
        (inputs / name).write_text(text)
    before = running.as_written(programs, files, inputs)
    found = Missed()
    if running.fuse(files, inputs, outputs)[0]:
        half = len(programs) // 2
        for name, some in (("first", programs[:half]), ("second", programs[half:])):
            if half > 0:
                found.add(_together(some, folder / name, without))
        return found  # no files were written
    found.programs = len(programs)
    for name in without:
        failed = running.compiled(files, inputs, outputs, [name])
        if failed:
            raise running.BuildError(failed)
        after = running.run_in(outputs, "", outputs / "pocl")
        found.by_name[name] = {
            each.number: each.text for each in running.differences_of(before, after, "fused")
        }
    return found


def _lines(found: Missed, without: Sequence[str]) -> Iterator[str]:
    for name in without:
        differing = found.by_name.get(name, {})
        number = min(differing, default=None)
        shown = "" if number is None else f"  {number}: {' '.join(differing[number].split())[:60]}"
        reason = f"  ({OUT_OF_REACH[name]})" if name in OUT_OF_REACH else ""
        yield f"{name:22}{len(differing) or 'none':>5} of {found.programs}{shown}{reason}"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.random.hosts.switched_off", description=__doc__
    )
    parser.add_argument("names", nargs="*", help="protections; all if left out")
    parser.add_argument("--count", type=int, default=100, help="how many programs")
    parser.add_argument("--seed", type=int, default=1, help="which programs")
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    without = given.names or names()
    found = missed(given.seed * 1_000_000, given.count, without, given.processes)
    print("\n".join(_lines(found, without)))
    silent = [n for n in without if not found.by_name.get(n) and n not in OUT_OF_REACH]
    return 1 if silent else 0


if __name__ == "__main__":
    sys.exit(main())
