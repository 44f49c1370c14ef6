"""Arrows go one way: each room imports only from those before it (docs/rooms.md)."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "kfusion"
MAY_IMPORT = {
    "source": set(),
    "parse": {"source"},
    "kernel": {"source", "parse"},
    "graph": {"source", "parse", "kernel"},
    "synthesis": {"source", "parse", "kernel", "graph"},
    "host": {"source", "parse", "kernel", "graph"},
    "runtime": {"source"},
    "regenerate": {"source", "parse", "kernel", "graph", "synthesis", "host", "runtime"},
    "report": {"source", "graph", "kernel"},
}


def imports(path: Path) -> list[str]:
    """Names of modules that a file imports, wherever in it."""
    found: list[str] = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.append(node.module)
    return found


@pytest.mark.parametrize("room", sorted(MAY_IMPORT))
def test_room_imports_only_from_earlier_rooms(room: str) -> None:
    files = sorted((PACKAGE / room).glob("*.py"))
    assert files
    for path in files:
        for name in imports(path):
            parts = name.split(".")
            if parts[0] == "kfusion" and len(parts) > 1 and parts[1] != room:
                assert parts[1] in MAY_IMPORT[room], f"{path.name} imports {name}"


def test_what_puts_rooms_together_is_imported_by_no_room() -> None:
    """Modules at the top of the package; commands of the device room plan regions, too."""
    above = {path.stem for path in PACKAGE.glob("*.py")} - {"paths"}
    for room in MAY_IMPORT:
        used = {
            name.split(".")[1]
            for p in (PACKAGE / room).glob("*.py")
            for name in imports(p)
            if name.startswith("kfusion.")
        }
        assert not used & above


def test_only_the_device_room_imports_pyopencl() -> None:
    users = {
        path.relative_to(PACKAGE).parts[0]
        for path in PACKAGE.rglob("*.py")
        for name in imports(path)
        if name.split(".")[0] == "pyopencl"
    }
    assert users <= {"device", "api.py"}


def test_pycparser_is_used_through_its_public_interface() -> None:
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and node.attr.startswith("_parse"):
                raise AssertionError(f"{path.name} calls {node.attr}")
