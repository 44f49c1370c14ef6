"""Numbers for what host code computes: sizes and scalars of a launch, from a few given ones.

Real numbers are NumPy's, which are rounded as C's are; all others are whole.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping

import numpy as np

from kfusion.host.arithmetic import compute
from kfusion.host.libm import ELEMENTARY, plain
from kfusion.host.spelling import spell
from kfusion.host.symbolic import LOOP, Entry, Literal, Num, Op, Sym, Unknown, leaves
from kfusion.kernel.types import size_of

Number = int | float | np.floating

_OPERATORS: dict[str, Callable[[Number, Number], Number]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "&&": lambda left, right: bool(left and right),
    "||": lambda left, right: bool(left or right),
}
_UNARY: dict[str, Callable[[Number], Number]] = {
    "-": lambda number: -number,
    "+": lambda number: number,
    "!": operator.not_,
    "~": lambda number: ~int(number),
}
_REAL: dict[str, type[np.floating]] = {"(float)": np.float32, "(double)": np.float64}
_FUNCTIONS: dict[str, Callable[..., Number]] = {
    **{name: getattr(math, name) for name in ELEMENTARY},
    **dict.fromkeys("rint nearbyint lrint llrint".split(), round),  # halves to even numbers
    **dict.fromkeys(
        "round lround llround".split(), lambda x: math.trunc(x + math.copysign(0.5, x))
    ),
    **dict.fromkeys("abs labs llabs".split(), lambda x: abs(int(x))),
    "fmax": max,
    "fmin": min,
}
_DECIMAL = re.compile(r"((?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?)[lL]?(?P<single>[fF]?)")
_HEXADECIMAL = re.compile(r"(0[xX][\da-fA-F.]+[pP][-+]?\d+)[lL]?(?P<single>[fF]?)")
_SIZEOF = re.compile(r"sizeof *\( *(?:cl_)?([\w ]+?) *\)")
_HOST_TYPES = {
    **{name: name for name in "char uchar short ushort int uint long ulong float double".split()},
    **{f"{n}{k}": f"{n}{k}" for n in ("float", "double", "int", "uint") for k in (2, 3, 4, 8, 16)},
    "unsigned": "uint",
    "unsigned int": "uint",
    "unsigned char": "uchar",
    "size_t": "ulong",
}


class CannotRunError(Exception):
    """A region that cannot be run at a size; the message says why."""


def not_known(value: Sym) -> CannotRunError:
    if isinstance(value, Op) and value.name.startswith(LOOP):
        name = _name(value)
        return CannotRunError(f"'{name}' is computed in a loop: give --let {name}=NUMBER")
    name = spell(value)
    if any(isinstance(leaf, Unknown) for leaf in leaves(value)) or " that is not known" in name:
        return CannotRunError("it is launched with a number that kfusion does not follow")
    return CannotRunError(f"'{name}' is not known: give --let")


class Numbers:
    """`given` maps names, or spelled values, to numbers; all other whole numbers are `size`, but
    for those that are `fixed`."""

    def __init__(
        self, size: int, given: Mapping[str, Number], fixed: Mapping[Sym, int] | None = None
    ) -> None:
        self.size, self.given, self.fixed = size, given, fixed or {}
        self.used: set[str] = set()  # of the given names
        self.chosen = False  # was the size asked for?

    def of(self, value: Sym) -> Number:
        if isinstance(value, Num):
            return value.value
        for name in (spell(value), _name(value)):
            if name in self.given:
                self.used.add(name)
                return self.given[name]
        if isinstance(value, Literal):
            return _literal(value)
        if value in self.fixed:
            return self.fixed[value]
        if isinstance(value, Entry):
            self.chosen = True
            return self.size
        if not isinstance(value, Op):
            raise not_known(value)
        try:
            return self._operation(value)
        except (ArithmeticError, ValueError):
            raise CannotRunError(f"'{spell(value)}' is not defined") from None

    def _operation(self, value: Op) -> Number:
        name, args = value.name, value.args
        measured = _SIZEOF.fullmatch(name)
        if measured is not None and measured.group(1) in _HOST_TYPES:
            return size_of(_HOST_TYPES[measured.group(1)])
        if name == "?:":
            condition, first, second = args
            return self.of(first if self.of(condition) else second)
        if name.startswith("(") and len(args) == 1:
            number = self.of(args[0])
            return _REAL[name](number) if name in _REAL else int(number)
        if name in _UNARY and len(args) == 1:
            return _UNARY[name](self.of(args[0]))
        function = _FUNCTIONS.get(plain(name))
        if function is not None:
            return _rounded(name, function(*(float(self.of(arg)) for arg in args)))
        if name.isidentifier() or len(args) != 2:
            raise not_known(value)
        left, right = map(self.of, args)
        if name in _OPERATORS:
            return _OPERATORS[name](left, right)
        if name == "/" and (_is_real(left) or _is_real(right)):
            return left / right
        whole = compute(name, int(left), int(right))
        if whole is None:
            raise not_known(value)
        return whole


def _is_real(number: Number) -> bool:
    return isinstance(number, float | np.floating)


def _rounded(name: str, number: Number) -> Number:
    """What a function of the C library returns, in its own type."""
    base = plain(name)
    if base.startswith(("l", "abs")) and not base.startswith("log"):
        return number
    return np.float32(number) if name.removesuffix("f") == base != name else np.float64(number)


def _name(value: Sym) -> str:
    """The last name of a place, or of a variable that a loop changes."""
    if isinstance(value, Op) and value.name.startswith(LOOP):
        return value.name.rpartition(":")[2]
    return re.split(r"->|\.", spell(value))[-1] if isinstance(value, Entry) else ""


def _literal(value: Literal) -> Number:
    found = _DECIMAL.fullmatch(value.text)
    if found is None:
        found = _HEXADECIMAL.fullmatch(value.text)
        if found is None:
            raise not_known(value)
        number = float.fromhex(found[1])
    else:
        number = float(found[1])
    return np.float32(number) if found["single"] else np.float64(number)
