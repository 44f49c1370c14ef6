"""Names for what is generated: readable, and not taken."""

from __future__ import annotations

from collections.abc import Container

from kfusion.parse.unit import Unit
from kfusion.source.text import free_name

MOST_PARTS = 6


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
