"""Several functions in one scope: what one declares must not be what another means."""

from __future__ import annotations

import re
from dataclasses import replace

from kfusion.host.effects import Assign
from kfusion.regenerate.cwords import declared
from kfusion.regenerate.hidden import all_names, hidden_names
from kfusion.regenerate.parts import Part, own_types
from kfusion.regenerate.pieces import CannotWriteError, Piece
from kfusion.source.lexer import tokenize

_PLAIN = re.compile(r"((?:\w+\s+)+\**|\w+\s*\*+\s*)(\w+)\s*(?:=\s*([^{].*))?;", re.DOTALL)


def hidden_in(part: Part, pieces: list[Piece]) -> set[str]:
    """Names that the pieces use by macros."""
    return set().union(*(hidden_names(p.text, part.unit.macros) for p in pieces))


def same_variable(piece: Piece, earlier: list[Part]) -> bool:
    """May a declaration stand for one of an earlier function that has the same text?"""
    if piece.text.startswith("const ") and "=" in piece.text:
        return not _changed(earlier) & {token.text for token in tokenize(piece.text)}
    return "=" not in piece.text and not _held(earlier) & set(declared(piece.text))


def _held(earlier: list[Part]) -> set[str]:
    """Variables that kernel arguments are set from at the launch of all."""
    return {part.names.get(n, n) for part in earlier for n in part.needed}


def _changed(earlier: list[Part]) -> set[str]:
    """Names of the members and variables that statements which stay assign."""
    steps = [part.steps[index] for part in earlier for index in part.keep]
    places = [e.place for step in steps for e in step.effects if isinstance(e, Assign)]
    return {
        name
        for place in places
        for name in (getattr(place.root, "name", ""), *place.path)
        if name and not name.startswith("[")
    }


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


def refuse_own_types(parts: list[Part]) -> None:
    """`sizeof(item)` must be one size in all functions, with types of their own too."""
    for part in parts:
        own = [step for step in part.steps if own_types(part, step)]
        words = _words(part)
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


def _words(part: Part) -> list[str]:
    body = part.run.function.function.body
    return [t.text for t in part.unit.tokens[body.first : body.last + 1]]


def _definition(part: Part, name: str) -> list[str]:
    return [
        part.unit.span(step.first, step.last).text
        for step in part.steps
        if name in own_types(part, step)
    ]
