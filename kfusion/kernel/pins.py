"""What an analysis took from build options: conditions that the fused kernel stands under.

A kernel is read as one build sees it. Another build may define macros differently; the
fused kernel then must not exist. Each `#if` that decides about the kernel's text, and
each number that a macro of uncertain origin stands for, becomes a pin.
"""

from __future__ import annotations

import re
from collections.abc import Container

from kfusion.kernel.conditions import Block, Conditions
from kfusion.kernel.surroundings import definition_span, macros_of, words
from kfusion.kernel.types import type_macro
from kfusion.parse.sources import PREDEFINED
from kfusion.parse.unit import Function, Unit
from kfusion.source.dataclasses import dataclass
from kfusion.source.lexer import Kind, tokenize
from kfusion.source.protections import is_on, protection
from kfusion.source.text import Span

PINS = protection("pins", "other builds do not see a kernel that was proved for this one")

_PREDEFINED = frozenset(entry.split("=")[0] for entry in PREDEFINED)


@dataclass(frozen=True)
class Pins:
    conditions: tuple[str, ...]
    trouble: tuple[tuple[str, Span], ...] = ()  # what cannot be pinned


def find_pins(conditions: Conditions, functions: list[Function]) -> Pins:
    """Of a kernel, which comes first, and the helper functions that it reaches."""
    if not is_on(PINS):
        return Pins(())
    unit, name = conditions.unit, functions[0].name
    extents = [definition_span(unit, f) for f in functions if unit.in_main_file(f.node.decl)]
    names = {token.text for f in functions for token in words(unit, f)}
    macros = macros_of(unit, sorted(names))
    names |= macros
    found: list[str] = []
    for block in conditions.blocks:
        if conditions.is_include_guard(block) or not _decides(conditions, block, extents, names):
            continue
        pin = pin_of(conditions, block)
        if pin is None:
            message = f"this condition decides about {name}(), and a fused kernel cannot repeat it"
            return Pins((), ((message, conditions.span(block)),))
        found += pin
    for macro in sorted(macros - _PREDEFINED):
        value = conditions.integer(macro)
        if conditions.is_doubtful(macro) and not conditions.is_harmless(macro):
            message = f"the macro '{macro}' in {name}() depends on build options"
            return Pins((), ((message, _first_use(unit, functions, macro)),))
        if value is not None and (conditions.is_outside(macro) or conditions.is_conditional(macro)):
            found.append(f"{macro} == {value}")
    return Pins(tuple(dict.fromkeys(found)))


def written_out(
    conditions: Conditions, function: Function, symbols: Container[int]
) -> tuple[tuple[str, Span], ...]:
    """Macros that a fused kernel may have to write out, and that other builds may change.

    The head of a kernel is written anew, and so is a macro that names a variable which
    gets another name. `symbols` has the tokens that name variables.
    """
    unit = conditions.unit
    if not is_on(PINS):
        return ()
    for index in range(function.first, function.body.last):
        token = unit.tokens[index]
        head = index < function.body.first and type_macro(unit, index) is None
        if token.macro is None or not (head or (index in symbols and token.start < 0)):
            continue
        span = Span(unit.source, *token.macro)
        names = [t.text for t in tokenize(" " + span.text) if t.kind is Kind.NAME]
        for macro in sorted(macros_of(unit, names)):
            if conditions.is_doubtful(macro):
                message = f"the macro '{macro}' in {function.name}() depends on build options"
                return ((message, span),)
    return ()


def _first_use(unit: Unit, functions: list[Function], macro: str) -> Span:
    for function in functions:
        for token in words(unit, function):
            if macro in macros_of(unit, [token.text]):
                return Span(unit.source, token.start, token.end)
    return definition_span(unit, functions[0])


def _decides(conditions: Conditions, block: Block, extents: list[Span], names: set[str]) -> bool:
    """Does the block enclose the text, stand in it, or define a name that it uses?"""
    if any(block.start < e.end and e.start < block.end for e in extents):
        return True
    # Macros that it defines do not count: numbers are pinned by their values, and types
    # change the fused kernel and its components alike.
    return bool((conditions.names(block) - _COMMON) & names)


_COMMON = frozenset(
    "kernel __kernel global __global local __local constant __constant private __private const "
    "void static inline typedef struct union enum unsigned signed char short int long float "
    "double half bool uchar ushort uint ulong size_t volatile restrict extern".split()
)


def pin_of(conditions: Conditions, block: Block) -> list[str] | None:
    """The condition under which the same branch is taken; None if none can be written."""
    if conditions.is_left_out(block):
        return []  # the block around it is pinned
    taken = conditions.taken(block)
    if taken is None or _moved(conditions, block):
        return None
    if all(_is_certain(conditions, name) for name in _tested(block)):
        return []
    before = [f"!({b.condition})" for b in block.branches[:taken]]
    if taken < len(block.branches) and block.branches[taken].condition != "1":
        return [*map(_tidy, before), _tidy(f"({block.branches[taken].condition})")]
    return [_tidy(condition) for condition in before]


def _tidy(condition: str) -> str:
    """`!(!defined(X))` as `defined(X)`, `(defined(X))` without brackets."""
    match = re.fullmatch(r"(!?)\((!?)(defined\(\w+\))\)", condition)
    if match is None:
        return condition
    return ("!" if match.group(1) != match.group(2) else "") + match.group(3)


def _tested(block: Block) -> set[str]:
    return {
        token.text
        for branch in block.branches
        for token in tokenize(" " + branch.condition)
        if token.kind is Kind.NAME and token.text != "defined"
    }


def _moved(conditions: Conditions, block: Block) -> bool:
    """A tested macro means something else at the end of the file."""
    unit: Unit = conditions.unit
    line = conditions.line(block.start)
    for name in macros_of(unit, sorted(_tested(block))) | _tested(block):
        here, there = unit.macros.at(name, line), unit.macros.at_end(name)
        if (here and here.definition) != (there and there.definition):
            return True
    return False


def _is_certain(conditions: Conditions, name: str) -> bool:
    """Defined by the file itself, and unconditionally."""
    known = name in conditions.unit.macros.in_file
    return known and not (conditions.is_outside(name) or conditions.is_conditional(name))
