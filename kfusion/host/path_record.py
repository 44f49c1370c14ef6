"""What a path does to OpenCL's objects, kept in the order in which it happens."""

from __future__ import annotations

import re
from collections import Counter

from pycparser import c_ast

from kfusion.host.calls import REGISTERS
from kfusion.host.effects import (
    Create,
    Effect,
    HostCall,
    Launch,
    Release,
    SetArgument,
    Synchronise,
    Transfer,
    UnknownCall,
    Unsupported,
)
from kfusion.host.equality import identity, is_new_buffer
from kfusion.host.frames import Frame
from kfusion.host.known import Kind, kind_of
from kfusion.host.path_program import PathProgram, Reach
from kfusion.host.path_spans import call_span
from kfusion.host.path_ways import MOST_LAUNCHES, PathEndError, Ways
from kfusion.host.paths import Guide, PathExecutor
from kfusion.host.program import HostFunction
from kfusion.host.symbolic import Fresh, Num, State, Sym
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import Reason

Arguments = dict[int, SetArgument]


@dataclass(frozen=True)
class Calling:
    """A call of a given function that led to a launch."""

    function: HostFunction
    arguments: dict[str, Sym]  # by parameter


@dataclass(frozen=True, eq=False)
class PathLaunch:
    """A launch on a path, with the arguments that its kernel had then."""

    launch: Launch
    arguments: Arguments
    frames: dict[int, Frame]
    call: c_ast.FuncCall | None  # of the application, that led to it
    statement: c_ast.Node | None
    calls: tuple[Calling, ...]  # of given functions, the outermost first
    apart: Reason | None  # what was noted before it is settled when it comes, and why


# Commands that are made in front of noted launches, if they have no events. Those that write do
# so only if no noted launch gets the memory.
_PASSING = frozenset(
    "clFinish clEnqueueBarrier clEnqueueBarrierWithWaitList clEnqueueMarkerWithWaitList".split()
)
_WRITING = re.compile(r"clEnqueue(Write|Fill)\w+")


def _is_task(effect: Launch) -> bool:
    call = effect.node
    return isinstance(call, c_ast.FuncCall) and getattr(call.name, "name", "") == "clEnqueueTask"


