"""Identifiers of generated C: readable, and no word of the language or of the run time."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kfusion.source.text import free_name

_RESERVED = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if "
    "inline int long register restrict return short signed sizeof static struct switch typedef "
    "union unsigned void volatile while asm bool catch class delete explicit false friend mutable "
    "namespace new operator private protected public template this throw true try typeid typename "
    "using virtual and or not xor NULL run".split()
)


class Words:
    """Names of one function, each given once."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self.taken = set(taken) | _RESERVED

    def new(self, wanted: str) -> str:
        """The wanted name; with a number where it is taken."""
        base = re.sub(r"\W+", "_", wanted).strip("_") or "value"
        base = f"_{base}" if base[0].isdigit() else base
        base = f"the_{base}" if base.startswith(("kfusion", "KFUSION", "cl_", "CL_")) else base
        name = free_name(base, self.taken)
        self.taken.add(name)
        return name


def quoted(text: str) -> str:
    """A C string."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'


def literal_percent(text: str) -> str:
    """Text inside a format."""
    return text.replace("%", "%%")
