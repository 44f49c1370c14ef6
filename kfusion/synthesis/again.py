"""The text of what is computed again: functions of an item, and calls of them.

A function does the work of a group's stages up to one of them, for the item that it is given, and
returns what that one stores. A call stands in place of a load: `t[y * w + x - 1]` becomes
`blur_t_at(x - 1, y, a, w)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from kfusion.kernel.forms import (
    Atom,
    Choice,
    Comparison,
    Form,
    Id,
    Listed,
    LoopVariable,
    Monomial,
    Quotient,
    form_of,
    number,
)
from kfusion.kernel.types import INTEGERS, is_unsigned
from kfusion.source.dataclasses import dataclass
from kfusion.synthesis.model import FusedParameter

FUNCTION = "_at"  # after the name of the memory
INSIDE = "_inside"  # of such a function for items away from borders
ITEM_NAMES = ("item_x", "item_y", "item_z")


@dataclass(frozen=True)
class ItemParameter:
    parameter: FusedParameter
    canonical: str  # its type


@dataclass(frozen=True)
class Function:
    name: str
    text: str
    body: str  # of the text
    ids: tuple[int, ...]  # of the item's ids those that it is given
    parameters: tuple[ItemParameter, ...]  # after them, and rows
    calls_macros: bool
    rows: tuple[str, ...] = ()  # of what has been made, which it is given

    def called(self, item: Sequence[str], given: Iterable[str]) -> str:
        """`item`: its ids. `given`: what stands behind them."""
        return f"{self.name}({', '.join([*(item[d] for d in self.ids), *given])})"


@dataclass(frozen=True)
class PointText:
    """Writes forms as expressions. `name` says what stands for an atom in the text around."""

    name: Callable[[Atom], str]
    small: frozenset[Atom]  # what is known to be a small number
    minimum: bool  # `min` and `max` are OpenCL's

    def item(self, form: Form) -> str:
        """Of two numbers that are not small the sum is an id, but for small ones: no more than an
        `int` holds."""
        return self._sum(form) if self._is_narrow(form, sums=2) else self.of(form)

    def of(self, form: Form) -> str:
        """As an `int`: it is an id, so it has the value, whatever has been computed in 64 bits."""
        return self._sum(form) if self._is_narrow(form) else f"(int)({self.wide(form)})"

    def index(self, form: Form) -> str:
        """In 64 bits, where it might not be a number of 32.

        What is near an id is added to that first: compilers see better which loads are the same.
        """
        near = Form(tuple((m, f) for m, f in form.terms if self._is_near(m)))
        far = form - near
        if near.is_constant or not far.terms or not self._is_narrow(near):
            return self._sum(form, "(long)", products=True)
        text = self._sum(near)
        text = text if near.single else f"({text})"
        return f"{self._sum(far, '(long)', products=True)} + {text}"

    def _is_near(self, monomial: Monomial) -> bool:
        return not monomial or (
            len(monomial) == 1 and (isinstance(monomial[0], Id) or monomial[0] in self.small)
        )

    def _sum(self, form: Form, cast: str = "", *, products: bool = False) -> str:
        """The constant last; what is taken away behind what it is taken from."""
        if form.is_constant:
            return str(form.constant)
        terms = [(m, f) for m, f in form.terms if m]
        terms.sort(key=lambda term: (term[1] < 0, isinstance(term[0][0], Listed)))
        text = ""
        for monomial, factor in terms:
            first, *others = (self._atom(atom, wide=bool(cast)) for atom in monomial)
            within = "" if products else cast
            alone = not others and abs(factor) == 1
            if products and alone and (text or len(terms) == 1):
                product = first
            elif alone and not cast and isinstance(monomial[0], Quotient) and factor > 0:
                product = first.removeprefix("(").removesuffix(")") if " / " in first else first
            else:
                product = " * ".join([cast + first, *(within + other for other in others)])
            if abs(factor) != 1:
                product = f"{abs(factor)} * {product}"
            sign = "-" if factor < 0 else "+"
            text = f"{text} {sign} {product}" if text else ("-" * (factor < 0)) + product
        last = form.constant
        return text + (f" {'-' if last < 0 else '+'} {abs(last)}" if last else "")

    def wide(self, form: Form) -> str:
        """In 64 bits."""
        return self._sum(form, "(long)") if not form.is_constant else f"{form.constant}L"

    def _atom(self, atom: Atom, *, wide: bool) -> str:
        if isinstance(atom, Choice):
            return self._choice(atom, wide=wide)
        if isinstance(atom, Listed):
            index = self._sum(atom.index) if self._is_narrow(atom.index) else self.wide(atom.index)
            return atom.text.format(index) if atom.text else _one_of(atom.values, index)
        if isinstance(atom, Quotient) and self._is_narrow_atom(atom):
            sides = [self._operand(side) for side in atom.parts]
            return f"({sides[0]} / {sides[1]})" if atom.divisor != number(1) else sides[0]
        if isinstance(atom, Quotient):
            to = ")(".join(atom.type.split(" from "))  # of a conversion: both types
            sides = [f"({to})({self.wide(side)})" for side in atom.parts]
            return f"({sides[0]} / {sides[1]})" if atom.divisor != number(1) else sides[0]
        return self.name(atom)

    def _operand(self, form: Form) -> str:
        text = self._sum(form)
        return text if form.is_constant or form.single is not None else f"({text})"

    def _choice(self, choice: Choice, *, wide: bool) -> str:
        sides = [self.wide(s) if wide else self._sum(s) for s in (choice.then, choice.otherwise)]
        single = choice.when[0] if len(choice.when) == 1 else None
        signed = single is not None and not is_unsigned(single.type)
        if single is not None and signed and single.op in ("<", "<=") and self.minimum:
            pair = (single.left, single.right)
            if pair == (choice.then, choice.otherwise):
                return f"min({sides[0]}, {sides[1]})"
            if pair == (choice.otherwise, choice.then):
                return f"max({sides[1]}, {sides[0]})"
        when = " && ".join(map(self._comparison, choice.when))
        return f"({when} ? {sides[0]} : {sides[1]})"

    def _comparison(self, comparison: Comparison) -> str:
        """As the kernel makes it: without sign, if it does."""
        left, right = comparison.left, comparison.right
        narrow = all(self._is_narrow_in(side, comparison.type) for side in (left, right))
        if not is_unsigned(comparison.type) and narrow:
            return f"{self._sum(left)} {comparison.op} {self._sum(right)}"
        if not is_unsigned(comparison.type):
            return f"{self.wide(left)} {comparison.op} {self.wide(right)}"
        scalars = left.scalars | right.scalars
        whole = any(INTEGERS.get(scalar.type) == (64, False) for scalar in scalars)
        texts = (self._sum(s, "(ulong)") if whole else self.wide(s) for s in (left, right))
        sides = [f"({comparison.type})({text})" for text in texts]
        return f"{sides[0]} {comparison.op} {sides[1]}"

    def _is_narrow(self, form: Form, sums: int = 1) -> bool:
        """What it adds up to, and what it is computed from, are numbers of 32 bits with sign.

        An id and small numbers, or a scalar and such: no launch has more than 2^31 items. `sums`:
        so many may be not small.
        """
        terms = [(m, f) for m, f in form.terms if m and not self._is_small(m[0])]
        plain = len(terms) <= sums and all(f == 1 or (f == -1 and sums > 1) for _, f in terms)
        single = all(len(m) <= 1 and abs(f) < SMALL for m, f in form.terms)
        return plain and single and all(map(self._is_narrow_atom, form.atoms))

    def _is_small(self, atom: Atom) -> bool:
        listed = isinstance(atom, Listed) and max(map(abs, atom.ends)) < SMALL
        return atom in self.small or listed

    def _is_narrow_in(self, form: Form, type_: str) -> bool:
        """Also where the kernel adds in that type: of a `long`, `n + 1` may be more than an `int`
        holds."""
        adds = form.constant != 0 and bool(form.scalars)
        return self._is_narrow(form) and not (adds and INTEGERS[type_][0] == 64)

    def _is_narrow_atom(self, atom: Atom) -> bool:
        if isinstance(atom, Choice):
            sides = [(side, c.type) for c in atom.when for side in (c.left, c.right)]
            sides += [(side, atom.type) for side in (atom.then, atom.otherwise)]
            return all(self._is_narrow_in(*side) for side in sides)
        if isinstance(atom, Listed):
            return max(map(abs, atom.ends)) < SMALL
        if isinstance(atom, Quotient):
            return atom.type == "int" and all(map(self._is_narrow, atom.parts))
        width, signed = (32, True) if isinstance(atom, Id) else INTEGERS.get(atom.type, (64, False))
        return width < 32 or (width == 32 and signed)


def _one_of(values: Sequence[int], index: str, first: int = 0) -> str:
    """`(k < 1 ? -1 : 1)`: an array of the kernel may not be there any more."""
    if len(set(values)) == 1:
        return str(values[0])
    half = len(values) // 2
    low = _one_of(values[:half], index, first)
    return f"({index} < {first + half} ? {low} : {_one_of(values[half:], index, first + half)})"


SMALL = 1 << 12


def small_ones(facts: Sequence[Comparison]) -> frozenset[Atom]:
    """Variables of loops that count from one small number to another."""
    found: list[set[Atom]] = []
    for above in (False, True):
        sides = [(f.right, f.left) if above else (f.left, f.right) for f in facts if f.op != "!="]
        small = [v for v, end in sides if end.is_constant and abs(end.constant) < SMALL]
        found.append({a for v in small for a in v.atoms if v == form_of(a)})
    return frozenset(a for a in found[0] & found[1] if isinstance(a, LoopVariable))
