"""What calls of macros become, by their definitions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from kfusion.parse.macros import Macro, arguments
from kfusion.source.lexer import Kind, Token, tokenize

_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_MOST = 100_000  # tokens that a region is let grow to

MacroAt = Callable[[Token], Macro | None]


def expanded(
    tokens: Sequence[Token], macro_at: MacroAt, hidden: frozenset[str] = frozenset()
) -> list[Token]:
    """`macro_at`: the macro that a token names. What comes from a macro's body stands where the
    macro does. A macro whose call cannot be followed stays; so do the `hidden` ones."""
    result = list(tokens)
    active: list[tuple[str, int]] = []  # macros, and how many tokens stand behind what they made
    index = 0
    while index < len(result):
        while active and active[-1][1] >= len(result) - index:
            active.pop()
        macro = macro_at(result[index])
        inside = hidden.union(name for name, _ in active)
        made = None
        if macro is not None and macro.name not in inside and len(result) < _MOST:
            made = _called(result, index, macro, macro_at, inside)
        if macro is None or made is None:
            index += 1
            continue
        body, end = made
        active.append((macro.name, len(result) - end))
        result[index:end] = body
    return result


def _called(
    tokens: Sequence[Token], index: int, macro: Macro, macro_at: MacroAt, hidden: frozenset[str]
) -> tuple[list[Token], int] | None:
    """What a call makes, and where it ends."""
    body = _placed(macro.body, tokens[index])
    if macro.parameters is None:
        filled = _filled(body, {}, {})
        return None if filled is None else (filled, index + 1)
    if index + 1 == len(tokens) or tokens[index + 1].text != "(":
        return None
    ranges = arguments(tokens, index + 1)
    if ranges is None:
        return None
    end = (ranges[-1][1] if ranges else index + 2) + 1
    comma = Token(Kind.PUNCTUATOR, ",", tokens[index].start, tokens[index].end)
    parts = [list(tokens[first:last]) for first, last in ranges]
    given = _given(macro.parameters, parts, comma)
    if given is None:
        return None
    ready = {name: expanded(part, macro_at, hidden) for name, part in given.items()}
    filled = _filled(body, ready, given)
    return None if filled is None else (filled, end)


def _given(
    parameters: tuple[str, ...], parts: list[list[Token]], comma: Token
) -> dict[str, list[Token]] | None:
    """The arguments by the names of the parameters; `...` takes all that are left."""
    if parameters and parameters[-1].endswith("..."):
        named = len(parameters) - 1
        rest = [token for part in parts[named:] for token in (*part, comma)][:-1]
        parts = [*parts[:named], rest] if len(parts) >= named else parts
    elif len(parameters) == 1 and not parts:
        parts = [[]]
    if len(parts) != len(parameters):
        return None
    names = [name.removesuffix("...").strip() or "__VA_ARGS__" for name in parameters]
    return dict(zip(names, parts, strict=True))


def _filled(
    body: list[Token], given: Mapping[str, list[Token]], written: Mapping[str, list[Token]]
) -> list[Token] | None:
    """`written`: the arguments as they stand in the call; that is what `##` joins."""
    result: list[Token] = []
    index = 0
    joins = False  # with what is there so far
    while index < len(body):
        token = body[index]
        behind = body[index + 1].text if index + 1 < len(body) else ""
        if token.text == "," and behind == "##" and body[index + 2].text in given:
            rest = given[body[index + 2].text]  # `, ##__VA_ARGS__`, which takes the comma along
            result += [token, *rest] if rest else []
            index += 3
            continue
        if token.text == "#" and behind in given:
            part = [token._replace(kind=Kind.STRING, text='""')]
            index += 1
        elif token.text == "##":
            joins, index = True, index + 1
            continue
        elif token.text in ("#", "__VA_OPT__"):
            return None
        else:
            part = (written if joins or behind == "##" else given).get(token.text, [token])
        if joins and result and part:
            text = result[-1].text + part[0].text
            kind = Kind.NAME if _NAME.fullmatch(text) else Kind.NUMBER
            result[-1] = result[-1]._replace(kind=kind, text=text)
            part = part[1:]
        result += part
        joins, index = False, index + 1
    return result


def _placed(body: str, where: Token) -> list[Token]:
    spaced = tokenize(" " + body)  # else a leading `#` would be a directive
    return [token._replace(start=where.start, end=where.end) for token in spaced]
