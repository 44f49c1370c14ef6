"""What a kernel in strips loads and stores at a size, told by its plan: nothing is run. Or one
whose groups march (marched.py).

A strip makes each level for its own items and for some beside them (graph/levels.py), so elements
at the sides of strips are loaded by several of them. Two figures for the loads: all that are
executed, which is what a simulator counts; and each element once for each strip, which is what
comes from memory, as a strip finds in the cache what it has loaded before.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, reduce
from itertools import product
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from kfusion.device.extents import Launched
from kfusion.graph.again import functions_of, is_live, loads_of, stores_of
from kfusion.graph.bind import BoundAccess
from kfusion.graph.levels import Level, Levels, levels_of_group, loop_ends
from kfusion.graph.model import Again, Group, Invocation, LocalMemory
from kfusion.graph.plan import equalities_of, values_of
from kfusion.kernel.forms import (
    GLOBAL_ID,
    GLOBAL_SIZE,
    Atom,
    Choice,
    Comparison,
    Form,
    Id,
    Listed,
    LoopVariable,
    Quotient,
    form_of,
)
from kfusion.kernel.types import INTEGERS, is_unsigned, size_of
from kfusion.source.dataclasses import dataclass

Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
_Known = Mapping[Atom, Numbers]
_OPERATORS = {"<": np.less, "<=": np.less_equal, "==": np.equal, "!=": np.not_equal}


@dataclass(frozen=True)
class Bytes:
    executed: int  # by loads
    loaded: int  # each element once for each strip
    stored: int


class UnknownError(Exception):
    """An index, or a condition, that is not told by ids and numbers."""


@dataclass(frozen=True)
class Touch:
    """Elements of a memory object for all items that a condition holds for in all dimensions:
    `across[x] + down[y]`. Not for those that `but` holds for, too. `beside`: by dimension where
    they are that a group loads beside its items, from its first one."""

    name: str
    size: int
    level: Level
    index: tuple[Numbers, ...]
    where: tuple[Flags, ...]
    but: tuple[Flags, ...] | None = None
    is_store: bool = False
    beside: tuple[Numbers, ...] = ()


Part = slice | Numbers  # ids, in one dimension


@dataclass(frozen=True)
class Grid:
    """Tiles, in rows and columns, and what is touched in each."""

    touches: Sequence[Touch]
    parts: Callable[[Touch, int], list[Part]]  # by dimension, of which items each tile needs it

    def moved(self, *, is_store: bool) -> int:
        """Bytes, each time."""
        return sum(t.size * _times(t, self) for t in self.touches if t.is_store == is_store)

    @property
    def loads(self) -> Iterator[list[Touch]]:
        """... from each memory object."""
        found: dict[str, list[Touch]] = {}
        for touch in self.touches:
            if not touch.is_store:
                found.setdefault(touch.name, []).append(touch)
        yield from found.values()


class Strips:
    def __init__(
        self, group: Group, invocations: Sequence[Invocation], launches: Sequence[Launched]
    ) -> None:
        self.group, self.tiles = group, group.tiles
        self.stages, self.values = values_of(group, invocations)
        self.size = launches[group.members[0]].size
        self.scalars: dict[str, int] = {}
        spaces: dict[str, set[str]] = {}
        for stage in self.stages:
            given = launches[stage.invocation.index].scalars
            pairs = zip(stage.invocation.kernel.parameters, stage.invocation.arguments, strict=True)
            for parameter, argument in pairs:
                spaces.setdefault(argument.name, set()).add(parameter.space)
                if not isinstance(argument, LocalMemory):
                    self.scalars |= {
                        name.replace(parameter.name, argument.name, 1): int(value)
                        for name, value in given.items()
                        if name.split(".")[0] == parameter.name
                    }
        self.constant = {name for name, found in spaces.items() if found == {"constant"}}

    @cached_property
    def levels(self) -> Levels:
        equalities = equalities_of(self.group, self.stages)
        self.functions = functions_of(self.stages, equalities, self.group.again, self.values)
        found = levels_of_group(self.group, self.stages, self.values, equalities, self.functions)
        assert found is not None
        return found

    def bytes(self) -> Bytes:
        grids = list(self.grids())
        executed, stored = (
            sum(grid.moved(is_store=each) for grid in grids) for each in (False, True)
        )
        return Bytes(executed, self.loaded(grids), stored)

    def loaded(self, grids: Sequence[Grid]) -> int:
        return sum(map(_once, grids))

    def grids(self) -> Iterator[Grid]:
        yield Grid(list(self.touches()), self._spans)

    # What is touched

    def touches(self, but: Collection[tuple[int, int]] = ()) -> Iterator[Touch]:
        """`but`: loads that are done otherwise, by the stage and the number of the access."""
        for level in (*self.levels.levels, self.levels.last):
            number, memory = level.key
            values = self.functions[level.key] if memory else self.values
            before = self.stages[: number + 1]
            for access in loads_of(before, values):
                if (self.stages.index(access.stage), access.number) not in but:
                    yield from self._of(access, level)
            for access in () if memory else stores_of(before, values):
                yield from self._of(access, level, is_store=True)
            for each in self.group.again:
                if each.outside and each.reader <= number and is_live(each, before, values):
                    yield from self._left(each, level)

    def _of(self, access: BoundAccess, level: Level, *, is_store: bool = False) -> Iterator[Touch]:
        if access.memory.name in self.constant:
            return
        if access.form is None or access.access.texel is not None or access.access.seen_as:
            raise UnknownError
        for known in self._rounds(access):
            index = self.split(access.form, known)
            where = self._where((*access.facts, *self._domain(level)), known)
            size = size_of(access.type)
            yield Touch(access.memory.name, size, level, index, where, is_store=is_store)

    def _left(self, each: Again, level: Level) -> Iterator[Touch]:
        """What memory holds where the level that is read has no items."""
        producer, read = self.stages[each.producer], self.stages[each.reader].access(each.access)
        store = next(
            a
            for a in producer.accesses
            if a.memory.name == each.memory and a.access.mode.writes and a.form is not None
        )
        ids: dict[Atom, Form] = {Id(GLOBAL_ID, d): form for d, form in enumerate(each.point)}
        guards = [guard.map(lambda form: form.replace(ids)) for guard in producer.guards]
        assert store.form is not None
        for known in self._rounds(read):
            index = self.split(store.form.replace(ids), known)
            facts = (*read.facts, *self._domain(level))
            where, but = self._where(facts, known), self._where((*facts, *guards), known)
            yield Touch(each.memory, size_of(read.type), level, index, where, but)

    def _domain(self, level: Level) -> tuple[Comparison, ...]:
        number, memory = level.key
        return self.stages[number].guards if memory else ()

    # Numbers

    @cached_property
    def ids(self) -> dict[Atom, Numbers]:
        found: dict[Atom, Numbers] = {}
        for d, size in enumerate(self.size):
            found[Id(GLOBAL_ID, d)] = np.arange(size, dtype=np.int64)
            found[Id(GLOBAL_SIZE, d)] = np.int64(size).reshape(1)
        return found

    def _rounds(self, access: BoundAccess) -> Iterator[_Known]:
        """What is known in each round of the loops around the access."""
        forms = [side for fact in access.facts for side in (fact.left, fact.right)]
        forms += [access.form] if access.form is not None else []
        loops = {a for form in forms for a in form.everything if isinstance(a, LoopVariable)}
        ends = {loop: loop_ends(loop, access.facts) for loop in loops}
        ranges = [range(end[0], end[1] + 1) for end in ends.values() if end is not None]
        counted = [loop for loop, end in ends.items() if end is not None]
        others = [loop for loop, end in ends.items() if end is None]
        for numbers in product(*ranges):
            known = self.ids | {
                loop: np.int64(n).reshape(1) for loop, n in zip(counted, numbers, strict=True)
            }
            if all(self._solve(loop, access.facts, known) for loop in others):
                yield known

    def _solve(
        self, loop: LoopVariable, facts: Iterable[Comparison], known: dict[Atom, Numbers]
    ) -> bool:
        """Finds the number of the round, as `2*<rounds> - 8 == i` tells it; is there one?"""
        for fact in facts:
            form = fact.left - fact.right
            factor = dict(form.terms).get((loop,), 0)
            if fact.op == "==" and factor:
                rest = self.value(form - form_of(loop) * Form((((), factor),)), known)
                if rest.size != 1:
                    raise UnknownError
                known[loop], left = (each.reshape(1) for each in np.divmod(rest, -factor))
                return not left.any() and known[loop].item() >= 0
        raise UnknownError

    def value(self, form: Form, known: _Known) -> Numbers:
        total = np.zeros(1, np.int64)
        for monomial, factor in form.terms:
            term = np.full(1, factor, np.int64)
            for atom in monomial:
                term = term * self._atom(atom, known)
            total = total + term
        return total

    def _atom(self, atom: Atom, known: _Known) -> Numbers:
        if isinstance(atom, Listed):
            return np.array(atom.values, np.int64)[self.value(atom.index, known)]
        if isinstance(atom, Choice):
            sides = (self.value(side, known) for side in (atom.then, atom.otherwise))
            return np.where(self._all(atom.when, known), *sides)
        if isinstance(atom, Quotient):
            left, right = (self.value(side, known) for side in atom.parts)
            if not right.all() or (left < 0).any():
                raise UnknownError
            return left // right
        if atom in known:
            return known[atom]
        if str(atom) in self.scalars:
            return np.int64(self.scalars[str(atom)]).reshape(1)
        raise UnknownError

    def _all(self, facts: Iterable[Comparison], known: _Known) -> Flags:
        found = np.ones(1, bool)
        for fact in facts:
            sides: Iterable[npt.NDArray[Any]] = (
                self.value(side, known) for side in (fact.left, fact.right)
            )
            if is_unsigned(fact.type):
                last = np.uint64((1 << INTEGERS.get(fact.type, (64, False))[0]) - 1)
                sides = (side.astype(np.uint64) & last for side in sides)
            found = found & _OPERATORS[fact.op](*sides)
        return found

    def split(self, form: Form, known: _Known) -> tuple[Numbers, ...]:
        """What depends on each dimension; what depends on none is with the last one."""
        parts: list[Form] = []
        for d in range(len(self.size) - 1):
            terms = ((m, f) for m, f in form.terms if d in _dimensions(Form(((m, f),))))
            parts.append(Form(tuple(terms)))
            form = form - parts[-1]
        return tuple(self._along(d, part, known) for d, part in enumerate((*parts, form)))

    def _along(self, dimension: int, form: Form, known: _Known) -> Numbers:
        if _dimensions(form) - {dimension}:
            raise UnknownError
        return np.broadcast_to(self.value(form, known), self.size[dimension])

    def _where(self, facts: Sequence[Comparison], known: _Known) -> tuple[Flags, ...]:
        of: list[list[Comparison]] = [[] for _ in self.size]
        for fact in facts:
            dimensions = _dimensions(fact.left) | _dimensions(fact.right)
            if len(dimensions) > 1:
                raise UnknownError
            of[max(dimensions, default=-1)].append(fact)
        sides = zip(of, self.size, strict=True)
        return tuple(np.broadcast_to(self._all(each, known), size) for each, size in sides)

    # Strips

    def _spans(self, touch: Touch, dimension: int) -> list[Part]:
        """The items of the level that each strip makes."""
        assert self.tiles is not None
        size, tile = self.size[dimension], self.tiles.items[dimension]
        ends = [(start, min(start + tile, size)) for start in range(0, size, tile)]
        return self.spans(touch.level, dimension, ends)

    def spans(self, level: Level, dimension: int, ends: Sequence[tuple[int, int]]) -> list[Part]:
        """What is needed of a level for items of the last one, between these ends."""
        (low, high), size = level.reach[dimension], self.size[dimension]
        period = level.periods[dimension]
        if period is None:
            return [slice(max(start + low, 0), min(end + high, size)) for start, end in ends]
        after = int(self.value(period, {}).item())
        if after < 1:
            return [slice(0, 0) for _ in ends]
        whole = ((start, min(max(start, after), end)) for start, end in ends)
        return [np.arange(start + low, end + high) % after for start, end in whole]


def _times(touch: Touch, grid: Grid) -> int:
    """How often it is done."""

    def times(where: tuple[Flags, ...]) -> int:
        counts = (
            sum(int(flags[part].sum()) for part in grid.parts(touch, d))
            for d, flags in enumerate(where)
        )
        return prod(counts)

    return times(touch.where) - (times(touch.but) if touch.but is not None else 0)


def _once(grid: Grid) -> int:
    """Bytes of the elements, each once for each tile."""
    return sum(
        touches[0].size * found.size * len(tiles)
        for touches in grid.loads
        for found, tiles in elements(touches, grid)
    )


def elements(
    touches: Sequence[Touch], grid: Grid
) -> Iterator[tuple[Numbers, list[tuple[tuple[int, ...], int]]]]:
    """That tiles touch, for each kind of tiles; the numbers of those by dimension, and how far
    each is from the first one's elements."""
    dimensions = range(len(touches[0].index))
    parts = [[grid.parts(touch, d) for touch in touches] for d in dimensions]
    for kind in product(*(_kinds(touches, parts[d], d) for d in dimensions)):
        bases = [tiles[0][1] for tiles in kind]
        here = [[of[tiles[0][0]] for of in each] for each, tiles in zip(parts, kind, strict=True)]
        tiles = [
            (tuple(n for n, _ in tile), sum(base for _, base in tile) - sum(bases))
            for tile in product(*kind)
        ]
        yield _distinct(touches, list(zip(*here, strict=True))), tiles


