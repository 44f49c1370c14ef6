"""Conversions that C makes by itself: when a value goes into a variable of another type."""

from __future__ import annotations

from pycparser import c_ast

from kfusion.host import libm
from kfusion.host.symbolic import Made, Num, Op, Phi, Ref, Sym, Unknown, anything
from kfusion.host.types import DeclaredTypes
from kfusion.source.dataclasses import dataclass


@dataclass(frozen=True)
class Arithmetic:
    """An arithmetic type: two names of one type are equal."""

    bits: int
    signed: bool = True
    real: bool = False
    enum: str = ""  # its name: how many bits it has is the compiler's choice
    is_opaque: bool = False  # it is not known what it is, if it is arithmetic at all

    @property
    def is_enum(self) -> bool:
        return bool(self.enum)

    @property
    def name(self) -> str:
        """A name that every file knows."""
        if self.is_enum:
            return f"enum {self.enum}"
        if self.real:
            return {32: "float", 64: "double", 128: "long double"}[self.bits]
        if self == BOOL:
            return "_Bool"
        word = {8: "char", 16: "short", 32: "int", 64: "long"}[self.bits]
        if self.signed:
            return "signed char" if self.bits == 8 else word
        return "size_t" if self.bits == 64 else f"unsigned {word}"

    @property
    def promoted(self) -> Arithmetic:
        return INT if not self.real and not self.is_enum and self.bits < 32 else self


BOOL = Arithmetic(1, signed=False)
INT = Arithmetic(32)
LONG = Arithmetic(64)
SIZE = Arithmetic(64, signed=False)
FLOAT = Arithmetic(32, real=True)
DOUBLE = Arithmetic(64, real=True)
LONG_DOUBLE = Arithmetic(128, real=True)
_SAFE_IN_ENUM = 127  # any type that a compiler may choose holds it

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
_INTEGER_CALLS = frozenset("abs strcmp strncmp toupper tolower isdigit isalpha isspace".split())


def arithmetic(type_: c_ast.Node | None, types: DeclaredTypes) -> Arithmetic | None:
    """The arithmetic type that a declaration names; None for all others."""
    while isinstance(type_, c_ast.TypeDecl):
        inner = type_.type
        if isinstance(inner, c_ast.Enum):
            return Arithmetic(0, enum=inner.name or f"at {inner.coord}")
        if not isinstance(inner, c_ast.IdentifierType):
            return None
        if set(inner.names) <= _WORDS:
            return _of_words(inner.names)
        if types.is_opaque(type_):
            return Arithmetic(0, enum=" ".join(inner.names), is_opaque=True)
        if len(inner.names) == 1 and inner.names[0] in _NAMED:
            return _NAMED[inner.names[0]]
        type_ = types.typedef(inner.names[0]) if len(inner.names) == 1 else None
    return None


def _of_words(words: list[str]) -> Arithmetic | None:
    if "float" in words:
        return FLOAT
    if "double" in words:
        return DOUBLE if "long" not in words else LONG_DOUBLE
    if "_Bool" in words or "bool" in words:
        return BOOL
    bits = 8 if "char" in words else 16 if "short" in words else 64 if "long" in words else 32
    return Arithmetic(bits, "unsigned" not in words)


def of_constant(node: c_ast.Constant) -> Arithmetic | None:
    if node.type == "char":
        return INT
    if "float" in node.type or "double" in node.type:
        last = node.value[-1]
        is_hex = node.value[:2].lower() == "0x"
        if last in "fF" and not (is_hex and "p" not in node.value.lower()):
            return FLOAT
        return LONG_DOUBLE if last in "lL" else DOUBLE
    if "int" not in node.type:
        return None
    if node.value[-1] == "'":  # several characters
        return INT
    return _of_integer(node.value.lower())


def _of_integer(text: str) -> Arithmetic | None:
    """C17 6.4.4.1: the first type of the list that holds the value. None: none does."""
    digits = text.rstrip("ul")
    suffix = text[len(digits) :]
    based = digits[:1] == "0" and len(digits) > 1
    value = int(digits, 8) if based and digits.isdigit() else int(digits, 0)
    for bits in (32, 64) if "l" not in suffix else (64,):
        if "u" not in suffix and value < 1 << (bits - 1):
            return Arithmetic(bits)
        if ("u" in suffix or based) and value < 1 << bits:
            return Arithmetic(bits, signed=False)
    return None


def of_call(name: str) -> Arithmetic | None:
    """What a function of OpenCL or libc returns."""
    if name.startswith("cl") and name[2:3].isupper():
        made = name.startswith(("clCreate", "clEnqueueMap", "clSVMAlloc", "clClone"))
        return None if made else INT
    if name == "strlen":
        return SIZE
    if name in libm.RESULTS:
        return _of_words(libm.RESULTS[name].split())
    if name in ("labs", "llabs"):
        return LONG
    return INT if name in _INTEGER_CALLS else None


def common(left: Arithmetic | None, right: Arithmetic | None) -> Arithmetic | None:
    """The type in which an operator computes with operands of these types."""
    if left is None or right is None or left.is_enum or right.is_enum:
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
        return left.promoted if left is not None and not left.is_enum else None
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
    if target.is_enum:
        return anything()
    return Op(f"({target.name})", (value,))


def as_type(value: Num, kind: Arithmetic) -> Sym:
    """The number as an operand of a type: written out alone it is an int."""
    if kind.is_enum:
        return anything()
    return value if kind == INT else Op(f"({kind.name})", (value,))


def number_as(value: Sym, kind: Arithmetic) -> Sym:
    """An operand that is computed in a type, the other one having it already."""
    if isinstance(value, Num) and value.value < 0 and not kind.signed:
        return as_type(value, kind)
    return value


def _number(value: Num, target: Arithmetic) -> Sym:
    if target.real:
        return Op(f"({target.name})", (value,))
    if target == BOOL:
        return Num(int(value.value != 0))
    if target.is_enum:
        return value if not target.is_opaque and 0 <= value.value <= _SAFE_IN_ENUM else anything()
    low = -(1 << (target.bits - 1)) if target.signed else 0
    size = 1 << target.bits
    if not target.signed and target.bits >= 32:  # written out it would be of a wider type
        size >>= 1
    if low <= value.value < low + size:
        return value
    if target.bits < 32:
        return Num((value.value - low) % size + low)
    return Op(f"({target.name})", (value,))


def _same_value(source: Arithmetic, target: Arithmetic) -> bool:
    """Does the conversion keep the value, and what is computed with it afterwards?"""
    if source == target:
        return True
    if source.is_enum or target.is_enum:
        return False
    if source.real or target.real or target == BOOL:
        return False
    if target.bits < source.bits:
        return False
    if source.bits < 32 and target.bits <= 32:
        return (not source.signed and source.bits < target.bits) or source.signed == target.signed
    return target == source
