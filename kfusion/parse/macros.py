"""Macro definitions as the C preprocessor saw them (`cc -E -dD`), by place in the file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field
from pathlib import Path
from typing import NamedTuple

from kfusion.source.dataclasses import dataclass
from kfusion.source.lexer import Kind, Token, closing_round, tokenize
from kfusion.source.text import text_of

_NAME = r"[A-Za-z_$][\w$]*"
_EVENT = re.compile(
    rf"""\n\#(?: [ \t]*(?:line[ \t]+)?(\d+)[ \t]+"((?:[^"\\\n]|\\.)*)".*
           | define[ \t]+({_NAME})(\(([^)\n]*)\))?[ \t]*(.*)
           | undef[ \t]+({_NAME}) )""",
    re.VERBOSE,
)
_QUOTED_HEADER = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)


class Macro(NamedTuple):
    name: str
    parameters: tuple[str, ...] | None  # None: object-like
    body: str
    line: int  # line of the main file where it became known; 0: before the file

    @property
    def definition(self) -> tuple[tuple[str, ...] | None, str]:
        return self.parameters, self.body


@dataclass(frozen=True)
class MacroTable:
    """For each name its definitions in order; None stands for `#undef`."""

    history: dict[str, list[tuple[int, Macro | None]]] = field(default_factory=dict)
    in_file: frozenset[str] = frozenset()  # names the main file itself defines or undefines

    def at(self, name: str, line: int) -> Macro | None:
        """The definition in force on a line of the main file."""
        known = [macro for since, macro in self.history.get(name, ()) if since <= line]
        return known[-1] if known else None

    def at_end(self, name: str) -> Macro | None:
        history = self.history.get(name)
        return history[-1][1] if history else None

    def called(self, name: str, line: int) -> Macro | None:
        """The macro with parameters that a call by this name ends up at."""
        seen: set[str] = set()
        while name not in seen:
            seen.add(name)
            macro = self.at(name, line)
            if macro is None or macro.parameters is not None:
                return macro
            body = tokenize(" " + macro.body)
            name = body[-1].text if body else name
        return None

    def pasted_parameters(self, name: str, seen: frozenset[str] = frozenset()) -> frozenset[int]:
        """Positions of parameters that meet `##`, here or in macros that the body uses."""
        result: set[int] = set()
        for _, macro in self.history.get(name, ()):
            if macro is None or macro.parameters is None or name in seen:
                continue
            names = [p.removesuffix("...") or "__VA_ARGS__" for p in macro.parameters]
            tokens = tokenize(" " + macro.body)  # the space: a leading `#` is no directive
            for index, token in enumerate(tokens):
                if token.text == "##":
                    for side in (index - 1, index + 1):
                        if 0 <= side < len(tokens) and tokens[side].text in names:
                            result.add(names.index(tokens[side].text))
                elif token.text in self.history and token.text != name:
                    inner = self.pasted_parameters(token.text, seen | {name})
                    for position, argument in enumerate(arguments(tokens, index + 1) or []):
                        if position in inner:
                            texts = {t.text for t in tokens[argument[0] : argument[1]]}
                            result |= {i for i, n in enumerate(names) if n in texts}
        return frozenset(result)


def arguments(tokens: Sequence[Token], opening: int) -> list[tuple[int, int]] | None:
    """Token ranges of the arguments in the bracket at `opening`; None if there is none."""
    end = closing_round(tokens, opening)
    if end is None:
        return None
    ranges: list[tuple[int, int]] = []
    start, depth = opening + 1, 0
    for index in range(opening + 1, end):
        if tokens[index].kind is not Kind.PUNCTUATOR:
            continue
        if tokens[index].text == "(":  # other brackets mean nothing to the preprocessor
            depth += 1
        elif tokens[index].text == ")":
            depth -= 1
        elif tokens[index].text == "," and depth == 0:
            ranges.append((start, index))
            start = index + 1
    if end > opening + 1:
        ranges.append((start, end))
    return ranges


def macros_in_sight(text: str, folders: Sequence[Path]) -> MacroTable:
    """A guess, without the compiler: what a text and its headers in quotes define."""
    texts, seen = [text], {""}
    history: dict[str, list[tuple[int, Macro | None]]] = {}
    for each in texts:  # it grows
        for header in set(_QUOTED_HEADER.findall(each)) - seen:
            seen.add(header)
            found = next((f / header for f in folders if (f / header).is_file()), None)
            if found is not None:
                texts.append(text_of(found.read_bytes()))
        # Made to look like the compiler's output.
        plain = re.sub(r"(?m)^[ \t]*#[ \t]*", "#", each.replace("\\\n", " "))
        main = "" if each is text else "a header"  # whose macros are known from line 0
        for name, macros in read_macros(plain, main).history.items():
            history.setdefault(name, []).extend(macros)
    return MacroTable(history)


def read_macros(output: str, main: str) -> MacroTable:
    """Parse the output of `cc -E -dD`."""
    output = f"\n{output}"  # looking for starts of lines would be slower
    history: dict[str, list[tuple[int, Macro | None]]] = {}
    in_file: set[str] = set()
    here, line, main_line, behind = "", 0, 0, 0  # `line` is that of the text at `behind`
    for match in _EVENT.finditer(output):
        number, file, defined, brackets, listed, body, undefined = match.groups()
        if file is not None:
            here, line, behind = file, int(number), match.end()
            if here == main:
                main_line = line
            continue
        if here == main:
            line += output.count("\n", behind, match.start())
            main_line, behind = line, match.start()
        name = defined or undefined
        macro = None
        if defined is not None:
            parameters = None
            if brackets is not None:
                parameters = tuple(p.strip() for p in listed.split(",")) if listed else ()
            macro = Macro(name, parameters, body.strip(), main_line)
        history.setdefault(name, []).append((main_line, macro))
        if here == main:
            in_file.add(name)
    return MacroTable(history, frozenset(in_file))
