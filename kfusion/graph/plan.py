"""The plan of a region."""

from __future__ import annotations

from collections.abc import Sequence

from kfusion.graph.model import Invocation, Oracle, RegionPlan


def plan_region(
    invocations: Sequence[Invocation], observed: frozenset[str] | None, oracle: Oracle
) -> RegionPlan:
    """Group the invocations: `observed` names the memory read after the region (None: all)."""
    raise NotImplementedError(invocations, observed, oracle)
