"""What a function, and then its callers, may do after a region."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property
from itertools import pairwise

from pycparser import c_ast

from kfusion.host.effects import (
    Assign,
    Create,
    Effect,
    Launch,
    SetArgument,
    Synchronise,
    UnknownCall,
    Unsupported,
)
from kfusion.host.equality import identity, is_new_buffer
from kfusion.host.frames import Frame
from kfusion.host.keeping import (
    carried_by,
    first_use,
    has_choice,
    keeps_handle,
    made_into,
    may_change,
    overlapping,
    parts_of,
    places_in,
    reads_object,
)
from kfusion.host.library import LibraryExecutor, Run
from kfusion.host.loops import is_loop
from kfusion.host.merge import RegionAnalysis
from kfusion.host.program import HostFunction, constant
from kfusion.host.statements import assigned_in
from kfusion.host.symbolic import (
    FALSE,
    App,
    Entry,
    Global,
    Made,
    Num,
    Place,
    Pointee,
    Ref,
    State,
    Sym,
    Unknown,
    leaves,
)
from kfusion.host.uses import OwnCalls, Uses, declarations_of, has_goto, leaves_anywhere, path_to
from kfusion.kernel.model import Kernel
from kfusion.parse.unit import Unit, descendants
from kfusion.source.dataclasses import dataclass
from kfusion.source.protections import is_on, protection

LIVE = protection("host-liveness", "an object that is read after the region is taken as dead")
OWN_MEMORY = protection("host-own-memory", "an object is dead though its memory is shared")
COPIED_HANDLE = protection("host-copied-handle", "an object is dead though it began as a copy")
LEFT_BEHIND = protection("host-left-behind", "an object is dead though it stays set as an argument")
HANDED_BACK = protection("host-handed-back", "an object is dead though a call returned it")
_NARROW = frozenset(
    "void char short int signed unsigned float double _Bool bool cl_int cl_uint cl_bool cl_float "
    "cl_double int32_t uint32_t".split()
)
# a handle fits into them
_WIDE = frozenset(
    "long size_t ssize_t ptrdiff_t cl_long cl_ulong int64_t uint64_t intptr_t uintptr_t "
    "intmax_t uintmax_t".split()
)
_NUMBERS = _NARROW | _WIDE


def object_of(value: Sym) -> str | None:
    """The application's variable that a memory object belongs to."""
    if not isinstance(value, Entry):
        return None
    place: Place = value.place
    while isinstance(place.root, Pointee) and isinstance(place.root.pointer, Entry):
        place = place.root.pointer.place
    return place.root.name if isinstance(place.root, App | Global) else None


@dataclass(frozen=True)
class Read:
    node: c_ast.Node  # the application's call
    certain: bool
    next_iteration: bool = False  # of the loop around the region
    unit: Unit | None = None  # of a caller
    parameter: bool = False  # it is not known what callers do with it


@dataclass(frozen=True)
class _Following:
    """A statement that may run after the region."""

    node: c_ast.Node
    certain: bool  # does control surely come there?
    loop: c_ast.Node | None = None  # in whose next iteration it runs, up to the region


