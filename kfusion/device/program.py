"""`kfusion verify --run './app 100'`: the user's own fused program compares its regions.

The program is run with `KFUSION=check,trace`: it compares what is fused, and says why other
launches are made as they were written.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections import Counter, defaultdict

import click

from kfusion.device.apart import INCOMPLETE
from kfusion.results import PlannedRegion, Result
from kfusion.source.diagnostics import error

_CHECKED = re.compile(r"kfusion: (?P<at>.+ \(\w+\)): check of \w+: (?P<told>.*)")
_WRITTEN = re.compile(r"kfusion: (?P<at>.+ \(\w+\)): as written: (?P<told>.*)")
_MOST_REASONS = 3  # that are shown
_WRONG = ("DIFFERENT", "READ")  # a result, or a later read of what was not stored


def verify_program(result: Result, command: str) -> int:
    """Print what was compared in each region; the exit status."""
    status, lines = _run(command)
    checked, written = _told(_CHECKED, lines), _told(_WRITTEN, lines)
    compared = {at for at, said in checked.items() if "the same" in said}
    different = any(each.startswith(_WRONG) for said in checked.values() for each in said)
    missing = [each for each in result.regions if each.fuses and _at(each) not in compared]
    for region in result.regions:
        at = _at(region)
        click.echo(f"{region.region.name}: {_seen(region, checked[at], written[at])}")
    if status == 0 and missing and not any(line.startswith("kfusion: ") for line in lines):
        text = "the program tells nothing of its regions: is it built from what kfusion writes?"
        click.echo(text, err=True)
    if status != 0:
        ended = f"by signal {-status}" if status < 0 else f"with exit status {status}"
        own = [line for line in lines if not line.startswith("kfusion: ")]
        click.echo("\n".join([*own[-3:], f"the program ended {ended}"]), err=True)
    if different or status != 0:
        return 1
    return INCOMPLETE if missing or any(not each.fuses for each in result.regions) else 0


def _at(region: PlannedRegion) -> str:
    """As the run time calls it."""
    return f"{region.region.name} ({region.region.identifier})"


def _told(line: re.Pattern[str], lines: list[str]) -> defaultdict[str, list[str]]:
    """What is said of each region."""
    told = defaultdict[str, list[str]](list)
    for found in filter(None, map(line.fullmatch, lines)):
        told[found["at"]].append(found["told"])
    return told


def _seen(region: PlannedRegion, told: list[str], written: list[str]) -> str:
    """`written`: why launches were made as they were written, each time."""
    if not region.fuses:
        why = next((f": [{each.code}] {each.message}" for each in region.said), "")
        return f"nothing in it is fused{why}"
    first = next((each for each in told if each.startswith(_WRONG)), None)
    same = told.count("the same")
    if first is not None:
        return f"{first} ({same} of {len(told)} fused launches are the same)"
    others = Counter([each for each in told if each != "the same"] + written)
    why = "; ".join(f"{reason} ({times})" for reason, times in others.most_common(_MOST_REASONS))
    if same > 0 and not others:
        return f"fused launches compared: {same}, all the same"
    if same > 0:
        times = same + others.total()
        return f"compared {same} of {times} times, all the same; not compared: {why}"
    if told:
        return f"not compared: {why}"
    return f"never fused: {why}" if others else "never entered, or nothing was launched in it"


def _run(command: str) -> tuple[int, list[str]]:
    """The program's exit status, and what it says on standard error."""
    try:
        words = shlex.split(command)
        if not words:
            raise ValueError("no program is named")
        done = subprocess.run(
            words,
            env={**os.environ, "KFUSION": "check,trace"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=False,
        )
    except (OSError, ValueError) as failure:
        reason = getattr(failure, "strerror", None) or str(failure)
        text = f"--run: cannot run '{command}': {reason}"
        raise error("KF100", text, argument=command) from None
    return done.returncode, done.stderr.decode(errors="replace").splitlines()
