"""What may be assumed of launches of which all numbers are known: whatever is so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from kfusion.graph.model import (
    Bound,
    Extent,
    InRows,
    Invocation,
    Oracle,
    Reaches,
    Scalar,
    Shifted,
)
from kfusion.source.diagnostics import Reason


class Known(Oracle):
    """`sizes` are those of the launches, by their index."""

    def __init__(self, sizes: Sequence[tuple[int, ...]], scalars: Mapping[str, int]) -> None:
        self.sizes, self.scalars = sizes, scalars

    def _size(self, invocation: Invocation) -> tuple[int, ...]:
        return self.sizes[invocation.index]

    def _of(self, scalar: str) -> int:
        return self.scalars[scalar]

    def equal(self, left: Scalar, right: Scalar) -> bool:
        return self._of(left.name) == self._of(right.name)

    def numbers(self) -> bool:
        return True

    def same_range(self, left: Invocation, right: Invocation) -> Reason | None:
        return None if self._size(left) == self._size(right) else Reason("KF202", "they differ")

    def covers(self, left: Invocation, right: Invocation, bounds: tuple[Bound, ...]) -> bool:
        sizes = self._size(left), self._size(right)
        return widest(sizes) is not None and all(map(self.has_items_below, bounds))

    def has_items_below(self, bound: Bound) -> bool:
        end = self._end(bound)
        return bound.least <= end <= self.sizes[bound.invocation][bound.dimension]

    def _end(self, bound: Bound) -> int:
        return prod(self._of(name) for name, _ in bound.factors)

    def reaches(self, invocation: Invocation, reaches: Reaches, scalar: Scalar | None) -> bool:
        end = (self._of(reaches.scalar) if reaches.scalar else 0) + reaches.more
        return end <= self._size(invocation)[reaches.dimension]

    def in_rows(self, one: Invocation, frame: Invocation, rows: InRows) -> bool:
        bounds = [*rows.extents, *([rows.end] if rows.end is not None else [])]
        sides = [self._end(b) for b in rows.extents] or list(self._size(frame))
        count = self._end(rows.end) if rows.end is not None else self._size(one)[0]
        return all(map(self.has_items_below, bounds)) and count == prod(sides)

    def ends(self, invocation: Invocation, dimension: int, scalar: Scalar) -> int | None:
        return self._size(invocation)[dimension] - self._of(scalar.name)

    def shifted(self, one: Invocation, frame: Invocation, shifted: Shifted) -> bool:
        def there(d: int, by: int, extent: Extent) -> bool:
            end, own = self._of(extent.scalar) + extent.more, self._size(one)[d]
            whole = end == own if extent.whole else 0 <= end <= own
            return whole and 0 <= end + by <= self._size(frame)[d]

        pairs = zip(shifted.by, shifted.extents, strict=True)
        return all(there(d, by, extent) for d, (by, extent) in enumerate(pairs))

    def within(
        self, invocation: Invocation, dimension: int, scalar: Scalar, *, implied: bool
    ) -> bool:
        return self._size(invocation)[dimension] <= self._of(scalar.name)

    def below(self, invocation: Invocation, dimension: int, most: int, *, implied: bool) -> bool:
        return self._size(invocation)[dimension] <= most

    def spans(self, invocation: Invocation, dimension: int, scalar: Scalar) -> bool:
        return self._size(invocation)[dimension] == self._of(scalar.name)

    def at_most(self, left: Scalar, right: Scalar, times: int) -> bool:
        return 0 <= self._of(left.name) * times <= self._of(right.name)

    def at_least(self, scalar: Scalar, least: int) -> bool:
        return self._of(scalar.name) >= least

    def up_to(self, scalar: Scalar, most: int) -> bool:
        return self._of(scalar.name) <= most


def widest(sizes: Sequence[tuple[int, ...]]) -> tuple[int, ...] | None:
    """The range that has all items of the others."""
    most = max(sizes)
    covers = all(all(p >= q for p, q in zip(most, size, strict=False)) for size in sizes)
    return most if covers else None
