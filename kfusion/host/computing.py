"""What the operators of C make of symbolic values.

Values come in, with the types of the expressions that they are of, and the state in which
they meet; a value goes out: a number, one of the operands, or an operation on both. Nothing
is evaluated or changed here: expressions do that. What is not certain of every value that
there may be (a number of no known type, a real number that may be -0 or none at all) is left
as it is written, or is not known.
"""

from __future__ import annotations

from collections.abc import Callable

from kfusion.host.conversions import (
    Arithmetic,
    as_type,
    common,
    convert,
    number_as,
    of_operation,
)
from kfusion.host.operators import ORDER, are_apart, chosen, inverted, is_named, truth_of
from kfusion.host.places import Places
from kfusion.host.program import compute
from kfusion.host.symbolic import (
    FALSE,
    TRUE,
    Literal,
    Num,
    Op,
    Phi,
    RealOp,
    Ref,
    State,
    Sym,
    Unknown,
)

Typed = tuple[Sym, Arithmetic | None]  # a value, and the type of its expression


class Computing(Places):
    """Operators on values."""

    def typed_binary(self, op: str, left: Typed, right: Typed, state: State) -> Sym:
        """An operator on values whose types are those of their expressions.

        A number does not tell its type: written out it would be an int.
        """
        together = common(left[1], right[1])
        if together is not None and together.real and op not in ("&&", "||"):
            return of_reals(op, left[0], right[0])
        if isinstance(left[0], Num) and isinstance(right[0], Num):
            return self._of_numbers(op, left, right, state)
        if isinstance(left[0], Num) or isinstance(right[0], Num):
            if op in ("<<", ">>"):
                return self.binary(op, self._as_typed(left), right[0], state)
            return self.binary(op, *self._widened(op, left, right), state)
        return self.binary(op, left[0], right[0], state)

    def _of_numbers(self, op: str, left: Typed, right: Typed, state: State) -> Sym:
        assert isinstance(left[0], Num)
        assert isinstance(right[0], Num)
        number = compute(op, left[0].value, right[0].value)
        if number is not None:
            return Num(number)
        shifts = op in ("<<", ">>")
        together = of_operation(op, left[1], right[1]) if shifts else common(left[1], right[1])
        if together is None:
            return self.unknown()
        number = _of_signed(op, left[0].value, right[0].value, together)
        if number is not None:
            return Num(number)
        return self.binary(op, as_type(left[0], together), right[0], state)

    def _as_typed(self, operand: Typed) -> Sym:
        """A number so that it has its type when it is written out."""
        value, kind = operand
        if not isinstance(value, Num):
            return value
        return as_type(value, kind.promoted) if kind is not None else self.unknown()

    def _widened(self, op: str, left: Typed, right: Typed) -> tuple[Sym, Sym]:
        """A number does not tell its type: the other operand is to have the type of both."""
        together = common(left[1], right[1])
        if together is None:
            number = left if isinstance(left[0], Num) else right
            if op not in ("==", "!=") and (number[1] is None or number[1].is_enum):
                return self.unknown(), self.unknown()
            return left[0], right[0]
        if together.bits < 64 and together.signed:
            return left[0], right[0]
        if isinstance(left[0], Num):
            return number_as(left[0], together), convert(right[0], right[1], together)
        return convert(left[0], left[1], together), number_as(right[0], together)

    def as_bool(self, value: Sym, state: State) -> Sym:
        truth = self.truth(value, state)
        if truth is not None:
            return TRUE if truth else FALSE
        return truth_of(value)

    def binary(self, op: str, left: Sym, right: Sym, state: State) -> Sym:
        if isinstance(left, Num) and isinstance(right, Num):
            number = compute(op, left.value, right.value)
            if number is not None:
                return Num(number)
        if op in ("==", "!=") and isinstance(left, Op) and left.name == "?:":
            condition, a, b = left.args
            if not isinstance(a, Literal) and not isinstance(b, Literal):
                first, second = (self.binary(op, side, right, state) for side in (a, b))
                return chosen(condition, first, second)
        if op in ("==", "!="):
            same = self._same(left, right, state)
            if same is not None:
                return TRUE if same == (op == "==") else FALSE
        if isinstance(left, Num) and op in ("==", "!=", "+", "*", "&", "|", "^"):
            left, right = right, left  # constants stand on the right
        if (op in ("+", "-") and right == Num(0)) or (op in ("*", "/") and right == Num(1)):
            return left
        return Op(op, (left, right))

    def _same(self, left: Sym, right: Sym, state: State) -> bool | None:
        """Is one value the other? None: not known."""
        if left == right and not isinstance(left, Unknown | Phi):
            return True
        if isinstance(left, Num) and not isinstance(right, Num):
            left, right = right, left
        if isinstance(right, Num) and state.excludes(left, right.value):
            return False
        if isinstance(left, Ref) and isinstance(right, Ref):
            if left.place.root != right.place.root and is_named(left) and is_named(right):
                return False
            if left.place.root == right.place.root and are_apart(left.place, right.place):
                return False
        return None

    def truth(self, value: Sym, state: State) -> bool | None:
        value = state.resolve(value)
        if isinstance(value, Num):
            return value.value != 0
        if state.excludes(value, 0):
            return True
        return None

    def negated(self, value: Sym, state: State) -> Sym:
        truth = self.truth(value, state)
        if truth is not None:
            return FALSE if truth else TRUE
        return truth_of(inverted(value))


def _of_signed(op: str, left: int, right: int, kind: Arithmetic) -> int | None:
    """An operator on numbers of a signed type, some of which are negative."""
    if not kind.signed or kind.real or kind.is_enum or kind.bits < 32:
        return None
    results: dict[str, Callable[[], int]] = {
        "+": lambda: left + right,
        "-": lambda: left - right,
        "*": lambda: left * right,
        "<": lambda: int(left < right),
        ">": lambda: int(left > right),
        "<=": lambda: int(left <= right),
        ">=": lambda: int(left >= right),
    }
    limit = 1 << (kind.bits - 1)
    value = results[op]() if op in results else limit
    return value if all(-limit <= each < limit for each in (left, right, value)) else None


def of_reals(op: str, left: Sym, right: Sym) -> Sym:
    """An operator on real numbers. Nothing is learned from it: 0 may be -0, x may be no number."""
    if op in ("==", "!="):
        left, right = (Literal(str(s)) if isinstance(s, Num) else s for s in (left, right))
    elif op in ORDER:
        return RealOp(op, (left, right))
    elif right == Num(1) and op in ("*", "/"):
        return left
    return Op(op, (left, right))
