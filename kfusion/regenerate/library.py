"""Edits of library and kernel files: what is added at the end, the header, releases."""

from __future__ import annotations

import re

from pycparser import c_ast

from kfusion.host.program import HostProgram
from kfusion.parse.compiler import STDIN
from kfusion.parse.unit import Unit
from kfusion.regenerate.header import FILE_NUMBER, HEADER_NAME
from kfusion.source.lexer import Kind, tokenize
from kfusion.source.text import Edit


def appended(text: str, additions: list[str]) -> Edit:
    """Add blocks to the end of a file, a blank line before each."""
    lead = "" if text.endswith("\n") else "\n"
    return Edit(
        len(text), len(text), lead + "".join(f"\n{block.rstrip()}\n" for block in additions)
    )


def include_edit(unit: Unit, types: frozenset[str], number: int | None) -> Edit:
    """`#include` of the generated header, where all types of the prototypes are known.

    `number` tells the header which file it is in, if the files need different prototypes.
    """
    text = unit.source.text
    place = _after_includes(text)
    depth = 0  # of blocks: their types are not those of prototypes
    for token_index, token in enumerate(unit.tokens):
        depth += (token.text == "{") - (token.text == "}")
        declares = (
            token.text == "typedef" and depth == 0 and token.file == STDIN and token.start >= 0
        )
        if not declares:
            continue
        end, names = _declaration(unit, token_index)
        if names & types:
            place = max(place, text.find("\n", unit.tokens[end].end) + 1)
    define = f"#define {FILE_NUMBER} {number}\n" if number is not None else ""
    return Edit(place, place, f'{define}#include "{HEADER_NAME}"\n')


def _after_includes(text: str) -> int:
    """Behind the last #include that stands under no condition; else behind the first comment."""
    depth, place = 0, 0
    for token in tokenize(text):
        if token.kind is not Kind.DIRECTIVE:
            if token.text == "{":
                break
            continue
        word = re.match(r"#\s*(\w+)", token.text)
        name = word.group(1) if word else ""
        if name in ("if", "ifdef", "ifndef"):
            depth += 1
        elif name == "endif":
            depth -= 1
            if depth == 0 and place and text[place : token.start].count("#include"):
                place = text.find("\n", token.end - 1) + 1 or len(text)
        elif name == "include" and depth == 0:
            place = text.find("\n", token.end - 1) + 1 or len(text)
    return place


def _declaration(unit: Unit, index: int) -> tuple[int, set[str]]:
    depth = 0
    names: set[str] = set()
    for position in range(index, len(unit.tokens)):
        text = unit.tokens[position].text
        if text == "{":
            depth += 1
        elif text == "}":
            depth -= 1
        elif text == ";" and depth == 0:
            return position, names
        elif depth == 0 and (text[0].isalpha() or text[0] == "_"):
            names.add(text)
    return index, names


def release_edits(unit: Unit, program: HostProgram, handles: set[str]) -> list[Edit]:
    """Release fused kernels where the library releases the first of their components."""
    for function in unit.functions.values():
        if unit.tokens[function.first].file != STDIN:
            continue
        listed = False  # `cl_kernel all[] = { add_kernel, ... };`
        for child in function.body.children:
            names = {unit.tokens[i].text for i in range(child.first, child.last + 1)}
            listed = listed or (bool(names & handles) and {"cl_kernel", "{", "["} <= names)
            if not (listed or names & handles):
                continue
            if any(_releases(name, unit, program) for name in sorted(names)):
                return [_release_before(unit, unit.span(child.first, child.last).start)]
    return []


def _release_before(unit: Unit, start: int) -> Edit:
    """On a line of its own, if the statement begins its line."""
    line = unit.source.text.rfind("\n", 0, start) + 1
    lead = unit.source.text[line:start]
    if lead.strip():
        return Edit(start, start, "kfusion_release_kernels(); ")
    return Edit(line, line, f"{lead}kfusion_release_kernels();\n")


def _releases(name: str, unit: Unit, program: HostProgram) -> bool:
    if name == "clReleaseKernel":
        return True
    function = program.lookup(name, unit)
    if function is None:
        return False
    names = program.names_called(function.function.node.body)
    return "clReleaseKernel" in names and _takes_kernel(function.function.node)


def _takes_kernel(node: c_ast.FuncDef) -> bool:
    arguments = node.decl.type.args
    return arguments is not None and bool(arguments.params)