class Later:
    """What the function does after the region, as far as it can be followed."""

    def __init__(self, analysis: RegionAnalysis) -> None:
        self.analysis = analysis
        region = analysis.region
        self.unit = region.unit
        self.variables = dict(region.variables)
        self.body = region.function.node.body
        self.path = path_to(self.body, self._is_region) or []
        self.first = self.unit.index(self.path[-1])  # the region's braces, as tokens
        self.last = self.unit.match(self.first)
        self.overwritten = False  # by what first_read has followed last
        self.result: Sym = FALSE  # of the last call
        # What the names mean that calls of the function may use.
        self._scope = frozenset((name, id(node)) for name, node in self.variables.items())

    def _is_region(self, node: c_ast.Node) -> bool:
        token = self.unit.tokens[self.unit.index(node)] if node.coord else None
        return (
            isinstance(node, c_ast.Compound)
            and token is not None
            and token.start == self.analysis.region.mark.block.start
        )

    @property
    def in_loop(self) -> bool:
        return any(map(is_loop, self.path))

    # Contradictions: is a temporary read later?

    def first_read(self, name: str) -> Read | None:
        owner = object_of(self.analysis.values[name])
        self.executor, self.state = self.analysis.segments.after()
        return self.follow(name, owner or "")

    def follow(self, name: str, owner: str) -> Read | None:
        """The first certain read in the statements that may run later, or else a possible one."""
        self.overwritten = False
        possible: Read | None = None
        done: c_ast.Node | None = None  # a loop whose next iteration overwrites it
        for statement in self._following():
            if statement.loop is not None and statement.loop is done:
                continue
            read, killed = self._scan(statement.node, name, owner, statement.certain)
            if read is not None:
                possible = possible or replace(read, next_iteration=statement.loop is not None)
                if read.certain:
                    return replace(read, next_iteration=statement.loop is not None)
            if killed and statement.loop is None:
                self.overwritten = True
                return possible
            if killed:  # if there is one
                done = statement.loop
        return possible

    def read_on_entry(self, name: str, owner: str) -> Read | None:
        """The first read from the function's beginning to the region's end."""
        self.executor, self.state = LibraryExecutor(self.analysis.program), State()
        for item in self._before(self.path):
            read, killed = self._scan(item, name, owner, certain=True)
            if read is not None or killed:
                return read
        return self._scan_region(name, owner)[0]

    def _scan_region(self, name: str, owner: str) -> tuple[Read | None, bool]:
        """What the next execution of the region does with what the last one has left."""
        if not self._read_first(name):
            return None, False
        return Read(self._first_call(name, owner), certain=True), False

    @staticmethod
    def _before(path: list[c_ast.Node]) -> list[c_ast.Node]:
        """The statements from the beginning of the first to the last node of a path."""
        found: list[c_ast.Node] = []
        for outer, inner in pairwise(path):
            if isinstance(outer, c_ast.Compound):
                items = outer.block_items or []
                found += items[: next(i for i, item in enumerate(items) if item is inner)]
        return found

    def _scan(
        self, node: c_ast.Node | None, name: str, owner: str, certain: bool
    ) -> tuple[Read | None, bool]:
        """The first read in a statement, and whether the object is surely overwritten."""
        if node is self.path[-1]:
            return self._scan_region(name, owner)
        if isinstance(node, c_ast.Compound):
            for item in node.block_items or []:
                read, killed = self._scan(item, name, owner, certain)
                if read is not None or killed:
                    return read, killed
                certain = certain and not leaves_anywhere(item)
            return None, False
        if isinstance(node, c_ast.If):
            read, killed = self._scan(node.cond, name, owner, certain)
            if read is not None or killed:
                return read, killed
            ways = [self._scan(part, name, owner, False) for part in (node.iftrue, node.iffalse)]
            found = [read for read, _ in ways if read]
            return (found[0], False) if found else (None, all(killed for _, killed in ways))
        if isinstance(node, c_ast.DoWhile):
            return self._scan(node.stmt, name, owner, certain)
        if isinstance(node, c_ast.For | c_ast.While):
            return self._scan(node.stmt, name, owner, False)[0], False
        if node is None:
            return None, False
        return self._scan_calls(node, name, owner, certain)

    def _scan_calls(
        self, node: c_ast.Node, name: str, owner: str, certain: bool
    ) -> tuple[Read | None, bool]:
        calls = OwnCalls(owner)
        calls.visit(node)
        for call in calls.found:
            effects = self._effects(self.executor, call, self.state)
            if effects is None:
                effects = self._opencl_effects(self.executor, call, self.state)
            reads = first_use(effects, name, self.analysis)
            if reads:
                sure = certain and any(e.certain for e in reads)
                return Read(call.name, sure), False
            if reads is None and not isinstance(node, c_ast.Switch):
                return None, True
        return None, False

    def _read_first(self, name: str) -> bool:
        """Does the region read what the iteration before it left in the object?"""
        for run, kernel in zip(self.analysis.runs, self.analysis.kernel_of, strict=True):
            assert kernel is not None
            for position, effect in sorted(run.set_arguments.items()):
                if effect.value is None or str(identity(effect.value)) != name:
                    continue
                parameter = kernel.parameters[position].name
                modes = [a.mode for a in kernel.accesses if a.parameter == parameter]
                if any(m.reads for m in modes):
                    return True
            if self.analysis.uses(run).get(name):
                return False
        return False

    def _first_call(self, name: str, owner: str) -> c_ast.Node:
        """The argument through which the first call gets the object."""
        calls = self.analysis.region.calls
        for call, run in zip(calls, self.analysis.runs, strict=True):
            if name in self.analysis.uses(run):
                given = (a for a in call.arguments if owner in re.findall(r"\w+", a.text))
                return next(given, call.arguments[0]).node
        return calls[0].arguments[0].node

    def _following(self) -> list[_Following]:
        """Statements that may run after the region; in a loop also those before it, and itself."""
        result: list[_Following] = []
        certain = True
        for depth in range(len(self.path) - 2, -1, -1):
            outer, inner = self.path[depth : depth + 2]
            if is_loop(outer):
                again = [*self._before(self.path[depth:]), self.path[-1]]
                result += [_Following(item, False, outer) for item in again]
                certain = certain and isinstance(outer, c_ast.DoWhile)
            if not isinstance(outer, c_ast.Compound):
                continue
            items = outer.block_items or []
            position = next(i for i, item in enumerate(items) if item is inner)
            for item in items[position + 1 :]:
                result.append(_Following(item, certain))
                certain = certain and not leaves_anywhere(item)
        return result

    def _effects(
        self, executor: LibraryExecutor, call: c_ast.FuncCall, state: State
    ) -> list[Effect] | None:
        name = call.name.name if isinstance(call.name, c_ast.ID) else None
        function = self.analysis.program.lookup(name, self.unit) if name else None
        frame = Frame(0, None, self.unit, dict(self.variables))
        executor.frames, executor.step = [frame], None
        executor.application = frame.variables
        before = len(executor.effects)
        if function is None:
            executor.frames = []
            return None
        nodes = call.args.exprs if call.args is not None else []
        arguments = [executor.value(node, state) for node in nodes]
        self.result = executor.run(function, arguments, state)
        executor.frames = []
        return executor.effects[before:]

    def _opencl_effects(
        self, executor: LibraryExecutor, call: c_ast.FuncCall, state: State
    ) -> list[Effect]:
        """Of a call of OpenCL in the application itself; of other calls nothing is known."""
        name = call.name.name if isinstance(call.name, c_ast.ID) else ""
        if not (name.startswith("cl") and name[2:3].isupper()):
            return []
        before = len(executor.effects)
        executor.frames, executor.step = [Frame(0, None, self.unit, dict(self.variables))], None
        executor.value(call, state)
        executor.frames = []
        return executor.effects[before:]

    # Inference: is an object dead although nobody said so?

    def is_dead(self, name: str, owner: str) -> bool:
        value = self.analysis.values[name]
        if not is_on(LIVE):
            return True
        scope, declared = self._declaration(owner)
        if declared is None or not isinstance(value, Entry):
            return False
        if not isinstance(value.place.root, App):
            return False
        local = isinstance(declared.type, c_ast.TypeDecl) and not (
            {"static", "extern"} & set(declared.storage)
        )
        if not local or self._is_parameter(owner) or has_goto(self.body):
            return False
        own = declared.init is None or self._is_constant(declared.init)
        if is_on(COPIED_HANDLE) and not own:
            return False
        uses = Uses(owner)
        uses.visit(scope)
        if uses.escapes or (value.place.path and value.place.path[0] in uses.members):
            return False
        # Most objects that live are read by one of the calls that follow: ask these first.
        calls = sorted(uses.calls, key=self._distance)
        if not all(self._is_harmless(call, name, owner) for call in calls):
            return False
        return not (self.in_loop and self._guards_change)

    def _distance(self, call: c_ast.FuncCall) -> int:
        """0 for what follows, in the innermost loop first; then what comes before."""
        index = self.unit.index(call.name)
        loops = [n for n in self.path if is_loop(n)]
        inner = loops[-1].stmt if loops else self.path[-1]
        opening = self.unit.index(inner)
        if loops and isinstance(inner, c_ast.Compound):
            if opening <= index <= self.unit.match(opening):
                return 0 if index > self.last else 1
        return 2 if index > self.last else 3

    def _declaration(self, owner: str) -> tuple[c_ast.Node, c_ast.Decl | None]:
        """The block that declares the variable, if the name means nothing else in there."""
        for outer, inner in reversed(list(zip(self.path, [*self.path[1:], None], strict=True))):
            if not isinstance(outer, c_ast.Compound):
                continue
            for item in outer.block_items or []:
                if item is inner:
                    break
                if isinstance(item, c_ast.Decl) and item.name == owner:
                    # inside the region's own braces the calls above it get another variable
                    scope = outer if inner is not None else self.body
                    once = declarations_of(scope, owner) == 1
                    return scope, item if once and (inner or not self._is_global(owner)) else None
        return self.body, None

    def _is_global(self, name: str) -> bool:
        return self.analysis.program.global_of(name, self.unit) is not None

    def _is_constant(self, node: c_ast.Node) -> bool:
        """Does an initialiser consist of numbers, so that it holds no handle?"""
        if isinstance(node, c_ast.Constant):
            return True
        if isinstance(node, c_ast.ID):
            if node.name in self.analysis.program.enumerators:
                return True
            declared = self.analysis.region.variables.get(node.name)
            inner = getattr(getattr(declared, "type", None), "type", None)
            names = getattr(inner, "names", None)
            return names is not None and set(names) <= _NUMBERS
        if isinstance(node, c_ast.Cast):
            return constant(node, self.analysis.program.enumerators) is not None
        if isinstance(node, c_ast.UnaryOp) and node.op == "sizeof":
            return True
        if isinstance(node, c_ast.UnaryOp) and node.op in ("&", "*"):
            return False
        if isinstance(node, c_ast.NamedInitializer):
            return self._is_constant(node.expr)
        kinds = c_ast.InitList | c_ast.UnaryOp | c_ast.BinaryOp | c_ast.TernaryOp
        parts = [child for _, child in node.children()]
        return isinstance(node, kinds) and all(map(self._is_constant, parts))

    @cached_property
    def _guards_change(self) -> bool:
        """May the enclosing loop change what the run-time guards of the region depend on?

        Then an iteration that falls back could read more than it writes.
        """
        pairs = zip(self.analysis.runs, self.analysis.kernel_of, strict=True)
        decisive = [value for run, kernel in pairs for value in self._decisive(run, kernel)]
        parts = [part for value in decisive for part in leaves(value)]
        if any(isinstance(part, Unknown) for part in parts) or any(map(has_choice, decisive)):
            return True
        used = {place for part in parts for place in places_in(part)}
        loop = next(n for n in self.path if is_loop(n))
        declared = {node.name for node in descendants(loop.stmt) if isinstance(node, c_ast.Decl)}
        if any(isinstance(p.root, App) and p.root.name in declared for p in used):
            return True
        return any(may_change(effect, used) for effect in self._loop_effects(loop))

    def _decisive(self, run: Run, kernel: Kernel | None) -> list[Sym]:
        """What the guards of a call compare: handles, sizes, conditions, whole numbers."""
        launch = run.launch
        ranges = [*launch.size, *(launch.local or ()), *(launch.offset or ())]
        assert kernel is not None
        given = [
            effect.value
            for position, effect in run.set_arguments.items()
            if effect.value is not None
            and not kernel.parameters[position].canonical.startswith(("float", "double", "half"))
        ]
        queues = {other.launch.queue for other in self.analysis.runs}
        return [
            *(queues if len(queues) > 1 else ()),
            *ranges,
            *given,
            *(condition for condition, _ in run.requirements),
        ]

    def _loop_effects(self, loop: c_ast.Node) -> list[Effect]:
        """What one iteration may do."""
        key = ("loop", loop, self._scope)
        known = self.analysis.program.remembered
        if key not in known:
            executor, state = LibraryExecutor(self.analysis.program), State()
            executor.frames = [Frame(0, None, self.unit, dict(self.analysis.region.variables))]
            executor.conditions = [executor.unknown()]
            after = executor.statement(loop.stmt, state) or state
            for part in (loop.cond, getattr(loop, "next", None)):
                if part is not None:
                    executor.value(part, after)
            known[key] = executor.effects
        found: list[Effect] = known[key]
        return found

    def _is_parameter(self, owner: str) -> bool:
        arguments = self.analysis.region.function.node.decl.type.args
        return arguments is not None and any(
            getattr(p, "name", None) == owner for p in arguments.params
        )

    def _is_harmless(self, call: c_ast.FuncCall, name: str, owner: str) -> bool:
        """The call keeps no handle; after the region it reads nothing from the device."""
        if not isinstance(call.name, c_ast.ID) or self._is_variable(call.name.name):
            return False
        effects, result = self._alone(call)
        if effects is None:
            return bool(call.name.name == "memset")
        handle = self.analysis.values[name]
        assert isinstance(handle, Entry)
        own = made_into(effects, handle.place)
        if any(keeps_handle(e, owner, handle.place, own) for e in effects) or self._hands_back(
            call, owner, handle.place, result
        ):
            return False
        index = self.unit.index(call.name)  # tokens of macros have no place in the text
        if self._is_in_plan(index):
            return True
        if is_on(OWN_MEMORY) and not all(self._gives_own_memory(e, name) for e in effects):
            return False
        if is_on(LEFT_BEHIND) and any(self._stays_set(e, effects, handle) for e in effects):
            return False
        if index < self.first and not self.in_loop:
            return True
        return not any(
            isinstance(e, UnknownCall | Unsupported | Synchronise) for e in effects
        ) and not reads_object(effects, name, self.analysis)

    def _stays_set(self, effect: Effect, effects: list[Effect], handle: Entry) -> bool:
        """Is the object left behind as a kernel's argument, for a later launch?"""
        if not isinstance(effect, SetArgument) or effect.value is None:
            return False
        parts = parts_of(effect.value)
        if not any(isinstance(p, Entry) and overlapping(p.place, handle.place) for p in parts):
            return False
        if not any(isinstance(e, Launch) and e.kernel == effect.kernel for e in effects):
            return True
        kernels = self.analysis.kernels
        names = self.analysis.handles.kernel_names(effect.kernel, {})
        return not names or any(
            name not in kernels or self.analysis.reliances.of(kernels[name]) is not None
            for name in names
        )

    def _is_in_plan(self, index: int) -> bool:
        """One of the region's own calls: what it reads is known."""
        start = self.unit.tokens[index].start
        return self.first <= index <= self.last and any(
            call.call.start <= start < call.call.end for call in self.analysis.region.calls
        )

    def _is_variable(self, name: str) -> bool:
        """A pointer to a function, which may have the name of a function."""
        return name in self.analysis.region.variables or any(
            isinstance(node, c_ast.Decl)
            and node.name == name
            and not isinstance(node.type, c_ast.FuncDecl)
            for node in self.unit.ast.ext
        )

    def _alone(self, call: c_ast.FuncCall) -> tuple[list[Effect] | None, Sym]:
        """Effects and result of a call about which nothing is known."""
        key = ("alone", call, self._scope)
        known = self.analysis.program.remembered
        if key not in known:
            effects = self._effects(LibraryExecutor(self.analysis.program), call, State())
            known[key] = effects, self.result
        found: tuple[list[Effect] | None, Sym] = known[key]
        return found

    def _hands_back(self, call: c_ast.FuncCall, owner: str, handle: Place, result: Sym) -> bool:
        """Does the call return the object's address, or a handle of its own?"""
        function = self.analysis.program.lookup(call.name.name, self.unit)
        if function is None or not is_on(HANDED_BACK):
            return False
        kind = function.function.node.decl.type.type
        names = getattr(getattr(kind, "type", None), "names", None)
        if isinstance(kind, c_ast.TypeDecl) and names and set(names) <= _NUMBERS:
            return not set(names) <= _NARROW and any(
                (isinstance(part, Ref) and part.place.root == App(owner))
                or (isinstance(part, Entry) and overlapping(part.place, handle))
                or isinstance(part, Made | Unknown)
                for part in carried_by(result)
            )
        return any(
            (isinstance(part, Ref | Entry) and part.place.root == App(owner))
            or isinstance(part, Made | Unknown)
            for part in parts_of(result)
        )

    def _gives_own_memory(self, effect: Effect, name: str) -> bool:
        """The object gets no memory that can be reached in another way."""
        if isinstance(effect, Create):
            return not effect.host_pointer
        handle = self.analysis.values[name]
        assert isinstance(handle, Entry)
        if not isinstance(effect, Assign) or not overlapping(effect.place, handle.place):
            return True
        return all(
            part in (Num(0), handle) or is_new_buffer(part) for part in parts_of(effect.value)
        )


