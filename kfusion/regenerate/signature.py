"""Parameters of a fused function: one for each distinct argument of the calls."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pycparser import c_ast

from kfusion.host.library import Run
from kfusion.host.program import HostProgram
from kfusion.host.regions import CallArgument, RegionCall, argument_ranges
from kfusion.host.symbolic import Num, Sym
from kfusion.parse.unit import Unit
from kfusion.regenerate.header import HEADER_NAMES
from kfusion.regenerate.pieces import CannotWriteError
from kfusion.source.dataclasses import dataclass
from kfusion.source.lexer import one_line

C_KEYWORDS = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if "
    "inline int long register restrict return short signed sizeof static struct switch typedef "
    "union unsigned void volatile while main NULL".split()
)


@dataclass
class _Parameter:
    name: str
    before: str  # the declaration's text around the name
    after: str
    text: str  # the argument
    shared: bool


@dataclass(frozen=True)
class Signature:
    names: list[dict[str, str]]  # for each call: its own parameter -> the new one
    declarations: list[str]
    arguments: tuple[str, ...]
    values: dict[Sym, str]  # what the parameters hold on entry
    returns: str  # `cl_int `, `void `, `Status *`
    parameters: tuple[str, ...]  # of the declarations, and of the arguments
    types: frozenset[str] = frozenset()


def make_signature(
    calls: tuple[RegionCall, ...] | list[RegionCall],
    runs: list[Run],
    taken: set[str],
    program: HostProgram,
    others: Sequence[tuple[RegionCall, Run, int]] = (),
) -> Signature:
    """`others`: arguments of other calls, for the guard alone."""
    parameters: list[_Parameter] = []
    names: list[dict[str, str]] = []
    values: dict[Sym, str] = {}
    avoid = set(taken) | C_KEYWORDS | HEADER_NAMES
    enumerators = {n for unit in program.units for n in program.enumerators_in(unit)}
    avoid |= enumerators  # they keep their meaning
    for run in runs:
        own = {p.name for p in run.function.parameters}
        local = set(run.frame.variables) - own
        if local & HEADER_NAMES:
            clash = min(local & HEADER_NAMES)
            raise CannotWriteError(f"the variable '{clash}' has the name of a generated function")
        avoid |= local
    for call, run in zip(calls, runs, strict=True):
        mapping: dict[str, str] = {}
        modified = set().union(*(step.writes for step in run.steps)) if run.steps else set()
        for declared, argument, value in zip(
            call.function.parameters, call.arguments, run.arguments, strict=True
        ):
            before, after = declaration_text(call.function.unit, call, declared)
            if _is_null(argument.node, declared) and declared.name not in modified:
                mapping[declared.name] = "NULL"
                continue
            shared = not _is_literal(argument.node) and declared.name not in modified
            found = _same(parameters, argument, before, after) if shared else None
            if found is None:
                wanted = _wanted(argument, declared.name)
                wanted = declared.name if wanted in enumerators else wanted
                name = _unique(wanted, avoid, parameters)
                found = _Parameter(name, before, after, argument.text, shared)
                parameters.append(found)
            elif _weaker(before) and not _weaker(found.before):
                found.before = before
            mapping[declared.name] = found.name
            if shared and not isinstance(value, Num) and not _is_void(before):
                values.setdefault(value, found.name)
        names.append(mapping)
    for call, run, position in others:
        argument, declared = call.arguments[position], call.function.parameters[position]
        before, after = declaration_text(call.function.unit, call, declared)
        found = _same(parameters, argument, before, after)
        if found is None:
            wanted = _wanted(argument, declared.name)
            wanted = declared.name if wanted in enumerators else wanted
            name = _unique(wanted, avoid, parameters)
            found = _Parameter(name, before, after, argument.text, shared=True)
            parameters.append(found)
        if not _is_void(before):
            values.setdefault(run.arguments[position], found.name)
    return Signature(
        names,
        [p.before + p.name + p.after for p in parameters] or ["void"],
        tuple(p.text for p in parameters),
        values,
        return_text(runs[-1]),
        tuple(p.name for p in parameters),
        frozenset(re.findall(r"\w+", " ".join(p.before for p in parameters))),
    )


def _is_void(before: str) -> bool:
    """A pointer to nothing in particular: no member can be named through it."""
    return re.search(r"\bvoid\b.*\*", before) is not None


def _weaker(before: str) -> bool:
    return not re.search(r"\bconst\b[^*]*\*", before)


def _same(
    parameters: list[_Parameter], argument: CallArgument, before: str, after: str
) -> _Parameter | None:
    for parameter in parameters:
        if parameter.shared and parameter.text == argument.text:
            if _bare(parameter.before) == _bare(before) and parameter.after == after:
                return parameter
    return None


def _bare(text: str) -> str:
    return "".join(re.sub(r"\b(const|restrict|__restrict)\b", " ", text).split())


def _is_literal(node: c_ast.Node) -> bool:
    while isinstance(node, c_ast.UnaryOp | c_ast.Cast):
        node = node.expr
    return isinstance(node, c_ast.Constant)


def _is_null(node: c_ast.Node, declared: c_ast.Decl) -> bool:
    """A NULL that is given for a pointer."""
    while isinstance(node, c_ast.Cast):
        node = node.expr
    null = isinstance(node, c_ast.Constant) and node.value.rstrip("uUlL") == "0"
    return null and isinstance(declared.type, c_ast.PtrDecl)


def _wanted(argument: CallArgument, otherwise: str) -> str:
    """The application's name for the argument, where it is a simple one."""
    node = argument.node
    while isinstance(node, c_ast.UnaryOp | c_ast.Cast):
        node = node.expr
    if not isinstance(node, c_ast.ID | c_ast.StructRef):
        return otherwise
    match = re.fullmatch(r"&?\s*([A-Za-z_]\w*)", argument.text)
    if match:
        return match.group(1)
    match = re.fullmatch(r"&?\s*[A-Za-z_](?:\w|\.|->)*(?:\.|->)([A-Za-z_]\w*)", argument.text)
    return match.group(1) if match else otherwise


