"""A pattern written by hand: two steps, and one kernel that does both."""

from __future__ import annotations

from pathlib import Path

from kfusion.runtime import runtime_text

PROGRAMS = Path(__file__).parent / "programs"

PAIR = (PROGRAMS / "pair.h").read_text(encoding="utf-8")


def header(*, closed: bool = False) -> str:
    """`kfusion_fused.h` with the pattern, for an open or a closed program."""
    return runtime_text("standin", PAIR, closed=closed)
