"""The function around a region, or around a call: what is declared there, and what runs later.

A place in a function comes in; the nodes that lead to it, the variables that can be seen there,
and the statements that may run after it go out. Where a loop stands around the place, what comes
before may run after it, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from pycparser import c_ast

from kfusion.host.loops import is_loop
from kfusion.host.program import HostFunction, HostProgram
from kfusion.host.region import Region
from kfusion.host.uses import leaves_anywhere, path_to
from kfusion.parse.unit import Unit, descendants
from kfusion.source.dataclasses import dataclass

Variables = dict[str, c_ast.Decl]


@dataclass(frozen=True)
class Following:
    """A statement that may run after the place."""

    node: c_ast.Node
    certain: bool  # does control surely come there?
    loop: c_ast.Node | None = None  # in whose next iteration it runs, up to the place


@dataclass(frozen=True, eq=False)
class Around:
    """A function's body, as seen from one place in it."""

    program: HostProgram
    unit: Unit
    function: HostFunction
    path: list[c_ast.Node]  # from the body down to the place

    @property
    def body(self) -> c_ast.Node:
        return self.path[0]

    @property
    def here(self) -> c_ast.Node:
        """The braces of the region, or the call."""
        return self.path[-1]

    @property
    def variables(self) -> Variables:
        """All that the function declares; of several with one name that which is seen here."""
        declared = (n for n in descendants(self.body) if isinstance(n, c_ast.Decl) and n.name)
        return {n.name: n for n in declared} | self.visible

    @property
    def visible(self) -> Variables:
        """What can be seen at the place."""
        found = {p.name: p for p in self.function.parameters}
        for outer, inner in pairwise(self.path):
            for item in declared_before(outer, inner):
                found[item.name] = item
        return found

    def following(self) -> list[Following]:
        """Statements that may run after the place; in a loop also those before it, and itself."""
        result: list[Following] = []
        certain = True
        for depth in range(len(self.path) - 2, -1, -1):
            outer, inner = self.path[depth : depth + 2]
            if is_loop(outer):
                again = [*statements_before(self.path[depth:]), self.here]
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


def declared_before(outer: c_ast.Node, inner: c_ast.Node) -> Iterator[c_ast.Decl]:
    """What a block or a loop declares before one of its statements."""
    items = outer.block_items or [] if isinstance(outer, c_ast.Compound) else []
    if isinstance(outer, c_ast.For) and outer.init is not inner:
        items = outer.init.decls if isinstance(outer.init, c_ast.DeclList) else []
    for item in items:
        if item is inner:
            return
        if isinstance(item, c_ast.Decl) and item.name:
            yield item


def around_region(region: Region, program: HostProgram) -> Around:
    function = HostFunction(region.unit, region.function)
    body = region.function.node.body
    path = path_to(body, lambda node: node is region.block)
    assert path is not None, "a region stands in its function"
    return Around(program, region.unit, function, path)


def around_call(call: c_ast.FuncCall, caller: HostFunction, program: HostProgram) -> Around:
    path = path_to(caller.function.node.body, lambda node: node is call)
    assert path is not None, "a call stands in its caller"
    return Around(program, caller.unit, caller, path)


def statements_before(path: list[c_ast.Node]) -> list[c_ast.Node]:
    """The statements from the beginning of the first to the last node of a path."""
    found: list[c_ast.Node] = []
    for outer, inner in pairwise(path):
        if isinstance(outer, c_ast.Compound):
            items = outer.block_items or []
            found += items[: next(i for i, item in enumerate(items) if item is inner)]
    return found
