"""May an object of a C type hold a handle of a memory object, or lead to one?

What is not known may. The names of OpenCL are its own only if they are known: a program may call
a structure of its own `cl_vector`.
"""

from __future__ import annotations

import re

from pycparser import c_ast

from kfusion.host.arithmetic import arithmetic
from kfusion.host.types import DeclaredTypes

_WITHOUT_MEMORY = re.compile(
    r"cl_(?:platform_id|device_id|context|command_queue|program|kernel|event|sampler|bool"
    r"|(?:u?(?:char|short|int|long)|half|float|double)(?:2|3|4|8|16)?)"
)
_POINTERS_AS_NUMBERS = frozenset(("uintptr_t", "intptr_t"))


def is_handle(type_: c_ast.Node | None) -> bool:
    """Is it a `cl_mem`?"""
    return _named(type_) == "cl_mem"


def may_hold_handles(type_: c_ast.Node | None, types: DeclaredTypes) -> bool:
    return _may_hold(type_, types, set())


def _may_hold(type_: c_ast.Node | None, types: DeclaredTypes, seen: set[object]) -> bool:
    if is_handle(type_) or _named(type_) in _POINTERS_AS_NUMBERS:
        return True
    if _WITHOUT_MEMORY.fullmatch(_named(type_)):
        return False
    resolved = types.resolved(type_)
    if resolved is None or types.is_opaque(type_) or types.is_void(resolved):
        return True
    if isinstance(resolved, c_ast.PtrDecl | c_ast.ArrayDecl):
        return _may_hold(resolved.type, types, seen)
    if isinstance(resolved, c_ast.FuncDecl) or arithmetic(resolved, types) is not None:
        return False
    inner = resolved.type
    if not isinstance(inner, c_ast.Struct) or types.has_unnamed(resolved):
        return True
    if inner.name in seen:
        return False
    seen.add(inner.name or inner)
    names = types.members(resolved)
    return not names or any(_may_hold(types.member(resolved, n), types, seen) for n in names)


def _named(type_: c_ast.Node | None) -> str:
    inner = getattr(type_, "type", None)
    names = inner.names if isinstance(inner, c_ast.IdentifierType) else []
    return str(names[0]) if len(names) == 1 else ""
