"""Functions that take long: what a kernel computes besides what it loads."""

from __future__ import annotations

from functools import lru_cache

from pycparser import c_ast

from kfusion.kernel.model import Kernel
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
_ROUNDS = 8  # of a loop of which nothing is known
_DEEPEST = 8
_LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)


@lru_cache(maxsize=1024)
def work_of(kernel: Kernel) -> int:
    """The functions that take long, in loads that take as long."""
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
    below = sum(_work(function, child, depth) for _, child in node.children())
    return found + below * (_ROUNDS if isinstance(node, _LOOPS) else 1)
