"""Today's fusers on the same work: each in a process of its own, on the data of the programs."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from bench.applications import data_of
from bench.studies import Application

if TYPE_CHECKING:
    from bench.report import Report

LONGEST = 300  # seconds for one fuser, compiling included


@dataclass(frozen=True)
class Peer:
    name: str
    module: str
    package: str
    nvidia: bool  # runs on NVIDIA's GPUs
    cpu: bool


PEERS = (
    Peer("torch.compile", "torch_compile", "torch", True, False),
    Peer("jax.jit", "jax_jit", "jax", True, False),
    Peer("cupy.fuse", "cupy_fuse", "cupy", True, False),
    Peer("Numba", "numba_jit", "numba", False, True),
    Peer("Halide", "halide_jit", "halide", False, True),
    Peer("loopy", "loopy_fuse", "loopy", True, True),
)


def measure(report: Report) -> None:
    jobs: list[dict[str, Any]] = []
    report.attempt("data for other fusers", lambda: jobs.extend(_jobs(report)))
    is_gpu = report.results["device"]["is_gpu"]
    is_nvidia = "nvidia" in report.device_name.lower()
    for peer in PEERS if jobs else ():
        if peer.nvidia if is_nvidia else peer.cpu and not is_gpu:
            report.attempt(peer.name, partial(_measure, report, peer, jobs))


def _measure(report: Report, peer: Peer, jobs: list[dict[str, Any]]) -> None:
    found = _run(peer, report, jobs)
    found += [{"not": "no result"}] * (len(jobs) - len(found))
    for job, each in zip(jobs, found, strict=True):
        row = {"application": job["application"], "size": job["size"]}
        report.results["peers"].append({"peer": peer.name} | row | each)


def _jobs(report: Report) -> list[dict[str, Any]]:
    """Of the applications that were measured at the size."""
    jobs = []
    for application in report.applications:
        if application.peers and data_of(report.build, application, report.scale).exists():
            jobs.append(_job(report, application))
        elif application.peers:
            what = f"{application.label} by other fusers"
            reason = "the unfused program was not run at their size"
            report.results["failed"].append({"what": what, "reason": reason})
    return jobs


def _job(report: Report, application: Application) -> dict[str, Any]:
    data = data_of(report.build, application, report.scale)
    return {
        "application": application.label,
        "size": application.peers_at(report.scale),
        "inputs": [str(path) for path in sorted(data.glob("sent*"))],
        "result": str(data / "unfused.dump"),
        "device": report.device_name,
        "repeats": report.repeats,
    }


def _run(peer: Peer, report: Report, jobs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What it says of each application; fewer if its time is over, or if it crashes."""
    if importlib.util.find_spec(peer.package) is None:
        return [{"not": "not installed"}] * len(jobs)
    given = report.build / "jobs.json"
    given.write_text(json.dumps(jobs))
    said, complaints = report.build / "peer.out", report.build / "peer.err"
    command = [sys.executable, "-m", "bench.peer", peer.module, str(given)]
    seconds = min(LONGEST, report.seconds_left)
    end = f"no result after {seconds:.0f} s"
    with said.open("wb") as out, complaints.open("wb") as err:
        process = subprocess.Popen(command, stdout=out, stderr=err)
        try:
            process.wait(seconds)
            end = f"it ended with status {process.returncode}"
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    lines = [line for line in said.read_text().splitlines() if line.startswith("{")]
    found: list[dict[str, Any]] = [json.loads(line) for line in lines]
    if len(found) < len(jobs):
        last = complaints.read_text(errors="replace").strip()[-1000:]
        report.results["failed"].append({"what": peer.name, "reason": f"{end}: {last}"})
    return found
