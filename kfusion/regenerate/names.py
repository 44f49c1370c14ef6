"""Names for what is generated: readable, and not taken."""

from __future__ import annotations

from collections.abc import Iterable

from kfusion.parse.unit import Unit

MOST_PARTS = 6


def combined_name(names: list[str], taken: Iterable[str]) -> str:
    """`vector_mult`, `vector_add` -> `vector_mult_add`; a number is added if it is taken."""
    parts = [name.split("_") for name in names]
    common = 0
    while all(len(p) > common + 1 and p[common] == parts[0][common] for p in parts):
        common += 1
    rest = ["_".join(p[common:]) for p in parts]
    if len(rest) > MOST_PARTS:
        rest = [*rest[: MOST_PARTS - 1], f"and_{len(rest) - MOST_PARTS + 1}_more"]
    name = "_".join([*parts[0][:common], *rest])
    taken = set(taken)
    number, result = 2, name
    while result in taken:
        result, number = f"{name}_{number}", number + 1
    return result


def names_in(unit: Unit) -> set[str]:
    """Every identifier that the file sees, its macros included."""
    result = {t.text for t in unit.tokens if t.text[:1].isalpha() or t.text[:1] == "_"}
    return result | set(unit.macros.history)
