"""Declarations of a file that are the same in all builds of it."""

from __future__ import annotations

from kfusion.kernel.conditions import Conditions
from kfusion.kernel.surroundings import macros_of
from kfusion.source.lexer import names_in


def is_settled(conditions: Conditions, index: int) -> bool:
    """The declaration at the token stands under no condition, and no macro in its lines has another
    text in another build."""
    unit = conditions.unit
    first, last = unit.tokens[index], unit.declaration_end(index)
    placed = first.start >= 0 or first.file in conditions.branches.headers
    if not placed or conditions.around(first.file, first.line, first.start):
        return False
    lines = conditions.branches.headers.get(first.file, unit.source).text.split("\n")
    text = "\n".join(lines[first.line - 1 : unit.tokens[last].line])
    names = names_in(text)
    changing = {each.name for each in conditions.branches.definitions if each.block is not None}
    macros = macros_of(unit, names) | (changing & set(names))
    return not conditions.branches.unseen and not any(
        conditions.is_conditional(m) or conditions.is_outside(m) for m in macros
    )
