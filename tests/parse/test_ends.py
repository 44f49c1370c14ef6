"""Where expressions end: their tokens, read alone, are the same expression again."""

from __future__ import annotations

import pytest
from pycparser import c_ast
from pycparser.c_generator import CGenerator
from pycparser.c_parser import CParser

from kfusion.parse.unit import descendants
from tests.support.kernel_side import unit_of

HEAD = """\
typedef struct { int x; int y[4]; } S;
#define TWICE(v) ((v) + (v))
#define AT(p, i) ((p)[(i)])
#define F g
int g(int, int);
int h(void);
"""
ENDS = (
    *(c_ast.BinaryOp, c_ast.Assignment, c_ast.TernaryOp, c_ast.UnaryOp, c_ast.ArrayRef),
    *(c_ast.FuncCall, c_ast.StructRef, c_ast.Cast, c_ast.Constant, c_ast.CompoundLiteral),
    c_ast.InitList,
)
EXPRESSIONS = """\
((a))
-(a + 1)
(a)++
*p++ + --*p
*(p + a) = (a, 2)
p[(a)][1]
((int *)p)[a]
AT(p, a + 1) += TWICE(a)
g((a), (a, 1))
(F)(a, h())
g(h(), g(1, (2)))(a)
(s).y[a].x
t->y[(1)] * (t)->x
(*t).x
(int)(a)
(int)-(a) + 1
*(int *)(p + 1)
&(p)[a]
!(a < 1) && (a || 2)
(a) ? (1) : (a = 2)
a ? 1, 2 : (3, a)
sizeof a + sizeof(a)
sizeof(int) * 2
-(sizeof(int *))
(S){.x = 1, .y = {1, [2] = (a)}}.x
((S){(1), {2}}).y[0]
(int[]){}
g("a" "b", 'c')
(a += (a -= 1))
""".splitlines()


def texts(expression: str) -> list[tuple[str, str]]:
    """What the tokens of the expression and its parts are, and what the tree says of them."""
    body = f"int r, a, *p; S s, *t;\nr = {expression};\n"
    unit = unit_of(f"{HEAD}void f(void)\n{{\n{body}}}\n")
    nodes = descendants(unit.functions["f"].node.body.block_items[-1].rvalue)
    found: list[tuple[str, str]] = []
    for node in nodes:
        if isinstance(node, ENDS):
            first, last = unit.ends.of(node)
            text = " ".join(token.text for token in unit.tokens[first : last + 1])
            found.append((text, CGenerator().visit(node)))
    return found


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_tokens_of_an_expression_are_that_expression(expression: str) -> None:
    for text, tree in texts(expression):
        declared = f"typedef int S; int r = {text};"
        assert CGenerator().visit(CParser().parse(declared).ext[1].init) == tree


@pytest.mark.parametrize(
    ("expression", "own"),
    [("((a + 1))", "a + 1"), ("g((a), 1)", "g ( ( a ) , 1 )"), ("(a)++", "( a ) ++")],
)
def test_brackets_around_belong_to_what_is_around(expression: str, own: str) -> None:
    assert texts(expression)[0][0] == own


def test_operands_have_their_brackets() -> None:
    unit = unit_of("int g(int, int); int f(int a) { return g(((a)), -(a + 1)); }")
    (call,) = unit.functions["f"].nodes[c_ast.FuncCall]
    ranges = [unit.ends.operand(node) for node in call.args.exprs]
    shown = [" ".join(t.text for t in unit.tokens[a : b + 1]) for a, b in ranges]
    assert shown == ["( ( a ) )", "- ( a + 1 )"]
    assert ranges == unit.ranges_in(unit.ends.of(call.name)[1] + 1)
