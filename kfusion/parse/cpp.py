"""C++ hosts: tokens after preprocessing, and no tree.

What a region does is not predicted from C++; `runs(...)` or a recorded run tells. The tokens
say which functions a file names, and which kernels stand in its strings.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from kfusion.parse.annotations import Annotations, find_annotations
from kfusion.parse.compiler import STDIN, Failure, Preprocessor, failed, missing_header, run
from kfusion.parse.macros import MacroTable, read_macros
from kfusion.parse.preprocess import PToken
from kfusion.parse.syntax import is_name
from kfusion.source.dataclasses import dataclass
from kfusion.source.text import SourceFile, Span, text_of

_RAW = r'(?:u8|u|U|L)?R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"'
_TOKEN = re.compile(
    rf"""(?P<space> \s+ )
      | (?P<string> {_RAW} | (?:u8|u|U|L)? "(?:[^"\\\n]|\\.)*" )
      | (?P<other>  (?:u8|u|U|L)? '(?:[^'\\\n]|\\.)*' | [A-Za-z_$][\w$]*
                  | \.?[0-9](?:[eEpP][+-]|'(?=\w)|[\w.])*
                  | \.\.\.|<=>|<<=|>>=|->\*|->|::|\.\*|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\|
                  | [-+*/%&|^]=|\S )""",
    re.VERBOSE | re.DOTALL,
)
_LINE_MARKER = re.compile(r'\#\s*(?:line\s+)?(\d+)\s+"((?:[^"\\\n]|\\.)*)"([ 1-4]*)[^\n]*\n?')
_CALL = re.compile(r"\bcl[A-Z]\w*\s*\(")
_BINDINGS = r"CL/(?:cl|cl2|opencl)\.hpp"
_BUILDS = frozenset(("clBuildProgram", "clCompileProgram", "clLinkProgram"))
_DEFINED = re.compile(r"#define (\w+)([^\n]*)")
_NUMBER = re.compile(  # without suffixes of the program's own
    r"[ \t]+[-+(]*(?:0[xX][0-9a-fA-F']+|[0-9.][0-9.']*(?:[eE][-+]?[0-9]+)?)[uUlLfF]*[ \t)]*"
)
_WRITTEN = re.compile(
    rf"""//(?:[^\n\\]|\\(?:\r?\n|.))* | /\*.*?\*/ | (?P<raw> {_RAW} )
      | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*'""",
    re.VERBOSE | re.DOTALL,
)


EMPTY = MacroTable()
_DEFINITION = re.compile(r"(?m)^[ \t]*#[ \t]*define[ \t]+(\w+)")
_NO_TYPE = frozenset("return else case throw new delete goto co_return co_await co_yield".split())


@dataclass(frozen=True, eq=False)
class CppUnit:
    source: SourceFile
    plain: SourceFile  # with blanks for what stands in raw strings
    annotations: Annotations
    tokens: list[PToken]  # without those of system headers; they know their lines only
    macros: frozenset[str] = frozenset()  # that the program defines
    numbers: frozenset[str] = frozenset()  # of these, those that stand for numbers alone
    bindings: Span | None = None  # where the bindings of OpenCL for C++ are included
    calling_header: str | None = None  # of the system, that calls functions of OpenCL
    table: MacroTable = EMPTY  # of all macros
    defined_twice: frozenset[str] = frozenset()  # or for other options of the compiler
    headers: tuple[str, ...] = ()  # none of the system's

    @property
    def builds(self) -> bool:
        """Does it build programs, with options that are not looked at?"""
        return any(token.text in _BUILDS for token in self.tokens)

    @cached_property
    def declared_functions(self) -> frozenset[str]:
        """`type * name (` at the beginning of a statement: names that may be declared so."""
        found: set[str] = set()
        begins, names = True, 0
        for token, behind in pairwise(self.tokens):
            if token.text in (";", "{", "}", ":"):
                begins, names = True, 0
            elif begins and is_name(token.text) and token.text not in _NO_TYPE:
                if behind.text == "(" and names > 0:
                    found.add(token.text)
                names += 1
            elif token.text not in ('"C"', "*", "&"):
                begins = False
        return frozenset(found)

    def __repr__(self) -> str:
        return f"CppUnit({self.source.name!r})"


