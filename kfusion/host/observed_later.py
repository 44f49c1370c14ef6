"""Is what `out` and `temp` call temporary read later: by the region's function, or by a caller?

A read that certainly happens contradicts the annotation: an error. One that may happen is noted.
Statements that may run after the region are executed from what is known at its end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pycparser import c_ast

from kfusion.host.effects import Effect, Launch, SetArgument, Transfer
from kfusion.host.equality import identity
from kfusion.host.execute import Executor
from kfusion.host.frames import Frame
from kfusion.host.handles import HandleTable
from kfusion.host.loops import is_loop
from kfusion.host.observed_around import Around, around_call, statements_before
from kfusion.host.observed_kernels import KernelArguments, reads_parameter
from kfusion.host.path_program import PathProgram
from kfusion.host.predict import Prediction, Predictions
from kfusion.host.program import HostFunction
from kfusion.host.region import Region
from kfusion.host.symbolic import App, Entry, Fresh, Global, Place, Pointee, State, Sym
from kfusion.host.uses import OwnCalls, leaves_anywhere
from kfusion.kernel.model import Kernel
from kfusion.parse.unit import Unit, descendants
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import Diagnostic, Severity, error
from kfusion.source.protections import is_on, protection
from kfusion.source.text import Span

CONTRADICTED = protection("host-out-contradicted", "out or temp against a later read is believed")
_BEHIND = 1_000_000  # numbers of what is made later: none is that of something in the region


@dataclass(frozen=True)
class Read:
    node: c_ast.Node  # the application's call
    certain: bool
    next_iteration: bool = False  # of the loop around the region
    unit: Unit | None = None  # of a caller
    parameter: bool = False  # it is not known what callers do with it


Object = tuple[Prediction, str, str]  # a path, the name of memory on it, and its variable


class Later:
    """What runs after one region."""

    def __init__(
        self,
        region: Region,
        around: Around,
        predicted: Predictions,
        handles: HandleTable,
        kernels: Mapping[str, Kernel],
    ) -> None:
        self.region, self.around, self.predicted = region, around, predicted
        self.handles, self.kernels = handles, kernels

    def contradictions(self, temporary: list[Object]) -> list[Diagnostic]:
        """The notes; the first certain contradiction is raised."""
        notes: list[Diagnostic] = []
        for owner in sorted({owner for _, _, owner in temporary}):
            found = self._read_of([each for each in temporary if each[2] == owner])
            if found is None or not is_on(CONTRADICTED):
                continue
            if found.certain:
                raise self._error(found, owner)
            notes.append(self._note(found, owner))
        return notes

    def _read_of(self, objects: list[Object]) -> Read | None:
        """It is certain only if it is, whichever way the region takes."""
        found: list[Read | None] = []
        for path, name, owner in objects:
            if path.leaves or not self._is_written(path, name):
                continue  # where control goes on is not followed
            scan = Scan(self, self.around, path)
            read = scan.first_read(path.values[name], owner)
            found.append(read or self._read_by_callers(path, name, scan))
        reads = [read for read in found if read is not None]
        if not reads:
            return None
        first = next((read for read in reads if read.certain), reads[0])
        certain = all(read is not None and read.certain for read in found)
        certain = certain and self.predicted.certain
        return replace(first, certain=certain)

    def _is_written(self, path: Prediction, name: str) -> bool:
        rows = [launch.invocation for row in path.segments for launch in row]
        return any(
            argument.name == name and (kernel.features or _writes(kernel, position))
            for kernel, arguments in ((i.kernel, i.arguments) for i in rows)
            for position, argument in enumerate(arguments)
        )

    # Messages

    def _when(self, found: Read) -> str:
        if found.next_iteration:
            return "in the next iteration"
        if found.unit is not None:
            return f"after {self.region.function.name} returns"
        return "after the region"

    def _place(self, found: Read) -> tuple[str, Span]:
        read = "here its caller may read it" if found.parameter else "it is read here"
        return read, (found.unit or self.region.unit).node_span(found.node)

    def _error(self, found: Read, owner: str) -> Exception:
        has_outs = any(item.role == "out" for item in self.region.mark.data)
        named = f"name it: out({owner})"
        return error(
            "KF303",
            f"'{owner}' is temporary here, but it is read {self._when(found)}",
            self.region.mark.annotation,
            help=named if has_outs else f"take '{owner}' out of temp(...)",
            related=(self._place(found),),
            exit_code=1,
        )

    def _note(self, found: Read, owner: str) -> Diagnostic:
        return Diagnostic(
            "KF403",
            Severity.NOTE,
            f"'{owner}' is temporary here, and may be read {self._when(found)}",
            self.region.mark.annotation,
            related=(self._place(found),),
        )

    # Callers

    def _read_by_callers(self, path: Prediction, name: str, scan: Scan) -> Read | None:
        """Who reads a temporary that the region's function has got from its caller?"""
        value = path.values[name]
        owner = variable_of(value)
        if scan.overwritten or owner is None or not isinstance(value, Entry):
            return None
        parameters = self.around.function.parameters
        position = next((i for i, p in enumerate(parameters) if p.name == owner), None)
        if position is None:
            return None
        possible: Read | None = None
        lives_on = False
        for caller, call in self._calls():
            arguments = call.args.exprs if call.args is not None else []
            if position < len(arguments):
                after = _AfterCall(self, path, caller, call)
                read, lives = after.read_of(arguments[position], value)
                if read is not None and read.certain:
                    return read
                possible, lives_on = possible or read, lives_on or lives
        if possible is None and lives_on:
            parameter = self.region.function.node.decl.type.args.params[position]
            possible = Read(parameter, certain=False, unit=self.region.unit, parameter=True)
        return possible

    def _calls(self) -> list[tuple[HostFunction, c_ast.FuncCall]]:
        name, program = self.region.function.name, self.around.program
        return [
            (caller, node)
            for caller in program.functions.values()
            if name in program.names_called(caller.function.node.body)
            for node in descendants(caller.function.node.body)
            if isinstance(node, c_ast.FuncCall)
            and isinstance(node.name, c_ast.ID)
            and node.name.name == name
        ]


