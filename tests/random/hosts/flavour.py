"""What all programs of one batch have in common."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random


@dataclass(frozen=True)
class Flavour:
    kernels: str  # how kernels are kept: "plain" variables, a "struct", an "array"
    kernel_text: str  # where the kernels' text comes from: "file" or "header"
    other_given: bool  # whether kfusion is given all library files
    engine: str  # "shared" by the programs of a batch, or "own"
    main_given: bool  # whether the main function is in the application's file

    @property
    def together(self) -> int:
        """How many programs are built as one: what happens before a region may be followed from
        the main function on."""
        return 4 if self.main_given else 25


def flavour_of(batch: int) -> Flavour:
    random = Random(f"flavour {batch}")
    return Flavour(
        random.choices(["plain", "struct", "array"], [3, 2, 1])[0],
        random.choices(["file", "header"], [4, 1])[0],
        random.random() < 0.65,
        random.choices(["shared", "own"], [3, 1])[0],
        random.random() < 0.4,
    )
