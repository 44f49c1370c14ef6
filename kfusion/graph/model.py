"""Invocations of a region, what a fusion of them assumes, and the plan: values only.

The host room (or the Python API) makes invocations and answers the oracle's questions;
the graph room decides; the fuse room writes. Nothing here knows about host code.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import combinations
from math import prod

from kfusion.kernel.forms import Form
from kfusion.kernel.model import Kernel
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import Reason
from kfusion.source.text import Span


@dataclass(frozen=True)
class Memory:
    """A memory object. Within a region one name is one object."""

    name: str
    hint: str  # a readable identifier for generated code
    label: str = ""  # what messages call it, if not by its name

    def __str__(self) -> str:
        return self.label or self.name


@dataclass(frozen=True)
class Scalar:
    """A value given by the host. Within a region one name is one value."""

    name: str
    hint: str
    label: str = ""

    def __str__(self) -> str:
        return self.label or self.name


@dataclass(frozen=True)
class LocalMemory:
    """A `__local` parameter; the name stands for its size."""

    name: str
    hint: str

    def __str__(self) -> str:
        return self.hint


Argument = Memory | Scalar | LocalMemory


@dataclass(frozen=True)
class LaunchRange:
    """The range of a launch. `key` names global size and offset: one key, one range."""

    dimensions: int
    key: str
    local: str | None = None  # names the local size; None: left to the implementation
    uniform: bool = True  # every group has the full local size
    offset: bool = False  # a global offset other than zero is possible
    single: tuple[int, ...] = ()  # dimensions in which a group has one item only
    one_group: bool = False  # the explicit local size is the whole range

    def group_size(self, dimension: int) -> int | None:
        """The local size, if its name is a number: `64, 4`."""
        sizes = self.local.split(", ") if self.local is not None else []
        size = sizes[dimension] if dimension < len(sizes) else ""
        return int(size) if size.isdigit() else None


@dataclass(frozen=True)
class Invocation:
    """One launch of a kernel within a region."""

    index: int  # its place in program order
    kernel: Kernel
    arguments: tuple[Argument, ...]  # one for each parameter of the kernel
    range: LaunchRange
    label: str  # the call as the user wrote it, on one line
    span: Span | None = None  # where the call stands

    @property
    def memory(self) -> tuple[Memory, ...]:
        return tuple(a for a in self.arguments if isinstance(a, Memory))


# What a fusion takes for granted. The host proves each, or checks it at run time.


@dataclass(frozen=True)
class Equal:
    """Two scalars have the same value (and the parameters the same type)."""

    left: str
    right: str


@dataclass(frozen=True)
class SameRange:
    """Two invocations (by index) have the same global size and offset."""

    left: int
    right: int


@dataclass(frozen=True)
class Bound:
    """Whatever the range, only items below the scalar do something, in this dimension."""

    invocation: int
    dimension: int
    scalar: str
    type: str  # of the parameter, canonical: int
    times: tuple[tuple[str, str], ...] = ()  # below the product with these, all of 32 bits
    least: int = 0  # if scalars are that at least: `i <= n - 1`

    @property
    def factors(self) -> tuple[tuple[str, str], ...]:
        """The scalars, with their types."""
        return ((self.scalar, self.type), *self.times)


@dataclass(frozen=True)
class Covers:
    """Two invocations have the same range, or each has all of the items that its bounds let do
    something: in a range that covers both, other items do nothing."""

    left: int
    right: int
    bounds: tuple[Bound, ...]  # of both


@dataclass(frozen=True)
class InRows:
    """A launch in one dimension has as many items as one in several, row by row.

    Those that do something are meant, on both sides: the item `(y*h + x)*w + i` of the one is
    that at `(i, x, y)` of the other, the frame, where `w` and `h` are its extents.
    """

    invocation: int
    frame: int
    extents: tuple[Bound, ...]  # of the frame, by dimension; none: all its items do something
    end: Bound | None  # of the other one; None: all its items


@dataclass(frozen=True)
class Extent:
    """Of a launch's ids in one dimension those that do something: from `first` on, and below the
    scalar and so many `more`. `whole`: no guard says so, but the global size is that."""

    first: int
    scalar: str
    type: str  # of the parameter, canonical: int
    more: int
    whole: bool


@dataclass(frozen=True)
class Shifted:
    """Items of a launch are those of another one, the frame, whose ids are higher by so many."""

    invocation: int
    frame: int
    by: tuple[int, ...]  # by dimension
    extents: tuple[Extent, ...]


Placement = InRows | Shifted


@dataclass(frozen=True)
class Within:
    """In this dimension of the invocation's range every id is below the scalar."""

    invocation: int
    dimension: int
    scalar: str


@dataclass(frozen=True)
class Below:
    """In this dimension of the invocation's range every id is below the number."""

    invocation: int
    dimension: int
    most: int


@dataclass(frozen=True)
class Spans:
    """In this dimension the invocation's global size is the scalar."""

    invocation: int
    dimension: int
    scalar: str


