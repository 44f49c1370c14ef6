"""Statements and variables that nothing in a fused function needs any more."""

from __future__ import annotations

import re
from dataclasses import replace

from kfusion.parse.unit import Unit
from kfusion.regenerate.cwords import declarators, declared, defines_type, without_declarators
from kfusion.regenerate.hidden import all_names
from kfusion.regenerate.pieces import Piece
from kfusion.source.dataclasses import dataclass
from kfusion.source.lexer import Kind, matching, tokenize

_EFFECTS = frozenset("( ++ -- = += -= *= /= %= &= |= ^= <<= >>=".split())


@dataclass
class Draft:
    """A piece of the new function, and why it may have to stay."""

    piece: Piece
    effective: bool  # it does more than compute variables
    writes: set[str]  # variables, by their new names


def without_unused(drafts: list[Draft], needed: set[str], unit: Unit) -> list[Piece]:
    """Keep what has effects, and what computes a variable that is used."""
    while True:
        pieces = _kept(drafts, needed, unit)
        effective = [d for d in drafts if d.effective]
        unread = {id(d): _without_unread(d, pieces, needed, unit) for d in effective}
        if all(text is None for text in unread.values()):
            return [piece for _, piece in pieces]
        for draft in effective:
            text = unread[id(draft)]
            if text is not None:
                draft.piece = replace(draft.piece, text=text)
                break  # what the others are needed for may have changed


def _kept(drafts: list[Draft], needed: set[str], unit: Unit) -> list[tuple[Draft, Piece]]:
    used = set(needed)
    for draft in drafts:
        if draft.effective:
            used |= all_names(draft.piece.text, unit.macros)
    kept = [draft.effective for draft in drafts]
    changed = True
    while changed:
        changed = False
        for number, draft in enumerate(drafts):
            if not kept[number] and draft.writes & used:
                kept[number] = changed = True
                used |= all_names(_trimmed(draft.piece, used).text, unit.macros)
    return [(d, _trimmed(d.piece, used)) for d, keep in zip(drafts, kept, strict=True) if keep]


def _trimmed(piece: Piece, used: set[str]) -> Piece:
    """A declaration of several variables without those that nothing uses."""
    names = declared(piece.text)
    unused = {name for name in names if name not in used}
    if not unused or len(unused) == len(names) or defines_type(piece.text):
        return piece
    return replace(piece, text=without_declarators(piece.text, unused))


def _without_unread(
    draft: Draft, pieces: list[tuple[Draft, Piece]], needed: set[str], unit: Unit
) -> str | None:
    """`to_device(a);` for `cl_mem m = to_device(a);`, if nothing reads m; None: it stays."""
    used = set(needed)
    for other, piece in pieces:
        if other is not draft:
            used |= _uses(piece.text, unit)
    text = draft.piece.text
    found = declarators(text)
    if found is None:
        return _without_target(text, used, draft, pieces, unit)
    type_, listed = found
    values = [value for _, _, value in listed]
    kept: list[bool] = []
    for number, (name, _, value) in enumerate(listed):
        later = set().union(*(all_names(" " + v, unit.macros) for v in values[number:]))
        kept.append(name in used | later or not _is_expression(value))
    if all(kept):
        return None
    lines: list[str] = []
    joined = False
    for (_, declarator, value), keep in zip(listed, kept, strict=True):
        if not keep:
            lines.append(_as_statement(value, unit))
        elif joined:
            lines[-1] = f"{lines[-1][:-1]}, {declarator};"
        else:
            lines.append(f"{type_}{declarator};")
        joined = keep
    return "\n".join(filter(None, lines))


def _without_target(
    text: str, used: set[str], draft: Draft, pieces: list[tuple[Draft, Piece]], unit: Unit
) -> str | None:
    """`m = to_device(a);`, where another statement declares m and nothing else."""
    match = re.match(r"([A-Za-z_]\w*)\s*=(?!=)\s*(.*);\s*$", text, re.DOTALL)
    if match is None or match.group(1) in used or not _is_expression(match.group(2)):
        return None
    name, value = match.group(1), match.group(2)
    own = any(name in declared(p.text) for other, p in pieces if other is not draft)
    if not own or name in all_names(" " + value, unit.macros):
        return None
    return _as_statement(value, unit)


def _uses(text: str, unit: Unit) -> set[str]:
    """Names of a statement, but for those that it only declares."""
    found = declarators(text)
    if found is None:
        return all_names(text, unit.macros)
    type_, listed = found
    return all_names(" ".join([" ", type_, *(value for _, _, value in listed)]), unit.macros)


def _is_expression(value: str) -> bool:
    return not value.startswith("{")


def _as_statement(value: str, unit: Unit) -> str:
    """The value's effects: a call is a statement, of others the compiler is told to keep quiet."""
    tokens = tokenize(value)
    if not any(t.text in _EFFECTS or unit.macros.at_end(t.text) for t in tokens):
        return ""
    name = tokens[0]
    is_call = name.kind is Kind.NAME and len(tokens) > 1 and tokens[1].text == "("
    if is_call and matching(tokens, 1) == len(tokens) - 1 and not unit.macros.at_end(name.text):
        return f"{value};"
    return f"(void)({value});"