def _unique(name: str, avoid: set[str], parameters: list[_Parameter]) -> str:
    used = avoid | {p.name for p in parameters}
    number, result = 2, name
    while result in used:
        result, number = f"{name}{number}", number + 1
    return result


def declaration_text(unit: Unit, call: RegionCall, declared: c_ast.Decl) -> tuple[str, str]:
    """The parameter's declaration, as written, around its name."""
    function = call.function.function
    opening = unit.name_index(function.node.decl) + 1
    at = unit.name_index(declared)
    for first, last in argument_ranges(unit, opening, unit.match(opening)):
        if first <= at <= last:
            span = unit.span(first, last)
            token = unit.tokens[at]
            if token.start < 0:
                raise CannotWriteError("a parameter is declared by a macro", span)
            text = unit.source.text
            before = one_line(text[span.start : token.start])
            after = one_line(text[token.end : span.end])
            return before if before.endswith("*") else before + " ", after
    raise CannotWriteError("a parameter's declaration is not understood")


def return_text(run: Run) -> str:
    """The result type as written, storage classes left out."""
    unit, function = run.function.unit, run.function.function
    end = unit.name_index(function.node.decl) - 1
    words = [
        unit.tokens[i].text
        for i in range(function.first, end + 1)
        if unit.tokens[i].text not in ("static", "extern", "inline")
    ]
    text = ""
    for index in range(function.first, end + 1):
        token = unit.tokens[index]
        if token.text in ("static", "extern", "inline"):
            continue
        if token.macro is not None:
            piece = unit.source.text[token.macro[0] : token.macro[1]]
            if not text.rstrip().endswith(piece):
                text += piece + " "
            continue
        text += token.text if token.text == "*" else token.text + " "
    assert words
    return text
