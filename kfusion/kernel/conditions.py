"""Conditional compilation: which `#if` blocks a file has, and which branch was taken."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from kfusion.kernel.builtins import is_pure
from kfusion.kernel.surroundings import macros_of
from kfusion.kernel.types import is_type_word
from kfusion.parse.compiler import Failure, run
from kfusion.parse.macros import Macro
from kfusion.parse.unit import Unit
from kfusion.source.dataclasses import dataclass
from kfusion.source.lexer import COMMENT, Kind, Token, tokenize
from kfusion.source.protections import is_on, protection
from kfusion.source.text import Span

DOUBTFUL_MACROS = protection("doubtful-macros", "indices do not depend on build options")

_DIRECTIVE = re.compile(r"#\s*(if|ifdef|ifndef|elif|else|endif|define|undef)\b(.*)", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_]\w*")
_MARK = re.compile(r"^@(\d+)@", re.MULTILINE)
_INTEGER = re.compile(r"\(*\s*([+-]?(?:0[xX][0-9a-fA-F]+|[0-9]+))[uUlL]*\s*\)*")


@dataclass(frozen=True)
class Branch:
    condition: str  # as #if would have it; "1" for #else
    at: int  # offset of its directive
    start: int
    end: int


@dataclass(eq=False)
class Block:
    """From #if to #endif."""

    branches: list[Branch]
    parent: Block | None

    @property
    def start(self) -> int:
        return self.branches[0].at

    @property
    def end(self) -> int:
        return self.branches[-1].end