def _kinds(
    touches: Sequence[Touch], parts: Sequence[list[Part]], dimension: int
) -> list[list[tuple[int, int]]]:
    """Tiles that are alike: their numbers, and an element of each."""
    found: dict[tuple[bytes, ...], list[tuple[int, int]]] = {}
    for tile in range(len(parts[0])):
        here = [of_touch[tile] for of_touch in parts]
        indices = [t.index[dimension][part] for t, part in zip(touches, here, strict=True)]
        base = next((int(each[0]) for each in indices if each.size), 0)
        key = tuple(
            each.tobytes()
            for touch, part, index in zip(touches, here, indices, strict=True)
            for each in (
                index - base,
                touch.where[dimension][part],
                *([touch.but[dimension][part]] if touch.but is not None else []),
            )
        )
        found.setdefault(key, []).append((tile, base))
    return list(found.values())


def _distinct(touches: Sequence[Touch], here: Sequence[Sequence[Part]]) -> Numbers:
    """Elements that one tile touches."""
    apart: dict[bytes, tuple[Numbers, list[Numbers]]] = {}  # by rows, columns
    single: list[Numbers] = []
    for touch, part in zip(touches, here, strict=True):
        sides = [each[p] for each, p in zip(touch.index, part, strict=True)]
        where = [each[p] for each, p in zip(touch.where, part, strict=True)]
        if touch.but is None:
            columns, *others = (side[flags] for side, flags in zip(sides, where, strict=True))
            rows = reduce(np.add.outer, others).ravel()
            apart.setdefault(rows.tobytes(), (rows, []))[1].append(columns)
        else:
            but = [each[p] for each, p in zip(touch.but, part, strict=True)]
            both = reduce(np.logical_and.outer, where) & ~reduce(np.logical_and.outer, but)
            single.append(reduce(np.add.outer, sides)[both])
    for rows, several in apart.values():
        single.append(np.add.outer(rows, np.unique(np.concatenate(several))).ravel())
    return np.unique(np.concatenate(single))


def _dimensions(form: Form) -> set[int]:
    return {atom.dimension for atom in form.everything if isinstance(atom, Id)}
