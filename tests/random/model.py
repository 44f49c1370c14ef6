"""Pipelines as data: kernels, calls, and what is known of them by construction.

A kernel says which elements each work-item touches, as Python functions beside its text.
From these follows which calls must not share a kernel, without asking kfusion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from itertools import combinations, product
from math import prod

from kfusion.graph.model import LaunchRange

Item = tuple[int, ...]
Bound = Mapping[str, int]  # the integer scalars of a call, by parameter


class Feature(Enum):
    """What a pipeline may have; each has to be frequent."""

    ONE_INPUT = "an element-wise kernel of one input"
    TWO_INPUTS = "an element-wise kernel of two inputs"
    THREE_INPUTS = "an element-wise kernel of three inputs"
    FOUR_INPUTS = "an element-wise kernel of four inputs"
    ONE_OUTPUT = "an element-wise kernel of one output"
    TWO_OUTPUTS = "an element-wise kernel of two outputs"
    THREE_OUTPUTS = "an element-wise kernel of three outputs"
    FOUR_OUTPUTS = "an element-wise kernel of four outputs"
    IN_PLACE = "a call that works in place"
    NOT_IN_PLACE = "a call that writes only what it does not read"
    GUARDED = "a guarded kernel"
    CONVERTING = "a kernel that converts"
    SHARED = "two calls that share an argument"
    SWAPPED = "one kernel called with swapped arguments"
    REPEATED = "one buffer as two arguments of a call"
    LIVE = "an intermediate that is read afterwards"
    DEAD = "an intermediate that is not read afterwards"
    NEIGHBOUR = "reads of neighbours"
    COPY_BACK = "a copy back into what was read before"
    REDUCTION = "a reduction, and a reader of its result"
    MIXED_SIZES = "launches of several sizes"
    LOCAL_MEMORY = "local memory"
    GROUP_INDEX = "indices by groups against global ones"
    ONE_DIMENSION = "a range of one dimension"
    STRIDE = "a loop over the range"
    TWO_DIMENSIONS = "a range of two dimensions"
    THREE_DIMENSIONS = "a range of three dimensions"


@dataclass(frozen=True)
class Shape:
    """The range of a launch."""

    size: tuple[int, ...]
    local: tuple[int, ...]
    offset: int = 0
    told: bool = True  # kfusion is told the local size

    @property
    def uniform(self) -> bool:
        return all(size % local == 0 for size, local in zip(self.size, self.local, strict=True))

    @property
    def range(self) -> LaunchRange:
        local = str(self.local) if self.told else None
        key = f"{self.size} from {self.offset}"
        return LaunchRange(len(self.size), key, local, self.uniform, bool(self.offset))

    def same_items(self, other: Shape) -> bool:
        return (self.size, self.offset) == (other.size, other.offset)

    @cached_property
    def items(self) -> list[Item]:
        return list(product(*(range(self.offset, self.offset + s) for s in self.size)))


Elements = Callable[[Item, Shape, Bound], Iterable[int]]


@dataclass(frozen=True)
class Touch:
    """The elements of one parameter's buffer that an item may read or write."""

    parameter: str
    elements: Elements = field(repr=False)
    reads: bool = True
    writes: bool = False


@dataclass(frozen=True)
class Parameter:
    name: str
    type: str  # "float"; "uint" of a scalar; "image2d_t"
    kind: str = "buffer"  # scalar, local, image

    @property
    def is_memory(self) -> bool:
        return self.kind in ("buffer", "image")


@dataclass(frozen=True)
class Kernel:
    name: str
    text: str = field(repr=False)
    parameters: tuple[Parameter, ...]
    touches: tuple[Touch, ...]
    features: frozenset[Feature] = frozenset()
    element_wise: bool = False  # nothing stands in the way of fusing it with its like
    prints: bool = False
    required: int | None = None  # reqd_work_group_size

    def written(self) -> set[str]:
        return {t.parameter for t in self.touches if t.writes}

    def read(self) -> set[str]:
        return {t.parameter for t in self.touches if t.reads}


@dataclass(frozen=True)
class Call:
    kernel: Kernel
    arguments: tuple[str, ...]
    shape: Shape

    @property
    def text(self) -> str:
        return f"{self.kernel.name}({', '.join(self.arguments)})"

    @cached_property
    def bound(self) -> dict[str, str]:
        names = (p.name for p in self.kernel.parameters)
        return dict(zip(names, self.arguments, strict=True))

    @property
    def written(self) -> set[str]:
        return {self.bound[name] for name in self.kernel.written()}

    @property
    def read(self) -> set[str]:
        return {self.bound[name] for name in self.kernel.read()}

    @property
    def memory(self) -> list[str]:
        return [self.bound[p.name] for p in self.kernel.parameters if p.is_memory]


