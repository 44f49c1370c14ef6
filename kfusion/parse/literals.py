"""Strings of C source as the bytes that the compiler makes of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from kfusion.parse.preprocess import PToken
from kfusion.source.dataclasses import dataclass
from kfusion.source.text import bytes_of

_STRING = re.compile(r'(L|u8|u|U)?"(.*)"', re.DOTALL)
_RAW_STRING = re.compile(r'(L|u8|u|U)?R"([^()\\\s]{0,16})\((.*)\)\2"', re.DOTALL)
_ESCAPE = re.compile(
    r"\\(?: ([0-7]{1,3}) | x([0-9a-fA-F]+) | u([0-9a-fA-F]{4}) | U([0-9a-fA-F]{8}) | (.) )",
    re.VERBOSE | re.DOTALL,
)
_CONTROL = {"a": 7, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, "e": 27}
_SHORT = {ord("\n"): "\\n", ord("\t"): "\\t", ord('"'): '\\"', ord("\\"): "\\\\"}
_INTEGER = re.compile(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+)[uUlL]*")


@dataclass(frozen=True)
class Literal:
    """Neighbouring string literals, which the compiler puts together."""

    data: bytes  # without the NUL at the end
    first: int  # the tokens
    last: int


def string_literals(tokens: Sequence[PToken]) -> Iterator[Literal]:
    """All strings of plain characters, in the order of the text."""
    index = 0
    while index < len(tokens):
        if tokens[index].text[-1] != '"':
            index += 1
            continue
        end = _strings_end(tokens, index)
        found = literal_at(tokens, index)
        if found is not None:
            yield found
        index = end


def literal_at(tokens: Sequence[PToken], first: int) -> Literal | None:
    """The string that starts at a token; None for one of wide characters."""
    end = _strings_end(tokens, first)
    parts = [decoded(tokens[index].text) for index in range(first, end)]
    known = [part for part in parts if part is not None]
    if not parts or len(known) < len(parts):
        return None
    return Literal(b"".join(known), first, end - 1)


def listed_literals(tokens: Sequence[PToken]) -> Iterator[Literal]:
    """Arrays of strings, joined, and arrays of bytes: what stands in braces behind `]` or `] =`.

    An array of bytes begins at its name.
    """
    for index, token in enumerate(tokens):
        if token.text != "{" or index < 3:
            continue
        before = index - 1 if tokens[index - 1].text != "=" else index - 2
        if tokens[before].text != "]" or index + 1 >= len(tokens):
            continue
        if tokens[index + 1].text[-1] == '"':
            found = _listed_strings(tokens, index + 1)
        else:
            found = _listed_bytes(tokens, index + 1)
            while found is not None and before > 0 and tokens[before].text != "[":
                before -= 1
            found = replace(found, first=before - 1) if found is not None else None
        if found is not None:
            yield found


def _listed_strings(tokens: Sequence[PToken], index: int) -> Literal | None:
    """`"a\\n", "b\\n" }`, two at least."""
    pieces: list[Literal] = []
    while index < len(tokens) and tokens[index].text[-1] == '"':
        piece = literal_at(tokens, index)
        if piece is None:
            return None
        pieces.append(piece)
        index = piece.last + 1
        index += index < len(tokens) and tokens[index].text == ","
    whole = index < len(tokens) and tokens[index].text == "}"
    if not whole or len(pieces) < 2:
        return None
    return Literal(b"".join(piece.data for piece in pieces), pieces[0].first, index)


def _listed_bytes(tokens: Sequence[PToken], index: int) -> Literal | None:
    """`0x6b, -1, 'c', 0 }`"""
    data, sign, first = bytearray(), 1, index
    while index < len(tokens) and tokens[index].text != "}":
        text = tokens[index].text
        if text == "-":
            sign = -1
        elif text != ",":
            value = integer(text)
            if value is None:
                return None
            data.append(sign * value & 255)
            sign = 1
        index += 1
    return Literal(bytes(data), first, index)


def _strings_end(tokens: Sequence[PToken], index: int) -> int:
    while index < len(tokens) and tokens[index].text[-1] == '"':
        index += 1
    return index


def decoded(literal: str) -> bytes | None:
    """The bytes of one literal in quotes; None for wide characters."""
    raw = _RAW_STRING.fullmatch(literal)
    if raw is not None:
        return bytes_of(raw.group(3)) if raw.group(1) in (None, "u8") else None
    found = _STRING.fullmatch(literal)
    if found is None or found.group(1) not in (None, "u8"):
        return None
    return unescaped(found.group(2))


def unescaped(text: str) -> bytes:
    pieces: list[bytes] = []
    position = 0
    for escape in _ESCAPE.finditer(text):
        pieces += [bytes_of(text[position : escape.start()]), _character(escape)]
        position = escape.end()
    return b"".join([*pieces, bytes_of(text[position:])])


def _character(escape: re.Match[str]) -> bytes:
    octal, hexadecimal, short, long, other = escape.groups()
    if octal or hexadecimal:
        number = int(octal, 8) if octal else int(hexadecimal, 16)
        return bytes([number & 255])
    if short or long:
        return chr(min(int(short or long, 16), 0x10FFFF)).encode(errors="replace")
    return bytes([_CONTROL[other]]) if other in _CONTROL else bytes_of(other)


def integer(text: str) -> int | None:
    """The value of an integer constant, or of a plain character constant."""
    if len(text) > 2 and text[0] == text[-1] == "'":
        data = unescaped(text[1:-1])
        return data[0] if len(data) == 1 else None
    found = _INTEGER.fullmatch(text)
    if found is None:
        return None
    digits = found.group(1)
    if digits[:1] == "0" and digits.isdigit():
        return int(digits, 8) if re.fullmatch("[0-7]+", digits) else None
    return int(digits, 0)


def c_string(text: str) -> str:
    """A string literal of C for the text, in characters that all compilers read alike."""
    escaped = "".join(map(_escaped, bytes_of(text)))
    return '"' + re.sub(r"\?(?=\?)", r"?\\", escaped) + '"'  # or they would be trigraphs


def _escaped(byte: int) -> str:
    if byte in _SHORT:
        return _SHORT[byte]
    return chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"
