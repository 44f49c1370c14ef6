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
        blocks = (n for n in unit.nodes[c_ast.Compound] if unit.start(n) == mark.block.start)
        block = next(blocks, None)
        function = unit.enclosing(block) if block is not None else None
        if function is None:
            raise error("KF109", "a region must stand inside a function", mark.annotation)
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
