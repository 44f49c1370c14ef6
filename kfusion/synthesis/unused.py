"""Declarations that nothing names any more: only indices did that are written anew.

Only such as are plain, each on a line of its own: what macros, comments or directives might make
something else of stays as it is.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate, pairwise

from kfusion.kernel.types import INTEGERS
from kfusion.source.lexer import Kind, Token, between_commas, tokenize

_NAME = re.compile(r"[A-Za-z_]\w*")
_COMMENT = re.compile(r"//|/\*|\*/|\\")
_QUALIFIERS = frozenset("const global local constant private __global __local __constant".split())
_TYPES = frozenset((*INTEGERS, "float", "double"))
_DECLARATOR = re.compile(r"\**\s*(?:const\s+)?([A-Za-z_]\w*)\s*=(?!=)(.*)", re.DOTALL)
_PURE = frozenset(
    "min max clamp abs mad24 mul24 select sizeof get_global_id get_local_id get_group_id "
    "get_global_size get_local_size get_num_groups get_global_offset get_work_dim".split()
)
_CHANGES = re.compile(r"\+\+|--|[-+*/%&|^]=|<<=|>>=|=")


def without_unused(
    lines: Sequence[str], hidden: Collection[str], defined: Collection[str]
) -> list[str]:
    """`hidden`: variables that calls of macros stand for. `defined`: macros, functions and types of
    the file, which the text may use."""
    left = _Lines(lines, frozenset(defined))
    for number in reversed(range(len(lines))):  # what a declaration names may be unused after that
        left.shorten(number, hidden)
    return [line for line, was in zip(left.lines, lines, strict=True) if line or not was]


def names_of(lines: Sequence[str]) -> Iterator[str]:
    """All that they name, also in directives, and as often as they do."""
    return _names(tokenize("\n".join(lines)))


class _Lines:
    def __init__(self, lines: Sequence[str], defined: frozenset[str]) -> None:
        self.lines, self.defined = list(lines), defined
        self.tokens: list[list[Token]] = [[] for _ in lines]
        ends = [*accumulate(len(line) + 1 for line in lines)]
        for token in tokenize("\n".join(lines)):
            self.tokens[bisect_right(ends, token.start)].append(token)
        self.named: dict[str, Counter[int]] = {}  # on which lines, how often
        for number, tokens in enumerate(self.tokens):
            for name in _names(tokens):
                self.named.setdefault(name, Counter())[number] += 1
        self.begins, self.ends = self._statements()

    def _statements(self) -> tuple[list[bool], list[int]]:
        """Of each line: does a statement begin there, and in front of which line ends its block?"""
        begins: list[bool] = []
        ends = [len(self.lines)] * len(self.lines)
        within: list[list[int]] = [[]]  # by open brace, the lines that begin there
        before, brackets = "{", 0
        for number, tokens in enumerate(self.tokens):
            begins.append(before in ("{", "}", ";") and brackets == 0)
            within[-1].append(number)
            for token in tokens:
                brackets += (token.text in ("(", "[")) - (token.text in (")", "]"))
                before = token.text if token.kind is not Kind.DIRECTIVE else ""
                if token.text == "{":
                    within.append([])
                elif token.text == "}" and len(within) > 1:
                    for each in within.pop():
                        ends[each] = number + 1
        return begins, ends

    def shorten(self, number: int, hidden: Collection[str]) -> None:
        """A declaration of variables by values that have no effects, but for those not named in its
        block."""
        found = self._declared(number)
        kept = [
            (name, text) for name, text in found if name in hidden or self._is_named(name, number)
        ]
        if len(kept) == len(found):
            return
        for name in _names(self.tokens[number]):
            self.named[name][number] = 0
        line = self.lines[number]
        first = tokenize(line)[self._first(number)]
        texts = [text for _, text in kept]
        self.lines[number] = f"{line[: first.start]}{', '.join(texts)};" if kept else ""
        for name in _NAME.findall(self.lines[number]):
            self.named.setdefault(name, Counter())[number] += 1

    def _is_named(self, name: str, number: int) -> bool:
        lines = self.named.get(name, Counter[int]())
        within = range(number, self.ends[number])
        return sum(count for line, count in lines.items() if line in within) > 1

    def _first(self, number: int) -> int:
        """The first token behind qualifiers and type; 0: it is no declaration."""
        tokens = self.tokens[number]
        first = next((n for n, t in enumerate(tokens) if t.text not in _QUALIFIERS), 0)
        return first + 1 if first < len(tokens) and tokens[first].text in _TYPES else 0

    def _declared(self, number: int) -> list[tuple[str, str]]:
        """Names and texts of all declarators; none if the line is not as plain as that."""
        line, tokens = self.lines[number], self.tokens[number]
        if not self.begins[number] or len(tokens) < 5 or _COMMENT.search(line):
            return []
        first = self._first(number)
        if not first or tokens[-1].text != ";" or self.defined.intersection(_names(tokens)):
            return []
        own = tokenize(line)
        parts = [own[p.start : p.stop] for p in between_commas(own, first - 1, len(own) - 1)]
        texts = [line[part[0].start : part[-1].end] for part in parts if part]
        found = [(_DECLARATOR.fullmatch(text), text) for text in texts]
        if not all(each and _has_no_effects(tokenize(each.group(2))) for each, _ in found):
            return []
        return [(each.group(1), text) for each, text in found if each]


def _names(tokens: Iterable[Token]) -> Iterator[str]:
    for token in tokens:
        if token.kind is Kind.DIRECTIVE:
            yield from _NAME.findall(token.text)
        elif token.kind is Kind.NAME:
            yield token.text


def _has_no_effects(tokens: Sequence[Token]) -> bool:
    calls = [a for a, b in pairwise(tokens) if b.text == "("]
    pure = all(t.kind is not Kind.NAME or t.text in _PURE for t in calls)
    return pure and not any(_CHANGES.fullmatch(t.text) or t.text in ("{", ";") for t in tokens)
