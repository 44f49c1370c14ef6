"""A region with everything that the planner and the generator ask about it: its calls
executed in a row, their launches as invocations, and what may be taken for granted."""

from __future__ import annotations

from dataclasses import field
from functools import cached_property

from pycparser import c_ast

from kfusion.graph.model import Argument, Invocation, LaunchRange, LocalMemory, Memory, Scalar
from kfusion.host.effects import (
    Assign,
    HostCall,
    Synchronise,
    Transfer,
    UnknownCall,
    Unsupported,
)
from kfusion.host.equality import (
    identity,
    image_size_of,
    is_new_buffer,
    range_pairs,
    strip,
    unify,
)
from kfusion.host.formats import lossy_format
from kfusion.host.frames import Frame
from kfusion.host.handles import HandleTable
from kfusion.host.joining import Joining
from kfusion.host.library import LibraryExecutor, Run
from kfusion.host.moving import Moving
from kfusion.host.options import groups_are_full
from kfusion.host.origins import Origins
from kfusion.host.program import HostProgram
from kfusion.host.reach import Reach
from kfusion.host.regions import Between, Region, RegionCall
from kfusion.host.spelling import spell, spell_all
from kfusion.host.sticky import Reliances
from kfusion.host.symbolic import (
    App,
    Entry,
    Global,
    Literal,
    Num,
    Place,
    Pointee,
    Ref,
    Root,
    State,
    Sym,
    leaves,
)
from kfusion.kernel.evaluate import image_size
from kfusion.kernel.model import Kernel
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import Reason, error
from kfusion.source.protections import is_on, protection
from kfusion.source.text import Span

RANGES = protection("host-ranges", "launches of different ranges are fused")

_UNSIGNED = frozenset("unsigned size_t cl_uint cl_ulong uint32_t uint64_t uint ulong".split())
MOST_REFUSALS = 16  # groups of a region for which text is tried in vain


@dataclass
class Segment:
    """Calls of a region, executed in a row from an unknown state."""

    executor: LibraryExecutor
    state: State = field(default_factory=State)
    runs: list[Run] = field(default_factory=list)


