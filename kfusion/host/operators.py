"""Parts of expressions that need no execution: operators, types, tables."""

from __future__ import annotations

from pycparser import c_ast

from kfusion.host.symbolic import (
    FALSE,
    LOST,
    TRUE,
    Entry,
    Literal,
    Made,
    Op,
    Phi,
    Place,
    Pointee,
    RealOp,
    Ref,
    Sym,
)

_INVERSE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def is_computed(pointer: Sym) -> bool:
    """Is it a pointer that may be another one: `p + n`, `c ? p : q`?"""
    return isinstance(pointer, Phi) or (
        isinstance(pointer, Op) and pointer.name not in (LOST, "part")
    )


def seen_otherwise(pointer: Sym) -> Sym:
    """A pointer to bytes of an object: what is known of its parts says nothing of them."""
    if isinstance(pointer, Ref):
        pointer = Ref(Place(pointer.place.root))
    return Op("(void *)", (pointer,))


def is_stable(pointer: Sym) -> bool:
    """Is it known on entry, or new, where the pointer points?"""
    return isinstance(pointer, Entry | Made | Ref)


def moved_by(place: Place, distance: int) -> Place | None:
    """The element of the same array that is so many further on."""
    if not place.path or not place.path[-1][1:-1].isdigit():
        return None
    position = int(place.path[-1][1:-1]) + distance
    return Place(place.root, (*place.path[:-1], f"[{position}]"))


ORDER = frozenset(["<", ">", "<=", ">="])
RELATIONS = ORDER | {"==", "!=", "&&", "||", "!"}


def truth_of(value: Sym) -> Sym:
    """1 or 0: whether the value is another one than 0."""
    if isinstance(value, Op) and value.name in RELATIONS:
        return value
    return value if value in (TRUE, FALSE) else Op("!=", (value, FALSE))


def has_effects(node: c_ast.Node) -> bool:
    """Is something changed, or called, where the expression is evaluated?"""
    if isinstance(node, c_ast.Assignment | c_ast.FuncCall):
        return True
    if isinstance(node, c_ast.UnaryOp) and node.op in ("++", "--", "p++", "p--"):
        return True
    return any(has_effects(child) for _, child in node.children())


def are_apart(one: Place, other: Place) -> bool:
    """Do the parts of one object have different addresses, and are not within each other?"""
    for step, also in zip(one.path, other.path, strict=False):
        if step.startswith("[?") or also.startswith("[?"):
            return False
        if step != also:
            return True
    return False


def chosen(condition: Sym, first: Sym, second: Sym) -> Sym:
    """`condition ? first : second`, as a condition where both are truths."""
    if first == second:
        return first
    if (first, second) == (TRUE, FALSE):
        return truth_of(condition)
    if (first, second) == (FALSE, TRUE):
        return truth_of(inverted(condition))
    if first == TRUE:
        return Op("||", (condition, second))
    if first == FALSE:
        return Op("&&", (inverted(condition), second))
    if second == TRUE:
        return Op("||", (inverted(condition), first))
    if second == FALSE:
        return Op("&&", (condition, first))
    return Op("?:", (condition, first, second))


def inverted(condition: Sym) -> Sym:
    """The condition that holds exactly when this one does not."""
    if isinstance(condition, Op):
        equality = condition.name in ("==", "!=")
        if isinstance(condition, RealOp):
            return Op("!", (condition,))
        if condition.name in _INVERSE and (
            equality or not any(isinstance(a, Literal) for a in condition.args)
        ):
            return Op(_INVERSE[condition.name], condition.args)
        if condition.name in ("&&", "||"):
            name = "||" if condition.name == "&&" else "&&"
            return Op(name, tuple(inverted(a) for a in condition.args))
        if condition.name == "!":
            return condition.args[0]
    return Op("!", (condition,))


def keyword_of(type_: c_ast.Node) -> str:
    return type(type_).__name__.lower()  # struct, union, enum


def is_sizeof(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.UnaryOp) and node.op == "sizeof"


def is_name(node: c_ast.Node, name: str) -> bool:
    return isinstance(node, c_ast.ID) and bool(node.name == name)


def is_named(pointer: Ref) -> bool:
    return not isinstance(pointer.place.root, Pointee)


def is_const(type_: c_ast.Node) -> bool:
    """Is the object itself constant? Not what it points to."""
    return "const" in (getattr(type_, "quals", None) or [])


def is_constant_table(declaration: c_ast.Decl) -> bool:
    """`static const ... t[]` or `const char *const t[]`."""
    node = declaration.type
    while isinstance(node, c_ast.ArrayDecl):
        node = node.type
    return is_const(node)


def is_pointer_type(node: c_ast.Node) -> bool:
    return isinstance(node.type, c_ast.PtrDecl | c_ast.ArrayDecl)


def type_text(node: c_ast.Node) -> str:
    from pycparser.c_generator import CGenerator

    return str(CGenerator().visit(node))
