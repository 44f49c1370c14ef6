"""Preprocess a file with the C compiler and keep the place of every token.

Before the compiler sees the text, each token gets a marker `@k@` in front of it (k is
the token's number in the file). The markers pass through the preprocessor, so that
every token of its output is known to be the k-th token of the file, a token from
the body of a macro that was invoked at the k-th token, or one from a header.
Only brackets that make a name a macro invocation, and arguments that meet `##`,
cannot be marked.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from kfusion.parse.compiler import STDIN, Failure, Preprocessor, failed, missing_header, run
from kfusion.parse.macros import MacroTable, arguments, macros_in_sight, read_macros
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import error
from kfusion.source.lexer import Kind, Token, matching, tokenize
from kfusion.source.text import SourceFile, Span

_WITH_MACROS = ("-dD",)
_MARKED = re.compile(r"@\s*(\d+)\s*@\s*")
_OUTPUT_TOKEN = re.compile(
    r"""@\s*(\d+)\s*@
      | ( [A-Za-z_$][\w$]*+(?!["'])
        | [][(){};,?:~]
        | (?:L|u8|u|U)? (?: "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*' )
        | [A-Za-z_$][\w$]*
        | \.?[0-9](?:[eEpP][+-]|[\w.])*
        | \.\.\.|<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\S )""",
    re.VERBOSE,
)
_PROTOTYPE = re.compile(r"(?!.*\b(?:typedef|struct|union|enum)\b)\s*[A-Za-z_][^{}]*;\s*")
_LINE_MARKER = re.compile(r'#\s*(?:line\s+)?(\d+)\s+"((?:[^"\\]|\\.)*)"([ 1-4]*)')
_LINE_DIRECTIVE = re.compile(r"#\s*(?:line\b|\d)")
_new = tuple.__new__  # without the function of PToken, which takes half of the time
_IN_FILE = re.compile(rf"{STDIN}:(\d+)")


class PToken(NamedTuple):
    """A token after preprocessing."""

    text: str
    start: int  # offsets of this very token in the main file; -1: not written there
    end: int
    macro: tuple[int, int] | None  # the outermost macro call, or the #include, that brought it
    file: str  # STDIN for the main file
    line: int
    system: bool = False  # it stands in a system header
    inner: tuple[int, int] | None = None  # a macro call in the arguments of `macro`

    @property
    def place(self) -> tuple[int, int] | None:
        """Where it is written, inside of `macro`."""
        return self.inner or ((self.start, self.end) if self.start >= 0 else None)


@dataclass(frozen=True)
class Preprocessed:
    tokens: list[PToken]
    macros: MacroTable
    how: Preprocessor
    stubs: frozenset[str] = frozenset()  # system headers taken as empty


def preprocess(
    source: SourceFile, text: str, how: Preprocessor, *, stubs_allowed: bool
) -> Preprocessed:
    """`text` is the source's text with annotations blanked (same offsets)."""
    tokens = tokenize(text)
    text = _without_line_directives(text, tokens)
    stubs: frozenset[str] = frozenset()
    with tempfile.TemporaryDirectory(prefix="kfusion-") as name:
        folder = Path(name)
        done = _at_once(source, text, tokens, how, folder)
        if done is None:
            macros, stubs = _macros(source, text, how, folder, stubs_allowed)
            done = (*_run_marked(source, text, tokens, macros, how, folder), macros)
    output, unmarked, macros = done
    reader = _Reader(tokens, source, macros, unmarked)
    return Preprocessed(reader.read(output), macros, how, stubs)


def _at_once(
    source: SourceFile, text: str, tokens: Sequence[Token], how: Preprocessor, folder: Path
) -> tuple[str, set[int], MacroTable] | None:
    """One run of the compiler instead of two: the output, the tokens without markers, macros.

    Which tokens can be marked depends on the macros. If those that the compiler finds tell
    the same as those seen without it, all is well. None: there is something to look into.
    """
    if any(_is_unfinished(text, token) for token in tokens):
        return None  # markers would end the comment
    in_sight = macros_in_sight(text, (source.path.parent, *how.include_dirs))
    unmarked = _unmarkable(tokens, in_sight, source, set())
    output = run(source, _mark(text, tokens, unmarked), how, folder, _WITH_MACROS)
    if isinstance(output, Failure):
        return None
    macros = read_macros(output, STDIN)
    same = _unmarkable(tokens, macros, source, set()) == unmarked
    return (output, unmarked, macros) if same else None


def _is_unfinished(text: str, token: Token) -> bool:
    """It begins a comment or a string without an end."""
    return token.text in ('"', "'") or text.startswith("/*", token.start)


def _macros(
    source: SourceFile, text: str, how: Preprocessor, folder: Path, stubs_allowed: bool
) -> tuple[MacroTable, frozenset[str]]:
    """Of a run without markers; missing system headers are made in the folder."""
    stubs: set[str] = set()
    listing = run(source, text, how, folder, _WITH_MACROS)
    while isinstance(listing, Failure):
        header = missing_header(source, listing, stubs_allowed)
        if header in stubs:
            raise failed(source, listing)
        stubs.add(header)
        _make_stub(source, header, folder)
        listing = run(source, text, how, folder, _WITH_MACROS)
    return read_macros(listing, STDIN), frozenset(stubs)


def _without_line_directives(text: str, tokens: Sequence[Token]) -> str:
    """`#line` would hide where tokens stand; a byte order mark is white space."""
    text = " " + text[1:] if text.startswith("\ufeff") else text
    for token in tokens:
        if token.kind is Kind.DIRECTIVE and _LINE_DIRECTIVE.match(token.text):
            blank = re.sub(r"[^\n]", " ", token.text)
            text = text[: token.start] + blank + text[token.end :]
    return text


def _make_stub(source: SourceFile, header: str, folder: Path) -> None:
    """An empty file for a missing system header."""
    stub = folder / header
    try:
        stub.parent.mkdir(parents=True, exist_ok=True)
        stub.write_text("")
    except OSError:
        at = max(source.text.find(f"<{header}>"), 0)
        span = Span(source, at, at + len(header) + 2)
        raise error(
            "KF105", f"header '{header}' is not found", span, help="add its folder with -I"
        ) from None


def _run_marked(
    source: SourceFile,
    text: str,
    tokens: Sequence[Token],
    macros: MacroTable,
    how: Preprocessor,
    folder: Path,
) -> tuple[str, set[int]]:
    """The output, and the tokens without markers.

    Macro calls on lines where markers met a `##` in a way not foreseen go without.
    """
    careful: set[int] = set()
    while True:
        unmarked = _unmarkable(tokens, macros, source, careful)
        output = run(source, _mark(text, tokens, unmarked), how, folder)
        if isinstance(output, str):
            return output, unmarked
        # Where the `##` stands, perhaps in a header, and where macros that lead to it are called.
        lines = {int(line) for line in _IN_FILE.findall(output.message)}
        if "error: pasting " not in output.message or lines <= careful:
            raise failed(source, Failure(_unmark(output.message)))
        careful |= lines


def _unmark(text: str) -> str:
    return _MARKED.sub("", text)


def _mark(text: str, tokens: Sequence[Token], unmarked: set[int]) -> str:
    pieces: list[str] = []
    position = 0
    for index, token in enumerate(tokens):
        if token.kind is Kind.DIRECTIVE or index in unmarked:
            continue
        pieces.append(text[position : token.start])
        pieces.append(f"@{index}@ ")
        position = token.start
    pieces.append(text[position:])
    return "".join(pieces)


def _unmarkable(
    tokens: Sequence[Token], macros: MacroTable, source: SourceFile, careful: set[int]
) -> set[int]:
    result: set[int] = set()
    for index, token in enumerate(tokens):
        if token.kind is not Kind.NAME:
            continue
        if token.text == "_Pragma":
            result |= set(range(index, (matching(tokens, index + 1) or index) + 1))
        elif token.text in macros.history and _next_is(tokens, index, "("):
            result.add(index + 1)
            result |= _unmarkable_call(tokens, index, macros, source, careful)
    return result


def _unmarkable_call(
    tokens: Sequence[Token], index: int, macros: MacroTable, source: SourceFile, careful: set[int]
) -> set[int]:
    """In a call of a macro: commas, the closing bracket, and arguments that meet `##`."""
    ranges = arguments(tokens, index + 1)
    close = matching(tokens, index + 1)
    if ranges is None or close is None:
        return set()
    name, line = tokens[index].text, source.location(tokens[index].start).line
    last = source.location(tokens[close].start).line
    if any(line <= each <= last for each in careful):
        return set(range(index + 1, close + 1))
    macro = macros.called(name, line)
    if macro is None or macro.parameters is None:
        return set()
    result = {end for _, end in ranges} | {close}
    if _next_is(tokens, close, "("):  # the call may give the name of another macro
        result.add(close + 1)
    pasted = macros.pasted_parameters(macro.name)
    for position, (start, end) in enumerate(ranges):
        if min(position, len(macro.parameters) - 1) in pasted:
            result |= set(range(start, end))
    return result


def _next_is(tokens: Sequence[Token], index: int, text: str) -> bool:
    return index + 1 < len(tokens) and tokens[index + 1].text == text


@lru_cache(maxsize=1 << 14)  # the files of a program include the same headers
def _header_words(line: str) -> tuple[list[str], int]:
    """The tokens of a line, and how many more brackets are open behind it."""
    words = [word for _, word in _OUTPUT_TOKEN.findall(line)]
    return words, sum((word in ("{", "(")) - (word in ("}", ")")) for word in words)


@lru_cache(maxsize=1 << 14)
def _declares_no_type(line: str) -> bool:
    return _PROTOTYPE.fullmatch(line) is not None


class _Reader:
    """The compiler's output as tokens with places."""

    def __init__(
        self,
        tokens: Sequence[Token],
        source: SourceFile,
        macros: MacroTable,
        unmarked: set[int],
    ) -> None:
        self.tokens, self.source, self.macros = tokens, source, macros
        self.unmarked = unmarked
        self.result: list[PToken] = []
        self.file, self.line, self.system = STDIN, 0, False
        self.system_files: set[str] = set()
        self.depth = 0  # of brackets in headers
        directives = [t for t in tokens if t.kind is Kind.DIRECTIVE]
        self.pragmas = {source.location(t.start).line: t for t in directives}
        self.ends = {source.location(t.end).line: t for t in directives}
        self.include: tuple[int, int] | None = None  # the #include in the main file
        self.returns: list[int] = []  # lines behind each #include
        self.pending: int | None = None  # the marker in front of the next token
        self.last = 0  # the last marker
        self.macro: tuple[int, int] | None = None  # the macro call that is open
        self.macro_first = self.macro_last = -1  # its tokens
        self.inner: tuple[int, int] | None = None  # a macro call in its arguments
        self.inner_last = -1

    def read(self, output: str) -> list[PToken]:
        lines = output.split("\n")
        directives = [text for text in lines if text.startswith("#") and text[:7] != "#define"]
        markers = [m for m in map(_LINE_MARKER.match, directives) if m is not None]
        self.returns = [
            int(m.group(1)) for m in markers if m.group(2) == STDIN and "2" in m.group(3)
        ]
        self.returns.reverse()
        for text in lines:
            if text.startswith("#"):
                if text[:7] == "#define":  # most of them are
                    self.line += 1
                else:
                    self._directive(text)
                continue
            if self.file != STDIN:
                self._header_line(text)
            elif text:
                for mark, word in _OUTPUT_TOKEN.findall(text):
                    if word:
                        self._token(word)
                    elif int(mark) < len(self.tokens):
                        self._mark(int(mark))
            self.line += 1
        return self.result

    def _header_line(self, text: str) -> None:
        if not text or (self.system and self._is_prototype(text)):
            return
        place = (-1, -1, self.include, self.file, self.line, self.system, None)
        words, deeper = _header_words(text)
        self.result += [_new(PToken, (word, *place)) for word in words]
        self.depth += deeper

    def _is_prototype(self, text: str) -> bool:
        """A line of a system header that declares functions or variables and no type.

        Parsing has no use for it, and most lines of system headers are such.
        """
        before = self.result[-1] if self.result else None
        whole = before is None or before.file != self.file or before.text in (";", "}")
        return whole and self.depth == 0 and _declares_no_type(text)

    def _directive(self, text: str) -> None:
        marker = _LINE_MARKER.match(text)
        if marker:
            file, flags = marker.group(2), marker.group(3)
            if self.file == STDIN and "1" in flags and self.returns:
                directive = self.ends.get(self.returns.pop() - 1)
                self.include = (directive.start, directive.end) if directive else None
            elif file == STDIN:
                self.include = None
            if "1" in flags and "3" in flags:  # without 1: a macro of a system header
                self.system_files.add(file)
            self.file, self.line = file, int(marker.group(1))
            self.system = file in self.system_files
            return
        if text.startswith("#pragma"):
            token = self.pragmas.get(self.line) if self.file == STDIN else None
            start, end = (token.start, token.end) if token else (-1, -1)
            around = self.include
            if token is None and self.file == STDIN and self.tokens:  # it was a _Pragma
                at = min(self.last + 1, len(self.tokens) - 1)
                operator, closing = self.tokens[at], self.tokens[at : at + 4][-1]  # `("unroll")`
                whole = operator.text == "_Pragma" and closing.text == ")"
                around = self.macro or (operator.start, (closing if whole else operator).end)
            self.result.append(PToken(text, start, end, around, self.file, self.line, self.system))
        self.line += 1

    def _mark(self, index: int) -> None:
        self.pending = self.last = index
        if index <= self.macro_last:
            self._mark_inner(index)
            return
        self.inner, self.inner_last = None, -1
        last = self._macro_call(index)
        if last is None:
            self.macro, self.macro_first, self.macro_last = None, -1, -1
        else:
            self.macro = (self.tokens[index].start, self.tokens[last].end)
            self.macro_first, self.macro_last = index, last

    def _mark_inner(self, index: int) -> None:
        """A macro call among the arguments of another ends at the next marked token."""
        if index <= self.inner_last:
            return
        self.inner, self.inner_last = None, -1
        last = self._macro_call(index) if index > self.macro_first else None
        if last is not None and last + 1 < self.macro_last and last + 1 not in self.unmarked:
            self.inner = (self.tokens[index].start, self.tokens[last].end)
            self.inner_last = last

    def _token(self, word: str) -> None:
        start = end = -1
        macro = self.macro
        marked, self.pending = self.pending, None
        if marked is not None and marked != self.macro_first and word == self.tokens[marked].text:
            start, end = self.tokens[marked].start, self.tokens[marked].end
        elif macro is None and self.tokens:  # __LINE__ and the like
            macro = (self.tokens[self.last].start, self.tokens[self.last].end)
        if start < 0 and word[-1] == '"':
            word = _unmark(word)
        place = (start, end, macro, self.file, self.line, False, self.inner)
        self.result.append(_new(PToken, (word, *place)))

    def _macro_call(self, index: int) -> int | None:
        """The last token of the macro call that starts at a token; None: it is not one."""
        token = self.tokens[index]
        if token.kind is not Kind.NAME or token.text not in self.macros.history:
            return None
        line = self.source.location(token.start).line
        macro = self.macros.at(token.text, line)
        if macro is None or macro.body == token.text:
            return None
        if _next_is(self.tokens, index, "(") and self.macros.called(token.text, line):
            return matching(self.tokens, index + 1) or index
        return index if macro.parameters is None else None
