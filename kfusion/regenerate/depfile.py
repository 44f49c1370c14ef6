"""What a run has read, as make and ninja want to be told."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from kfusion.parse.compiler import Preprocessor


def depfile(targets: Iterable[str], *, files: Sequence[Path], how: Preprocessor, own: Path) -> str:
    """The rule of a C compiler with -MD -MP: a header that is gone is no error. `own`: stand-ins
    for headers of the system, which are no headers of the program."""
    headers = _headers(how.read, own)
    rule = " ".join(map(_escaped, targets)) + ":"
    rule += "".join(f" \\\n  {_escaped(str(name))}" for name in [*files, *headers]) + "\n"
    return rule + "".join(f"{_escaped(name)}:\n" for name in headers)


def _headers(named: Iterable[str], own: Path) -> list[str]:
    """Those that are there. What is below the current folder is told from there."""
    here, found = Path.cwd(), set[str]()
    for name in named:
        path = Path(os.path.normpath(re.sub(r"\\(.)", r"\1", name)))
        if path.is_absolute() and path.is_file() and not path.is_relative_to(own):
            found.add(str(path.relative_to(here) if path.is_relative_to(here) else path))
    return sorted(found)


def _escaped(name: str) -> str:
    return re.sub(r"([ #\t])", r"\\\1", name).replace("$", "$$")
