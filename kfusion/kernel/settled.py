"""Declarations of a file that are the same in all builds of it."""

from __future__ import annotations

from functools import lru_cache

from pycparser import c_ast

from kfusion.kernel.conditions import Conditions
from kfusion.kernel.surroundings import macros_of
from kfusion.parse.unit import Unit
from kfusion.source.lexer import names_in
from kfusion.source.protections import is_on, protection

SETTLED = protection("settled-structures", "other builds have other members in front of a member")


def is_settled(conditions: Conditions, index: int) -> bool:
    """The declaration at the token, and the types that it names, stand under no condition, have
    none within, and no macro in their lines has another text in another build."""
    unit = conditions.unit
    start, last = unit.declaration_start(index), unit.declaration_end(index)
    return _is_one_text(conditions, start, last) and types_are_settled(conditions, start, last)


def types_are_settled(conditions: Conditions, first: int, last: int) -> bool:
    """Those that are named from one token to another."""
    unit = conditions.unit
    known = _types(unit) if is_on(SETTLED) else {}
    waiting = {token.text for token in unit.tokens[first : last + 1]} & known.keys()
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        seen.add(name)
        for start, end in known[name]:
            if not _is_one_text(conditions, start, end):
                return False
            named = {token.text for token in unit.tokens[start : end + 1]}
            waiting |= (named & known.keys()) - seen
    return True


@lru_cache(maxsize=16)
def _types(unit: Unit) -> dict[str, list[tuple[int, int]]]:
    """First and last token of the declarations of typedefs, structures and unions."""
    found: dict[str, list[tuple[int, int]]] = {}
    tagged = (*unit.nodes.get(c_ast.Struct, ()), *unit.nodes.get(c_ast.Union, ()))
    named = [(each.name, unit.index(each)) for each in tagged if each.name and each.decls]
    typedefs = (node for node in unit.ast.ext if isinstance(node, c_ast.Typedef))
    named += [(each.name, _typedef(unit, unit.name_index(each.type))) for each in typedefs]
    for name, index in named:
        if index >= 0:
            found.setdefault(name, []).append((index, unit.declaration_end(index)))
    return found


def _typedef(unit: Unit, index: int) -> int:
    """Where the declaration of a type's name begins, also behind the structure that it has."""
    while index > 0 and unit.tokens[index].text != "typedef":
        index -= 1
    return index


def _is_one_text(conditions: Conditions, start: int, end: int) -> bool:
    unit = conditions.unit
    first, last = unit.tokens[start], unit.tokens[end]
    placed = first.start >= 0 or first.file in conditions.branches.headers
    if not placed or first.file != last.file:
        return False
    if conditions.around(first.file, first.line, first.start):
        return False
    source = conditions.branches.headers.get(first.file, unit.source)
    within = (b for b in conditions.branches.blocks if b.file is source and not b.is_guard)
    if any(first.line <= source.location(b.start).line <= last.line for b in within):
        return False
    text = "\n".join(source.text.split("\n")[first.line - 1 : last.line])
    names = names_in(text)
    changing = {each.name for each in conditions.branches.definitions if each.block is not None}
    macros = macros_of(unit, names) | (changing & set(names))
    return not conditions.branches.unseen and not any(
        conditions.is_conditional(m) or conditions.is_outside(m) or conditions.is_of_compiler(m)
        for m in (*macros, *names)
    )
