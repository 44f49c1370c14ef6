"""Rows instead of calls: what a group computes again for neighbours is kept while it is needed.

In: a group with functions of items (again.py), in two dimensions or three. Out: its *levels*, one
for each function, and the last one for what is left, which the kernel walks through row by row: how
far from an item of the last level others of a level are needed, how many of its rows are kept, and
inside of which limits of ids its text has constant offsets: there `min(x + 1, w - 1)` is `x + 1`.
Or None: some item may need another one that is not in the rows that are kept. In three dimensions
a row is a plane.

A function's value is the same whenever it is computed (again.py), so it may be kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import prod

from kfusion.graph.again import (
    Functions,
    is_live,
    is_vector,
    live_stages,
    loads_of,
    mix_vectors,
    not_alone,
    rounds_of,
    saved_by,
)
from kfusion.graph.bind import BoundAccess, Stage
from kfusion.graph.bounds import Nothing
from kfusion.graph.model import Again, AtLeast, Equal, Group, Marching, Tiles, Within
from kfusion.graph.points import Point, Prover, can_be_written, is_given
from kfusion.graph.unify import Equalities
from kfusion.graph.values import GroupValues
from kfusion.kernel.forms import (
    GLOBAL_ID,
    Atom,
    Choice,
    Comparison,
    Composite,
    Form,
    Id,
    Listed,
    LoopVariable,
    Quotient,
    Value,
    form_of,
    number,
)
from kfusion.kernel.model import Kernel, Mode
from kfusion.kernel.types import INTEGERS, is_unsigned, size_of
from kfusion.source.dataclasses import dataclass
from kfusion.source.protections import is_on, protection

WINDOW = protection("window", "an item finds what it needs in the rows that are kept")
EXACT = protection("exact-domain", "items within limits are just those that guards let through")
APART = protection("shape-apart", "a kernel of one launch in strips stores nothing that it loads")
IN_LIMITS = protection("in-limits", "offsets are constant only inside of the limits")
PERIODS = protection("periods", "what wraps around does so after all items of a row")

Key = tuple[int, str]  # position of a stage in the group, and memory; of the last one ""
Interval = tuple[int, int]


@dataclass(frozen=True)
class Window:
    """Items, from the one that reads; if the assumption holds."""

    reach: Interval
    assumed: Assumed | None = None


Assumed = Equal | Within | AtLeast
May = Callable[[Assumed], bool]
# By launch, dimension, where the point is, and what is known there.
Windows = dict[tuple[int, int, Form, tuple[Comparison, ...]], Window | None]
# By dimension, after how many items the first one comes again; None: that is not asked.
Periods = tuple[Form | None, ...]
_CALLED = {"clamp", "get_group_id", "max", "min"}  # by the text; a file may call others so
_MEMORY = 1 << 16  # bytes of rows for one item: what is beyond a thread's stack ends the process
NEAR_ROWS = 4  # loads in a row, or of what rows keep, that cost as much as one from memory
_IN_PLANES = 0.65  # of what registers and local memory cost there, where groups march in planes
SHORT_ROWS = 3  # bytes for each item: a strip goes through memory in pieces
_NARROWEST = 8  # of the columns that are wanted one in so many
_DEEP = 8  # planes that a strip goes through, for each row that it has of them


@dataclass(frozen=True)
class Limits:
    """By dimension, ids that are at least all of the first forms and below all of the others;
    none, if one of the forms `when` is negative."""

    first: tuple[tuple[Form, ...], ...]
    end: tuple[tuple[Form, ...], ...]
    when: tuple[Form, ...] = ()

    def around(self, dimension: int, reach: Interval) -> Limits:
        """Of items, if those that are as far from them in the dimension must be inside."""
        first, end = list(self.first), list(self.end)
        first[dimension] = tuple(form - number(reach[0]) for form in first[dimension])
        end[dimension] = tuple(form - number(reach[1]) for form in end[dimension])
        return replace(self, first=tuple(first), end=tuple(end))

    def __add__(self, other: Limits) -> Limits:
        first = (_furthest((*a, *b), 1) for a, b in zip(self.first, other.first, strict=True))
        end = (_furthest((*a, *b), -1) for a, b in zip(self.end, other.end, strict=True))
        return Limits(tuple(first), tuple(end), _furthest((*self.when, *other.when), -1))


def _furthest(forms: Sequence[Form], sign: int) -> tuple[Form, ...]:
    """Of those that differ by numbers the largest one, or the smallest one; no id is negative."""
    found: dict[Form, int] = {}
    for form in forms:
        rest, constant = form - number(form.constant), sign * form.constant
        found[rest] = max(constant, found.get(rest, constant))
    kept = (rest + number(sign * constant) for rest, constant in found.items())
    return tuple(f for f in kept if sign < 0 or not f.is_constant or f.constant > 0)


@dataclass(frozen=True)
class Level:
    key: Key
    type: str  # of its elements; of the last one ""
    reach: tuple[Interval, ...]  # by dimension, from an item of the last level
    rows: int  # that are kept, a power of two
    reads: Mapping[Key, list[tuple[Interval, ...]]]  # levels, and where from an item, each time
    domain: Limits  # of its items
    inside: Limits
    straight: Mapping[tuple[int, int], Form | Point]  # by stage and access, inside of the limits
    periods: Periods  # of what wraps around
    split: bool  # items away from borders have a text of their own
    guarded: bool  # its stages have domains of their own
    loads: Mapping[tuple[str, Form], int]  # from memory by an item: bytes, of all rounds of loops
    kept: int  # bytes that an item stores to rows, and loads from there

    @property
    def ahead(self) -> int:
        """How many rows it is in front of the last level."""
        return self.reach[-1][1]

    def share(self, tiles: Tiles) -> float:
        """Of its items that are made, for each of the last level: those beside a tile are, too."""
        if isinstance(tiles, Marching):
            wide, rows = tiles.local[0] * tiles.columns, tiles.items[-1] + tiles.least / 2
            return wide * rows / prod(tiles.items)
        sides = zip(self.reach, tiles.items, strict=True)
        return prod(1 + (high - low) / side for (low, high), side in sides)


@dataclass(frozen=True)
class Levels:
    levels: tuple[Level, ...]  # those that are read come first
    last: Level
    assumed: tuple[Assumed, ...]

    @property
    def further(self) -> int:
        """Loads of the functions."""
        return sum(len(each.loads) for each in self.levels)

    def bytes(self, *sides: int) -> int:
        """Of the rows, as so many columns of the last level need them; and rows, of planes."""
        around = ((size, *self.around(d)) for d, size in enumerate(sides))
        count = prod(size + high - low for size, low, high in around)
        return count * sum(each.rows * size_of(each.type) for each in self.levels)

    def cost(self, tiles: Tiles, stages: Sequence[Stage], values: GroupValues, near: int) -> int:
        """Bytes for each item, as of other kernels (again.py). What is beside a tile another one
        loads, too; what goes to rows, and from there, costs as if one in so many came from
        memory."""
        element = {a.memory.name: size_of(a.type) for stage in stages for a in stage.accesses}
        moved = float(sum(element[name] for name in saved_by(stages, values)))
        moved += 0 if isinstance(tiles, Marching) else SHORT_ROWS / near
        inside = 1.0 / max(near, NEAR_ROWS)
        if isinstance(tiles, Marching) and tiles.passed:
            inside *= _IN_PLANES
            moved += self.last.share(tiles) * tiles.passed * inside
        beside: dict[str, float] = {}
        for level in (*self.levels, self.last):
            share = level.share(tiles)
            beside |= {name: max(share - 1, beside.get(name, 0)) for name, _ in level.loads}
            moved += share * (sum(level.loads.values()) + level.kept) * inside
        moved += self.one_by_one(tiles, stages, values, near)
        return int(moved + sum(element[n] * (1 + more / near) for n, more in beside.items()))

    def one_by_one(
        self, tiles: Tiles, stages: Sequence[Stage], values: GroupValues, near: int
    ) -> float:
        """What loads of numbers cost besides, where vectors are loaded or stored, too: compilers
        for CPUs make no vectors of the former then."""
        found = 0.0
        types = {a.memory.name: a.type for stage in stages for a in stage.accesses}
        for level in (*self.levels, self.last) if not isinstance(tiles, Marching) else ():
            touched = [name for name, _ in level.loads]
            touched += saved_by(stages, values) if level is self.last else []
            numbers = (size for (n, _), size in level.loads.items() if not is_vector(types[n]))
            if mix_vectors(types[name] for name in touched):
                found += level.share(tiles) * sum(numbers) * (1 / near - 1 / max(near, NEAR_ROWS))
        return found

    def tiles(self, columns: int, rows: int) -> Tiles | None:
        """What one item does, with no more columns than there is memory for. In three dimensions
        it walks through as many planes, of fewer rows."""
        least = columns // _NARROWEST
        high = [max(rows // _DEEP, 1)] * (len(self.last.reach) - 2)
        if self.bytes(columns, *high) > _MEMORY:
            high = [-(-each // 2) for each in high]
        while columns > least and self.bytes(columns, *high) > _MEMORY:
            columns //= 2
        items = columns, *high, rows
        return Tiles(items, (1,) * len(items)) if columns > least else None

    @property
    def halo(self) -> Interval:
        """Columns beside those of the last level."""
        return self.around(0)

    @property
    def rows(self) -> Interval:
        """Rows beside them."""
        return self.around(1)

    def around(self, dimension: int) -> Interval:
        every = (*self.levels, self.last)
        lows, highs = zip(*(each.reach[dimension] for each in every), strict=True)
        return min(lows), max(highs)


def _equal(access: BoundAccess, equalities: Equalities) -> BoundAccess:
    """With one name for scalars that are equal."""
    form = equalities.form(access.form) if access.form is not None else None
    return replace(access, form=form, facts=tuple(map(equalities.comparison, access.facts)))


@dataclass(frozen=True)
class _Read:
    again: Again
    access: BoundAccess
    point: Point
    straight: Point
    reach: tuple[Interval, ...]
    facts: tuple[Comparison, ...]  # under which the point is the straight one
    assumed: tuple[Assumed, ...]


def levels_of(
    stages: Sequence[Stage],
    values: GroupValues,
    again: Sequence[Again],
    functions: Functions,
    equalities: Equalities,
    windows: Windows,
    may: May,
) -> Levels | None:
    """`windows`: what has been found for other groups, and this one adds to. `may`: whether
    something may be assumed."""
    if {stage.range.dimensions for stage in stages} not in ({2}, {3}):
        return None
    if any(not_alone(stages[number]) for number in live_stages(stages, values)):
        return None
    unit = stages[0].invocation.kernel.unit
    if _CALLED & {*unit.macros.history, *unit.functions}:
        return None
    last = (len(stages), "")
    every = {**functions, last: values}
    reads: dict[Key, list[_Read]] = {}
    periods: dict[int, Form] = {}
    wanted = [last]
    for key in wanted:
        found = [
            _read(each, stages, equalities, windows, may, periods)
            for each in again
            if _reads(each, key, stages, every[key])
        ]
        if any(each is None for each in found):
            return None
        reads[key] = [each for each in found if each is not None]
        made = {(each.again.producer, each.again.memory) for each in reads[key]}
        wanted += sorted(made - set(wanted))
    if len(wanted) == 1 and again:
        return None
    if periods and not all(_wrap(each, periods) for several in reads.values() for each in several):
        return None
    wanted.sort()
    levels: dict[Key, Level] = {}
    after = tuple(map(periods.get, range(stages[0].range.dimensions)))
    assumed: list[Assumed] = []
    for key in reversed(wanted):
        level = _level(key, stages, every[key], equalities, reads, levels, may, assumed, after)
        if level is None:
            return None
        levels[key] = level
    every_read = [read for each in reads.values() for read in each]
    assumed += (each for read in every_read for each in read.assumed)
    return Levels(
        tuple(levels[key] for key in wanted if key != last),
        levels[last],
        tuple(dict.fromkeys(assumed)),
    )


def levels_of_group(
    group: Group,
    stages: Sequence[Stage],
    values: GroupValues,
    equalities: Equalities,
    functions: Functions,
) -> Levels | None:
    """Of one that is planned."""

    def is_assumed(assumed: Assumed) -> bool:
        return assumed in group.assumptions or any(
            replace(each, least=0) == assumed  # it is at least more
            for each in group.assumptions
            if isinstance(each, AtLeast)
        )

    return levels_of(stages, values, group.again, functions, equalities, {}, is_assumed)


def share_loads(stages: Sequence[Stage], values: GroupValues) -> bool:
    """Do neighbouring items load the same elements of buffers, at distances and under conditions
    that do not depend on data, and is none of them stored?"""
    counts: Counter[str] = Counter()
    stored = saved_by(stages, values)
    for access in loads_of(stages, values):
        form, name = access.form, access.memory.name
        if form is None or access.access.texel is not None or (name in stored and is_on(APART)):
            return False
        loops = {a for a in form.everything if isinstance(a, LoopVariable)}
        told = len(access.facts) > len(access.stage.guards) or not access.access.conditional
        if not told or not all(loop_ends(loop, access.facts) for loop in loops):
            return False
        if form.mentions(GLOBAL_ID):
            counts[name] += 1 + len(loops)
    return any(count > 1 for count in counts.values())


def may_share_loads(kernel: Kernel) -> bool:
    """Could it be so, whatever is launched with the kernel?"""
    reads = [a for a in kernel.accesses if a.mode.reads and a.form is not None]
    forms = {(a.parameter, a.form) for a in reads if a.form and a.form.mentions(GLOBAL_ID)}
    counts = Counter(parameter for parameter, form in forms for _ in range(1 + form.in_loop))
    return any(count > 1 for count in counts.values())


def _reads(each: Again, key: Key, stages: Sequence[Stage], values: GroupValues) -> bool:
    return each.reader <= key[0] and is_live(each, stages, values)


def _read(
    each: Again,
    stages: Sequence[Stage],
    equalities: Equalities,
    windows: Windows,
    may: May,
    periods: dict[int, Form],
) -> _Read | None:
    access = _equal(stages[each.reader].access(each.access), equalities)
    prover = Prover(access, Nothing())
    points = tuple(map(equalities.form, each.point))
    point: list[Form] = []
    reach: list[Interval] = []
    assumed: list[Assumed] = []
    facts: list[Comparison] = []
    for d, form in enumerate(points):
        own = form_of(Id(GLOBAL_ID, d))
        settled, when = straight(form)
        key = access.stage.launch.index, d, form, access.facts
        if key not in windows:
            span = span_of(settled - own, access.facts)
            windows[key] = _window(form, settled, d, span, prover, may) if span else None
        if (found := windows[key]) is None:
            span = span_of(settled - own, access.facts)
            period = _period(form - settled, d, prover)
            if span is None or period is None or periods.setdefault(d, period) != period:
                return None
            found = Window(span)
        reach.append(found.reach)
        assumed += [found.assumed] if found.assumed is not None else []
        point.append(settled)
        facts += when
    if each.outside:
        ids: dict[Atom, Form] = {Id(GLOBAL_ID, d): form for d, form in enumerate(point)}
        guards = [guard.map(equalities.form) for guard in stages[each.producer].guards]
        facts += [guard.map(lambda form: form.replace(ids)) for guard in guards]
        facts += [Comparison("<=", Form(), point[d], "long") for d in each.below]
    return _Read(each, access, points, tuple(point), tuple(reach), tuple(facts), tuple(assumed))


def _period(difference: Form, dimension: int, prover: Prover) -> Form | None:
    """The items of a row, if the point differs by nothing but them from where it is in the middle
    of a row: it wraps around."""
    own = form_of(Id(GLOBAL_ID, dimension))
    ends = (f.right for f in prover.read.facts if f.op == "<" and f.left == own)
    whole = (end for end in ends if isinstance(end.single, Value))
    return next((end for end in whole if _comes_again(difference, end, prover)), None)


def _comes_again(difference: Form, period: Form, prover: Prover) -> bool:
    return not is_on(PERIODS) or not isinstance(prover.repeats(difference, period), Form)


def _wrap(read: _Read, periods: Mapping[int, Form]) -> bool:
    """Where others wrap around, this one does, or reads what it may without."""
    prover = Prover(read.access, Nothing())
    points = [(read.point[d] - read.straight[d], of) for d, of in periods.items()]
    return not read.again.outside and all(_comes_again(*each, prover) for each in points)


def _window(
    form: Form, settled: Form, dimension: int, span: Interval, prover: Prover, may: May
) -> Window | None:
    """Where the point is in the dimension, if it can be told."""
    own = form_of(Id(GLOBAL_ID, dimension))
    reach = _reach(form - own, settled - own, span, prover, ())
    if reach is not None:
        return Window(reach)
    ends = [f for f in prover.read.facts if f.op == "<" and f.left == own]
    for scalar in sorted((v for v in form.scalars if v.compared), key=str):
        below = Comparison("<", own, form_of(scalar), "long")
        known: list[tuple[Assumed, Comparison]] = [
            (Equal(scalar.key, end.key), replace(below, type=fact.type))
            for fact in ends
            if isinstance(end := fact.right.single, Value) and end != scalar
            if end.compared and end.type == scalar.type
        ]
        within = Within(prover.read.stage.launch.index, dimension, scalar.key)
        for assumed, fact in [*known, (within, below)]:
            reach = _reach(form - own, settled - own, span, prover, (fact,))
            if reach is not None and may(assumed):
                return Window(reach, assumed)
    return None


def _reach(
    offset: Form, settled: Form, span: Interval, prover: Prover, facts: tuple[Comparison, ...]
) -> Interval | None:
    """Where the point may be: between the item and where it is away from borders; or as far to
    both sides."""
    if offset == settled or not is_on(WINDOW):
        return span
    zero = Form()
    for sign, low, high in (("<=", zero, settled), ("<", settled, zero)):
        left, right = (zero, settled) if sign == "<=" else (settled, zero)
        where = (Comparison(sign, left, right, "long"), *facts)
        sides = (prover.not_negative(each, where=where) for each in (offset - low, high - offset))
        if any(isinstance(proof, Form) for proof in sides):
            break
    else:
        return min(span[0], 0), max(span[1], 0)
    widest = max(map(abs, span))
    sides = (prover.not_negative(each + number(widest), where=facts) for each in (offset, -offset))
    return None if any(isinstance(proof, Form) for proof in sides) else (-widest, widest)


def _level(
    key: Key,
    stages: Sequence[Stage],
    values: GroupValues,
    equalities: Equalities,
    reads: Mapping[Key, Sequence[_Read]],
    levels: Mapping[Key, Level],
    may: May,
    assumed: list[Assumed],
    periods: Periods,
) -> Level | None:
    """`levels`: those that read it. `assumed`: what its domain adds to."""
    number, memory = key
    dimensions = stages[0].range.dimensions
    reach = [(0, 0)] * dimensions
    rows = 1
    windows = [
        [(low + a, high + b) for (low, high), (a, b) in zip(r.reach, other.reach, strict=True)]
        for other in levels.values()
        for r in reads[other.key]
        if (r.again.producer, r.again.memory) == key
    ]
    if windows:
        sides = [list(zip(*each, strict=True)) for each in zip(*windows, strict=True)]
        reach = [(min(0, *lows), max(0, *highs)) for lows, highs in sides]
        # A row is kept from when it is made until its last reader is as far.
        oldest = min(
            r.reach[-1][0] + other.ahead
            for other in levels.values()
            for r in reads[other.key]
            if (r.again.producer, r.again.memory) == key
        )
        rows = 1 << (reach[-1][1] - oldest).bit_length()
    before = stages[: number + 1]
    found = _inside(before, values, equalities, reads[key])
    domain, guarded = NO_LIMITS, False
    live = live_stages(stages, values) if number == len(stages) else [number]
    guards = {tuple(map(equalities.comparison, stages[n].guards)) for n in live}
    limits = _all_limits((each for several in guards for each in several), ())
    if limits is None:
        return None
    if len(guards) == 1:
        for fact in next(iter(guards)):
            needed = _exact(fact)
            if needed is None or not all(map(may, needed)):
                return None
            assumed += needed
        domain = limits
    elif found is not None:
        found, guarded = (found[0] + limits, found[1]), True
    if found is None or not _is_whole(domain, periods):
        return None
    inside, settled = found
    ends = tuple((period,) if period is not None else () for period in periods)
    inside += replace(NO_LIMITS, end=(*ends, *NO_LIMITS.end[len(ends) :]))
    some = [period - _ONE for period in periods if period is not None]
    domain += replace(NO_LIMITS, when=tuple(some))  # else nothing comes again
    numbers = {id(stage): n for n, stage in enumerate(before)}
    bordered = (r.again.outside or any(map(_has_borders, r.again.point)) for r in reads[key])
    chosen = (a for a in loads_of(before, values) if a.form is not None and _has_borders(a.form))
    split = any(bordered) or any((numbers[id(a.stage)], a.number) in settled for a in chosen)
    split = split or any(ends)
    made: dict[Key, list[tuple[Interval, ...]]] = {}
    for r in reads[key]:
        made.setdefault((r.again.producer, r.again.memory), []).append(r.reach)
    type_ = _type_of(stages[number], memory) if memory else ""
    read = {  # each element once
        (r.again.memory, r.straight): size_of(r.access.type)
        * rounds_of(Form(), stages, *r.again.point)
        for r in reads[key]
    }
    kept = (size_of(type_) if memory else 0) + sum(read.values())
    loads = {
        (a.memory.name, a.form or Form()): size_of(a.type) * rounds_of(a.form or Form(), stages)
        for a in loads_of(before, values)
        if a.form is None or a.form.mentions(GLOBAL_ID)  # all items load the others
    }
    return Level(
        key,
        type_,
        tuple(reach),
        rows,
        made,
        domain,
        inside,
        settled,
        periods,
        split,
        guarded,
        loads,
        kept,
    )


def _is_whole(domain: Limits, periods: Periods) -> bool:
    """It has the items up to the periods, and no others."""
    sides = zip(periods, domain.first, domain.end, strict=False)
    return all(period is None or (not first and end == (period,)) for period, first, end in sides)


def _type_of(stage: Stage, memory: str) -> str:
    return next(a.type for a in stage.accesses if a.memory.name == memory and a.access.mode.writes)


def _inside(
    stages: Sequence[Stage],
    values: GroupValues,
    equalities: Equalities,
    reads: Sequence[_Read],
) -> tuple[Limits, dict[tuple[int, int], Form | Point]] | None:
    """The limits within which offsets are constant, and what accesses are there."""
    inside = NO_LIMITS
    settled: dict[tuple[int, int], Form | Point] = {}
    for each in reads:
        limits = _all_limits(each.facts, each.access.facts)
        if limits is None:
            return None
        inside += limits
        settled[each.again.reader, each.again.access] = each.straight
    numbers = {id(stage): number for number, stage in enumerate(stages)}
    for access in (_equal(each, equalities) for each in loads_of(stages, values)):
        plain = access.access.plain and access.access.mode is Mode.READ
        plain = plain and not (access.access.texel or access.access.unit or access.access.seen_as)
        if access.form is None or access.narrow or not plain:
            continue
        form, when = straight(access.form)
        limits = _all_limits(when, access.facts)
        written = all(can_be_written(access, atom) for atom in form.everything)
        if limits is not None and not form.choices and written:
            inside += limits
            settled[numbers[id(access.stage)], access.number] = form
    return inside, settled


# Which side of a choice is taken away from borders, and where that is


_FAR = 1 << 40
_MIDDLE = 1 << 20


def _typical(form: Form) -> int:
    """Its value for an item in the middle of something large."""
    total = 0
    for monomial, factor in form.terms:
        for atom in monomial:
            factor *= _typical_atom(atom)
        total += factor
    return total


def _typical_atom(atom: Atom) -> int:
    if isinstance(atom, Id):
        return _MIDDLE + atom.dimension
    if isinstance(atom, LoopVariable):
        return 0
    if isinstance(atom, Quotient):
        by = _typical(atom.divisor)
        return _typical(atom.dividend) // by if by else 0
    if isinstance(atom, Choice):
        return _typical(atom.then if all(map(_is_typical, atom.when)) else atom.otherwise)
    if isinstance(atom, Listed):
        return max(min(0, atom.ends[1]), atom.ends[0])
    return _FAR


def _is_typical(comparison: Comparison) -> bool:
    left, right = _typical(comparison.left), _typical(comparison.right)
    return {
        "<": left < right,
        "<=": left <= right,
        "==": left == right,
        "!=": left != right,
    }[comparison.op]


def straight(form: Form) -> tuple[Form, list[Comparison]]:
    """Without choices, and parts of what wraps around, as in the middle; and what must hold for
    that."""
    facts: list[Comparison] = []
    while quotient := next(filter(_wraps_around, form.everything), None):
        assert isinstance(quotient, Quotient)
        rounds = number(_typical_atom(quotient))
        rest = quotient.dividend - rounds * quotient.divisor
        facts.append(Comparison("<=", Form(), rest, "long"))
        facts.append(Comparison("<", rest, quotient.divisor, "long"))
        form = form.replace({quotient: rounds})
    while form.choices:
        choice = min(form.choices, key=lambda each: (len(str(each)), str(each)))
        wrong = next((each for each in choice.when if not _is_typical(each)), None)
        facts += choice.when if wrong is None else (wrong.negated,)
        side = choice.then if wrong is None else choice.otherwise
        form = form.replace({choice: side})
    return form, facts if is_on(IN_LIMITS) else []


def _has_borders(form: Form) -> bool:
    return bool(form.choices) or any(map(_wraps_around, form.everything))


def _wraps_around(atom: Atom) -> bool:
    """`(x + 1) / w` of `(x + 1) % w`, which is 0 in the middle, or 1."""
    return (
        isinstance(atom, Quotient)
        and isinstance(atom.divisor.single, Value)
        and not is_unsigned(atom.type)
        and not any(isinstance(inner, Composite) for inner in atom.dividend.everything)
        and _typical_atom(atom) in (0, 1)
    )


NO_LIMITS = Limits(((),) * 3, ((),) * 3)
_ONE = number(1)  # where a number of a stage is called so


def _all_limits(facts: Iterable[Comparison], known: Sequence[Comparison]) -> Limits | None:
    """Of ids, for which all of it holds. `known`: how far loops count."""
    found = NO_LIMITS
    for fact in facts:
        if is_unsigned(fact.type) and any(map(_wraps, (fact.left, fact.right))):
            return None
        for room in _rooms(fact):
            limits = _limits(room, known)
            if limits is None:
                return None
            found += limits
    return found


def _exact(fact: Comparison) -> list[AtLeast] | None:
    """What must hold for the comparison to hold just where its limits do; None: they are less."""
    if not is_on(EXACT):
        return []
    atoms = (*fact.left.everything, *fact.right.everything)
    if any(isinstance(atom, LoopVariable | Listed) for atom in atoms):
        return None  # they are those of the values that leave least
    if fact.op == "==":
        return []
    if fact.op == "!=":
        zero = not (fact.left.terms and fact.right.terms)
        return [] if zero and isinstance((fact.left + fact.right).single, Id) else None
    if not is_unsigned(fact.type):
        return []
    id_, end = (
        (fact.right, fact.left) if fact.right.mentions(GLOBAL_ID) else (fact.left, fact.right)
    )
    if id_ is fact.right and id_.constant < 0:
        return None  # `5 <= x - 1` holds for 0, too
    value = end.single
    if end.is_constant:
        return [] if end.constant >= 0 else None
    if not isinstance(value, Value):
        return None  # it may have wrapped around
    return [] if is_unsigned(value.type) else [AtLeast(value.key, 0, value.type)]


def _wraps(form: Form) -> bool:
    """Without sign it may be less than the sum is: `n + 1`, `x + n`."""
    more = [m for m, f in form.terms for _ in range(min(f, 2))]
    return len(more) > 1 and any(isinstance(atom, Value) for m in more for atom in m)


def _rooms(fact: Comparison) -> Iterator[Form]:
    """What must not be negative, for which it is enough."""
    if is_unsigned(fact.type):
        yield fact.left  # and then the other side is not, either
    if fact.op in ("<", "<="):
        yield fact.right - fact.left - number(fact.op == "<")
    elif fact.op == "!=":
        difference = fact.right - fact.left
        yield (difference if _typical(difference) > 0 else -difference) - number(1)
    else:
        yield fact.right - fact.left
        yield fact.left - fact.right


def _limits(room: Form, known: Sequence[Comparison]) -> Limits | None:
    """Of the one id in it, so that it is not negative."""
    worst = _least(room, known)
    if worst is None:
        return None
    ids = [(m, f) for m, f in worst.terms if any(isinstance(atom, Id) for atom in m)]
    if not ids and worst.is_constant and worst.constant >= 0:
        return NO_LIMITS
    if not ids and _is_plain(worst):
        return replace(NO_LIMITS, when=(worst,))
    if len(ids) != 1 or len(ids[0][0]) != 1 or abs(ids[0][1]) != 1:
        return None
    ((id_,), factor) = ids[0]
    rest = worst - Form((((id_,), factor),))
    plain = isinstance(id_, Id) and id_.kind == GLOBAL_ID and id_.dimension < 3
    if not plain or not isinstance(id_, Id) or not _is_plain(rest):
        return None
    first: list[tuple[Form, ...]] = [()] * 3
    end = list(first)
    if factor > 0:
        first[id_.dimension] = (-rest,)
    else:
        end[id_.dimension] = (rest + number(1),)
    return Limits(tuple(first), tuple(end))


def _is_plain(form: Form) -> bool:
    """Of scalars of 32 bits, so that it can be computed in 64."""
    wide = all(len(m) <= 1 and abs(f) < _MIDDLE for m, f in form.terms)
    composite = any(isinstance(atom, Composite | Id) for atom in form.everything)
    return (
        wide and not composite and all(_has_32_bits(v.type) and is_given(v) for v in form.scalars)
    )


def _has_32_bits(type_: str) -> bool:
    return INTEGERS.get(type_, (64, False))[0] <= 32


def loop_ends(variable: LoopVariable, known: Sequence[Comparison]) -> Interval | None:
    """Of a loop that counts from one number to another."""
    own = form_of(variable)
    ends = [
        f.right.constant - (f.op == "<")
        for f in known
        if f.left == own and f.right.is_constant and f.op in ("<", "<=")
    ]
    starts = [
        f.left.constant + (f.op == "<")
        for f in known
        if f.right == own and f.left.is_constant and f.op in ("<", "<=")
    ]
    return (max(starts), min(ends)) if starts and ends else None


def span_of(form: Form, known: Sequence[Comparison]) -> Interval | None:
    """From where to where it is, if it depends on loops alone."""
    low, high = _least(form, known), _least(-form, known)
    if low is None or high is None or not (low.is_constant and high.is_constant):
        return None
    return low.constant, -high.constant


def _least(form: Form, known: Sequence[Comparison]) -> Form | None:
    """With variables of loops where they make it least."""
    new: dict[Atom, Form] = {}
    for (monomial, factor), atom in product(form.terms, form.everything):
        if not isinstance(atom, LoopVariable | Listed) or atom not in monomial:
            continue
        ends = atom.ends if isinstance(atom, Listed) else loop_ends(atom, known)
        if ends is None or len(monomial) != 1:
            return None
        new[atom] = number(ends[0] if factor > 0 else ends[1])
    form = form.replace(new)
    return None if form.in_loop else form
