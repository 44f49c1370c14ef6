"""What the preprocessor makes of a text that stands at the end of a kernel file."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from kfusion.parse.compiler import Failure, run
from kfusion.parse.unit import Unit
from kfusion.source.lexer import Kind, tokenize

Words = tuple[str, ...]

_MARK = "kfusion_text_begins"
_LINE = re.compile(r"^#[ \t]*(?:line\b|\d).*$", re.MULTILINE)


def expanded_at_end(unit: Unit, texts: Sequence[str]) -> list[Words | None]:
    """The tokens of each text; None: it cannot be preprocessed."""
    found = [_without_compiler(unit, text) for text in texts]
    if all(words is not None for words in found):
        return found
    pieces = [unit.annotations.blanked(unit.source.text), *texts]
    with tempfile.TemporaryDirectory(prefix="kfusion-") as folder:
        output = run(unit.source, f"\n{_MARK}\n".join(pieces), unit.how, Path(folder))
    if isinstance(output, Failure):
        return [None] * len(texts)
    _, *made = _LINE.sub("", output).split(_MARK)
    return [words_of(text) for text in made] if len(made) == len(texts) else [None] * len(texts)


def _without_compiler(unit: Unit, text: str) -> Words | None:
    """If each macro in the text has no parameters and uses no other one."""
    result: list[str] = []
    for word in words_of(text):
        macro = unit.macros.at_end(word)
        body = words_of(macro.body) if macro is not None else (word,)
        if macro is not None and (
            macro.parameters is not None or any(unit.macros.at_end(each) for each in body)
        ):
            return None
        result += body
    return tuple(result)


def words_of(text: str) -> Words:
    """A directive is one word, whatever white space is in it."""
    return tuple(
        " ".join(token.text.split()) if token.kind is Kind.DIRECTIVE else token.text
        for token in tokenize(text)
    )
