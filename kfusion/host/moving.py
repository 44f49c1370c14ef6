"""Calls of a region that may change places, as far as host code has a say.

Two calls may if all that either does on the host is to set its kernel's arguments, every
one of them, and to launch it on the same queue. What their kernels do with memory is asked
elsewhere: of the planner, and of the buffers when the program runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kfusion.host.effects import Launch, SetArgument
from kfusion.host.invocations import Invocations
from kfusion.host.regions import Between, Region, RegionCall
from kfusion.host.sticky import Reliances
from kfusion.host.symbolic import Num
from kfusion.host.syncs import syncs_of
from kfusion.source.protections import is_on, protection

SIMPLE = protection(
    "host-moving-simple", "calls that do more on the host than launch change places"
)

FAILURES = protection(
    "host-moving-failures", "a call that fails leaves no effects of calls behind it"
)

_Chunk = tuple[RegionCall | Between, ...]


class Moving:
    """Which calls of a region may change places."""

    def __init__(self, launched: Invocations, reliances: Reliances) -> None:
        self.launched, self.reliances = launched, reliances
        self.chunks = _chunks(launched.region)
        calm = self.chunks is not None and not launched.segments.is_watched()
        self.simple = [calm and self._is_simple(i) for i in range(len(launched.runs))]

    def may_swap(self, left: int, right: int) -> bool:
        a, b = self.launched.runs[left], self.launched.runs[right]
        return (
            self.simple[left]
            and self.simple[right]
            and a.function.unit is b.function.unit
            and a.launch.queue == b.launch.queue
        )

    def _is_simple(self, index: int) -> bool:
        call, run = self.launched.region.calls[index], self.launched.runs[index]
        kernel = self.launched.kernel_of[index]
        if kernel is None or not run.function.in_main_file or run.function.is_old_style:
            return False
        if run.problems or len(run.launches) != 1:
            return False
        if not is_on(SIMPLE):
            return True
        effects = [effect for step in run.steps for effect in step.effects]
        launch = run.launch
        return (
            call.status in ("ignored", "checked", "or-ed")
            and (call.status == "ignored" or run.result == Num(0))
            and not run.requirements
            and run.late_return is None
            and all(isinstance(effect, Launch | SetArgument) for effect in effects)
            and launch.certain
            and launch.events == ()
            and launch.made is None
            and all(i in run.set_arguments for i in range(len(kernel.parameters)))
            and self.reliances.of(kernel) is None
            and not syncs_of(call)
        )


def reordered(region: Region, order: tuple[int, ...]) -> Region:
    """The region with its calls in another order."""
    chunks = _chunks(region)
    assert chunks is not None
    return replace(region, items=tuple(item for index in order for item in chunks[index]))


def swapped(order: Sequence[int]) -> list[tuple[int, int]]:
    """The pairs of calls, first and second as written, that have changed places."""
    place = {call: position for position, call in enumerate(order)}
    return [(p, q) for q in range(len(order)) for p in range(q) if place[p] > place[q]]


def runs_ahead(region: Region, order: Sequence[int]) -> bool:
    """Would a call have been made when an earlier one fails, after which there is no more?"""
    checked = {i for i, call in enumerate(region.calls) if call.status == "checked"}
    return is_on(FAILURES) and any(p in checked for p, _ in swapped(order))


def _chunks(region: Region) -> list[_Chunk] | None:
    """The calls, each with the `;` behind its macro; None if there is anything else."""
    found: list[_Chunk] = []
    for item in region.items:
        if isinstance(item, RegionCall):
            found.append((item,))
        elif item.statement.text == ";" and found:
            found[-1] = (*found[-1], item)
        else:
            return None
    return found
