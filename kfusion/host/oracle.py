"""What may be taken for granted of the launches of a region.

All of it is checked at run time, on the launches that are really made. So an answer here only
has to be likely: where it is wrong, the launches are made as they were written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from math import prod

from kfusion.graph.model import (
    Bound,
    Extent,
    InRows,
    Invocation,
    Memory,
    Oracle,
    Reaches,
    Scalar,
    Shifted,
)
from kfusion.host.equality import examples, is_open, may_be_equal, strip
from kfusion.host.formats import lossy_format
from kfusion.host.predict import Prediction
from kfusion.host.program import HostProgram
from kfusion.host.spelling import spell
from kfusion.host.symbolic import (
    FALSE,
    STRUCT,
    Entry,
    Literal,
    Num,
    Op,
    Path,
    Sym,
    known_on_entry,
    leaves,
    part_of,
)
from kfusion.kernel.forms import part_called
from kfusion.source.diagnostics import Reason
from kfusion.source.protections import is_on, protection

RANGES = protection("host-ranges", "launches of different ranges are fused")
SYNC = protection("host-sync", "sync annotations are not looked at")

Pair = tuple[int, int]
_TURNS = ("[?-(1, ", "[?^(")  # `[1 - now]`, `[now ^ 1]`: of two that take turns
_MANY = 1 << 24  # ids of which there are hardly more


class Expected(Oracle):
    """The oracle for launches with values that were predicted."""

    def __init__(
        self, program: HostProgram, row: Prediction, kept_apart: Mapping[Pair, Reason]
    ) -> None:
        """`kept_apart` is why launches (by index) must not share a kernel."""
        self.program, self.values, self.sizes = program, row.values, row.sizes
        self.kept_apart, self.in_run = kept_apart, row.in_run
        self.uses = Counter(row.sizes)

    def equal(self, left: Scalar, right: Scalar) -> bool:
        if left.name == right.name:
            return True
        a, b = self._value(left.name), self._value(right.name)
        return a is not None and b is not None and (a == b or self._are_likely_equal(a, b))

    def _value(self, name: str) -> Sym | None:
        """Of a scalar, or of a member of one.

        The host's structure has likely the kernel's names. Where it has not, members of two
        structures are alike if all that is known of the structures is.
        """
        part = part_called(name)
        if part is None:
            return self.values.get(name)
        whole = self.values.get(part.name)
        if whole is None:
            return None
        ways = (part_of(whole, steps) for steps in _on_the_host(part.part))
        found = next((value for value in ways if not is_open(value)), part_of(whole, ("",)))
        if is_open(found) and isinstance(whole, Op) and whole.name == STRUCT:
            return Op("part", (Op(STRUCT, (FALSE, *whole.args[1:])), Literal(part.part)))
        return found

    def same_range(self, left: Invocation, right: Invocation) -> Reason | None:
        if left.range.key == right.range.key or not is_on(RANGES):
            return None
        a, b = self.sizes[left.index], self.sizes[right.index]
        same_form = len(a) == len(b) and all(
            self._may_be_equal(strip(p), strip(q)) for p, q in zip(a, b, strict=True)
        )
        differ = same_form and any(map(self._differ, a, b))
        if same_form and left.range.offset == right.range.offset:
            if not differ and not self._are_levels(a, b):
                return None
        return Reason(
            "KF202",
            f"{left.kernel.name} has the range {self._range(left, numbers=differ)}, "
            f"{right.kernel.name} the range {self._range(right, numbers=differ)}"
            + " in the program's likely run"
            * differ,
            right.span,
            help="guard the items of both with their sizes, `if (i < n)`: one range may cover both"
            if differ
            else "launch both over sizes of one form (`a->n` and `b->n`, say): then they are "
            "compared at run time",
            related=((f"{left.kernel.name} is launched here", left.span),) if left.span else (),
        )

    def _differ(self, one: Sym, other: Sym) -> bool:
        """In the program's likely run."""
        numbers = self._numbers(one, other)
        return None not in numbers and numbers[0] != numbers[1]

    def covers(self, left: Invocation, right: Invocation, bounds: tuple[Bound, ...]) -> bool:
        a, b = self.sizes[left.index], self.sizes[right.index]
        return not self._are_levels(a, b) and all(map(self._is_reached, bounds))

    def _is_reached(self, bound: Bound) -> bool:
        """Unless the program's likely run shows that the range ends before the bound."""
        value, size = self._end(bound), self.sizes[bound.invocation]
        if value is None or bound.dimension >= len(size):
            return False
        end, number = self._numbers(value, size[bound.dimension])
        return end is None or number is None or end <= number

    def _numbers(self, *values: Sym | None) -> list[int | None]:
        """In the program's likely run; if what they are computed from is not known, examples."""
        found = [self.in_run(strip(value)) for value in values if value is not None]
        alike = examples(found) if len(found) == len(values) else None
        return [*alike] if alike is not None else [self._number(value) for value in values]

    def _number(self, value: Sym | None) -> int | None:
        """In the program's likely run."""
        found = self.in_run(strip(value)) if value is not None else None
        return found.value if isinstance(found, Num) else None

    def _end(self, bound: Bound) -> Sym | None:
        values = [self._value(name) for name, _ in bound.factors]
        known = tuple(value for value in values if value is not None)
        if len(known) < len(values):
            return None
        return Op("*", known) if len(known) > 1 else known[0]

    def in_rows(self, one: Invocation, frame: Invocation, rows: InRows) -> bool:
        size, ends = self.sizes[frame.index], [bound.scalar for bound in rows.extents]
        sides = [self._value(name) for name in ends] if ends else list(size)
        end = self.sizes[one.index][0] if rows.end is None else self._end(rows.end)
        known = [strip(each) for each in (*sides, end) if each is not None]
        if len(known) < 1 + len(sides):
            return False
        *extents, count = known
        *numbers, items = map(self._number, known)
        if items is not None and None not in numbers:
            return items == prod(n for n in numbers if n is not None)
        factors = _factors(count)
        if len(factors) == 1:
            return isinstance(factors[0], Entry)  # it is compared
        others = sorted((f for each in extents for f in _factors(each)), key=str)
        pairs = zip(sorted(factors, key=str), others, strict=False)
        return len(factors) == len(others) and all(self._may_be_equal(*pair) for pair in pairs)

    def ends(self, invocation: Invocation, dimension: int, scalar: Scalar) -> int | None:
        size, value = self.sizes[invocation.index], self._value(scalar.name)
        if dimension >= len(size) or value is None:
            return None
        (one, more), (other, less) = (_and_number(strip(v)) for v in (size[dimension], value))
        return more - less if one == other and one is not None else None

    def shifted(self, one: Invocation, frame: Invocation, shifted: Shifted) -> bool:
        return all(
            self._reaches(one, frame, d, by, extent)
            for d, (by, extent) in enumerate(zip(shifted.by, shifted.extents, strict=True))
        )

    def _reaches(self, one: Invocation, frame: Invocation, d: int, by: int, extent: Extent) -> bool:
        """Unless the program's likely run shows that a range ends too early."""
        end = self._number(self._value(extent.scalar))
        own, size = (self._number(self.sizes[i.index][d]) for i in (one, frame))
        if end is None or own is None or size is None:
            return True
        last = end + extent.more
        return by + last <= size and (last == own if extent.whole else last <= own)

    def _are_levels(self, one: tuple[Sym, ...], other: tuple[Sym, ...]) -> bool:
        """`size[0]` and `size[1]`, each of several launches: a pyramid's, and hardly equal.

        Where each is that of one launch, they are likely to belong to its result.
        """
        several = self.uses[one] > 1 and self.uses[other] > 1
        return several and any(map(_differ_by_index, one, other))

    def _range(self, invocation: Invocation, *, numbers: bool) -> str:
        sizes = self.sizes[invocation.index]
        known = [self._number(size) if numbers else None for size in sizes]
        told = [spell(s) if n is None else str(n) for s, n in zip(sizes, known, strict=True)]
        size = f"({', '.join(told)})"
        return f"{size} from an offset" if invocation.range.offset else size

    def within(
        self, invocation: Invocation, dimension: int, scalar: Scalar, *, implied: bool
    ) -> bool:
        size, value = self.sizes[invocation.index], self._value(scalar.name)
        if dimension >= len(size) or value is None:
            return False
        return self._are_likely_equal(strip(size[dimension]), strip(value))

    def below(self, invocation: Invocation, dimension: int, most: int, *, implied: bool) -> bool:
        size = self.sizes[invocation.index]
        number = self._number(size[dimension]) if dimension < len(size) else None
        return number <= most if number is not None else implied or most >= _MANY

    def reaches(self, invocation: Invocation, reaches: Reaches, scalar: Scalar | None) -> bool:
        """Unless the program's likely run shows that the range ends before."""
        size = self.sizes[invocation.index]
        value = self._value(scalar.name) if scalar is not None else Num(0)
        if value is None or reaches.dimension >= len(size):
            return False
        end, number = self._numbers(value, size[reaches.dimension])
        return end is None or number is None or end + reaches.more <= number

    def spans(self, invocation: Invocation, dimension: int, scalar: Scalar) -> bool:
        return self.within(invocation, dimension, scalar, implied=False)

    def crowded(self, invocation: Invocation, dimension: int, most: int, *, implied: bool) -> bool:
        return invocation.range.local is not None

    def _may_be_equal(self, left: Sym, right: Sym) -> bool:
        """A number and a member, say, are equal if they were in the likely run."""
        if may_be_equal(left, right):
            return True
        if _is_chosen(left) or _is_chosen(right):  # differently, perhaps, each time
            return False
        one, other = self._numbers(left, right)
        return one is not None and one == other

    def _are_likely_equal(self, left: Sym, right: Sym) -> bool:
        """Where kernels fuse without it, too, nothing is assumed of what is not known."""
        known = not is_open(left) and not is_open(right) and not self._differ(left, right)
        return known and self._may_be_equal(left, right)

    def at_most(self, left: Scalar, right: Scalar, times: int) -> bool:
        a, b = self._value(left.name), self._value(right.name)
        if a is None or b is None:
            return False
        low, high = self._numbers(a, b)
        if low is not None and high is not None:
            return 0 <= low * times <= high
        return known_on_entry(a) and known_on_entry(b)

    def at_least(self, scalar: Scalar, least: int) -> bool:
        return self._is_among(scalar, range(least, 1 << 31))  # in any type

    def up_to(self, scalar: Scalar, most: int) -> bool:
        return self._is_among(scalar, range(most + 1))

    def _is_among(self, scalar: Scalar, numbers: range) -> bool:
        """Is it known to be one of them, or can it be looked at on entry?"""
        value = self._value(scalar.name)
        if isinstance(value, Num):
            return value.value in numbers
        return value is not None and known_on_entry(value)

    def keeps(self, image: Memory, type_: str) -> Reason | None:
        place = lossy_format(self.program, type_)
        if place is None:
            return None
        return Reason(
            "KF234",
            f"'{image}' would be kept in variables of type {type_}, and the images of this "
            "program round what is written to them",
            place,
        )

    def numbers(self) -> bool:
        return True

    def joinable(self, members: tuple[int, ...]) -> Reason | None:
        return first_apart(self.kept_apart, members) if is_on(SYNC) else None


