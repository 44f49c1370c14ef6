"""Where operations of two stages could be contracted to one: `t = a*b`, then `t + c`.

A compiler that does so (NVIDIA's, across statements too) leaves out the rounding that a
store and a load of `t` made. If results shall be exactly those of the kernels one by one,
`t` is assigned in between, under a condition that never holds, which compilers do not
know: a product that may be another value is no part of a sum. (NVIDIA's looks through
volatile variables and conversions of bits. The assignment costs nothing measurable.)

In any case a variable that may be a constant expression is not declared as `const`: of
`const float t = -0.3f` and then `t*t + 0.1f` clang makes a number, with a rounding after each
operation, where it would contract the two operations.
"""

from __future__ import annotations

from dataclasses import field

from pycparser import c_ast

from kfusion.graph.bind import BoundAccess, Stage
from kfusion.graph.values import GroupValues, Value
from kfusion.kernel.builtins import is_work_item
from kfusion.kernel.model import Kernel
from kfusion.kernel.types import is_integer
from kfusion.parse.unit import arguments_of, called_name
from kfusion.source.dataclasses import dataclass
from kfusion.source.protections import is_on, protection

CONSTANTS = protection("constants", "compilers round constant operations otherwise than others")


@dataclass(frozen=True)
class Rounded:
    """By stage the values that earlier ones have computed since they were last rounded."""

    before: dict[int, tuple[Value, ...]] = field(default_factory=dict)
    memory: frozenset[str] = frozenset()  # that a stage reads back
    folded: frozenset[Value] = frozenset()  # variables that are not to be constants

    @property
    def values(self) -> frozenset[Value]:
        return frozenset(value for each in self.before.values() for value in each)


def rounded(
    stages: list[Stage], values: GroupValues, returned: tuple[int, int] | None = None
) -> Rounded:
    """`returned`: the store, of which stage and which, of a value that is used elsewhere."""
    made: dict[Value, int] = {}
    stored: dict[str, int] = {}
    before: dict[int, dict[Value, None]] = {}
    memory: set[str] = set()
    for number, stage in enumerate(stages):
        for access in stage.accesses:
            place, name = values.places.get((number, access.number)), access.memory.name
            reads, writes = access.access.mode.reads, access.access.mode.writes
            if place is None or is_integer(access.type.rstrip("0123456789")):
                continue
            value = place.value
            if value is None:
                if reads and stored.get(name, number) != number:
                    memory.add(name)
            elif reads and made.get(value, number) != number:
                before.setdefault(number, {})[value] = None
                del made[value]
            if writes:
                stored[name] = number
                if value is not None:
                    made[value] = number
    last = values.places[returned].value if returned is not None else None
    if last is not None and not is_integer(last.type.rstrip("0123456789")):
        before.setdefault(len(stages), {})[last] = None
    return Rounded({number: tuple(found) for number, found in before.items()}, frozenset(memory))


def folded_constants(stages: list[Stage], values: GroupValues) -> Rounded:
    """Values that may be constant expressions, as far as their stores tell."""
    found: set[Value] = set()
    for number, stage in enumerate(stages) if is_on(CONSTANTS) else ():
        for access in stage.accesses:
            place = values.places.get((number, access.number))
            value = place.value if place is not None else None
            if value is not None and value.constant and access.access.mode.writes:
                found |= {value} if _may_store_a_constant(access) else set()
    return Rounded(folded=frozenset(found))


def _may_store_a_constant(access: BoundAccess) -> bool:
    kernel, statement = access.stage.invocation.kernel, access.access.assignment
    if statement is None:
        return True
    inside = range(statement.first, statement.last + 1)
    nodes = kernel.function.nodes
    stored = [
        node.rvalue
        for node in nodes.get(c_ast.Assignment, ())
        if kernel.unit.index(node.lvalue) in inside
    ]
    stored += [
        arguments_of(node)[-1]
        for node in nodes.get(c_ast.FuncCall, ())
        if called_name(node).startswith("write_image") and kernel.unit.index(node) in inside
    ]
    return not stored or any(_may_be_constant(kernel, node) for node in stored)


def _may_be_constant(kernel: Kernel, node: c_ast.Node) -> bool:
    """For a compiler that looks at conditions, `1 ? 0.3f : n`, and at sizes."""
    if isinstance(node, c_ast.ID):
        symbol = kernel.symbols.get(kernel.unit.index(node))
        if symbol is None:  # of the file
            return not is_work_item(node.name)
        if symbol.parameter or kernel.settled.get(symbol) != symbol.token:
            return False
        declared = kernel.function.nodes.get(c_ast.Decl, ())
        values = [d.init for d in declared if kernel.unit.name_index(d) == symbol.token and d.init]
        return len(values) == 1 and _may_be_constant(kernel, values[0])
    if isinstance(node, c_ast.UnaryOp) and node.op in ("sizeof", "*"):
        return bool(node.op == "sizeof")
    inside = [_may_be_constant(kernel, child) for _, child in node.children()]
    if isinstance(node, c_ast.TernaryOp):
        return inside[0] and any(inside[1:])
    if isinstance(node, c_ast.BinaryOp) and node.op in ("&&", "||"):
        return any(inside)
    return all(inside)


def unreachable(stages: list[Stage], found: Rounded) -> BoundAccess | None:
    """An access to such memory that is not written through the parameter itself.

    The parameter becomes volatile; a pointer that the kernel has made of it does not.
    """
    for stage in stages:
        kernel = stage.invocation.kernel
        for access in stage.accesses:
            if access.memory.name not in found.memory:
                continue
            tokens = range(access.access.first, access.access.last + 1)
            named = {kernel.symbols[t].name for t in tokens if t in kernel.symbols}
            first = kernel.unit.tokens[access.access.first].text
            if access.access.parameter not in named or first not in ("*", "(", *named):
                return access
    return None
