"""What a path does to OpenCL's objects, kept in the order in which it happens."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import field, replace

from pycparser import c_ast

from kfusion.host.calls import REGISTERS
from kfusion.host.known import Kind, kind_of
from kfusion.host.places import Places
from kfusion.host.program import HostProgram
from kfusion.host.symbolic import Made, Num, Sym
from kfusion.host.ways import MOST_LAUNCHES, PathEndError, Ways
from kfusion.parse.unit import Function, Unit
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import Reason
from kfusion.source.text import Span


@dataclass(frozen=True, eq=False)
class SetArgument:
    kernel: Sym
    index: Sym
    size: Sym
    value: Sym | None  # None: a NULL pointer
    whole: Sym | None  # with what lies behind it, where more may be read


Arguments = dict[int, SetArgument]


@dataclass(frozen=True)
class Calling:
    """A call of a given function that led to a launch."""

    function: Function
    arguments: dict[str, Sym]  # by parameter


@dataclass(frozen=True, eq=False)
class Launch:
    """A launch on a path. What was there when it came is added when it is recorded."""

    queue: Sym
    kernel: Sym
    dimensions: Sym
    offset: tuple[Sym, ...] | None
    size: tuple[Sym, ...]
    local: tuple[Sym, ...] | None
    at_once: str = ""  # what it is, if it is made at once
    arguments: Arguments = field(default_factory=dict)  # that its kernel had
    call: c_ast.FuncCall | None = None  # of the function with the region, that led to it
    calls: tuple[Calling, ...] = ()  # of given functions, the outermost first
    apart: Reason | None = None  # what was noted before it is settled when it comes, and why


# Commands that are made in front of noted launches, if they have no events. Those that write do
# so only if no noted launch gets the memory.
_PASSING = frozenset(
    "clFinish clEnqueueBarrier clEnqueueBarrierWithWaitList clEnqueueMarkerWithWaitList".split()
)
_GIVE = "give kfusion the file that defines it, or add harmless({}) to the pragma"
_WRITING = re.compile(r"clEnqueue(Write|Fill)\w+")


class Recorder(Places):
    """Notes launches, and what becomes of memory objects."""

    def __init__(self, program: HostProgram, ways: Ways) -> None:
        super().__init__(program, ways)
        self.launches: list[Launch] = []
        self.launched = 0  # launches on the path so far
        self.calling: list[Calling] = []
        self.arguments: dict[Sym, Arguments] = {}  # by kernel
        self.references: Counter[Sym] = Counter()  # to objects that the path has created
        self.released: dict[Sym, None] = {}  # of those, for the last time
        self.shared: set[Sym] = set()  # kernels with shared virtual memory
        self.settled_by: Reason | None = None  # what comes behind the last launch and settles
        self.perhaps_settled = False  # or may do so
        self._noted: set[Sym] = set()  # memory of the launches since then

    # Launches

    def launch(self, launch: Launch) -> None:
        self.launched += 1
        at_once = self._at_once(launch)
        apart = at_once or self.settled_by
        self.settled_by, self.perhaps_settled = at_once, False
        if apart is not None:
            self._noted = set()
        arguments = dict(self.arguments.get(self.likely(launch.kernel), {}))
        self._noted |= {a.value for a in arguments.values() if a.value is not None}
        call, calls = self.frames[0].call, tuple(self.calling)
        self.launches.append(
            replace(launch, arguments=arguments, call=call, calls=calls, apart=apart)
        )
        if len(self.launches) >= MOST_LAUNCHES:
            self.ways.cut = True
            raise PathEndError("there are more launches")

    def _at_once(self, launch: Launch) -> Reason | None:
        if launch.kernel in self.shared:
            return Reason(
                "KF211",
                "the kernel is given shared virtual memory",
                self._span(),
                help="give the kernel buffers: shared virtual memory is not followed",
            )
        text = f"{launch.at_once} is made at once, as it is written"
        return Reason("KF215", text, self._span()) if launch.at_once else None

    def set_argument(self, argument: SetArgument) -> None:
        if not isinstance(argument.index, Num):
            self.ways.doubt("the index of an argument is not known")
            return
        of_kernel = self.arguments.setdefault(self.likely(argument.kernel), {})
        of_kernel[argument.index.value] = argument

    def likely(self, kernel: Sym) -> Sym:
        """`kernels[op->what]` and `kernels[2]` are one kernel, where `what` is likely to be 2."""
        return kernel

    # What settles

    def transfer(self, call: str, reads: list[Sym], writes: list[Sym], *, waits: bool) -> None:
        """A copy between host and device, or within the device. `waits`: it has a wait list."""
        self.perhaps_settled = True
        if waits or not _WRITING.fullmatch(call) or set(writes) & self._noted:
            self._settle(call)

    def synchronise(self, call: str) -> None:
        if call not in _PASSING:
            self._settle(call)

    def call_unknown(self, name: str, arguments: list[Sym]) -> None:
        self.ways.doubt(f"{name} is not known")
        self.perhaps_settled = True
        kind = kind_of(name)
        if kind is Kind.UNKNOWN and name.isidentifier():
            self._settle(name, _GIVE.format(name))
        elif kind in (Kind.SETTLES, Kind.UNKNOWN) or name in REGISTERS:
            self._settle(name)

    def _settle(self, name: str, help: str | None = None) -> None:
        self.perhaps_settled = True
        text = f"the launches before {name} are made when it comes"
        self.settled_by = self.settled_by or Reason("KF214", text, self._span(), help)

    def _span(self) -> Span | None:
        call = self.frames[0].call
        return call_span(call, self.frames[0].unit) if call is not None else None

    # Objects

    def create(self, object_: Made) -> None:
        if object_.kind in ("buffer", "image"):
            self.references[object_] = 1

    def retain(self, call: str, handle: Sym) -> None:
        if call == "clRetainMemObject" and handle in self.references:
            self.references[handle] += 1

    def release(self, call: str, handle: Sym) -> None:
        if call == "clReleaseMemObject" and handle in self.references:
            self.references[handle] -= 1
            if self.references[handle] == 0:
                self.released[handle] = None


def call_span(call: c_ast.FuncCall, unit: Unit) -> Span | None:
    """The text of a call; that of the macro, if one has it in its body."""
    node: c_ast.Node = call.name
    while node.coord is None and node.children():
        node = node.children()[0][1]
    if node.coord is None:
        return None
    first = position = unit.index(node)
    tokens = unit.tokens
    while position + 1 < len(tokens) and tokens[position].text != "(":
        if tokens[position].text == "[":
            position = unit.match(position)
        elif tokens[position].text in (";", "{", "}"):
            return unit.span(first, first)
        position += 1
    return unit.span(first, unit.match(position))
