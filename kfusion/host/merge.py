"""Several calls as one: may their launches move to the last one, and under which guards?

The host statements of all calls stay in program order. It is the launches that move, to
the place of the last one: legal when nothing in between observes, changes or releases
what a moved launch uses, and when the arguments still have the values they were set to.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kfusion.graph.model import (
    Argument,
    Invocation,
    LaunchRange,
    LocalMemory,
    Memory,
    Scalar,
)
from kfusion.host.effects import (
    Effect,
    Launch,
    Release,
    SetArgument,
    Synchronise,
    Transfer,
    UnknownCall,
    Unsupported,
)
from kfusion.host.expressions import Frame
from kfusion.host.handles import HandleTable
from kfusion.host.library import LibraryExecutor, Run
from kfusion.host.program import HostProgram
from kfusion.host.regions import Between, Region, RegionCall
from kfusion.host.symbolic import (
    App,
    Entry,
    Global,
    Literal,
    Local,
    Made,
    Num,
    Op,
    Phi,
    Pointee,
    State,
    Sym,
    known_on_entry,
)
from kfusion.kernel.model import Kernel
from kfusion.parse.annotations import Sync
from kfusion.source.diagnostics import Reason, error
from kfusion.source.protections import is_on, protection
from kfusion.source.text import Span

MOVED_PAST = protection("host-moved-past", "a launch moves past a statement that uses its data")
CHANGED_VALUE = protection("host-changed-value", "an argument has changed when the launch is made")
SYNCHRONISED = protection("host-synchronised", "a launch moves past a host synchronisation")
RELEASED = protection("host-released", "a launch moves past a release of what it uses")
RANGES = protection("host-ranges", "launches of different ranges are fused")
STICKY = protection("host-sticky-arguments", "an argument that is set elsewhere is relied on")
ONE_LAUNCH = protection("host-one-launch", "a function may launch otherwise than once")
BETWEEN = protection("host-between", "a statement between calls uses what the calls use")
SYNC = protection("host-sync", "a sync annotation is ignored")
EVENTS = protection("host-events", "wait lists that cannot be joined are joined")
QUEUES = protection("host-queues", "launches on different queues are fused")
LIBRARIES = protection("host-libraries", "functions of different files are fused")
STATUS = protection("host-status", "statuses are handled in different forms")


@dataclass
class Segment:
    """The calls first..last of a region, executed in a row from an unknown state."""

    first: int
    executor: LibraryExecutor
    state: State = field(default_factory=State)
    runs: list[Run] = field(default_factory=list)
    reasons: list[Reason | None] = field(default_factory=list)  # for each last call


class RegionAnalysis:
    """Everything the planner and the generator ask about one region."""

    def __init__(
        self,
        region: Region,
        program: HostProgram,
        handles: HandleTable,
        kernels: dict[str, Kernel],
    ) -> None:
        self.region, self.program = region, program
        self.handles, self.kernels = handles, kernels
        self.positions = [i for i, item in enumerate(region.items) if isinstance(item, RegionCall)]
        self._segments: dict[int, Segment] = {}
        whole = self._execute(0, len(region.calls) - 1)
        self.runs = whole
        self.kernel_of = [self._kernel(call, run) for call, run in zip(region.calls, whole)]
        self.values: dict[str, Sym] = {}
        self.invocations = tuple(self._invocation(i) for i in range(len(whole)))

    # Execution

    def _execute(self, first: int, last: int) -> list[Run]:
        """Run the calls, with the application's statements between them."""
        executor = LibraryExecutor(self.program)
        state = State()
        runs: list[Run] = []
        for index in range(first, last + 1):
            call = self.region.calls[index]
            arguments = self._arguments(executor, call, state)
            runs.append(executor.run_call(call.function, arguments, state))
            if index < last:
                for item in self.between(index, index + 1):
                    self._run_between(executor, item, state)
        self._after = executor, state
        return runs

    def after(self) -> tuple[LibraryExecutor, State]:
        """What is known when the whole region has run, to go on from."""
        executor, state = self._after
        return executor, state.copy()

    def _frame(self) -> Frame:
        variables = dict.fromkeys(self.region.variables) | self.region.variables
        return Frame(0, None, self.region.unit, variables)

    def _arguments(
        self, executor: LibraryExecutor, call: RegionCall, state: State
    ) -> list[Sym]:
        executor.frames, executor.step = [self._frame()], None
        values = [executor.value(argument.node, state) for argument in call.arguments]
        executor.frames = []
        return values

    def _run_between(self, executor: LibraryExecutor, item: Between, state: State) -> None:
        executor.frames, executor.step = [self._frame()], None
        for node in item.nodes:
            executor.statement(node, state)
        executor.frames = []

    def between(self, before: int, after: int) -> list[Between]:
        """The application's statements between two calls."""
        items = self.region.items[self.positions[before] + 1 : self.positions[after]]
        return [item for item in items if isinstance(item, Between)]

    # Invocations

    def _kernel(self, call: RegionCall, run: Run) -> Kernel | None:
        if not run.launches:
            return None
        unit = call.function.unit
        span = unit.node_span(run.launch.node)
        frames = {run.frame.number: run.frame, 0: self._frame()}
        names = self.handles.kernel_names(run.launch.kernel, frames)
        if len(names) != 1:
            if names:
                listed = ", ".join(sorted(names))
                message = f"this launch may use one of several kernels: {listed}"
            else:
                message = f"no clCreateKernel call gives the kernel handle of '{call.function.name}'"
            raise error(
                "KF124",
                message,
                span,
                help="kfusion follows handles in variables, struct members and arrays that "
                "are filled by clCreateKernel with constant names",
                related=(("called from here", call.call),),
            )
        name = next(iter(names))
        if name not in self.kernels:
            raise error(
                "KF123",
                f"no kernel file defines kernel '{name}'",
                span,
                help="give kfusion the .cl file that holds it",
                related=(("called from here", call.call),),
            )
        kernel = self.kernels[name]
        self._check_count(run, kernel)
        return kernel

    def _check_count(self, run: Run, kernel: Kernel) -> None:
        too_many = [i for i in run.set_arguments if i >= len(kernel.parameters)]
        if too_many:
            unit = run.function.unit
            effect = run.set_arguments[max(too_many)]
            raise error(
                "KF125",
                f"argument {max(too_many)} is set, but kernel '{kernel.name}' has "
                f"{len(kernel.parameters)} parameters",
                unit.node_span(effect.node),
                related=(("the kernel", kernel.span),),
            )

    def _invocation(self, index: int) -> Invocation:
        call, run, kernel = self.region.calls[index], self.runs[index], self.kernel_of[index]
        if kernel is None or not run.launches:
            kernel = next(iter(self.kernels.values()))
            where = run.function.unit.node_span(run.function.function.node)
            raise error("KF122", f"'{run.function.name}' launches no kernel", call.call,
                        related=(("it is defined here", where),))
        launch = run.launch
        arguments = tuple(
            self._argument(run, kernel, position) for position in range(len(kernel.parameters))
        )
        size = ", ".join(map(str, launch.size))
        offset = launch.offset or ()
        moved = any(o != Num(0) for o in offset)
        key = f"({size})" + (f" from ({', '.join(map(str, offset))})" if moved else "")
        local = ", ".join(map(str, launch.local)) if launch.local else None
        dimensions = launch.dimensions.value if isinstance(launch.dimensions, Num) else 0
        label = " ".join(call.call.text.split())
        return Invocation(
            index,
            kernel,
            arguments,
            LaunchRange(dimensions, key, local, offset=moved),
            label,
            call.call,
        )

    def _argument(self, run: Run, kernel: Kernel, position: int) -> Argument:
        parameter = kernel.parameters[position]
        effect = run.set_arguments.get(position)
        if effect is None:
            name = f"<unset {run.frame.number}.{position}>"
            return Scalar(name, parameter.name)
        if effect.value is None:
            return LocalMemory(str(effect.size), parameter.name)
        value = identity(effect.value)
        name = str(value)
        self.values[name] = value
        if parameter.pointer or parameter.image:
            return Memory(name, self._hint(value, parameter.name))
        if isinstance(value, Num | Literal):  # equal by value, but a variable each
            name = f"{value} for {parameter.name} of call {self._number(run)}"
            self.values[name] = value
        return Scalar(name, parameter.name)

    def _number(self, run: Run) -> int:
        return next(i for i, r in enumerate(self.runs) if r is run)

    def _hint(self, value: Sym, otherwise: str) -> str:
        """A readable name for a memory object: the application's name of its owner."""
        if not isinstance(value, Entry):
            return otherwise
        root = value.place.root
        if isinstance(root, Pointee) and isinstance(root.pointer, Entry):
            root = root.pointer.place.root
        if not isinstance(root, App | Global):
            return otherwise
        siblings = {
            str(e.value)
            for run in self.runs
            for e in run.set_arguments.values()
            if isinstance(e.value, Entry) and _owner(e.value) == root and e.value.place.path
        }
        mine = [s for s in siblings if s.split(".")[0] == str(value).split(".")[0]]
        path = value.place.path
        if path and len([m for m in mine if _is_handle(m, self)]) > 1:
            return "_".join([root.name, *(p.strip("[]") for p in path)])
        return root.name

    # Joining

    def joinable(self, first: int, last: int) -> Reason | None:
        return self.segment(first, last).reasons[last - first]

    def segment(self, first: int, last: int) -> Segment:
        """Extended call by call; a reason against a segment holds for all longer ones."""
        segment = self._segments.get(first)
        if segment is None:
            segment = self._segments[first] = Segment(first, LibraryExecutor(self.program))
        while len(segment.runs) <= last - first:
            end = first + len(segment.runs)
            if end > first:
                for item in self.between(end - 1, end):
                    self._run_between(segment.executor, item, segment.state)
            call = self.region.calls[end]
            arguments = self._arguments(segment.executor, call, segment.state)
            run = segment.executor.run_call(call.function, arguments, segment.state)
            segment.runs.append(run)
            earlier = segment.reasons[-1] if segment.reasons else None
            segment.reasons.append(earlier or self._reason(first, end, segment.runs))
        return segment

    def _reason(self, first: int, last: int, runs: list[Run]) -> Reason | None:
        if first == last:
            return None
        return (
            self._functions_reason(first, last, runs)
            or self._application_reason(first, last, runs)
            or (self._events_reason(runs) if is_on(EVENTS) else None)
            or self._moves_reason(runs)
            or self._values_reason(runs)
        )

    def _functions_reason(self, first: int, last: int, runs: list[Run]) -> Reason | None:
        """What each function must be like, whatever it is joined with."""
        for offset, run in enumerate(runs):
            call = self.region.calls[first + offset]
            if run.problems and is_on(ONE_LAUNCH):
                return run.problems[0]
            if len(run.launches) != 1:
                return Reason("KF210", f"{run.function.name} does not launch once", call.call)
            kernel = self.kernel_of[first + offset]
            assert kernel is not None
            missing = [
                p.name for i, p in enumerate(kernel.parameters) if i not in run.set_arguments
            ]
            if missing and is_on(STICKY):
                return Reason(
                    "KF211",
                    f"argument '{missing[0]}' of kernel {kernel.name} is not set in "
                    f"{run.function.name}",
                    run.function.unit.node_span(run.launch.node),
                    help="set every argument of a kernel in the function that launches it",
                )
        units = {run.function.unit.source.name for run in runs}
        if len(units) > 1 and is_on(LIBRARIES):
            return Reason(
                "KF226",
                f"the functions are in different files: {', '.join(sorted(units))}",
                self.region.calls[last].call,
                help="the queue and the kernels of a file may be private to it",
            )
        queues = {str(run.launch.queue) for run in runs}
        if len(queues) > 1 and is_on(QUEUES):
            return Reason(
                "KF215",
                f"the launches go to different queues: {' and '.join(sorted(queues))}",
                self.region.calls[last].call,
            )
        return self._sync_reason(first, last)

    def _events_reason(self, runs: list[Run]) -> Reason | None:
        """The group waits for all events from outside, and its event goes out as all."""
        own = {run.launch.made for run in runs} - {None}
        for run in runs[:-1]:
            launch = run.launch
            unit = run.function.unit
            if launch.events is None:
                return Reason(
                    "KF215",
                    f"the events that {run.function.name} waits for are not known one by one",
                    unit.node_span(launch.node),
                )
        last = runs[-1].launch
        if last.events is None and any(run.launch.events for run in runs[:-1]):
            return Reason(
                "KF215",
                "two wait lists cannot be joined: one of them has an unknown length",
                runs[-1].function.unit.node_span(last.node),
            )
        for run in runs:
            for event in run.launch.events or ():
                if event not in own and not isinstance(event, Entry):
                    if run is runs[-1] and not any(r.launch.events for r in runs[:-1]):
                        continue  # its own wait list stays as it is written
                    return Reason(
                        "KF215",
                        f"{run.function.name} waits for an event that it makes itself",
                        run.function.unit.node_span(run.launch.node),
                    )
        return None

    def _sync_reason(self, first: int, last: int) -> Reason | None:
        """`#pragma sync in` and `out`, for all data or by parameter."""
        if not is_on(SYNC):
            return None
        for index in range(first, last + 1):
            for sync in syncs_of(self.region.calls[index]):
                others = range(first, index) if sync.direction == "in" else range(index + 1, last + 1)
                for other in others:
                    if sync.names is None or self._shares(index, other, sync.names, sync.direction):
                        name = self.region.calls[index].function.name
                        side = "earlier" if sync.direction == "in" else "later"
                        return Reason(
                            "KF212",
                            f"{name} is not fused with {side} calls: "
                            f"'{' '.join(sync.span.text.split())}'",
                            sync.span,
                            help="remove the annotation if the code does not need it",
                        )
        return None

    def _shares(self, index: int, other: int, names: tuple[str, ...], direction: str) -> bool:
        """Does the other call write (in) or use (out) the data of the named parameters?"""
        call = self.region.calls[index]
        objects = {
            str(self.runs[index].arguments[i])
            for i, p in enumerate(call.function.parameters)
            if p.name in names
        }
        theirs = {str(a) for a in self.runs[other].arguments}
        return bool(objects & theirs)

    def _application_reason(self, first: int, last: int, runs: list[Run]) -> Reason | None:
        """Statements between, forms of status, and arguments that change on the way."""
        calls = self.region.calls[first : last + 1]
        shapes = {call.shape for call in calls}
        odd = next((c for c in calls if c.status == "unknown"), None)
        if (len(shapes) > 1 or odd is not None) and is_on(STATUS):
            return Reason(
                "KF213",
                "the calls of a group must treat their status in the same way",
                (odd or calls[-1]).statement,
                related=(("another call", calls[0].statement),),
            )
        kinds = {" ".join(_return_type(call)) for call in calls}
        if len(kinds) > 1:
            return Reason(
                "KF229",
                f"the functions return different types: {', '.join(sorted(kinds))}",
                calls[-1].call,
            )
        for index in range(first, last):
            for item in self.between(index, index + 1):
                reason = self._between_reason(item, self.region.calls[first : index + 1])
                if reason and is_on(BETWEEN):
                    return reason
        return self._arguments_reason(first, last, runs)

    def _between_reason(self, item: Between, earlier: tuple[RegionCall, ...]) -> Reason | None:
        if not item.harmless:
            return Reason(
                "KF214",
                "this statement stands between the calls and may depend on them",
                item.statement,
                help="move it before or after the region",
            )
        used = frozenset(name for call in earlier for name in call.names)
        for name in sorted(item.names | item.assigns):
            if name in used and (name in item.assigns or not self._is_plain(name, earlier)):
                return Reason(
                    "KF214",
                    f"this statement uses '{name}', and so does an earlier call",
                    item.statement,
                    related=(("the call", earlier[0].statement),),
                )
        return None

    def _is_plain(self, name: str, calls: tuple[RegionCall, ...]) -> bool:
        """A variable that the calls get by value only."""
        from pycparser import c_ast

        declared = self.region.variables.get(name)
        if declared is None or not isinstance(declared.type, c_ast.TypeDecl):
            return False
        return not any(f"& {name}" in " ".join(a.text.replace("&", "& ").split())
                       for c in calls for a in c.arguments)

    def _arguments_reason(self, first: int, last: int, runs: list[Run]) -> Reason | None:
        """The fused call evaluates all arguments where the last call stands."""
        executor = LibraryExecutor(self.program)
        state = State()
        for index in range(first, last):
            for item in self.between(index, index + 1):
                self._run_between(executor, item, state)
        for index in range(first, last + 1):
            call = self.region.calls[index]
            values = self._arguments(executor, call, state)
            for argument, now, then in zip(
                call.arguments, values, runs[index - first].arguments, strict=True
            ):
                if now != then and is_on(CHANGED_VALUE):
                    return Reason(
                        "KF225",
                        f"the value of '{argument.text}' depends on the calls before it",
                        argument.span,
                    )
        return None

    def _moves_reason(self, runs: list[Run]) -> Reason | None:
        """Nothing that stays may see or change what a moved launch uses."""
        pending: list[Run] = []
        for number, run in enumerate(runs):
            is_last = number == len(runs) - 1
            for index, step in enumerate(run.steps):
                if is_last and index >= run.launch_step:
                    break
                moved = [*pending, run] if index > run.launch_step else pending
                for effect in step.effects:
                    reason = self._conflict(effect, moved, run)
                    if reason:
                        return reason
            pending.append(run)
        return None

    def _conflict(self, effect: Effect, moved: list[Run], run: Run) -> Reason | None:
        unit = run.function.unit
        if not moved:
            return None
        if isinstance(effect, UnknownCall | Unsupported):
            what = effect.name if isinstance(effect, UnknownCall) else effect.what
            return Reason(
                "KF209",
                f"a launch would move past '{what}', which kfusion does not know",
                unit.node_span(effect.node),
                help="give kfusion the file that defines it",
            ) if is_on(MOVED_PAST) else None
        if isinstance(effect, Synchronise) and is_on(SYNCHRONISED):
            return Reason(
                "KF209",
                f"{effect.call} waits for the launch before it",
                unit.node_span(effect.node),
            )
        uses: dict[str, bool] = {}
        for other in moved:
            uses |= {name: w or uses.get(name, False) for name, w in self.uses(other).items()}
        events = {r.launch.made for r in moved} - {None}
        if isinstance(effect, Release) and is_on(RELEASED):
            handle = identity(effect.handle)
            if handle in events or str(handle) in uses or not _is_known(handle):
                return Reason(
                    "KF209",
                    f"{effect.call} releases what an earlier launch may use",
                    unit.node_span(effect.node),
                )
        if isinstance(effect, Transfer) and effect.waits and events and is_on(EVENTS):
            return Reason(
                "KF215",
                f"{effect.call} may wait for the event of an earlier launch",
                unit.node_span(effect.node),
            )
        if isinstance(effect, Transfer) and is_on(MOVED_PAST):
            for value in map(identity, effect.writes):
                if str(value) in uses or not _is_known(value):
                    return self._transfer_reason(effect, run, value)
            for value in map(identity, effect.reads):
                if uses.get(str(value), not _is_known(value)):
                    return self._transfer_reason(effect, run, value)
        return None

    def _transfer_reason(self, effect: Transfer, run: Run, value: Sym) -> Reason:
        unit = run.function.unit
        return Reason(
            "KF209",
            f"{effect.call} on '{value}' may touch what an earlier launch uses",
            unit.node_span(effect.node),
        )

    def uses(self, run: Run) -> dict[str, bool]:
        """Memory objects of a launch by name, and whether it may write them."""
        index = next((i for i, r in enumerate(self.runs) if r.function == run.function), 0)
        kernel = self.kernel_of[index]
        assert kernel is not None
        result: dict[str, bool] = {}
        for position, effect in run.set_arguments.items():
            parameter = kernel.parameters[position]
            if effect.value is not None and (parameter.pointer or parameter.image):
                written = any(
                    a.parameter == parameter.name and a.mode.writes for a in kernel.accesses
                ) or bool(kernel.features)
                name = str(identity(effect.value))
                result[name] = written or result.get(name, False)
        return result

    def _values_reason(self, runs: list[Run]) -> Reason | None:
        """At the last launch, every place must hold what an argument was set to."""
        end = runs[-1].state_at_launch
        assert end is not None
        for run in runs[:-1]:
            for effect in run.set_arguments.values():
                if effect.place is None or isinstance(effect.place.root, Local):
                    continue
                if end.resolve(end.read(effect.place)) != effect.value and is_on(CHANGED_VALUE):
                    return Reason(
                        "KF225",
                        f"'{effect.place}' is changed between the launch that uses it "
                        "and the last one",
                        run.function.unit.node_span(effect.node),
                    )
        return None

    # The oracle

    def equal(self, left: Scalar, right: Scalar) -> bool:
        if left.name == right.name:
            return not left.name.startswith("<")
        a, b = self.values.get(left.name), self.values.get(right.name)
        return a is not None and b is not None and unify(a, b) is not None

    def same_range(self, left: Invocation, right: Invocation) -> Reason | None:
        if not is_on(RANGES):
            return None
        pairs = range_pairs(self.runs[left.index].launch, self.runs[right.index].launch)
        if pairs is not None:
            return None
        return Reason(
            "KF202",
            f"{left.kernel.name} has the range {left.range.key}, "
            f"{right.kernel.name} the range {right.range.key}",
            right.span,
            related=((f"{left.kernel.name} is called here", left.span),) if left.span else (),
        )

    def within(self, invocation: Invocation, dimension: int, scalar: Scalar) -> bool:
        size = self.runs[invocation.index].launch.size
        value = self.values.get(scalar.name)
        if dimension >= len(size) or value is None:
            return False
        return unify(strip(size[dimension]), strip(value)) is not None

    def disjoint(self, left: Memory, right: Memory) -> bool:
        values = (self.values.get(left.name), self.values.get(right.name))
        return all(isinstance(v, Entry) or is_new_buffer(v) for v in values)