class _AfterCall(Later):
    """What a caller of the region's function does after the call."""

    def __init__(self, analysis: RegionAnalysis, caller: HostFunction, call: c_ast.FuncCall):
        super().__init__(analysis)
        self.called = Later(analysis)
        self.unit, self.caller = caller.unit, caller
        self.variables = {p.name: p for p in caller.parameters}
        declared = (n for n in descendants(caller.function.node.body) if isinstance(n, c_ast.Decl))
        self.variables |= {n.name: n for n in declared if n.name}
        self.body = caller.function.node.body
        self.path = path_to(self.body, lambda node: node is call) or []
        self.executor, self.state = LibraryExecutor(analysis.program), State()

    def read_of(self, argument: c_ast.Node, value: Entry) -> tuple[Read | None, bool]:
        """The first read of what the argument leads to; and does it live on after the caller?"""
        while isinstance(argument, c_ast.Cast):
            argument = argument.expr
        address = isinstance(argument, c_ast.UnaryOp) and argument.op == "&"
        variable = argument.expr if address else argument
        own = self.variables.get(getattr(variable, "name", None) or "")
        if not isinstance(variable, c_ast.ID) or own is None:
            return None, True
        base = Place(App(variable.name))
        if isinstance(value.place.root, Pointee) and not address:
            base = Place(Pointee(Entry(base)))
        handle = Entry(Place(base.root, (*base.path, *value.place.path)))
        self.value = value
        read = self.follow(str(handle), variable.name)
        if read is not None:
            again = read.next_iteration and read.node is self.path[-1]
            return replace(read, unit=self.unit, next_iteration=again), False
        is_parameter = any(p.name == variable.name for p in self.caller.parameters)
        is_local = address and not is_parameter and not {"static", "extern"} & set(own.storage)
        return None, not (is_local or self.overwritten)

    def _scan_region(self, name: str, owner: str) -> tuple[Read | None, bool]:
        """The call itself stands in a loop: does it read what it has left?"""
        read = self.called.read_on_entry(str(self.value), object_of(self.value) or "")
        if read is None:
            return None, False
        same = owner not in assigned_in([n for n in self.path if is_loop(n)][-1:])
        return Read(self.path[-1], certain=same and read.certain), False


