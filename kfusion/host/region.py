"""Regions as they stand in a host file: an annotation, and any block of C behind it."""

from __future__ import annotations

import re
from collections.abc import Container

from pycparser import c_ast

from kfusion.parse.annotations import RegionMark
from kfusion.parse.cpp import CppUnit
from kfusion.parse.unit import Function, Unit
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import error
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


def read_cpp_regions(unit: CppUnit, taken: set[str]) -> list[CppRegion]:
    """As `read_regions`: which function a region stands in is not known."""
    regions: list[CppRegion] = []
    for mark in unit.annotations.regions:
        before = mark.annotation.file.text[: mark.annotation.start]
        braces = [token.text for token in tokenize(before) if token.text in ("{", "}")]
        if braces.count("{") <= braces.count("}"):
            raise error("KF109", "a region must stand inside a function", mark.annotation)
        regions.append(CppRegion(mark, _free(unit.source.path.stem, taken), unit))
    return regions


def read_regions(unit: Unit, taken: set[str]) -> list[Region]:
    """The regions of a file; their identifiers are added to those that are taken."""
    regions: list[Region] = []
    for mark in unit.annotations.regions:
        found = _find(unit, mark)
        if found is None:
            raise error("KF109", "a region must stand inside a function", mark.annotation)
        function, block = found
        # `main` says nothing.
        wanted = function.name if function.name != "main" else unit.source.path.stem
        regions.append(Region(mark, _free(wanted, taken), unit, function, block))
    return regions


def require_used(region: Region | CppRegion, used: Container[str]) -> None:
    """The names of the annotation's list are used in the region."""
    for item in region.mark.data:
        if item.name not in used:
            raise error(
                "KF127",
                f"'{item.name}' is not used in this region",
                item.span,
                help="name a variable that the region's calls get",
            )


def _free(wanted: str, taken: set[str]) -> str:
    """The name is among the taken ones then."""
    name = free_name(re.sub(r"\W", "_", wanted, flags=re.ASCII), taken)
    taken.add(name)
    return name


def _find(unit: Unit, mark: RegionMark) -> tuple[Function, c_ast.Compound] | None:
    for function in unit.functions.values():
        start, end = unit.range(function.body.first, function.body.last)
        if not start <= mark.block.start < end:
            continue
        for node in function.nodes[c_ast.Compound]:
            if unit.tokens[unit.index(node)].start == mark.block.start:
                assert isinstance(node, c_ast.Compound)
                return function, node
    return None
