"""Values and their forms, and what C's operators and conversions make of them."""

from __future__ import annotations

from collections.abc import Callable
from operator import add, mul, sub

from kfusion.kernel.forms import (
    STRIDED_ID,
    Atom,
    Choice,
    Comparison,
    Form,
    Id,
    LoopVariable,
    Quotient,
    Value,
    chosen,
    comparison,
    counts_items,
    form_of,
    is_short,
    number,
)
from kfusion.kernel.types import (
    INTEGERS,
    common,
    is_integer,
    is_unsigned,
    is_wide,
    promoted,
    vector_of,
)
from kfusion.source.dataclasses import dataclass
from kfusion.source.protections import is_on, protection

WHOLE_CONDITIONS = protection(
    "whole-conditions", "what decides between two values is all that is asked"
)


_EXACT: dict[str, Callable[[Form, Form], Form]] = {"+": add, "-": sub, "*": mul}


@dataclass(frozen=True)
class Typed:
    """A value: its form, if it has one, and its type, if that is an integer type.

    Of a vector of integers: its parts, one by one.
    """

    form: Form | None
    type: str
    parts: tuple[Typed, ...] = ()

    @property
    def known(self) -> bool:
        return self.form is not None or any(part.known for part in self.parts)

    @property
    def complete(self) -> bool:
        """All of it is known: whatever computes it has no effect."""
        return self.form is not None or (
            bool(self.parts) and all(part.complete for part in self.parts)
        )


UNKNOWN = Typed(None, "")


Known = tuple[tuple[Comparison, ...], bool]  # comparisons, and whether they say all


NOT_KNOWN: Known = (), False


def one_of(when: Known, unless: Known, then: Typed, otherwise: Typed, type_: str) -> Typed:
    """The one or the other, if what decides is known; both in the type."""
    a, b = convert(then, type_).form, convert(otherwise, type_).form
    if not is_integer(type_) or a is None or b is None:
        return Typed(None, type_)
    if when[1] or not is_on(WHOLE_CONDITIONS):
        return Typed(chosen(when[0], a, b, type_), type_)
    return Typed(chosen(unless[0], b, a, type_) if unless[1] else None, type_)


def convert(value: Typed, type_: str) -> Typed:
    """The value as a variable of the type would hold it."""
    vector = vector_of(type_)
    if vector is not None:
        base, count = vector
        same = len(value.parts) == count and all(part.type == base for part in value.parts)
        return value if same else UNKNOWN
    if type_ not in INTEGERS or value.type not in INTEGERS:
        return Typed(None, type_ if type_ in INTEGERS else "")
    form = value.form
    if type_ == "bool" and value.type != "bool":
        truth = form is not None and form.is_constant
        return Typed(number(int(form != number(0))) if truth else None, type_)
    if form is not None and form.is_constant:
        width, signed = INTEGERS[type_]
        low = -(1 << (width - 1)) if signed else 0
        if not low <= form.constant < low + (1 << width):
            form = None
    elif INTEGERS[type_][0] < 32 and type_ != value.type:
        form = None
    elif form is not None and not _keeps(form, INTEGERS[value.type], INTEGERS[type_]):
        form = _converted(form, value.type, type_)
    return Typed(form, type_)


def _converted(form: Form, source: str, target: str) -> Form | None:
    """Its value may be another one in the type: of one of several values, that of each."""
    atom = form.single
    if isinstance(atom, Choice):
        then, otherwise = (convert(Typed(f, source), target) for f in (atom.then, atom.otherwise))
        return one_of((atom.when, True), NOT_KNOWN, then, otherwise, target).form
    return form_of(Quotient(form, number(1), f"{promoted(target)} from {promoted(source)}"))


_SMALL = 1 << 16


