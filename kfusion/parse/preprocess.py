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
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from kfusion.parse.macros import MacroTable, arguments, read_macros
from kfusion.source.diagnostics import error
from kfusion.source.lexer import Kind, Token, matching, tokenize
from kfusion.source.text import SourceFile, Span

STDIN = "<stdin>"
_MARKED = re.compile(r"@\s*(\d+)\s*@\s*")
_OUTPUT_TOKEN = re.compile(
    r"""@\s*(?P<mark>\d+)\s*@
      | (?P<token> [A-Za-z_$][\w$]* | \.?[0-9](?:[eEpP][+-]|[\w.])*
                 | [LuU8]*"(?:[^"\\]|\\.)*" | L?'(?:[^'\\]|\\.)*'
                 | \.\.\.|<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\S )""",
    re.VERBOSE,
)
_LINE_MARKER = re.compile(r'#\s*(?:line\s+)?(\d+)\s+"((?:[^"\\]|\\.)*)"')
_MISSING = re.compile(
    r"^(.*?):(\d+):(?:(\d+):)? (?:fatal error|error): '?([^:']+)'?(?:: No such file| file not found)",
    re.MULTILINE,
)
_FAILED = re.compile(r"^(.*?):(\d+):(?:(\d+):)? (?:fatal error|error): (.*)$", re.MULTILINE)
_CPP_HEADER = re.compile(
    r"<(?:iostream|vector|string|memory|map|algorithm|fstream|sstream|array|chrono|iomanip|cmath|cstdio|cstdlib|cstring|utility|functional|thread|CL/cl2?\.hpp|CL/opencl\.hpp)>"
)


@dataclass(frozen=True)
class Preprocessor:
    """How to call the C compiler."""

    cc: str = "cc"
    include_dirs: tuple[Path, ...] = ()
    system_dirs: tuple[Path, ...] = ()
    defines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PToken:
    """A token after preprocessing."""

    text: str
    start: int  # offsets of this very token in the main file; -1: not written there
    end: int
    macro: tuple[int, int] | None  # the outermost macro invocation that it came through
    file: str  # STDIN for the main file
    line: int


@dataclass(frozen=True)
class Preprocessed:
    tokens: list[PToken]
    macros: MacroTable
    stubs: frozenset[str] = field(default=frozenset())  # system headers taken as empty


def preprocess(source: SourceFile, text: str, preprocessor: Preprocessor) -> Preprocessed:
    """`text` is the source's text with annotations blanked (same offsets)."""
    tokens = tokenize(text)
    stubs: set[str] = set()
    with tempfile.TemporaryDirectory(prefix="kfusion-") as folder:
        stub_dir = Path(folder)
        while True:
            listing = _run(source, text, preprocessor, stub_dir, ["-dD"])
            if isinstance(listing, str):
                break
            stubs.add(_make_stub(source, listing.message, stub_dir))
        macros = read_macros(listing, STDIN)
        marked = _mark(text, tokens, macros, source)
        output = _run(source, marked, preprocessor, stub_dir, [])
    if isinstance(output, _Failure):
        raise _failure(source, output.message)
    return Preprocessed(_read(output, tokens, source, macros), macros, frozenset(stubs))


@dataclass(frozen=True)
class _Failure:
    message: str


def _run(
    source: SourceFile, text: str, how: Preprocessor, stub_dir: Path, flags: list[str]
) -> str | _Failure:
    command = [*how.cc.split(), "-E", "-x", "c", "-nostdinc", *flags]
    command += [f"-D{define}" for define in how.defines]
    command += ["-iquote", str(source.path.parent)]
    command += [f"-I{directory}" for directory in how.include_dirs]
    for directory in (*how.system_dirs, stub_dir):
        command += ["-isystem", str(directory)]
    try:
        done = subprocess.run(
            [*command, "-"], input=text.encode(), capture_output=True, check=False
        )
    except OSError:
        raise no_compiler(how.cc) from None
    if done.returncode != 0:
        return _Failure(done.stderr.decode(errors="replace"))
    return done.stdout.decode(errors="replace")


def no_compiler(cc: str) -> Exception:
    found = [name for name in ("cc", "gcc", "clang") if shutil.which(name)]
    hint = f"try --cc {found[0]}" if found else "install one, for example: apt-get install gcc"
    return error("KF106", f"no C compiler for preprocessing: cannot run '{cc}'", help=hint)


