"""How an application's function uses its variables, as its text shows it."""

from __future__ import annotations

from pycparser import c_ast

from kfusion.parse.unit import descendants


class OwnCalls(c_ast.NodeVisitor):
    """Calls that mention a variable, in order."""

    def __init__(self, owner: str) -> None:
        self.owner = owner
        self.found: list[c_ast.FuncCall] = []

    def visit_FuncCall(self, node: c_ast.FuncCall) -> None:
        self.generic_visit(node)
        names = _Mentions()
        if node.args is not None:
            names.visit(node.args)
        if isinstance(node.name, c_ast.ID) and self.owner in names.found:
            self.found.append(node)


class _Mentions(c_ast.NodeVisitor):
    def __init__(self) -> None:
        self.found: set[str] = set()

    def visit_ID(self, node: c_ast.ID) -> None:
        self.found.add(node.name)


class Uses(c_ast.NodeVisitor):
    """Every use of a variable: `&v` as an argument, `v.member`, or anything else."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.calls: list[c_ast.FuncCall] = []
        self.members: set[str] = set()
        self.escapes = False

    def visit_FuncCall(self, node: c_ast.FuncCall) -> None:
        for argument in node.args.exprs if node.args is not None else []:
            if (
                isinstance(argument, c_ast.UnaryOp)
                and argument.op == "&"
                and isinstance(argument.expr, c_ast.ID)
                and argument.expr.name == self.name
            ):
                self.calls.append(node)
            else:
                self.visit(argument)
        self.visit(node.name)

    def visit_StructRef(self, node: c_ast.StructRef) -> None:
        if isinstance(node.name, c_ast.ID) and node.name.name == self.name:
            self.members.add(node.field.name)
        else:
            self.visit(node.name)

    def visit_ID(self, node: c_ast.ID) -> None:
        if node.name == self.name:
            self.escapes = True


def declarations_of(scope: c_ast.Node, name: str) -> int:
    return sum(isinstance(n, c_ast.Decl) and n.name == name for n in descendants(scope))


class _Gotos(c_ast.NodeVisitor):
    def __init__(self) -> None:
        self.found = False

    def visit_Label(self, node: c_ast.Label) -> None:
        self.found = True

    def visit_FuncCall(self, node: c_ast.FuncCall) -> None:
        if isinstance(node.name, c_ast.ID) and node.name.name in _COMES_BACK:
            self.found = True
        self.generic_visit(node)


_COMES_BACK = frozenset("setjmp _setjmp sigsetjmp __sigsetjmp getcontext".split())


def has_goto(body: c_ast.Node) -> bool:
    """A label, or setjmp(), may lead back to before the region."""
    visitor = _Gotos()
    visitor.visit(body)
    return visitor.found


class _Leaving(c_ast.NodeVisitor):
    def __init__(self) -> None:
        self.found = False

    def _leave(self, node: c_ast.Node) -> None:
        self.found = True

    visit_Return = visit_Goto = visit_Break = visit_Continue = _leave


def leaves_anywhere(node: c_ast.Node) -> bool:
    visitor = _Leaving()
    visitor.visit(node)
    return visitor.found


def path_to(node: c_ast.Node, wanted: object) -> list[c_ast.Node] | None:
    """Nodes from the body down to the one that is looked for."""
    assert callable(wanted)
    if wanted(node):
        return [node]
    for _, child in node.children():
        found = path_to(child, wanted)
        if found is not None:
            return [node, *found]
    return None
