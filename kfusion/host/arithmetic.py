"""Arithmetic types of C as declarations name them, and numbers as variables of a type hold them."""

from __future__ import annotations

from pycparser import c_ast

from kfusion.host.libm import REAL
from kfusion.host.symbolic import Literal, Num, Op, Sym
from kfusion.host.types import DeclaredTypes
from kfusion.source.dataclasses import dataclass


@dataclass(frozen=True)
class Arithmetic:
    bits: int
    signed: bool = True
    real: bool = False

    @property
    def cast(self) -> str:
        """The operator that makes a number one of the type."""
        if self.real:
            return "(float)" if self.bits <= 32 else "(double)"
        word = {8: "char", 16: "short", 32: "int"}.get(self.bits, "long")
        return f"({'' if self.signed else 'unsigned '}{word})"


BOOL = Arithmetic(1, signed=False)
_WORDS = frozenset("char short int long signed unsigned float double _Bool bool".split())
_NAMED = {
    **dict.fromkeys(("size_t", "uintptr_t"), Arithmetic(64, signed=False)),
    **dict.fromkeys(("ssize_t", "ptrdiff_t", "intptr_t"), Arithmetic(64)),
    "cl_float": Arithmetic(32, real=True),
    "cl_double": Arithmetic(64, real=True),
    "cl_half": Arithmetic(16, signed=False),
    **{f"int{bits}_t": Arithmetic(bits) for bits in (8, 16, 32, 64)},
    **{f"uint{bits}_t": Arithmetic(bits, signed=False) for bits in (8, 16, 32, 64)},
    **{
        f"cl_{prefix}{word}": Arithmetic(bits, signed=not prefix)
        for word, bits in (("char", 8), ("short", 16), ("int", 32), ("long", 64))
        for prefix in ("", "u")
    },
}


def arithmetic(type_: c_ast.Node | None, types: DeclaredTypes) -> Arithmetic | None:
    """The arithmetic type that a declaration names; None for all others."""
    while isinstance(type_, c_ast.TypeDecl):
        inner = type_.type
        if isinstance(inner, c_ast.Enum):
            return Arithmetic(32)
        if not isinstance(inner, c_ast.IdentifierType):
            return None
        if set(inner.names) <= _WORDS:
            return _of_words(inner.names)
        if types.is_opaque(type_):
            return None
        if len(inner.names) == 1 and inner.names[0] in _NAMED:
            return _NAMED[inner.names[0]]
        type_ = types.typedef(inner.names[0]) if len(inner.names) == 1 else None
    return None


def _of_words(words: list[str]) -> Arithmetic:
    if "float" in words or "double" in words:
        return Arithmetic(32 if "float" in words else 64 if "long" not in words else 128, real=True)
    if "_Bool" in words or "bool" in words:
        return BOOL
    bits = 8 if "char" in words else 16 if "short" in words else 64 if "long" in words else 32
    return Arithmetic(bits, "unsigned" not in words)


def fit(value: Sym, kind: Arithmetic | None, source: Arithmetic | None = None) -> Sym:
    """A value, of a type that may be known, as a variable of the type holds it."""
    if kind is None:
        return value
    if not isinstance(value, Num):
        if kind.real and source is not None and not source.real:
            return Op(kind.cast, (value,))
        return Op(kind.cast, (value,)) if is_real(value) and not kind.real else value
    if kind.real:
        return Op(kind.cast, (value,))
    if kind == BOOL:
        return Num(int(value.value != 0))
    low = -(1 << (kind.bits - 1)) if kind.signed else 0
    return Num((value.value - low) % (1 << kind.bits) + low)


def is_real(value: Sym) -> bool:
    """Is it plain that the value is a real number?"""
    if isinstance(value, Literal):
        return value.text[0] in ".0123456789"
    if not isinstance(value, Op):
        return False
    if value.name in ("+", "-", "*", "/", "?:"):
        return any(map(is_real, value.args[-2:]))
    return value.name in REAL or value.name in ("(float)", "(double)")


def compute(op: str, left: int, right: int) -> int | None:
    """An operator of C on whole numbers that fit in their type. None: none, or not defined."""
    if op in ("/", "%"):
        if right == 0:
            return None
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return quotient if op == "/" else left - quotient * right
    if op in ("<<", ">>"):
        if not 0 <= right < 64:
            return None
        return left << right if op == "<<" else left >> right
    result = {
        "+": left + right,
        "-": left - right,
        "*": left * right,
        "&": left & right,
        "|": left | right,
        "^": left ^ right,
        "==": left == right,
        "!=": left != right,
        "<": left < right,
        ">": left > right,
        "<=": left <= right,
        ">=": left >= right,
        "&&": bool(left and right),
        "||": bool(left or right),
    }.get(op)
    return None if result is None else int(result)
