"""Local arrays that hold what an asynchronous copy puts there, and nothing else.

A few weights that all items of a group read are copied into local memory first, and waited
for. Where caches are as good, they may as well be read where they are: if the array is only
copied and read, element by element, each read `weights[k]` is one of the parameter. Nobody may
then write to that parameter's memory while the kernel runs.
"""

from __future__ import annotations

from collections.abc import Sequence

from pycparser import c_ast

from kfusion.kernel.helpers import Helpers
from kfusion.kernel.model import Kernel, PreludeItem, Symbol
from kfusion.kernel.opening import COPIES, WAITS
from kfusion.kernel.types import size_of
from kfusion.parse.preprocess import PToken
from kfusion.parse.unit import arguments_of, called_name, is_step
from kfusion.source.dataclasses import dataclass
from kfusion.source.protections import is_on, protection

ONLY_READ = protection("only-read", "a local array that is more than a copy stays in local memory")

_COPY = "async_work_group_copy"
_MOST = 1024  # bytes that stay in the cache nearest to an item
_TOGETHER = (*COPIES, *WAITS, "barrier", "work_group_barrier")


@dataclass(frozen=True)
class CopiedArray:
    """All of the array is a copy of the first elements that the parameter points to."""

    array: Symbol
    source: Symbol


def copied_arrays(kernel: Kernel) -> tuple[CopiedArray, ...]:
    """All local arrays of the kernel, if they are such; none if one of them is not."""
    together = kernel.together
    openings = [item for item in kernel.body.prelude if item.opening]
    if together is None or together.sized_by_host or not openings:
        return ()
    found = [_copy(kernel, item) for item in openings]
    arrays = tuple(each for each in found if each is not None)
    waits = [item for item, each in zip(openings, found, strict=True) if each is None]
    names = {each.array for each in arrays}
    every = len(names) == len(arrays) and {s.token for s in names} == together.shapes.keys()
    alone = all(_is_wait(kernel, item) for item in waits) and _nothing_else(kernel, openings)
    if every and alone and (_only_read(kernel, names) or not is_on(ONLY_READ)):
        return arrays
    return ()


def _tokens(kernel: Kernel, item: PreludeItem) -> Sequence[PToken]:
    return kernel.unit.tokens[item.statement.first : item.statement.last + 1]


def _copy(kernel: Kernel, item: PreludeItem) -> CopiedArray | None:
    """`event_t copied = async_work_group_copy(weights, matrix, 9, 0);`"""
    texts = [token.text for token in _tokens(kernel, item)]
    if _COPY not in texts:
        return None
    start = texts.index(_COPY)
    arguments = texts[start + 1 :]
    commas = [arguments[n] for n in (2, 4, 6) if n < len(arguments)]
    if arguments[:1] != ["("] or commas != [",", ",", ","] or not arguments[5].isdigit():
        return None
    first = item.statement.first + start
    array, source = (kernel.symbols.get(first + n) for n in (2, 4))
    if array is None or source is None or not source.parameter:
        return None
    return CopiedArray(array, source) if _fits(kernel, array, source, int(arguments[5])) else None


def _fits(kernel: Kernel, array: Symbol, source: Symbol, count: int) -> bool:
    """Is the array as long as what is copied, of the same type?"""
    parameter = kernel.parameter(source.name)
    assert kernel.together is not None
    shape, size = kernel.together.shapes.get(array.token, ("", 0))
    shapes = [f"{type_} [ {count} ]" for type_ in (parameter.type, parameter.canonical)]
    plain = parameter.is_buffer and not (parameter.hidden or parameter.nested)
    return (
        plain
        and not parameter.volatile
        and shape in shapes
        and size == count * size_of(parameter.canonical)
        and size <= _MOST
    )


def _is_wait(kernel: Kernel, item: PreludeItem) -> bool:
    return _tokens(kernel, item)[0].text in WAITS


def _nothing_else(kernel: Kernel, openings: Sequence[PreludeItem]) -> bool:
    """Nothing but the opening is done together, and its events are its own."""
    opening = {t for i in openings for t in range(i.statement.first, i.statement.last + 1)}
    tokens, body = kernel.unit.tokens, kernel.function.body
    elsewhere = [t for t in range(body.first, body.last + 1) if t not in opening]
    called = {tokens[t].text for t in elsewhere} & kernel.unit.functions.keys()
    helpers = Helpers(kernel.unit)
    if any(tokens[t].text in _TOGETHER for t in elsewhere) or any(map(helpers.waits, called)):
        return False
    named = {kernel.symbols[t] for t in opening if t in kernel.symbols}
    events = {s for s in named if s.canonical == "event_t"}
    declared = {s.token for s in events}
    return not any(kernel.symbols.get(t) in events and t not in declared for t in elsewhere)


def _only_read(kernel: Kernel, arrays: set[Symbol]) -> bool:
    """Are the arrays only copied to and read, element by element?"""
    nodes, unit = kernel.function.nodes, kernel.unit

    def is_array(node: c_ast.Node) -> bool:
        return isinstance(node, c_ast.ID) and kernel.symbols.get(unit.index(node)) in arrays

    copies = [n for n in nodes.get(c_ast.FuncCall, ()) if called_name(n) == _COPY]
    known = {n.name for n in nodes.get(c_ast.ArrayRef, ())} | {arguments_of(n)[0] for n in copies}
    changed = [n.lvalue for n in nodes.get(c_ast.Assignment, ())]
    changed += [n.expr for n in nodes.get(c_ast.UnaryOp, ()) if is_step(n) or n.op == "&"]
    if any(is_array(root) for place in changed if (root := _root(place)) is not place):
        return False
    return all(node in known for node in nodes.get(c_ast.ID, ()) if is_array(node))


def _root(node: c_ast.Node) -> c_ast.Node:
    while isinstance(node, (c_ast.StructRef, c_ast.ArrayRef)):
        node = node.name
    return node