class RegionAnalysis:
    """Everything the planner and the generator ask about one region."""

    def __init__(
        self,
        region: Region,
        program: HostProgram,
        handles: HandleTable,
        kernels: dict[str, Kernel],
        reliances: Reliances,
        origins: Origins,
    ) -> None:
        self.region, self.program = region, program
        self.in_order = True  # the planner is not to move calls past each other
        self.handles, self.kernels = handles, kernels
        self.reliances, self.origins = reliances, origins
        self.positions = [i for i, item in enumerate(region.items) if isinstance(item, RegionCall)]
        self._segments: dict[int, Segment] = {}  # by their first calls
        self._reasons: dict[int, list[Reason | None]] = {}  # by first call, for each last one
        self._refused: dict[tuple[int, int], Reason] = {}
        self.undivided: set[tuple[int, ...]] = set()  # groups whose launch is not to be changed
        self._calls: dict[int, int] = {}  # the call that each run is of
        self._uses: dict[int, dict[str, bool]] = {}
        self._arguments_for: dict[str, tuple[int, int] | None] = {}
        self.runs = self.segment(0, len(region.calls) - 1)
        self.kernel_of = [
            self._kernel(call, run) for call, run in zip(region.calls, self.runs, strict=True)
        ]
        self.values: dict[str, Sym] = {}
        self.full_groups = groups_are_full(program.units)
        self.joining = Joining(self)
        self.invocations = tuple(self._invocation(i) for i in range(len(self.runs)))

    # Execution

    def segment(self, first: int, last: int) -> list[Run]:
        """Run the calls first..last, with the application's statements between them."""
        segment = self._segments.get(first)
        if segment is None:
            segment = self._segments[first] = Segment(LibraryExecutor(self.program))
            segment.executor.application = self._frame().variables
        executor, state = segment.executor, segment.state
        while len(segment.runs) <= last - first:
            index = first + len(segment.runs)
            if index > first:
                for item in self.between(index - 1, index):
                    self.run_between(executor, item, state)
            call = self.region.calls[index]
            arguments = self.arguments(executor, call, state)
            segment.runs.append(executor.run_call(call.function, arguments, state))
            self._calls[id(segment.runs[-1])] = index
        return segment.runs[: last - first + 1]

    def after(self) -> tuple[LibraryExecutor, State]:
        """What is known when the whole region has run, to go on from."""
        whole = self._segments[0]
        return whole.executor, whole.state.copy()

    def _frame(self) -> Frame:
        variables = dict.fromkeys(self.region.variables) | self.region.variables
        return Frame(0, None, self.region.unit, variables, home=self.region.function.name)

    def arguments(self, executor: LibraryExecutor, call: RegionCall, state: State) -> list[Sym]:
        executor.frames, executor.step = [self._frame()], None
        nodes = [argument.node for argument in call.arguments]
        values = [executor.value(node, state) for node in nodes]
        values = executor.passed(call.function, nodes, values)
        executor.frames = []
        return values

    def reads(self, reach: Reach, nodes: list[c_ast.Node], state: State) -> set[Place]:
        """Places that expressions of the application read, and that its calls may reach."""
        executor = LibraryExecutor(self.program)
        executor.frames = [self._frame()]
        return reach.reads(executor, nodes, state.copy())

    def run_between(self, executor: LibraryExecutor, item: Between, state: State) -> None:
        executor.frames, executor.step = [self._frame()], None
        for node in item.nodes:
            executor.statement(node, state)
        executor.frames = []

    def is_watched(self) -> bool:
        """May something in the region, other than its calls, read memory on the device?"""
        executor = LibraryExecutor(self.program)
        for item in self.region.items:
            if isinstance(item, RegionCall):
                if item.status == "unknown":  # there is more in the statement than the call
                    return True
            elif not item.harmless:
                self.run_between(executor, item, State())
        return any(not isinstance(e, HostCall | Assign) for e in executor.effects)

    def between(self, before: int, after: int) -> list[Between]:
        """The application's statements between two calls."""
        items = self.region.items[self.positions[before] + 1 : self.positions[after]]
        return [item for item in items if isinstance(item, Between)]

    # Invocations

    def _kernel(self, call: RegionCall, run: Run) -> Kernel | None:
        if not run.launches:
            return None
        unit = call.function.unit
        span = self.program.node_span(run.launch.node, unit)
        frames = {run.frame.number: run.frame, 0: self._frame()}
        names = self.handles.kernel_names(run.launch.kernel, frames)
        if len(names) != 1:
            if names:
                listed = ", ".join(sorted(names))
                message = f"this launch may use one of several kernels: {listed}"
            else:
                message = (
                    f"no clCreateKernel call gives the kernel handle of '{call.function.name}'"
                )
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
                self.program.node_span(effect.node, unit),
                related=(("the kernel", kernel.span),),
            )

    def _invocation(self, index: int) -> Invocation:
        call, run, kernel = self.region.calls[index], self.runs[index], self.kernel_of[index]
        if kernel is None or not run.launches:
            kernel = next(iter(self.kernels.values()))
            where = run.function.unit.node_span(run.function.function.node)
            raise error(
                "KF122",
                f"'{run.function.name}' launches no kernel",
                call.call,
                related=(("it is defined here", where),),
            )
        launch = run.launch
        arguments = tuple(
            self._argument(run, kernel, position) for position in range(len(kernel.parameters))
        )
        size = ", ".join(map(str, launch.size))
        offset = launch.offset or ()
        moved = any(o != Num(0) for o in offset)
        key = f"({size})" + (f" from ({', '.join(map(str, offset))})" if moved else "")
        local = ", ".join(map(str, launch.local)) if launch.local else None
        single = tuple(d for d, items in enumerate(launch.local or ()) if items == Num(1))
        one_group = launch.local is not None and tuple(launch.local) == tuple(launch.size)
        dimensions = launch.dimensions.value if isinstance(launch.dimensions, Num) else 0
        label = " ".join(call.call.text.split())
        return Invocation(
            index,
            kernel,
            arguments,
            LaunchRange(
                dimensions,
                key,
                local,
                offset=moved,
                single=single,
                one_group=one_group,
                uniform=self.full_groups,
            ),
            label,
            call.call,
            sure=self._is_sure(index),
            seen=self._seen_by(index, arguments),
        )

    def _is_sure(self, index: int) -> bool:
        """Is the kernel launched whenever the calls before it are done?

        Each of those may leave the region, and there may be more in the statement.
        """
        call, run = self.region.calls[index], self.runs[index]
        between = self.between(index - 1, index) if index > 0 else []
        if not all(item.harmless for item in between) or call.status in ("chained", "unknown"):
            return False
        if index > 0 and self.region.calls[index - 1].status in ("checked", "chained", "unknown"):
            before = self.runs[index - 1]
            if before.requirements or before.problems or before.result != Num(0):
                return False
        return not run.requirements and not run.problems and run.launch.certain

    def _seen_by(self, index: int, arguments: tuple[Argument, ...]) -> frozenset[str] | None:
        """Memory that the call's host code reads on the device; None: it may be any.

        Only what the kernel gets, too, is known not to be something else by another name.
        """
        effects = [effect for step in self.runs[index].steps for effect in step.effects]
        if any(isinstance(e, UnknownCall | Unsupported | Synchronise) for e in effects):
            return None
        read = {str(identity(v)) for e in effects if isinstance(e, Transfer) for v in e.reads}
        given = {argument.name for argument in arguments if isinstance(argument, Memory)}
        return frozenset(read) if read <= given else None

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
        if parameter.image:
            for which in ("width", "height"):
                self.values[image_size(which, name)] = image_size_of(value, which)
        if parameter.pointer or parameter.image:
            return Memory(name, self._hint(value, parameter.name), spell(value))
        if all(isinstance(leaf, Num | Literal) for leaf in leaves(value)):
            # Constants: equal by value perhaps, but a variable each.
            name = f"{value} for {parameter.name} of call {self._number(run)}"
            self.values[name] = value
        return Scalar(name, parameter.name, spell(value))

    def _number(self, run: Run) -> int:
        return next(i for i, r in enumerate(self.runs) if r is run)

    def _hint(self, value: Sym, otherwise: str) -> str:
        """A readable name for a memory object: that of its owner in the application.

        Buffers of one owner are told apart by their members: `u`, `level2`; `s_u` if
        another owner has a `u`, too.
        """
        owner = _owner(value)
        if not isinstance(value, Entry) or not isinstance(owner, App | Global):
            return otherwise
        handles = {h for h in self._handles() if h.place.path}
        if len([h for h in handles if _owner(h) == owner]) < 2 or not value.place.path:
            return owner.name
        member = _member(value)
        alike = [h for h in handles if h != value and _member(h) == member]
        if not alike:
            return member
        outer = _outer_member(value)  # `w->b.gpu` is w's `b`
        if outer and all(_owner(h) == owner and _outer_member(h) != outer for h in alike):
            return outer
        return f"{owner.name}_{member}"

    def _handles(self) -> set[Entry]:
        """Memory objects that the launches of the region get, and that were there before."""
        settings = [e for run in self.runs for e in run.set_arguments.values()]
        values = [e.value for e in settings if spell(e.size) == "sizeof(cl_mem)"]
        return {value for value in values if isinstance(value, Entry)}

    # Joining

    def compares(self, memory: Memory, other: Memory) -> bool:
        """The guard of a fused function knows what the function is given."""
        values = (self.values.get(memory.name), self.values.get(other.name))
        if any(v is not None and is_new_buffer(v) for v in values):
            return True
        place = self.argument_for(other.name)
        if place is None:
            return False
        # The types of another library may not be known where the function stands.
        unit = self.region.calls[place[0]].function.unit
        pairs = zip(self.region.calls, self.runs, strict=True)
        return all(c.function.unit is unit for c, run in pairs if memory.name in self.uses(run))

    def argument_for(self, name: str) -> tuple[int, int] | None:
        if name not in self._arguments_for:
            self._arguments_for[name] = self._argument_for(name)
        return self._arguments_for[name]

    def _argument_for(self, name: str) -> tuple[int, int] | None:
        """A call and the number of its argument that leads to the memory, now as at the start."""
        value = self.values.get(name)
        if not isinstance(value, Entry):
            return None
        for index, (call, run) in enumerate(zip(self.region.calls, self.runs, strict=True)):
            if name not in self.uses(run):
                continue
            entry = self.arguments(LibraryExecutor(self.program), call, State())
            for position, (now, then) in enumerate(zip(run.arguments, entry, strict=True)):
                if now == then and leads_to(now, value):
                    return index, position
        return None

    def ordered(self, left: Invocation, right: Invocation) -> bool:
        return self.in_order or not self.moving.may_swap(left.index, right.index)

    @cached_property
    def moving(self) -> Moving:
        return Moving(self)

    def joinable(self, members: tuple[int, ...]) -> Reason | None:
        first, last = members[0], members[-1]
        if last - first >= len(members):
            return None  # asked again when the calls stand in their new order
        return self._reason(first, last) or self._refusal(first, last)

    def divides(self, members: tuple[int, ...]) -> bool:
        return members not in self.undivided

    def _reason(self, first: int, last: int) -> Reason | None:
        """A reason against a segment holds for all longer ones."""
        reasons = self._reasons.setdefault(first, [])
        while len(reasons) <= last - first:
            if reasons and reasons[-1] is not None:
                return reasons[-1]
            end = first + len(reasons)
            reasons.append(self.joining.reason(first, end, self.segment(first, end)))
        return reasons[last - first]

    def _refusal(self, first: int, last: int) -> Reason | None:
        if len(self._refused) > MOST_REFUSALS:  # longer groups are no longer tried
            inside = (r for (f, n), r in self._refused.items() if first <= f and n <= last)
            return next(inside, None)
        return self._refused.get((first, last))

    def refuse(self, first: int, last: int, why: str, place: Span | None) -> None:
        """No text can be made for the calls first..last: the next plan goes without."""
        names = list(dict.fromkeys(run.function.name for run in self.runs[first : last + 1]))
        self._refused[first, last] = Reason(
            "KF219",
            f"{' and '.join(names)} cannot be one function: {why}",
            self.region.calls[first].statement,
            help="write the functions of a region in one plain form: set the arguments, launch, "
            "return the status",
            related=(("this is in the way", place),) if place else (),
        )

    def is_unsigned(self, value: Sym) -> bool:
        return bool(_UNSIGNED & set(self.declared_type(value)))

    def declared_type(self, value: Sym) -> tuple[str, ...]:
        """The type's words, of a variable of the application or a member of one."""
        if not isinstance(value, Entry):
            return ()
        owner, types = _owner(value), self.program.types
        if not isinstance(owner, App):
            return ()
        declared = self.region.variables.get(owner.name)
        type_ = declared.type if declared is not None else None
        if owner != value.place.root:
            type_ = types.target(type_)
        for step in value.place.path:
            is_element = step.startswith("[")
            type_ = types.target(type_) if is_element else types.member(type_, step)
        return tuple(getattr(getattr(type_, "type", None), "names", None) or ())

    def uses(self, run: Run) -> dict[str, bool]:
        """Memory objects of a launch by name, and whether it may write them."""
        if id(run) in self._uses:
            return self._uses[id(run)]
        kernel = self.kernel_of[self._calls[id(run)]]
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
        self._uses[id(run)] = result  # runs are kept: no other one gets this number
        return result

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
            f"{left.kernel.name} has the range {self._range(left)}, "
            f"{right.kernel.name} the range {self._range(right)}",
            right.span,
            help="launch both over sizes of one form (`a->n` and `b->n`, say): then they are "
            "compared at run time",
            related=((f"{left.kernel.name} is called here", left.span),) if left.span else (),
        )

    def _range(self, invocation: Invocation) -> str:
        """The global size (and offset, if there is one) as C."""
        launch = self.runs[invocation.index].launch
        size = f"({spell_all(launch.size)})"
        if not invocation.range.offset or launch.offset is None:
            return size
        return f"{size} from ({spell_all(launch.offset)})"

    def within(self, invocation: Invocation, dimension: int, scalar: Scalar) -> bool:
        size = self.runs[invocation.index].launch.size
        value = self.values.get(scalar.name)
        if dimension >= len(size) or value is None:
            return False
        return unify(strip(size[dimension]), strip(value)) is not None

    def keeps(self, image: Memory, type_: str) -> Reason | None:
        place = lossy_format(self.program, type_)
        if place is None:
            return None
        return Reason(
            "KF234",
            f"'{image}' would be kept in variables of type {type_}, and the images of this "
            "program round what is written to them",
            place,
        )

    def disjoint(self, left: Memory, right: Memory) -> bool:
        values = (self.values.get(left.name), self.values.get(right.name))
        return all(isinstance(v, Entry) or is_new_buffer(v) for v in values)


