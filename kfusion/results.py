"""What a run decides and makes, for whoever shows, checks or writes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from kfusion.graph.drops import Why
from kfusion.graph.levels import may_share_loads
from kfusion.graph.model import RegionPlan
from kfusion.graph.plan import DEAR
from kfusion.host.at_end import EndNames
from kfusion.host.predict import Prediction
from kfusion.host.predict_launches import PredictedLaunch
from kfusion.host.region import (
    CppRegion,
    RefusedRegion,
    Region,
)
from kfusion.host.symbolic import Sym
from kfusion.planning import Plans
from kfusion.regenerate.pattern import Pattern
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import Diagnostic, Severity
from kfusion.source.text import Spliced
from kfusion.synthesis.model import FusedKernel


@dataclass(frozen=True)
class PlannedPattern:
    """One sequence of launches that a region is expected to make."""

    region: Region | CppRegion
    prediction: Prediction
    plans: Plans
    patterns: tuple[Pattern, ...]  # none: nothing of it is fused
    number: int  # which of the region's sequences
    origin: str  # of the prediction
    on: str = ""  # devices of this class only

    @property
    def name(self) -> str:
        """For people: file and line."""
        number = f" ({self.number + 1})" if self.number else ""
        return self.region.name + number + (f" on {self.on}" if self.on else "")

    @property
    def plan(self) -> RegionPlan:
        return self.plans.best

    @property
    def launches(self) -> tuple[PredictedLaunch, ...]:
        return self.prediction.launches

    @property
    def values(self) -> Mapping[str, Sym]:
        """What names of memory and scalars stand for."""
        return self.prediction.values

    @property
    def kernels(self) -> dict[tuple[int, ...], FusedKernel]:
        """Those of the best plan, by the launches that they stand for."""
        found: dict[tuple[int, ...], FusedKernel] = {}
        first = 0
        for pattern in self.patterns:
            form = pattern.less or pattern.whole
            forms = pattern.loop.forms[:1] if pattern.loop else [form] if form is not None else []
            for group, kernel in (each for form in forms for each in form.kernels.items()):
                found[tuple(first + member for member in group.members)] = kernel
            first += len(pattern.invocations)
        return found


# In how many rounds of a loop no item needs what the kernel overwrites depends on the device.
_OF_NEIGHBOURS = frozenset({DEAR, "KF235"})


@dataclass(frozen=True)
class PlannedRegion:
    region: Region | CppRegion | RefusedRegion
    patterns: tuple[PlannedPattern, ...]  # the likeliest first
    outside: frozenset[str] = frozenset()  # functions that nothing is held back around
    names: EndNames | None = None  # variables that the run time looks at in the end
    for_recording: bool = False
    leaves: frozenset[str] = frozenset()  # functions by which a region of C++ leaves the program
    kernels: int | None = None  # that its likeliest path comes to; None: not known
    said: tuple[Diagnostic, ...] = ()  # of this region

    @property
    def fuses(self) -> bool:
        return any(each.patterns for each in self.patterns)

    @property
    def has_neighbours(self) -> bool:
        """Does an item read what others read, or make? Some devices may compute that again."""
        plans = [each.plan for each in self.patterns]
        why = (reason for plan in plans for cut in plan.cuts for reason in cut.reasons)
        return (
            self.computes_again
            or any(reason.code in _OF_NEIGHBOURS for reason in why)
            or any(may_share_loads(i.kernel) for plan in plans for i in plan.invocations)
        )

    @property
    def computes_again(self) -> bool:
        """Or keeps what neighbours need in rows."""
        plans = [each.plan for each in self.patterns]
        plans += [form.plan for each in self.patterns for p in each.patterns for form in p.forms]
        return any(group.again or group.tiles for plan in plans for group in plan.groups)

    @property
    def is_marked(self) -> bool:
        """Does it get its line?"""
        return self.fuses or self.for_recording

    @property
    def shown(self) -> EndNames | None:
        """The names that stand in the region's line."""
        drops = (d for each in self.patterns for p in each.patterns for d in p.drops)
        needed = self.for_recording or any(drop.why is Why.AT_END for drop in drops)
        return self.names if needed else None


@dataclass
class Result:
    """Everything a run decided and made; `files` maps names to texts."""

    files: dict[str, str]
    regions: list[PlannedRegion]
    diagnostics: list[Diagnostic] = field(default_factory=list)
    # By name: kernel files and programs in strings, as they were and with the fused kernels.
    programs: dict[str, tuple[str, str]] = field(default_factory=dict)
    # By name: the options of all builds of a program, if they are known.
    builds: dict[str, tuple[str, ...]] = field(default_factory=dict)
    # By name: files that come from inputs, and programs in strings that get fused kernels.
    spliced: dict[str, Spliced] = field(default_factory=dict)
    strings: dict[str, Spliced] = field(default_factory=dict)

    @property
    def expected(self) -> list[PlannedPattern]:
        """The likeliest sequence of each region."""
        return [region.patterns[0] for region in self.regions if region.patterns]

    @property
    def to_run(self) -> list[PlannedPattern]:
        """These, and all others of which something is fused."""
        found = [each for region in self.regions for each in region.patterns]
        return [each for each in found if each.patterns or each in self.expected]

    @property
    def options(self) -> dict[str, str]:
        """That programs are built with, whatever the host does."""
        return {name: of_all[0] for name, of_all in self.builds.items() if len(of_all) == 1}

    @property
    def not_fused(self) -> list[Diagnostic]:
        return [d for d in self.diagnostics if d.severity in (Severity.CUT, Severity.WARNING)]
