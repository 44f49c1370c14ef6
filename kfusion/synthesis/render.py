"""Text of statements, spliced from the original with some tokens replaced.

Edits are given by token. Macro invocations stay as written where that is possible: if
the replaced tokens all stand in the invocation's arguments, in every copy that the macro
makes of them; otherwise the invocation is written out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise

from kfusion.parse.unit import Unit
from kfusion.source.dataclasses import dataclass
from kfusion.source.lexer import COMMENT, Kind, tokenize
from kfusion.source.text import Edit, apply_edits

_GOES_ON = re.compile(r"\\[ \t]*(?:\r?\n[ \t]*|$)")  # the end of a line, to the next one's text


@dataclass(frozen=True)
class Change:
    """Tokens up to `last` become `text`."""

    last: int
    text: str


Changes = Mapping[int, Change]  # by the first token


class Renderer:
    def __init__(self, unit: Unit, *, written_out: bool = False) -> None:
        """`written_out`: no macro is called, whose text is more than a word."""
        self.unit, self.written_out = unit, written_out
        self.text = unit.annotations.blanked(unit.source.text)
        self.from_macros: set[int] = set()  # tokens in what was written that no text shows
        self.called: set[int] = set()  # tokens that calls of macros give, of more than a word

    def render(self, first: int, last: int, changes: Changes, *, whole: bool = False) -> str:
        """The tokens first..last as text, the space between them as in the original.

        `whole`: with the address space or attribute that stands in front of them.
        """
        pieces: list[str] = []
        position: int | None = self._notes_start(first) if whole else None
        index = first
        while index <= last:
            end = self._unit_end(index, last, changes)
            text, (start, stop) = self._piece(index, end, changes)
            if position is not None and not (self.written_out and text[:1] in (";", ",", ")")):
                pieces.append(self._gap(position, start))
            pieces.append(text)
            position, index = stop, end + 1
        return "".join(pieces).strip() if self.written_out else "".join(pieces)

    def as_written(self, first: int, last: int) -> str:
        start, end = self.unit.range(first, last)
        notes = self._notes_start(first)
        return self.text[start if notes is None else min(start, notes) : end]

    def _notes_start(self, first: int) -> int | None:
        starts = [n.start for n in self.unit.notes_between(first, first) if n.start >= 0]
        return min(starts, default=None)

    def _unit_end(self, index: int, last: int, changes: Changes) -> int:
        """The last token that must be written together with this one."""
        end = index
        position = index
        while position <= min(end, last):
            macro = self.unit.tokens[position].macro
            while macro and end < last and self.unit.tokens[end + 1].macro == macro:
                end += 1
            if position in changes:
                end = max(end, changes[position].last)
            position += 1
        return end

    def _piece(self, first: int, last: int, changes: Changes) -> tuple[str, tuple[int, int]]:
        tokens = self.unit.tokens
        place = self._place(first, last)
        if first == last and first in changes:
            return changes[first].text, place
        if first in changes and changes[first].last == last:
            return changes[first].text, place
        unseen = {i for i in range(first, last + 1) if tokens[i].start < 0}
        if unseen:
            replaced = (range(f, c.last + 1) for f, c in changes.items() if f <= last)
            self.from_macros |= unseen.difference(*replaced)
        given = {i for i in range(first, last + 1) if tokens[i].macro} if last > first else set()
        self.called |= given
        if not (self.written_out and given) and not self._cuts_macro(first, last):
            if not any(i in changes for i in range(first, last + 1)):
                return self.text[place[0] : place[1]], place
            kept = self._edited(first, last, changes, place)
            if kept is not None:
                return kept, place
        words: list[str] = []
        index = first
        while index <= last:
            change = changes.get(index)
            # What is written in front of the first token is in the text there.
            notes = self.unit.notes_between(index, index)
            words += [n.text for n in notes if index > first or not 0 <= n.start < place[0]]
            words.append(change.text if change else tokens[index].text)
            index = change.last + 1 if change else index + 1
        return _joined(words), place

    def _place(self, first: int, last: int) -> tuple[int, int]:
        """Where the tokens stand: the whole invocation, if they are all that a macro gives."""
        tokens = self.unit.tokens
        macro = tokens[first].macro
        if macro is not None and macro == tokens[last].macro:
            outside = {t.macro for t in (*tokens[first - 1 : first], *tokens[last + 1 : last + 2])}
            if macro not in outside:
                return macro
        return self.unit.range(first, last)

    def _cuts_macro(self, first: int, last: int) -> bool:
        """Only a part of what a macro expands to, and not just its arguments."""
        tokens = self.unit.tokens
        if all(t.start >= 0 for t in tokens[first : last + 1]):
            return False
        before, after = tokens[first - 1].macro, tokens[last + 1].macro
        return (tokens[first].macro is not None and tokens[first].macro == before) or (
            tokens[last].macro is not None and tokens[last].macro == after
        )

    def _edited(
        self, first: int, last: int, changes: Changes, place: tuple[int, int]
    ) -> str | None:
        """The invocation with its arguments changed, if all copies change alike."""
        edits: dict[tuple[int, int], str] = {}
        untouched: set[int] = set()
        index = first
        while index <= last:
            change = changes.get(index)
            end = change.last if change else index
            starts = [self.unit.tokens[i].start for i in range(index, end + 1)]
            if change is not None:
                if min(starts) < 0 or starts != sorted(starts):
                    return None
                span = (starts[0], self.unit.tokens[end].end)
                if edits.setdefault(span, change.text) != change.text:
                    return None
            elif starts[0] >= 0:
                untouched.add(starts[0])
            index = end + 1
        if any(start <= place_ < end for start, end in edits for place_ in untouched):
            return None
        return apply_edits(
            self.text[place[0] : place[1]],
            [Edit(start, end, new) for (start, end), new in edits.items()],
            place[0],
        )

    def _gap(self, start: int, end: int) -> str:
        if end <= start:
            return " " * (end < start)
        gap = clean_gap(self.text[start:end])
        if not self.written_out or not tokenize(gap):
            return gap
        # Without macros that stand for nothing; what was taken out for pycparser stays.
        notes = [note.text for note in self.unit.notes if start <= note.start < end]
        return " ".join([*notes, ""]) or " "

    def comments_before(self, first: int) -> tuple[list[str], bool]:
        """Comments between the token and the one before it, and whether the first of
        them stands on the line of the token before."""
        start = self.unit.range(first, first)[0]
        previous = 0
        if first > 0:
            previous = self.unit.range(first - 1, first - 1)[1]
        gap = clean_gap(self.text[previous:start])
        if not 0 <= previous <= start:
            return [], False
        found = [m.group() for m in COMMENT.finditer(gap)]
        trailing = bool(found) and "\n" not in gap[: gap.index(found[0])]
        return [_on_its_lines(comment) for comment in found], trailing

    def blank_before(self, first: int) -> bool:
        """An empty line between the token and the one before it."""
        start, end = self.unit.range(first - 1, first - 1)[1], self.unit.range(first, first)[0]
        return re.search(r"\n[ \t]*\r?\n", self.text[start:end]) is not None

    def begins_line(self, first: int) -> bool:
        """Is it written in the file, with nothing but white space in front of it?"""
        start, macro = self.unit.tokens[first].start, self.unit.tokens[first].macro
        if start < 0 or macro is not None:
            return False
        before = self.text[: self.text.rfind("\n", 0, start) + 1].rstrip()
        if before.endswith("\\"):  # that line goes on
            return False
        return not self.text[self.text.rfind("\n", 0, start) + 1 : start].strip()

    def indent_of(self, first: int) -> str:
        """The white space at the start of the token's line."""
        start = self.unit.range(first, first)[0]
        line = self.text[self.text.rfind("\n", 0, start) + 1 : start]
        return line[: len(line) - len(line.lstrip())]


