"""Run pickled jobs in a process of their own: on PoCL, or on Oclgrind if it stands in front.

`[oclgrind --data-races] python -m tests.random.elsewhere JOBS OUTCOMES`
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import pyopencl as cl

from kfusion.device.opencl import pocl_device
from tests.random.execution import Job, Outcome, execute


def device() -> cl.Device:
    for platform in cl.get_platforms():
        if platform.name == "Oclgrind":
            return platform.get_devices()[0]
    return pocl_device()


def main(path: str, results: str) -> None:
    jobs: list[Job] = pickle.loads(Path(path).read_bytes())
    here = device()
    outcomes: list[list[Outcome] | str] = []
    for number, job in enumerate(jobs):
        # Oclgrind writes its complaints to the same place.
        print(f"job {number} on {here.platform.name}", file=sys.stderr, flush=True)
        try:
            outcomes.append(execute(job, here))
        except cl.Error as error:
            outcomes.append(str(error))
    Path(results).write_bytes(pickle.dumps(outcomes))


if __name__ == "__main__":
    main(*sys.argv[1:])
