"""Commands that run kernels, in a process of their own. This one only waits: it loads no OpenCL."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import click

from kfusion.source.diagnostics import error

OCLGRIND = "Oclgrind"
INCOMPLETE = 3  # the exit status if nothing differs, and not everything was run
_AT_WORK = "KFUSION_AT_WORK"  # names a file
NOTHING_RUN = 4  # that of the process that should have


def verify_apart(words: Sequence[str], oclgrind: bool) -> int:
    """The same command in a process of its own, so that a crash is a finding and not an end."""
    command = [sys.executable, "-m", "kfusion", "verify", *words, "--here"]
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as file:
        done = subprocess.run(command, env={**os.environ, _AT_WORK: file.name}, check=False)
        running = file.read() or "the kernels"
    if done.returncode < 0:
        click.echo(f"{running} crashed (signal {-done.returncode}) on random data", err=True)
        click.echo("  help: give data, --data NAME=FILE, or let the program run: --run", err=True)
        return 1
    if done.returncode == NOTHING_RUN:
        return 1
    if oclgrind and done.returncode in (0, 1, INCOMPLETE):
        return _races([*command, "--device", OCLGRIND]) or done.returncode
    return done.returncode


def at_work(running: str) -> None:
    """What is said if the process does not live to say more."""
    if name := os.environ.get(_AT_WORK):
        Path(name).write_text(running, encoding="utf-8")


def tune_apart(words: Sequence[str], file: Path, limit: float | None) -> int:
    """`kfusion tune` goes on behind a point whose kernels crash: the file has it. Ctrl-C reaches
    both processes; this one waits for the other."""
    until = None if limit is None else time.monotonic() + limit
    more: list[str] = []
    while True:
        before = file.read_bytes() if file.exists() else None
        command = [sys.executable, "-m", "kfusion", "tune", *words, *more, "--here"]
        status = _wait_for(subprocess.Popen(command))
        if -status not in _CRASHES or before == (file.read_bytes() if file.exists() else None):
            return status if status >= 0 else 128 - status
        click.echo(f"the kernels crashed (signal {-status}); other numbers are tried", err=True)
        if until is not None:
            more = ["--time-limit", str(max(0.0, until - time.monotonic()))]


_CRASHES = (signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGABRT)


def _wait_for(process: subprocess.Popen[bytes]) -> int:
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            pass


def _races(command: Sequence[str]) -> int:
    from kfusion.device.oclgrind import MeasureError, has_oclgrind, oclgrind_races

    if not has_oclgrind():
        raise error(
            "KF304",
            "Oclgrind is not installed",
            help="install it, for example: apt-get install oclgrind",
            argument="--oclgrind",
            exit_code=1,
        )
    what = "no races, no uninitialised values, no invalid accesses"
    try:
        found = oclgrind_races(command, status=INCOMPLETE)
    except MeasureError:
        # Following uninitialised values it crashes on some vector code.
        what = "no races, no invalid accesses"
        try:
            found = oclgrind_races(command, status=INCOMPLETE, uninitialized=False)
        except MeasureError:
            click.echo("Oclgrind crashed: nothing is known of races", err=True)
            return 1
    for complaint in found:
        click.echo(f"Oclgrind: {complaint}")
    if not found:
        click.echo(f"Oclgrind: {what}")
    return 1 if found else 0
