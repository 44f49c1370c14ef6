"""Diagnostics for a terminal: in the order of the files, each place once."""

from __future__ import annotations

from kfusion.source.diagnostics import Diagnostic, render


def render_all(diagnostics: list[Diagnostic]) -> str:
    texts: list[str] = []
    for diagnostic in diagnostics:
        text = render(diagnostic)
        if text not in texts:
            texts.append(text)
    return "\n".join(texts)