class Recorder(PathExecutor):
    """An execution of a path that notes launches, and what becomes of memory objects."""

    def __init__(
        self,
        program: PathProgram,
        reach: Reach,
        ways: Ways,
        guide: Guide | None = None,
        fresh: Fresh | None = None,
    ) -> None:
        super().__init__(program, reach, ways, guide, fresh)
        self.launches: list[PathLaunch] = []
        self.calling: list[Calling] = []
        self.arguments: dict[Sym, Arguments] = {}  # by kernel
        self.created: list[Sym] = []
        self.references: Counter[Sym] = Counter()  # to objects that the path has created
        self.released: dict[Sym, None] = {}  # for the last time
        self.shared: set[Sym] = set()  # kernels with shared virtual memory
        self.settled_by: Reason | None = None  # what comes behind the last launch and settles
        self.perhaps_settled = False  # or may do so
        self._noted: set[Sym] = set()  # memory of the launches since then

    def run(self, function: HostFunction, arguments: list[Sym], state: State) -> Sym:
        names = [parameter.name for parameter in function.parameters]
        self.calling.append(Calling(function, dict(zip(names, arguments, strict=False))))
        try:
            return super().run(function, arguments, state)
        finally:
            self.calling.pop()

    def emit(self, effect: Effect) -> None:
        super().emit(effect)
        if isinstance(effect, Transfer | UnknownCall | Unsupported) or self._settles(effect):
            self.perhaps_settled = True
        if effect.certain and self._settles(effect) and not isinstance(effect, Launch):
            self.settled_by = self.settled_by or self._reason(effect)
        if isinstance(effect, Launch):
            self.perhaps_settled = False
            self._launched(effect)
        elif isinstance(effect, SetArgument):
            self._argument(effect)
        elif isinstance(effect, UnknownCall):
            self.ways.doubt(f"{effect.name} is not known")
        elif isinstance(effect, Unsupported) and effect.what != "clEnqueueTask":
            self.ways.doubt(effect.what)
        else:
            self._counted(effect)

    def _settles(self, effect: Effect) -> bool:
        """Are the launches before this made now, whatever comes?"""
        if isinstance(effect, Transfer):
            written = set(map(identity, effect.writes))
            passes = _WRITING.fullmatch(effect.call) and not effect.waits
            return not passes or bool(written & self._noted)
        if isinstance(effect, Synchronise):
            return effect.call not in _PASSING
        if isinstance(effect, Launch):
            has_events = effect.waits != Num(0) or effect.event != Num(0)
            return has_events or effect.kernel in self.shared or _is_task(effect)
        if isinstance(effect, UnknownCall):
            kind = kind_of(effect.name)
            return kind in (Kind.SETTLES, Kind.UNKNOWN) or effect.name in REGISTERS
        return False

    def _reason(self, effect: Effect) -> Reason:
        call = self.application_call or effect.node
        unit = self.frames[0].unit
        span = call_span(call, unit) if isinstance(call, c_ast.FuncCall) else None
        if isinstance(effect, Launch) and effect.kernel in self.shared:
            return Reason(
                "KF211",
                "the kernel is given shared virtual memory",
                span,
                help="give the kernel buffers: shared virtual memory is not followed",
            )
        if isinstance(effect, Launch):
            what = "clEnqueueTask" if _is_task(effect) else "a launch with events"
            return Reason("KF215", f"{what} is made at once, as it is written", span)
        name = getattr(effect, "call", "") or getattr(effect, "name", "") or "this"
        return Reason("KF214", f"the launches before {name} are made when it comes", span)

    def _launched(self, effect: Launch) -> None:
        self.launched += 1
        if not effect.certain:
            self.ways.doubt("a launch under a condition that is not followed")
        frames = {frame.number: frame for frame in self.frames}
        arguments = dict(self.arguments.get(effect.kernel, {}))
        call, statement = self.application_call, self.application_statement
        calls = tuple(self.calling)
        written = self._settles(effect)  # as it is
        apart = self._reason(effect) if written else self.settled_by
        self.settled_by = apart if written else None
        if apart is not None:
            self._noted = set()
        values = (argument.value for argument in arguments.values())
        self._noted |= {identity(value) for value in values if value is not None}
        launch = PathLaunch(effect, arguments, frames, call, statement, calls, apart)
        self.launches.append(launch)
        if len(self.launches) >= MOST_LAUNCHES:
            self.ways.cut = True
            raise PathEndError("there are more launches")

    def _argument(self, effect: SetArgument) -> None:
        if not isinstance(effect.index, Num):
            self.ways.doubt("the index of an argument is not known")
            return
        if not effect.certain:
            self.ways.doubt("an argument is set under a condition that is not followed")
        self.arguments.setdefault(effect.kernel, {})[effect.index.value] = effect

    def _counted(self, effect: Effect) -> None:
        """An object that is made, held or let go."""
        if isinstance(effect, Create) and effect.certain and is_new_buffer(effect.value):
            self.created.append(effect.value)
            self.references[effect.value] = 1
        elif isinstance(effect, HostCall) and effect.name == "clRetainMemObject":
            for value in map(identity, effect.arguments):
                self.references[value] += 1 if effect.certain else len(self.effects)
        elif isinstance(effect, Release) and effect.call == "clReleaseMemObject":
            value = identity(effect.handle)
            if effect.certain and value in self.created:
                self.references[value] -= 1
                if self.references[value] == 0:
                    self.released[value] = None

    def opencl(self, name: str, node: c_ast.FuncCall, args: list[Sym], state: State) -> Sym:
        if name in ("clSetKernelArgSVMPointer", "clSetKernelExecInfo") and args:
            self.shared.add(args[0])
        return super().opencl(name, node, args, state)
