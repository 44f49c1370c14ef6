"""What all regions of a run share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from operator import attrgetter
from pathlib import Path

from kfusion.graph.target import Target, Targets
from kfusion.host.program import HostProgram
from kfusion.host.runs import Runs
from kfusion.joined import Joining
from kfusion.kernel.model import Kernel
from kfusion.parse.files import Inputs
from kfusion.parse.recorded import RecordedRow
from kfusion.parse.unit import Unit
from kfusion.planning import Kernels
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import KFusionError

FLAT: Callable[[Path], str] = attrgetter("name")  # all outputs in one folder


@dataclass(frozen=True)
class Given:
    """What all regions share."""

    inputs: Inputs
    program: HostProgram
    kernels: dict[str, Kernel]
    targets: Targets
    each: tuple[Target, ...]  # for the region
    target: Target  # of these, the one that is planned for
    exact: bool
    fused: Kernels
    joining: Joining
    runs: Runs
    recorded: tuple[RecordedRow, ...] = ()
    name_of: Callable[[Path], str] = FLAT
    doubles: Mapping[str, KFusionError] = field(default_factory=dict)  # kernels with one name
    alike: frozenset[Unit] = frozenset()  # may be built with the same options each time

    @property
    def on(self) -> str:
        """The class of devices, if several are planned for."""
        return self.target.name if len(self.each) > 1 else ""

    @property
    def suffix(self) -> str:
        """Of names of what the first target has another one of."""
        return f"_on_{self.on}" if self.target is not self.each[0] else ""
