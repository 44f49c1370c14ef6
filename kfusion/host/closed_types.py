"""What a C++ file may take for granted of the types that the given C files declare."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from pathlib import Path

from pycparser import c_ast

from kfusion.host.callgraph import CallGraph
from kfusion.parse.compiler import STDIN
from kfusion.parse.unit import Unit

NUMBER, OBJECT, OTHER = "number", "object", "other"  # what a variable holds
_LINKAGE = re.compile(
    r"#\s*if(?:def\b|\s+defined\b)[ \t(]*__cplusplus\b[^\n]*\n"
    r'\s*(?:extern\s+"C"\s*\{|\})\s*#\s*endif'
)


def types_of(graph: CallGraph, files: Container[str] | None = None) -> Iterator[tuple[str, str]]:
    """Types of the given C files, and what their values are. `files`: those of the headers that
    the C++ file includes; what others declare may be something else there."""
    for unit in graph.program.units:
        plain = _Plain(unit, files)
        for node in filter(plain.holds, unit.nodes[c_ast.Typedef]):
            yield node.name, _sort(graph, node.type)
        for kind, sort in ((c_ast.Struct, OBJECT), (c_ast.Union, OBJECT), (c_ast.Enum, NUMBER)):
            for node in filter(plain.holds, unit.nodes[kind]):
                if node.name:
                    yield node.name, sort


def _sort(graph: CallGraph, type_: c_ast.Node) -> str:
    type_ = graph.program.types.resolved(type_)
    if isinstance(type_, c_ast.PtrDecl):
        target = graph.program.types.resolved(type_.type)
        return OTHER if isinstance(target, c_ast.FuncDecl) else NUMBER
    if not isinstance(type_, c_ast.TypeDecl):
        return OTHER
    return OBJECT if isinstance(type_.type, c_ast.Struct | c_ast.Union) else NUMBER


def fields_of(graph: CallGraph) -> set[str]:
    """Members of structs of C that hold numbers, or arrays of them."""
    found: dict[str, bool] = {}
    for unit in graph.program.units:
        for kind in (c_ast.Struct, c_ast.Union):
            for struct in unit.nodes[kind]:
                for node in struct.decls or []:
                    if getattr(node, "name", None):
                        type_ = graph.program.types.resolved(node.type)
                        while isinstance(type_, c_ast.ArrayDecl):
                            type_ = graph.program.types.resolved(type_.type)
                        is_number = type_ is not None and _sort(graph, type_) == NUMBER
                        found[node.name] = is_number and found.get(node.name, True)
    return {name for name, is_number in found.items() if is_number}


def enumerators_of(graph: CallGraph) -> set[str]:
    units = graph.program.units
    return {node.name for unit in units for node in unit.nodes[c_ast.Enumerator]}


class _Plain:
    """Declarations of a C file that are the same ones in C++."""

    def __init__(self, unit: Unit, included: Container[str] | None) -> None:
        self.unit, self.included = unit, included
        self._files: dict[str, bool] = {}

    def holds(self, node: c_ast.Node) -> bool:
        token = self.unit.tokens[self.unit.index(node)]
        if token.system:
            return True
        if token.file not in self._files:
            seen = self.included is None or str(Path(token.file).resolve()) in self.included
            self._files[token.file] = seen and _is_plain(self._text(token.file))
        return self._files[token.file]

    def _text(self, file: str) -> str:
        if file == STDIN:
            return self.unit.source.text
        try:
            return Path(file).read_text(errors="replace")
        except OSError:
            return "#if __cplusplus"


def _is_plain(text: str) -> bool:
    """Is `extern "C" {` all that is for C++ alone?"""
    return len(re.findall(r"\b__cplusplus\b", text)) == len(_LINKAGE.findall(text))
