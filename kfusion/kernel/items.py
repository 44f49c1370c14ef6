"""What a kernel asks of its work-item: its global id only, or more."""

from __future__ import annotations

from collections import defaultdict

from pycparser import c_ast

from kfusion.kernel.builtins import is_work_item
from kfusion.kernel.helpers import Helpers
from kfusion.kernel.model import Kernel
from kfusion.parse.unit import Nodes, called_name, descendants
from kfusion.source.protections import is_on, protection

OWN_ITEM = protection("own-item", "several items in one: nothing but the global id is asked for")


def asks_for_global_ids_only(kernel: Kernel) -> bool:
    """Neither sizes nor groups: what an item does is the same in a larger range."""
    helpers = Helpers(kernel.unit)
    names = {called_name(call) for call in kernel.function.nodes.get(c_ast.FuncCall, ())}
    return not any(
        (is_work_item(name) and name != "get_global_id")
        or (name in kernel.unit.functions and helpers.asks_for_items(name))
        for name in names
    )


def asks_for_its_id_only(kernel: Kernel, dimensions: int = 1) -> bool:
    """Its text asks for `get_global_id(0)`, written like that, and for nothing of the kind else."""
    if not is_on(OWN_ITEM):
        return True
    unit, body = kernel.unit, kernel.function.body
    helpers = Helpers(unit)
    written = [["get_global_id", "(", str(d), ")"] for d in range(dimensions)]
    for index in range(body.first, body.last):
        token = unit.tokens[index]
        if is_work_item(token.text):
            if [t.text for t in unit.tokens[index : index + 4]] not in written:
                return False
        elif token.text in unit.functions and helpers.asks_for_items(token.text):
            return False
    return True


def may_divide_by_zero(kernel: Kernel) -> bool:
    """`5 / (i - 99)` in front of the guards, where no item of the launch is the 99th.

    What divides must be numbers, or scalars: those are the same for all items, and so must be
    whether they divide.
    """
    unit, nodes = kernel.unit, kernel.function.nodes
    scalars = {p.name for p in kernel.parameters if p.is_scalar} - kernel.changed
    guards = [n for n, item in enumerate(kernel.body.prelude) if item.guard is not None]
    for item in kernel.body.prelude[: max(guards, default=-1) + 1]:
        first, last = item.statement.first, (item.statement.header or (0, item.statement.last))[1]
        inside: Nodes = defaultdict(list)
        for kind, found in nodes.items():
            inside[kind] = [n for n in found if n.coord and first <= unit.index(n) <= last]
        operations = inside[c_ast.BinaryOp]
        choice = inside[c_ast.TernaryOp] or any(n.op in ("&&", "||") for n in operations)
        divisors = [n.right for n in operations if n.op in ("/", "%")]
        divisors += [n.rvalue for n in inside[c_ast.Assignment] if n.op in ("/=", "%=")]
        names = {n.name for d in divisors for n in descendants(d) if isinstance(n, c_ast.ID)}
        called = {called_name(n) for n in inside[c_ast.FuncCall]}
        if names - (set() if choice else scalars) or called & unit.functions.keys():
            return True
    return False
