"""What the levels of a group load from memory, as levels of their own.

In: levels (levels.py). Out: the *sources*, each with the elements of one memory that an item loads
for itself and its neighbours; and the levels as they read them. Only loads away from borders are
of sources: there offsets are constant.

More is loaded than an item needs: what it is to be for others, and its own column in rows that only
others' columns are needed of. In three dimensions groups load what is around their tiles, too. All
of it must be in memory, so it is between elements that are loaded by what was written, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product

from kfusion.graph.again import saved_by
from kfusion.graph.bind import BoundAccess, Stage
from kfusion.graph.levels import NO_LIMITS, Interval, Key, Level, Levels, span_of
from kfusion.graph.points import Point, place_of
from kfusion.graph.values import GroupValues
from kfusion.kernel.any_values import FLOATS, takes_any_values
from kfusion.kernel.forms import GLOBAL_ID, Form, Id, LoopVariable, form_of
from kfusion.source.dataclasses import dataclass
from kfusion.source.protections import is_on, protection

ANY_VALUES = protection("any-values", "what marches computes may be computed of any values")
IN_MEMORY = protection("in-memory", "what is loaded for neighbours is among what was loaded")

Load = tuple[int, int]  # position of a stage in the group, number of the access
Box = tuple[Interval, ...]
_ZERO = (0, 0)


@dataclass(frozen=True)
class Source:
    level: Level
    form: Form  # the index of an item's own element
    load: Load  # one of its loads
    # In three dimensions, what a group loads beside its items: from one of them, but for the planes
    # from an item of the last level. One box, or one for each dimension without what is in corners.
    beside: tuple[Box, ...]


@dataclass(frozen=True)
class Sources:
    sources: tuple[Source, ...]
    walked: tuple[Level, ...]  # the levels, as they read sources
    loads: Mapping[Load, Key]


@dataclass(frozen=True)
class _Read:
    load: Load
    level: Level
    access: BoundAccess
    point: Point

    @property
    def offsets(self) -> tuple[Form, ...]:
        return tuple(form - form_of(Id(GLOBAL_ID, d)) for d, form in enumerate(self.point))

    @property
    def window(self) -> Box | None:
        found = [span_of(form, self.access.facts) for form in self.offsets]
        spans = tuple(each for each in found if each is not None)
        return spans if len(spans) == len(found) else None

    @property
    def is_box(self) -> bool:
        """All that is in the window is loaded."""
        loops = [
            {a for a in form.everything if isinstance(a, LoopVariable)} for form in self.offsets
        ]
        apart = sum(map(len, loops)) == len(set().union(*loops))
        return self.access.access.every_item and apart


def written_by(stages: Sequence[Stage]) -> set[str]:
    return {name for stage in stages for name in stage.written}


def take_any_values(stages: Sequence[Stage], of: set[str]) -> bool:
    """Whatever elements of the memories are."""
    return not is_on(ANY_VALUES) or all(
        takes_any_values(
            stage.invocation.kernel, [p.name for p, memory in stage.buffers if memory.name in of]
        )
        for stage in stages
    )


def sources_of(levels: Levels, stages: Sequence[Stage], values: GroupValues) -> Sources:
    """Items at both ends of a group have no neighbours that load for them."""
    every = (*levels.levels, levels.last)
    stored = saved_by(stages, values)
    passed = written_by(stages)
    found: dict[tuple[str, Form], list[_Read]] = {}
    for level in every:
        for load, form in level.straight.items():
            access = stages[load[0]].access(load[1])
            if not isinstance(form, Form) or access.memory.name in stored:
                continue
            place = place_of(form, len(level.reach)) if access.type in FLOATS else None
            if place is not None:
                of = access.memory.name, place[0]
                found.setdefault(of, []).append(_Read(load, level, access, place[1]))
    sources: list[Source] = []
    keys: dict[Load, Key] = {}
    reads: dict[Key, dict[Key, list[Box]]] = {level.key: {} for level in every}
    points: dict[Key, dict[Load, Point]] = {level.key: {} for level in every}
    for (memory, form), several in found.items():
        windows = [window for each in several if (window := each.window) is not None]
        if len(windows) < len(several):
            continue
        boxes = [_from_last(r.level, w) for r, w in zip(several, windows, strict=True)]
        beside = _beside(boxes) if len(levels.last.reach) > 2 else ()
        own = (_ZERO,) * (len(boxes[0]) - 1)
        there = [box for read, box in zip(several, boxes, strict=True) if read.is_box]
        if not _in_memory([(*own, _around(boxes)[-1]), *beside], there):
            continue
        readers = [stages[r.load[0]] for r in several if r.level is not levels.last]
        if not take_any_values(readers, {*passed, memory}):
            continue
        passed.add(memory)
        key = -1 - len(sources), memory
        reach = _around(
            [
                tuple(
                    (low + a, high + b)
                    for (low, high), (a, b) in zip(r.level.reach, w, strict=True)
                )
                for r, w in zip(several, windows, strict=True)
            ]
        )
        type_ = several[0].access.type
        level = Level(
            key,
            type_,
            reach,
            1,
            {},
            NO_LIMITS,
            NO_LIMITS,
            {},
            (None,) * len(reach),
            split=False,
            guarded=False,
            loads={},
            kept=0,
        )
        sources.append(Source(level, form, several[0].load, beside))
        for read, window in zip(several, windows, strict=True):
            keys[read.load] = key
            reads[read.level.key].setdefault(key, []).append(window)
            points[read.level.key][read.load] = read.point
    walked = tuple(
        replace(
            level,
            reads={**level.reads, **reads[level.key]},
            straight={**level.straight, **points[level.key]},
        )
        for level in every
    )
    return Sources(tuple(sources), walked, keys)


def _from_last(level: Level, window: Box) -> Box:
    """Rows, or planes, from an item of the last level; what else there is, from the one that
    reads: all items of a group are inside of what the program makes of the level."""
    (low, high), (a, b) = level.reach[-1], window[-1]
    return *window[:-1], (low + a, high + b)


def _around(boxes: Sequence[Box]) -> Box:
    sides = [list(zip(*each, strict=True)) for each in zip(*boxes, strict=True)]
    return tuple((min(lows), max(highs)) for lows, highs in sides)


def _beside(boxes: Sequence[Box]) -> tuple[Box, ...]:
    others = [box for box in boxes if box[:2] != (_ZERO, _ZERO)]
    if not others:
        return ()
    across, along, planes = _around([*others, (_ZERO, _ZERO, others[0][2])])
    if any(_ZERO not in box[:2] for box in others):
        return ((across, along, planes),)
    return (across, _ZERO, planes), (_ZERO, along, planes)


def _in_memory(loaded: Sequence[Box], there: Sequence[Box]) -> bool:
    """Whether what is loaded has no element in front of all that the program loads, or behind:
    whatever the pitches are, and if they are less than 0, too."""
    if not is_on(IN_MEMORY):
        return True
    return all(
        any(
            all(
                found[side] >= end[side] if side else found[side] <= end[side]
                for side, found, end in zip(sides, box, wanted, strict=True)
            )
            for box in there
        )
        for wanted in loaded
        for sides in product((0, 1), repeat=len(wanted))
    )
