"""`kfusion verify --run './app 100'`: the user's own fused program compares its regions.

The program is run with `KFUSION=check`. Regions of which nothing was compared are looked for in a
second run, with `KFUSION=trace`, which says why launches were made as they were written.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections import Counter

import click

from kfusion.device.apart import INCOMPLETE
from kfusion.driver import PlannedRegion, Result
from kfusion.source.diagnostics import error

_CHECKED = re.compile(r"kfusion: (?P<at>.+ \(\w+\)): check of \w+: (?P<told>.*)")
_WRITTEN = re.compile(r"kfusion: (?P<at>.+ \(\w+\)): as written: (?P<told>.*)")
_WRONG = ("DIFFERENT", "READ")  # a result, or a later read of what was not stored


def verify_program(result: Result, command: str) -> int:
    """Print what was compared in each region; the exit status."""
    status, checked = _run(command, "check")
    told: dict[str, list[str]] = {}
    for found in filter(None, map(_CHECKED.fullmatch, checked)):
        told.setdefault(found["at"], []).append(found["told"])
    compared = {at for at, lines in told.items() if "the same" in lines}
    different = any(each.startswith(_WRONG) for lines in told.values() for each in lines)
    missing = [each for each in result.regions if each.fuses and _at(each) not in compared]
    traced = _run(command, "trace")[1] if missing and status == 0 and not different else []
    for region in result.regions:
        click.echo(f"{region.region.name}: {_seen(region, told.get(_at(region), []), traced)}")
    if status != 0:
        ended = f"by signal {-status}" if status < 0 else f"with exit status {status}"
        own = [line for line in checked if not line.startswith("kfusion: ")]
        click.echo("\n".join([*own[-3:], f"the program ended {ended}"]), err=True)
    if different or status != 0:
        return 1
    return INCOMPLETE if missing or any(not each.fuses for each in result.regions) else 0


def _at(region: PlannedRegion) -> str:
    """As the run time calls it."""
    return f"{region.region.name} ({region.region.identifier})"


def _seen(region: PlannedRegion, told: list[str], traced: list[str]) -> str:
    if not region.fuses:
        why = next((f": [{each.code}] {each.message}" for each in region.said), "")
        return f"nothing in it is fused{why}"
    first = next((each for each in told if each.startswith(_WRONG)), None)
    same = told.count("the same")
    if first is not None:
        return f"{first} ({same} of {len(told)} fused launches are the same)"
    if same > 0:
        return f"fused launches compared: {same}, all the same"
    if told:
        return f"not compared: {told[0]}"
    lines = [found for found in map(_WRITTEN.fullmatch, traced) if found]
    own = Counter(found["told"] for found in lines if found["at"] == _at(region))
    if own:
        return f"never fused: {own.most_common(1)[0][0]}"
    return "never entered, or nothing was launched in it"


def _run(command: str, mode: str) -> tuple[int, list[str]]:
    """The program's exit status, and what it says on standard error."""
    try:
        words = shlex.split(command)
        done = subprocess.run(
            words,
            env={**os.environ, "KFUSION": mode},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=False,
        )
    except (OSError, ValueError, IndexError) as failure:
        reason = getattr(failure, "strerror", None) or str(failure)
        text = f"--run: cannot run '{command}': {reason}"
        raise error("KF100", text, argument=command) from None
    return done.returncode, done.stderr.decode(errors="replace").splitlines()
