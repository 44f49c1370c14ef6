"""Several functions in one scope: what one declares must not be what another means."""

from __future__ import annotations

import re
from dataclasses import replace

from pycparser import c_ast

from kfusion.parse.host import TYPEOF
from kfusion.parse.unit import descendants
from kfusion.regenerate.cwords import declared, names_of
from kfusion.regenerate.hidden import all_names, hidden_names
from kfusion.regenerate.parts import Part, own_types
from kfusion.regenerate.pieces import CannotWriteError, Piece

_PLAIN = re.compile(r"((?:\w+\s+)+\**|\w+\s*\*+\s*)(\w+)\s*(?:=\s*([^{].*))?;", re.DOTALL)


def hidden_in(part: Part, pieces: list[Piece]) -> set[str]:
    """Names that the pieces use by macros."""
    return set().union(*(hidden_names(p.text, part.unit.macros) for p in pieces))


def same_variable(piece: Piece, part: Part, earlier: list[Part]) -> bool:
    """May a declaration stand for one of an earlier function that has the same text?"""
    declarations = [_declaration(part, name) for name in declared(piece.text)]
    if any(d is None or _is_variable_array(d.type) for d in declarations):
        return False
    if all(d is not None and d.init is None for d in declarations):
        return not _held(earlier) & set(declared(piece.text))
    return all(d is not None and _is_fixed(d, part) for d in declarations)


def _declaration(part: Part, name: str) -> c_ast.Decl | None:
    """The one declaration of a variable that has the name in the new function."""
    body = part.run.function.function.node.body
    found = [
        node
        for node in descendants(body)
        if isinstance(node, c_ast.Decl) and part.names.get(node.name, node.name) == name
    ]
    return found[0] if len(found) == 1 else None


def _is_variable_array(type_: c_ast.Node) -> bool:
    """Has an array a size that is computed where it is declared?"""
    while isinstance(type_, c_ast.ArrayDecl):
        if any(isinstance(n, c_ast.ID | c_ast.FuncCall) for n in descendants(type_.dim)):
            return True
        type_ = type_.type
    return False


def _is_constant(type_: c_ast.Node) -> bool:
    """Is the object itself const? `const char *p` is a variable."""
    return isinstance(type_, c_ast.TypeDecl | c_ast.PtrDecl) and "const" in type_.quals


def _is_fixed(declaration: c_ast.Decl, part: Part) -> bool:
    """A constant whose value does not depend on when it is computed."""
    if declaration.init is None or not _is_constant(declaration.type):
        return False
    kinds = (c_ast.ID, c_ast.Constant, c_ast.BinaryOp, c_ast.UnaryOp, c_ast.TernaryOp, c_ast.Cast)
    of_types = (c_ast.Typename, c_ast.TypeDecl, c_ast.PtrDecl, c_ast.IdentifierType)
    for node in descendants(declaration.init):
        if not isinstance(node, kinds + of_types):
            return False
        if isinstance(node, c_ast.UnaryOp) and node.op not in ("-", "+", "~", "!", "sizeof"):
            return False
        if isinstance(node, c_ast.ID) and not _is_immutable(node.name, part):
            return False
    return True


def _is_immutable(name: str, part: Part) -> bool:
    """An enumerator, or a parameter or constant of the function that never changes."""
    if name not in part.run.frame.variables:
        return name in part.run.enumerators
    if any(name == p.name for p in part.run.function.parameters):
        return not any(name in step.writes for step in part.steps)
    own = _declaration(part, part.names.get(name, name))
    return own is not None and _is_fixed(own, part)


def _held(earlier: list[Part]) -> set[str]:
    """Variables that kernel arguments are set from at the launch of all."""
    return {part.names.get(n, n) for part in earlier for n in part.needed}


def shared(piece: Piece, known: str, earlier: list[Part]) -> Piece | None:
    """A variable that macros name has one declaration: here it gets its new value only.

    None: the two cannot be one variable.
    """
    here, there = _PLAIN.fullmatch(piece.text), _PLAIN.fullmatch(known)
    if here is None or there is None or here.group(1).split() != there.group(1).split():
        return None
    name, value = here.group(2), here.group(3)
    if {"static", "const", "volatile"} & set(here.group(1).split()):
        return None
    if name in _held(earlier):
        return None
    return replace(piece, text=f"{name} = {value};" if value else "")