@dataclass(frozen=True)
class Reaches:
    """In this dimension the invocation's range has all ids below the scalar, or below so many
    `more`. Without a scalar: below the number."""

    invocation: int
    dimension: int
    scalar: str
    type: str  # of the parameter, canonical: int
    more: int


@dataclass(frozen=True)
class Crowded:
    """The invocation's groups have at most so many items in this dimension."""

    invocation: int
    dimension: int
    most: int


@dataclass(frozen=True)
class Sized:
    """The invocation's groups have so many items in this dimension."""

    invocation: int
    dimension: int
    size: int


@dataclass(frozen=True)
class AtMost:
    """One scalar, so many times, is not more than the other: as the kernels' parameters hold it."""

    left: str
    right: str
    type: str  # of both parameters, canonical: int
    times: int = 1


@dataclass(frozen=True)
class AtLeast:
    """A scalar is not less than a number: an integer, as the kernels compute with it."""

    scalar: str
    least: int
    type: str  # of the parameter, canonical: int


@dataclass(frozen=True)
class UpTo:
    """A scalar is not more than a number: an integer, as the kernels compute with it.

    Or its product with another one, which has no end.
    """

    scalar: str
    most: int
    type: str  # of the parameter, canonical: uint
    by: str = ""


@dataclass(frozen=True)
class Disjoint:
    """Two memory objects of different names share no byte: each fusion may assume it."""

    left: str
    right: str


@dataclass(frozen=True)
class Keeps:
    """The image gives back values of the type (float4, int4, uint4) as they were written."""

    memory: str
    type: str


@dataclass(frozen=True)
class Number:
    """The program of the invocation is built with a macro of this name, which is a number.
    `optional`: or without it."""

    invocation: int
    macro: str
    optional: bool = False


_OfRanges = SameRange | Covers | Placement | Within | Below | Reaches | Spans | Crowded | Sized
Assumption = _OfRanges | Equal | AtMost | AtLeast | UpTo | Disjoint | Keeps | Number


class Oracle(ABC):
    """What is known of the world outside the kernels. If nothing is, only what a program without
    races implies may be assumed."""

    def equal(self, left: Scalar, right: Scalar) -> bool:
        """May the two be taken as equal: proved, or checkable before the first effect?"""
        return left.name == right.name

    @abstractmethod
    def same_range(self, left: Invocation, right: Invocation) -> Reason | None:
        """None if the ranges are the same (proved or checkable); else why not."""

    def covers(self, left: Invocation, right: Invocation, bounds: tuple[Bound, ...]) -> bool:
        """May two ranges of different names be taken to have all items within the bounds?"""
        return False

    def in_rows(self, one: Invocation, frame: Invocation, rows: InRows) -> bool:
        """May a launch in one dimension be taken as the rows of another one?"""
        return False

    def ends(self, invocation: Invocation, dimension: int, scalar: Scalar) -> int | None:
        """By how much the global size is more than the scalar, if that may be assumed."""
        return None

    def shifted(self, one: Invocation, frame: Invocation, shifted: Shifted) -> bool:
        """May the frame be taken to have all those items?"""
        return False

    def within(
        self, invocation: Invocation, dimension: int, scalar: Scalar, *, implied: bool
    ) -> bool:
        """May every id of the dimension be taken as below the scalar?

        `implied`: the program as it was written has a race if not.
        """
        return False

    def below(self, invocation: Invocation, dimension: int, most: int, *, implied: bool) -> bool:
        """May every id of the dimension be taken as below the number? `implied`: as above."""
        return implied

    def reaches(self, invocation: Invocation, reaches: Reaches, scalar: Scalar | None) -> bool:
        """May the range be taken to have all those ids?"""
        return False

    def spans(self, invocation: Invocation, dimension: int, scalar: Scalar) -> bool:
        """May the global size in the dimension be taken as the scalar?"""
        return False

    def crowded(self, invocation: Invocation, dimension: int, most: int, *, implied: bool) -> bool:
        """May groups be taken to have at most so many items? `implied`: as above."""
        return implied

    def at_most(self, left: Scalar, right: Scalar, times: int) -> bool:
        """May the one, so many times, be taken as not more than the other: proved or checkable?"""
        return False

    def at_least(self, scalar: Scalar, least: int) -> bool:
        """May the scalar be taken as not less than the number: proved or checkable?"""
        return False

    def up_to(self, scalar: Scalar, most: int) -> bool:
        """May the scalar be taken as not more than the number: proved or checkable?"""
        return False

    def keeps(self, image: Memory, type_: str) -> Reason | None:
        """None if the image may be taken to give back what is written to it; else why not."""
        return None

    def numbers(self) -> bool:
        """Can it be checked which macros a program is built with?"""
        return False

    def joinable(self, members: tuple[int, ...]) -> Reason | None:
        """None if the invocations may share a kernel, whatever their kernels do; else why not."""
        return None


