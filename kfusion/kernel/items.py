"""What a kernel asks of its work-item: its global id only, or more."""

from __future__ import annotations

from kfusion.kernel.builtins import is_work_item
from kfusion.kernel.helpers import Helpers
from kfusion.kernel.model import Kernel
from kfusion.source.protections import is_on, protection

OWN_ITEM = protection("own-item", "several items in one: nothing but the global id is asked for")


def asks_for_global_ids_only(kernel: Kernel) -> bool:
    """Neither sizes nor groups: what an item does is the same in a larger range."""
    unit, body = kernel.unit, kernel.function.body
    helpers = Helpers(unit)
    words = [unit.tokens[index].text for index in range(body.first, body.last)]
    return not any(
        (is_work_item(word) and word != "get_global_id")
        or (word in unit.functions and helpers.asks_for_items(word))
        for word in words
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
            following = unit.tokens[index : index + 4]
            if [t.text for t in following] not in written or any(t.start < 0 for t in following):
                return False
        elif token.text in unit.functions and helpers.asks_for_items(token.text):
            return False
    return True


def may_divide_by_zero(kernel: Kernel) -> bool:
    """`5 / (i - 99)` in front of the guards, where no item of the launch is the 99th.

    What divides must be numbers, or scalars: those are the same for all items, and so must be
    whether they divide.
    """
    unit, tokens = kernel.unit, kernel.unit.tokens
    scalars = {p.name for p in kernel.parameters if p.is_scalar} - kernel.changed
    guards = [n for n, item in enumerate(kernel.body.prelude) if item.guard is not None]
    for item in kernel.body.prelude[: max(guards, default=-1) + 1]:
        first, last = item.statement.first, (item.statement.header or (0, item.statement.last))[1]
        texts = {token.text for token in tokens[first : last + 1]}
        if texts & unit.functions.keys():
            return True
        same = scalars if not texts & {"?", "&&", "||"} else set()
        for index in range(first, last + 1):
            if tokens[index].text not in ("/", "%", "/=", "%="):
                continue
            group = tokens[index + 1].text == "("
            end = unit.match(index + 1) if group else index + 1
            divisor = [token.text for token in tokens[index + 1 : end + 1]]
            words = {text for text in divisor if text[0].isalpha() or text[0] == "_"}
            whole = tokens[end + 1].text not in ("(", "[", ".", "->")
            if words - same or not whole or not (group or divisor[0][0].isalnum() or words):
                return True
    return False