class Scan:
    """What a function does after the region, as far as it can be followed."""

    def __init__(self, later: Later, around: Around, path: Prediction) -> None:
        self.later, self.around, self.path = later, around, path
        self.arguments = KernelArguments(around, later.handles, later.kernels)
        self.overwritten = False  # by what has been followed last
        self._begin(path.after.copy())

    def _begin(self, state: State) -> None:
        self.state = state
        self.executor = Executor(PathProgram.of(self.around.program), Fresh(_BEHIND))

    def first_read(self, value: Sym, owner: str) -> Read | None:
        """The first certain read in the statements that may run later, or else a possible one."""
        self.overwritten = False
        possible: Read | None = None
        done: c_ast.Node | None = None  # a loop whose next iteration overwrites it
        for statement in self.around.following():
            if statement.loop is not None and statement.loop is done:
                continue
            read, killed = self._scan(statement.node, value, owner, statement.certain)
            if read is not None:
                read = replace(read, next_iteration=statement.loop is not None)
                possible = possible or read
                if read.certain:
                    return read
            if killed and statement.loop is None:
                self.overwritten = True
                return possible
            if killed:  # if there is one
                done = statement.loop
        return possible

    def read_on_entry(self, value: Sym, owner: str) -> Read | None:
        """The first read from the function's beginning to the region's end."""
        self._begin(State())
        for item in statements_before(self.around.path):
            read, killed = self._scan(item, value, owner, certain=True)
            if read is not None or killed:
                return read
        return self._scan_here(value, owner)[0]

    def _scan(
        self, node: c_ast.Node | None, value: Sym, owner: str, certain: bool
    ) -> tuple[Read | None, bool]:
        """The first read in a statement, and whether the object is surely overwritten."""
        if node is self.around.here:
            return self._scan_here(value, owner)
        if isinstance(node, c_ast.Compound):
            for item in node.block_items or []:
                read, killed = self._scan(item, value, owner, certain)
                if read is not None or killed:
                    return read, killed
                certain = certain and not leaves_anywhere(item)
            return None, False
        if isinstance(node, c_ast.If):
            read, killed = self._scan(node.cond, value, owner, certain)
            if read is not None or killed:
                return read, killed
            ways = [self._scan(part, value, owner, False) for part in (node.iftrue, node.iffalse)]
            found = [read for read, _ in ways if read]
            return (found[0], False) if found else (None, all(killed for _, killed in ways))
        if isinstance(node, c_ast.DoWhile):
            return self._scan(node.stmt, value, owner, certain)
        if isinstance(node, c_ast.For | c_ast.While):
            return self._scan(node.stmt, value, owner, False)[0], False
        return self._scan_calls(node, value, owner, certain) if node is not None else (None, False)

    def _scan_calls(
        self, node: c_ast.Node, value: Sym, owner: str, certain: bool
    ) -> tuple[Read | None, bool]:
        calls = OwnCalls(owner)
        calls.visit(node)
        for call in calls.found:
            found = self._first_use(self._effects(call), value)
            if isinstance(found, bool):
                return Read(call.name, certain and found), False
            if found == "overwritten" and not isinstance(node, c_ast.Switch):
                return None, True
        return None, False

    def _effects(self, call: c_ast.FuncCall) -> list[Effect]:
        """What a call of a function does that is known, or one of OpenCL; others do nothing."""
        executor, before = self.executor, len(self.executor.effects)
        frame = Frame(0, None, self.around.unit, dict(self.around.variables))
        executor.frames, executor.application = [frame], frame.variables
        name = call.name.name
        known = executor.program.lookup(name, self.around.unit) is not None
        if known or (name.startswith("cl") and name[2:3].isupper()):
            executor.value(call, self.state)
        executor.frames = []
        return executor.effects[before:]

    def _first_use(self, effects: list[Effect], value: Sym) -> bool | str | None:
        """Is the object read on the device, before anything overwrites it, and certainly so?

        None: it is not used; "overwritten": what comes later reads something else.
        """
        given: list[SetArgument] = []  # to which the launches that follow it get the object
        for effect in effects:
            if isinstance(effect, Transfer):
                if value in map(identity, effect.reads):
                    return effect.certain
                if value in map(identity, effect.writes):
                    return "overwritten"
            if isinstance(effect, SetArgument):
                given = [e for e in given if (e.kernel, e.index) != (effect.kernel, effect.index)]
                if effect.value is not None and identity(effect.value) == value:
                    given.append(effect)
            if isinstance(effect, Launch):
                own = [e for e in given if e.kernel == effect.kernel]
                reading = [e for e in own if self.arguments.may_read(e)]
                if reading:
                    return any(e.certain and self.arguments.reads(e) is True for e in reading)
                if own:
                    return "overwritten"
        return None

    def _scan_here(self, value: Sym, owner: str) -> tuple[Read | None, bool]:
        """What the next execution of the region does with what the last one has left."""
        return self._read_first(self.path, value, owner), False

    def _read_first(self, path: Prediction, value: Sym, owner: str) -> Read | None:
        for row in path.segments:
            for launch in row:
                invocation = launch.invocation
                positions = [
                    position
                    for position, argument in enumerate(invocation.arguments)
                    if path.values.get(argument.name) == value
                ]
                if any(reads_parameter(invocation.kernel, position) for position in positions):
                    only = len(self.later.predicted.likely) == 1
                    start = invocation.span.start if invocation.span is not None else -1
                    return Read(self._argument(start, owner), certain=only)
                if positions:
                    return None
        return None

    def _argument(self, start: int, owner: str) -> c_ast.Node:
        """The argument through which a call of the region gets the object."""
        unit = self.around.unit
        for call in descendants(self.around.here):
            if isinstance(call, c_ast.FuncCall) and unit.start(call.name) == start:
                for argument in call.args.exprs if call.args is not None else []:
                    names = (n.name for n in descendants(argument) if isinstance(n, c_ast.ID))
                    if owner in names:
                        return argument
        return self.around.here


