"""What surrounds a kernel in its file: pragmas in force, macros, required group sizes."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from functools import lru_cache

from kfusion.kernel.model import Pragmas
from kfusion.parse.macro_calls import expanded
from kfusion.parse.macros import Macro
from kfusion.parse.unit import Function, Unit
from kfusion.source.lexer import Kind, Token, closing_round, names_in, tokenize
from kfusion.source.text import Span

_EXTENSION = re.compile(r"#pragma\s+OPENCL\s+EXTENSION\s+(\w+)\s*:\s*(\w+)")
_CONTRACT = re.compile(r"#pragma\b.*\bfp_?\s*contract\b\s*(.*)", re.IGNORECASE)
# Those that say nothing of what the code around them computes.
_HARMLESS = re.compile(
    r"#pragma\s+(once|message|warning|mark|region|endregion|(clang|GCC)\s+(diagnostic|"
    r"system_header)|OPENCL\s+EXTENSION)\b"
)
# Those that belong to the loop that follows, wherever that stands.
_OF_A_LOOP = re.compile(r"#pragma\s+(nounroll|unroll|ivdep|clang\s+loop|GCC\s+(unroll|ivdep))\b")
# What is repeated on the fused kernel, hints, and promises about parameters.
_ATTRIBUTES = frozenset(
    "reqd_work_group_size work_group_size_hint vec_type_hint nosvm max_constant_size always_inline "
    "noinline flatten hot cold unused used".split()
)
_PLACED = frozenset(("__LINE__", "__COUNTER__", "__func__", "__FUNCTION__"))
# Constants are macros of others in the headers of compilers: NAN is as_float(INT_MAX).
_OF_PARTS = re.compile(r"NAN|INFINITY|HUGE_VALF?|CHAR_(?:MAX|MIN)")
PARTS = re.compile(r"as_\w+|(?:S|U)?(?:CHAR|SHRT|INT|LONG)_(?:MAX|MIN|BIT)|__builtin_\w+")
_REQUIRED = re.compile(r"reqd_work_group_size\W+\(?\s*(.*?)\s*\)")


def pragmas_at(unit: Unit, index: int) -> Pragmas:
    """In force at a token; those inside other functions have ended."""
    contract, enabled, others = "", set[str](), list[str]()
    for position, text in _pragmas(unit):
        if position >= index:
            break
        found = _CONTRACT.match(text)
        if found:
            contract = found.group(1).strip("() ")
        extension = _EXTENSION.match(text)
        if extension and extension.group(2) in ("enable", "require", "warn"):
            enabled.add(extension.group(1))
        elif extension:
            enabled.discard(extension.group(1))
        elif not found and not _HARMLESS.match(text):
            others.append(" ".join(text.split()))
    return Pragmas(contract, frozenset(enabled), tuple(others))


@lru_cache(maxsize=16)
def _pragmas(unit: Unit) -> list[tuple[int, str]]:
    """The pragmas outside of functions, by token."""
    found = [(n, t.text) for n, t in enumerate(unit.tokens) if t.text.startswith("#pragma")]
    bodies = [f.body for listed in unit.definitions.values() for f in listed]
    return [(n, t) for n, t in found if not any(b.first < n < b.last for b in bodies)]


def says_nothing(pragma: str) -> bool:
    """Of what stands behind it, or only of the loop that does."""
    text = re.sub(r"^#\s*", "#", pragma)
    return any(known.match(text) for known in (_HARMLESS, _OF_A_LOOP))


def pragmas_of(unit: Unit, function: Function) -> Pragmas:
    outside = pragmas_at(unit, function.first)
    for token in unit.tokens[function.body.first : function.body.last]:
        found = _CONTRACT.match(token.text)
        if found:
            # In force for this body only: nothing at the end of the file equals it.
            inside = f"{found.group(1).strip('() ')} inside the kernel"
            return replace(outside, contract=inside)
    return outside


def placed_pragmas(unit: Unit, function: Function) -> tuple[tuple[str, Span], ...]:
    """Pragmas of a kernel's body that mean another thing, or nothing, further down in one."""
    found: list[tuple[str, Span]] = []
    for index in range(function.body.first, function.body.last):
        if not unit.tokens[index].text.startswith("#pragma"):
            continue
        text = " ".join(unit.tokens[index].text.split())
        known = (_HARMLESS, _OF_A_LOOP, _CONTRACT)  # FP_CONTRACT is compared by itself
        if not any(p.match(text) for p in known):
            message = f"'{text}' in {function.name}() would not stand alike in a fused kernel"
            found.append((message, unit.span(index, index)))
    return tuple(found)


def required_size(unit: Unit, function: Function) -> tuple[str, ...] | None:
    for note in unit.notes_between(function.first, function.body.first):
        found = _REQUIRED.search(note.text)
        if found:
            return tuple(part.strip() for part in found.group(1).split(","))
    return None


