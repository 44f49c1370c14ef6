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
from kfusion.source.dataclasses import dataclass


@dataclass(frozen=True)
class KernelNames:
    by_variable: dict[str, frozenset[str]]  # or member

    def of(self, handle: Sym) -> str:
        """Empty, if it is not known, or several may be meant."""
        if not isinstance(handle, Entry):
            return ""
        steps = [step for step in handle.place.path if not step.startswith("[")]
        root = handle.place.root
        if not steps and not isinstance(root, Pointee):
            steps = [root.name]
        names = self.by_variable.get(steps[-1], frozenset()) if steps else frozenset()
        return next(iter(names)) if len(names) == 1 else ""


@once
def kernel_names(program: HostProgram) -> KernelNames:
    found: dict[str, set[str]] = {}
    for variable, value in _settings(program):
        if variable and (name := _created(value)):
            found.setdefault(variable, set()).add(name)
    return KernelNames({variable: frozenset(kernels) for variable, kernels in found.items()})


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