class _AfterCall(Scan):
    """What a caller of the region's function does after the call."""

    def __init__(
        self, later: Later, path: Prediction, caller: HostFunction, call: c_ast.FuncCall
    ) -> None:
        super().__init__(later, around_call(call, caller, later.around.program), path)
        self.caller = caller
        self._begin(State())

    def read_of(self, argument: c_ast.Node, value: Entry) -> tuple[Read | None, bool]:
        """The first read of what the argument leads to; and does it live on after the caller?"""
        while isinstance(argument, c_ast.Cast):
            argument = argument.expr
        address = isinstance(argument, c_ast.UnaryOp) and argument.op == "&"
        variable = argument.expr if address else argument
        own = self.around.variables.get(getattr(variable, "name", None) or "")
        if not isinstance(variable, c_ast.ID) or own is None:
            return None, True
        base = Place(App(variable.name))
        if isinstance(value.place.root, Pointee) and not address:
            base = Place(Pointee(Entry(base)))
        handle = Entry(Place(base.root, (*base.path, *value.place.path)))
        self.value = value
        read = self.first_read(handle, variable.name)
        if read is not None:
            again = read.next_iteration and read.node is self.around.here
            return replace(read, unit=self.around.unit, next_iteration=again), False
        is_parameter = any(p.name == variable.name for p in self.caller.parameters)
        is_local = address and not is_parameter and not {"static", "extern"} & set(own.storage)
        return None, not (is_local or self.overwritten)

    def _scan_here(self, value: Sym, owner: str) -> tuple[Read | None, bool]:
        """The call itself stands in a loop: does it read what it has left?"""
        called = Scan(self.later, self.later.around, self.path)
        read = called.read_on_entry(self.value, variable_of(self.value) or "")
        if read is None:
            return None, False
        loops = [node for node in self.around.path if is_loop(node)]
        same = owner not in _assigned_in(loops[-1])
        return Read(self.around.here, certain=same and read.certain), False


def _assigned_in(node: c_ast.Node) -> set[str]:
    """Variables that a statement may give another value."""
    found: set[str] = set()
    for inner in descendants(node):
        if isinstance(inner, c_ast.Decl):
            found.add(inner.name)
        elif isinstance(inner, c_ast.Assignment) and isinstance(inner.lvalue, c_ast.ID):
            found.add(inner.lvalue.name)
        elif isinstance(inner, c_ast.UnaryOp) and inner.op in ("++", "--", "p++", "p--"):
            found.add(getattr(inner.expr, "name", None) or "")
    return found


def variable_of(value: Sym | None) -> str | None:
    """The application's variable that leads to what was there when the region began."""
    if not isinstance(value, Entry):
        return None
    place = value.place
    while isinstance(place.root, Pointee) and isinstance(place.root.pointer, Entry):
        place = place.root.pointer.place
    return place.root.name if isinstance(place.root, App | Global) else None


def _writes(kernel: Kernel, position: int) -> bool:
    parameter = kernel.parameters[position].name
    return any(a.mode.writes for a in kernel.accesses if a.parameter == parameter)
