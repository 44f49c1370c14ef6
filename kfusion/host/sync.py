"""`#pragma sync in` and `sync out` of library functions, for all data or by parameter.

The library's author says what must not be fused: a function's launches with earlier ones (`in`)
or with later ones (`out`). With names, only with launches of functions that get the data of these
parameters.
"""

from __future__ import annotations

from collections.abc import Sequence

from kfusion.host.predict_launches import PredictedLaunch
from kfusion.host.record import Calling
from kfusion.parse.annotations import Sync
from kfusion.source.diagnostics import Reason
from kfusion.source.lexer import COMMENT


def kept_apart(launches: Sequence[PredictedLaunch]) -> dict[tuple[int, int], Reason]:
    """Why two launches, by their places in the row, must not share a kernel."""
    found: dict[tuple[int, int], Reason] = {}
    for place, launch in enumerate(launches):
        for call in launch.calls:
            for sync in syncs_of(call):
                forward = sync.direction == "out"
                others = range(place + 1, len(launches)) if forward else range(place)
                for other in others:
                    if call in launches[other].calls or not _meet(call, launches[other], sync):
                        continue  # of one call: a function may launch several kernels
                    found.setdefault(
                        (min(place, other), max(place, other)), sync_reason(call, sync)
                    )
    return found


def _meet(call: Calling, other: PredictedLaunch, sync: Sync) -> bool:
    """Does another function get the data of the named parameters, too?"""
    if sync.names is None:
        return True
    objects = {str(value) for name, value in call.arguments.items() if name in sync.names}
    return any(objects & {str(v) for v in each.arguments.values()} for each in other.calls)


def sync_reason(call: Calling, sync: Sync) -> Reason:
    side = "earlier" if sync.direction == "in" else "later"
    return Reason(
        "KF212",
        f"{call.function.name} is not fused with {side} calls: "
        f"'{' '.join(sync.span.text.split())}'",
        sync.span,
        help="remove the annotation if the code does not need it",
    )


def syncs_of(call: Calling) -> list[Sync]:
    """The sync annotations right before the function's definition (or its prototype)."""
    function, unit = call.function, call.function.unit
    start, _ = unit.range(function.first, function.first)  # it may begin with a macro
    found = []
    for sync in unit.annotations.syncs:
        if 0 <= sync.span.end <= start:
            between = unit.source.text[sync.span.end : start]
            if not any(c in COMMENT.sub("", between) for c in ";}"):
                found.append(sync)
    return found
