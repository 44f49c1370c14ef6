"""Random tests draw the same examples each time, unless `make fuzz` asks for others.

Tests that share what a fixture of their file makes run in one process."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from hypothesis import settings

from tests.support import builds
from tests.support.kept import FOLDER

gc.set_threshold(2_000, 20, 100)  # to look at all that modules hold takes a tenth of the time
sys.setrecursionlimit(15_000)  # as kfusion does: Hypothesis warns if a test is what changes it
os.environ.setdefault("CASESTUDIES_OPTIMISE", "-O0")  # read when casestudies is imported
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # or threads of NumPy's turn around, waiting

if FOLDER not in os.environ:  # else it is that of the process that has started this one
    os.environ[FOLDER] = tempfile.mkdtemp(prefix="kept-")
    atexit.register(shutil.rmtree, os.environ[FOLDER], ignore_errors=True)

# PoCL's files may be read by one process while another one still writes them.
_worker = os.environ.get("PYTEST_XDIST_WORKER", "alone")
os.environ["POCL_CACHE_DIR"] = str(Path(os.environ[FOLDER], "pocl", _worker))

settings.register_profile("tests", derandomize=True)
settings.register_profile("fuzz", derandomize=False, print_blob=True)
settings.load_profile("fuzz" if os.environ.get("KFUSION_FUZZ") else "tests")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        known = item._fixtureinfo.name2fixturedefs if isinstance(item, pytest.Function) else {}
        if any(one.scope == "module" for found in known.values() for one in found):
            item.add_marker(pytest.mark.xdist_group(str(item.path)))


_stderr: dict[str, BinaryIO] = {}  # what each process of the tests has written to it, by its name


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    node = getattr(report, "node", None)
    if node and node.gateway.id not in _stderr:
        with suppress(OSError):  # the process has ended, or there is no /proc
            captured = Path(f"/proc/{node.gateway._io.popen.pid}/fd/2")
            if captured.readlink().name.endswith("(deleted)"):  # else it is between two tests
                _stderr[node.gateway.id] = captured.open("rb")


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """pytest-xdist tells that a process has ended, but neither how nor its last words."""
    if error:
        print(f"\n{node.gateway.id} ended with status {node.gateway._io.popen.wait(60)}")
        if node.gateway.id in _stderr:
            print(_stderr[node.gateway.id].read().decode(errors="replace")[-10_000:])


@pytest.fixture(autouse=True, scope="session")
def _builds_for_programs() -> None:
    builds.start(Path(os.environ[FOLDER]))
