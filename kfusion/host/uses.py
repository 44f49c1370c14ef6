"""How an application's function uses its variables, as its text shows it."""

from __future__ import annotations

from pycparser import c_ast


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
