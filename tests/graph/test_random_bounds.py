"""Comparisons that others imply: random ones, and numbers for which they would not."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest

from kfusion.graph.bounds import Bounds, Nothing
from kfusion.kernel.forms import (
    GLOBAL_ID,
    Atom,
    Comparison,
    Form,
    Id,
    Quotient,
    Value,
    comparison,
    form_of,
    number,
)
from kfusion.kernel.types import INTEGERS, is_unsigned

IDS: list[Atom] = [Id(GLOBAL_ID, 0), Id(GLOBAL_ID, 1)]
SIGNED: list[Atom] = [Value("n", "int"), Value("m", "int"), Value("s", "short")]
UNSIGNED: list[Atom] = [Value("u", "uint"), Value("v", "uint")]
WIDE: list[Atom] = [Value("z", "size_t")]
# Which a sum in the type may have, the likelier ones several times.
ATOMS = {
    "int": [*IDS, *IDS, *SIGNED],
    "long": [*IDS, *SIGNED, *UNSIGNED],
    "uint": [*IDS, *SIGNED, *UNSIGNED, *UNSIGNED],
    "ulong": [*IDS, *SIGNED, *UNSIGNED, *WIDE, *WIDE, *WIDE],
}
CONVERTED = {
    "long": ["int", "uint", "ulong"],
    "ulong": ["int", "uint", "long"],
    "uint": ["int", "long"],
    "int": ["uint", "long"],
}
Numbers = Mapping[Atom, int]


def drawn_form(random: Random, type_: str, *, divided: bool = True) -> Form:
    form = number(random.choice([0, 0, 0, 1, -1, 2, -2, 3, 5]))
    if random.random() < 0.1:
        return number(random.choice([0, 1, 2, 3, 7]))
    for _ in range(random.choice([1, 1, 1, 2])):
        form += form_of(random.choice(ATOMS[type_])) * number(random.choice([1, 1, 1, -1, 2]))
    if divided and random.random() < 0.2 and form.terms and not form.is_constant:
        by = random.choice([2, 3, 4, *([] if is_unsigned(type_) else [-2, -3])])
        form = form_of(Quotient(form, number(by), type_)) * number(random.choice([1, by]))
        form += number(random.choice([0, 0, 1, -1]))
    if divided and random.random() < 0.15:
        origin = random.choice(CONVERTED[type_])
        return form_of(Quotient(drawn_form(random, origin), number(1), f"{type_} from {origin}"))
    return form


def drawn(random: Random, type_: str) -> Comparison:
    op = random.choice(["<", "<=", "==", "!=", ">", ">="])
    left, right = drawn_form(random, type_), drawn_form(random, type_)
    return comparison(op, left, right, type_, negated=False)


def drawn_numbers(random: Random) -> Numbers:
    small = [0, 1, 2, 3, 4, 5, 8, 13]
    found = {id_: random.choice(small) for id_ in IDS}
    for atom in (*SIGNED, *UNSIGNED, *WIDE):
        assert isinstance(atom, Value)
        bits, signed = INTEGERS[atom.type]
        end = 1 << bits
        more = [-1, -2, -3, -7] if signed else [end - 1, end - 2, end - 3, end // 2, end // 2 + 1]
        found[atom] = random.choice(small + more)
    return found


class UndefinedError(Exception):
    """C does not say what it is."""


def value(form: Form, numbers: Numbers, type_: str) -> int:
    """As C computes it in the type."""
    total = 0
    for monomial, factor in form.terms:
        for atom in monomial:
            if isinstance(atom, Quotient) and atom.converts:
                to, _, origin = atom.type.split()
                bits, signed = INTEGERS[to]
                converted = value(atom.dividend, numbers, origin) % (1 << bits)
                factor *= converted - (signed and converted >> (bits - 1)) * (1 << bits)
            elif isinstance(atom, Quotient):
                left, right = (value(side, numbers, type_) for side in atom.parts)
                factor *= abs(left) // abs(right) * (-1 if (left < 0) != (right < 0) else 1)
            else:
                factor *= numbers[atom]
        total += factor
    bits, _ = INTEGERS[type_]
    if is_unsigned(type_):
        return total % (1 << bits)
    if not -(1 << (bits - 1)) <= total < 1 << (bits - 1):
        raise UndefinedError
    return total


def holds(fact: Comparison, numbers: Numbers) -> bool:
    left, right = (value(side, numbers, fact.type) for side in (fact.left, fact.right))
    return {"<": left < right, "<=": left <= right, "==": left == right, "!=": left != right}[
        fact.op
    ]


@pytest.mark.parametrize("seed", range(6))
def test_what_facts_imply_holds_for_all_numbers(seed: int) -> None:
    random, implied = Random(seed), 0
    for _ in range(900):
        facts = [drawn(random, random.choice(list(ATOMS))) for _ in range(random.randint(1, 3))]
        bounds = Bounds(facts, Nothing())
        for _ in range(6):
            goal = drawn(random, random.choice(facts).type)
            if bounds.implied(goal) is None:
                continue
            implied += 1
            for _ in range(60):
                numbers = drawn_numbers(random)
                try:
                    there = all(holds(fact, numbers) for fact in facts)
                    assert not there or holds(goal, numbers), (facts, goal, numbers)
                except UndefinedError:
                    continue
    assert implied > 50
