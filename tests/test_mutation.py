"""Each legality check is switched off, and a named test must then fail.

That the tests pass with the checks on is what the rest of the suite says.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import kfusion
from kfusion.source.protections import PROTECTIONS
from tests import host_side_protections, kernel_side_protections
from tests.support.unprotected import run_unprotected

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
def test_a_test_fails_without_the_protection(name: str, tmp_path: Path) -> None:
    """By an assertion of its own: a crash or an import error says nothing."""
    status = run_unprotected(name, PROTECTED_BY[name], ROOT, tmp_path / "said")
    said = (tmp_path / "said").read_text()
    assert status == 1, said
    assert "1 failed" in said
    failed = re.search(r"^FAILED .* - (assert|AssertionError|Failed:)", said, re.MULTILINE)
    assert failed, said