def identity(value: Sym) -> Sym:
    """Which object a handle names: one that is made when missing counts as the one there."""
    if isinstance(value, Phi):
        parts = {identity(part) for part in value.alternatives}
        others = {part for part in parts if not is_new_buffer(part)}
        if len(others) == 1:
            return others.pop()
    return value


def _is_known(value: Sym) -> bool:
    return known_on_entry(value) or isinstance(value, Made)


def is_new_buffer(value: Sym | None) -> bool:
    return isinstance(value, Made) and value.kind == "buffer"


def _owner(value: Entry) -> object:
    root = value.place.root
    if isinstance(root, Pointee) and isinstance(root.pointer, Entry):
        return root.pointer.place.root
    return root


def _is_handle(name: str, analysis: RegionAnalysis) -> bool:
    for run in analysis.runs:
        for position, effect in run.set_arguments.items():
            if str(effect.value) == name and str(effect.size) == "sizeof(cl_mem)()":
                return True
    return False


def _return_type(call: RegionCall) -> list[str]:
    node = call.function.function.node.decl.type.type
    pointers = 0
    while not hasattr(getattr(node, "type", None), "names"):
        pointers += 1
        node = node.type
        if node is None or not hasattr(node, "type"):
            return ["?"]
    return [*node.type.names, *("*" * pointers)]


