"""Launches whose items are some of another launch's: in what place?

In: the stages of a region, and which pairs of them may share a kernel as they are. Out: the
stages, of which some stand in the frame of another one. A launch over `w*h` items may be the rows
of one over `(w, h)`; and the items of one that works at `i + 1` are those of a launch over all
elements whose ids are higher by one.

It is only asked where launches could not share a kernel otherwise, and whether they can in these
places is asked as of all others: by comparing what items touch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product

from kfusion.graph.bind import BoundAccess, Stage
from kfusion.graph.model import Extent, InRows, Oracle, Shifted
from kfusion.graph.ranges import asks_for_nothing_else, bounds_of
from kfusion.graph.unify import Equalities
from kfusion.kernel.forms import COMPARED, GLOBAL_ID, Form, Id, Value, form_of, of_items
from kfusion.kernel.items import asks_for_its_id_only
from kfusion.source.protections import is_on, protection

ROWS = protection("rows", "in rows, all items do something that are within scalar bounds")
EXTENTS = protection("extents", "in a frame, a launch has no items but its own")


def placements(
    stages: Sequence[Stage], legal: Callable[[int, int], bool], oracle: Oracle
) -> list[Stage]:
    """Each in one frame at the most, which is in none."""
    placed: dict[int, Stage] = {}
    frames: set[int] = set()

    def place(one: int, other: int) -> bool:
        """Where the other one stands."""
        beside = placed.get(other, stages[other])
        frame = stages.index(beside.frame or beside)
        if one in placed or one in frames or one == frame:
            return False
        stage = _rows(stages[one], stages[frame], oracle)
        stage = stage or _shifted(stages[one], stages[other], beside, oracle)
        if stage is not None:
            placed[one] = stage
            frames.add(frame)
        return stage is not None

    for q in range(len(stages)):
        for p in reversed(range(q)):
            apart = p in placed or not legal(p, q)
            if apart and any(_meetings(stages[p], stages[q])) and not place(q, p):
                place(p, q)
    return [placed.get(number, stage) for number, stage in enumerate(stages)]


def _meetings(p: Stage, q: Stage) -> Iterator[tuple[BoundAccess, BoundAccess]]:
    """Accesses to the same buffer, of which one is a store."""
    for a, b in product(p.accesses, q.accesses):
        if a.access.texel is not None or b.access.texel is not None:
            continue  # no kernel reads and writes an image, wherever its items stand
        if a.memory.name == b.memory.name and (a.access.mode.writes or b.access.mode.writes):
            yield a, b


def _may_move(stage: Stage) -> bool:
    kernel = stage.invocation.kernel
    return (
        not kernel.features
        and kernel.required_size is None
        and asks_for_nothing_else(stage)
        and asks_for_its_id_only(kernel, stage.invocation.range.dimensions)
    )


def _rows(one: Stage, frame: Stage, oracle: Oracle) -> Stage | None:
    """The stage in one dimension as rows of the frame."""
    a, b = one.invocation, frame.invocation
    if not 1 == a.range.dimensions < b.range.dimensions or b.range.offset or not _may_move(one):
        return None
    end, extents = bounds_of(one), bounds_of(frame)
    bounded = len(one.guards) == len(end) and len(frame.guards) == len(extents)
    if is_on(ROWS) and not bounded:
        return None
    if any(bound.times for bound in extents):
        return None
    rows = InRows(a.index, b.index, tuple(extents), end[0] if end else None)
    return Stage(a, rows, frame) if oracle.in_rows(a, b, rows) else None


def _shifted(one: Stage, other: Stage, beside: Stage, oracle: Oracle) -> Stage | None:
    """The stage at the elements at which the other one works, which stands in a frame itself."""
    frame = beside.frame or beside
    a, b = one.invocation, frame.invocation
    if a.range.dimensions != b.range.dimensions or b.range.offset or not _may_move(one):
        return None
    if isinstance(beside.placement, InRows):
        return None
    start = beside.placement.by if beside.placement is not None else (0,) * a.range.dimensions
    extents = _extents(one, oracle)
    ways = dict.fromkeys(_distance(x, y, oracle) for x, y in _meetings(other, one))
    for way in ways if extents else ():
        by = tuple(at + step for at, step in zip(start, way or (), strict=False))
        below = any(at + extent.first < 0 for at, extent in zip(by, extents, strict=False))
        stays = not any(by) and oracle.same_range(a, b) is None
        if way is None or below or stays:
            continue
        shifted = Shifted(a.index, b.index, by, tuple(extents))
        if oracle.shifted(a, b, shifted):
            return Stage(a, shifted, frame)
    return None


def _distance(a: BoundAccess, b: BoundAccess, oracle: Oracle) -> tuple[int, ...] | None:
    """By how much ids of `a` are higher than those of `b` where both are at one element."""
    if a.form is None or b.form is None:
        return None
    equalities = Equalities({**a.stage.scalars, **b.stage.scalars}, oracle)
    equalities.same_form(of_items(a.form), of_items(b.form))
    at = equalities.form(a.form)
    left = equalities.form(b.form) - at
    found: list[int] = []
    for d in reversed(range(a.stage.range.dimensions)):
        id_ = Id(GLOBAL_ID, d)
        factors = [tuple(x for x in m if x != id_) for m, f in at.terms if id_ in m and f == 1]
        if len(factors) != 1:
            return None
        step = next((f for m, f in left.terms if m == factors[0]), 0)
        found.insert(0, step)
        left = Form(tuple((m, f) for m, f in left.terms if m != factors[0]))
    return tuple(found) if not left.terms else None


def _extents(stage: Stage, oracle: Oracle) -> list[Extent]:
    """By dimension the ids that do something; none: guards say more than that.

    `i <= n - 2` is no end: where that is `i <= -1`, no item does something, or all, without sign.
    """
    found: list[Extent] = []
    told = 0
    for d in range(stage.invocation.range.dimensions):
        id_ = form_of(Id(GLOBAL_ID, d))
        first, ends = 0, list[Extent]()
        for guard in stage.guards:
            if guard.op not in ("<", "<=") or id_ not in (guard.left, guard.right):
                continue
            other = guard.right if guard.left == id_ else guard.left
            scalar = _scalar_of(other, stage)
            if guard.right == id_ and other.is_constant:
                first = max(first, other.constant + (guard.op == "<"))
                told += 1
            elif guard.left == id_ and guard.op == "<" and scalar is not None:
                ends.append(Extent(0, scalar.key, scalar.type, other.constant, whole=False))
                told += 1
        ends = ends or _of_size(stage, d, oracle)
        if len(ends) != 1:
            return []
        found.append(Extent(first, ends[0].scalar, ends[0].type, ends[0].more, ends[0].whole))
    return found if told == len(stage.guards) or not is_on(EXTENTS) else []


def _scalar_of(form: Form, stage: Stage) -> Value | None:
    """Of a scalar and a number."""
    values = [(m, f) for m, f in form.terms if m]
    if len(values) != 1 or len(values[0][0]) != 1 or values[0][1] != 1:
        return None
    value = values[0][0][0]
    known = isinstance(value, Value) and value.compared and value.name in stage.scalars
    return value if known and isinstance(value, Value) else None


def _of_size(stage: Stage, dimension: int, oracle: Oracle) -> list[Extent]:
    """Where no guard ends the items of a launch, its size does."""
    for parameter in stage.invocation.kernel.parameters:
        scalar = stage.scalars.get(getattr(stage.arguments.get(parameter.name), "name", ""))
        if scalar is None or parameter.canonical not in COMPARED:
            continue
        more = oracle.ends(stage.invocation, dimension, scalar)
        if more is not None:
            return [Extent(0, scalar.name, parameter.canonical, more, whole=True)]
    return []
