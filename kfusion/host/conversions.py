"""Conversions that C makes by itself: when a value goes into a variable of another type."""

from __future__ import annotations

from pycparser import c_ast

from kfusion.host.symbolic import Made, Num, Op, Phi, Ref, Sym, Unknown
from kfusion.host.types import DeclaredTypes
from kfusion.source.dataclasses import dataclass


@dataclass(frozen=True)
class Arithmetic:
    """An arithmetic type: two names of one type are equal."""

    bits: int
    signed: bool = True
    real: bool = False

    @property
    def name(self) -> str:
        """A name that every file knows."""
        if self.real:
            return "float" if self.bits == 32 else "double"
        if self == BOOL:
            return "_Bool"
        word = {8: "char", 16: "short", 32: "int", 64: "long"}[self.bits]
        if self.signed:
            return "signed char" if self.bits == 8 else word
        return "size_t" if self.bits == 64 else f"unsigned {word}"

    @property
    def promoted(self) -> Arithmetic:
        return INT if not self.real and self.bits < 32 else self


BOOL = Arithmetic(1, signed=False)
INT = Arithmetic(32)
UNSIGNED = Arithmetic(32, signed=False)
LONG = Arithmetic(64)
SIZE = Arithmetic(64, signed=False)
FLOAT = Arithmetic(32, real=True)
DOUBLE = Arithmetic(64, real=True)

_WORDS = frozenset("char short int long signed unsigned float double _Bool bool".split())
_NAMED = {
    "size_t": SIZE,
    "uintptr_t": SIZE,
    "ssize_t": LONG,
    "ptrdiff_t": LONG,
    "intptr_t": LONG,
    "cl_float": FLOAT,
    "cl_double": DOUBLE,
    "cl_half": Arithmetic(16, signed=False),
    **{f"int{bits}_t": Arithmetic(bits) for bits in (8, 16, 32, 64)},
    **{f"uint{bits}_t": Arithmetic(bits, signed=False) for bits in (8, 16, 32, 64)},
    **{
        f"cl_{prefix}{word}": Arithmetic(bits, signed=not prefix)
        for word, bits in (("char", 8), ("short", 16), ("int", 32), ("long", 64))
        for prefix in ("", "u")
    },
}
_LOGICAL = frozenset(["==", "!=", "<", ">", "<=", ">=", "&&", "||", "!"])
_INTEGER_CALLS = frozenset(
    "abs isnan isinf strcmp strncmp toupper tolower isdigit isalpha isspace".split()
)


def arithmetic(type_: c_ast.Node | None, types: DeclaredTypes) -> Arithmetic | None:
    """The arithmetic type that a declaration names; None for all others."""
    while isinstance(type_, c_ast.TypeDecl):
        inner = type_.type
        if isinstance(inner, c_ast.Enum):
            return None  # the compiler chooses
        if not isinstance(inner, c_ast.IdentifierType):
            return None
        if len(inner.names) == 1 and inner.names[0] in _NAMED:
            return _NAMED[inner.names[0]]
        if set(inner.names) <= _WORDS:
            return _of_words(inner.names)
        type_ = types.typedef(inner.names[0]) if len(inner.names) == 1 else None
    return None


def _of_words(words: list[str]) -> Arithmetic | None:
    if "float" in words:
        return FLOAT
    if "double" in words:
        return DOUBLE if "long" not in words else None
    if "_Bool" in words or "bool" in words:
        return BOOL
    bits = 8 if "char" in words else 16 if "short" in words else 64 if "long" in words else 32
    return Arithmetic(bits, "unsigned" not in words)


def of_constant(node: c_ast.Constant) -> Arithmetic | None:
    if node.type == "char":
        return INT
    if "float" in node.type or "double" in node.type:
        return FLOAT if node.value[-1] in "fF" else DOUBLE if node.value[-1] not in "lL" else None
    if "int" not in node.type:
        return None
    suffix = node.value.lower()[len(node.value.rstrip("uUlL")) :]
    value = int(node.value.rstrip("uUlL"), 0) if not node.value.startswith("0") else 0
    bits = 64 if "l" in suffix or value >= 1 << (32 if "u" in suffix else 31) else 32
    return Arithmetic(bits, "u" not in suffix)


def of_call(name: str) -> Arithmetic | None:
    """What a function of OpenCL or libc returns."""
    if name.startswith("cl") and name[2:3].isupper():
        made = name.startswith(("clCreate", "clEnqueueMap", "clSVMAlloc", "clClone"))
        return None if made else INT
    if name == "strlen":
        return SIZE
    if name in ("labs", "lround", "llround"):
        return LONG
    return INT if name in _INTEGER_CALLS else None


def common(left: Arithmetic | None, right: Arithmetic | None) -> Arithmetic | None:
    """The type in which an operator computes with operands of these types."""
    if left is None or right is None:
        return None
    reals = [side for side in (left, right) if side.real]
    if reals:
        return max(reals, key=lambda side: side.bits)
    left, right = left.promoted, right.promoted
    if left.bits == right.bits:
        return Arithmetic(left.bits, left.signed and right.signed)
    return max(left, right, key=lambda side: side.bits)


def of_operation(op: str, left: Arithmetic | None, right: Arithmetic | None) -> Arithmetic | None:
    if op in _LOGICAL:
        return INT
    if op in ("<<", ">>"):
        return left.promoted if left is not None else None
    return common(left, right)


def convert(value: Sym, source: Arithmetic | None, target: Arithmetic | None) -> Sym:
    """The value as a variable of the target type holds it."""
    if target is None or isinstance(value, Ref | Made | Unknown):
        return value
    if isinstance(value, Num):
        return _number(value, target)
    if isinstance(value, Phi):
        parts = tuple(convert(part, source, target) for part in value.alternatives)
        return value if parts == value.alternatives else Phi(parts, value.number)
    if target == BOOL and isinstance(value, Op) and value.name in _LOGICAL:
        return value
    if source is not None and _same_value(source, target):
        return value
    return Op(f"({target.name})", (value,))


def _number(value: Num, target: Arithmetic) -> Sym:
    if target.real:
        return Op(f"({target.name})", (value,))
    if target == BOOL:
        return Num(int(value.value != 0))
    low = -(1 << (target.bits - 1)) if target.signed else 0
    size = 1 << target.bits
    if low <= value.value < low + size:
        return value
    if target.bits < 32:
        return Num((value.value - low) % size + low)
    return Op(f"({target.name})", (value,))


def _same_value(source: Arithmetic, target: Arithmetic) -> bool:
    """Does the conversion keep the value, and what is computed with it afterwards?"""
    if source == target:
        return True
    if source.real or target.real or target == BOOL:
        return False
    if target.bits < source.bits:
        return False
    if source.bits < 32 and target.bits <= 32:
        return (not source.signed and source.bits < target.bits) or source.signed == target.signed
    return target == source
