"""Random launches over several ranges, of which some may stand in the frame of another one.

Each works at elements of its own, a constant away from its ids, or at all elements of the rows;
some read neighbours, or have guards that are no bounds. The oracle knows all numbers, and so is
right about what the generated function of a C program would compare.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from kfusion.graph.known import Known, widest
from kfusion.graph.model import (
    Invocation,
    LaunchRange,
    Memory,
    Placement,
    RegionPlan,
    Scalar,
)
from kfusion.synthesis.model import FusedKernel
from tests.support.kernel_side import kernels_of

BUFFERS = "abcde"
ELEMENTS = 256
Launch = tuple[str, tuple[str | int, ...], tuple[int, ...], tuple[int, ...] | None]
OTHER_GUARDS = ("!({} % 3 == 1)", "{} != 4", "p1[0] > 0")


@dataclass(frozen=True)
class Call:
    name: str
    buffers: tuple[str, ...]  # the first one is written
    size: tuple[int, ...]
    text: str


@dataclass(frozen=True)
class Pipeline:
    calls: tuple[Call, ...]
    scalars: dict[str, int]  # the last arguments of all calls: w, h, n = w*h
    out: frozenset[str] | None

    @property
    def source(self) -> str:
        return "".join(call.text for call in self.calls)


def pipeline(random: Random, prefix: str) -> Pipeline:
    w, h = random.choice([(1, 1), (5, 1), (4, 3), (8, 5), (7, 9), (9, 8)])
    scalars = {"w": w, "h": h, "n": w * h}
    calls: list[Call] = []
    for number in range(random.randint(2, 5)):
        flat = random.random() < 0.4
        make = _flat if flat else _rows
        calls.append(make(random, f"{prefix}_{number}", scalars))
    out = frozenset(random.sample(BUFFERS, random.randint(1, 3))) if random.random() < 0.7 else None
    return Pipeline(tuple(calls), scalars, out)


def _rows(random: Random, name: str, scalars: dict[str, int]) -> Call:
    """In two dimensions; ids begin `first` elements before the first column and row."""
    parts: list[str] = []
    guards: list[str] = []
    size: list[int] = []
    for d, (variable, end) in enumerate((("x", "w"), ("y", "h"))):
        step, less = random.choice([(0, 0), (0, 0), (1, 1), (1, 2), (0, 1), (2, 2)])
        count = scalars[end] - less  # of ids that do something
        # Without sign, less than none is nearly all: items of two rows would meet.
        kind = random.choice(["int", "size_t", "uint"] if count > 0 else ["int"])
        parts.append(f"const {kind} {variable} = get_global_id({d}) + {step};".replace(" + 0", ""))
        if random.random() < 0.5 or count <= 0:
            told = [f"{variable} < {end} - {less - step}"]
            told += [f"get_global_id({d}) < {end} - {less}"] if count > 0 else []
            guards.append(random.choice(told).replace(" - 0", ""))
            if random.random() < 0.2:
                guards.append(f"{variable} >= {random.randint(1, 2)}")
            size.append(random.choice([16, scalars[end]]) if count > 0 else 16)
        else:
            size.append(count)
    near = random.choice(["y * w + x"] * 4 + ["(y + 1) * w + x", "y * w + x + 1", "y * w + x - 1"])
    return _call(random, name, parts, guards, ("y * w + x", near), tuple(size))


def _flat(random: Random, name: str, scalars: dict[str, int]) -> Call:
    step, less = random.choice([(0, 0), (0, 0), (0, 0), (1, 1), (1, 2)])
    kind = random.choice(["int", "size_t", "uint"])
    parts = [f"const {kind} i = get_global_id(0) + {step};".replace(" + 0", "")]
    guards: list[str] = []
    count = scalars["n"] - less
    if random.random() < 0.5 or count <= 0:
        guards.append(f"i < n - {less - step}".replace(" - 0", ""))
        size = random.choice([80, max(count, 1)])
    else:
        size = count
    near = random.choice(["i"] * 4 + ["i + 1", "i - 1", "0"])
    return _call(random, name, parts, guards, ("i", near), (size,))


def _call(
    random: Random,
    name: str,
    parts: list[str],
    guards: list[str],
    index: tuple[str, str],
    size: tuple[int, ...],
) -> Call:
    own, near = (f"12 + {each}" for each in index)
    buffers = tuple(random.sample(BUFFERS, 3))
    if random.random() < 0.15:
        guards.append(random.choice(OTHER_GUARDS).format(own.split()[-1]))
    value = random.choice(
        [f"p1[{near}] * 2", f"p1[{near}] + p2[{own}]", f"p0[{own}] + p1[{near}]", f"{own} * 0.5f"]
    )
    work = f"p0[{own}] = {value};"
    if guards and random.random() < 0.5:
        work = f"if ({' && '.join(guards)}) {work}"
    elif guards:
        work = f"if (!({guards[0]})) return; " + "".join(f"if ({g}) " for g in guards[1:]) + work
    head = ", ".join(f"__global float *p{k}" for k in range(3))
    text = f"__kernel void {name}({head}, int w, int h, int n)\n{{ {' '.join(parts)} {work} }}\n"
    return Call(name, buffers, size, text)


def launches(
    plan: RegionPlan, made: Mapping[tuple[int, ...], FusedKernel], of: Pipeline
) -> list[Launch]:
    """What is launched instead: kernels, arguments by name or value, and sizes."""
    found: list[Launch] = []
    for group in plan.groups:
        calls = [of.calls[index] for index in group.members]
        if len(calls) == 1:
            found.append((calls[0].name, (*calls[0].buffers, *of.scalars), calls[0].size, None))
            continue
        placed = {a.invocation for a in group.assumptions if isinstance(a, Placement)}
        size = widest([of.calls[i].size for i in group.members if i not in placed])
        assert size is not None
        kernel = made[group.members]
        arguments = tuple(p.argument.name for p in kernel.parameters)
        if (tiles := kernel.tiles) is None:
            found.append((kernel.name, arguments, size, None))
        else:
            over = tiles.launched(size)
            found.append((kernel.name, (*arguments, *size), over, tiles.local))
    return found


def invocations(pipelines: Sequence[Pipeline]) -> list[list[Invocation]]:
    kernels = kernels_of("".join(each.source for each in pipelines))
    return [
        [
            Invocation(
                index,
                kernels[call.name],
                (
                    *(Memory(name, name) for name in call.buffers),
                    *(Scalar(name, name) for name in each.scalars),
                ),
                LaunchRange(len(call.size), str(call.size)),
                call.name,
            )
            for index, call in enumerate(each.calls)
        ]
        for each in pipelines
    ]


def truth(of: Pipeline) -> Known:
    """An oracle that assumes what is so."""
    return Known([call.size for call in of.calls], of.scalars)
