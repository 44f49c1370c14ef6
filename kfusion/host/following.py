"""Is what a region leaves in a memory object read later: by its function, or by a caller?

The name of an object comes in; a read goes out, the first certain one or else a possible one,
with the place of it. This is asked of objects that `out` and `temp` say are not observed.
"""

from __future__ import annotations

import re
from dataclasses import replace

from pycparser import c_ast

from kfusion.host.equality import identity
from kfusion.host.keeping import first_use
from kfusion.host.library import LibraryExecutor
from kfusion.host.loops import is_loop
from kfusion.host.merge import RegionAnalysis
from kfusion.host.program import HostFunction
from kfusion.host.statements import assigned_in
from kfusion.host.surroundings import Surroundings, around_call, statements_before
from kfusion.host.symbolic import App, Entry, Global, Place, Pointee, State, Sym
from kfusion.host.uses import OwnCalls, leaves_anywhere
from kfusion.parse.unit import Unit, descendants
from kfusion.source.dataclasses import dataclass


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


class Later:
    """What the function does after the region, as far as it can be followed."""

    def __init__(self, analysis: RegionAnalysis, around: Surroundings) -> None:
        self.analysis, self.around = analysis, around
        self.overwritten = False  # by what first_read has followed last

    def first_read(self, name: str) -> Read | None:
        owner = object_of(self.analysis.values[name])
        self.executor, self.state = self.analysis.segments.after()
        return self.follow(name, owner or "")

    def follow(self, name: str, owner: str) -> Read | None:
        """The first certain read in the statements that may run later, or else a possible one."""
        self.overwritten = False
        possible: Read | None = None
        done: c_ast.Node | None = None  # a loop whose next iteration overwrites it
        for statement in self.around.following():
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
        for item in statements_before(self.around.path):
            read, killed = self._scan(item, name, owner, certain=True)
            if read is not None or killed:
                return read
        return self._scan_region(name, owner)[0]

    def _scan_region(self, name: str, owner: str) -> tuple[Read | None, bool]:
        """What the next execution of the region does with what the last one has left."""
        if not self._read_first(name):
            return None, False
        return Read(self._first_call(name, owner), certain=True), False

    def _scan(
        self, node: c_ast.Node | None, name: str, owner: str, certain: bool
    ) -> tuple[Read | None, bool]:
        """The first read in a statement, and whether the object is surely overwritten."""
        if node is self.around.here:
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
            done = self.around.run(self.executor, call, self.state)
            if done is not None:
                effects = done[0]
            else:
                effects = self.around.run_opencl(self.executor, call, self.state)
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


class _AfterCall(Later):
    """What a caller of the region's function does after the call."""

    def __init__(self, called: Later, caller: HostFunction, call: c_ast.FuncCall) -> None:
        analysis = called.analysis
        super().__init__(analysis, around_call(call, caller, analysis.program))
        self.called, self.caller = called, caller
        self.executor, self.state = LibraryExecutor(analysis.program), State()

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
        read = self.follow(str(handle), variable.name)
        if read is not None:
            again = read.next_iteration and read.node is self.around.here
            return replace(read, unit=self.around.unit, next_iteration=again), False
        is_parameter = any(p.name == variable.name for p in self.caller.parameters)
        is_local = address and not is_parameter and not {"static", "extern"} & set(own.storage)
        return None, not (is_local or self.overwritten)

    def _scan_region(self, name: str, owner: str) -> tuple[Read | None, bool]:
        """The call itself stands in a loop: does it read what it has left?"""
        read = self.called.read_on_entry(str(self.value), object_of(self.value) or "")
        if read is None:
            return None, False
        same = owner not in assigned_in([n for n in self.around.path if is_loop(n)][-1:])
        return Read(self.around.here, certain=same and read.certain), False


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
            read, lives = _AfterCall(later, caller, call).read_of(arguments[position], value)
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
