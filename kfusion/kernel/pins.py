"""What an analysis took from build options: conditions that the fused kernel stands under.

A kernel is read as one build sees it. Another build may define macros differently; the
fused kernel then must not exist. Each `#if` that decides about the kernel's text, and
each number that a macro of uncertain origin stands for, becomes a pin.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from functools import lru_cache
from itertools import pairwise

from kfusion.kernel.branches import Block, Definition
from kfusion.kernel.conditions import GIVEN, PREDEFINED_NUMBERS, Conditions
from kfusion.kernel.surroundings import PARTS, definition_span, macros_of, words
from kfusion.kernel.types import type_macro
from kfusion.parse.unit import Function, Unit
from kfusion.source.dataclasses import dataclass
from kfusion.source.lexer import Kind, Token, names_in, tokenize
from kfusion.source.protections import is_on, protection
from kfusion.source.text import Span

PINS = protection("pins", "other builds do not see a kernel that was proved for this one")


@dataclass(frozen=True)
class Pins:
    conditions: tuple[str, ...]
    trouble: tuple[tuple[str, Span], ...] = ()  # what cannot be pinned
    left_open: frozenset[str] = frozenset()  # macros that may be another thing in other builds
    numbers: tuple[str, ...] = ()  # macros that are plain numbers, if options define them


def find_pins(conditions: Conditions, functions: list[Function]) -> Pins:
    """Of a kernel, which comes first, and the helper functions that it reaches."""
    if not is_on(PINS):
        return Pins(())
    unit, name = conditions.unit, functions[0].name
    extents = [definition_span(unit, f) for f in functions if unit.in_main_file(f.node.decl)]
    names = {name for f in functions for name in (f.name, *_names_in(conditions, f))}
    names |= _declaring(conditions)
    macros = conditions.with_pasted(macros_of(unit, sorted(names)))
    names |= macros
    found: list[str] = []
    if (message := _of_file(conditions)) is not None:
        return Pins((), ((message, definition_span(unit, functions[0])),))
    deciding = _deciding(conditions)
    for block in conditions.branches.blocks:
        decides = block in deciding or _decides(conditions, block, extents, names)
        if block.is_guard or not decides:
            continue
        pin = conditions.pin(block)
        if pin is None:
            message = f"this condition decides about {name}(), and a fused kernel cannot repeat it"
            return Pins((), ((message, block.span),))
        found += pin
    for span, place in conditions.branches.unseen:
        pin = conditions.leaves_out(place)
        if pin is None:
            message = f"what this directive brings may decide about {name}()"
            return Pins((), ((message, span),))
        found += pin
    defined = {each.name for each in conditions.branches.definitions}
    used = (macros - PREDEFINED_NUMBERS) | (names & defined)
    left_open: set[str] = set()
    numbers: set[str] = set()
    for macro in sorted(used):
        pins, is_outside = conditions.pins_of_macro(macro), conditions.is_outside(macro)
        is_told = is_outside and conditions.is_as_given(macro)
        if pins is not None:
            found += pins
        elif conditions.is_type(macro):
            if is_outside or conditions.is_conditional(macro):
                left_open.add(macro)
        elif is_told and (value := conditions.integer(macro)) is not None:
            found.append(f"{macro} == {value}")
            numbers.add(macro)  # `1 + 1` is equal, and twice as much is another number
        elif is_outside or conditions.is_conditional(macro) or conditions.is_of_compiler(macro):
            if is_told and conditions.is_harmless(macro):
                left_open.add(macro)
                numbers.add(macro)
                continue
            message = f"the macro '{macro}' in {name}() depends on build options"
            return Pins((), ((message, _first_use(unit, functions, macro)),))
    return Pins(tuple(dict.fromkeys(found)), (), frozenset(left_open), tuple(sorted(numbers)))


def _names_in(conditions: Conditions, function: Function) -> set[str]:
    """As they are written, in the kernel file or a header."""
    unit = conditions.unit
    first, last = unit.tokens[function.first], unit.tokens[function.body.last]
    header = conditions.branches.headers.get(first.file)
    if header is None:
        return {token.text for token in words(unit, function)}
    lines = header.text.split("\n")[first.line - 1 : last.line]
    return set(names_in("\n".join(lines)))


def given_macros(pins: Iterable[str]) -> list[str]:
    """Macros of which the pins ask whether the build options define them."""
    found = (re.findall(rf"\bdefined\({GIVEN}(\w+)\)", pin) for pin in pins)
    return list(dict.fromkeys(name for names in found for name in names))


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
    calls: dict[tuple[int, int], None] = {}
    for index in range(function.first, function.body.last):
        token = unit.tokens[index]
        head = index < function.body.first and type_macro(unit, index) is None
        if token.macro is not None and (head or (index in symbols and token.start < 0)):
            calls[token.macro] = None
    for span in (Span(unit.source, *call) for call in calls):
        for macro in sorted(macros_of(unit, names_in(span.text))):
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


def _of_file(conditions: Conditions) -> str | None:
    """Why no kernel of the file may be fused."""
    spoilt = next(filter(_is_spoilt, conditions.branches.definitions), None)
    if spoilt is not None:
        return f"'{spoilt.name}' is a macro in this file, and a fused kernel may need the word"
    for text in conditions.branches.texts:
        if "__COUNTER__" in text:
            return "'__COUNTER__' has another value where a fused kernel would stand"
        if _POISON.search(text) is not None:
            return "names are poisoned in this file, and a fused kernel may use them"
    return None


def _is_spoilt(definition: Definition) -> bool:
    """A word of the language that is a macro in any build."""
    name, body = definition.name, definition.text[len(definition.name) :].strip()
    same = f"__{name}" if name in _SPACES else name
    other = name in _SPACES | _WORDS and body != same
    return not definition.conditions and not definition.undefines and (name in _WRITTEN or other)


def _deciding(conditions: Conditions) -> frozenset[Block]:
    """Blocks that change any kernel of the file where it would stand at the end: by a pragma, or
    by a macro that has the name of something in the language."""
    found = [block for inner in conditions.branches.pragmas for block in inner.around]
    pragmas = _of_pragmas(conditions)
    for definition in conditions.branches.definitions:
        name = definition.name
        if conditions.is_of_language(name):  # any build has that number
            continue
        in_language = (
            name in _COMMON | _WRITTEN | _CALLED | _WORDS or PARTS.fullmatch(name) is not None
        )
        if in_language or not pragmas.isdisjoint(names_in(definition.text)):
            found += definition.conditions
    defined = frozenset(definition.name for definition in conditions.branches.definitions)
    for block in conditions.branches.blocks:
        text = block.file.text
        if not block.is_guard and any(
            block.start <= token.start < block.end and (token.text in pragmas or is_called)
            for token, is_called in _at_top(text, defined | pragmas)
        ):
            found += block.around
    return frozenset(found)


def _of_pragmas(conditions: Conditions) -> frozenset[str]:
    """Macros that may make a pragma, and the operator that does."""
    found = {"_Pragma"}
    texts = [(d.name, frozenset(names_in(d.text))) for d in conditions.branches.definitions]
    while more := {name for name, names in texts if not found.isdisjoint(names)} - found:
        found |= more
    return frozenset(found)


def _declaring(conditions: Conditions) -> set[str]:
    """Macros that may say which function the file declares: `NAME(float x) { ... }`."""
    defined = frozenset(definition.name for definition in conditions.branches.definitions)
    found = _at_top(conditions.unit.source.text, defined)
    return {token.text for token, is_called in found if is_called}


@lru_cache(maxsize=16)
def _at_top(text: str, names: frozenset[str]) -> tuple[tuple[Token, bool], ...]:
    """These names outside of all brackets, and whether brackets follow."""
    found: list[tuple[Token, bool]] = []
    depth = 0
    for token, behind in pairwise(tokenize(text) if names else ()):
        if token.kind is Kind.PUNCTUATOR:
            depth += (token.text in "([{") - (token.text in ")]}")
        elif depth == 0 and token.text in names:
            found.append((token, behind.text == "("))
    return tuple(found)


def _decides(conditions: Conditions, block: Block, extents: list[Span], names: set[str]) -> bool:
    """Does the block enclose the text, stand in it, or define a name that it uses?"""
    if any(block.file is e.file and block.start < e.end and e.start < block.end for e in extents):
        return True
    # Macros that it defines do not count: numbers are pinned by their values, and types
    # change the fused kernel and its components alike.
    return bool((conditions.names(block) - _COMMON) & names)


_POISON = re.compile(r"\b(?:GCC|clang)\s+poison\b")
# Words that a fused kernel is written with. Of macros that are called as the second ones other
# rooms know how to do without, but they have to be seen.
_WRITTEN = frozenset(
    "barrier get_global_id get_global_size get_local_id get_local_size get_work_dim "
    "get_num_groups CLK_LOCAL_MEM_FENCE CLK_GLOBAL_MEM_FENCE CLK_IMAGE_MEM_FENCE".split()
)
_CALLED = frozenset("clamp get_group_id max min".split())
_SPACES = frozenset("kernel global local constant private".split())
_WORDS = frozenset(
    "if else for while do return break continue void bool char uchar short ushort int uint long "
    "ulong float double half size_t __attribute__".split()
)
_COMMON = frozenset(
    "kernel __kernel global __global local __local constant __constant private __private const "
    "void static inline typedef struct union enum unsigned signed char short int long float "
    "double half bool uchar ushort uint ulong size_t volatile restrict extern".split()
)
