"""Functions as values, and the variables that a block sees.

A pointer to a function says of which file the function is, since `static` functions of two files
may have one name.
"""

from __future__ import annotations

from itertools import pairwise

from pycparser import c_ast

from kfusion.host.program import HostProgram
from kfusion.host.symbolic import Entry, Global, Place, Ref, Sym
from kfusion.parse.unit import Function, declares_function

_FUNCTION = "function of file "  # a function's home


def function_value(program: HostProgram, function: Function) -> Sym:
    number = program.units.index(function.unit)
    return Ref(Place(Global(function.name, f"{_FUNCTION}{number}")))


def function_at(program: HostProgram, pointer: Sym) -> Function | None:
    """The function that a pointer leads to, as far as it is known."""
    root = pointer.place.root if isinstance(pointer, Ref | Entry) else None
    if not isinstance(root, Global) or not root.home.startswith(_FUNCTION):
        return None
    unit = program.units[int(root.home.removeprefix(_FUNCTION))]
    return unit.functions.get(root.name)


def visible_in(block: c_ast.Node, function: Function) -> dict[str, c_ast.Decl | None]:
    """The variables of a function that a block in it sees."""
    found: dict[str, c_ast.Decl | None] = {p.name: p for p in function.parameters}
    path = path_to(block, function.node.body) or []
    for outer, inner in pairwise(path):
        for sibling in outer:
            if sibling is inner:
                break
            listed = sibling.decls if isinstance(sibling, c_ast.DeclList) else [sibling]
            for node in listed:
                if isinstance(node, c_ast.Decl) and node.name and not declares_function(node):
                    if "extern" not in node.storage:
                        found[node.name] = node
    return found


def path_to(wanted: c_ast.Node, node: c_ast.Node) -> list[c_ast.Node] | None:
    """The nodes from one down to another that is below it."""
    if node is wanted:
        return [node]
    for child in node:
        found = path_to(wanted, child)
        if found is not None:
            return [node, *found]
    return None


def statements_before(path: list[c_ast.Node]) -> list[c_ast.Node]:
    """The statements from the beginning of the first to the last node of a path."""
    found: list[c_ast.Node] = []
    for outer, inner in pairwise(path):
        if isinstance(outer, c_ast.Compound):
            items = outer.block_items or []
            found += items[: next(i for i, item in enumerate(items) if item is inner)]
    return found
