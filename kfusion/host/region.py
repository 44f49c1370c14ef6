"""Regions as they stand in a host file: an annotation, and any block of C behind it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from pycparser import c_ast

from kfusion.parse.annotations import RegionMark
from kfusion.parse.cpp import CppUnit
from kfusion.parse.unit import Function, Unit
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import KFusionError, error, nearest
from kfusion.source.lexer import tokenize
from kfusion.source.text import SourceFile, free_name


@dataclass(frozen=True, eq=False)
class _Marked:
    mark: RegionMark
    identifier: str  # what generated C calls it: no other region of the output has this one

    @property
    def name(self) -> str:
        """For people: file and line."""
        return self.mark.annotation.short


@dataclass(frozen=True, eq=False)
class Region(_Marked):
    unit: Unit
    function: Function  # the function it stands in
    block: c_ast.Compound


@dataclass(frozen=True, eq=False)
class CppRegion(_Marked):
    """A region of a C++ file, of which there are tokens only."""

    unit: CppUnit

    @property
    def plain(self) -> SourceFile:
        """The file with blanks for what stands in raw strings."""
        return self.mark.annotation.file


@dataclass(frozen=True, eq=False)
class RefusedRegion(_Marked):
    """A region that stays as it is written, whatever it launches."""

    unit: Unit | CppUnit
    reason: KFusionError


def read_cpp_regions(unit: CppUnit, taken: set[str]) -> Iterator[CppRegion | RefusedRegion]:
    """As `read_regions`: which function a region stands in is not known."""
    for mark in unit.annotations.regions:
        before = mark.annotation.file.text[: mark.annotation.start]
        braces = [token.text for token in tokenize(before) if token.text in ("{", "}")]
        inside = braces.count("{") > braces.count("}")
        name = _free(unit.source.path.stem, taken)
        refused = _refused(mark, name, unit, inside=inside)
        yield refused or CppRegion(mark, name, unit)


def read_regions(unit: Unit, taken: set[str]) -> Iterator[Region | RefusedRegion]:
    """The regions of a file; their identifiers are added to those that are taken."""
    for mark in unit.annotations.regions:
        blocks = (n for n in unit.nodes[c_ast.Compound] if unit.start(n) == mark.block.start)
        block = next(blocks, None)
        function = unit.enclosing(block) if block is not None else None
        # `main` says nothing.
        named = function is not None and function.name != "main"
        name = _free(function.name if function and named else unit.source.path.stem, taken)
        refused = _refused(mark, name, unit, inside=function is not None)
        if refused or function is None or block is None:
            assert refused is not None
            yield refused
        else:
            yield Region(mark, name, unit, function, block)


def _refused(
    mark: RegionMark, name: str, unit: Unit | CppUnit, *, inside: bool
) -> RefusedRegion | None:
    """`inside`: it stands in a function."""
    if mark.refused is not None:
        return RefusedRegion(mark, name, unit, KFusionError(mark.refused))
    if not inside:
        reason = error("KF109", "a region must stand inside a function", mark.annotation)
        return RefusedRegion(mark, name, unit, reason)
    return None


def require_used(region: Region | CppRegion, used: Collection[str]) -> None:
    """The names of the annotation's list are used in the region."""
    for item in region.mark.data:
        if item.name not in used:
            near = nearest(item.name, used)
            help = f"did you mean '{near}'?" if near else "name a variable that its calls get"
            text = f"'{item.name}' is not used in this region, which stays as it is written"
            raise error("KF127", text, item.span, help=help)


def _free(wanted: str, taken: set[str]) -> str:
    """The name is among the taken ones then."""
    name = free_name(re.sub(r"\W", "_", wanted, flags=re.ASCII), taken)
    taken.add(name)
    return name
