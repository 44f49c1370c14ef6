"""What the levels of a group load from memory, as levels of their own.

In: levels (levels.py). Out: the *sources*, each with the elements of one memory that an item loads
for itself and its neighbours; and the levels as they read them. Only loads away from borders are
of sources: there offsets are constant.

More is loaded than an item needs: what it is to be for others, and its own column in rows that only
others' columns are needed of. All of it must be in memory, so it is between elements that are
loaded by what was written, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

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


@dataclass(frozen=True)
class Source:
    level: Level
    form: Form  # the index of an item's own element
    load: Load  # one of its loads


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
    def window(self) -> tuple[Interval, ...] | None:
        found = [span_of(form, self.access.facts) for form in self.offsets]
        spans = tuple(each for each in found if each is not None)
        return spans if len(spans) == len(found) else None

    @property
    def is_box(self) -> bool:
        """All that is in the window is loaded."""
        across, down = (
            {a for a in form.everything if isinstance(a, LoopVariable)} for form in self.offsets
        )
        return self.access.access.every_item and not across & down


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
    reads: dict[Key, dict[Key, list[tuple[Interval, ...]]]] = {level.key: {} for level in every}
    points: dict[Key, dict[Load, Point]] = {level.key: {} for level in every}
    for (memory, form), several in found.items():
        windows = [window for each in several if (window := each.window) is not None]
        if len(windows) < len(several) or not _in_memory(several, windows):
            continue
        readers = [stages[r.load[0]] for r in several if r.level is not levels.last]
        if not take_any_values(readers, {*passed, memory}):
            continue
        passed.add(memory)
        key = -1 - len(sources), memory
        reach = _reach([_beside(r.level, w) for r, w in zip(several, windows, strict=True)])
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
            split=False,
            guarded=False,
            loads={},
            kept=0,
        )
        sources.append(Source(level, form, several[0].load))
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


def _beside(level: Level, window: tuple[Interval, ...]) -> tuple[Interval, ...]:
    """From an item of the last level."""
    pairs = zip(level.reach, window, strict=True)
    return tuple((low + a, high + b) for (low, high), (a, b) in pairs)


def _reach(windows: Sequence[tuple[Interval, ...]]) -> tuple[Interval, Interval]:
    sides = [list(zip(*each, strict=True)) for each in zip(*windows, strict=True)]
    across, down = ((min(lows), max(highs)) for lows, highs in sides)
    return across, down


def _in_memory(reads: Sequence[_Read], windows: Sequence[tuple[Interval, ...]]) -> bool:
    """The first and the last row are loaded from an item's own column, or one before it, on; and
    up to its own, or one behind."""
    if not is_on(IN_MEMORY):
        return True
    beside = [_beside(read.level, window) for read, window in zip(reads, windows, strict=True)]
    _, rows = _reach(beside)
    for row, side in zip(rows, (0, 1), strict=True):
        there = [
            window[0]
            for read, window, around in zip(reads, windows, beside, strict=True)
            if read.is_box and around[1][side] == row
        ]
        if not there or min(low for low, _ in there) > 0 or max(high for _, high in there) < 0:
            return False
    return True
