"""How much a kernel computes: a rough count of the operations in its text."""

from __future__ import annotations

from functools import cache

from pycparser import c_ast

from kfusion.kernel.model import Kernel
from kfusion.parse.unit import Function, called_name


@cache
def operations(kernel: Kernel) -> int:
    """Operators and calls, each once, with those of the functions of its file."""
    return _count(kernel.function, {})


def _count(function: Function, known: dict[str, int]) -> int:
    """`known`: of functions by their names; 0 while one is counted: it may call itself."""
    nodes, unit = function.nodes, function.unit
    found = sum(len(nodes.get(kind, ())) for kind in _OPERATIONS)
    for call in nodes.get(c_ast.FuncCall, ()):
        name = called_name(call)
        if name in unit.functions and name not in known:
            known[name] = 0
            known[name] = _count(unit.functions[name], known)
        found += known.get(name, 0)
    return found


_OPERATIONS = (c_ast.BinaryOp, c_ast.TernaryOp, c_ast.FuncCall)
