"""Names for what is generated: readable, and not taken."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable

from kfusion.parse.unit import Unit
from kfusion.source.text import free_name

MOST_PARTS = 6
# Words of C and C++, and of the run time.
_RESERVED = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if "
    "inline int long register restrict return short signed sizeof static struct switch typedef "
    "union unsigned void volatile while asm bool catch class delete explicit false friend mutable "
    "namespace new operator private protected public template this throw true try typeid typename "
    "using virtual and or not xor NULL run".split()
)


def combined_name(names: list[str], taken: Container[str]) -> str:
    """`vector_mult`, `vector_add` -> `vector_mult_add`; a number is added if it is taken.

    Words that the first name has already said are not said again.
    """
    said = set(names[0].split("_"))
    parts = [names[0]]
    for each in names[1:]:
        words = each.split("_")
        while len(words) > 1 and words[0] in said:
            words = words[1:]
        parts.append("_".join(words))
    if len(parts) > MOST_PARTS:
        parts = [*parts[: MOST_PARTS - 1], f"and_{len(parts) - MOST_PARTS + 1}_more"]
    return free_name("_".join(parts), taken)


def names_in(unit: Unit) -> set[str]:
    """Every identifier that the file sees, its macros included."""
    result = {t.text for t in unit.tokens if t.text[:1].isalpha() or t.text[:1] == "_"}
    return result | set(unit.macros.history)


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
