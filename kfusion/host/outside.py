"""Where the header of the run time is included, and what its macros meet behind that place.

The header defines `#define log_line(...) KFUSION_OUTSIDE(log_line(__VA_ARGS__))` for functions
that nothing is held back around. So it has to stand in front of all calls of such a function,
and of OpenCL, and behind all declarations of the function: a macro would spoil those.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from pycparser import c_ast

from kfusion.host.known import OPENCL, Kind, kind_of
from kfusion.parse.compiler import STDIN
from kfusion.parse.unit import Unit, arguments_of, declares_function, descendants
from kfusion.source.dataclasses import dataclass
from kfusion.source.lexer import Kind as TokenKind
from kfusion.source.lexer import Token, tokenize
from kfusion.source.protections import is_on, protection
from kfusion.source.text import SourceFile, Span, text_of

NAMES = protection("closed-settled-names", "a macro replaces a name of something else")
BEHIND = protection("closed-declared-behind", "a macro replaces the name in a declaration")
BRACKETS = protection("closed-in-brackets", "a call in brackets passes a macro by")
LITERALS = protection("closed-compound-literals", "an argument's memory ends with a macro")
MACROS = protection("closed-macros", "a macro of the program's hides one of the run time's")

_POISON = re.compile(r"\b(?:GCC|clang)\s+poison\b")
_OPENCL = re.compile(r"cl[A-Z]\w*")
_DIRECTIVE = re.compile(r"#\s*(\w+)")
_REST_OF_LINE = re.compile(r"(?:[ \t\r]|/\*[^\n]*?\*/)*(?://|//[^\n]*[^\n\r\\])?\r?\n")
# Of the headers that the run time includes itself, before it defines macros.
_DECLARED_FIRST = frozenset("exit _Exit quick_exit system".split())
_AT_THE_TOP = "declare it above the first function of the file"


@dataclass(frozen=True)
class Misfit:
    """Why no macro may have the name of a function."""

    name: str
    message: str
    span: Span
    help: str | None = None


@lru_cache(maxsize=64)
def _first_call(unit: Unit, names: frozenset[str]) -> int | None:
    """The first token in a function's body that calls OpenCL, or a function of these names."""
    tokens = unit.tokens
    found = [
        index
        for function in unit.functions.values()
        for index in range(function.body.first, function.body.last)
        if tokens[index].text in names or _OPENCL.fullmatch(tokens[index].text)
    ]
    return min(found, default=None)


def has_redirected(unit: Unit, names: Collection[str] = ()) -> bool:
    """Are there calls in the file, or in a header of it, that macros stand for?"""
    return _first_call(unit, frozenset(names)) is not None


def include_place(unit: Unit, names: Collection[str] = ()) -> int | None:
    """Where the include stands: behind as many other headers as possible; None: nowhere."""
    text = unit.source.text
    names = frozenset(names)
    call, uses = _first_call(unit, names), _uses(unit, names)
    first = len(text) if call is None else _begin(unit, call)
    last = max((_end(unit, index) for index in uses.declared), default=0)
    places = [place for place in _beside_includes(text) if last <= place <= first]
    if places:
        return max(places)
    place = _behind(text, last)
    return place if last <= place <= first else None


def misfits(unit: Unit, names: Collection[str]) -> Iterator[Misfit]:
    """What the macros of these names would meet in a file that includes the header."""
    uses = _uses(unit, frozenset(names))
    for name in sorted(names) if is_on(MACROS) else ():
        if name in unit.macros.history:
            yield Misfit(name, f"'{name}' is a macro in this file", macro_span(name, unit))
    for index in uses.others if is_on(NAMES) else ():
        name = unit.tokens[index].text
        yield Misfit(name, f"'{name}' is the name of something else, too", _span(unit, index))
    if is_on(BEHIND):
        yield from _declared_behind(unit, names, uses)
    for node in uses.in_brackets if is_on(BRACKETS) else ():
        text = f"'{node.name}' is called in brackets: no macro can stand for it"
        yield Misfit(node.name, text, unit.node_span(node), "leave out the brackets")
    for call in uses.calls if is_on(LITERALS) else ():
        if _has_literal(call):
            text = f"'{call.name.name}' is given a compound literal, and may keep its address"
            yield Misfit(
                call.name.name, text, unit.node_span(call.name), "give it a variable instead"
            )


def _declared_behind(unit: Unit, names: Collection[str], uses: _Uses) -> Iterator[Misfit]:
    for index in uses.declared_inside:
        name = unit.tokens[index].text
        text = f"'{name}' is declared inside of a function"
        yield Misfit(name, text, _span(unit, index), _AT_THE_TOP)
    place = include_place(unit, names)
    if place is None:
        index = max(uses.declared, key=lambda each: _end(unit, each))
        name = unit.tokens[index].text
        text = f"'{name}' is declared behind code that calls functions which are redirected"
        yield Misfit(name, text, _span(unit, index), _AT_THE_TOP)
        return
    text = unit.source.text
    behind = [t for word, t, _ in directives(text) if word == "include" and t.start >= place]
    for name in sorted(names) if behind else ():
        if kind_of(name) is Kind.SETTLES and name not in _DECLARED_FIRST:
            span = Span(unit.source, behind[0].start, behind[0].end)
            text = f"a header may declare '{name}' behind code that calls OpenCL"
            yield Misfit(name, text, span, "include the headers of the system first")


