"""Tables of structs in which some members keep what the initialiser gives them.

    static struct { const char *name; cl_kernel kernel; } ops[] = {{"add"}, {"scale"}};

As long as the table is seen as `ops[i].member` alone, only what is written to `.name` changes it.
"""

from __future__ import annotations

from collections import Counter

from pycparser import c_ast

from kfusion.host.types import DeclaredTypes
from kfusion.parse.unit import Unit


def members_only_read(unit: Unit, types: DeclaredTypes) -> dict[c_ast.Decl, frozenset[str]]:
    """The names of texts in the static tables of a file, if nothing writes to them."""
    tables = {
        node: texts
        for node in unit.nodes.get(c_ast.Decl, ())
        for texts in [_texts(node, types)]
        if texts
    }
    if not tables:
        return {}
    uses = Counter(node.name for node in unit.nodes.get(c_ast.ID, ()))
    plain: Counter[str] = Counter()
    for node in unit.nodes.get(c_ast.StructRef, ()):
        plain[_member_of(node)[0]] += 1
    changed: set[tuple[str, str]] = {
        _changed(node.lvalue) for node in unit.nodes.get(c_ast.Assignment, ())
    }
    for node in unit.nodes.get(c_ast.UnaryOp, ()):
        if node.op == "sizeof":
            plain[_measured(node.expr)] += 1
        elif node.op in ("&", "++", "--", "p++", "p--"):
            changed.add(_changed(node.expr))
    return {
        node: frozenset(name for name in texts if (node.name, name) not in changed)
        for node, texts in tables.items()
        if uses[node.name] == plain[node.name]
    }


def _texts(node: c_ast.Decl, types: DeclaredTypes) -> list[str]:
    """Members of type `const char *`."""
    table = node.type
    if "static" not in node.storage or not isinstance(node.init, c_ast.InitList):
        return []
    if not isinstance(table, c_ast.ArrayDecl) or isinstance(table.type, c_ast.ArrayDecl):
        return []
    element = types.resolved(table.type)
    struct = getattr(element, "type", None)
    quals = {*node.quals, *(getattr(table.type, "quals", None) or ())}
    if not isinstance(struct, c_ast.Struct) or types.has_unnamed(element) or "volatile" in quals:
        return []
    found = []
    for name in types.members(element):
        type_ = types.member(element, name)
        target = type_.type if isinstance(type_, c_ast.PtrDecl) else None
        names = getattr(getattr(target, "type", None), "names", None)
        if isinstance(target, c_ast.TypeDecl) and names == ["char"]:
            found.append(name)
    return found


def _member_of(node: c_ast.Node) -> tuple[str, str]:
    """`ops` and `name` for `ops[i].name`; empty texts for anything else."""
    if isinstance(node, c_ast.StructRef) and node.type == ".":
        element = node.name
        if isinstance(element, c_ast.ArrayRef) and isinstance(element.name, c_ast.ID):
            return element.name.name, node.field.name
    return "", ""


def _changed(node: c_ast.Node) -> tuple[str, str]:
    """The member in which an lvalue lies."""
    while _member_of(node) == ("", ""):
        inner = getattr(node, "expr", None) if isinstance(node, c_ast.Cast) else None
        if isinstance(node, c_ast.ArrayRef | c_ast.StructRef):
            inner = node.name
        if inner is None:
            return "", ""
        node = inner
    return _member_of(node)


def _measured(node: c_ast.Node) -> str:
    """`sizeof ops`, `sizeof ops[0]`"""
    if isinstance(node, c_ast.ArrayRef):
        node = node.name
    return node.name if isinstance(node, c_ast.ID) else ""
