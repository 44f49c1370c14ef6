"""Statements that only copy: `REAL x = a[i];`, `c[i] = x;`, `c[i] = a[i];`.

A value that lives in a variable anyway needs no second one: the copy's variable becomes
the value's, and the statement goes.
"""

from __future__ import annotations

from kfusion.graph.values import Place, Role, Value
from kfusion.kernel.model import Access, Symbol
from kfusion.source.dataclasses import dataclass
from kfusion.synthesis.usage import StageUse


@dataclass(frozen=True)
class Copy:
    """`variable` holds `value`, from its declaration or from its store on."""

    variable: Symbol
    value: Value


@dataclass(frozen=True)
class Copies:
    """By statement of the body."""

    loads: dict[int, Copy]  # `T x = a[i];`: x becomes the value's variable
    reloads: dict[int, Copy]  # the same, when the value has a variable: x goes
    stores: dict[int, Copy]  # `c[i] = x;`: x becomes the value's variable
    transfers: dict[int, tuple[Value, Value]]  # `c[i] = a[i];`: one variable for both


def find_copies(use: StageUse, apart: frozenset[Value]) -> Copies:
    """`apart`: values that need variables of their own."""
    found = Copies({}, {}, {}, {})
    taken: set[Symbol] = set()
    for index in use.live:
        places = [(a, p) for a, p in use.accesses(index) if p.value is not None]
        if any(p.value in apart for _, p in places):
            continue
        if len(places) == 1:
            _copy_of_one(use, index, *places[0], found, taken)
        elif len(places) == 2:
            _transfer(use, index, places, found)
    return found


def _copy_of_one(
    use: StageUse, index: int, access: Access, place: Place, found: Copies, taken: set[Symbol]
) -> None:
    statement, effect = use.kernel.body.statements[index], use.kernel.body.effects[index]
    value = place.value
    if effect is None or value is None or not value.constant or place.flushed:
        return
    if place.role in (Role.LOAD, Role.USE):
        whole = access.whole and access.last + 1 == statement.last
        if not whole or len(effect.variables) != 1 or access.mode.writes:
            return
        symbol, token = effect.variables[0], effect.targets[0]
        if symbol.token != token or access.first != token + 2 or symbol.canonical != value.type:
            return
        if symbol not in use.kernel.fixed or symbol in taken:
            return
        taken.add(symbol)
        kind = found.loads if place.role is Role.LOAD else found.reloads
        kind[index] = Copy(symbol, value)
    elif place.role is Role.DEFINE:
        first, last = access.value(statement)
        named = use.kernel.symbols.get(first) if first == last else None
        if named is not None and _may_stand_for(use, index, named, value):
            taken.add(named)
            found.stores[index] = Copy(named, value)


def _may_stand_for(use: StageUse, index: int, symbol: Symbol, value: Value) -> bool:
    """A variable of the body and of the stored type that keeps its value from here on."""
    kernel = use.kernel
    statements = kernel.body.statements
    declared = any(
        symbol in effect.variables and symbol.token in effect.targets
        for effect in kernel.body.effects
        if effect is not None
    )
    if not declared or symbol.canonical != value.type or symbol in kernel.addressed:
        return False
    later = [
        token
        for other in use.live
        if other > index
        for token in range(statements[other].first, statements[other].last + 1)
        if kernel.symbols.get(token) == symbol
    ]
    return symbol in kernel.fixed or not later


def _transfer(use: StageUse, index: int, places: list[tuple[Access, Place]], found: Copies) -> None:
    (source, from_), (target, to) = places
    statement = use.kernel.body.statements[index]
    if from_.value is None or to.value is None or to.flushed:
        return
    alike = from_.value.type == to.value.type and from_.value.constant and to.value.constant
    roles = from_.role in (Role.LOAD, Role.USE) and to.role is Role.DEFINE
    shape = (
        target.first == statement.first
        and (source.first, source.last) == target.value(statement)
        and source.whole
    )
    if alike and roles and shape and not source.mode.writes:
        found.transfers[index] = (from_.value, to.value)
