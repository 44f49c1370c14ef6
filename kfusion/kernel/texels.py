"""Which texel coordinates name: whole numbers, or real ones that plainly are texels.

`(float2)(x, y)` and `(float2)(x + 0.5f, y + 0.5f)` name the texel (x, y) to a sampler
without normalised coordinates and filtering, as long as no float rounds them: in images of
up to 2^23 texels each way (which a fused function looks at).
"""

from __future__ import annotations

import re

from pycparser import c_ast

from kfusion.kernel.arithmetic import Typed
from kfusion.kernel.evaluate import Environment, evaluate
from kfusion.kernel.forms import Form, Id, texel_at
from kfusion.kernel.types import canonical, is_integer
from kfusion.parse.unit import called_name
from kfusion.source.dataclasses import dataclass

_EXACT = 1 << 23  # floats up to it are whole numbers and halves
_HALF = re.compile(r"0?\.50*[fF]?")


@dataclass(frozen=True)
class _Real:
    """A whole number, and whether a half has been added to it."""

    form: Form
    half: bool = False

    def plus(self, other: _Real) -> _Real | None:
        """Only the half itself may be added, and once."""
        if self.form == Form():
            return other.plus(self) if other.form != Form() else None
        alone = other.form == Form() and other.half
        return _Real(self.form, True) if alone and not self.half else None


def texel_of(env: Environment, node: c_ast.Node, rank: int = 2) -> Form | None:
    """The index of so many coordinates: of `(int2)(x, y)`, of the like of real numbers, or of a
    variable with one; of three as `(int4)(x, y, z, 0)`."""
    symbol, value = env.symbol(node), evaluate(env, node)
    if rank == 2 and symbol in env.texels:
        return env.texels[symbol]
    parts = (value,) if rank == 1 else value.parts
    known = [p.form for p in parts[:rank] if p.type == "int" and p.form is not None]
    if len(known) == rank and len(parts) == (4 if rank == 3 else rank):
        return texel_at(*known)
    found = _vector(env, node) if rank == 2 else None
    return texel_at(found[0].form, found[1].form) if found is not None else None


def _vector(env: Environment, node: c_ast.Node) -> tuple[_Real, _Real] | None:
    """The parts of a float2."""
    if isinstance(node, c_ast.BinaryOp) and node.op == "+" and env.certain_operator(node):
        left, right = _sides(env, node.left), _sides(env, node.right)
        if left is None or right is None:
            return None
        x, y = (a.plus(b) for a, b in zip(left, right, strict=True))
        return (x, y) if x is not None and y is not None else None
    if isinstance(node, c_ast.Cast) and canonical(env.unit, node.to_type) == "float2":
        listed = isinstance(node.expr, c_ast.ExprList)
        parts = node.expr.exprs if listed else [node.expr, node.expr]
        found = [_scalar(env, part) for part in parts]
        if len(found) == 2 and found[0] is not None and found[1] is not None:
            return found[0], found[1]
    if isinstance(node, c_ast.FuncCall) and called_name(node) == "convert_float2" and node.args:
        parts = evaluate(env, node.args.exprs[0]).parts
        forms = [part.form for part in parts if _counts_alike(part)]
        if len(forms) == 2 and forms[0] is not None and forms[1] is not None:
            return _Real(forms[0]), _Real(forms[1])
    return None


def _sides(env: Environment, node: c_ast.Node) -> tuple[_Real, _Real] | None:
    """A number stands for a vector of it."""
    scalar = _scalar(env, node)
    return (scalar, scalar) if scalar is not None else _vector(env, node)


def _scalar(env: Environment, node: c_ast.Node) -> _Real | None:
    if isinstance(node, c_ast.Constant) and _HALF.fullmatch(node.value):
        at = env.unit.index(node)
        return _Real(Form(), half=True) if env.certain(at, at) else None
    whole = evaluate(env, node)
    if whole.form is not None and _counts_alike(whole):
        return _Real(whole.form)
    if isinstance(node, c_ast.Cast) and canonical(env.unit, node.to_type) == "float":
        return _scalar(env, node.expr)
    if isinstance(node, c_ast.FuncCall) and called_name(node) == "convert_float" and node.args:
        return _scalar(env, node.args.exprs[0])
    if isinstance(node, c_ast.BinaryOp) and node.op == "+" and env.certain_operator(node):
        left, right = _scalar(env, node.left), _scalar(env, node.right)
        return left.plus(right) if left is not None and right is not None else None
    return None


def _counts_alike(value: Typed) -> bool:
    """Is the number's float that of its form? Without a sign, 1 less than 0 is 2^32 - 1."""
    if value.type in ("char", "short", "int", "uchar", "ushort"):
        return True
    terms = value.form.terms if value.form is not None else ()
    return is_integer(value.type) and all(
        (len(monomial) == 1 and isinstance(monomial[0], Id) and factor == 1)
        or (monomial == () and 0 <= factor < _EXACT)
        for monomial, factor in terms
    )
