"""Each legality check is switched off, and a named test must then fail.

That the tests pass with the checks on is what the rest of the suite says.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import kfusion
from kfusion.source.protections import PROTECTIONS
from tests import host_side_protections, kernel_side_protections

ROOT = Path(__file__).parents[1]
PROTECTED_BY = {**kernel_side_protections.PROTECTED_BY, **host_side_protections.PROTECTED_BY}


def _import_all() -> None:
    for module in pkgutil.walk_packages(kfusion.__path__, "kfusion."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


_import_all()


def test_every_protection_has_a_test() -> None:
    assert sorted(PROTECTED_BY) == sorted(PROTECTIONS)


@pytest.mark.parametrize("name", sorted(PROTECTIONS))
def test_a_test_fails_without_the_protection(name: str) -> None:
    """By an assertion of its own: a crash or an import error says nothing."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--tb=no", "-rf"]
    done = subprocess.run(
        [*command, PROTECTED_BY[name]],
        cwd=ROOT,
        env={**os.environ, "KFUSION_TEST_UNPROTECTED": name, "COLUMNS": "400"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 failed" in done.stdout
    assert re.search(r"^FAILED .* - (assert|AssertionError|Failed:)", done.stdout, re.MULTILINE), (
        done.stdout
    )
