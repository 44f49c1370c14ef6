"""The best way to divide the calls of a region into groups.

Calls may only leave program order past calls that they are independent of. A grouping is
legal if every group is, and if there is an order of the groups that keeps all others. Of
those the one is taken that moves the fewest bytes, then the one with the fewest
launches, then the one that is closest to program order, then the one whose first groups
are longest.

The search goes over the sets of calls that may be done first, and asks for the price of a
group only if what it moves at the least leaves it a chance. It is complete up to a number
of sets, and of prices, that only long regions exceed; such a region is divided as if all
of its calls had to stay in program order, and a still longer one call by call: each joins
the group in front of it if that saves something.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

from kfusion.source.dataclasses import dataclass

MOST_SETS = 400  # of calls out of program order, that may be one group
MOST_STEPS = 200_000  # of the search
MOST_ASKED = 6_000  # calls in all groups of which the price is asked
MOST_LOOKED_AT = 150_000  # calls in all groups that may be legal

Members = tuple[int, ...]
# Bytes that a group moves; None: it is not legal.
Cost = Callable[[Members], int | None]
Pairs = frozenset[tuple[int, int]]  # (p, q) with p < q
_Key = tuple[int, int, int, tuple[int, ...]]


def _nothing(_: Members) -> int:
    return 0


def _always(_: Members) -> bool:
    return True


@dataclass(frozen=True)
class Prices:
    """What groups cost; `least` and `fits` are quick, and save asking for the cost."""

    cost: Cost
    least: Callable[[Members], int] = _nothing  # bytes; the cost is never lower
    fits: Callable[[Members], bool] = _always  # if not, then no group that it grows to does


@dataclass(frozen=True)
class _Best:
    """How to do all that is left to do, and what it costs."""

    bytes: int
    launches: int
    moves: int  # pairs of calls that are not in program order
    lengths: tuple[int, ...]  # of the groups, negated: long first groups come first
    groups: tuple[Members, ...]

    @property
    def key(self) -> _Key:
        return self.bytes, self.launches, self.moves, self.lengths


class _TooManyError(Exception):
    """The search would take too long."""


def best_partition(
    count: int, ordered: Pairs, together: Pairs, prices: Prices
) -> tuple[Members, ...]:
    """`ordered`: pairs that must stay in program order; `together`: that may share a group."""
    try:
        return _Search(count, ordered, together, prices, MOST_SETS).run()
    except _TooManyError:
        in_order = frozenset((p, q) for q in range(count) for p in range(q))
    try:
        return _Search(count, in_order, together, prices, None).run()
    except _TooManyError:
        return _one_by_one(count, together, prices)


def _one_by_one(count: int, together: Pairs, prices: Prices) -> tuple[Members, ...]:
    groups: list[Members] = []
    costs: list[int] = []
    for call in range(count):
        alone = prices.cost((call,))
        assert alone is not None, "every call may be a group of its own"
        if groups and all((p, call) in together for p in groups[-1]):
            longer = (*groups[-1], call)
            joined = prices.cost(longer) if prices.fits(longer) else None
            if joined is not None and joined <= costs[-1] + alone:
                groups[-1], costs[-1] = longer, joined
                continue
        groups.append((call,))
        costs.append(alone)
    return tuple(groups)


class _Search:
    def __init__(
        self, count: int, ordered: Pairs, together: Pairs, prices: Prices, limit: int | None
    ) -> None:
        self.count, self.together, self.limit = count, together, limit
        self.after = _closure(count, ordered)
        self.prices = prices
        self.steps = self.asked = self.looked_at = 0
        # What must be done before each call, as bits.
        self.needs = [sum(1 << p for p in range(q) if q in self.after[p]) for q in range(count)]
        self.rest = cache(self._rest)

    def run(self) -> tuple[Members, ...]:
        self.sets = self._sets()
        return self.rest(0).groups

    def _sets(self) -> list[list[tuple[Members, int, int]]]:
        """The groups that may be legal, by their first call, with their bits and needs."""
        found: list[list[tuple[Members, int, int]]] = [[] for _ in range(self.count)]
        scattered = 0
        for first in range(self.count):
            waiting: list[Members] = [(first,)]
            while waiting:
                members = waiting.pop()
                if len(members) > 1 and not self.prices.fits(members):
                    continue
                waiting += [(*members, q) for q in self._next(members)]
                scattered += members[-1] - first >= len(members)
                self.looked_at += len(members)
                too_scattered = self.limit is not None and scattered > self.limit
                if too_scattered or self.looked_at > MOST_LOOKED_AT:
                    raise _TooManyError
                bits = sum(1 << m for m in members)
                needs = 0
                for member in members:
                    needs |= self.needs[member]
                found[first].append((members, bits, needs & ~bits))
        return found

    def _next(self, members: Members) -> list[int]:
        """By which later calls the group may grow, without leaving out one in between."""
        following = members[-1] + 1
        if self.limit is None:  # all stay in program order
            fits = following < self.count and all((p, following) in self.together for p in members)
            return [following] if fits else []
        return [
            q
            for q in range(following, self.count)
            if all((p, q) in self.together for p in members)
            and not any(
                q in self.after[x] and any(x in self.after[p] for p in members)
                for x in range(members[0] + 1, q)
                if x not in members
            )
        ]

    def _rest(self, done: int) -> _Best:
        """The best way to do the others, when the calls of these bits are done."""
        if done == (1 << self.count) - 1:
            return _Best(0, 0, 0, (), ())
        best: _Best | None = None
        for key, members, rest in sorted(self._chances(done), key=lambda chance: chance[:2]):
            if best is not None and key >= best.key:
                break
            moved = self._cost(members)
            if moved is not None:
                _, launches, moves, lengths = key
                groups = (members, *rest.groups)
                found = _Best(moved + rest.bytes, launches, moves, lengths, groups)
                if best is None or found.key < best.key:
                    best = found
        assert best is not None, "every call may be a group of its own"
        return best

    def _cost(self, members: Members) -> int | None:
        self.asked += len(members)
        if self.asked > MOST_ASKED:
            raise _TooManyError
        return self.prices.cost(members)

    def _chances(self, done: int) -> Iterator[tuple[_Key, Members, _Best]]:
        """What may be the next group, and how good it is at best, with the rest behind it."""
        for first in range(self.count):
            if done >> first & 1 or self.needs[first] & ~done:
                continue
            for members, bits, needs in self.sets[first]:
                self.steps += 1
                if self.limit is not None and self.steps > MOST_STEPS:
                    raise _TooManyError
                if bits & done or needs & ~done:
                    continue
                rest = self.rest(done | bits)
                moves = sum(1 for q in members for p in range(q) if not (done | bits) >> p & 1)
                least = _Best(
                    self.prices.least(members) + rest.bytes,
                    1 + rest.launches,
                    moves + rest.moves,
                    (-len(members), *rest.lengths),
                    (),
                )
                yield least.key, members, rest


def _closure(count: int, ordered: Pairs) -> list[frozenset[int]]:
    """For each call those that come after it, directly or by way of others."""
    after: list[frozenset[int]] = [frozenset()] * count
    for p in reversed(range(count)):
        found: set[int] = set()
        for q in range(p + 1, count):
            if (p, q) in ordered:
                found |= {q} | after[q]
        after[p] = frozenset(found)
    return after
