"""What declarations say of functions in words that the parser takes out of the text.

`__attribute__((weak))`, `__attribute__((cleanup(f)))`, `__asm__("name")`: the parser notes
where such words stood, and what the preprocessor made of them.
"""

from __future__ import annotations

import re

from pycparser import c_ast

from kfusion.parse.unit import Note, Unit, declares_function
from kfusion.source.dataclasses import dataclass

_ASSEMBLER = ("asm", "__asm", "__asm__")
_STATEMENT = "__asm__"  # the call that stands for a statement of assembler
_WORD = re.compile(r"[A-Za-z_]\w*")
_CLEANS = re.compile(r"\b(?:__)?cleanup(?:__)?\s*\(")
_CLEANUP = re.compile(r"\b(?:__)?cleanup(?:__)?\s*\(\s*([A-Za-z_]\w*)\s*\)")
_WEAK_PRAGMA = re.compile(r"#\s*pragma\s+(weak|redefine_extname)\s+(\w+)")
# Words of attributes of functions, and what they make of the function.
_CHANGING = {
    "weak": "is weak: the linker may take another definition",
    "weakref": "is another name of a function",
    "alias": "is another name of a function",
    "ifunc": "is chosen when the program starts",
}
_BY_ASSEMBLER = "has another name in the object file"


@dataclass(frozen=True)
class Cleanup:
    """A variable with a clean-up attribute."""

    index: int  # the token behind the attribute
    functions: tuple[str, ...]  # one of these is called; none: it cannot be told


@dataclass(frozen=True)
class Attributes:
    """All that the attributes of one file say."""

    changed: dict[str, str]  # a function, and what is said of it
    cleanups: tuple[Cleanup, ...]
    assembler: tuple[int, ...]  # statements of assembler outside of functions, as tokens
    registers: tuple[int, ...]  # variables that assembler names


def read_attributes(unit: Unit) -> Attributes:
    names = {node.decl.name for node in unit.ast.ext if isinstance(node, c_ast.FuncDef)}
    names |= {node.name for node in unit.nodes[c_ast.Decl] if declares_function(node)}
    changed: dict[str, str] = {}
    cleanups: list[Cleanup] = []
    assembler: list[int] = []
    registers: list[int] = []
    for note in unit.notes:
        if note.index < len(unit.tokens) and unit.tokens[note.index].system:
            continue
        if note.text in _ASSEMBLER:
            if _is_statement(unit, note):
                continue
            if _stands_alone(unit, note):
                assembler.append(note.index)
            declared = names & _declared(unit, note)
            changed |= dict.fromkeys(declared, _BY_ASSEMBLER)
            if not declared:
                registers.append(note.index)
        elif note.text.startswith("__attribute"):
            words = {word.strip("_") for word in _WORD.findall(note.text)}
            if "cleanup" in words:
                cleanups.append(Cleanup(note.index, _cleaning(note.text)))
            for word in words & _CHANGING.keys():
                changed |= dict.fromkeys(names & _declared(unit, note), _CHANGING[word])
    for token in unit.tokens:
        found = _WEAK_PRAGMA.match(token.text) if token.text.startswith("#") else None
        if found is not None:
            weak = found.group(1) == "weak"
            changed[found.group(2)] = _CHANGING["weak"] if weak else _BY_ASSEMBLER
    return Attributes(changed, tuple(cleanups), tuple(assembler), tuple(registers))


def _is_statement(unit: Unit, note: Note) -> bool:
    """The parser has put a call in its place."""
    return note.index >= 3 and unit.tokens[note.index - 3].text == _STATEMENT


def _stands_alone(unit: Unit, note: Note) -> bool:
    before = unit.tokens[note.index - 1].text if note.index else ";"
    after = unit.tokens[note.index].text if note.index < len(unit.tokens) else ";"
    return after == ";" and (before in (";", "}") or before.startswith("#"))


def _declared(unit: Unit, note: Note) -> set[str]:
    """The words of the declaration that an attribute is in: one of them is its name."""
    first, last = unit.declaration_start(note.index), note.index
    while last < len(unit.tokens) and unit.tokens[last].text not in (";", "{"):
        last += 1
    return {token.text for token in unit.tokens[first:last]}


def _cleaning(text: str) -> tuple[str, ...]:
    """The functions that a clean-up attribute names; () if one cannot be told."""
    found = _CLEANUP.findall(text)
    return tuple(found) if len(found) == len(_CLEANS.findall(text)) else ()
