"""Names for generated text that clash with nothing in the file."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pycparser import c_ast

from kfusion.kernel.branches import branches_of
from kfusion.kernel.builtins import is_known
from kfusion.parse.opencl import ACCESS, ADDRESS_SPACES, IMAGES, SCALARS
from kfusion.parse.unit import Unit
from kfusion.source.lexer import names_in

_KEYWORDS = frozenset(
    "auto bool break case char const continue default do double else enum extern float for goto "
    "half if inline int kernel __kernel long pipe register restrict return short signed sizeof "
    "static struct switch typedef union uniform unsigned void volatile while complex imaginary "
    "event_t sampler_t queue_t ndrange_t".split()
)
# Functions that generated text calls on its own: no variable around it is called so.
WRITTEN = frozenset(
    "barrier get_global_id get_global_size get_group_id get_local_id get_local_size "
    "get_work_dim".split()
)
_TYPES = re.compile(r"(char|uchar|short|ushort|int|uint|long|ulong|float|double|half)(2|3|4|8|16)")
# Macros and enumerators that OpenCL C defines, and that host code passes by name as well.
_CONSTANTS = re.compile(
    r"(FLT|DBL|HALF|CHAR|SCHAR|UCHAR|SHRT|USHRT|INT|UINT|LONG|ULONG|FP|CL|CLK|M|ATOMIC)_\w+"
    r"|(memory_order|memory_scope|cl)_\w+|MAXFLOAT|HUGE_VALF?|INFINITY|NAN|NULL|true|false"
)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


def file_names(unit: Unit) -> frozenset[str]:
    """Every name that the file gives a meaning outside of function bodies."""
    found = set(unit.macros.history) | set(unit.functions) | unit.opaque_types
    branches = branches_of(unit)  # another build may take others
    found.update(names_in(branches.left_out), (each.name for each in branches.definitions))

    class Visitor(c_ast.NodeVisitor):
        def visit_FuncDef(self, node: c_ast.FuncDef) -> None:
            found.add(node.decl.name)

        def visit_Decl(self, node: c_ast.Decl) -> None:
            if node.name:
                found.add(node.name)
            if not isinstance(node.type, c_ast.FuncDecl):
                self.generic_visit(node)

        def visit_Struct(self, node: c_ast.Struct) -> None:
            pass  # members have a name space of their own

        def visit_Typedef(self, node: c_ast.Typedef) -> None:
            found.add(node.name)
            self.generic_visit(node)

        def visit_Enumerator(self, node: c_ast.Enumerator) -> None:
            found.add(node.name)

    Visitor().visit(unit.ast)
    return frozenset(found)


def is_reserved(name: str) -> bool:
    """A word of OpenCL C."""
    return (
        name in _KEYWORDS
        or name in SCALARS
        or name in IMAGES
        or name in ADDRESS_SPACES
        or name in ACCESS
        or _TYPES.fullmatch(name) is not None
        or is_known(name)
        or _CONSTANTS.fullmatch(name) is not None
        or name.startswith(("__", "get_"))
    )


def identifier(hint: str, otherwise: str) -> str:
    """The last identifier of a hint such as "x->device" or "n"; or another name."""
    found = _IDENTIFIER.findall(re.sub(r"'[^']*'|\"[^\"]*\"|\b[\d.][\w.]*", " ", hint))
    return found[-1] if found else otherwise


class Names:
    """Names in use; a new one gets a number if need be."""

    def __init__(self, taken: Iterable[str]) -> None:
        self.taken = set(taken)

    def free(self, name: str) -> bool:
        return name not in self.taken and not is_reserved(name)

    def new(self, wanted: str, *others: str) -> str:
        """The first of the wanted names that is free, else the first with a number."""
        for name in (wanted, *others):
            if self.free(name):
                self.taken.add(name)
                return name
        stem = others[0] if others else wanted
        if is_reserved(f"{stem}_2"):
            stem = f"own_{stem}"  # `atom_2` and `vload_2` would still be the language's
        number = 2
        while not self.free(f"{stem}_{number}"):
            number += 1
        self.taken.add(f"{stem}_{number}")
        return f"{stem}_{number}"


def uncommented(text: str) -> str:
    """For a comment, which it does not end."""
    return text.replace("*/", "* /").replace("/*", "/ *")


def plus(number: int) -> str:
    """Behind another number."""
    return f" {'+' if number > 0 else '-'} {abs(number)}" if number else ""