def _make_stub(source: SourceFile, message: str, stub_dir: Path) -> str:
    """An empty file for a missing system header; any other failure is an error."""
    missing = _MISSING.search(message)
    if missing is None:
        raise _failure(source, message)
    header = missing.group(4).strip()
    place = _place(source, missing.group(1), int(missing.group(2)))
    line = place.file.line_text(place.location.line)
    if _CPP_HEADER.search(line):
        raise cpp_host(place)
    if f"<{header}>" not in line or header.startswith(("/", ".")):
        at = line.find(header)
        if at >= 0:
            start = place.file.line_starts[place.location.line - 1] + at
            place = Span(place.file, start, start + len(header))
        raise error(
            "KF105", f"header '{header}' is not found", place, help="add its folder with -I"
        )
    stub = stub_dir / header
    stub.parent.mkdir(parents=True, exist_ok=True)
    stub.write_text("")
    return header


def cpp_host(span: Span | None) -> Exception:
    return error(
        "KF108",
        "this is C++; hosts must be C",
        span,
        help="move the functions that set kernel arguments and launch kernels, and the "
        "regions that call them, into C files, and give kfusion those",
    )


def _failure(source: SourceFile, message: str) -> Exception:
    failed = _FAILED.search(message)
    if failed is None:
        first = message.strip().split("\n")[0] if message.strip() else "no message"
        return error("KF107", f"the C compiler cannot preprocess {source.name}: {first}")
    place = _place(source, failed.group(1), int(failed.group(2)))
    return error("KF107", f"preprocessing failed: {_unmark(failed.group(4))}", place)


def _place(source: SourceFile, name: str, line: int) -> Span:
    if name == STDIN:
        return source.line_span(line)
    path = Path(name)
    header = SourceFile(path, path.read_text(errors="replace"))
    return header.line_span(line)


def _unmark(text: str) -> str:
    return _MARKED.sub("", text)


def _mark(text: str, tokens: list[Token], macros: MacroTable, source: SourceFile) -> str:
    unmarked = _unmarkable(tokens, macros, source)
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


def _unmarkable(tokens: list[Token], macros: MacroTable, source: SourceFile) -> set[int]:
    result: set[int] = set()
    for index, token in enumerate(tokens):
        if token.kind is not Kind.NAME:
            continue
        if token.text == "_Pragma":
            result |= set(range(index, (matching(tokens, index + 1) or index) + 1))
        elif token.text in macros.history:
            result.add(index + 1) if _next_is(tokens, index, "(") else None
            ranges = arguments(tokens, index + 1)
            if ranges is None:
                continue
            macro = macros.at(token.text, source.location(token.start).line)
            if macro is None or macro.parameters is None:
                continue
            result |= {end for _, end in ranges}  # commas and the closing bracket
            result.add(matching(tokens, index + 1) or index)
            pasted = macros.pasted_parameters(token.text)
            for position, (start, end) in enumerate(ranges):
                if min(position, len(macro.parameters) - 1) in pasted:
                    result |= set(range(start, end))
    return result


def _next_is(tokens: list[Token], index: int, text: str) -> bool:
    return index + 1 < len(tokens) and tokens[index + 1].text == text


def _invocation(tokens: list[Token], index: int, macros: MacroTable, line: int) -> int:
    """The last token of the macro invocation that starts at `index`."""
    macro = macros.at(tokens[index].text, line)
    if _next_is(tokens, index, "(") and (macro is None or macro.parameters is not None):
        if macro is not None:
            return matching(tokens, index + 1) or index
    return index


def _read(output: str, tokens: list[Token], source: SourceFile, macros: MacroTable) -> list[PToken]:
    result: list[PToken] = []
    directives = {source.location(t.start).line: t for t in tokens if t.kind is Kind.DIRECTIVE}
    file, line = STDIN, 0
    pending: int | None = None
    open_macro: tuple[int, int] | None = None  # offsets
    open_last = -1  # the last token of the open invocation
    for text in output.split("\n"):
        if text.startswith("#"):
            marker = _LINE_MARKER.match(text)
            if marker:
                file, line = marker.group(2), int(marker.group(1))
                continue
            if text.startswith("#pragma"):
                token = directives.get(line) if file == STDIN else None
                start, end = (token.start, token.end) if token else (-1, -1)
                result.append(PToken(text, start, end, None, file, line))
                line += 1
                continue
        for match in _OUTPUT_TOKEN.finditer(text):
            if match.group("mark"):
                pending = int(match.group("mark"))
                if pending > open_last:
                    open_macro, open_last = None, -1
                continue
            word = match.group("token")
            if file != STDIN:
                result.append(PToken(word, -1, -1, None, file, line))
                continue
            start = end = -1
            if pending is not None:
                token = tokens[pending]
                if word == token.text:
                    start, end = token.start, token.end
                elif open_macro is None:
                    at = source.location(token.start).line
                    open_last = _invocation(tokens, pending, macros, at)
                    open_macro = (token.start, tokens[open_last].end)
                pending = None
            if start < 0 and word[-1] == '"':
                word = _unmark(word)
            result.append(PToken(word, start, end, open_macro, file, line))
        line += 1
    return result
