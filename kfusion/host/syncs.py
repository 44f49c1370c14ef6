"""`#pragma sync in` and `sync out` of library functions, for all data or by parameter.

The library's author says what must not be fused: a function with earlier calls (`in`) or
with later ones (`out`). With names, only with those that get the data of these parameters.
"""

from __future__ import annotations

from collections.abc import Sequence

from kfusion.host.library import Run
from kfusion.host.regions import RegionCall
from kfusion.parse.annotations import Sync
from kfusion.source.diagnostics import Reason
from kfusion.source.lexer import COMMENT
from kfusion.source.protections import is_on, protection

SYNC = protection("host-sync", "a sync annotation is ignored")


def sync_reason(
    calls: Sequence[RegionCall], runs: Sequence[Run], first: int, last: int
) -> Reason | None:
    """Why the calls first..last of a region may not be one group, as far as it is told so."""
    if not is_on(SYNC):
        return None
    for index in range(first, last + 1):
        call = calls[index]
        for sync in syncs_of(call):
            others = range(first, index)
            if sync.direction == "out":
                others = range(index + 1, last + 1)
            for other in others:
                if sync.names is None or _shares(call, runs[index], runs[other], sync.names):
                    name = call.function.name
                    side = "earlier" if sync.direction == "in" else "later"
                    return Reason(
                        "KF212",
                        f"{name} is not fused with {side} calls: "
                        f"'{' '.join(sync.span.text.split())}'",
                        sync.span,
                        help="remove the annotation if the code does not need it",
                    )
    return None


def _shares(call: RegionCall, run: Run, other: Run, names: tuple[str, ...]) -> bool:
    """Does another call get the data of the named parameters, too?"""
    objects = {
        str(run.arguments[i]) for i, p in enumerate(call.function.parameters) if p.name in names
    }
    return bool(objects & {str(argument) for argument in other.arguments})


def syncs_of(call: RegionCall) -> list[Sync]:
    """The sync annotations right before the function's definition (or its prototype)."""
    unit = call.function.unit
    function = call.function.function
    start, _ = unit.range(function.first, function.first)  # it may begin with a macro
    found = []
    for sync in unit.annotations.syncs:
        if 0 <= sync.span.end <= start:
            between = unit.source.text[sync.span.end : start]
            if not any(c in _without_comments(between) for c in ";}"):
                found.append(sync)
    return found


def _without_comments(text: str) -> str:
    return COMMENT.sub("", text)
