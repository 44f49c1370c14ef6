"""A pattern written by hand: two steps, and one kernel that does both."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from kfusion.runtime import calls_text, runtime_text

PROGRAMS = Path(__file__).parent / "programs"

PAIR = (PROGRAMS / "pair.h").read_text(encoding="utf-8")


def header(*, closed: bool = False, called: Collection[str] | None = None) -> str:
    """`kfusion_fused.h` with the pattern, for an open or a closed program. `called` are functions
    of OpenCL that files without a region call."""
    return runtime_text("standin", PAIR, closed=closed, called=called)


def calls_header() -> str:
    """`kfusion_calls.h`, for files without a region."""
    return calls_text("standin")
