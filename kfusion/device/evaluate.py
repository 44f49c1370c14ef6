"""Numbers for what host code computes: sizes and scalars of a launch, from a few given ones."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping

from kfusion.host.arithmetic import compute
from kfusion.host.spelling import spell
from kfusion.host.symbolic import Entry, Literal, Num, Op, Sym
from kfusion.kernel.types import size_of

Number = int | float

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
}
_FLOAT = re.compile(r"[-+]?(\d+\.\d*|\.\d+|\d+)([eE][-+]?\d+)?[fFlL]?")
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


def not_known(value: str) -> CannotRunError:
    return CannotRunError(f"'{value}' is not known: give --let")


class Numbers:
    """`given` maps names, or spelled values, to numbers; all other whole numbers are `size`."""

    def __init__(self, size: int, given: Mapping[str, Number]) -> None:
        self.size, self.given = size, given
        self.used: set[str] = set()  # of the given names
        self.chosen = False  # was the size asked for?

    def of(self, value: Sym) -> Number:
        if not isinstance(value, Num) and spell(value) in self.given:
            self.used.add(spell(value))
            return self.given[spell(value)]
        if isinstance(value, Num):
            return value.value
        if isinstance(value, Literal):
            return _literal(value.text)
        if isinstance(value, Entry):
            return self._given(value)
        if isinstance(value, Op):
            return self._operation(value)
        raise not_known(spell(value))

    def _given(self, value: Entry) -> Number:
        spelled = spell(value)
        last = re.split(r"->|\.", spelled)[-1]
        for name in (spelled, last):
            if name in self.given:
                self.used.add(name)
                return self.given[name]
        self.chosen = True
        return self.size

    def _operation(self, value: Op) -> Number:
        measured = _SIZEOF.fullmatch(value.name)
        if measured is not None and measured.group(1) in _HOST_TYPES:
            return size_of(_HOST_TYPES[measured.group(1)])
        if value.name.startswith("(") and len(value.args) == 1:
            inner = self.of(value.args[0])
            return float(inner) if value.name in ("(float)", "(double)") else int(inner)
        if value.name == "?:":
            condition, first, second = value.args
            return self.of(first if self.of(condition) else second)
        if value.name == "-" and len(value.args) == 1:
            return -self.of(value.args[0])
        numbers = [self.of(argument) for argument in value.args]
        if len(numbers) == 2 and value.name in _OPERATORS:
            return _OPERATORS[value.name](*numbers)
        if len(numbers) == 2:
            whole = compute(value.name, int(numbers[0]), int(numbers[1]))
            if whole is not None or value.name == "/":
                return whole or 0
        raise not_known(spell(value))


def _literal(text: str) -> Number:
    if _FLOAT.fullmatch(text):
        return float(text.rstrip("fFlL"))
    raise not_known(text)
