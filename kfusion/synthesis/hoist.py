"""Asynchronous copies that may start before the stages in front of theirs.

The copy then runs while those compute. It needs parameters, local arrays and
declarations of the prelude only; its source is written by no stage, or it would not be
in one kernel with them; and nothing that its own stage does before it can matter to it.
"""

from __future__ import annotations

from kfusion.kernel.model import Mode, Symbol
from kfusion.kernel.together import COPIES
from kfusion.parse.statements import Statement
from kfusion.source.protections import is_on, protection
from kfusion.synthesis.usage import StageUse

IMMOVABLE = protection("immovable", "what is marked immovable, or needs its place, stays there")


def hoisted_copies(use: StageUse) -> list[int]:
    """Live statements of the body, in order."""
    found: list[int] = []
    for index in use.live:
        statement = use.kernel.body.statements[index]
        if _is_copy(use, statement):
            if not _may_move(use, index, statement) and is_on(IMMOVABLE):
                break
            found.append(index)
        elif use.kernel.body.effects[index] is None or _stores(use, index):
            break
    return found


def _is_copy(use: StageUse, statement: Statement) -> bool:
    tokens = use.unit.tokens[statement.first : statement.last + 1]
    return statement.kind == "plain" and any(token.text in COPIES for token in tokens)


def _stores(use: StageUse, index: int) -> bool:
    return any(access.mode is not Mode.READ for access, _ in use.accesses(index))


def _may_move(use: StageUse, index: int, statement: Statement) -> bool:
    if _stores(use, index) or _is_marked(use, statement):
        return False
    known = {use.kernel.symbols[d.token] for i in use.kernel.body.prelude for d in i.declarations}
    own = declared_in(use, statement)
    named = set(use.named(range(statement.first, statement.last + 1)))
    return bool(own) and all(s.parameter or s in known or s in own for s in named)


def declared_in(use: StageUse, statement: Statement) -> list[Symbol]:
    tokens = range(statement.first, statement.last + 1)
    return [use.kernel.symbols[t] for t in tokens if t in use.kernel.symbols and _declares(use, t)]


def _declares(use: StageUse, token: int) -> bool:
    return use.kernel.symbols[token].token == token


def _is_marked(use: StageUse, statement: Statement) -> bool:
    start, before = (use.unit.range(i, i)[0] for i in (statement.first, statement.first - 1))
    return any(before < mark.start < start for mark in use.unit.annotations.immovable)
