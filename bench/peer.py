"""One of today's fusers on the applications, in a process of its own.

    python -m bench.peer torch_compile JOBS.json

A job says which application, its size, the files with its data and with the result that it
should have. Prints a line of JSON for each.
"""

from __future__ import annotations

import importlib
import json
import math
import sys
import traceback
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bench.fusers.common import Array, Job, NotPossibleError, Timed

NEAR = 1e-4  # of results: absolute, or of what they are
FAR_PART = 1e-5  # of all results may be further off: hues jump where colours turn grey


def main(fuser: str, jobs: str) -> None:
    for said in json.loads(Path(jobs).read_text()):
        print(json.dumps(measure(fuser, said)), flush=True)


def measure(fuser: str, said: dict[str, Any]) -> dict[str, Any]:
    try:
        return _measured(fuser, said)
    except NotPossibleError as reason:
        return {"not": str(reason)}
    except Exception as reason:  # noqa: BLE001  # one that fails shall not hide the others
        traceback.print_exc()
        return {"not": f"failed: {type(reason).__name__}: {reason}"[:400]}


def _measured(fuser: str, said: dict[str, Any]) -> dict[str, Any]:
    module: Any = importlib.import_module(f"bench.fusers.{fuser}")
    timed: Timed = module.run(job_of(said))
    off, far = distance(np.fromfile(said["result"], np.float32), timed.result)
    if far > FAR_PART:
        return {"not": f"wrong results: {far:.2%} are more than {NEAR:g} off"}
    return {"ms": timed.median, "repeats": len(timed.ms), "off": off, "how": module.HOW}


def job_of(said: dict[str, Any]) -> Job:
    job = Job(said["application"], said["size"], (), said["device"], said["repeats"])
    shape = job.shape(job.size)
    inputs = (np.fromfile(path, np.float32) for path in said["inputs"])
    # All but weights, which are fewer.
    shaped = (each.reshape(shape) if each.size == math.prod(shape) else each for each in inputs)
    return replace(job, inputs=tuple(shaped))


def distance(expected: Array, found: Array) -> tuple[str, float]:
    """In words, and the part of the results that is not near."""
    found = np.ascontiguousarray(found).ravel()
    if found.size != expected.size:
        return f"{found.size} results instead of {expected.size}", 1.0
    if np.array_equal(expected.view(np.int32), found.view(np.int32)):
        return "the same bits", 0.0
    apart = np.abs(expected - found)
    is_far = ~(apart <= NEAR * np.maximum(1, np.abs(expected)))
    far = float(is_far.mean())
    largest = float(apart[~is_far].max(initial=0))
    text = f"at most {largest:.1g} off"
    return (f"{text}, {int(is_far.sum())} further" if far else text), far


if __name__ == "__main__":
    main(*sys.argv[1:])
