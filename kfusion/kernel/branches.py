"""The `#if` blocks of a kernel file and of the headers that it includes, and which are compiled.

Directives come in the order in which the preprocessor meets them: those of a header where it is
included. The preprocessor itself is asked which branches it takes.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from dataclasses import field, replace
from functools import lru_cache
from pathlib import Path

from kfusion.kernel.surroundings import says_nothing
from kfusion.parse.compiler import Failure, run
from kfusion.parse.unit import Unit
from kfusion.source.dataclasses import dataclass
from kfusion.source.lexer import COMMENT, Kind, Token, plain_directive, tokenize
from kfusion.source.text import SourceFile, Span, text_of

_DIRECTIVE = re.compile(r"#\s*(\w+)\b(.*)", re.DOTALL)
_CONDITIONAL = ("if", "ifdef", "ifndef")
_PLAIN = frozenset(("error", "warning", "pragma", "ident", "sccs"))  # they change no token
_NAME = re.compile(r"[A-Za-z_]\w*")
_INCLUDED = re.compile(r'"([^"]+)"|<([^>]+)>')
_SPLICE = re.compile(r"\\[ \t]*\r?\n")
_MARK = re.compile(r"^@(\d+)@", re.MULTILINE)


@dataclass(frozen=True)
class Branch:
    condition: str  # as #if would have it; "1" for #else
    at: int  # offset of its directive
    start: int
    end: int
    number: int  # among all branches


@dataclass(eq=False)
class Block:
    """From #if to #endif."""

    file: SourceFile
    line: int  # of the kernel file: of the block, or of the #include that brought it
    within: tuple[Block, Branch] | None  # what it stands in, of whatever file
    branches: list[Branch] = field(default_factory=list)
    is_guard: bool = False  # `#ifndef X`, `#define X`, the whole file, `#endif`

    @property
    def start(self) -> int:
        return self.branches[0].at

    @property
    def end(self) -> int:
        return self.branches[-1].end

    @property
    def span(self) -> Span:
        first = self.branches[0]
        return Span(self.file, first.at, first.start)

    @property
    def around(self) -> list[Block]:
        """The blocks that it stands in, and itself."""
        return [self, *(self.within[0].around if self.within else [])]


@dataclass(frozen=True, eq=False)
class Definition:
    """`#define` or `#undef`."""

    text: str  # behind the word, on one line
    undefines: bool
    block: Block | None  # the innermost that it stands in
    branch: int | None  # the number of that branch of it
    behind: int  # how many branches begin before it

    @property
    def name(self) -> str:
        match = _NAME.match(self.text)
        return match.group() if match is not None else ""

    @property
    def conditions(self) -> list[Block]:
        """The blocks that it stands in, but for include guards."""
        around = self.block.around if self.block is not None else []
        return [block for block in around if not block.is_guard]


