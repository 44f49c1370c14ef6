"""Asynchronous copies that may start before the stages in front of theirs.

The copy then runs while those compute. All that it names has its value before the work
of its own stage begins; its source is written by no stage in front without a barrier, or
the two would not be in one kernel; and it reads nothing else from memory.
"""

from __future__ import annotations

from kfusion.kernel.model import Mode, Symbol
from kfusion.kernel.opening import COPIES
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
    accesses = use.accesses(index)
    if len(accesses) > 1 or any(a.whole or p.value is not None for a, p in accesses):
        return False  # an argument is read from memory: another stage may have stored it
    own = declared_in(use, statement)
    named = set(use.named(range(statement.first, statement.last + 1)))
    return bool(own) and all(s in own or _is_ready(use, s) for s in named)


def _is_ready(use: StageUse, symbol: Symbol) -> bool:
    """Has the variable its only value before the work begins? A local array has its address."""
    kernel = use.kernel
    begins = kernel.body.statements[0].first
    if kernel.together is not None and symbol.token in kernel.together.shapes:
        return symbol.token < begins
    return symbol in kernel.fixed and kernel.settled.get(symbol, symbol.token) < begins


def declared_in(use: StageUse, statement: Statement) -> list[Symbol]:
    tokens = range(statement.first, statement.last + 1)
    return [use.kernel.symbols[t] for t in tokens if t in use.kernel.symbols and _declares(use, t)]


def _declares(use: StageUse, token: int) -> bool:
    return use.kernel.symbols[token].token == token


def _is_marked(use: StageUse, statement: Statement) -> bool:
    start, before = (use.unit.range(i, i)[0] for i in (statement.first, statement.first - 1))
    return any(before < mark.start < start for mark in use.unit.annotations.immovable)
