"""Many random host programs, in batches."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from tests.random.hosts.flavour import flavour_of
from tests.random.hosts.generate import generate
from tests.random.hosts.running import MODES, BuildError, Difference, Outcome, compare, shim

BATCH = 25


@dataclass
class Summary:
    count: int = 0
    fused: int = 0
    launches: tuple[int, int] = (0, 0)
    differences: list[Difference] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)  # what kfusion said, how many programs
    faults: list[str] = field(default_factory=list)
    codes: Counter[str] = field(default_factory=Counter)

    def add(self, outcome: Outcome, count: int) -> None:
        self.count += count
        self.fused += len(outcome.fused)
        self.differences += outcome.differences
        self.codes.update(outcome.codes)
        before, after = outcome.launches
        self.launches = (self.launches[0] + before, self.launches[1] + after)
        if outcome.refused:
            self.refused[outcome.refused] += count


def run(
    first: int,
    count: int,
    without: tuple[str, ...] = (),
    processes: int = 2,
    modes: tuple[str, ...] = MODES,
) -> Summary:
    numbers = range(first, first + count)
    batches: dict[int, list[int]] = {}
    for number in numbers:
        batches.setdefault(number // BATCH, []).append(number)
    summary = Summary()
    shim()  # made once, before several batches want it
    with ThreadPoolExecutor(processes) as pool:
        for done in pool.map(partial(_batch, without=without, modes=modes), batches.values()):
            for outcome, size in done:
                if isinstance(outcome, str):
                    summary.faults.append(outcome)
                else:
                    summary.add(outcome, size)
    return summary


def _batch(
    numbers: Sequence[int], without: tuple[str, ...], modes: tuple[str, ...]
) -> list[tuple[Outcome | str, int]]:
    programs = [generate(number) for number in numbers]
    flavour = flavour_of(numbers[0] // BATCH)
    found: list[tuple[Outcome | str, int]] = []
    with tempfile.TemporaryDirectory(prefix="hosts-") as scratch:
        size = flavour.together
        while programs:
            try:
                outcome = compare(programs[:size], flavour, Path(scratch), without, modes)
            except BuildError as error:
                return [*found, (str(error), 0)]
            if outcome.refused and len(programs[:size]) > 1:
                size = (
                    len(programs[:size]) + 1
                ) // 2  # the others need not go with the one that is refused
                continue
            if outcome.refused:
                outcome = replace(
                    outcome, refused=f"program {programs[0].number}: {outcome.refused}"
                )
            end = _ended_in(outcome)
            position = next((i for i, p in enumerate(programs[:size]) if p.number == end), None)
            done = len(programs[:size]) if position is None else position + 1
            found.append((outcome, done))
            programs, size = programs[done:], flavour.together
    return found


def _ended_in(outcome: Outcome) -> int | None:
    """The program that ended the process too early."""
    ends = (d.number for d in outcome.differences if d.text.startswith("ended with"))
    return min(ends, default=None)