@dataclass(frozen=True)
class Pipeline:
    head: str = field(repr=False)  # macros and helper functions of all kernels
    calls: tuple[Call, ...]
    out: tuple[str, ...] | None
    scalars: Mapping[str, int | float]
    tail: str = field(default="", repr=False)
    defines: tuple[str, ...] = ()  # kfusion is given these
    options: tuple[str, ...] = ()  # and the compiler these
    hazards: tuple[str, ...] = ()  # names of the special motifs in it
    seed: int = 0  # of the data, and which device it is fused for
    extra: frozenset[Feature] = frozenset()

    @cached_property
    def source(self) -> str:
        kernels = dict.fromkeys(call.kernel for call in self.calls)
        return self.head + "\n".join(kernel.text for kernel in kernels) + self.tail

    @property
    def observed(self) -> tuple[str, ...]:
        if self.out is not None:
            return self.out
        return tuple(sorted({name for call in self.calls for name in call.memory}))

    @property
    def legal(self) -> bool:
        """Every pair may be fused: own elements only, one range, one type for a buffer."""
        return all(c.kernel.element_wise and c.shape == self.calls[0].shape for c in self.calls)

    @property
    def runs(self) -> bool:
        """PoCL and Oclgrind know full groups only."""
        return all(call.shape.uniform for call in self.calls)

    @property
    def simulates(self) -> bool:
        """Oclgrind does not know the compiler's own atomic functions."""
        return self.runs and "builtin_of_the_compiler" not in self.hazards

    @cached_property
    def apart(self) -> dict[tuple[int, int], frozenset[str]]:
        """Pairs of calls that must not be in one kernel: whatever it does (""), or if it stores to
        the memory."""
        pairs = combinations(range(len(self.calls)), 2)
        found = {(p, q): _apart_for(self.calls[p], self.calls[q], self.scalars) for p, q in pairs}
        return {pair: why for pair, why in found.items() if why}

    @cached_property
    def features(self) -> frozenset[Feature]:
        found = {feature for call in self.calls for feature in call.kernel.features}
        return frozenset(found | self.extra | _of_calls(self))


def _apart_for(p: Call, q: Call, scalars: Mapping[str, int | float]) -> frozenset[str]:
    whatever = frozenset({""})
    if not p.shape.same_items(q.shape):
        return whatever
    if p.kernel.prints and q.kernel.prints:
        return whatever  # the order of the lines would change
    if p.kernel.required and q.kernel.required and p.kernel.required != q.kernel.required:
        return whatever
    found: set[str] = set()
    written = p.written | q.written
    for name in (set(p.memory) & set(q.memory)) & written:
        for a, b in product(p.kernel.touches, q.kernel.touches):
            if p.bound[a.parameter] == q.bound[b.parameter] == name and (a.writes or b.writes):
                if _meet(_touched(p, a, scalars), _touched(q, b, scalars)):
                    found.add(name)
    return frozenset(found)


def _touched(call: Call, touch: Touch, scalars: Mapping[str, int | float]) -> dict[int, set[Item]]:
    values = {
        p.name: int(scalars[call.bound[p.name]])
        for p in call.kernel.parameters
        if p.kind == "scalar" and p.type != "float"
    }
    found: dict[int, set[Item]] = {}
    for item in call.shape.items:
        for element in touch.elements(item, call.shape, values):
            found.setdefault(element, set()).add(item)
    return found


def _meet(a: dict[int, set[Item]], b: dict[int, set[Item]]) -> bool:
    """Different items touch one element."""
    return any(len(items | b[element]) > 1 for element, items in a.items() if element in b)


def _of_calls(pipeline: Pipeline) -> set[Feature]:
    calls = pipeline.calls
    found = {
        {1: Feature.ONE_DIMENSION, 2: Feature.TWO_DIMENSIONS, 3: Feature.THREE_DIMENSIONS}[
            len(call.shape.size)
        ]
        for call in calls
    }
    for call in calls:
        both = call.read & call.written
        found.add(Feature.IN_PLACE if both else Feature.NOT_IN_PLACE)
        if len(call.memory) > len(set(call.memory)):
            found.add(Feature.REPEATED)
    if len({prod(call.shape.size) for call in calls}) > 1:
        found.add(Feature.MIXED_SIZES)
    for index, call in enumerate(calls):
        for later in calls[index + 1 :]:
            if set(call.memory) & set(later.memory):
                found.add(Feature.SHARED)
            if _swapped(call, later):
                found.add(Feature.SWAPPED)
            for name in call.written & later.read:
                found.add(Feature.LIVE if name in pipeline.observed else Feature.DEAD)
    return found


def _swapped(call: Call, later: Call) -> bool:
    if call.kernel is not later.kernel:
        return False
    pairs = set(zip(call.arguments, later.arguments, strict=True))
    return any(a != b and (b, a) in pairs for a, b in pairs)
