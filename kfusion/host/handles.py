"""Kernels by the names of variables and members that hold them, as the text of a program shows.

Which kernel a handle stands for is known by executing the program up to the region. Where that
leads nowhere, `v->add = clCreateKernel(program, "add", &status)` says that an `add` is one.
"""

from __future__ import annotations

from collections.abc import Iterator

from pycparser import c_ast

from kfusion.host.program import HostProgram, once
from kfusion.host.symbolic import Entry, Pointee, Sym
from kfusion.parse.unit import arguments_of

KernelNames = dict[str, set[str]]  # by variable or member


def kernel_of(handle: Sym, names: KernelNames) -> str:
    """Empty, if it is not known, or several may be meant."""
    if not isinstance(handle, Entry):
        return ""
    steps = [step for step in handle.place.path if not step.startswith("[")]
    root = handle.place.root
    if not steps and not isinstance(root, Pointee):
        steps = [root.name]
    found = names.get(steps[-1], set()) if steps else set()
    return next(iter(found)) if len(found) == 1 else ""


@once
def kernel_names(program: HostProgram) -> KernelNames:
    found: KernelNames = {}
    for variable, value in _settings(program):
        if variable and (name := _created(value)):
            found.setdefault(variable, set()).add(name)
    return found


def _settings(program: HostProgram) -> Iterator[tuple[str, c_ast.Node]]:
    for unit in program.units:
        for node in unit.nodes[c_ast.Decl]:
            if node.init is not None:
                yield node.name, node.init
        for node in unit.nodes[c_ast.Assignment]:
            left = node.lvalue
            field = left.field if isinstance(left, c_ast.StructRef) else left
            yield (field.name if isinstance(field, c_ast.ID) else ""), node.rvalue


def _created(node: c_ast.Node) -> str:
    """The name in `clCreateKernel(program, "name", &status)`."""
    if not isinstance(node, c_ast.FuncCall) or getattr(node.name, "name", "") != "clCreateKernel":
        return ""
    listed = arguments_of(node)
    if len(listed) < 2 or not isinstance(listed[1], c_ast.Constant):
        return ""
    return str(listed[1].value).strip('"')
