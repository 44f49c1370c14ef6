"""Diagnostics: one value each, drawn with the source line and a caret."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import Enum

from kfusion.source.codes import ADVICE, CODES
from kfusion.source.dataclasses import dataclass
from kfusion.source.text import Span


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"  # of one region, or of what is none: the others go on
    NOTE = "note"
    CUT = "cut"  # a fusion that was not done, and why


@dataclass(frozen=True)
class Diagnostic:
    code: str
    severity: Severity
    message: str
    span: Span | None = None
    help: str | None = None
    related: tuple[tuple[str, Span], ...] = ()
    argument: str | None = None  # without a span: the word of the command line at fault

    def __post_init__(self) -> None:
        if self.code not in CODES:
            raise KeyError(f"diagnostic code {self.code} is not registered in codes.py")

    @property
    def headline(self) -> str:
        where = f"{self.span}: " if self.span else ""
        return f"{where}{self.severity.value}[{self.code}]: {self.message}"

    def as_warning(self) -> Diagnostic:
        return replace(self, severity=Severity.WARNING)


def render(diagnostic: Diagnostic) -> str:
    """The headline, the source line with a caret, related places, help."""
    lines = [diagnostic.headline]
    if diagnostic.span:
        lines += _excerpt(diagnostic.span)
    for text, span in diagnostic.related:
        lines.append(f"{span}: {text}")
        if span != diagnostic.span:  # it is shown above
            lines += _excerpt(span)
    if diagnostic.help:
        lines.append(f"  help: {diagnostic.help}")
    return "\n".join(lines)


def nearest(word: str, known: Iterable[str], likeness: float = 0.6) -> str | None:
    """What was meant, most likely, by a word that is not known."""
    from difflib import get_close_matches  # only when something is misspelt

    return next(iter(get_close_matches(word, sorted(known), 1, likeness)), None)


def _excerpt(span: Span) -> list[str]:
    span = span.home
    where = span.location
    text = span.file.line_text(where.line)
    if not text.strip():
        return []
    shown = text.rstrip().expandtabs(4)
    indent = len(text[: where.column - 1].expandtabs(4))
    one_line = span.text.split("\n", 1)[0].rstrip("\r")
    width = max(1, min(len(one_line.expandtabs(4)), len(shown) - indent))
    gutter = f"{where.line:5d}"
    return [f"{gutter} | {shown}", f"{' ' * 5} | {' ' * indent}^{'~' * (width - 1)}"]


class KFusionError(Exception):
    """The run ends here: 2 means not understood, 1 understood but cannot be met."""

    def __init__(self, *diagnostics: Diagnostic, exit_code: int = 2) -> None:
        super().__init__("\n".join(render(d) for d in diagnostics))
        self.diagnostics = diagnostics
        self.exit_code = exit_code


def error(
    code: str,
    message: str,
    span: Span | None = None,
    *,
    help: str | None = None,
    related: tuple[tuple[str, Span], ...] = (),
    argument: str | None = None,
    exit_code: int = 2,
) -> KFusionError:
    diagnostic = Diagnostic(code, Severity.ERROR, message, span, help, related, argument)
    return KFusionError(diagnostic, exit_code=exit_code)


def warning(code: str, message: str, span: Span, help: str | None = None) -> Diagnostic:
    return Diagnostic(code, Severity.WARNING, message, span, help)


@dataclass(frozen=True)
class Reason:
    """Why two things may not be put together: a cut before it has a place in a plan."""

    code: str
    message: str
    span: Span | None = None
    help: str | None = None
    related: tuple[tuple[str, Span], ...] = ()

    def __str__(self) -> str:
        place = f"{self.span}: " if self.span is not None else ""
        return f"{place}[{self.code}] {self.message}"

    @property
    def advice(self) -> str | None:
        return self.help or ADVICE.get(self.code)

    def as_cut(self) -> Diagnostic:
        return Diagnostic(
            self.code, Severity.CUT, self.message, self.span, self.advice, self.related
        )
