"""Builds programs on OpenCL devices, in a process of its own: compilers may crash, and the process
that asks for it needs no OpenCL."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Sequence

from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import error

_UNDECLARED = re.compile(
    r"(?:unknown type name|undeclared identifier|undeclared function|declaration of function"
    r"|\bidentifier) ['\"](?P<name>\w+)['\"]"
)


@dataclass(frozen=True)
class ToBuild:
    name: str  # that messages of compilers call the text
    text: str
    options: tuple[str, ...]


@dataclass(frozen=True)
class NotBuilt:
    program: int
    device: str
    log: str


@dataclass(frozen=True)
class Built:
    devices: tuple[str, ...]
    failed: tuple[NotBuilt, ...] = ()
    none: str = ""  # why there are no devices


def macro_to_give(said: str, builds: Sequence[str]) -> str | None:
    """What to do about a compiler's message that something is not declared: the program may be
    built with options that define it, of which `builds` are known. None: it says something else."""
    found = _UNDECLARED.search(said)
    if found is None:
        return None
    name = found["name"]
    defining = [options for options in builds if re.search(rf"-D\s*{name}\b", options)]
    listed = " or ".join(f"'{options}'" for options in defining)
    if not listed:
        return f"if the host defines '{name}' when it builds the kernels, give -D {name}=VALUE"
    return f"the host builds it with {listed}: give one, -D {name}=VALUE"


def builder() -> subprocess.Popen[bytes]:
    """The process. It loads OpenCL while there is nothing to build yet."""
    pipe, command = subprocess.PIPE, [sys.executable, "-m", __name__]
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)


def build(process: subprocess.Popen[bytes], programs: Sequence[ToBuild], device: str) -> Built:
    """On the device with the name, or on all."""
    asked = json.dumps([device, [[each.name, each.text, each.options] for each in programs]])
    said = [json.loads(line) for line in process.communicate(asked.encode())[0].splitlines()]
    if not said:
        why = f"OpenCL cannot be asked for devices: that ends with status {process.returncode}"
        raise error("KF304", why, argument=device or None, exit_code=1)
    (devices, none), *builds = said
    logs = {(program, name): log for program, name, log in builds}
    if process.returncode != 0 and builds:
        program, name, _ = builds[-1]
        logs[program, name] = f"error: the compiler crashed (status {process.returncode})"
    failed = [NotBuilt(program, name, log) for (program, name), log in logs.items() if log]
    return Built(tuple(devices), tuple(failed), none)


def _build() -> None:
    """What `build` asks for. Each build is told before it begins, too."""
    told = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # drivers may print

    def tell(*values: object) -> None:
        print(json.dumps(values), file=told, flush=True)

    try:
        from kfusion.device.opencl import (
            KernelBuildError,
            NoDeviceError,
            all_devices,
            build_program,
            find_device,
        )
    except ImportError:
        tell([], "PyOpenCL is not installed")
        return
    devices = all_devices()
    asked = sys.stdin.read()
    if not asked:  # there was an error
        return
    wanted, programs = json.loads(asked)
    try:
        devices = [find_device(wanted)] if wanted else devices
    except NoDeviceError as failure:
        tell([], str(failure))
        return
    tell([device.name for device in devices], "" if devices else "there is no OpenCL device")
    warnings.simplefilter("ignore")
    for device in devices:
        for number, (name, text, options) in enumerate(programs):
            tell(number, device.name, "")
            try:
                build_program(text, options, name=name, device=device)
            except KernelBuildError as failure:
                tell(number, device.name, str(failure))


if __name__ == "__main__":
    _build()
