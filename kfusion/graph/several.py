"""One work-item that does the work of several: may it, and does it pay?

Items that touch elements of their own and ask for nothing but their global id may as well
be done one after another. What devices gain is that the loads of all of them are under way
together, if nothing stands between: no condition but the one bound that all items have in
common, and no store to memory that the next item may load from.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kfusion.graph.bind import BoundAccess, Stage
from kfusion.graph.values import Block
from kfusion.kernel.forms import GLOBAL_ID, Comparison, Form, Id, Value, form_of
from kfusion.kernel.items import asks_for_its_id_only
from kfusion.kernel.model import Kernel, PreludeItem
from kfusion.kernel.types import size_of
from kfusion.source.protections import is_on, protection

ONE_BOUND = protection("one-bound", "several items in one: one upper bound holds for all or none")

_ITEM = form_of(Id(GLOBAL_ID, 0))
_WIDEST = 4  # bytes of an element; wider ones fill the bandwidth with one for each item
_INDICES = frozenset(("size_t", "ulong", "long", "uint", "int"))


def may_do_several(stages: Sequence[Stage], blocks: Sequence[Block]) -> bool:
    return len(blocks) == 1 and all(_divisible(stage) for stage in stages)


def _divisible(stage: Stage) -> bool:
    kernel, launched = stage.invocation.kernel, stage.invocation.range
    return (
        launched.dimensions == 1
        and not launched.offset
        and kernel.dimensions == 1
        and kernel.together is None
        and kernel.required_size is None
        and kernel.body.stride is None
        and not kernel.features
        and (_has_one_bound(stage) or not is_on(ONE_BOUND))
        and asks_for_its_id_only(kernel)
    )


def _has_one_bound(stage: Stage) -> bool:
    """No guard, or `i < n`: if it holds for an item it does for those before."""
    kernel = stage.invocation.kernel
    items = [item for item in kernel.body.prelude if item.guard is not None]
    return not items or (
        len(items) == 1
        and len(stage.guards) == 1
        and _is_bound(stage.guards[0])
        and _names_only_the_item(kernel, items[0])
    )


def _is_bound(guard: Comparison) -> bool:
    values = [monomial for monomial, _ in guard.right.terms]
    alone = len(values) == 1 and len(values[0]) == 1 and isinstance(values[0][0], Value)
    return guard.op == "<" and guard.left == _ITEM and alone


def _names_only_the_item(kernel: Kernel, guard: PreludeItem) -> bool:
    """The guard can be written for any item: its variables are the id, or parameters."""
    assert guard.statement.header is not None
    first, last = guard.statement.header
    named = {kernel.symbols[t] for t in range(first, last + 1) if t in kernel.symbols}
    ids = {
        kernel.symbols[declared.token]
        for item in kernel.body.prelude
        for declared in item.declarations
        if declared.form == _ITEM and declared.type in _INDICES
    }
    return all(symbol.parameter or symbol in ids for symbol in named)


def pays(stages: Iterable[Stage]) -> bool:
    """Short elements side by side, each touched once for each item: memory is what it waits for."""
    accesses = [access for stage in stages for access in stage.accesses]
    loops = any(
        statement.kind not in ("plain", "if")
        for stage in stages
        for statement in stage.invocation.kernel.body.statements
    )
    return not loops and all(_is_streamed(access) for access in accesses)


def _is_streamed(access: BoundAccess) -> bool:
    form: Form | None = access.form
    if form is None or access.access.looped or size_of(access.type) > _WIDEST:
        return False
    return not (form - _ITEM).mentions(GLOBAL_ID)
