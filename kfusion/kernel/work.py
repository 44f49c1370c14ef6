"""Functions and divisions that take long: what a kernel computes besides what it loads."""

from __future__ import annotations

from functools import lru_cache
from math import frexp

from pycparser import c_ast

from kfusion.kernel.model import Kernel
from kfusion.kernel.types import canonical
from kfusion.parse.unit import Function, called_name

# In loads that take as long, about: of a library on a CPU, without vectors.
_LONG = {
    64: "pow pown powr rootn tgamma lgamma erf erfc atan2 atan2pi fmod remainder",
    32: "exp exp2 exp10 expm1 log log2 log10 log1p sin cos tan sincos sinpi cospi tanpi asin acos "
    "atan asinpi acospi atanpi sinh cosh tanh asinh acosh atanh cbrt hypot",
    8: "sqrt rsqrt length normalize distance native_powr native_exp native_log native_sin "
    "native_cos native_tan half_powr half_exp half_log half_sin half_cos half_tan",
}
_LOADS = {name: loads for loads, names in _LONG.items() for name in names.split()}
_DIVISION = 8
_ROUNDS = 8  # of a loop of which nothing is known
_DEEPEST = 8
_LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)


@lru_cache(maxsize=1024)
def work_of(kernel: Kernel) -> int:
    """What takes long, in loads that take as long."""
    return _work(kernel.function, kernel.function.node.body, _DEEPEST)


def _work(function: Function, node: c_ast.Node, depth: int) -> int:
    found = 0
    if isinstance(node, c_ast.FuncCall):
        name = called_name(node)
        own = function.unit.functions.get(name)
        if own is not None and depth > 0:
            found += _work(own, own.node.body, depth - 1)
        elif own is None:
            found += _LOADS.get(name, 0)
    elif isinstance(node, c_ast.BinaryOp | c_ast.Assignment) and node.op in ("/", "/="):
        found += _DIVISION if _divides_floats(function, node) else 0
    below = sum(_work(function, child, depth) for _, child in node.children())
    return found + below * (_ROUNDS if isinstance(node, _LOOPS) else 1)


def _divides_floats(function: Function, node: c_ast.BinaryOp | c_ast.Assignment) -> bool:
    """By a power of two compilers multiply."""
    is_binary = isinstance(node, c_ast.BinaryOp)
    sides = (node.left, node.right) if is_binary else (node.lvalue, node.rvalue)
    by = sides[1].value.rstrip("fFlL") if isinstance(sides[1], c_ast.Constant) else ""
    if by and "x" not in by.lower() and any(c in by for c in ".eE"):
        return abs(frexp(float(by))[0]) != 0.5
    return any(_is_float(function, side) for side in sides)


def _is_float(function: Function, node: c_ast.Node) -> bool:
    """As far as names tell it; a member of a structure may be anything."""
    if isinstance(node, c_ast.Constant):
        return node.type in ("float", "double")
    if isinstance(node, c_ast.ID):
        declared = function.variables.get(node.name)
        type_ = canonical(function.unit, declared.type) if declared is not None else ""
        return type_.startswith(("float", "double", "half"))
    if isinstance(node, c_ast.FuncCall):
        called = function.unit.functions.get(called_name(node))
        if called is not None:
            return canonical(function.unit, called.result_type).startswith(("float", "double"))
        arguments = node.args.exprs if node.args is not None else []
        return any(_is_float(function, each) for each in arguments)
    if isinstance(node, c_ast.Cast):
        return canonical(function.unit, node.to_type.type).startswith(("float", "double"))
    if isinstance(node, c_ast.ArrayRef | c_ast.StructRef):
        return _is_float(function, node.name)
    if isinstance(node, c_ast.TernaryOp):
        return _is_float(function, node.iftrue) or _is_float(function, node.iffalse)
    return isinstance(node, c_ast.BinaryOp | c_ast.UnaryOp) and any(
        _is_float(function, each) for _, each in node.children()
    )
