"""Is what `out` and `temp` call temporary read later, on the likely path of the program?

The program is executed through the region and on, until it ends or nothing more is known. A read
that happens whatever is decided on the way contradicts the annotation: an error. Any other one is
noted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from pycparser import c_ast

from kfusion.host.effects import Launch, Transfer
from kfusion.host.execute import USES
from kfusion.host.frames import Frame
from kfusion.host.handles import kernel_names
from kfusion.host.path_before import Approach, Before
from kfusion.host.path_ways import PathEndError
from kfusion.host.program import HostFunction, HostProgram
from kfusion.host.reach import Reach
from kfusion.host.region import Region
from kfusion.host.symbolic import Made, Sym
from kfusion.kernel.model import Kernel
from kfusion.parse.unit import Unit
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import Diagnostic, KFusionError, Severity, error
from kfusion.source.protections import is_on, protection

CONTRADICTED = protection("host-out-contradicted", "out or temp against a later read is believed")


@dataclass(frozen=True)
class _Read:
    owner: str
    node: c_ast.FuncCall
    unit: Unit
    when: str
    certain: bool


class _Beyond(Approach):
    """Goes on behind the region, and sees who reads what it has left in certain objects."""

    def __init__(
        self,
        region: Region,
        program: HostProgram,
        kernels: Mapping[str, Kernel],
        temporary: Mapping[Sym, str],
    ) -> None:
        super().__init__(program, region.block, USES)
        self.region, self.kernels, self.temporary = region, kernels, temporary
        self.names = kernel_names(program)
        # The functions that were open at the region, and the calls that led there.
        self.around: list[tuple[Frame, c_ast.FuncCall | None]] = []
        self.watched: dict[Sym, str] = {}  # objects, and the variables that they belong to
        self.decided = 0
        self.reads: list[_Read] = []

    def statement(self, node: c_ast.Node | None) -> bool:
        if node is not self.goal or self.around:
            return super().statement(node)
        before = Before(self)
        found = {before.value(value): owner for value, owner in self.temporary.items()}
        self.around = [(frame, frame.call) for frame in self.frames]
        goes_on = super().statement(node)
        self.watched, self.decided = found, len(self.ways.decisions)
        return goes_on

    def launch(self, launch: Launch) -> None:
        self.launched += 1
        handle = launch.kernel
        name = handle.name if isinstance(handle, Made) else self.names.of(handle)
        kernel = self.kernels.get(name)
        given = {p: a.value for p, a in self.arguments.get(handle, {}).items() if a.value}
        if kernel is not None and max(given, default=0) < len(kernel.parameters):
            for position, value in given.items():
                if value in self.watched and _reads(kernel, position):
                    self._note(value)
            for value in given.values():
                self.watched.pop(value, None)

    def transfer(self, transfer: Transfer) -> None:
        for value in transfer.reads:
            if value in self.watched:
                self._note(value)
        for value in transfer.writes:
            self.watched.pop(value, None)

    def release(self, call: str, handle: Sym) -> None:
        self.watched.pop(handle, None)

    def _note(self, value: Sym) -> None:
        pairs = enumerate(zip(self.around, self.frames, strict=False))
        depth = max((i for i, ((one, _), other) in pairs if one is other), default=0)
        frame, led_here = self.around[depth]
        call, unit = frame.call, frame.unit
        assert call is not None
        own = self.region.unit
        again = call is led_here  # in a loop of a caller
        when = f"after {self.region.function.name} returns"
        if depth == len(self.around) - 1:
            again = unit.index(call.name) < own.match(own.index(self.region.block))
            when = "after the region"
        certain = len(self.ways.decisions) == self.decided
        owner = self.watched.pop(value)
        when = "in the next iteration" if again else when
        self.reads.append(_Read(owner, call, unit, when, certain))


def contradictions(
    region: Region,
    program: HostProgram,
    kernels: Mapping[str, Kernel],
    temporary: Mapping[Sym, str],
    *,
    certain: bool,
) -> list[Diagnostic]:
    """`temporary`: objects that the region writes, and their variables; `certain`: does the region
    do the same on all paths? The notes; a certain contradiction is raised."""
    if not temporary or not is_on(CONTRADICTED):
        return []
    found: dict[str, _Read] = {}
    for start in _starts(region, program):
        beyond = _Beyond(region, program, kernels, temporary)
        with suppress(PathEndError, KFusionError, RecursionError):
            beyond.execute(start)
        for read in beyond.reads:
            if certain and read.certain:
                raise _error(read, region)
            found.setdefault(read.owner, read)
    return [_diagnostic(found[owner], region) for owner in sorted(found)]


def _starts(region: Region, program: HostProgram) -> Sequence[HostFunction]:
    """The functions that nobody calls, and that lead to the region."""
    reach = Reach(program, frozenset(), region.block)
    called = {name for f in program.all_functions for name in program.calls(f)}
    roots = [f for f in program.all_functions if f.name not in called and reach.in_function(f)]
    return roots or [program.host_function(region.function.node)]


def _reads(kernel: Kernel, position: int) -> bool:
    """May the kernel read the memory that it gets there?"""
    parameter = kernel.parameters[position].name
    modes = [access.mode for access in kernel.accesses if access.parameter == parameter]
    return bool(kernel.features) or any(mode.reads for mode in modes)


def _error(found: _Read, region: Region) -> Exception:
    has_outs = any(item.role == "out" for item in region.mark.data)
    help = f"name it: out({found.owner})" if has_outs else f"take '{found.owner}' out of temp(...)"
    return error(
        "KF303",
        f"'{found.owner}' is temporary here, but it is read {found.when}",
        region.mark.annotation,
        help=help,
        related=(("it is read here", found.unit.node_span(found.node)),),
        exit_code=1,
    )


def _diagnostic(found: _Read, region: Region) -> Diagnostic:
    return Diagnostic(
        "KF403",
        Severity.NOTE,
        f"'{found.owner}' is temporary here, and may be read {found.when}",
        region.mark.annotation,
        related=(("it is read here", found.unit.node_span(found.node)),),
    )
