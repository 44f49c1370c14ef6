"""A last look at the text of a fused function: one launch, and of the fused kernel alone."""

from __future__ import annotations

from collections.abc import Sequence

from kfusion.host.calls import LAUNCHES
from kfusion.host.program import HostProgram
from kfusion.parse.macros import arguments
from kfusion.parse.unit import Unit
from kfusion.regenerate.pieces import CannotWriteError
from kfusion.source.lexer import Kind, Token, tokenize

OWN_LAUNCH = "kfusion_launch"  # of the generated header
_KERNEL_AT = {"clSetKernelArg": 0, "clEnqueueNDRangeKernel": 1, OWN_LAUNCH: 3}
_LAUNCHES = LAUNCHES | {OWN_LAUNCH}
_CALLS = frozenset([*_KERNEL_AT, *LAUNCHES])


def check_body(
    text: str, fused: str, units: Sequence[Unit], program: HostProgram, variables: set[str]
) -> None:
    """Refuse a body that sets arguments of an original kernel, or launches one, or twice.

    `variables` are the body's own: functions of their names are called, or not meant.
    """
    tokens = tokenize(text)
    launches = 0
    for position, token in enumerate(tokens):
        if token.kind is not Kind.NAME:
            continue
        called = [t.text for t in tokens[position + 1 : position + 2]] == ["("]
        functions = called or token.text not in variables
        reached = _reached(token.text, units, program, functions)
        if not reached:
            continue
        launches += bool(reached & _LAUNCHES)
        if not _is_of(tokens, position, fused):
            raise CannotWriteError(
                f"'{token.text}' would still be called for the kernel of one function"
            )
    if launches != 1:
        raise CannotWriteError("the launch cannot be told from what stands around it")


def _is_of(tokens: Sequence[Token], position: int, fused: str) -> bool:
    """Is the call one for the fused kernel?"""
    ranges = arguments(tokens, position + 1)
    given = [[t.text for t in tokens[a:b]] for a, b in ranges or []]
    at = _KERNEL_AT.get(tokens[position].text)
    if at is None:  # a macro
        return [fused] in given
    return at < len(given) and given[at] == [fused]


def _reached(
    name: str, units: Sequence[Unit], program: HostProgram, functions: bool
) -> frozenset[str]:
    """The calls that a name stands for: itself, what a macro or a function makes."""
    if name in _CALLS:
        return frozenset([name])
    waiting, seen = [name], {name}
    found: set[str] = set()
    while waiting:
        word = waiting.pop()
        function = program.functions.get(word) if functions or word != name else None
        if function is not None:
            found |= program.calls(function) & _CALLS
        for unit in units:
            macro = unit.macros.at_end(word)
            if macro is None:
                continue
            words = {t.text for t in tokenize(" " + macro.body) if t.kind is Kind.NAME} - seen
            found |= words & _CALLS
            seen |= words
            waiting += words
    return frozenset(found)