@dataclass(frozen=True)
class Again:
    """A read of what an earlier stage of the group makes for another item: computed again.

    Stages are told by their positions in the group.
    """

    reader: int
    access: int  # its number in the reader's kernel
    producer: int
    memory: str
    point: tuple[Form, ...]  # the item that makes it, by dimension, in ids of the reader
    outside: bool = False  # or none makes it: the memory holds what it did before
    below: tuple[int, ...] = ()  # dimensions in which its id may be less than 0


@dataclass(frozen=True)
class Tiles:
    """A group of the fused kernel's launch does the work of so many items of the noted launch."""

    items: tuple[int, ...]  # by dimension: of the noted launch, how many one group does
    local: tuple[int, ...]  # by dimension: the size of the groups of the launch that is made

    def launched(self, size: tuple[int, ...]) -> tuple[int, ...]:
        """The global size of the launch that is made for one of this global size."""
        sides = zip(size, self.items, self.local, strict=True)
        return tuple(-(-side // items) * local for side, items, local in sides)

    def fit(self, size: tuple[int, ...]) -> bool:
        """Can a launch be done so: are the ends of all tiles ints, also with what is read beside
        them, and all ids?"""
        if len(size) != len(self.items):
            return False
        sides = zip(size, self.items, self.launched(size), strict=True)
        return all(max(side + items, made) < 1 << 30 for side, items, made in sides)


FRAME = (64, 8)  # items of a piece of the frame, and of one at the sides the other way round
PIECE = (32, 8, 32)  # ... in three dimensions


@dataclass(frozen=True)
class Marching(Tiles):
    """A group walks down some rows of a strip, or does pieces of the frame around all of them. In
    three dimensions it walks through planes of a tile.

    Groups do what their numbers leave to them: any number is right.
    """

    columns: int  # that one item does; or rows
    least: int  # rows, or planes, that a group walks down, at least
    groups: int  # that the device should have
    passed: float = 0  # bytes that an item hands to others and gets from them, of one plane

    def launched(self, size: tuple[int, ...]) -> tuple[int, ...]:
        *sides, rows = size
        strips = prod(-(-side // items) for side, items in zip(sides, self.items, strict=False))
        high = max(min(rows * strips // self.groups, self.items[-1]), self.least)
        return (strips * -(-rows // high) + self.spare(size)) * self.local[0], *(1 for _ in sides)

    def spare(self, size: tuple[int, ...]) -> int:
        """Groups that are left for the frame, at least."""
        pieces = [-(-side // self.frame[0]) for side in size]
        return sum(map(prod, combinations(pieces, len(size) - 1)))

    @property
    def frame(self) -> tuple[int, ...]:
        """Items of a piece of it."""
        return FRAME if len(self.items) == len(FRAME) else PIECE

    def fit(self, size: tuple[int, ...]) -> bool:
        """... and all pieces have numbers."""
        return super().fit(size) and prod(side // self.frame[1] + 1 for side in size) < 1 << 31


@dataclass(frozen=True)
class Group:
    """Invocations that become one kernel (or stay as they are, when there is only one: unless it
    gets another shape)."""

    members: tuple[int, ...]
    stored: frozenset[str]  # memory objects whose values must be in memory afterwards
    internalised: frozenset[str]  # written and read within, never in memory
    assumptions: tuple[Assumption, ...]
    loads_before: int  # global accesses of one work-item, before and after
    stores_before: int
    loads_after: int
    stores_after: int
    forwarded: frozenset[str] = frozenset()  # stored, but read from variables in the group
    loaded: frozenset[str] = frozenset()  # loaded, but written to variables only
    barriers: frozenset[int] = frozenset()  # members that wait for all items before they begin
    handed: frozenset[str] = frozenset()  # memory that items of a work-group pass to each other
    elements: int = 1  # of the original items, how many one item stands for
    by_group: bool = False  # bounds are asked of the last item of a group first
    direct: frozenset[int] = frozenset()  # members that read what they would copy first
    unrolled: int = 0  # loops with no more rounds are to be unrolled
    pauses: frozenset[int] = frozenset()  # members before which items wait, to be quicker
    again: tuple[Again, ...] = ()  # what is computed again for other items
    tiles: Tiles | None = None  # what one group of the fused launch does, if not its own items
    bytes: int = 0  # that an item moves, as predicted, and if each member were a kernel of its own
    apart: int = 0

    @property
    def fused(self) -> bool:
        return len(self.members) > 1 or self.tiles is not None


@dataclass(frozen=True)
class Cut:
    """Why two neighbouring groups were not one."""

    before: int  # index of the last invocation before the cut
    after: int
    reasons: tuple[Reason, ...]  # first those that a person can do something about


@dataclass(frozen=True)
class RegionPlan:
    invocations: tuple[Invocation, ...]
    groups: tuple[Group, ...]
    cuts: tuple[Cut, ...]

    @property
    def fuses(self) -> bool:
        return any(group.fused for group in self.groups)
