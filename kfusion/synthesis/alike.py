"""When are two fused kernels one? If they differ only in what their own variables are called.

In: a fused kernel, and the files of its components. Out: its text as tokens, each of its own
variables as the number of the place where it first comes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import pairwise

from kfusion.kernel.surroundings import macros_of
from kfusion.parse.macros import Macro
from kfusion.parse.unit import Unit
from kfusion.source.lexer import Kind, names_in, tokenize
from kfusion.source.protections import is_on, protection
from kfusion.synthesis.model import FusedKernel
from kfusion.synthesis.names import is_reserved
from kfusion.synthesis.several import ITEM

OWN_NAMES = protection("own-names", "names of the file are taken for variables of a kernel")

_NO_TYPES = frozenset("return else do case goto sizeof struct union enum".split())
_BEFORE_OTHERS = frozenset(". -> struct union enum goto".split())  # no variable stands behind


def but_for_names(
    kernel: FusedKernel, units: Iterable[Unit], outside: Collection[str]
) -> tuple[str, ...]:
    """`outside`: what the files of kernels give a meaning outside of function bodies."""
    tokens = tokenize(kernel.text)  # comments, which quote the launches, are none
    macros = [each for unit in units for each in _macros(unit, [token.text for token in tokens])]
    called = {macro.name for macro in macros}
    plain = [_is_plain(kernel.text, called)]
    # A body that begins with `#` is no directive.
    plain += [_is_plain(f"; {m.body}", called.union(m.parameters or ())) for m in macros]
    if is_on(OWN_NAMES) and not all(plain):
        return tuple(token.text for token in tokens)
    no_types = _NO_TYPES.union(macro.name for macro in macros)
    declared = {parameter.name for parameter in kernel.parameters}
    for type_, name in pairwise(tokens):
        if type_.kind is name.kind is Kind.NAME and type_.text not in no_types:
            declared.add(name.text)
    if is_on(OWN_NAMES):
        declared -= {kernel.name, kernel.name + ITEM, *outside}
        directives = [t.text.replace("#", " ") for t in tokens if t.kind is Kind.DIRECTIVE]
        for text in (*directives, *map(_body, macros)):  # these keep their names there
            declared -= set(names_in(text))
    own = {name for name in declared if not is_reserved(name)}
    places: dict[str, str] = {}
    texts: list[str] = []
    for before, token in pairwise([None, *tokens]):
        assert token is not None
        is_member = before is not None and before.text in (".", "->")
        if token.kind is Kind.NAME and token.text in own and not is_member:
            texts.append(places.setdefault(token.text, f"#{len(places)}"))
        else:
            texts.append(token.text)
    return tuple(texts)


def _is_plain(text: str, open_names: Collection[str]) -> bool:
    """Does each name in it stay what it is, a variable or none, when macros are expanded?"""
    for before, token in pairwise(tokenize(f"{text}\n;")):
        if before.text in _BEFORE_OTHERS:
            if token.kind is not Kind.NAME or token.text in open_names:
                return False
        elif before.kind is Kind.PUNCTUATOR and "#" in before.text:
            return False
    return True


def _macros(unit: Unit, names: list[str]) -> list[Macro]:
    """Those among the names, and those that they lead to."""
    history = unit.macros.history
    listed = [macro for name in macros_of(unit, names) for _, macro in history[name]]
    return [macro for macro in listed if macro is not None]


def _body(macro: Macro) -> str:
    """But for its own parameters."""
    return " ".join(n for n in names_in(macro.body) if n not in (macro.parameters or ()))
