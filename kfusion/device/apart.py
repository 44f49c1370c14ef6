"""`kfusion verify` in a process of its own. This one only waits: it loads no OpenCL."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

import click

from kfusion.source.diagnostics import error

OCLGRIND = "Oclgrind"
INCOMPLETE = 3  # the exit status if nothing differs, and not everything was run
NOTHING_RUN = 4  # that of the process that should have


def verify_apart(words: Sequence[str], oclgrind: bool) -> int:
    """The same command in a process of its own, so that a crash is a finding and not an end."""
    command = [sys.executable, "-m", "kfusion", "verify", *words, "--here"]
    done = subprocess.run(command, check=False)
    if done.returncode < 0:
        click.echo(f"the kernels crashed (signal {-done.returncode})", err=True)
        return 1
    if done.returncode == NOTHING_RUN:
        return 1
    if oclgrind and done.returncode in (0, 1, INCOMPLETE):
        return _races([*command, "--device", OCLGRIND]) or done.returncode
    return done.returncode


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