def _on_the_host(path: str) -> Iterator[Path]:
    """How hosts may reach it: `.s1` of a vector as `.s[1]`, `.y`, or as an element of an array."""
    steps = tuple(step.lstrip(".") for step in re.findall(r"\.\w+|\[\d+\]", path))
    yield steps
    *before, last = steps
    if re.fullmatch(r"s[0-9a-f]", last):
        lane = int(last[1], 16)
        yield (*before, "s", f"[{lane}]")
        yield (*before, f"[{lane}]")
        yield from ((*before, name) for name in "xyzw"[lane : lane + 1])


def first_apart(apart: Mapping[Pair, Reason], members: tuple[int, ...]) -> Reason | None:
    pairs = ((p, q) for q in members for p in members if p < q)
    return next((apart[pair] for pair in pairs if pair in apart), None)


def _and_number(value: Sym) -> tuple[Sym | None, int]:
    """`n - 2` as n and -2."""
    if isinstance(value, Num):
        return None, value.value
    if isinstance(value, Op) and value.name in ("+", "-") and len(value.args) == 2:
        left, right = map(strip, value.args)
        if isinstance(right, Num):
            return left, right.value if value.name == "+" else -right.value
    return value, 0


def _factors(value: Sym) -> list[Sym]:
    """Of a product."""
    value = strip(value)
    if isinstance(value, Op) and value.name == "*":
        return [factor for each in value.args for factor in _factors(each)]
    return [value]


def _is_chosen(value: Sym) -> bool:
    return isinstance(value, Op) and (value.name == "?:" or any(map(_is_chosen, value.args)))


def _differ_by_index(one: Sym, other: Sym) -> bool:
    pairs = list(zip(leaves(one), leaves(other), strict=False))
    return any(
        isinstance(a, Entry)
        and isinstance(b, Entry)
        and a != b
        and _without_indices(a) == _without_indices(b)
        and not any(step.startswith(_TURNS) for each in (a, b) for step in each.place.path)
        for a, b in pairs
    )


def _without_indices(value: Entry) -> tuple[object, tuple[str, ...]]:
    path = value.place.path
    return value.place.root, tuple("[]" if step.startswith("[") else step for step in path)
