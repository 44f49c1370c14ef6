"""One work-item that does the work of several, or asks for its group: may it, does it pay?

Items that touch elements of their own and ask for nothing but their global id may as well
be done one after another. What devices gain is that the loads of all of them are under way
together, if nothing stands between: no condition but the one bound that all items have in
common, and no store to memory that the next item may load from.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kfusion.graph.bind import BoundAccess, Stage
from kfusion.graph.values import Block
from kfusion.kernel.builtins import is_work_item
from kfusion.kernel.forms import GLOBAL_ID, Comparison, Form, Id, Value, form_of
from kfusion.kernel.items import asks_for_its_id_only
from kfusion.kernel.model import Kernel, PreludeItem, Symbol
from kfusion.kernel.types import size_of
from kfusion.source.protections import is_on, protection

ONE_BOUND = protection("one-bound", "several items in one: one upper bound holds for all or none")

_IDS = tuple(form_of(Id(GLOBAL_ID, dimension)) for dimension in range(3))
_ITEM = _IDS[0]
_WIDEST = 4  # bytes of an element; wider ones fill the bandwidth with one for each item
_INDICES = frozenset(("size_t", "ulong", "long", "uint", "int"))
# Words that the text of such a kernel has on its own: no macro may stand for something else.
_WORDS = frozenset(
    "get_global_id get_group_id get_local_id get_local_size size_t ulong uint restrict".split()
)


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
        and not kernel.changed
        and not any(access.atomic for access in kernel.accesses)
        and not _WORDS & kernel.unit.macros.history.keys()
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
        and stage.guards[0].left == _ITEM
        and _names_only_ids(kernel, items[0])
    )


def may_ask_by_group(stages: Sequence[Stage]) -> bool:
    """If the upper bounds hold for the last item of a group, they do for all of it."""
    return any(stage.guards for stage in stages) and all(map(_has_bounds, stages))


def _has_bounds(stage: Stage) -> bool:
    kernel = stage.invocation.kernel
    items = [item for item in kernel.body.prelude if item.guard is not None]
    return (
        len(items) <= 1
        and stage.frame is None
        and kernel.body.stride is None
        and not kernel.changed
        and not stage.invocation.range.offset  # the last of a group may begin again at 0
        and not _WORDS & kernel.unit.macros.history.keys()
        and (all(map(_is_bound, stage.guards)) or not is_on(ONE_BOUND))
        and all(_names_only_ids(kernel, i) and not _asks_for_ids(kernel, i) for i in items)
    )


def _is_bound(guard: Comparison) -> bool:
    values = [monomial for monomial, _ in guard.right.terms]
    alone = len(values) == 1 and len(values[0]) == 1 and isinstance(values[0][0], Value)
    return guard.op == "<" and guard.left in _IDS and alone


def _names_only_ids(kernel: Kernel, guard: PreludeItem) -> bool:
    """The guard can be written for any item: its variables are ids, or parameters."""
    assert guard.statement.header is not None
    first, last = guard.statement.header
    named = {kernel.symbols[t] for t in range(first, last + 1) if t in kernel.symbols}
    return all(s.parameter or dimension_of(kernel, s) is not None for s in named)


def _asks_for_ids(kernel: Kernel, guard: PreludeItem) -> bool:
    assert guard.statement.header is not None
    first, last = guard.statement.header
    return any(is_work_item(token.text) for token in kernel.unit.tokens[first : last + 1])


def dimension_of(kernel: Kernel, symbol: Symbol) -> int | None:
    """Of which the variable of the prelude has the global id, if it has one."""
    found = (
        _IDS.index(declared.form)
        for item in kernel.body.prelude
        for declared in item.declarations
        if kernel.symbols[declared.token] == symbol
        if declared.form in _IDS and declared.type in _INDICES
    )
    return next(found, None)


def pays(stages: Iterable[Stage]) -> bool:
    """Short elements side by side, each touched once for each item: memory is what it waits for,
    or it is computed on vectors."""
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
    rest = form - _ITEM
    return rest == rest.replace({Id(GLOBAL_ID, 0): Form()})