def _has_literal(call: c_ast.FuncCall) -> bool:
    """Its memory is there until the block ends, and a macro is a block."""
    parts = (node for each in arguments_of(call) for node in descendants(each))
    return any(isinstance(node, c_ast.CompoundLiteral) for node in parts)


class _Uses:
    """Where a file has the names in front of a bracket: there, macros with arguments work."""

    def __init__(self, unit: Unit, names: Collection[str]) -> None:
        tokens = unit.tokens
        called = {
            unit.index(call.name): call
            for call in unit.nodes[c_ast.FuncCall]
            if isinstance(call.name, c_ast.ID) and call.name.name in names
        }
        declared = {
            unit.name_index(node)
            for node in unit.nodes[c_ast.Decl]
            if node.name in names and declares_function(node)
        }
        bodies = [range(f.body.first, f.body.last + 1) for f in unit.functions.values()]
        self.calls: list[c_ast.FuncCall] = []
        self.in_brackets = [
            call.name for index, call in called.items() if tokens[index + 1].text != "("
        ]
        self.declared: list[int] = []  # outside of functions
        self.declared_inside: list[int] = []
        self.others: list[int] = []
        for index in range(len(tokens) - 1):
            if tokens[index].text not in names or tokens[index + 1].text != "(":
                continue
            inside = any(index in body for body in bodies)
            if tokens[index].text in unit.functions and not inside:
                self.others.append(index)  # a function of this file alone
            elif index in called and inside:
                self.calls.append(called[index])
            elif index in declared and inside:
                self.declared_inside.append(index)
            elif inside:
                self.others.append(index)
            else:
                self.declared.append(index)


@lru_cache(maxsize=64)
def _uses(unit: Unit, names: frozenset[str]) -> _Uses:
    return _Uses(unit, names)


@lru_cache(maxsize=64)
def bars(unit: Unit) -> Sequence[tuple[str, Span, str | None]]:
    """Why a file cannot include the run time's header, where it has to, each with a help."""
    if not has_redirected(unit) and not unit.annotations.regions:
        return ()
    found: list[tuple[str, Span, str | None]] = []
    top = unit.source.line_span(1)
    hidden = _hidden_name(unit)
    if hidden is not None:
        text = f"'{hidden}' is declared in this file, and in headers of the run time"
        found.append((text, top, "give it another name"))
    if poisons(unit.source, {token.file for token in unit.tokens}):
        found.append((POISONED, top, "leave the pragma out"))
    for node in unit.nodes[c_ast.ID]:
        if node.name in OPENCL and _is_in_front(unit, unit.index(node)):
            text = f"'{node.name}' is another function in front of the run time's include"
            found.append((text, unit.node_span(node), None))
    members = [node.field for node in unit.nodes[c_ast.StructRef]]
    members += [n for node in unit.nodes[c_ast.NamedInitializer] for n in node.name]
    for member in members:
        if isinstance(member, c_ast.ID) and member.name in OPENCL:
            text = f"'{member.name}' is the name of a member, too"
            found.append((text, unit.node_span(member), None))
    return found


# What the system's headers declare that the run time includes, besides what C's standard has.
_OF_HEADERS = frozenset(
    "index rindex bcmp bcopy bzero ffs ffsl ffsll basename getline getdelim dprintf fileno popen "
    "pclose random srandom initstate setstate drand48 erand48 lrand48 nrand48 mrand48 jrand48 "
    "srand48 seed48 lcong48 rand_r a64l l64a select pselect major minor makedev getpass strsep "
    "stpcpy stpncpy mempcpy memmem strcasestr strchrnul strverscmp asprintf vasprintf "
    "syscall".split()
)


def _hidden_name(unit: Unit) -> str | None:
    """A name that the file declares, and that headers of the run time declare otherwise."""
    enumerators = unit.nodes[c_ast.Enumerator]
    named = next((each.name for each in enumerators if each.name in _OF_HEADERS), None)
    if named is not None:
        return str(named)
    for node in unit.ast.ext:
        declared = node.decl if isinstance(node, c_ast.FuncDef) else node
        variable = isinstance(declared, c_ast.Decl) and not declares_function(declared)
        own = isinstance(node, c_ast.FuncDef) or "static" in getattr(declared, "storage", ())
        if getattr(declared, "name", "") in _OF_HEADERS and (variable or own):
            return str(declared.name)
    return None


def hides_a_name_of_headers(texts: Collection[str]) -> str | None:
    return next((text for text in texts if text in _OF_HEADERS), None)


def _is_in_front(unit: Unit, index: int) -> bool:
    """Does the token stand in a header or in front of the include, and in no function?"""
    inside = any(f.body.first <= index <= f.body.last for f in unit.functions.values())
    token, place = unit.tokens[index], include_place(unit)
    own = token.file == STDIN and token.macro is None
    return not inside and (not own or place is None or token.start < place)


