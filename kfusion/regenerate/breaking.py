"""Lines of generated C that are too long, broken where an author would break them.

    const size_t global[2] = {(a->columns + 15) / 16 * 16, (a->rows + 15) / 16 * 16};

becomes

    const size_t global[2] = {(a->columns + 15) / 16 * 16,
                              (a->rows + 15) / 16 * 16};

A line is broken behind a comma or in front of `||` and `&&`, within as few brackets as
possible; what follows stands under what the innermost of them begins with. Comments behind
statements, and lines without such a place, stay as they are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from kfusion.source.dataclasses import dataclass
from kfusion.source.lexer import CLOSING, OPENING, Kind, tokenize

LONGEST = 100
_TAB = 8


@dataclass(frozen=True)
class _Place:
    """Where a line may be broken."""

    depth: int  # brackets around it that are opened on the line
    end: int  # of what stays
    start: int  # of what goes on
    opening: int  # behind the innermost of those brackets; 0: there is none


def within_columns(lines: list[str], indent: str, written: Collection[str]) -> list[str]:
    """The lines, those broken that are too long; `written`: lines of the author's, as they are."""
    found: list[str] = []
    commented = False
    for line in lines:
        is_code = not commented and "//" not in line and "/*" not in line
        keep = not is_code or line.endswith("\\") or line.strip() in written
        found += [line] if keep else broken(line, indent)
        commented = line.rfind("/*") > line.rfind("*/") or (commented and "*/" not in line)
    return found


def broken(line: str, indent: str) -> list[str]:
    found: list[str] = []
    while _columns(line) > LONGEST:
        place = _best(list(_places(line)), line)
        if place is None:
            break
        lead = line[: len(line) - len(line.lstrip())]
        pad = " " * place.opening
        if not place.opening:
            pad = lead if _goes_on(line) else lead + indent
        elif "\t" in lead + indent:
            pad = lead + indent
        found.append(line[: place.end])
        line = pad + line[place.start :]
    return [*found, line]


def _best(places: list[_Place], line: str) -> _Place | None:
    """The last one of the outermost that leaves no more than a line."""
    fitting = [p for p in places if _columns(line[: p.end]) <= LONGEST]
    if not fitting:
        return None
    least = min(place.depth for place in fitting)
    return next(p for p in reversed(fitting) if p.depth == least)


def _places(line: str) -> Iterator[_Place]:
    openings: list[int] = []
    tokens = tokenize(line)
    for number, token in enumerate(tokens[:-1]):
        if token.kind is not Kind.PUNCTUATOR:
            continue
        if token.text in OPENING:
            openings.append(tokens[number + 1].start)
        elif token.text in CLOSING and openings:
            openings.pop()
        opening = openings[-1] if openings else 0
        if token.text == ",":
            yield _Place(len(openings), token.end, tokens[number + 1].start, opening)
        elif token.text in ("||", "&&") and number > 0:
            yield _Place(len(openings), tokens[number - 1].end, token.start, opening)


def _goes_on(line: str) -> bool:
    """It closes more brackets than it opens: it is the end of what begins further up."""
    texts = [t.text for t in tokenize(line) if t.kind is Kind.PUNCTUATOR]
    return sum(t in CLOSING for t in texts) > sum(t in OPENING for t in texts)


def _columns(text: str) -> int:
    return len(text.expandtabs(_TAB))
