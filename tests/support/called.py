"""Calls kfusion in this process: to start Python takes longer than most of what tests ask for."""

from __future__ import annotations

import gc
import io
from collections.abc import Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from subprocess import CompletedProcess

from kfusion.cli import main
from kfusion.device.apart import NOTHING_RUN


def kfusion(arguments: Sequence[str], folder: Path) -> CompletedProcess[str]:
    """As if the command had been started in the folder."""
    printed, errors = (io.TextIOWrapper(io.BytesIO(), write_through=True) for _ in range(2))
    status: object = 0
    collecting = gc.isenabled()
    gc.disable()  # as the command does
    with chdir(folder), redirect_stdout(printed), redirect_stderr(errors):
        try:
            main(list(arguments))
        except SystemExit as left:
            status = left.code or 0
    if collecting:
        gc.enable()
    said = [stream.buffer.getvalue().decode() for stream in (printed, errors)]
    return CompletedProcess(arguments, status if isinstance(status, int) else 1, *said)


def compare_here(words: Sequence[str], folder: Path) -> CompletedProcess[str]:
    """`verify` or `bench`. The first starts a process of its own, in case that kernels crash."""
    done = kfusion([*words, *(["--here"] if words[0] == "verify" else [])], folder)
    done.returncode = 1 if done.returncode == NOTHING_RUN else done.returncode
    return done
