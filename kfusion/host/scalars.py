"""Is a kernel argument one scalar, vector or handle, or a struct or an array?

`clSetKernelArg(k, 2, sizeof p, &p)` copies as many bytes as it is told to. Only where these
are those of one scalar or vector is the argument described by one value.
"""

from __future__ import annotations

import re

from pycparser import c_ast

from kfusion.host.arithmetic import arithmetic
from kfusion.host.symbolic import Num, Op, Sym
from kfusion.host.types import DeclaredTypes

_POINTER_BITS = 64
_VECTOR = re.compile(r"cl_u?(char|short|int|long|half|float|double)(2|3|4|8|16)")
_LANE_BITS = {"char": 8, "short": 16, "half": 16, "int": 32, "float": 32, "long": 64, "double": 64}
_WRITTEN_SIZE = re.compile(r"sizeof\((.*)\)")


def is_one_value(size: Sym, object_: c_ast.Node | None, types: DeclaredTypes) -> bool:
    """Are the bytes of the size all those of the object: a scalar, a vector or a handle?"""
    known = object_ is not None and not is_void(object_)
    bits = _bits(object_, types)
    if known and bits is None:
        return False
    if isinstance(size, Num):
        return bits == 8 * size.value
    written = _WRITTEN_SIZE.fullmatch(size.name) if isinstance(size, Op) else None
    if written is None or (isinstance(size, Op) and size.args):
        return False
    given = _bits_of_name(written.group(1), types)
    if not known:  # as many bytes as a vector has may be those of several objects
        return given is not None and _VECTOR.fullmatch(written.group(1)) is None
    return given == bits


def is_whole(size: Sym, object_: c_ast.Node | None, types: DeclaredTypes) -> bool:
    """Are the bytes of the size no more than those of the object?"""
    written = _WRITTEN_SIZE.fullmatch(size.name) if isinstance(size, Op) else None
    bits = _bits(object_, types)
    if written is not None and isinstance(size, Op) and not size.args:
        names = getattr(getattr(object_, "type", None), "names", None) or ()
        given = _bits_of_name(written.group(1), types)
        return written.group(1).split() == [*names] or (
            given is not None and bits is not None and given <= bits
        )
    return isinstance(size, Num) and bits is not None and 8 * size.value <= bits


def is_void(type_: c_ast.Node) -> bool:
    inner = type_.type if isinstance(type_, c_ast.TypeDecl) else None
    return isinstance(inner, c_ast.IdentifierType) and inner.names == ["void"]


def _bits_of_name(text: str, types: DeclaredTypes) -> int | None:
    if text.endswith("*"):
        return _POINTER_BITS
    words = [w for w in text.split() if w not in ("const", "volatile")]
    if words[:1] == ["enum"]:
        return 32
    return _bits(c_ast.TypeDecl(None, [], None, c_ast.IdentifierType(words)), types)


def _bits(type_: c_ast.Node | None, types: DeclaredTypes) -> int | None:
    """None: it is no scalar, vector or handle, or an unknown type."""
    names = getattr(getattr(type_, "type", None), "names", None) or ()
    vector = _VECTOR.fullmatch(names[-1]) if names else None
    if vector is not None:
        lanes = 4 if vector.group(2) == "3" else int(vector.group(2))
        return lanes * _LANE_BITS[vector.group(1)]
    if types.opaque & set(names):
        return None
    number = arithmetic(type_, types)
    if number is not None:
        return max(number.bits, 8)
    type_ = types.resolved(type_)
    if isinstance(type_, c_ast.PtrDecl):
        return _POINTER_BITS
    is_enum = isinstance(type_, c_ast.TypeDecl) and isinstance(type_.type, c_ast.Enum)
    return 32 if is_enum else None