def _keeps(form: Form, source: tuple[int, bool], target: tuple[int, bool]) -> bool:
    """The form is the value's in the target type as well, whatever the scalars are.

    In a type without sign, a form stands for its value modulo a power of two.
    """
    (width, signed), (new_width, new_signed) = source, target
    if width < 32 or source == target:
        return True
    if signed and (new_width > width or (new_width == width and not new_signed)):
        return True
    if 0 <= form.constant < _SMALL and counts_items(form - number(form.constant)):
        return True
    if signed or new_width <= width:
        return False
    atom = form.single
    # A scalar or loop variable without sign is what it is.
    if isinstance(atom, Id):
        return atom.kind == STRIDED_ID
    return isinstance(atom, (Value, LoopVariable)) and INTEGERS.get(atom.type) == source


def binary(left: Typed, op: str, right: Typed) -> Typed:
    if left.parts or right.parts:
        return _by_parts(left, op, right)
    if op in (*RELATIONS, "&&", "||"):
        return Typed(None, "int")
    type_ = common(left.type, right.type)
    if not type_:
        return UNKNOWN
    if op in ("<<", ">>"):
        return _shifted(left, op, right.form)
    a, b = convert(left, type_).form, convert(right, type_).form
    if a is None or b is None:
        return Typed(None, type_)
    if op in _EXACT:
        return _reduced(_EXACT[op](a, b), type_)
    if op in ("/", "%") and a.is_constant and b.is_constant and a.constant >= 0 < b.constant:
        result = a.constant // b.constant if op == "/" else a.constant % b.constant
        return Typed(number(result), type_)
    if op in ("/", "%"):
        whole, rest = a.divided(b.constant) if b.is_constant and b.terms else (a, a)
        if not rest.terms and not is_unsigned(type_):  # it has not wrapped around
            return Typed(whole if op == "/" else Form(), type_)
        quotient = form_of(Quotient(a, b, type_))
        return Typed(quotient if op == "/" else a - b * quotient, type_)
    return Typed(_bits(a, op, b, type_), type_)


def _shifted(left: Typed, op: str, by: Form | None) -> Typed:
    type_, form = promoted(left.type), left.form
    if form is None or by is None or not by.is_constant or not 0 <= by.constant < 31:
        return Typed(None, type_)
    power = Typed(number(1 << by.constant), type_)
    if op == "<<" and _is_quotient(form, 1 << by.constant):
        return binary(Typed(form, type_), "*", power)
    if op == "<<":  # bits that leave at the left are lost, in numbers with sign, too
        bare = type_.removeprefix("u")
        value = convert(Typed(form, type_), f"u{bare}")
        return convert(binary(value, "*", Typed(power.form, f"u{bare}")), type_)
    return _floored(form, 1 << by.constant, type_)


def _is_quotient(form: Form, least: int) -> bool:
    """`i >> 2`, which 4 times is no more than the `i`."""
    atom = form.single
    if not isinstance(atom, Quotient) or not atom.divisor.is_constant:
        return False
    return atom.divisor.constant >= least


