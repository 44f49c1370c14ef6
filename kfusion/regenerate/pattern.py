"""A pattern: the launches that a region is expected to make, and what is made instead."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from kfusion.graph.drops import Drop
from kfusion.graph.model import Group, Invocation, LocalMemory, Memory, RegionPlan, Scalar
from kfusion.graph.target import Target
from kfusion.host.later import written_by
from kfusion.source.dataclasses import dataclass
from kfusion.synthesis.model import FusedKernel


@dataclass(frozen=True)
class Form:
    """One way to make the launches: the plan's kernels, under the names that they have."""

    plan: RegionPlan
    kernels: dict[Group, FusedKernel]
    rounds: int = 1  # of a loop

    @property
    def price(self) -> int:
        return sum(group.bytes for group in self.plan.groups)

    @property
    def memory(self) -> set[str]:
        """Names of the objects that its kernels get."""
        alone = [m for g in self.plan.groups if g not in self.kernels for m in g.members]
        given = [p.argument for kernel in self.kernels.values() for p in kernel.parameters]
        given += [a for member in alone for a in self.plan.invocations[member].arguments]
        return {argument.name for argument in given if isinstance(argument, Memory)}


@dataclass(frozen=True, eq=False)
class Loop:
    """How a row of launches repeats itself."""

    launches: int  # of a round
    becomes: Mapping[str, str]  # keys of slots: what each stands for in the next round
    payers: int = 0  # rounds that must follow, for they write what a form of several need not
    forms: tuple[Form, ...] = ()  # of several rounds, the longest first
    price: int = 0  # of a round as it is written


@dataclass(frozen=True, eq=False)
class Pattern:
    name: str  # of the C functions and tables
    invocations: tuple[Invocation, ...]  # of a loop: of as many rounds as a form needs
    whole: Form | None  # stores everything
    less: Form | None = None  # does not store what is in `drops`
    drops: tuple[Drop, ...] = ()
    loop: Loop | None = None
    target: Target | None = None  # the devices that it is for; None: all

    @property
    def forms(self) -> list[Form]:
        found = [form for form in (self.whole, self.less) if form is not None]
        return found if self.loop is None else [*found, *self.loop.forms]

    @property
    def steps(self) -> tuple[Invocation, ...]:
        """The launches after which the pattern is complete, or begins again."""
        return self.invocations[: self.loop.launches] if self.loop else self.invocations

    @cached_property
    def slots(self) -> dict[str, int]:
        """What must be equal to the byte where it has one name: memory, values, ranges."""
        keys: dict[str, None] = {}
        for invocation in self.invocations:
            keys |= dict.fromkeys(slot_keys(invocation))
        return {key: number for number, key in enumerate(keys)}

    @property
    def written(self) -> list[str]:
        """Names of the memory that some launch may write."""
        found: dict[str, None] = {}
        for invocation in self.steps:
            found |= dict.fromkeys(written_by(invocation))
        return list(found)


def slot_keys(invocation: Invocation) -> list[str]:
    """Of each argument, and of the range."""
    pairs = zip(invocation.kernel.parameters, invocation.arguments, strict=True)
    return [*(slot_key(p.canonical, a) for p, a in pairs), range_key(invocation)]


def slot_key(canonical: str, argument: Memory | Scalar | LocalMemory) -> str:
    if isinstance(argument, Memory):
        return f"memory {argument.name}"
    if isinstance(argument, LocalMemory):
        return f"local {argument.name}"
    return f"{canonical} {argument.name}"


def range_key(invocation: Invocation) -> str:
    return f"range {invocation.range.key} in {invocation.range.local}"
