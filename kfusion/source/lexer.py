"""Tokens of C and OpenCL C text, before preprocessing, each with its offsets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from functools import lru_cache
from typing import NamedTuple, Protocol


class Kind(Enum):
    NAME = "name"
    NUMBER = "number"
    STRING = "string"
    PUNCTUATOR = "punctuator"
    DIRECTIVE = "directive"  # a whole preprocessor line as written, with what it goes on to


class Token(NamedTuple):  # quicker to make than a dataclass, and there are many
    kind: Kind
    text: str  # lines that go on are joined
    start: int
    end: int


# A comment to the end of the line goes on where the line does.
COMMENT = re.compile(r"/\*.*?\*/|//(?:\\[ \t]*\r?\n|[^\n])*", re.DOTALL)
_SPLICE = re.compile(r"\\\r?\n")  # a line that goes on
_TOKEN = re.compile(
    r"""
   (?: ( [ \t\r\n\f\v\ufeff]+ | \\\r?\n | //(?:[^\n\\]|\\(?:\r?\n|.))* | /\*.*?\*/ )
     | ( (?:L|u8|u|U)?  (?: "(?:[^"\\\n]|\\(?:\r?\n|.))*" | '(?:[^'\\\n]|\\(?:\r?\n|.))*' ) )
     | ( [A-Za-z_$](?:[A-Za-z0-9_$]|\\\r?\n(?=[A-Za-z0-9_$]))* )
     | ( \.?[0-9](?:[eEpP][+-]|[A-Za-z0-9_.]|\\\r?\n(?=[A-Za-z0-9_.]))* )
     | ( \.\.\. | <<= | >>= | -> | \+\+ | -- | << | >> | <= | >= | == | != | && | \|\|
       | [-+*/%&|^]= | \#\# | . ) )
   [ ]*
    """,
    re.VERBOSE | re.DOTALL,
)
_DIRECTIVE = re.compile(
    r"""\#(?: [^\n\\/"'] | \\(?:\r?\n|.) | //(?:[^\n\\]|\\(?:\r?\n|.))* | /\*.*?\*/
           | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' | [/"'] )*""",
    re.VERBOSE | re.DOTALL,
)
_BLANKED = re.compile(
    r"""//.*|/\*.*?\*/|\\\r?\n|\r?\n|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'""", re.DOTALL
)
# By the groups of the expression above; the first is white space and comments.
_KINDS = (None, None, Kind.STRING, Kind.NAME, Kind.NUMBER, Kind.PUNCTUATOR)
_new = tuple.__new__  # without the function of Token, which takes half of the time


@lru_cache(maxsize=1024)  # files, bodies of macros and functions are asked for again and again
def tokenize(text: str) -> tuple[Token, ...]:
    """All tokens; comments and white space are left out, odd characters are punctuators."""
    tokens: list[Token] = []
    position, at_line_start = 0, True
    while position < len(text):
        for match in _TOKEN.finditer(text, position):
            kind, start = _KINDS[match.lastindex or 0], match.start()
            word = text[start : match.end(match.lastindex or 0)]
            if kind is not None and not (at_line_start and word[0] == "#"):
                end = start + len(word)
                if "\\" in word:
                    word = _SPLICE.sub("", word)
                tokens.append(_new(Token, (kind, word, start, end)))
                at_line_start = False
            elif kind is not None:
                directive = _DIRECTIVE.match(text, start)
                assert directive is not None
                tokens.append(Token(Kind.DIRECTIVE, directive.group(), *directive.span()))
                position, at_line_start = directive.end(), False
                break
            elif word[0] not in "/\\" and "\n" in word:
                at_line_start = True
        else:
            break
    return tuple(tokens)


def names_in(text: str) -> list[str]:
    """The names in a text."""
    return [token.text for token in tokenize(" " + text) if token.kind is Kind.NAME]


def joined(text: str) -> str:
    """The text with no token on two lines: `"one\\` and `two"` may not be indented."""
    if "\\" not in text:
        return text
    for token in reversed(tokenize(text)):
        if token.kind is not Kind.DIRECTIVE and "\n" in text[token.start : token.end]:
            text = text[: token.start] + token.text + text[token.end :]
    return text


def one_line(text: str) -> str:
    """The tokens on one line, without comments; white space in literals stays."""
    result, end = "", 0
    for token in tokenize(text):
        result += " " * (token.start > end > 0) + token.text
        end = token.end
    return result


def plain_directive(token: Token) -> str:
    """A preprocessor line with blanks for its comments and line ends: offsets stay."""
    return _BLANKED.sub(
        lambda m: m.group() if m.group()[0] in "\"'" else " " * len(m.group()), token.text
    )


OPENING = {"(": ")", "[": "]", "{": "}"}
CLOSING = {")", "]", "}"}


class Written(Protocol):
    """A token, before or after preprocessing."""

    @property
    def text(self) -> str: ...


def matching(tokens: Sequence[Written], index: int) -> int | None:
    """The index of the bracket that closes the one at `index`; other kinds are not counted."""
    if index >= len(tokens) or tokens[index].text not in OPENING:
        return None
    opening, closing = tokens[index].text, OPENING[tokens[index].text]
    depth = 0
    for position in range(index, len(tokens)):
        text = tokens[position].text
        if text == opening:
            depth += 1
        elif text == closing:
            depth -= 1
            if depth == 0:
                return position
    return None


def closing_round(tokens: Sequence[Written], opening: int) -> int | None:
    """Where a round bracket is closed; None: none opens there, or it stays open."""
    opens = opening < len(tokens) and tokens[opening].text == "("
    return matching(tokens, opening) if opens else None


def between_commas(tokens: Sequence[Written], opening: int, closing: int) -> list[range]:
    """What stands between the commas of a bracket; commas in inner brackets do not count."""
    parts, start, depth = [], opening + 1, 0
    for index in range(opening + 1, closing):
        text = tokens[index].text
        depth += (text in OPENING) - (text in CLOSING)
        if text == "," and depth == 0:
            parts.append(range(start, index))
            start = index + 1
    return [*parts, range(start, closing)]
