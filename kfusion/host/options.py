"""What the host says about how kernels are built and used."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pycparser import c_ast

from kfusion.parse.cpp import CppUnit
from kfusion.parse.recorded import agreed_defines
from kfusion.parse.unit import Unit, argument_of
from kfusion.source.diagnostics import error
from kfusion.source.lexer import Kind, names_in, tokenize
from kfusion.source.protections import is_on, protection
from kfusion.source.text import Span

PROGRAM_QUERIES = protection("host-program-queries", "a program that counts kernels is changed")
_QUERIES = ("clCreateKernelsInProgram", "CL_PROGRAM_NUM_KERNELS", "CL_PROGRAM_KERNEL_NAMES")
_MACRO = re.compile(r"-D\s*([A-Za-z_]\w*)")
_VALUE = re.compile(r'-D(?:\s|"\s*")*([A-Za-z_]\w*)(?:"\s*")*=(?:"\s*")*([^\s"]*)')
_WITH_A_POINT = re.compile(r"[0-9]\.|\.[0-9]|%[-+#0-9.*]*[lL]?[aefgAEFG]|\([a-z_]+\)")
_SHOWING = frozenset("printf fprintf puts fputs perror".split())
_DEFINED = re.compile(r"#\s*define\s+([A-Za-z_]\w*)")
_MADE_UP = re.compile(r"-D(?!\s*[A-Za-z_])|#\s*define\s+(?![A-Za-z_])")
_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
_RELAXING = re.compile(r"-cl-(?:fast-relaxed-math|unsafe-math-optimizations)")
_NEWER = re.compile(r"-cl-std=CL[23]")


def kernel_defines(units: tuple[Unit, ...]) -> tuple[str, ...]:
    """Macros of clBuildProgram's options, where all calls agree on them."""
    return agreed_defines(options for unit in units for options in _build_options(unit))


def option_macros(units: Iterable[Unit | CppUnit]) -> frozenset[str]:
    """All that look like macros of build options, or of text in front of a program, wherever the
    host composes them; or any word, if it makes up their names, too."""
    found: set[str] = set()
    for text in (unit.source.text for unit in units):
        found.update(_MACRO.findall(text), _DEFINED.findall(text))
        if _MADE_UP.search(text):
            found.update(names_in(text), *map(names_in, _STRING.findall(text)))
    return frozenset(found)


def given_by_hosts(units: Iterable[Unit | CppUnit], *, point: bool = False) -> dict[str, Span]:
    """Where the text of a host gives a macro to a build, `"-DSOFT=%d"`; `point`: as a number that
    may have a point, `"-DSOFT=%g"`."""
    found: dict[str, Span] = {}
    for unit in units:
        for start, text in _strings(unit.source.text):
            for each in (_VALUE if point else _MACRO).finditer(text):
                if not point or _WITH_A_POINT.search(each[2]):
                    first, last = each.span()
                    found.setdefault(each[1], Span(unit.source, start + first, start + last))
    return found


def relaxing_option(units: Iterable[Unit | CppUnit]) -> Span | None:
    """Where the host has an option with which `(a + b) - b` is `a`."""
    for unit in units:
        for start, text in _strings(unit.source.text):
            if (found := _RELAXING.search(text)) is not None:
                return Span(unit.source, start + found.start(), start + found.end())
    return None


def _strings(text: str) -> Iterator[tuple[int, str]]:
    """Where strings are, those beside each other in one; not those that are only shown."""
    tokens = tokenize(text)
    for at, token in enumerate(tokens):
        if token.kind is Kind.DIRECTIVE:
            yield token.start, token.text
        elif token.kind is Kind.STRING and (at == 0 or tokens[at - 1].kind is not Kind.STRING):
            last = at
            while last + 1 < len(tokens) and tokens[last + 1].kind is Kind.STRING:
                last += 1
            if _SHOWING.isdisjoint(t.text for t in tokens[max(0, at - 4) : at]):
                yield token.start, text[token.start : tokens[last].end]


def groups_are_full(units: Iterable[Unit | CppUnit]) -> bool:
    """Are ranges divided into groups of one size? Since OpenCL C 2.0 the last may be smaller."""
    texts = [unit.source.text for unit in units]
    if any("-cl-uniform-work-group-size" in text for text in texts):
        return True
    return not any(_NEWER.search(text) for text in texts)


def _build_options(unit: Unit) -> list[str]:
    """The options of clBuildProgram's calls, where they are written down."""
    texts: dict[str, str] = {}
    for node in unit.nodes[c_ast.Decl]:
        if isinstance(node.init, c_ast.Constant) and node.init.type == "string":
            texts[node.name] = node.init.value.strip('"')
    options: list[str] = []
    for node in unit.nodes[c_ast.FuncCall]:
        if not isinstance(node.name, c_ast.ID) or node.name.name != "clBuildProgram":
            continue
        argument = argument_of(node, 3)
        if isinstance(argument, c_ast.Constant) and argument.type == "string":
            options.append(argument.value.strip('"'))
        elif isinstance(argument, c_ast.ID) and argument.name in texts:
            options.append(texts[argument.name])
    return options


def check_program_queries(units: Iterable[Unit | CppUnit]) -> None:
    """A program that counts or lists its kernels would see the added ones."""
    if not is_on(PROGRAM_QUERIES):
        return
    for unit in units:
        tokens = tokenize(unit.source.text)
        for query in _QUERIES:
            token = next((t for t in tokens if t.text == query), None)
            if token is not None:
                raise error(
                    "KF227",
                    f"{query} would see the kernels that kfusion adds",
                    Span(unit.source, token.start, token.end),
                    help="create the kernels one by one, by name",
                    exit_code=1,
                )