class Branches:
    """Of a kernel file."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.blocks: list[Block] = []  # outer ones first
        self.definitions: list[Definition] = []
        self.pragmas: list[Block] = []  # that pragmas stand in which change what is behind them
        self.headers: dict[str, SourceFile] = {}  # by the names that they have on the disk
        # Directives that may bring or leave out anything, and what they stand in.
        self.unseen: list[tuple[Span, tuple[Block, Branch] | None]] = []
        self._once: set[str] = set()
        self._lines: list[str] = []  # the directives, with a mark behind each that begins a branch
        self._count = 0
        self._read(unit.source, None, None, 0)
        self.compiled = self._ask()

    def _ask(self) -> frozenset[int] | None:
        """The numbers of the branches that the preprocessor compiles; None: it fails."""
        with tempfile.TemporaryDirectory(prefix="kfusion-") as folder:
            text = "\n".join(self._lines)
            output = run(self.unit.source, text, self.unit.how, Path(folder))
        return None if isinstance(output, Failure) else frozenset(map(int, _MARK.findall(output)))

    def _read(
        self, file: SourceFile, line: int | None, outer: tuple[Block, Branch] | None, depth: int
    ) -> None:
        """`line`: of the kernel file, that includes a header; `outer`: where it does so."""
        stack: list[Block] = []
        for token in (t for t in tokenize(file.text) if t.kind is Kind.DIRECTIVE):
            text = _one_line(token)
            match = _DIRECTIVE.match(text)
            word, rest = (match.group(1), match.group(2).strip()) if match else ("", "")
            within = (stack[-1], stack[-1].branches[-1]) if stack else outer
            at = line or file.location(token.start).line
            if word == "pragma" and within is not None and not says_nothing(text):
                self.pragmas.append(within[0])
            if word == "pragma" and rest.split()[:1] == ["once"] and within is None:
                self._once.add(file.name)  # elsewhere it may not be read
            elif word == "include":
                if self._include(rest, file, at, within, depth):
                    continue
                self._not_seen(file, token, within)
            elif word in ("define", "undef"):
                block, branch = (within[0], within[1].number) if within else (None, None)
                undefines = word == "undef"
                self.definitions.append(Definition(rest, undefines, block, branch, self._count))
            elif word in _CONDITIONAL:
                stack.append(Block(file, at, within))
                self.blocks.append(stack[-1])
                if word != "if" and _NAME.fullmatch(rest) is None:
                    self._not_seen(file, token, within)
            elif word in ("elif", "else", "endif") and stack:
                pass
            elif (word not in _PLAIN or "_macro" in rest) and not (line is None and word == "line"):
                self._not_seen(file, token, within)
            self._lines.append(text)
            if word in _CONDITIONAL:
                condition = {"ifdef": f"defined({rest})", "ifndef": f"!defined({rest})"}
                self._begin(stack[-1], condition.get(word, rest), token)
            elif word in ("elif", "else") and stack:
                _close(stack[-1], token.start)
                self._begin(stack[-1], rest if word == "elif" else "1", token)
            elif word == "endif" and stack:
                block = stack.pop()
                _close(block, token.start)
                block.is_guard = not stack and _guards(block)
        if stack:
            self.unseen.append((stack[-1].span, None))

    @property
    def texts(self) -> Iterator[str]:
        """Of the file, and of the headers that it includes."""
        yield self.unit.source.text
        for header in self.headers.values():
            yield header.text

    @property
    def left_out(self) -> str:
        """The text that the preprocessor does not take."""
        compiled = self.compiled or frozenset()
        texts = [
            block.file.text[branch.start : branch.end]
            for block in self.blocks
            for branch in block.branches
            if branch.number not in compiled
        ]
        return "\n".join(texts)

    def _not_seen(
        self, file: SourceFile, token: Token, within: tuple[Block, Branch] | None
    ) -> None:
        self.unseen.append((Span(file, token.start, token.end), within))

    def _begin(self, block: Block, condition: str, token: Token) -> None:
        branch = Branch(condition, token.start, token.end, token.end, self._count)
        block.branches.append(branch)
        self._lines.append(f"@{self._count}@")
        self._count += 1

    def _include(
        self,
        rest: str,
        file: SourceFile,
        line: int,
        within: tuple[Block, Branch] | None,
        depth: int,
    ) -> bool:
        """Read a header in place of its `#include`; False: the preprocessor may find it."""
        match = _INCLUDED.match(rest)
        if match is None or depth > _DEEPEST:
            return False
        folders = [file.path.parent, self.unit.source.path.parent] if match.group(1) else []
        name = match.group(1) or match.group(2)
        paths = (folder / name for folder in (*folders, *self.unit.how.include_dirs))
        found = next((path for path in paths if path.is_file()), None)
        if found is None:
            return False
        header = SourceFile(found, text_of(found.read_bytes()))
        if header.name not in self._once:
            self.headers[str(found.absolute())] = header
            self._read(header, line, within, depth + 1)
        return True


_DEEPEST = 40
_OF_COMPILERS = re.compile(
    r"__(clang|GNUC|OPENCL|NV|IMAGE_SUPPORT|ENDIAN_LITTLE|FAST_RELAXED_MATH|EMBEDDED_PROFILE)\w*"
    r"|cl_khr_\w+"
)


@lru_cache(maxsize=16)
def branches_of(unit: Unit) -> Branches:
    return Branches(unit)


@lru_cache(maxsize=1024)
def defines_once(unit: Unit, name: str) -> bool:
    """The file, or a header of it, defines the macro once in any build, and nothing else does."""
    branches, history = branches_of(unit), unit.macros.history.get(name, [])
    found = [each for each in branches.definitions if each.name == name]
    if branches.unseen or len(found) != 1 or len(history) != 1 or history[0][0] == 0:
        return False
    (only,) = found
    return not only.undefines and not only.conditions


def _close(block: Block, end: int) -> None:
    block.branches[-1] = replace(block.branches[-1], end=end)


def _guards(block: Block) -> bool:
    """Of a block that stands in no other one of its file."""
    match = re.fullmatch(r"!defined\((\w+)\)", block.branches[0].condition)
    if match is None or len(block.branches) != 1 or _OF_COMPILERS.fullmatch(match.group(1)):
        return False
    text = block.file.text
    inside = tokenize(text[block.branches[0].start : block.end])
    # With a value it is a default, unless that is 1 and more stands behind it.
    value = "( 1)?" if len(inside) > 1 else ""
    defines = rf"#\s*define {match.group(1)}{value}"
    behind = re.sub(r"^#\s*endif[^\n]*", "", COMMENT.sub(" ", text[block.end :]).strip())
    first = _one_line(inside[0]) if inside else ""
    return re.fullmatch(defines, first) is not None and not behind.strip()


def _one_line(directive: Token) -> str:
    """Without comments, and on one line."""
    joined = directive._replace(text=_SPLICE.sub("", directive.text))
    return " ".join(plain_directive(joined).split())
