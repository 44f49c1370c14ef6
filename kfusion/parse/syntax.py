"""Syntax errors: pycparser says where it stopped; here is what the user is told."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from itertools import count, pairwise

from pycparser import c_ast
from pycparser.c_parser import CParser, ParseError

from kfusion.parse.annotations import Annotations
from kfusion.parse.compiler import STDIN, cpp_host, header_file
from kfusion.parse.lines import LineLexer
from kfusion.parse.preprocess import PToken
from kfusion.parse.statements import brackets
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import KFusionError, error
from kfusion.source.lexer import OPENING, tokenize
from kfusion.source.text import SourceFile, Span

FIRST_LINE = 2  # the line of token 0, after the line of type names
_WHERE = re.compile(r"^[^:]*:(\d+):\d+: ?(.*)$", re.DOTALL)
_AT_END = "At end of input"
_DIGRAPHS = {"<%": "{", "%>": "}", "<:": "[", ":>": "]"}
_UNKNOWN_TYPE = "' a type? nothing declares it"
# Pairs of a word and what follows it that C does not have.
_CPP = re.compile(
    r"(?:class|namespace|typename|using|virtual|constexpr|new|delete|friend|explicit) [A-Za-z_]\w*"
    r"|(?:template|static_cast|dynamic_cast|reinterpret_cast|const_cast) <"
    r"|(?:public|private|protected) :|namespace \{|operator \W|: :"
)


@dataclass(frozen=True)
class Stopped:
    """pycparser does not go on at a token (the last one if it does not say where)."""

    at: int
    message: str
    placed: bool


_texts = count()  # each gets a name of its own, by which nodes tell where they are from


def parsed(lines: list[str]) -> c_ast.FileAST | Stopped:
    """Parse a line of type names and then one token per line."""
    last = max(len(lines) - 2, 0)
    try:
        return CParser(lexer=LineLexer).parse("\n".join(lines) + "\n", f"source{next(_texts)}")
    except ParseError as failure:
        found = _WHERE.match(str(failure))
        if found is None:
            return Stopped(last, str(failure).split(": ", 1)[-1], False)
        at = min(max(int(found.group(1)) - FIRST_LINE, 0), last)
        return Stopped(at, found.group(2), True)
    except RecursionError:
        return Stopped(0, "nested too deeply", True)
    except (AssertionError, AttributeError, IndexError, TypeError, ValueError):
        return Stopped(last, "the parser gave up", False)


def located(lines: list[str], stopped: Stopped) -> Stopped:
    """Find the first token that it takes to get a message that names no place."""
    if stopped.placed or stopped.message == _AT_END:
        return stopped
    low, high = 1, len(lines) - 1
    while low < high:
        middle = (low + high) // 2
        result = parsed([*lines[: middle + 1], "@"])  # no token: an error if it is reached
        if isinstance(result, Stopped) and result.message == stopped.message:
            high = middle
        else:
            low = middle + 1
    return replace(stopped, at=low - 1)


def syntax_error(
    source: SourceFile,
    annotations: Annotations,
    tokens: list[PToken],
    stopped: Stopped,
    cpp_possible: bool,
    stubs: frozenset[str],
) -> KFusionError:
    if not tokens:
        return error("KF102", f"{source.name} holds no code", source.line_span(1))
    if stopped.message == _AT_END:
        return _ends_early(source, annotations, tokens)
    at = stopped.at
    cpp = _first_cpp(tokens) if cpp_possible else None
    if cpp_possible and at > 0 and tokens[at].text == "&" and is_name(tokens[at - 1].text):
        cpp = at  # a reference
    if cpp is not None:
        return cpp_host(place_of(source, tokens, cpp))
    span = place_of(source, tokens, at)
    for region in annotations.regions:
        if tokens[at].start == region.block.start:
            return error("KF109", "a region must stand inside a function", region.annotation)
    message, help = _message(tokens, at, stopped, span)
    if help and help.endswith(_UNKNOWN_TYPE) and not cpp_possible:
        help += "; if the build options do, say it with -D NAME=TYPE"
    if stubs:
        listed = ", ".join(f"<{name}>" for name in sorted(stubs))
        help = f"not found and taken as empty: {listed}; add the folder with -I"
    return error("KF104", message, span, help=help)


def _message(tokens: list[PToken], at: int, stopped: Stopped, span: Span) -> tuple[str, str | None]:
    text = _shown(tokens[at].text)
    if tokens[at].text in ("'", '"'):
        return "syntax error: this literal is not closed on its line", None
    if stopped.message.lower().startswith("illegal character"):
        help = "kfusion reads names of A-Z, a-z, 0-9 and _ only" if span.text.isalpha() else None
        return f"syntax error: illegal character '{span.text}'", help
    if stopped.message.startswith("before: ") or not stopped.placed:
        help = _not_understood(tokens, at) or _expected(tokens, at)
        return f"syntax error before {text}", help
    return f"syntax error at {text}: {stopped.message[0].lower()}{stopped.message[1:]}", None


def _shown(text: str) -> str:
    return text if text.startswith("#pragma") else f"'{text}'"


def _ends_early(source: SourceFile, annotations: Annotations, tokens: list[PToken]) -> KFusionError:
    closing = brackets(tokens)
    opened = [i for i, t in enumerate(tokens) if t.text in OPENING and i not in closing]
    if not opened:
        return error(
            "KF104",
            "syntax error: the file ends too early",
            place_of(source, tokens, len(tokens) - 1),
            help=f"a declaration is not finished after {_shown(tokens[-1].text)}",
        )
    outer = tokens[opened[0]]
    for region in annotations.regions:
        if outer.file == STDIN and 0 <= outer.start < region.block.start:
            return error(
                "KF109",
                "this region, or the function around it, is not closed: expected '}' before "
                "the end of the file",
                region.annotation,
                related=(("the function begins here", Span(source, outer.start, outer.end)),),
            )
    last = tokens[opened[-1]].text
    return error(
        "KF104",
        f"syntax error: this '{last}' is not closed: expected '{OPENING[last]}' before the end "
        "of the file",
        place_of(source, tokens, opened[-1]),
    )


def _first_cpp(tokens: list[PToken]) -> int | None:
    own = [(i, t) for i, t in enumerate(tokens) if not t.system]
    for (index, token), (_, following) in pairwise(own):
        apart = token.text == ":" and token.end != following.start
        if _CPP.fullmatch(f"{token.text} {following.text}") and not apart:
            return index
    return None


def _not_understood(tokens: list[PToken], at: int) -> str | None:
    """C that a compiler takes and kfusion does not."""
    for first, second in pairwise(tokens[max(at - 1, 0) : at + 2]):
        pair = first.text + second.text
        if pair in _DIGRAPHS and 0 <= first.end == second.start:
            return f"kfusion does not read digraphs: write '{_DIGRAPHS[pair]}' for '{pair}'"
    opening = {closing: opened for opened, closing in brackets(tokens).items()}
    opened = opening.get(at - 1, at - 1)
    word = tokens[opened - 1].text if opened > 0 else ""
    if word in ("__typeof__", "__typeof", "typeof"):
        return f"kfusion does not read '{word}' here: write the type"
    return None


def _expected(tokens: list[PToken], at: int) -> str | None:
    if at == 0:
        return None
    previous = tokens[at - 1]
    if previous.text in ("if", "for", "while", "switch"):
        return f"is a '(' missing after '{previous.text}'?"
    if tokens[at].text in ("{", ";") and _inside_round(tokens, at):
        return f"is a ')' missing after {_shown(previous.text)}?"
    if previous.line != tokens[at].line and previous.text not in (";", "{", "}"):
        before = ", or a '}' before it" if (previous.text, tokens[at].text) == (")", "{") else ""
        return f"is a ';' missing after {_shown(previous.text)}{before}?"
    points = tokens[at].text == "*" and (at < 2 or tokens[at - 2].text in ("(", ",", ";", "}"))
    if is_name(previous.text) and (is_name(tokens[at].text) or points):
        return f"is '{previous.text}{_UNKNOWN_TYPE}"
    return f"{_shown(tokens[at].text)} cannot follow {_shown(previous.text)} here"


def _inside_round(tokens: list[PToken], at: int) -> bool:
    """Of the same statement or declaration more round brackets are opened than closed."""
    depth = 0
    for token in reversed(tokens[:at]):
        if token.text in (";", "{", "}"):
            break
        depth += (token.text == "(") - (token.text == ")")
    return depth > 0


@lru_cache(maxsize=1 << 14)  # asked of each token
def is_name(text: str) -> bool:
    return re.fullmatch(r"[A-Za-z_]\w*", text) is not None


def place_of(source: SourceFile, tokens: list[PToken], at: int) -> Span:
    """A token in the main file, the macro call that it is from, or its place in a header."""
    token = tokens[at]
    if token.file == STDIN and token.start >= 0:
        return Span(source, token.start, token.end)
    header = header_file(source, token.file) if token.file != STDIN else None
    if header is not None:
        return _place_in_header(header, tokens, at)
    if token.macro:
        return Span(source, *token.macro)
    return source.line_span(token.line)


def _place_in_header(header: SourceFile, tokens: list[PToken], at: int) -> Span:
    token = tokens[at]
    nth = sum(
        1
        for other in tokens[max(0, at - 200) : at]
        if (other.file, other.line, other.text) == (token.file, token.line, token.text)
    )
    line = header.line_span(token.line)
    found = [t for t in tokenize(" " + line.text) if t.text == token.text]
    if nth >= len(found):
        return line
    start = line.start + found[nth].start - 1
    return Span(header, start, start + len(token.text))
