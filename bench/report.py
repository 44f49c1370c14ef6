"""The thesis's tables and figures on one device, measured: figures, tables and raw numbers.

    python -m bench.report --device NAME -o bench/results/NAME

Writes results.json, README.md and SVG figures, and writes them again after each step: a run
that is ended early leaves what it has. What could not be measured is listed with its reason.
"""

from __future__ import annotations

import json
import platform
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import click
import pyopencl as cl

from bench import applications, code, document, figures, peers, walls
from bench.programs import Builder, Built
from bench.studies import APPLICATIONS, SCALES, Application
from kfusion.device.bench import copies
from kfusion.device.oclgrind import MeasureError
from kfusion.device.opencl import find_device

PACKAGES = (
    *("pyopencl", "numpy"),
    *("torch", "triton", "jax", "cupy-cuda13x", "numba", "halide", "loopy"),
)
COPIED_BYTES = {"quick": 1 << 24, "cpu": 1 << 28, "gpu": 1 << 30}


class OutOfTimeError(Exception):
    """The minutes that the run may take are over."""


@dataclass
class Report:
    """One run: what it has to know, and what it has found so far."""

    device: cl.Device
    folder: Path
    build: Path
    scale: str
    repeats: int
    until: float
    builder: Builder
    target: str
    applications: Sequence[Application] = APPLICATIONS
    results: dict[str, Any] = field(default_factory=dict)
    # For each application its programs, if they compute the same.
    comparable: dict[str, dict[str, Built]] = field(default_factory=dict)

    @property
    def device_name(self) -> str:
        """As the programs are told it."""
        return f"{self.device.platform.name} {self.device.name}"

    @property
    def seconds_left(self) -> float:
        return self.until - time.monotonic()

    def say(self, what: str) -> None:
        click.echo(f"[{self.seconds_left:5.0f} s left] {what}", err=True)

    def attempt(self, what: str, step: Callable[[], None], *, late: bool = False) -> None:
        """A step that may fail: then the results say so, and the next one follows.

        `late`: it is quick, and done even when the time is over.
        """
        self.say(what)
        started = time.monotonic()
        try:
            if self.seconds_left <= 0 and not late:
                raise OutOfTimeError("the minutes of the run were over")
            step()
        except Exception as reason:  # noqa: BLE001  # whatever it was: it is told, not hidden
            known = isinstance(reason, OutOfTimeError | MeasureError)
            text = (str(reason) if known else f"{type(reason).__name__}: {reason}")[:2000]
            self.say(f"{what}: {text}")
            self.results["failed"].append({"what": what, "reason": text})
        self.results["seconds"][what] = round(time.monotonic() - started, 1)
        self.write()

    def write(self) -> None:
        scratch = self.folder / "results.json.tmp"
        scratch.write_text(json.dumps(self.results, indent=1) + "\n")
        scratch.replace(self.folder / "results.json")
        (self.folder / "README.md").write_text(document.markdown(self.results))


def _copies(report: Report) -> None:
    def measure() -> None:
        queue = cl.CommandQueue(
            cl.Context([report.device]), properties=cl.command_queue_properties.PROFILING_ENABLE
        )
        repeats = max(10, report.repeats // 5)
        report.results["copies"] = copies(queue, COPIED_BYTES[report.scale], repeats)

    report.attempt("copies", measure)


SECTIONS: dict[str, Callable[[Report], None]] = {
    "copies": _copies,
    "code": code.measure,
    "applications": applications.measure,
    "programs": walls.measure,
    "peers": peers.measure,
    "sizes": applications.measure_smaller,
}


def _about(device: cl.Device) -> dict[str, Any]:
    return {
        "name": device.name.strip(),
        "platform": device.platform.name.strip(),
        "version": device.version.strip(),
        "driver": device.driver_version.strip(),
        "units": device.max_compute_units,
        "is_gpu": bool(device.type & cl.device_type.GPU),
    }


def _versions() -> dict[str, str]:
    found = {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}, {' '.join(platform.libc_ver())}",
    }
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    compiler = subprocess.run(["cc", "--version"], capture_output=True, text=True, check=False)
    found["cc"] = compiler.stdout.partition("\n")[0]
    return found


@click.command(help=__doc__)
@click.option("--device", "name", default="", help="A part of its name; PoCL if left out.")
@click.option("-o", "folder", type=click.Path(path_type=Path), required=True)
@click.option("--scale", type=click.Choice(SCALES), help="The sizes; by default the device's.")
@click.option("--quick", is_flag=True, help="--scale quick --repeats 10: does it all work?")
@click.option("--repeats", default=100, show_default=True, help="Runs of each program, in turns.")
@click.option("--only", multiple=True, type=click.Choice(list(SECTIONS)), help="These sections.")
@click.option(
    "--application",
    "names",
    multiple=True,
    type=click.Choice(list(dict.fromkeys(each.name for each in APPLICATIONS))),
    help="These applications.",
)
@click.option("--minutes", default=60.0, show_default=True, help="What is left then is skipped.")
@click.option("--target", default="", help="As for kfusion; the device's if left out.")
@click.option("--kfusion-options", default="", help="More options for kfusion.")
@click.option("--build", type=click.Path(path_type=Path), help="A folder for programs and data.")
def main(
    name: str,
    folder: Path,
    scale: str | None,
    quick: bool,
    repeats: int,
    only: tuple[str, ...],
    names: tuple[str, ...],
    minutes: float,
    target: str,
    kfusion_options: str,
    build: Path | None,
) -> None:
    started = time.monotonic()
    device = find_device(name)
    about = _about(device)
    scale = "quick" if quick else scale or ("gpu" if about["is_gpu"] else "cpu")
    folder.mkdir(parents=True, exist_ok=True)
    target = target or ("nvidia" if "nvidia" in about["platform"].lower() else "cpu")
    options = ("--target", target, *shlex.split(kfusion_options))
    with tempfile.TemporaryDirectory(prefix="kfusion-bench-") as scratch:
        place = (build or Path(scratch)).absolute()
        report = Report(
            device,
            folder,
            place,
            scale,
            10 if quick else repeats,
            started + 60 * minutes,
            Builder(place / "programs", options),
            target,
            [each for each in APPLICATIONS if not names or each.name in names],
        )
        report.results = {
            "device": about,
            "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
            "command": shlex.join(["python", "-m", "bench.report", *sys.argv[1:]]),
            "versions": _versions(),
            "kfusion": shlex.join(options),
            "scale": scale,
            "repeats": report.repeats,
            "copies": {},
            "code": [],
            "applications": [],
            "programs": [],
            "peers": [],
            "failed": [],
            "seconds": {},
        }
        for section, measure in SECTIONS.items():
            if not only or section in only:
                measure(report)
                draw = partial(figures.draw, report.results, folder)
                report.attempt(f"figures after {section}", draw, late=True)
    click.echo(str(folder / "README.md"))


if __name__ == "__main__":
    main()