def refuse_confusion(parts: list[Part], pieces: list[list[Piece]]) -> None:
    """No macro names what has a new name; no function sees a variable of another."""
    foreign: dict[str, str] = {}  # names of variables, and the function that declares them
    for part, own in zip(parts, pieces, strict=True):
        function = part.run.function.name
        for name in sorted(hidden_in(part, own)):
            if part.names.get(name, name) != name:
                raise CannotWriteError(f"the name '{name}' in {function} comes from a macro")
        variables = {part.names.get(n, n) for n in part.run.frame.variables}
        variables |= {n for step in part.steps for n in own_types(part, step)}
        used = set().union(*(all_names(p.text, part.unit.macros) for p in own))
        for name in sorted(used & foreign.keys() - variables):
            raise CannotWriteError(
                f"'{name}' is a variable of {foreign[name]}, and something else in {function}"
            )
        needed = {part.names.get(n, n) for n in part.needed}
        names = {n for p in own for n in declared(p.text)} - needed
        foreign.update(dict.fromkeys(names, function))


def refuse_undeclared(parts: list[Part], pieces: list[list[Piece]]) -> None:
    """No statement that stays uses a variable whose declaration goes."""
    there = {name for own in pieces for piece in own for name in declared(piece.text)}
    for part, own in zip(parts, pieces, strict=True):
        used = set().union(*(names_of(piece.text) for piece in own))
        for step in part.steps:
            for name in declared(part.span(step).text):
                if part.names.get(name, name) in used - there:
                    raise CannotWriteError(
                        f"'{name}' in {part.run.function.name} holds the status of a call that "
                        "is replaced, and is used",
                        part.span(step),
                    )


def refuse_own_types(parts: list[Part]) -> None:
    """`sizeof(item)` must be one size in all functions, with types of their own too."""
    for part in parts:
        _refuse_types_of_variables(part)
        own = [step for step in part.steps if own_types(part, step)]
        words = _words(part)
        if TYPEOF in words:
            raise CannotWriteError(
                f"{part.run.function.name} names a type by an expression",
                part.unit.node_span(part.run.function.function.node),
            )
        if words.count("typedef") > sum(
            part.unit.tokens[step.first].text == "typedef" for step in own
        ):
            raise CannotWriteError(
                f"{part.run.function.name} defines a type in a block",
                part.unit.node_span(part.run.function.function.node),
            )
        for name in sorted(n for step in own for n in own_types(part, step)):
            for other in parts:
                if name in _words(other) and _definition(part, name) != _definition(other, name):
                    raise CannotWriteError(
                        f"'{name}' is a type of {part.run.function.name}, and something else in "
                        f"{other.run.function.name}",
                        next(part.span(step) for step in own if name in own_types(part, step)),
                    )


def _refuse_types_of_variables(part: Part) -> None:
    """`struct item { ... } x;`: twice in one scope the type would be defined twice."""
    for node in descendants(part.run.function.function.node.body):
        type_ = node.type if isinstance(node, c_ast.Decl) and node.name else None
        while isinstance(type_, c_ast.PtrDecl | c_ast.ArrayDecl | c_ast.TypeDecl):
            type_ = type_.type
        tagged = isinstance(type_, c_ast.Struct | c_ast.Union) and type_.name and type_.decls
        if tagged or (isinstance(type_, c_ast.Enum) and type_.values is not None):
            raise CannotWriteError(
                f"{part.run.function.name} defines a type along with a variable",
                part.unit.node_span(node),
            )


def _words(part: Part) -> list[str]:
    body = part.run.function.function.body
    return [t.text for t in part.unit.tokens[body.first : body.last + 1]]


def _definition(part: Part, name: str) -> list[str]:
    return [
        part.unit.span(step.first, step.last).text
        for step in part.steps
        if name in own_types(part, step)
    ]
