"""Descriptions of images (cl_image_desc), which say over what memory an image lies.

They are cleared before a few members are set, as with `= {0}` or memset(): that an image
has memory of its own is then known.
"""

from __future__ import annotations

from collections.abc import Collection

from pycparser import c_ast

from kfusion.host.symbolic import FALSE, Num, Place, State, Sym

MEMORY = ("buffer", "mem_object")  # members: what an image lies over, if not NULL


def clear(place: Place, type_: c_ast.Node | None, state: State, listed: Collection[str]) -> None:
    """Members that are not listed are zero."""
    if getattr(getattr(type_, "type", None), "names", None) == ["cl_image_desc"]:
        for member in MEMORY:
            if member not in listed:
                state.write(place / member, FALSE)


def is_cleared(name: str, arguments: list[Sym]) -> bool:
    """`memset(&shape, 0, sizeof shape)`"""
    whole = len(arguments) == 3 and str(arguments[2]).startswith("sizeof")
    return name == "memset" and whole and arguments[1] == Num(0)
