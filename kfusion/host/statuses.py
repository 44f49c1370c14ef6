"""What a region's calls make of their statuses: one call can stand for several only if alike."""

from __future__ import annotations

from kfusion.host.regions import RegionCall
from kfusion.source.diagnostics import Reason

_LONGEST = 60  # characters of a statement that a message shows


def status_reason(calls: tuple[RegionCall, ...]) -> Reason | None:
    """One call can stand for several only if the application treats their results alike."""
    odd = next((c for c in calls if c.status == "unknown"), None)
    if odd is not None:
        return Reason(
            "KF213",
            f"what becomes of the status is not understood: '{_around(odd)}'",
            odd.statement,
            help="test it for zero and leave the region if it is not, collect it with `|=`, or "
            "ignore it, and do nothing else in the same statement",
        )
    alike = calls[1:] if _begins_chain(calls) else calls
    other = next((c for c in alike if c.shape != alike[0].shape), None)
    if other is None:
        return None
    return Reason(
        "KF213",
        f"the calls treat their status differently: '{_around(calls[0])}' and '{_around(other)}'",
        other.statement,
        help="write both in the same way",
        related=(("another call", calls[0].statement),),
    )


def _begins_chain(calls: tuple[RegionCall, ...]) -> bool:
    """`err = f(x);`, and after it `if (!err) err = g(y);`"""
    first, *others = calls
    return first.status == "assigned" and all(
        c.status == "chained" and c.assigns == first.assigns for c in others
    )


def _around(call: RegionCall) -> str:
    """`TRY(f());`: the statement without the arguments."""
    start = call.call.start - call.statement.start
    end = start + len(call.call.text)
    text = call.statement.text
    text = " ".join(f"{text[:start]}{call.function.name}(){text[end:]}".split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 4] + " ..."


def return_type(call: RegionCall) -> list[str]:
    node = call.function.function.node.decl.type.type
    pointers = 0
    while not hasattr(getattr(node, "type", None), "names"):
        pointers += 1
        node = node.type
        if node is None or not hasattr(node, "type"):
            return ["?"]
    return [*node.type.names, *("*" * pointers)]
