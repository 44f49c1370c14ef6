"""Where the lines of generated text break, and what lines that go on stand below."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

_WIDTH = 100
_BLOCK = 4  # columns
_HANGING = 8  # lines that go on and stand further right stand below something
_NOT_PLAIN = re.compile(r"//|/\*|\*/|[\"'#\\]")
# Where a line may break, and how bad that is; within brackets it is worse.
_BREAKS = tuple(
    (re.compile(each), cost)
    for each, cost in (
        (r"(?<=[;{]) (?=\S)", 0),
        (r"(?<=,) ", 1),
        (r" (?=[?:] )| (?=\|\| )| (?=&& )", 2),
        (r" (?=[-+] )", 3),
        (r" (?=[*/%&|^] )| (?=<< )| (?=>> )|(?<= =) |(?<= [-+*/%&|^]=) ", 8),
    )
)
_WITHIN = {"(": 4, "[": 12}
_FAR, _TOO_FAR = 50, 4  # columns; to go on below what stands there is worse, too
_OPERATOR = re.compile(r" *[-+*/%&|^?:<>=.,]")


class _Statement:
    """What is read so far of the statement that lines are part of."""

    def __init__(self) -> None:
        self.open: list[tuple[str, int]] = []  # brackets, and the columns behind them
        self.assigned = 0  # the column where the value begins
        self.indent = 0
        self.ended = True
        self.listed = False  # what follows a comma, or the sign of an assignment

    def copy(self) -> _Statement:
        new = _Statement()
        new.open, new.assigned, new.indent = list(self.open), self.assigned, self.indent
        new.ended, new.listed = self.ended, self.listed
        return new

    def goes_on(self, line: str) -> bool:
        hangs = self.listed or _OPERATOR.match(line) is not None
        return bool(self.open) or (hangs and not self.ended)

    def read(self, line: str, start: int = 0) -> None:
        """`start`: up to there it is read."""
        if start == 0 and not self.goes_on(line):
            self.open, self.assigned, self.indent = [], 0, _indent(line)
        if not self.open and " = " in line:
            self.assigned = line.index(" = ") + len(" = ")
        self.listed = line.endswith((" =", ","))
        if not self.open and self.listed:
            self.assigned = self.indent + _HANGING
        for column, character in enumerate(line[start:], start + 1):
            if character in "([":
                self.open.append((character, column))
            elif character in ")]" and self.open:
                self.open.pop()
        self.ended = not self.open and line.endswith((";", "{", "}"))

    @property
    def column(self) -> int:
        """Where lines that go on are to stand."""
        if self.open:
            return self.open[-1][1]
        return self.assigned or self.indent + _HANGING

    def moved(self, line: str, before: _Statement) -> str:
        """A line that went on below what was there `before`, to below what is there now."""
        indent = _indent(line)
        hangs = indent != before.column and indent - before.indent <= _HANGING
        if hangs or not before.goes_on(line) or len(self.open) != len(before.open):
            return line
        return " " * (indent + self.column - before.column) + line.lstrip()


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def realigned(text: str, before: str) -> str:
    """The text, whose lines that go on stand below what they do in the one before."""
    lines, old = text.split("\n"), before.split("\n")
    if len(lines) != len(old) or len(lines) == 1 or _NOT_PLAIN.search(text):
        return text
    found: list[str] = []
    now, then = _Statement(), _Statement()
    for line, as_it_was in zip(lines, old, strict=True):
        alike = _indent(line) == _indent(as_it_was)
        found.append(now.moved(line, then) if alike else line)
        now.read(found[-1])
        then.read(as_it_was)
    return "\n".join(found)


def broken(text: str) -> str:
    """Without lines that are too long, where they are plain."""
    found: list[str] = []
    now, then, in_comment = _Statement(), _Statement(), False
    for line in text.split("\n"):
        in_comment = (in_comment or "/*" in line) and line.rfind("*/") <= line.rfind("/*")
        goes_on = "".join(found[-1:]).endswith("\\")  # of a directive
        if in_comment or goes_on or _NOT_PLAIN.search(line):
            now, then = _Statement(), _Statement()
            found.append(line)
            continue
        parts = list(_parts(now.moved(line, then), now))
        then.read(line)
        for part in parts:
            now.read(part)
        found += parts
    return "\n".join(found)


def _parts(line: str, before: _Statement) -> Iterator[str]:
    at = _best_break(line, before) if len(line) > _WIDTH else None
    if at is None:
        yield line
        return
    first = line[:at].rstrip()
    yield first
    within = before.copy()
    within.read(first)
    column = within.column
    if within.ended:  # another statement on the same line
        column = _indent(line) + _BLOCK * (first.count("{") - first.count("}"))
    yield from _parts(" " * column + line[at:].lstrip(), within)


def _best_break(line: str, before: _Statement) -> int | None:
    """The last one of those that are the least bad."""
    first = _indent(line) + _HANGING
    places = {m.end(): cost for each, cost in _BREAKS for m in each.finditer(line, 0, _WIDTH + 1)}
    found: list[tuple[int, int]] = []
    within = before.copy()
    for start, end in pairwise([0, *sorted(places)]):
        within.read(line[:end], start)
        far = _TOO_FAR * (within.column > _FAR)
        found.append((-places[end] - sum(_WITHIN[b] for b, _ in within.open) - far, end))
    return max((each for each in found if each[1] > first), default=(0, None))[1]