def leads_to(argument: Sym, value: Entry) -> bool:
    """Is the place a member of what the argument points to, or the argument itself?"""
    root = value.place.root
    if argument == value:
        return True
    if isinstance(root, Pointee):
        return root.pointer == argument
    return isinstance(argument, Ref) and argument.place.root == root and not argument.place.path


def _owner(value: Sym) -> Root | None:
    """The variable that leads to the object."""
    if not isinstance(value, Entry):
        return None
    root = value.place.root
    if isinstance(root, Pointee) and isinstance(root.pointer, Entry):
        return root.pointer.place.root
    return root


def _outer_member(handle: Entry) -> str:
    """`b` for `w->b.gpu`: the member that the last one is a member of, if it has a name."""
    path = handle.place.path
    named = len(path) > 1 and not any(step.startswith("[") for step in path[-2:])
    return "".join(c for c in path[-2] if c.isalnum() or c == "_") if named else ""


def _member(handle: Entry) -> str:
    """`level2` for `s->level[2]`: the last member's name, and the indices behind it."""
    words: list[str] = []
    for step in reversed(handle.place.path):
        words.insert(0, "".join(c for c in step if c.isalnum() or c == "_"))
        if not step.startswith("["):
            break
    return "_".join(words[:1]) + "_".join(words[1:])
