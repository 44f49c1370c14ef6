"""Rows with a pitch: what is checked before kernels with `y*pitch + x` are fused."""

from __future__ import annotations

from collections.abc import Callable

from kfusion.graph.model import AtMost, Group
from kfusion.host.merge import RegionAnalysis
from kfusion.host.symbolic import Num, Op, Sym
from kfusion.source.protections import is_on, protection

GUARD_PITCH = protection("guard-pitch", "rows are not compared with their pitch at run time")

_HOSTS = {  # what hosts call the types of kernels
    "int": ("int", "cl_int"),
    "uint": ("unsigned", "unsigned int", "cl_uint"),
    "long": ("cl_long",),
    "ulong": ("cl_ulong", "size_t"),
}


def longer_rows(
    analysis: RegionAnalysis, group: Group, of_entry: Callable[[str], Sym]
) -> list[Sym]:
    """Conditions of which any one lets a row reach into the next; numbers need none."""
    found: list[Sym] = []
    for assumed in group.assumptions:
        if isinstance(assumed, AtMost) and is_on(GUARD_PITCH):
            sides = (of_entry(assumed.left), of_entry(assumed.right))
            if not all(isinstance(side, Num) for side in sides):
                in_kernel = (_in_kernel(side, assumed.type, analysis) for side in sides)
                found.append(Op(">", tuple(in_kernel)))
    return found


def _in_kernel(value: Sym, type_: str, analysis: RegionAnalysis) -> Sym:
    """The number that a kernel's parameter of the type gets."""
    if isinstance(value, Num) and 0 <= value.value < 1 << 31:
        return value
    if isinstance(value, Op) and value.name.startswith("("):
        known = value.name[1:-1]  # it is converted already
    else:
        known = " ".join(analysis.declared_type(value))
    return value if known in _HOSTS[type_] else Op(f"(cl_{type_})", (value,))
