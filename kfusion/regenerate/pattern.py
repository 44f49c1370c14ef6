"""A pattern: the launches that a region is expected to make, and what is made instead."""

from __future__ import annotations

from functools import cached_property

from kfusion.graph.drops import Drop
from kfusion.graph.model import Group, Invocation, LocalMemory, Memory, RegionPlan, Scalar
from kfusion.host.later import written_by
from kfusion.source.dataclasses import dataclass
from kfusion.synthesis.model import FusedKernel


@dataclass(frozen=True)
class Form:
    """One way to make the launches: the plan's kernels, under the names that they have."""

    plan: RegionPlan
    kernels: dict[Group, FusedKernel]


@dataclass(frozen=True, eq=False)
class Pattern:
    name: str  # of the C functions and tables
    invocations: tuple[Invocation, ...]
    whole: Form | None  # stores everything
    less: Form | None = None  # does not store what is in `drops`
    drops: tuple[Drop, ...] = ()

    @property
    def forms(self) -> list[Form]:
        return [form for form in (self.whole, self.less) if form is not None]

    @cached_property
    def slots(self) -> dict[str, int]:
        """What must be equal to the byte where it has one name: memory, values, ranges."""
        keys: dict[str, None] = {}
        for invocation in self.invocations:
            pairs = zip(invocation.kernel.parameters, invocation.arguments, strict=True)
            keys |= {slot_key(p.canonical, a): None for p, a in pairs}
            keys[range_key(invocation)] = None
        return {key: number for number, key in enumerate(keys)}

    @property
    def written(self) -> list[str]:
        """Names of the memory that some launch may write."""
        found: dict[str, None] = {}
        for invocation in self.invocations:
            found |= dict.fromkeys(written_by(invocation))
        return list(found)


def slot_key(canonical: str, argument: Memory | Scalar | LocalMemory) -> str:
    if isinstance(argument, Memory):
        return f"memory {argument.name}"
    if isinstance(argument, LocalMemory):
        return f"local {argument.name}"
    return f"{canonical} {argument.name}"


def range_key(invocation: Invocation) -> str:
    return f"range {invocation.range.key} in {invocation.range.local}"
