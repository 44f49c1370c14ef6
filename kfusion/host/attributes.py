"""What declarations say of functions in words that the parser takes out of the text.

`__attribute__((weak))`, `__attribute__((cleanup(f)))`, `__asm__("name")`: the parser notes
where such words stood. They may stand in a macro or in a header, so the words are looked
for there, too; a word that may belong to the attribute is taken to belong to it.
"""

from __future__ import annotations

import re
from pathlib import Path

from pycparser import c_ast

from kfusion.parse.compiler import STDIN
from kfusion.parse.unit import Note, Unit, declares_function
from kfusion.source.dataclasses import dataclass

_ASSEMBLER = ("asm", "__asm", "__asm__")
_ATTRIBUTES = ("__attribute__", "__attribute")
_STATEMENT = "__asm__"  # the call that stands for a statement of assembler
_WORD = re.compile(r"[A-Za-z_]\w*")
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
    names |= {node.name for node in unit.nodes.get(c_ast.Decl, ()) if declares_function(node)}
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
        elif note.text in _ATTRIBUTES:
            text = _text(unit, note)
            words = {word.strip("_") for word in _WORD.findall(text)}
            if "cleanup" in words:
                cleanups.append(Cleanup(note.index, _cleaning(unit, note, text)))
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


def _cleaning(unit: Unit, note: Note, text: str) -> tuple[str, ...]:
    """The functions that a clean-up attribute may name; () if one cannot be told."""
    parameters = {
        parameter
        for versions in unit.macros.history.values()
        for _, macro in versions
        if macro is not None and "cleanup" in macro.body
        for parameter in macro.parameters or ()
    }
    found: list[str] = []
    places = len(re.findall(r"\b(?:__)?cleanup(?:__)?\s*\(", text))
    matches = _CLEANUP.findall(text)
    for name in matches:
        if name in parameters:  # what the macro is given
            found += [word for word in _WORD.findall(_written(unit, note)) if word not in found]
        elif name not in found:
            found.append(name)
    return tuple(found) if matches and len(matches) == places else ()


def _text(unit: Unit, note: Note) -> str:
    """What is written where the attribute stands, and the macros that it uses."""
    pieces = [_written(unit, note)]
    seen: set[str] = set()
    for piece in pieces:  # it grows
        for word in _WORD.findall(piece):
            if word not in seen:
                seen.add(word)
                history = unit.macros.history.get(word, ())
                pieces += [macro.body for _, macro in history if macro is not None]
    return "\n".join(pieces)


def _written(unit: Unit, note: Note) -> str:
    if 0 <= note.start < note.end:
        return unit.source.text[note.start : note.end]
    around = unit.tokens[max(note.index - 1, 0) : note.index + 1]
    pieces: list[str] = []
    places: list[tuple[int, int]] = []
    for token in around:
        if token.file == STDIN:
            places.append(token.macro or (token.start, token.end))
        else:
            pieces.append(_lines(token.file, token.line))
    if places:
        start = min(start for start, _ in places)
        start = min(start, note.start) if note.start >= 0 else start
        pieces.append(unit.source.text[start : max(end for _, end in places)])
    return "\n".join(pieces)


def _lines(name: str, line: int) -> str:
    """A line of a header and its neighbours, as far as an attribute may be from its name."""
    try:
        lines = Path(name).read_text(errors="replace").split("\n")
    except OSError:
        return ""
    return "\n".join(lines[max(line - 4, 0) : line + 3])
