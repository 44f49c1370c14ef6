"""Unified differences, applied where no ``patch`` is installed."""

from __future__ import annotations

import re
from pathlib import Path

_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@")


def apply_patch(patch: str, folder: Path) -> None:
    """Like ``patch -p1`` in the folder, but what a hunk removes must stand where it says."""
    for piece in re.split(r"^--- .*\n\+\+\+ ", patch, flags=re.MULTILINE)[1:]:
        name, _, hunks = piece.partition("\n")
        path = folder / name.split("\t")[0].partition("/")[2]
        path.write_text(patched(path.read_text(), hunks))


def patched(text: str, hunks: str) -> str:
    lines = text.splitlines(keepends=True)
    result: list[str] = []
    at = 0  # lines of the text that are done
    for line in hunks.splitlines(keepends=True):
        head = _HUNK.match(line)
        if head is not None:
            start = int(head[1]) - 1
            result += lines[at:start]
            at = start
        elif line[0] == "+":
            result.append(line[1:])
        else:
            if lines[at] != line[1:]:
                raise ValueError(f"line {at + 1} is not {line[1:]!r}")
            if line[0] == " ":
                result.append(lines[at])
            at += 1
    return "".join(result + lines[at:])
