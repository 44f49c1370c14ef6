"""Source files as immutable text, and spans of it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Iterable
from functools import cached_property
from itertools import accumulate
from pathlib import Path

from kfusion.source.dataclasses import dataclass


def text_of(data: bytes) -> str:
    """Bytes that are not UTF-8, such as Latin-1 in a comment, come out again as they were."""
    return data.decode("utf-8", "surrogateescape")


def bytes_of(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def free_name(wanted: str, taken: Container[str]) -> str:
    """The wanted name; with a number where it is taken."""
    number, name = 2, wanted
    while name in taken:
        name, number = f"{wanted}_{number}", number + 1
    return name


@dataclass(frozen=True)
class Location:
    line: int  # 1-based, as editors count
    column: int


@dataclass(frozen=True, eq=False)
class SourceFile:
    """One input file. Identity is the object: the same path is read once."""

    path: Path
    text: str
    parts: tuple[SourceFile, ...] = ()  # each on lines of its own, if the text is of several files
    made: Spliced | None = None  # of the user's file, where kfusion reads another text

    def __repr__(self) -> str:
        return f"SourceFile({self.name!r})"  # plans are printed, and name it often

    @property
    def name(self) -> str:
        return str(self.path)

    @property
    def written(self) -> SourceFile:
        """As the user has it."""
        return self.made.source.written if self.made is not None else self

    def as_written(self, edits: Iterable[Edit]) -> list[Edit]:
        """Edits of what the user has written, at their places in the user's file."""
        edits = list(edits)
        made = self.made
        if made is None:
            return edits
        places = ((made.place(e.start)[0], made.place(e.end)[0], e.new) for e in edits)
        return made.source.as_written(Edit(*place) for place in places)

    @cached_property
    def line_starts(self) -> list[int]:
        lengths = (len(line) + 1 for line in self.text.split("\n")[:-1])
        return list(accumulate(lengths, initial=0))

    def location(self, offset: int) -> Location:
        line = bisect_right(self.line_starts, offset)
        return Location(line, offset - self.line_starts[line - 1] + 1)

    def line_text(self, line: int) -> str:
        start = self.line_starts[line - 1]
        end = self.text.find("\n", start)
        return self.text[start : len(self.text) if end < 0 else end]

    def line_span(self, line: int) -> Span:
        """The text of a line without its indentation."""
        line = min(max(line, 1), len(self.line_starts))
        start = self.line_starts[line - 1]
        text = self.line_text(line)
        return Span(self, start + len(text) - len(text.lstrip()), start + len(text))


@dataclass(frozen=True)
class Span:
    file: SourceFile
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.file.text[self.start : self.end]

    @property
    def home(self) -> Span:
        """In the file that this part of the text is of, as the user has it."""
        if self.file.made is not None:
            made = self.file.made
            start, end = made.place(self.start)[0], made.place(max(self.start, self.end - 1))[1]
            return Span(made.source, start, max(start, end)).home
        first = 0
        for part in self.file.parts:
            if self.start <= first + len(part.text):
                return Span(part, self.start - first, self.end - first)
            first += len(part.text) + 1
        return self

    @property
    def location(self) -> Location:
        return self.file.location(self.start)

    def __str__(self) -> str:
        where = self.home.location
        return f"{self.home.file.name}:{where.line}:{where.column}"

    @property
    def short(self) -> str:
        """File name and line, for comments in generated code."""
        return f"{self.home.file.path.name}:{self.home.location.line}"


@dataclass(frozen=True)
class Edit:
    """Replace `start:end` of a text by `new`."""

    start: int
    end: int
    new: str


def apply_edits(text: str, edits: list[Edit], base: int = 0) -> str:
    """Splice edits into a text whose first character has offset `base`.

    Edits must not overlap; several insertions at one place keep their order.
    """
    pieces: list[str] = []
    position = base
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        if edit.start < position:
            raise ValueError(f"overlapping edits at {edit.start}: {edit.new!r}")
        pieces.append(text[position - base : edit.start - base])
        pieces.append(edit.new)
        position = edit.end
    pieces.append(text[position - base :])
    return "".join(pieces)


@dataclass(frozen=True, eq=False)
class Spliced:
    """A text with edits, which knows what of it comes from where."""

    source: SourceFile
    edits: tuple[Edit, ...] = ()

    @cached_property
    def text(self) -> str:
        return apply_edits(self.source.text, list(self.edits))

    def place(self, offset: int) -> tuple[int, int]:
        """What a character of the text comes from: a character, or what an edit replaces."""
        found = self.origin(offset)
        return (found.start, found.end) if isinstance(found, Edit) else (found, found + 1)

    def origin(self, offset: int) -> int | Edit:
        """Where a character of the text stands in the source, or the edit that it comes from."""
        added = 0  # characters, by the edits before
        for edit in sorted(self.edits, key=lambda e: (e.start, e.end)):
            if offset < edit.start + added:
                break
            if offset < edit.start + added + len(edit.new):
                return edit
            added += len(edit.new) - (edit.end - edit.start)
        return offset - added