def unknown_attribute(unit: Unit, function: Function) -> str | None:
    """An attribute of the kernel that may matter, such as a required sub-group size."""
    for note in unit.notes_between(function.first, function.body.first):
        for name in _listed(note.text) if note.text.startswith("__attr") else ():
            if name.strip("_") not in _ATTRIBUTES:
                return name
    return None


def _listed(text: str) -> list[str]:
    """The names in `__attribute__((a(4), b))`, without what stands behind them in brackets."""
    depth, found = 0, list[str]()
    for word in text.split():
        depth += (word == "(") - (word == ")")
        if depth == 2 and word not in "(),":
            found.append(word)
    return found


def definition_span(unit: Unit, function: Function) -> Span:
    """From the first word of the definition, `kernel` included, to its closing brace."""
    start, end = unit.range(function.first, function.body.last)
    notes = unit.notes_between(function.first, unit.index(function.node.decl))
    return Span(unit.source, min([start, *(n.start for n in notes if n.start >= 0)]), end)


@lru_cache(maxsize=1024)
def words(unit: Unit, function: Function) -> list[Token]:
    """The names in the definition's text, as written."""
    span = definition_span(unit, function)
    return [
        Token(t.kind, t.text, t.start + span.start, t.end + span.start)
        for t in tokenize(span.text)
        if t.kind is Kind.NAME
    ]


def macros_of(unit: Unit, names: list[str]) -> frozenset[str]:
    """The macros among the names, and those that their definitions use."""
    found: set[str] = set()
    todo = list(names)
    while todo:
        name = todo.pop()
        if name in found or name not in unit.macros.history:
            continue
        found.add(name)
        for _, macro in unit.macros.history[name]:
            if macro is not None:
                todo += names_in(macro.body)
    return frozenset(found)


def made_of(name: str, macros: Collection[str]) -> frozenset[str]:
    """Those of the macros that a constant of the language may be made of."""
    if _OF_PARTS.fullmatch(name) is None:
        return frozenset()
    return frozenset(each for each in macros if PARTS.fullmatch(each) and each != name)


@lru_cache(maxsize=1024)
def _reached(unit: Unit, name: str) -> frozenset[str]:
    """The name, and those in the definitions that it leads to."""
    bodies = (
        macro.body
        for used in macros_of(unit, [name])
        for _, macro in unit.macros.history[used]
        if macro is not None
    )
    return frozenset([name, *(t.text for body in bodies for t in tokenize(" " + body))])


def called_twice(unit: Unit, function: Function) -> tuple[tuple[str, Span], ...]:
    """Macro calls that give the name of another macro, which the brackets behind them call:
    `OP(neg)(x)`. No text would replace all of that."""
    span = definition_span(unit, function)
    tokens = tokenize(span.text)

    def macro_at(token: Token) -> Macro | None:
        return unit.macros.at(token.text, unit.source.location(span.start + token.start).line)

    found: list[tuple[str, Span]] = []
    index = 0
    while index < len(tokens):
        token = tokens[index]
        macro = macro_at(token) if token.kind is Kind.NAME else None
        end = closing_round(tokens, index + 1) if macro and macro.parameters is not None else None
        if end is None:
            index += 1
            continue
        called = [token for token in tokens[end + 1 : end + 2] if token.text == "("]
        last = expanded(tokens[index : end + 1], macro_at)[-1:] if called else []
        given = macro_at(last[0]) if last else None
        if given is not None and given.parameters is not None:
            what = f"the macro call '{token.text}(...)' gives the name of a macro that is called"
            place = Span(unit.source, span.start + token.start, span.start + tokens[end].end)
            found.append((what, place))
        index = end + 1
    return tuple(found)


def redefined(unit: Unit, function: Function) -> tuple[tuple[str, Span], ...]:
    """Macros that mean something else at the end of the file, with a use of each."""
    found: dict[str, Span] = {}
    for token in words(unit, function):
        line = unit.source.location(token.start).line
        for name in sorted(_PLACED & _reached(unit, token.text)):
            message = (
                f"'{name}' in {function.name}() has another value where a fused kernel would stand"
            )
            found.setdefault(message, Span(unit.source, token.start, token.end))
        parts = made_of(token.text, unit.macros.in_file)
        for name in macros_of(unit, [token.text]) | parts:
            here, there = unit.macros.at(name, line), unit.macros.at_end(name)
            if (here and here.definition) != (there and there.definition):
                message = (
                    f"the macro '{name}' in {function.name}() means something else at the end of "
                    "the file, where a fused kernel would stand"
                )
                found.setdefault(message, Span(unit.source, token.start, token.end))
    return tuple(found.items())
