"""Random pipelines of stencils, written as people write them, with what the judge needs to know."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import numpy as np
from pyopencl import cltypes

from kfusion.checks import number_in
from kfusion.kernel.forms import part_called
from tests.random import places
from tests.stencils.judge import Group, Point, Stage, Store, filled, may_be
from tests.stencils.kernels import CLIPS, Written, written

BUFFERS = "abcefg"  # "d" is a depth
EXTENTS = {
    1: [[1, 2, 3, 5, 7, 13, 16, 31, 64]],
    2: [[1, 2, 3, 5, 7, 8, 13, 17], [1, 2, 3, 4, 6, 7, 11]],
    3: [[1, 2, 3, 4, 5, 7], [1, 3, 4, 5], [1, 2, 3, 5]],
}
LARGE = [  # for groups that march
    [[1, 3, 8, 13, 17, 29, 34, 47], [1, 2, 4, 7, 11, 19, 26]],
    [[1, 4, 13, 19, 23, 34], [1, 2, 11, 19, 22, 35], [1, 2, 5, 8, 11]],
]
LARGEST = {1: 16, 2: 7, 3: 4}  # extents that the judge tries: it takes its time


class Scalars(dict[str, Any]):
    """What calls are given, by name; also the numbers in structures and vectors."""

    def __missing__(self, key: str) -> int:
        part = part_called(key)
        if part is None:
            raise KeyError(key)
        return number_in(self[part.name], part)


@dataclass(frozen=True)
class Given:
    """How kernels get the extents: as they are, or in a structure or vector of this type."""

    type: str = ""
    members: str = "whd"  # what they are called there

    def text(self, kernel: str, prefix: str) -> str:
        if not self.type:
            return kernel
        before, head, after = kernel.partition("__kernel void")
        after = re.sub(r"int w(, int h)?(, int d)?\)", f"{self.type.format(prefix)} all)", after)
        for extent, member in zip("whd", self.members, strict=True):
            after = re.sub(rf"(?<!\.)\b{extent}\b", f"all.{member}", after)
        return before + head + after

    def head(self, prefix: str) -> str:
        text = f"typedef struct {{ char k; int h, d, w; }} {self.type.format(prefix)};\n"
        return text if self is STRUCTURE else ""

    def scalars(self, size: Point) -> Scalars:
        extents = dict(zip("whd", size, strict=False))
        if not self.type:
            return Scalars(extents)
        type_ = cltypes.int4 if self is VECTOR else _SIZE
        whole = np.zeros(1, type_)
        for extent, member in zip("whd", self.members, strict=True):
            whole[member] = extents.get(extent, 0)
        return Scalars(all=whole[0])


APART, STRUCTURE, VECTOR = Given(), Given("{}_size"), Given("int4", "yxw")
_SIZE = np.dtype([("k", "i1"), ("h", "i4"), ("d", "i4"), ("w", "i4")], align=True)


@dataclass(frozen=True)
class Call(places.Call):
    does: Written

    def stage(self, size: Point) -> Stage:
        # The kernel was written for the buffers of its first launch.
        to = dict(zip(self.does.buffers, self.buffers, strict=True))
        launch = tuple(range(m, n - m) for m, n in zip(self.does.margin, size, strict=True))
        reads = tuple(replace(read, buffer=to[read.buffer]) for read in self.does.reads)
        stores = tuple(Store(to[name], (0,) * len(size)) for name in self.does.stores)
        return Stage(self.name, reads, stores, size, launch, self.does.holds)


@dataclass(frozen=True)
class Pipeline(places.Pipeline):
    calls: tuple[Call, ...]
    head: str
    type: str
    size: Point

    @property
    def source(self) -> str:
        return self.head + super().source

    @property
    def observed(self) -> frozenset[str]:
        return frozenset(BUFFERS) if self.out is None else self.out

    @property
    def tried(self) -> Point:
        """The size that the judge tries."""
        return tuple(min(extent, LARGEST[len(self.size)]) for extent in self.size)

    def may_be(self, groups: Sequence[tuple[tuple[int, ...], frozenset[str] | None]]) -> bool:
        """Whether kernels of these calls, which store so much (None: all), leave what they do."""
        stages = [call.stage(self.tried) for call in self.calls]
        made = [
            Group(tuple(stages[n] for n in calls), frozenset(BUFFERS) if kept is None else kept)
            for calls, kept in groups
        ]
        return may_be(made, stages, filled(BUFFERS, self.tried), self.observed)

    @property
    def may_be_one(self) -> bool:
        return self.may_be([(tuple(range(len(self.calls))), self.observed)])


def pipeline(random: Random, prefix: str, *, large: bool = False) -> Pipeline:
    extents = EXTENTS[random.choice([1, 1, 2, 2, 2, 2, 3])]
    extents = random.choice([*LARGE[:1] * 3, LARGE[1]]) if large else extents
    size = tuple(random.choice(each) for each in extents)
    type_ = random.choice(["float"] * 6 + ["int"] * 2 + ["double", "float4"])
    rounded = random.random() < 0.4
    given = random.choice([APART, APART, APART, STRUCTURE, VECTOR])
    count = 0

    def call(inputs: dict[str, bool], outputs: list[str], colour: int | None = None) -> Call:
        nonlocal count
        count += 1
        name = f"{prefix}_{count}"
        # Most launches have as many items as the others.
        more = rounded if random.random() < 0.8 else not rounded
        does = written(random, name, size, type_, inputs, outputs, colour=colour, rounded=more)
        return Call(name, does.buffers, does.size, given.text(does.text, prefix), does)

    calls = random.choice([_chain] * 8 + [_steps, _colours])(random, call)
    last = {store.buffer for store in calls[-1].stage(size).stores}
    out = frozenset(last | set(random.sample(BUFFERS, random.choice([0, 0, 0, 1, 2]))))
    return Pipeline(
        tuple(calls),
        given.scalars(size),
        None if random.random() < 0.15 else out,
        CLIPS.format(prefix) + given.head(prefix),
        type_,
        size,
    )


# Inputs, each with whether its neighbours are read, and outputs.
Make = Callable[..., Call]


def _chain(random: Random, call: Make) -> list[Call]:
    """Each reads what the one before has made, or not; and stores to a new buffer, or not."""
    calls: list[Call] = []
    last, *fresh = random.sample(BUFFERS, len(BUFFERS))
    for _ in range(random.choice([2, 2, 3, 3, 4, 5])):
        if random.random() < 0.15:
            last = random.choice(BUFFERS)
        near = random.random() < 0.7
        inputs = {last: near}
        for other in random.sample(BUFFERS, random.choice([0, 0, 1, 1, 2])):
            inputs.setdefault(other, near and random.random() < 0.4)
        free = [name for name in BUFFERS if not inputs.get(name)]
        new = [name for name in fresh if name in free]
        output = random.choice(new if new and random.random() < 0.75 else free)
        more = [name for name in free if name != output] if random.random() < 0.25 else []
        calls.append(call(inputs, [output, *random.sample(more, min(len(more), 1))]))
        fresh = [name for name in fresh if name not in calls[-1].does.stores]
        last = output
    return calls


def _steps(random: Random, call: Make) -> list[Call]:
    """One kernel again and again, over two buffers or more by turns."""
    states = random.sample(BUFFERS, random.choice([2, 2, 3, 4]))
    older = {states[1]: False} if len(states) > 2 and random.random() < 0.5 else {}
    calls = [call({states[0]: True, **older}, [states[1 + len(older)]])]
    for step in range(1, random.randint(2, 4)):
        turn = {name: states[(k + step) % len(states)] for k, name in enumerate(states)}
        buffers = tuple(turn.get(name, name) for name in calls[0].buffers)
        calls.append(replace(calls[0], buffers=buffers, text=""))
    return calls


def _colours(random: Random, call: Make) -> list[Call]:
    """In place: each launch updates every second element from those between."""
    name, other = random.sample(BUFFERS, 2)
    both = [call({name: True}, [name], colour) for colour in (0, 1)]
    return [*both, call({name: True}, [other])]
