"""Run one test in a process of its own with a protection switched off.

The process is forked from one that has imported what most tests import: that takes longer than
most of the tests.
"""

from __future__ import annotations

import multiprocessing
import os
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from kfusion.source import protections

_IMPORTED = "pytest hypothesis numpy pyopencl kfusion.cli kfusion.driver kfusion.api".split()
_FLAGS = ("-p", "no:cacheprovider", "-p", "no:unraisableexception", "--tb=no", "-rf")
_EARLY = ("-W", "ignore::pytest.PytestAssertRewriteWarning")  # hypothesis is imported already


def run_unprotected(name: str, test: str, root: Path, said: Path) -> int | None:
    """The exit status of pytest; what it prints goes to a file."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_IMPORTED)
    process = context.Process(target=_run, args=(name, test, root, said))
    process.start()
    process.join()
    return process.exitcode


def _run(name: str, test: str, root: Path, said: Path) -> None:
    os.chdir(root)
    os.environ |= {"KFUSION_TEST_UNPROTECTED": name, "COLUMNS": "400"}
    protections.switch_off(name)
    with said.open("w") as out, redirect_stdout(out), redirect_stderr(out):
        status = int(pytest.main([*_FLAGS, *_EARLY, f"--basetemp={said.parent / 'tests'}", test]))
    os._exit(status)