def read_by_callers(analysis: RegionAnalysis, name: str, later: Later) -> Read | None:
    """Who reads a temporary that the region's function has got from its caller?"""
    region, value = analysis.region, analysis.values[name]
    owner = object_of(value)
    if later.overwritten or owner is None or not isinstance(value, Entry):
        return None
    parameters = region.function.node.decl.type.args
    listed = parameters.params if parameters is not None else []
    position = next((i for i, p in enumerate(listed) if getattr(p, "name", "") == owner), None)
    if position is None:
        return None
    possible: Read | None = None
    lives_on = False
    for caller, call in _calls_of(analysis, region.function.name):
        arguments = call.args.exprs if call.args is not None else []
        if position < len(arguments):
            read, lives = _AfterCall(analysis, caller, call).read_of(arguments[position], value)
            if read is not None and read.certain:
                return read
            possible, lives_on = possible or read, lives_on or lives
    if possible is None and lives_on:
        possible = Read(listed[position], certain=False, unit=region.unit, parameter=True)
    return possible


def _calls_of(analysis: RegionAnalysis, name: str) -> list[tuple[HostFunction, c_ast.FuncCall]]:
    return [
        (caller, node)
        for caller in analysis.program.functions.values()
        if name in analysis.program.names_called(caller.function.node.body)
        for node in descendants(caller.function.node.body)
        if isinstance(node, c_ast.FuncCall)
        and isinstance(node.name, c_ast.ID)
        and node.name.name == name
    ]