class Conditions:
    """One for each file."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.text = unit.source.text
        self._doubts: dict[str, bool] = {}
        self._guards: dict[Block, bool] = {}
        self._names: dict[Block, frozenset[str]] = {}

    @cached_property
    def directives(self) -> list[tuple[str, str, Token]]:
        """Name, rest on one line, token."""
        matches = [
            (token, _DIRECTIVE.match(token.text))
            for token in tokenize(self.text)
            if token.kind is Kind.DIRECTIVE
        ]
        return [(m.group(1), _one_line(m.group(2)), token) for token, m in matches if m]

    @cached_property
    def blocks(self) -> list[Block]:
        """All blocks, outer ones first."""
        found: list[Block] = []
        stack: list[Block] = []
        for name, rest, token in self.directives:
            if name in ("if", "ifdef", "ifndef"):
                condition = {"ifdef": f"defined({rest})", "ifndef": f"!defined({rest})"}
                branch = Branch(condition.get(name, rest), token.start, token.end, token.end)
                stack.append(Block([branch], stack[-1] if stack else None))
                found.append(stack[-1])
            elif name in ("elif", "else") and stack:
                self._close(stack[-1], token.start)
                condition_ = rest if name == "elif" else "1"
                stack[-1].branches.append(Branch(condition_, token.start, token.end, token.end))
            elif name == "endif" and stack:
                self._close(stack.pop(), token.start)
        return found

    @staticmethod
    def _close(block: Block, end: int) -> None:
        last = block.branches[-1]
        block.branches[-1] = Branch(last.condition, last.at, last.start, end)

    def around(self, offset: int) -> Iterator[Block]:
        return (b for b in self.blocks if b.start <= offset < b.end)

    def line(self, offset: int) -> int:
        return self.unit.source.location(offset).line

    def taken(self, block: Block) -> int | None:
        """The number of the branch that was compiled; the number of all: none was.

        None: that cannot be said."""
        if self._compiled is None:
            return None
        numbers = (n for n, branch in enumerate(block.branches) if branch.at in self._compiled)
        return next(numbers, len(block.branches))

    def is_left_out(self, block: Block) -> bool:
        """It stands in a branch that was not compiled."""
        around = block.parent
        if around is None or self._compiled is None:
            return False
        inside = [b.at for b in around.branches if b.at < block.start < b.end]
        return inside[0] not in self._compiled

    @cached_property
    def _compiled(self) -> frozenset[int] | None:
        """Where the branches begin that the preprocessor compiles: it is given the directives, and
        a mark behind each that begins a branch."""
        lines: list[str] = []
        begins = {branch.at for block in self.blocks for branch in block.branches}
        for token in tokenize(self.unit.annotations.blanked(self.text)):
            if token.kind is Kind.DIRECTIVE:
                lines.append(token.text)
                if token.start in begins:
                    lines.append(f"@{token.start}@")
        with tempfile.TemporaryDirectory(prefix="kfusion-") as folder:
            output = run(self.unit.source, "\n".join(lines), self.unit.how, Path(folder))
        return None if isinstance(output, Failure) else frozenset(map(int, _MARK.findall(output)))

    # Macros

    def is_outside(self, name: str) -> bool:
        """Given by build options, or at least not by this file."""
        history = self.unit.macros.history.get(name)
        first = history[0][1] if history else None
        foreign = first is not None and first.line == 0
        return foreign and not name.startswith("_") and name not in _COMPILERS

    def is_conditional(self, name: str) -> bool:
        """Defined by this file, but under a condition."""
        return name in self._conditional

    @cached_property
    def _conditional(self) -> frozenset[str]:
        return frozenset(
            m.group()
            for kind, rest, token in self.directives
            if kind in ("define", "undef") and (m := _NAME.match(rest))
            if any(not self.is_include_guard(b) for b in self.around(token.start))
        )

    def is_doubtful(self, name: str) -> bool:
        """Another build may give it another meaning, and no `#if` can tell."""
        if name not in self._doubts:
            uncertain = self.is_outside(name) or self.is_conditional(name)
            self._doubts[name] = uncertain and self.integer(name) is None
        return self._doubts[name]

    def certain(self, first: int, last: int) -> bool:
        """Nothing from one token to another is of a macro that build options may change."""
        return not is_on(DOUBTFUL_MACROS) or self._uncertain[first] == self._uncertain[last + 1]

    @cached_property
    def _uncertain(self) -> list[int]:
        """How many tokens in front of each are of such macros."""
        known: dict[str, bool] = {}
        counts = [0]
        for token in self.unit.tokens:
            doubts = False
            if token.start < 0 and token.macro is not None:
                found = _NAME.match(self.text, token.macro[0])
                name = found.group() if found else ""
                if name not in known:
                    known[name] = any(map(self.is_doubtful, macros_of(self.unit, [name])))
                doubts = known[name]
            counts.append(counts[-1] + doubts)
        return counts

    def is_harmless(self, name: str) -> bool:
        """All its definitions are numbers, types or calls of pure functions."""
        bodies = [rest for kind, rest, _ in self.directives if kind == "define"]
        texts = [b[len(name) :] for b in bodies if re.match(rf"{name}\b", b)]
        current = self.unit.macros.at_end(name)
        if current is not None:
            listed = ",".join(current.parameters or ())
            texts.append(f"({listed}) {current.body}" if listed else f" {current.body}")
        return all(self._only_values(text) for text in texts)

    def _only_values(self, text: str) -> bool:
        parameters: set[str] = set()
        if text.startswith("("):
            listed, _, text = text[1:].partition(")")
            parameters = {p.strip() for p in listed.split(",")}
        for token in tokenize(" " + text):
            if token.kind is Kind.NAME:
                known = token.text in parameters or is_value_word(token.text)
                if not known and token.text not in self.unit.macros.history:
                    return False
            elif token.kind is Kind.PUNCTUATOR and token.text not in _ARITHMETIC:
                return False
        return True

    def integer(self, name: str) -> str | None:
        """The value at the end of the file, if that is an integer."""
        macro: Macro | None = self.unit.macros.at_end(name)
        match = _INTEGER.fullmatch(macro.body) if macro and macro.parameters is None else None
        return match.group(1) if match else None

    def is_include_guard(self, block: Block) -> bool:
        """`#ifndef X`, `#define X`, the whole file, `#endif`."""
        if block not in self._guards:
            self._guards[block] = self._guards_file(block)
        return self._guards[block]

    def _guards_file(self, block: Block) -> bool:
        if len(block.branches) != 1 or block.parent is not None:
            return False
        match = re.fullmatch(r"!defined\((\w+)\)", block.branches[0].condition)
        after = [(k, r) for k, r, t in self.directives if t.start > block.start][:1]
        rest = re.sub(r"^#\s*endif.*", "", self.text[block.end :].strip())
        return match is not None and after == [("define", match.group(1))] and not rest.strip()

    def names(self, block: Block) -> frozenset[str]:
        """Names that stand in the block outside of all brackets."""
        if block not in self._names:
            found: set[str] = set()
            depth = 0
            for token in tokenize(self.text[block.start : block.end]):
                if token.kind is Kind.PUNCTUATOR:
                    depth += (token.text in "([{") - (token.text in ")]}")
                elif token.kind is Kind.NAME and depth == 0:
                    found.add(token.text)
            self._names[block] = frozenset(found)
        return self._names[block]

    def span(self, block: Block) -> Span:
        first = block.branches[0]
        return Span(self.unit.source, first.at, first.start)


_ARITHMETIC = frozenset("+ - * / % ( ) , < > <= >= == != ? : && || ! ~ & | ^ << >>".split())


def is_value_word(name: str) -> bool:
    """A type, or a function without effects."""
    return is_pure(name) or is_type_word(name)


# Names without underscores that C compilers define and OpenCL's need not.
_COMPILERS = frozenset(("linux", "unix", "i386"))


def _one_line(text: str) -> str:
    text = COMMENT.sub(" ", text).replace("\\\n", " ")
    return " ".join(text.split())