def strip(value: Sym) -> Sym:
    """Without integer casts: they do not change sizes."""
    while isinstance(value, Op) and value.name.startswith("(") and len(value.args) == 1:
        value = value.args[0]
    return value


Pairs = list[tuple[Sym, Sym]]


def unify(left: Sym, right: Sym) -> Pairs | None:
    """Leaf pairs whose equality makes the two values equal; None if they differ in form."""
    if left == right and not isinstance(left, Phi):
        return [] if known_on_entry(left) or isinstance(left, Op) else None
    if isinstance(left, Op) and isinstance(right, Op):
        if left.name != right.name or len(left.args) != len(right.args):
            return None
        pairs: Pairs = []
        for a, b in zip(left.args, right.args, strict=True):
            inner = unify(a, b)
            if inner is None:
                return None
            pairs += inner
        return pairs
    if isinstance(left, Entry) and isinstance(right, Entry):
        return [(left, right)]
    return None


def range_pairs(left: Launch, right: Launch) -> Pairs | None:
    """What must be equal for two launches to have one range."""
    if left.dimensions != right.dimensions or not isinstance(left.dimensions, Num):
        return None
    if len(left.size) != len(right.size):
        return None
    zero = tuple(Num(0) for _ in left.size)
    pairs: Pairs = []
    for a, b in zip(
        (*left.size, *(left.offset or zero)), (*right.size, *(right.offset or zero)), strict=True
    ):
        inner = unify(a, b)
        if inner is None:
            return None
        pairs += inner
    return pairs


def syncs_of(call: RegionCall) -> list[Sync]:
    """The sync annotations right before the function's definition (or its prototype)."""
    unit = call.function.unit
    function = call.function.function
    start = unit.tokens[function.first].start
    found = []
    for sync in unit.annotations.syncs:
        if 0 <= sync.span.end <= start:
            between = unit.source.text[sync.span.end : start]
            if not any(c in _without_comments(between) for c in ";}"):
                found.append(sync)
    return found


def _without_comments(text: str) -> str:
    import re

    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)


