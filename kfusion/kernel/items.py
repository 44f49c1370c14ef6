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
