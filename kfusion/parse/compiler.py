"""The C compiler as preprocessor: how it is called, and what its messages mean."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import field, replace
from pathlib import Path

from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import KFusionError, error
from kfusion.source.lexer import Kind, matching, tokenize
from kfusion.source.text import SourceFile, Span, bytes_of, text_of

STDIN = "<stdin>"
# Of error messages, and compiled when there is one.
_MISSING = (
    r"(?m)^(.*?):(\d+):(?:(\d+):)? (?:fatal error|error): "
    r"'?([^:'\n]+)'?(?:: No such file| file not found)"
)
_READ = r'(?m)^# \d+ "((?:[^"\\\n]|\\.)+)"'  # line markers: files, and <built-in>
_FAILED = r"(?m)^(.*?):(\d+):(?:(\d+):)? (?:fatal error|error): (.*)$"
_PLACELESS = r"(?m)^.*?(?:fatal error|error): (.*)$"
_UNFINISHED_CALL = r'unterminated argument list invoking macro "(\w+)"'
_CPP_HEADER = (
    r"<(?:iostream|vector|string|memory|map|set|algorithm|fstream|sstream|array|chrono|iomanip"
    r"|utility|functional|thread|mutex|stdexcept|exception|numeric|random|iterator|limits|tuple"
    r"|c(?:math|stdio|stdlib|string|assert|stdint|stddef|time|float|limits|errno)"
    r"|[\w/]*\.(?:hpp|hh|hxx))>"
)
_TAB = 8  # compilers count columns with tab stops of this width


def is_define(text: str) -> bool:
    """`NAME`, `NAME=VALUE` or `NAME(x)=VALUE`, as it follows a `-D`."""
    return re.match(r"[A-Za-z_]\w*(\([^)]*\))?(=|$)", text) is not None


@dataclass(frozen=True)
class Preprocessor:
    """How to call the C compiler."""

    cc: str = "cc"
    include_dirs: tuple[Path, ...] = ()
    system_dirs: tuple[Path, ...] = ()
    defines: tuple[str, ...] = ()
    real_headers: bool = False  # those of the system, instead of system_dirs
    read: set[str] = field(default_factory=set)  # grows: what the compiler has named so far


@dataclass(frozen=True)
class Failure:
    message: str


def run(
    source: SourceFile, text: str, how: Preprocessor, folder: Path, flags: tuple[str, ...] = ()
) -> str | Failure:
    """Preprocess a text as if it were the file; `folder` holds the stubs of system headers."""
    try:
        command = [*shlex.split(how.cc), "-E", "-x", "c", *flags]
    except ValueError as failure:
        raise no_compiler(how.cc, str(failure)) from None
    command += [f"-D{define}" for define in how.defines]
    command += ["-iquote", str(source.path.parent.absolute())]
    command += [f"-I{directory.absolute()}" for directory in how.include_dirs]
    if not how.real_headers:
        command += ["-nostdinc"]
        for directory in (*how.system_dirs, folder):
            command += ["-isystem", str(directory)]
    try:
        # In the folder of stubs, because quoted headers are searched beside the file first.
        done = subprocess.run(
            [*command, "-"],
            input=bytes_of(text),
            capture_output=True,
            check=False,
            cwd=folder,
            env={**os.environ, "LC_ALL": "C"},
        )
    except OSError as failure:
        raise no_compiler(how.cc, failure.strerror or str(failure)) from None
    if done.returncode != 0 and not done.stderr.strip():
        raise no_compiler(how.cc, "it fails without a message")
    if done.returncode != 0:
        return Failure(done.stderr.decode(errors="replace"))
    output = text_of(done.stdout)
    if f'"{STDIN}"' not in output:
        raise no_compiler(how.cc, "it does not preprocess")
    how.read.update(re.findall(_READ, output))
    return output


def is_c(words: Iterable[str], how: Preprocessor) -> bool:
    """Does the compiler accept the tokens, whatever it says of names that are not declared?"""
    command = [*shlex.split(how.cc), "-x", "c", "-std=gnu11", "-w", "-fpermissive", "-fsyntax-only"]
    text, english = bytes_of("\n".join(words)), {**os.environ, "LC_ALL": "C"}
    try:
        done = subprocess.run(
            [*command, "-"], input=text, capture_output=True, check=False, env=english
        )
    except OSError:
        return False
    errors = [
        line for line in done.stderr.decode(errors="replace").split("\n") if " error: " in line
    ]
    return done.returncode == 0 or (bool(errors) and all(" undeclared " in e for e in errors))


def no_compiler(cc: str, why: str) -> KFusionError:
    found = [name for name in ("cc", "gcc", "clang") if name != cc and shutil.which(name)]
    hint = f"try --cc {found[0]}" if found else "install one, for example: apt-get install gcc"
    return error(
        "KF106",
        f"no C compiler for preprocessing: cannot run '{cc}': {why}",
        help=hint,
        argument=cc,
    )


def missing_header(source: SourceFile, failure: Failure, stubs_allowed: bool) -> str:
    """The system header that is missing; any other failure is an error."""
    missing = re.search(_MISSING, failure.message)
    if missing is None:
        raise failed(source, failure)
    header = missing.group(4).strip()
    place = _place(source, missing.group(1), int(missing.group(2)), None)
    if place is None:
        raise failed(source, failure)
    line = place.file.line_text(place.location.line)
    if stubs_allowed and re.search(_CPP_HEADER, line):
        raise cpp_host(place)
    is_system = f"<{header}>" in line and not header.startswith("/")
    if not stubs_allowed or not is_system or ".." in Path(header).parts:
        raise error(
            "KF105",
            f"header '{header}' is not found",
            _within(place, header),
            help="add its folder with -I",
        )
    return header


def cpp_host(span: Span | None) -> KFusionError:
    return error(
        "KF108",
        "this is C++, in a file that is read as C",
        span,
        help="name it .cpp if regions stand in it, and list what they launch behind the "
        "annotation; the functions that regions call belong into C files",
    )


def failed(source: SourceFile, failure: Failure) -> KFusionError:
    call = re.search(_UNFINISHED_CALL, failure.message)
    if call is not None:
        return error(
            "KF104",
            f"syntax error: the call of macro '{call.group(1)}' is not closed",
            _unfinished_call(source, call.group(1)),
            help="expected ')'",
        )
    for name, line, column, text in errors_in(failure.message)[:1]:
        place = _place(source, name, line, column)
        if place is not None:
            return error("KF107", f"preprocessing failed: {text}", place)
    first = first_error(failure.message)
    return error("KF107", f"preprocessing failed: {first}", source.line_span(1))


def errors_in(messages: str) -> list[tuple[str, int, int | None, str]]:
    """File, line, column and text of each."""
    found = re.findall(_FAILED, messages)
    return [(name, int(line), int(at) if at else None, text) for name, line, at, text in found]


def first_error(messages: str) -> str:
    """Its text, wherever it is."""
    said = re.search(_PLACELESS, messages)
    return said.group(1) if said else messages.strip().split("\n")[0]


def _unfinished_call(source: SourceFile, macro: str) -> Span:
    tokens = tokenize(source.text)
    for index, token in enumerate(tokens):
        if token.kind is Kind.NAME and token.text == macro and index + 1 < len(tokens):
            if tokens[index + 1].text == "(" and matching(tokens, index + 1) is None:
                return Span(source, token.start, token.end)
    return source.line_span(1)


def _place(source: SourceFile, name: str, line: int, column: int | None) -> Span | None:
    """A place that the compiler names: from the column to the end of the line."""
    file = source if name == STDIN else header_file(source, name)
    return None if file is None else place_in(file, line, column)


def place_in(file: SourceFile, line: int, column: int | None, tab: int = _TAB) -> Span:
    """`tab`: the width of the tab stops with which the compiler counts."""
    span = file.line_span(line)
    if column is None:
        return span
    line = span.location.line
    text, reached = file.line_text(line), 0
    for index, char in enumerate(text):
        if reached >= column - 1 and file.line_starts[line - 1] + index >= span.start:
            return replace(span, start=file.line_starts[line - 1] + index)
        reached += tab - reached % tab if char == "\t" else 1
    return span


def _within(span: Span, text: str) -> Span:
    at = span.text.find(text)
    return span if at < 0 else Span(span.file, span.start + at, span.start + at + len(text))


def header_file(source: SourceFile, name: str) -> SourceFile | None:
    """A header that the compiler names, under a path as the user would write it."""
    path = Path(name)
    try:
        text = text_of(path.read_bytes())
    except OSError:
        return None
    for folder in (source.path.parent, Path()):
        if path.is_relative_to(folder.absolute()):
            return SourceFile(folder / path.relative_to(folder.absolute()), text)
    return SourceFile(path, text)
