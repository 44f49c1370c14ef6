"""May the statements of a function stand at the end of its file, in another function?

They mean the same there if they keep no state of their own and use no macro that is
something else by then.
"""

from __future__ import annotations

from functools import lru_cache

from pycparser import c_ast

from kfusion.host.program import HostFunction, HostProgram
from kfusion.parse.compiler import STDIN
from kfusion.parse.unit import Unit
from kfusion.source.diagnostics import Reason
from kfusion.source.lexer import Kind, tokenize
from kfusion.source.protections import is_on, protection
from kfusion.source.text import Span

STATIC_VARIABLES = protection(
    "host-static-variables", "a function that keeps state in a static variable is copied"
)
CLEANUP = protection("host-cleanup", "calls that the end of a scope makes are not seen")
_TAKEN_OVER = frozenset(["clSetKernelArg", "clEnqueueNDRangeKernel"])
REDEFINED = protection("host-macros", "a host macro that is redefined later is copied")


@lru_cache(maxsize=1024)
def copy_reason(of: HostFunction) -> Reason | None:
    """Why the function's statements would not mean the same in a fused function."""
    unit, function = of.unit, of.function
    body = unit.tokens[function.body.first : function.body.last]
    included = next((token for token in body if token.file != STDIN), None)
    if included is not None:  # there is no text to copy
        return Reason(
            "KF226",
            f"the body of {of.name} includes another file",
            Span(unit.source, *(included.macro or (0, 0))),
            help="write the text into the function",
        )
    visitor = _Statics()
    visitor.visit(function.node.body)
    if visitor.found is not None and is_on(STATIC_VARIABLES):
        return Reason(
            "KF226",
            f"{of.name} keeps state in its static variable '{visitor.found.name}'",
            unit.node_span(visitor.found),
            help="move the variable out of the function",
        )
    if _cleans_up(of) and is_on(CLEANUP):
        return _cleanup_reason(of)
    return _macro_reason(of)


@lru_cache(maxsize=1024)
def form_reason(of: HostFunction, program: HostProgram) -> Reason | None:
    """Why statements of functions that it calls would not mean the same in a fused function.

    Arguments are set, and the launch is made, in the form in which a helper does it.
    """
    for name in sorted(program.calls(of)):
        helper = program.lookup(name, of.unit)
        if helper is not None and _cleans_up(helper) and is_on(CLEANUP):
            return _cleanup_reason(helper)
        if helper is None or helper.unit is not of.unit or not helper.in_main_file:
            continue
        if program.names_called(helper.function.node.body) & _TAKEN_OVER:
            reason = _macro_reason(helper)
            if reason is not None:
                return reason
    return None


def _cleans_up(of: HostFunction) -> bool:
    """`__attribute__((cleanup(f)))`, written or by a macro: a call that no statement shows."""
    function = of.function
    text = of.unit.span(function.first, function.body.last).text
    waiting = [t.text for t in tokenize(text) if t.kind is Kind.NAME]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        bodies = [macro.body for _, macro in of.unit.macros.history.get(name, ()) if macro]
        waiting += [t.text for b in bodies for t in tokenize(" " + b) if t.kind is Kind.NAME]
    return bool(seen & {"cleanup", "__cleanup__"} and seen & {"__attribute__", "__attribute"})


def _cleanup_reason(of: HostFunction) -> Reason:
    function = of.function
    return Reason(
        "KF219",
        f"{of.name} has a variable with __attribute__((cleanup))",
        of.unit.span(function.first, of.unit.name_index(function.node.decl)),
        help="call the function at the end by hand",
    )


def _macro_reason(of: HostFunction) -> Reason | None:
    unit, function = of.unit, of.function
    span = unit.span(function.first, function.body.last)
    changed = _changed_macro(unit, span.text, span.location.line)
    if changed is not None and is_on(REDEFINED):
        return Reason(
            "KF216",
            f"the macro '{changed}' that {of.name} uses is something else at the end "
            "of the file, where a fused function would stand",
            unit.span(function.first, unit.name_index(function.node.decl)),
        )
    return None


def _changed_macro(unit: Unit, text: str, line: int) -> str | None:
    """A macro that the text uses, directly or not, and that has another definition at the end."""
    waiting = [t.text for t in tokenize(text) if t.kind is Kind.NAME]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in seen or name not in unit.macros.history:
            continue
        seen.add(name)
        here, there = unit.macros.at(name, line), unit.macros.at_end(name)
        if (here.definition if here else None) != (there.definition if there else None):
            return name
        if here is not None:
            waiting += [t.text for t in tokenize(" " + here.body) if t.kind is Kind.NAME]
    return None


class _Statics(c_ast.NodeVisitor):
    """The first variable that keeps its value from call to call."""

    def __init__(self) -> None:
        self.found: c_ast.Decl | None = None

    def visit_Decl(self, node: c_ast.Decl) -> None:
        if "static" in node.storage and not _is_constant(node) and self.found is None:
            self.found = node


def _is_constant(declaration: c_ast.Decl) -> bool:
    node = declaration.type
    while isinstance(node, c_ast.ArrayDecl):
        node = node.type
    return "const" in (getattr(node, "quals", None) or [])
