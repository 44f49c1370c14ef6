"""What the items of a work-group do together: local arrays, barriers, asynchronous copies.

A kernel that does so can stand in a fused kernel if every item comes to its statements
there, or none of a group: they must not be behind a guard or an early return that tells items
of one group apart, and local arrays belong to the outermost block. What is not written so
stays a feature that keeps the kernel alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from pycparser import c_ast

from kfusion.kernel.builtins import BARRIERS, FENCES
from kfusion.kernel.evaluate import Environment, evaluate
from kfusion.kernel.forms import GLOBAL_ID, LOCAL_ID, STRIDED_ID
from kfusion.kernel.model import Body, Feature, FeatureUse, Parameter, PreludeItem, Together
from kfusion.kernel.opening import COPIES, WAITS
from kfusion.kernel.types import canonical, size_of
from kfusion.parse.unit import Function, Unit, arguments_of, called_name
from kfusion.source.lexer import tokenize
from kfusion.source.protections import is_on, protection

UNIFORM = protection("uniform", "no barrier where some items of a group may not come to")

_OF_ONE = (GLOBAL_ID, LOCAL_ID, STRIDED_ID)  # what differs between the items of a group


def is_followed(name: str) -> bool:
    """A call that all items of a group make, and nothing else is to be known of."""
    return name in (*BARRIERS, *WAITS, *COPIES)


def is_local_fence(unit: Unit, node: c_ast.FuncCall) -> bool:
    """`mem_fence(CLK_LOCAL_MEM_FENCE)`"""
    arguments = arguments_of(node)
    if len(arguments) != 1 or called_name(node) not in FENCES:
        return False
    at = unit.index(arguments[0])
    return bool(unit.span(at, at).text == "CLK_LOCAL_MEM_FENCE")


def is_array_of_values(node: c_ast.Decl) -> bool:
    """`__local float tile[64];`, and not an array of pointers into local memory."""
    type_ = node.type
    while isinstance(type_, c_ast.ArrayDecl):
        type_ = type_.type
    return isinstance(node.type, c_ast.ArrayDecl) and (
        isinstance(type_, c_ast.TypeDecl) and node.init is None
    )


ALONE = "that of token"  # a shape that no other array has


def array_shape(unit: Unit, body: Body, token: int) -> str | None:
    """The array's declaration without the name; None if there is more in it (an alignment)."""
    for statement in (*(item.statement for item in body.prelude), *body.statements):
        if statement.first <= token <= statement.last and statement.kind == "plain":
            tokens = range(statement.first, statement.last)
            words = [unit.tokens[t].text for t in tokens if t != token]
            plain = len(unit.notes_between(statement.first, statement.last)) == 1  # `__local`
            return " ".join(words) if plain and "," not in words else None
    return None


class Findings:
    """Collected on the walk through a kernel."""

    def __init__(self, env: Environment, function: Function) -> None:
        self.env, self.unit, self.function = env, env.unit, function
        self.arrays: list[FeatureUse] = []
        self.calls: list[FeatureUse] = []
        self.sizes: dict[int, int] = {}  # bytes of the arrays, by the token that declares each
        self.written: dict[int, str] = {}  # of those that other builds may declare otherwise
        self.last = 0  # the token of the last of all
        self.last_ahead = 0  # and of those that no guard may stand before: arrays, copies

    def array(self, node: c_ast.Decl) -> bool:
        """Is the declaration one that can be copied into a fused kernel?"""
        first = self.unit.index(node)
        statement = self.function.body.find(first)
        notes = self.unit.notes_between(statement.first, statement.last)
        outermost = any(s is statement for s in self.function.body.children)
        # What a macro gives is written as its call, with all that it gives.
        lost = (n for n in notes if n.start < 0 and self.unit.tokens[n.index].macro is None)
        # Assignments to a plain variable are followed as one item's own.
        size = self._size(node.type) if is_array_of_values(node) else None
        if size is None or not outermost or any(lost):
            return False
        name = self.unit.name_index(node)
        self.sizes[name] = size
        if not self.env.certain(statement.first, statement.last):
            text = self.unit.source.text[slice(*self.unit.range(statement.first, statement.last))]
            words = (word.text for word in tokenize(" " + text) if word.text != node.name)
            self.written[name] = " ".join(["", *words])
        self.last = self.last_ahead = max(self.last, first)
        self.arrays.append(FeatureUse(Feature.LOCAL_MEMORY, node.name, self.unit.node_span(node)))
        return True

    def _size(self, type_: c_ast.Node) -> int | None:
        if not isinstance(type_, c_ast.ArrayDecl):
            return size_of(canonical(self.unit, type_))
        inner = self._size(type_.type)
        count = evaluate(self.env, type_.dim).form if type_.dim is not None else None
        if inner is None or count is None or not count.is_constant:
            return None
        return inner * count.constant

    def call(self, name: str, node: c_ast.Node) -> None:
        self.last = max(self.last, self.unit.index(node))
        feature = Feature.BARRIER
        if name in (*WAITS, *COPIES):
            feature, self.last_ahead = Feature.ASYNC_COPY, self.last
        self.calls.append(FeatureUse(feature, f"{name}()", self.unit.node_span(node)))

    def result(
        self, body: Body, parameters: Sequence[Parameter]
    ) -> tuple[Together | None, list[FeatureUse]]:
        """What is done together, or the features of a kernel that must stay alone."""
        given = [
            FeatureUse(Feature.LOCAL_MEMORY, p.name, p.span)
            for p in parameters
            if p.pointer and p.space == "local" and not (p.hidden or p.nested)
        ]
        found = [*given, *self.arrays, *self.calls]
        if not found:
            return None, []
        if (self.arrays or self.calls) and not self._comes_to_all(body) and is_on(UNIFORM):
            return None, [*self.calls, *given, *self.arrays]  # what not all items come to first
        return Together(
            found[0].span,
            sum(self.sizes.values()),
            bool(given),
            bool(self.calls),
            {token: (self._shape(body, token), size) for token, size in self.sizes.items()},
            any(call.feature is Feature.ASYNC_COPY for call in self.calls),
        ), []

    def _shape(self, body: Body, token: int) -> str:
        """Arrays of one shape and size can share their storage, one after the other."""
        shape = array_shape(self.unit, body, token) or f"{ALONE} {token}"
        return shape + self.written.get(token, "")

    def _comes_to_all(self, body: Body) -> bool:
        """No item has left its group before the last call, or the kernel before an array."""
        first, tokens = self.function.body.first, self.unit.tokens
        ahead = [item for item in body.prelude if item.statement.first < self.last]
        guards = [item for item in ahead if item.guard is not None]
        if any(g.statement.first < self.last_ahead or not _is_of_group(g) for g in guards):
            return False
        known = [g.statement for g in guards if g.early_return]
        return not any(
            tokens[i].text in ("return", "goto") and not any(s.first <= i <= s.last for s in known)
            for i in range(first, self.last)
        )


def _is_of_group(item: PreludeItem) -> bool:
    """All items of a group pass the guard, or none."""
    sides = (side for each in item.guard or () for side in (each.left, each.right))
    return not any(side.in_loop or side.mentions(*_OF_ONE) for side in sides)
