"""How many pipelines does it take until a legality check that is switched off is missed?

`python -m tests.random.switched_off [NAME...]` prints a line for each. With a check off, a
pipeline shows it if calls are in one kernel that must not be, if the fused program cannot
be written, built or launched, if Oclgrind sees a race, or if the results differ.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice

from kfusion.api import Fused
from kfusion.source import protections
from tests.random.execution import Job
from tests.random.model import Pipeline
from tests.random.planning import forbidden, fused, is_refused
from tests.random.running import JobError, elsewhere, job_of
from tests.random.sample import stream

LIMIT = int(os.environ.get("N", "2000"))
_CHUNK = 40
_ON_POCL = 4  # pipelines of a chunk that Oclgrind has nothing against, and PoCL is asked about

# No pipeline of the Python API can show these.
OUT_OF_REACH = {
    "one-program": "there is one source",
    "formats": "Fused.check looks at the formats of images",
    "written-twice": "where one is tried, an image keeps the last of two values",
    "sections": "is about annotations that contradict the code",
    "unread": "their kernels are read in no time",
    "bounded": "all launches have one range; tests/random/test_places.py has several",
    "rows": "all launches have one range",
    "extents": "all launches have one range",
    "own-ids": "all launches have one range",
    "groups-later": "all launches have one local size, as expected",
    "few-ids": "there are fewer elements than that",
    "doubtful-macros": "what it lets pass, `pins` and `macros` hold up",
}

_OF_HOSTS = ("host-", "guard-", "closed-", "python-")


@contextmanager
def without(name: str) -> Iterator[None]:
    kept = protections._OFF
    protections._OFF = {name}
    try:
        yield
    finally:
        protections._OFF = kept


@dataclass(frozen=True)
class Found:
    pipelines: int  # that were looked at, this one included
    how: str
    pipeline: Pipeline = field(repr=False)


@dataclass
class Search:
    """The same pipelines for each check; what becomes of them with all checks on is kept."""

    start: int = 0
    pipelines: list[Pipeline] = field(default_factory=list)
    usual: list[tuple[object, ...]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._more = stream(self.start)

    def missed(self, name: str, limit: int) -> Found | None:
        for first in range(0, limit, _CHUNK):
            found = self._in_chunk(name, first, min(limit, first + _CHUNK))
            if found is not None:
                return found
        return None

    def _in_chunk(self, name: str, first: int, end: int) -> Found | None:
        other: list[tuple[int, Fused]] = []
        for number in range(first, end):
            pipeline, usual = self._pipeline(number)
            try:
                with without(name):
                    done = fused(pipeline)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is noticed
                return Found(number + 1, f"no fused program: {error!r}", pipeline)
            if forbidden(pipeline, done):
                return Found(number + 1, "fused what must not be", pipeline)
            if _result(done) != usual:
                other.append((number, done))
        return self._by_running(other)

    def _pipeline(self, number: int) -> tuple[Pipeline, tuple[object, ...]]:
        if number == len(self.pipelines):
            (pipeline,) = islice(self._more, 1)
            self.pipelines.append(pipeline)
            self.usual.append(_result(fused(pipeline)))
        return self.pipelines[number], self.usual[number]

    def _by_running(self, other: list[tuple[int, Fused]]) -> Found | None:
        can = [(n, job_of(self.pipelines[n], d)) for n, d in other if self._may_run(n, d)]
        on_oclgrind = [(n, job) for n, job in can if self.pipelines[n].simulates]
        first = self._judged(on_oclgrind, "oclgrind", "--data-races")
        return first or self._judged(can[:_ON_POCL])

    def _may_run(self, number: int, done: Fused) -> bool:
        pipeline = self.pipelines[number]
        return pipeline.runs and not is_refused(pipeline, done)

    def _judged(self, jobs: list[tuple[int, Job]], *under: str) -> Found | None:
        """All at once; if that comes to no end, one after the other."""
        try:
            complaints = elsewhere([job for _, job in jobs], *under, timeout=120)
        except (JobError, subprocess.TimeoutExpired) as error:
            if len(jobs) == 1:
                return Found(jobs[0][0] + 1, f"crashes: {error!r}", self.pipelines[jobs[0][0]])
            return next(filter(None, (self._judged([job], *under) for job in jobs)), None)
        for (number, _), complaint in zip(jobs, complaints, strict=True):
            if complaint is not None:
                how = complaint if under else f"on PoCL: {complaint}"
                return Found(number + 1, how, self.pipelines[number])
        return None


def _result(done: Fused) -> tuple[object, ...]:
    return (hash(done.source), tuple((k.name, k.arguments) for k in done.kernels))


def of_kernels() -> list[str]:
    """The checks that Python calls of kernels can need."""
    names = (name for name in protections.PROTECTIONS if not name.startswith(_OF_HOSTS))
    return sorted({*names, "guard-types"} - OUT_OF_REACH.keys())


def main(names: list[str]) -> int:
    search = Search()
    missing = 0
    for name in names or of_kernels():
        begun = time.monotonic()
        found = search.missed(name, LIMIT)
        missing += found is None
        what = f"{found.pipelines:5}  {' '.join(found.how.split())[:110]}" if found else " none"
        where = f" {'+'.join(found.pipeline.hazards)}" if found else ""
        print(f"{name:18}{what}  [{where.strip()}, {time.monotonic() - begun:.0f} s]", flush=True)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
