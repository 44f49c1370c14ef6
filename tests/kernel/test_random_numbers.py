"""Random indices: what a form says is what C computes, whatever the numbers are."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from kfusion.kernel.forms import Choice, Comparison, Form, Id, Quotient, Value
from kfusion.kernel.types import INTEGERS
from tests.support.kernel_side import kernel_of

EXAMPLES = int(os.environ.get("KFUSION_TEST_EXAMPLES", "30"))
HEAD = "__kernel void f(__global float *c, __global const float *a, int w, uint n)\n"
BINARY = ("+", "-", "*", "/", "%", "&", "|", "<", "==")
UNARY = ("-", "~", "(int)", "(uint)")


@dataclass(frozen=True)
class Tree:
    """An expression: an operator with operands, or a number or name."""

    op: str
    parts: tuple[Tree, ...] = ()

    @property
    def text(self) -> str:
        texts = [part.text for part in self.parts]
        if self.op == "?":
            return f"({texts[0]} ? {texts[1]} : {texts[2]})"
        if self.op in ("min", "max"):
            return f"{self.op}((int)({texts[0]}), (int)({texts[1]}))"
        if len(texts) == 1:
            return f"({self.op}{texts[0]})"
        return f"({texts[0]} {self.op} {texts[1]})" if texts else self.op


class UndefinedError(Exception):
    pass


def computed(tree: Tree, numbers: Mapping[str, int]) -> tuple[int, str]:
    """As C does it, and the type."""
    if not tree.parts:
        return _named(tree.op, numbers)
    if tree.op == "?":
        which = computed(tree.parts[0], numbers)[0]
        sides = [computed(part, numbers) for part in tree.parts[1:]]
        type_ = _common(*(side[1] for side in sides))
        return in_type(sides[0 if which else 1][0], type_), type_
    values = [computed(part, numbers) for part in tree.parts]
    if tree.op in ("(int)", "(uint)"):
        return in_type(values[0][0], tree.op[1:-1]), tree.op[1:-1]
    if tree.op in ("min", "max"):
        found = [in_type(value, "int") for value, _ in values]
        return (min if tree.op == "min" else max)(found), "int"
    shifts = tree.op in ("<<", ">>")
    type_ = values[0][1] if shifts else _common(*(type_ for _, type_ in values))
    a, b = in_type(values[0][0], type_), in_type(values[-1][0], type_)
    if tree.op in ("<", "=="):
        return int(a < b if tree.op == "<" else a == b), "int"
    if tree.op == "<<":  # of a number with a sign, too: the bits that are left
        return in_type(a << b, type_), type_
    return _exact(_operated(tree.op, a, b, len(values)), type_), type_


def _named(op: str, numbers: Mapping[str, int]) -> tuple[int, str]:
    if op in numbers:
        return numbers[op], "uint" if op == "n" else "int"
    return int(op.removesuffix("u"), 0), "uint" if op.endswith("u") else "int"


def _operated(op: str, a: int, b: int, operands: int) -> int:
    if operands == 1:
        return -a if op == "-" else ~a
    if op in "/%" and b == 0:
        raise UndefinedError
    quotient = abs(a) // abs(b or 1) * (1 if (a < 0) == (b < 0) else -1)
    results = {"+": a + b, "-": a - b, "*": a * b, "/": quotient, "%": a - b * quotient}
    return results[op] if op in results else {"&": a & b, "|": a | b, ">>": a >> (b & 31)}[op]


def _exact(value: int, type_: str) -> int:
    if type_ == "int" and not -(1 << 31) <= value < 1 << 31:
        raise UndefinedError
    return in_type(value, type_)


def _common(*types: str) -> str:
    return "uint" if "uint" in types else "int"


def in_type(value: int, type_: str) -> int:
    width, signed = INTEGERS[type_]
    value %= 1 << width
    return value - (1 << width) if signed and value >> (width - 1) else value


def said(form: Form, numbers: Mapping[str, int]) -> int:
    total = 0
    for monomial, factor in form.terms:
        for atom in monomial:
            factor *= _atom(atom, numbers)
        total += factor
    return total


def _atom(atom: object, numbers: Mapping[str, int]) -> int:
    if isinstance(atom, Id):
        return numbers["i"]
    if isinstance(atom, Value):
        return numbers[atom.name]
    if isinstance(atom, Choice):
        side = atom.then if all(_holds(each, numbers) for each in atom.when) else atom.otherwise
        return in_type(said(side, numbers), atom.type)
    assert isinstance(atom, Quotient)
    if atom.converts:
        types = atom.type.split()  # "int from uint"; "uint" where it is divided by 1
        return in_type(in_type(said(atom.dividend, numbers), types[-1]), types[0])
    sides = [in_type(said(side, numbers), atom.type) for side in (atom.dividend, atom.divisor)]
    return _operated("/", sides[0], sides[1], 2)


def _holds(comparison: Comparison, numbers: Mapping[str, int]) -> bool:
    sides = (comparison.left, comparison.right)
    a, b = (in_type(said(side, numbers), comparison.type) for side in sides)
    return {"<": a < b, "<=": a <= b, "==": a == b, "!=": a != b}[comparison.op]


CONSTANTS = st.sampled_from(
    "0 1 2 3 4 5 7 8 15 16 31 -1 -4 -8 0x7fffffff 0xfffffff8u 3u 4u 16u 0xffffffffu".split()
)
LEAVES = st.one_of(st.sampled_from("iiwwn"), CONSTANTS).map(Tree)


def _larger(parts: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    few = st.integers(0, 6).map(str).map(Tree)
    return st.one_of(
        st.builds(lambda op, a: Tree(op, (a,)), st.sampled_from(UNARY), parts),
        st.builds(lambda op, a, b: Tree(op, (a, b)), st.sampled_from(BINARY), parts, parts),
        st.builds(
            lambda op, a, b: Tree(op, (a, b)), st.sampled_from("/%&"), parts, CONSTANTS.map(Tree)
        ),
        st.builds(lambda op, a, b: Tree(op, (a, b)), st.sampled_from(("<<", ">>")), parts, few),
        st.builds(lambda op, a, b: Tree(op, (a, b)), st.sampled_from(("min", "max")), parts, parts),
        st.builds(lambda a, b, c: Tree("?", (a, b, c)), parts, parts, parts),
    )


TREES = st.recursive(LEAVES, _larger, max_leaves=6)
NUMBERS = st.fixed_dictionaries(
    {
        "i": st.integers(0, 200),
        "w": st.one_of(st.integers(-40, 40), st.sampled_from([2**31 - 1, -(2**31), 2**30])),
        "n": st.one_of(st.integers(0, 40), st.sampled_from([2**32 - 1, 2**31, 2**32 - 7])),
    }
)


@settings(
    max_examples=EXAMPLES * 4, deadline=None, suppress_health_check=[HealthCheck.filter_too_much]
)
@given(TREES, st.lists(NUMBERS, min_size=6, max_size=6))
def test_an_index(tree: Tree, several: list[dict[str, int]]) -> None:
    kernel = kernel_of(f"{HEAD}{{ int i = get_global_id(0); c[0] = a[{tree.text}]; }}\n")
    form = kernel.accesses[0].form
    assume(form is not None)
    assert form is not None
    for numbers in several:
        try:
            value, type_ = computed(tree, numbers)
        except UndefinedError:
            continue
        assert in_type(said(form, numbers), type_) == value, (tree.text, str(form), numbers)
