"""`kfusion verify`: what users see of it."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from kfusion.device.evaluate import Number
from kfusion.driver import Result
from kfusion.parse.sources import Sources
from kfusion.source.diagnostics import error

SIZES = (1, 13, 64, 1000)


def numbers_of(lets: Sequence[str]) -> dict[str, Number]:
    found: dict[str, Number] = {}
    for let in lets:
        name, _, text = let.partition("=")
        try:
            found[name] = int(text, 0) if not any(c in text for c in ".eE") else float(text)
        except ValueError:
            raise error(
                "KF100", "--let wants NAME=NUMBER", help="see kfusion verify --help", argument=let
            ) from None
    return found


def verify_here(
    sources: Sources,
    result: Result,
    lets: Sequence[str],
    sizes: Sequence[int],
    options: Sequence[str],
    seed: int,
) -> bool:
    """Run all regions in this process and print what was seen; true if nothing differs."""
    from kfusion.device.verify import Verifier

    originals = {s.file.name: s.file.text for s in sources.files if s.is_kernel}
    fused = {name: result.files[name] for name in originals}
    verifier = Verifier(originals, fused, options, numbers_of(lets), seed)
    same = True
    for planned in result.regions:
        for outcome in verifier.verify(planned, sizes or SIZES):
            before, after = outcome.kernels
            what = f"{outcome.region}: size {outcome.size}: kernels {before} -> {after}: "
            if outcome.skipped:
                click.echo(f"{what}not run: {outcome.skipped}")
                continue
            click.echo(f"{what}{outcome.elements} elements compared: ", nl=False)
            found = outcome.difference
            if found is None:
                click.echo("the same")
                continue
            same = False
            click.echo(
                f"'{found.buffer}' differs first in element {found.element}: {found.expected} "
                f"before, {found.found} fused\n  repeat with: {_again(outcome.size)}"
            )
    return same


def verify_apart() -> int:
    """The same command in a process of its own, so that a crash is a finding and not an end."""
    done = subprocess.run([sys.executable, "-m", "kfusion", *sys.argv[1:], "--here"], check=False)
    if done.returncode < 0:
        click.echo(f"the kernels crashed (signal {-done.returncode})", err=True)
        return 1
    return done.returncode


def _again(size: int) -> str:
    words: list[str] = []
    skip = False
    for word in sys.argv[1:]:
        if not skip and word not in ("--here", "--size"):
            words.append(word)
        skip = word == "--size"
    return shlex.join(["kfusion", *words, "--size", str(size)])


def kernel_options(defines: Sequence[str], options: str) -> list[str]:
    return [*(f"-D{define}" for define in defines), *shlex.split(options)]


def include_options(paths: Sequence[Path]) -> list[str]:
    return [f"-I{path.absolute()}" for path in paths]
