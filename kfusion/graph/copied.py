"""Members of a group that read values where they are, and copy nothing to local memory.

A copy was made before the work began. Without it the values are read at any time, so no item
of the fused kernel may write to their memory; of the original ones each could, once all items
of its work-group had waited for the copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from kfusion.graph.bind import Stage
from kfusion.graph.model import Disjoint
from kfusion.graph.values import GroupValues
from kfusion.kernel.copied import copied_arrays
from kfusion.source.protections import is_on, protection

UNTOUCHED = protection("untouched", "what is read instead of a copy is written by no item")


def without_copies(
    stages: Sequence[Stage], values: GroupValues
) -> tuple[frozenset[int], list[Disjoint]]:
    """By index of the invocation; and what must be apart for that."""
    written = {name for stage in stages for name in stage.written} - values.internalised
    if not is_on(UNTOUCHED):
        written = set()
    found: set[int] = set()
    apart: dict[Disjoint, None] = {}
    for stage in stages:
        arrays = copied_arrays(stage.invocation.kernel)
        sources = {stage.arguments[each.source.name].name for each in arrays}
        if not sources or sources & written:
            continue
        found.add(stage.invocation.index)
        pairs = product(sorted(sources), sorted(written))
        apart |= dict.fromkeys(Disjoint(*sorted(pair)) for pair in pairs)
    return frozenset(found), list(apart)