def _floored(form: Form, power: int, type_: str) -> Typed:
    """`w >> 2`: a division by the power of two that rounds down, where C's rounds to zero."""
    if form.is_constant:
        return Typed(number(form.constant // power), type_)
    divisor = Typed(number(power), type_)
    quotient = binary(Typed(form, type_), "/", divisor)
    if quotient.form is None or _is_natural(form, type_):
        return quotient
    positive = comparison("<=", number(0), form, type_, negated=False)
    # Of -1 - x, which is not negative where x is.
    mirrored = binary(Typed(number(-1) - form, type_), "/", divisor)
    if mirrored.form is None:
        return mirrored
    return Typed(chosen([positive], quotient.form, number(-1) - mirrored.form, type_), type_)


def _bits(a: Form, op: str, b: Form, type_: str) -> Form | None:
    """`i & 31`; `w & ~3`; `2*i | 1`"""
    if op == "&":
        a, b = (b, a) if a.is_constant else (a, b)
        return _masked(a, b.constant, type_) if b.is_constant else None
    if op != "|" or not (_is_natural(a, type_) and _is_natural(b, type_)):
        return None
    for left, right in ((a, b), (b, a)):
        below = _bits_of(right)
        if below is not None and left.terms and not left.divided(below)[1].terms:
            return left + right
    return None


def _masked(form: Form, mask: int, type_: str) -> Form | None:
    """Its lowest bits, or all but those."""
    width = INTEGERS[type_][0]
    if is_unsigned(type_) and mask >> (width - 1):
        mask -= 1 << width
    power = -mask if mask < 0 else mask + 1
    if power & (power - 1) or power == 1 << (width - 1):
        return None
    if power == 1:
        return form if mask < 0 else Form()
    whole = _floored(form, power, type_).form
    if whole is None:
        return None
    return number(power) * whole if mask < 0 else form - number(power) * whole


def _bits_of(form: Form) -> int | None:
    """A power of two that the number is below: of a constant, and of what is left of a division."""
    if form.is_constant:
        return 1 << form.constant.bit_length() if form.constant >= 0 else None
    for atom in form.atoms:
        if isinstance(atom, Quotient) and atom.divisor.is_constant:
            power = atom.divisor.constant
            if power & (power - 1) == 0 and form == atom.dividend - atom.divisor * form_of(atom):
                return power
    return None


def _is_natural(form: Form, type_: str) -> bool:
    """Not negative, whatever the scalars are."""
    return is_unsigned(type_) or all(
        factor > 0 and all(map(_is_natural_atom, monomial)) for monomial, factor in form.terms
    )


def _is_natural_atom(atom: Atom) -> bool:
    if isinstance(atom, Id):
        return True
    if isinstance(atom, Quotient) and atom.divisor != number(1):
        return _is_natural(atom.dividend, atom.type) and _is_natural(atom.divisor, atom.type)
    if isinstance(atom, Choice):
        return _is_natural(atom.then, atom.type) and _is_natural(atom.otherwise, atom.type)
    return is_unsigned(atom.type.split()[0])


def _by_parts(left: Typed, op: str, right: Typed) -> Typed:
    """Vectors of one type, part by part; a number stands for a vector of it."""
    left, right = widened(left, right), widened(right, left)
    kinds = {part.type for part in (*left.parts, *right.parts)}
    if op not in _EXACT or len(left.parts) != len(right.parts) or len(kinds) != 1:
        return UNKNOWN
    type_ = kinds.pop()
    if not is_wide(type_):
        return UNKNOWN
    pairs = zip(left.parts, right.parts, strict=True)
    return Typed(None, "", tuple(binary(a, op, b) for a, b in pairs))


def widened(value: Typed, other: Typed) -> Typed:
    """`at - 1`"""
    if value.parts or value.type not in INTEGERS:
        return value
    return Typed(None, "", tuple(convert(value, part.type) for part in other.parts))


def _reduced(form: Form, type_: str) -> Typed:
    """Constants without sign wrap around."""
    if form.is_constant and is_unsigned(type_):
        form = number(form.constant % (1 << INTEGERS[type_][0]))
    return Typed(form if is_short(form) else None, type_)


CHOOSING = {"min": 2, "max": 2, "clamp": 3, "abs": 1}


def chosen_by(name: str, values: list[Typed]) -> Typed:
    """`min(a, b)`, of two of one type; `clamp(a, low, high)` is `min(max(a, low), high)`."""
    if name == "clamp":
        return chosen_by("min", [chosen_by("max", values[:2]), values[2]])
    forms = [v.form for v in values if v.form is not None and is_wide(v.type)]
    kinds = {promoted(value.type) for value in values if is_integer(value.type)}
    if len(forms) < len(values) or len(kinds) != 1:
        return UNKNOWN
    type_, first, second = *kinds, forms[0], forms[-1]
    if name == "abs" and not is_unsigned(type_):
        positive = comparison("<=", Form(), first, type_, negated=False)
        return Typed(chosen([positive], first, -first, f"u{type_}"), f"u{type_}")
    kept = comparison("<=" if name == "min" else ">=", first, second, type_, negated=False)
    return Typed(chosen([kept], first, second, type_), type_)


RELATIONS = ("<", "<=", ">", ">=", "==", "!=")