def _on_its_lines(comment: str) -> str:
    """A comment that ends with its last line, whatever follows."""
    return _GOES_ON.sub(" ", comment).rstrip() if comment.startswith("//") else comment


def clean_gap(gap: str) -> str:
    """White space and comments between two tokens, without what `#if` left out."""
    if any(token.kind is Kind.DIRECTIVE for token in tokenize("\n" + gap)):
        return "\n" if "\n" in gap else " "
    return gap


def _joined(words: list[str]) -> str:
    """Tokens as one would write them: space around what stands between two operands."""
    text = before = ""
    for word in filter(None, words):
        after_operand = text != "" and (text[-1].isalnum() or text[-1] in "_)]")
        if word in _BETWEEN and after_operand:
            text += f" {word} "
        elif (
            text
            and not text.endswith(" ")
            and (_sticks(text[-1], word[0]) or _are_apart(before, word))
        ):
            text += f" {word}"
        else:
            text += word
        if word in (",", ";"):
            text += " "
        before = word
    return text.rstrip()


def _are_apart(left: str, right: str) -> bool:
    """`if (...) return`"""
    return (left in _HEADS and right == "(") or (left == ")" and right in _JUMPS)


_HEADS = frozenset("if for while switch return".split())
_JUMPS = frozenset("return break continue goto".split())


_BETWEEN = frozenset(
    "+ - * / % < > <= >= == != && || & | ^ << >> ? : = += -= *= /= %= &= |= ^= <<= >>=".split()
)


def _sticks(left: str, right: str) -> bool:
    """Would the two run together?"""
    if re.match(r"[\w.]", left) and re.match(r"[\w.\"']", right):
        return True
    return left in "+-*/%&|<>=!^" and right in "+-*/%&|<>=!^"


def reindented(text: str, old: str, new: str) -> str:
    """Continuation lines moved along with the first one."""
    lines = text.split("\n")
    moved = [lines[0].rstrip()]
    for before, line in pairwise(lines):
        if before.endswith("\\"):  # a line that goes on may do so within a word
            moved.append(line)
            continue
        stripped = line[len(old) :] if line.startswith(old) else line.lstrip()
        moved.append((new + stripped).rstrip() if stripped.strip() else "")
    return "\n".join(line for i, line in enumerate(moved) if line or i == 0)
