"""The function around a region, or around the call by which a caller gets there.

A region or a call comes in; what can be asked of the function around it goes out: the nodes
that lead to the place, what is declared, the statements before it and those that may run
after it, and what calls in them do. Both may stand in loops, so what comes before may run
after, too.
"""

from __future__ import annotations

from itertools import pairwise

from pycparser import c_ast

from kfusion.host.effects import Effect
from kfusion.host.frames import Frame
from kfusion.host.library import LibraryExecutor
from kfusion.host.loops import is_loop
from kfusion.host.program import HostFunction, HostProgram
from kfusion.host.regions import Region
from kfusion.host.symbolic import State, Sym
from kfusion.host.uses import leaves_anywhere, path_to
from kfusion.parse.unit import Unit, descendants
from kfusion.source.dataclasses import dataclass


@dataclass(frozen=True)
class Following:
    """A statement that may run after the place."""

    node: c_ast.Node
    certain: bool  # does control surely come there?
    loop: c_ast.Node | None = None  # in whose next iteration it runs, up to the place


@dataclass(frozen=True, eq=False)
class Surroundings:
    """A function's body, as seen from one place in it."""

    program: HostProgram
    unit: Unit
    variables: dict[str, c_ast.Node]  # declarations by name
    path: list[c_ast.Node]  # from the body down to the place

    @property
    def body(self) -> c_ast.Node:
        return self.path[0]

    @property
    def here(self) -> c_ast.Node:
        """The braces of the region, or the call."""
        return self.path[-1]

    @property
    def in_loop(self) -> bool:
        return any(map(is_loop, self.path))

    def frame(self) -> Frame:
        return Frame(0, None, self.unit, dict(self.variables))

    def following(self) -> list[Following]:
        """Statements that may run after the place; in a loop also those before it, and itself."""
        result: list[Following] = []
        certain = True
        for depth in range(len(self.path) - 2, -1, -1):
            outer, inner = self.path[depth : depth + 2]
            if is_loop(outer):
                again = [*statements_before(self.path[depth:]), self.path[-1]]
                result += [Following(item, False, outer) for item in again]
                certain = certain and isinstance(outer, c_ast.DoWhile)
            if not isinstance(outer, c_ast.Compound):
                continue
            items = outer.block_items or []
            position = next(i for i, item in enumerate(items) if item is inner)
            for item in items[position + 1 :]:
                result.append(Following(item, certain))
                certain = certain and not leaves_anywhere(item)
        return result

    def run(
        self, executor: LibraryExecutor, call: c_ast.FuncCall, state: State
    ) -> tuple[list[Effect], Sym] | None:
        """Effects and result of a call of a function that is known; None: it is not."""
        name = call.name.name if isinstance(call.name, c_ast.ID) else None
        function = self.program.lookup(name, self.unit) if name else None
        frame = self.frame()
        executor.frames, executor.step = [frame], None
        executor.application = frame.variables
        before = len(executor.effects)
        if function is None:
            executor.frames = []
            return None
        nodes = call.args.exprs if call.args is not None else []
        arguments = [executor.value(node, state) for node in nodes]
        result = executor.run(function, arguments, state)
        executor.frames = []
        return executor.effects[before:], result

    def run_opencl(
        self, executor: LibraryExecutor, call: c_ast.FuncCall, state: State
    ) -> list[Effect]:
        """Effects of a call of OpenCL in the application itself; nothing is known of others."""
        name = call.name.name if isinstance(call.name, c_ast.ID) else ""
        if not (name.startswith("cl") and name[2:3].isupper()):
            return []
        before = len(executor.effects)
        executor.frames, executor.step = [self.frame()], None
        executor.value(call, state)
        executor.frames = []
        return executor.effects[before:]


def around_region(region: Region, program: HostProgram) -> Surroundings:
    unit = region.unit

    def is_region(node: c_ast.Node) -> bool:
        token = unit.tokens[unit.index(node)] if node.coord else None
        return (
            isinstance(node, c_ast.Compound)
            and token is not None
            and token.start == region.mark.block.start
        )

    path = path_to(region.function.node.body, is_region) or []
    return Surroundings(program, unit, dict(region.variables), path)


def around_call(call: c_ast.FuncCall, caller: HostFunction, program: HostProgram) -> Surroundings:
    body = caller.function.node.body
    declared = (n for n in descendants(body) if isinstance(n, c_ast.Decl))
    variables = {p.name: p for p in caller.parameters} | {n.name: n for n in declared if n.name}
    path = path_to(body, lambda node: node is call) or []
    return Surroundings(program, caller.unit, variables, path)


def statements_before(path: list[c_ast.Node]) -> list[c_ast.Node]:
    """The statements from the beginning of the first to the last node of a path."""
    found: list[c_ast.Node] = []
    for outer, inner in pairwise(path):
        if isinstance(outer, c_ast.Compound):
            items = outer.block_items or []
            found += items[: next(i for i, item in enumerate(items) if item is inner)]
    return found