def parse_cpp(source: SourceFile, how: Preprocessor) -> CppUnit:
    """The headers are the system's own: those that kfusion brings are C."""
    plain = SourceFile(source.path, without_raw_strings(source.text))
    annotations = find_annotations(plain, kernels=False)
    text = annotations.blanked(source.text)
    with tempfile.TemporaryDirectory(prefix="kfusion-") as folder:
        real = replace(how, real_headers=True)
        output = run(source, text, real, Path(folder), ("-x", "c++", "-dD"))
    if isinstance(output, Failure):
        missing_header(source, output, stubs_allowed=False)  # says so, if that is what fails
        raise failed(source, output)
    tokens, macros, headers, calling = _read(output, source.path.resolve().parent)
    numbers = frozenset(n for n, bodies in macros.items() if all(map(_NUMBER.fullmatch, bodies)))
    return CppUnit(
        source,
        plain,
        annotations,
        tokens,
        frozenset(macros),
        numbers,
        _bindings(plain, output),
        calling,
        read_macros(output, STDIN),
        _defined_twice([source.text, *(_text(header) for header in headers)]),
        tuple(headers),
    )


def _defined_twice(texts: Iterable[str]) -> frozenset[str]:
    count = Counter(name for text in texts for name in _DEFINITION.findall(text))
    return frozenset(name for name, times in count.items() if times > 1)


def _text(header: str) -> str:
    try:
        return text_of(Path(header).read_bytes())
    except OSError:
        return ""


def _bindings(source: SourceFile, output: str) -> Span | None:
    """Their functions are inline: other files of the program may have them, too."""
    if re.search(rf'(?m)^# \d+ "[^"\n]*/{_BINDINGS}"', output) is None:
        return None
    written = re.search(rf"(?m)^[ \t]*(#[ \t]*include[ \t]*[<\"]{_BINDINGS}[>\"])", source.text)
    return Span(source, *written.span(1)) if written else source.line_span(1)


def without_raw_strings(text: str) -> str:
    """With blanks for them: what stands in them is not C++, whatever it looks like."""
    return _WRITTEN.sub(
        lambda m: re.sub(r"[^\n]", " ", m.group()) if m.group("raw") else m.group(), text
    )


def _is_within(folder: Path, file: str) -> bool:
    """A header of the program, whatever it says of itself: `#pragma GCC system_header`."""
    return not Path(file).is_absolute() or Path(file).is_relative_to(folder)


def _read(
    output: str, folder: Path
) -> tuple[list[PToken], dict[str, list[str]], list[str], str | None]:
    """Tokens, macros with all of their definitions, and headers; none of the system's. Of these
    one that calls OpenCL."""
    result: list[PToken] = []
    calling: str | None = None
    headers: dict[str, None] = {}
    macros: dict[str, list[str]] = {}
    file, line, system = STDIN, 1, False
    position, at_start = 0, True
    while position < len(output):
        marker = _LINE_MARKER.match(output, position) if at_start else None
        if marker is not None:
            line, file = int(marker.group(1)), marker.group(2)
            system = "3" in marker.group(3) and not _is_within(folder, file)
            if not system and file[0] != "<":
                headers[file] = None
            position = marker.end()
            continue
        if system or (at_start and output[position] == "#"):  # the rest of the line
            end = output.find("\n", position) + 1 or len(output)
            if system and calling is None and _CALL.search(output, position, end):
                calling = None if "/CL/" in file else file.rpartition("/")[2]
            defined = None if system else _DEFINED.match(output, position)
            if defined is not None and not file.startswith("<b"):  # <built-in>
                macros.setdefault(defined.group(1), []).append(defined.group(2))
            if not system and output.startswith(("#pragma", "#undef cl"), position):
                directive = output[position:end].rstrip("\n")
                result.append(PToken(directive, -1, -1, None, file, line))
            line, position, at_start = line + 1, end, True
            continue
        match = _TOKEN.match(output, position)
        assert match is not None
        text = match.group()
        if match.lastgroup != "space":
            result.append(PToken(text, -1, -1, None, file, line))
        line += text.count("\n")
        at_start = text[-1] == "\n"
        position = match.end()
    return result, macros, list(headers), calling
