"""Objects whose last value need not be stored, and why."""

from __future__ import annotations

from enum import Enum

from kfusion.source.dataclasses import dataclass


class Why(Enum):
    """The names are those of the run time."""

    SCRATCH = "KFUSION_SCRATCH"  # made and released in the region: the run time sees to it
    AT_END = "KFUSION_NAMED | KFUSION_AT_END"  # named by the user: variables say so when it ends


@dataclass(frozen=True)
class Drop:
    memory: str
    why: Why
