"""What a statement's text declares and which names it holds: C as tokens, no more."""

from __future__ import annotations

import re

from kfusion.source.lexer import Kind, Token, matching, tokenize

_DECLARATION = re.compile(
    r"(?:(?:static|const|volatile|unsigned|signed|struct|enum|union|register)\s+)*"
    r"[A-Za-z_]\w*(?:\s+(?:const|int|long|char|short|double))*[\s*]+(?:const\s+)?[A-Za-z_]"
)
_TYPE_HERE = re.compile(r"(?:(?:static|const|volatile)\s+)*(?:struct|union|enum)\s*\w*\s*\{")
_STATEMENT_WORDS = frozenset("return goto else case if for while do switch break continue".split())


def names_of(text: str) -> set[str]:
    """All identifiers of the text; members of structs are not among them."""
    tokens = tokenize(text)
    return {
        token.text
        for index, token in enumerate(tokens)
        if token.kind is Kind.NAME and not (index > 0 and tokens[index - 1].text in (".", "->"))
    }


def declared(text: str) -> list[str]:
    """Names that a declaration statement declares (none: it is no declaration)."""
    tokens = tokenize(text)
    if defines_type(text):
        opening = next(i for i, token in enumerate(tokens) if token.text == "{")
        close = matching(tokens, opening)
        return declared("struct type" + text[tokens[close].end :]) if close is not None else []
    if not tokens or tokens[0].text in _STATEMENT_WORDS or not _DECLARATION.match(text):
        return []
    names: list[str] = []
    depth, candidate, words, in_value = 0, "", 0, False
    for token in tokens:
        if token.text in ("(", "[", "{"):
            depth += 1
        elif token.text in (")", "]", "}"):
            depth -= 1
        elif depth == 0 and token.text in ("=", ",", ";"):
            if candidate and not in_value and (words > 1 or names):
                names.append(candidate)
            in_value = token.text == "="
            candidate = ""
        elif depth == 0 and token.kind is Kind.NAME and not in_value:
            candidate = token.text
            words += 1
    return names


def defines_type(text: str) -> bool:
    """`struct { float f, g; } p;`"""
    return _TYPE_HERE.match(text) is not None


def without_declarators(text: str, unused: set[str]) -> str:
    """`int a = 1, b = 2;` without some of its names (never without all)."""
    cuts = [t for t in _top_level(text) if t.text in (",", ";")]
    first = text.index(declared(text)[0])
    while first > 0 and text[first - 1] == "*":
        first -= 1
    starts = [first, *(c.end for c in cuts[:-1])]
    kept = [
        text[start : cut.start].strip()
        for start, cut in zip(starts, cuts, strict=True)
        if not _declarator_name(text[start : cut.start]) & unused
    ]
    assert kept
    return text[:first] + ", ".join(kept) + text[cuts[-1].start :]


def declarators(text: str) -> tuple[str, list[tuple[str, str, str]]] | None:
    """`int `, and name, text and value of each `*a = 1`; None: it is no simple declaration."""
    names = declared(text)
    tokens = _top_level(text)
    if not names or defines_type(text) or not tokens or tokens[0].text in ("static", "extern"):
        return None
    cuts = [t for t in tokens if t.text in (",", ";")]
    first = text.index(names[0], tokens[1].start if len(tokens) > 1 else 0)
    while first > 0 and text[first - 1] == "*":
        first -= 1
    starts = [first, *(c.end for c in cuts[:-1])]
    listed: list[tuple[str, str, str]] = []
    for start, cut in zip(starts, cuts, strict=True):
        own = text[start : cut.start].strip()
        match = re.fullmatch(r"\**\s*(?:const\s+)?([A-Za-z_]\w*)(?:\s*=\s*(.*))?", own, re.DOTALL)
        if match is None:
            return None
        listed.append((match.group(1), own, match.group(2) or ""))
    return (text[:first], listed) if [name for name, _, _ in listed] == names else None


def _declarator_name(text: str) -> set[str]:
    match = re.match(r"\s*\**\s*(?:const\s+)?([A-Za-z_]\w*)", text)
    return {match.group(1)} if match else set()


def _top_level(text: str) -> list[Token]:
    depth, result = 0, []
    for token in tokenize(text):
        if token.text in ("(", "[", "{"):
            depth += 1
        elif token.text in (")", "]", "}"):
            depth -= 1
        elif depth == 0:
            result.append(token)
    return result
