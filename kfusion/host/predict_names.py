"""What people call a predicted launch: the application's own words for it, and their place."""

from __future__ import annotations

from collections import Counter

from pycparser import c_ast

from kfusion.host.calls import LAUNCHES
from kfusion.host.record import PathLaunch, call_span
from kfusion.parse.unit import Unit
from kfusion.source.text import Span

_LONGEST = 72


class Labels:
    """Labels of launches: none is the label of two."""

    def __init__(self, launches: list[tuple[PathLaunch, str]], unit: Unit) -> None:
        self.unit = unit
        words = [self._words(launch, kernel) for launch, kernel in launches]
        self._spans = [span for _, span in words]
        kernels: dict[str, set[str]] = {}
        for (text, _), (_, kernel) in zip(words, launches, strict=True):
            kernels.setdefault(text, set()).add(kernel)
        texts = [
            f"{text}: {kernel}" if len(kernels[text]) > 1 else text
            for (text, _), (_, kernel) in zip(words, launches, strict=True)
        ]
        self._texts = _numbered(texts)

    def of(self, number: int) -> tuple[str, Span | None]:
        return self._texts[number], self._spans[number]

    def _words(self, launch: PathLaunch, kernel: str) -> tuple[str, Span | None]:
        call = launch.call
        if call is None:
            return kernel, None
        span = call_span(call, self.unit)
        text = " ".join(span.text.split()) if span is not None else ""
        name = call.name.name if isinstance(call.name, c_ast.ID) else ""
        is_direct = name in LAUNCHES and text.startswith(name)
        if not text or is_direct or len(text) > _LONGEST:
            return kernel if is_direct or not text else f"{text.split('(')[0]}(...)", span
        return text, span


def _numbered(texts: list[str]) -> list[str]:
    """The second `step(&s)` is `step(&s) (2)`."""
    total, seen = Counter(texts), Counter[str]()
    result = []
    for text in texts:
        seen[text] += 1
        result.append(text if total[text] == 1 else f"{text} ({seen[text]})")
    return result
