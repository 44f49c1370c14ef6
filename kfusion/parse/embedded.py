"""Kernels in the strings of host files.

A program may be a string literal, an array of lines, the argument of a stringifying macro, or
an array of bytes in a generated header. The compiler's preprocessor has put all of these into
the host's tokens; what `clCreateProgramWithSource` gets is found by following variables.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import islice, product
from pathlib import Path

from kfusion.parse.annotations import find_annotations
from kfusion.parse.compiler import Preprocessor
from kfusion.parse.cpp import CppUnit
from kfusion.parse.literals import listed_literals, string_literals
from kfusion.parse.opencl import parse_opencl
from kfusion.parse.sources import preprocess_opencl
from kfusion.parse.strings import Call, Strings, Value, Values, number_of
from kfusion.parse.syntax import place_of
from kfusion.parse.unit import Unit
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import Diagnostic, KFusionError, Severity
from kfusion.source.text import SourceFile, Span

_CREATE = "clCreateProgramWithSource"
_BUILD = ("clBuildProgram", 3), ("clCompileProgram", 3)
_ATTRIBUTES = r"(?:\s+|__attribute__\s*\(\(.*?\)\))"
_KERNEL = re.compile(
    rf"\b(?:__)?kernel{_ATTRIBUTES}+void\b{_ATTRIBUTES}+[A-Za-z_]\w*\s*\(".encode(), re.DOTALL
)
_WORD = re.compile(rb"\b(?:__)?kernel\b")
_MOST_PROGRAMS = 64  # that one call may create
Host = Unit | CppUnit


@dataclass(frozen=True)
class EmbeddedSource:
    """The text of a program in a host file."""

    data: bytes
    unit: Host
    span: Span  # where the text, or the part of it that has the first kernel, is written
    whole: bool  # a call of clCreateProgramWithSource gets this text and no more

    @property
    def place(self) -> str:
        """`lib.c:12`"""
        return f"{self.span.file.name}:{self.span.location.line}"

    @property
    def file(self) -> SourceFile:
        """The text as a file, which messages name by the place of the string."""
        return SourceFile(Path(self.place), self.data.decode(errors="replace"))


@dataclass(frozen=True)
class Program:
    """The source of a program that is in no kernel file."""

    file: SourceFile
    data: bytes
    told: str  # in messages: "the string at lib.c:12"
    how: Preprocessor
    options: tuple[str, ...] | None = None  # that it is built with; None: see the host


@dataclass(frozen=True)
class EmbeddedUnit:
    """Such a program, parsed as a kernel file is."""

    unit: Unit
    data: bytes  # the program's source to the byte
    kernels: frozenset[str]
    told: str
    options: tuple[str, ...] | None = None
    parts: tuple[Unit, ...] = ()  # the programs, if the text is of several


@dataclass(frozen=True)
class Embedded:
    """What was found, and why some of it cannot be read."""

    units: tuple[EmbeddedUnit, ...] = ()
    unread: tuple[Diagnostic, ...] = ()

    @property
    def kernels(self) -> frozenset[str]:
        return frozenset[str]().union(*(each.kernels for each in self.units))


def source_hash(data: bytes) -> int:
    """FNV-1a with 64 bits, as the run time computes it of CL_PROGRAM_SOURCE."""
    result = 0xCBF29CE484222325
    for byte in data:
        result = (result ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return result


# Sources


def embedded_sources(units: Sequence[Host]) -> tuple[EmbeddedSource, ...]:
    """Programs that are known as a whole, and then strings that may be one, each text once.

    Of C++ there are tokens only: which of its strings a call gets is not followed.
    """
    strings = [string for unit in units for string in _strings(unit)]
    if not any(_WORD.search(string.data) for string in strings):
        return ()
    found: dict[bytes, EmbeddedSource] = {}
    parts: set[tuple[Host, int]] = set()
    for values in _programs(Strings(tuple(u for u in units if isinstance(u, Unit)))):
        data = b"".join(value.data for value in values)
        if _is_program(data):
            parts |= {(value.unit, value.token) for value in values}
            place = next((v for v in values if _WORD.search(v.data)), values[0])
            found.setdefault(data, _source(data, place, whole=True))
    for string in strings:
        if (string.unit, string.token) not in parts and _is_program(string.data):
            found.setdefault(string.data, _source(string.data, string, whole=False))
    return tuple(found.values())


def _source(data: bytes, place: Value, *, whole: bool) -> EmbeddedSource:
    span = place_of(place.unit.source, place.unit.tokens, place.token)
    return EmbeddedSource(data, place.unit, span, whole)


def _is_program(data: bytes) -> bool:
    found = _KERNEL.search(data)
    return found is not None and b"{" in data[found.end() :]


def _strings(unit: Host) -> Iterator[Value]:
    """The strings of a file, and its arrays of characters and lines."""
    for literal in (*string_literals(unit.tokens), *listed_literals(unit.tokens)):
        if b"kernel" in literal.data:
            yield Value(literal.data.partition(b"\0")[0], unit, literal.first)


def _programs(strings: Strings) -> Iterator[tuple[Value, ...]]:
    """The strings that each clCreateProgramWithSource may get."""
    for call in strings.calls(_CREATE):
        elements = strings.elements(call.argument(2), call.scope)
        count = _count(call)
        if count is not None:
            elements = elements[:count] if count <= len(elements) else []
        if elements:
            choices = product(*(each.found for each in elements))
            yield from islice(choices, _MOST_PROGRAMS)


def _count(call: Call) -> int | None:
    node = call.argument(1)
    return number_of(node) if node is not None else None


# Units


def embedded_units(
    units: Sequence[Host], how: Preprocessor, taken: Collection[str] = ()
) -> Embedded:
    """`taken` are the names of kernels in files: a program that has one of them is not read."""
    programs = [
        Program(s.file, s.data, f"the string at {s.place}", how) for s in embedded_sources(units)
    ]
    return read_programs(programs, taken)


def read_programs(programs: Sequence[Program], taken: Collection[str]) -> Embedded:
    """Of two programs with a kernel of one name the first is read."""
    known = set(taken)
    found: list[EmbeddedUnit] = []
    unread: list[Diagnostic] = []
    for each in programs:
        try:
            annotations = find_annotations(each.file, kernels=True)
            done = preprocess_opencl(each.file, annotations, each.how)
            unit = parse_opencl(each.file, annotations, done)
        except KFusionError as failure:
            unread += [replace(d, severity=Severity.NOTE) for d in failure.diagnostics]
            continue
        kernels = kernel_names(unit)
        if kernels and not kernels & known:
            known |= kernels
            found.append(EmbeddedUnit(unit, each.data, kernels, each.told, each.options))
    return Embedded(tuple(found), tuple(unread))


def kernel_names(unit: Unit) -> frozenset[str]:
    return frozenset(name for name, f in unit.functions.items() if unit.is_kernel(f))


# Build options


def build_options(units: Sequence[Unit]) -> tuple[str, ...] | None:
    """The options of all builds; None if one of them, or whether there are more, is not known.

    Blanks are as the run time compares them; no options are an empty string.
    """
    strings = Strings(tuple(units))
    found: dict[str, None] = {}
    calls = [(call, position) for name, position in _BUILD for call in strings.calls(name)]
    for call, position in calls:
        node = call.argument(position)
        values = strings.values(node, call.scope) if node is not None else Values()
        if not values.all:
            return None
        found |= {" ".join(v.data.decode(errors="replace").split()): None for v in values.found}
    return tuple(found) if found else None
