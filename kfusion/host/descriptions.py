"""Structures that are cleared as a whole, with `= {0}` or memset(), before some members are set.

Of a description of an image (cl_image_desc) only that matters which says over what memory the
image lies: if that is cleared, the image has memory of its own.
"""

from __future__ import annotations

from collections.abc import Collection

from pycparser import c_ast

from kfusion.host.conversions import arithmetic
from kfusion.host.symbolic import FALSE, Num, Place, State, Sym
from kfusion.host.types import DeclaredTypes

_HANDLES = frozenset(
    "cl_platform_id cl_device_id cl_context cl_command_queue cl_mem cl_sampler cl_program "
    "cl_kernel cl_event".split()
)
MEMORY = ("buffer", "mem_object")  # members: what an image lies over, if not NULL


def clear(
    place: Place,
    type_: c_ast.Node | None,
    state: State,
    types: DeclaredTypes,
    listed: Collection[str] = (),
) -> None:
    """Members that are not listed are zero."""
    if getattr(getattr(type_, "type", None), "names", None) == ["cl_image_desc"]:
        for member in MEMORY:
            if member not in listed:
                state.write(place / member, FALSE)
        return
    for member in types.members(type_):
        if member not in listed and not types.shares_memory(type_, member):
            inner = types.member(type_, member)
            if _is_zero_in_bytes(inner, types):
                state.write(place / member, FALSE)
            else:
                clear(place / member, inner, state, types)


def _is_zero_in_bytes(type_: c_ast.Node | None, types: DeclaredTypes) -> bool:
    """A whole number, a pointer or a handle."""
    resolved = types.resolved(type_)
    if isinstance(resolved, c_ast.PtrDecl):
        return True
    kind = arithmetic(type_, types)
    if kind is not None:
        return not kind.is_opaque and not kind.real
    names = getattr(getattr(resolved, "type", None), "names", None)
    return names is not None and len(names) == 1 and names[0] in _HANDLES


def is_cleared(name: str, arguments: list[Sym]) -> bool:
    """`memset(&shape, 0, sizeof shape)`"""
    whole = len(arguments) == 3 and str(arguments[2]).startswith("sizeof")
    return name == "memset" and whole and arguments[1] == Num(0)