POISONED = "names are poisoned in this file: the run time may need them"


def poisons(source: SourceFile, files: Iterable[str]) -> bool:
    """Does it, or a header, say that names of the run time's header must not stand behind it?"""
    found = {Path(file) for file in files if file != STDIN}
    headers = (text_of(path.read_bytes()) for path in sorted(found) if path.is_file())
    return any(_POISON.search(text) for text in (source.text, *headers))


def macro_span(name: str, unit: Unit) -> Span:
    """Where a file defines a macro; a header may do it instead."""
    found = re.search(rf"(?m)^[ \t]*#[ \t]*(?:define|undef)[ \t]+({name})\b", unit.source.text)
    return Span(unit.source, *found.span(1)) if found else unit.source.line_span(1)


# Places


def include_place_in_cpp(text: str) -> int:
    """Behind the last include that stands in front of all blocks, under no condition."""
    of_c = list(_HEADERS_OF_C.finditer(text))  # `extern "C" {`, includes, and `}` are no code
    text = _HEADERS_OF_C.sub(_without_braces, text)
    place, inside = 0, False
    for name, token, depth in directives(text, before_code=True):
        inside = (inside and depth >= 0) or name == "include"
        if depth == 0 and inside and name in ("include", "endif"):
            place = text.find("\n", token.end - 1) + 1 or len(text)
            inside = False
    around = next((block for block in of_c if block.start() < place < block.end()), None)
    if around is not None:
        place = text.find("\n", around.end() - 1) + 1 or len(text)
    return place


_HEADERS_OF_C = re.compile(
    r'\bextern\s*"C"\s*\{(?:\s|//[^\n]*|/\*.*?\*/|#(?:[^\n]|\\\n)*)*\}', re.DOTALL
)


def _without_braces(block: re.Match[str]) -> str:
    head, _, rest = block[0].partition("{")
    return " " * (len(head) + 1) + rest[:-1] + " "


def _span(unit: Unit, index: int) -> Span:
    token = unit.tokens[index]
    if token.file != STDIN:
        return Span(unit.source, *(token.macro or (0, 0)))  # the #include
    return unit.span(index, index)


def _begin(unit: Unit, call: int) -> int:
    """Where the function that holds a call begins, or the #include or macro that brings it."""
    firsts = [f.first for f in unit.functions.values() if f.first <= call <= f.body.last]
    token = unit.tokens[max(firsts)]
    return token.macro[0] if token.macro else token.start


def _end(unit: Unit, index: int) -> int:
    """Where the declaration that holds a name ends, or the #include or macro that brings it."""
    token = unit.tokens[unit.declaration_end(index)]
    return token.macro[1] if token.macro else token.end


@lru_cache(maxsize=64)
def directives(
    text: str, *, before_code: bool = False, beside_code: bool = False
) -> Sequence[tuple[str, Token, int]]:
    """The directives of a file, or those in front of all code, or those between declarations and
    functions: word, token, and how many #if they stand in."""
    found: list[tuple[str, Token, int]] = []
    depth = inside = 0
    begun = False  # is something declared that has not ended?
    for token in tokenize(text):
        if token.kind is not TokenKind.DIRECTIVE:
            if token.text == "{" and (before_code or (beside_code and depth > 0)):
                break
            inside += (token.text == "{") - (token.text == "}")
            begun = token.text not in (";", "}")
            continue
        if before_code and begun:  # `static const char text[] =`, and the text's file
            break
        word = _DIRECTIVE.match(token.text)
        name = word.group(1) if word else ""
        depth -= name == "endif"
        if not beside_code or not (begun or inside):
            found.append((name, token, depth))
        depth += name in ("if", "ifdef", "ifndef")
    return found


def _beside_includes(text: str) -> list[int]:
    """In front of the #includes that stand outside of all code, or of the #if around them, and
    behind them."""
    found = [1 if text.startswith("\ufeff") else 0]
    begun = inside = False
    start = 0
    for name, token, depth in directives(text, beside_code=True):
        if depth == 0 and name in ("include", "if", "ifdef", "ifndef"):
            start, begun = _line_start(text, token), name != "include"
            inside = False
        inside = inside or name == "include"
        if depth == 0 and inside and (not begun or name == "endif"):
            found += [start, _line_end(text, token.end)]
            inside = False
    return found


def _behind(text: str, place: int) -> int:
    """On the next line, or, if the place is under an #if, behind that."""
    depth = 0
    for name, token, inside in directives(text):
        if token.start >= place:
            if depth == 0:
                break
            if name == "endif" and inside == 0:
                place = token.end
                break
        depth = inside + (name in ("if", "ifdef", "ifndef"))
    return _line_end(text, place)


def _line_start(text: str, token: Token) -> int:
    start = text.rfind("\n", 0, token.start) + 1
    return token.start if text[start : token.start].strip() else start


def _line_end(text: str, place: int) -> int:
    """Behind what is left of a line, if that is white space and comments; else here."""
    rest = _REST_OF_LINE.match(text, place)
    return rest.end() if rest is not None else place
