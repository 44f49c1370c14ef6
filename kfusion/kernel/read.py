"""Kernels from a parsed `.cl` file."""

from __future__ import annotations

from kfusion.kernel.model import Kernel
from kfusion.parse.unit import Unit


def read_kernels(unit: Unit) -> dict[str, Kernel]:
    """All kernels that the file defines, by name."""
    raise NotImplementedError(unit)
