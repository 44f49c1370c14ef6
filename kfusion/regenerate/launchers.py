"""A launch that a helper makes: may the function make it by itself?

Only if nothing is lost when the call fails: the helper's result is the launch's status,
and it does nothing else with it (a message, a count, a callback).
"""

from __future__ import annotations

import re

from pycparser import c_ast

from kfusion.host.calls import LAUNCHES, PURE
from kfusion.host.conversions import INT, arithmetic
from kfusion.host.effects import Assign
from kfusion.host.frames import Step
from kfusion.host.program import HostFunction, HostProgram
from kfusion.host.symbolic import Entry, Global, Num, Op, Phi, Place, Pointee, Ref, Sym
from kfusion.parse.unit import descendants
from kfusion.regenerate.ctext import Renderer
from kfusion.regenerate.cwords import names_of
from kfusion.regenerate.parts import Part, written_arguments
from kfusion.regenerate.pieces import CannotWriteError, statement_span
from kfusion.regenerate.template import Template, helper_statement
from kfusion.source.lexer import Kind, tokenize
from kfusion.source.text import Edit


def launch_in_helper(part: Part, program: HostProgram, template: Template, call: str) -> Edit:
    """The function's statement with the launch written out."""
    step = part.steps[part.run.launch_step]
    helpers = _on_the_way(part, program)
    if all(_only_launches(helper, program) for helper in helpers):
        if _ignored(step.nodes[0]) or all(_hands_on(helper, program) for helper in helpers):
            return Edit(template.start, template.end, call)
    text = _in_form_of(part, helpers, call)
    if text is None:
        names = ", ".join(dict.fromkeys(helper.name for helper in helpers))
        raise CannotWriteError(
            f"{names} handles the status of the launch in a form of its own", part.span(step)
        )
    span = statement_span(part.unit, step.first, step.last)
    return Edit(span.start, span.end, text)


def helper_with_kernel(parts: list[Part], program: HostProgram, fused: str) -> Edit | None:
    """The last call of a helper that launches what it is given: it gets the fused kernel.

    All that the helper does besides stays. What it makes of the status, the helpers of the
    other calls must make of it, too.
    """
    part = parts[-1]
    step = part.steps[part.run.launch_step]
    helpers = [_on_the_way(other, program) for other in parts]
    plain = all(_hands_on(helper, program) for listed in helpers for helper in listed)
    if not plain and any(listed != helpers[-1] for listed in helpers):
        return None
    calls = [
        (node, helper)
        for item in step.nodes
        for node in descendants(item)
        if isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID)
        for helper in [program.lookup(node.name.name, part.unit)]
        if helper is not None and program.calls(helper) & LAUNCHES
    ]
    if len(calls) != 1:
        return None
    call, helper = calls[0]
    ranges = written_arguments(part, call)
    handles = [
        position
        for position, parameter in enumerate(helper.parameters)
        if launched_as(parameter.name, helper, part.run.launch.node, program)
    ]
    if ranges is None or len(handles) != 1 or len(ranges) != len(helper.parameters):
        return None
    if any(_mentions(effect.value, part.run.launch.kernel) for effect in _assigns(step)):
        return None
    first, last = ranges[handles[0]]
    if part.unit.tokens[first].start < 0 or part.unit.tokens[last].start < 0:
        return None
    return Edit(*part.unit.range(first, last), fused)


def launched_as(
    name: str | None, helper: HostFunction, launch: c_ast.Node, program: HostProgram
) -> bool:
    """Is the parameter used as the kernel of the launch, and for nothing else?"""
    given: list[c_ast.Node] = []  # where the parameter may stand
    found = False
    nodes = list(descendants(helper.function.node.body))
    for node in nodes:
        if not isinstance(node, c_ast.FuncCall) or not isinstance(node.name, c_ast.ID):
            continue
        arguments = node.args.exprs if node.args is not None else []
        inner = program.lookup(node.name.name, helper.unit)
        for position, argument in enumerate(arguments):
            if not isinstance(argument, c_ast.ID) or argument.name != name:
                continue
            handed_on = (
                inner is not None
                and inner is not helper
                and position < len(inner.parameters)
                and launched_as(inner.parameters[position].name, inner, launch, program)
            )
            if handed_on or (node is launch and position == 1):
                given.append(argument)
                found = True
    uses = [n for n in nodes if isinstance(n, c_ast.ID) and n.name == name]
    hidden = any(isinstance(n, c_ast.Decl) and n.name == name for n in nodes)
    return found and not hidden and all(any(n is g for g in given) for n in uses)


def _assigns(step: Step) -> list[Assign]:
    return [effect for effect in step.effects if isinstance(effect, Assign)]


def _mentions(value: Sym, part: Sym) -> bool:
    if value == part:
        return True
    inner = value.args if isinstance(value, Op) else ()
    inner = value.alternatives if isinstance(value, Phi) else inner
    return any(_mentions(each, part) for each in inner)


def written_assignment(effect: Assign, part: Part, parts: list[Part], renderer: Renderer) -> str:
    """`result->newer = DEVICE;`: what a helper assigns whose call goes."""
    problem = CannotWriteError(
        "one statement launches and does something else as well",
        part.span(part.steps[part.run.launch_step]),
    )
    local = {p.names.get(n, n) for p in parts for n in p.run.frame.variables}
    place = _lvalue(effect.place, renderer, local)
    if place is None or not isinstance(effect.value, Num):
        raise problem
    return f"{place} = {_constant_text(effect, part, local)};"


def _lvalue(place: Place, renderer: Renderer, local: set[str]) -> str | None:
    """What a parameter leads to, or a variable of the file: their names hold all the time."""
    root, given = place.root, renderer.parameters
    around = [Place(root, place.path[:length]) for length in range(len(place.path) + 1)]
    if any(Entry(whole) in given for whole in around):
        return None  # a parameter that is a copy
    if isinstance(root, Global):
        return renderer.place(place) if root.name not in local else None
    if Ref(Place(root)) in given or (isinstance(root, Pointee) and root.pointer in given):
        return renderer.place(place)
    return None


def _constant_text(effect: Assign, part: Part, local: set[str]) -> str:
    """The name that the helper has for the number, if it has one."""
    node, unit = effect.node, part.unit
    number = str(effect.value)
    value = node.rvalue if isinstance(node, c_ast.Assignment) and node.op == "=" else None
    if not isinstance(value, c_ast.ID | c_ast.Constant) or not unit.holds(value):
        return number
    token = unit.tokens[unit.index(value)]
    text = body = token.text
    if token.macro is not None:
        text = unit.source.text[token.macro[0] : token.macro[1]]
        macro = unit.macros.at_end(text)
        if macro is None or macro.parameters is not None:
            return number
        body = macro.body
    meant = part.run.enumerators.keys() - local  # a variable of the helper is not there
    return text if names_of(f" {body}") <= meant else number


def _on_the_way(part: Part, program: HostProgram) -> list[HostFunction]:
    """The helpers between the function and the launch."""
    found: list[HostFunction] = []
    nodes, unit = list(part.steps[part.run.launch_step].nodes), part.unit
    waiting = [(node, unit) for node in nodes]
    while waiting:
        node, unit = waiting.pop()
        for name in sorted(program.names_called(node)):
            helper = program.lookup(name, unit)
            if helper is not None and helper not in found and program.calls(helper) & LAUNCHES:
                found.append(helper)
                waiting.append((helper.function.node.body, helper.unit))
    return found


def _ignored(node: c_ast.Node) -> bool:
    """`run(...);`"""
    return isinstance(node.expr if isinstance(node, c_ast.Cast) else node, c_ast.FuncCall)


def _only_launches(
    helper: HostFunction, program: HostProgram, seen: frozenset[str] = frozenset()
) -> bool:
    """No message, no count, neither in the helper nor in what it calls."""
    names = {p.name for p in helper.parameters}
    body = helper.function.node.body
    for node in descendants(body):
        if isinstance(node, c_ast.Decl) and node.name and "static" not in node.storage:
            names.add(node.name)
    for node in descendants(body):
        if isinstance(node, c_ast.Assignment) and not _is_own(node.lvalue, names):
            return False
        if isinstance(node, c_ast.UnaryOp) and node.op in ("++", "--", "p++", "p--"):
            if not _is_own(node.expr, names):
                return False
        if isinstance(node, c_ast.FuncCall):
            name = node.name.name if isinstance(node.name, c_ast.ID) else ""
            if (name.startswith("cl") and name[2:3].isupper()) or name in PURE or name in seen:
                continue
            inner = program.lookup(name, helper.unit) if name and name not in names else None
            if inner is None or not _only_launches(inner, program, seen | {helper.name}):
                return False
    return True


def _is_own(place: c_ast.Node, names: set[str]) -> bool:
    """Is it one of the function's variables, or an element or member of one?"""
    while isinstance(place, c_ast.ArrayRef) or (
        isinstance(place, c_ast.StructRef) and place.type == "."
    ):
        place = place.name
    return isinstance(place, c_ast.ID) and place.name in names


def _hands_on(helper: HostFunction, program: HostProgram) -> bool:
    """Is what the helper returns the status of a call, as it is?"""
    if arithmetic(helper.result_type, program.types) != INT:
        return False
    nodes = list(descendants(helper.function.node.body))
    given: dict[str, list[c_ast.Node]] = {}
    for node in nodes:
        if isinstance(node, c_ast.Assignment) and isinstance(node.lvalue, c_ast.ID):
            plain = node.rvalue if node.op in ("=", "|=") else node
            given.setdefault(node.lvalue.name, []).append(plain)
        elif isinstance(node, c_ast.Decl) and node.init is not None:
            given.setdefault(node.name, []).append(node.init)

    def is_status(node: c_ast.Node | None) -> bool:
        if isinstance(node, c_ast.Cast):
            return is_status(node.expr)
        if isinstance(node, c_ast.ID) and node.name in given:
            return all(not isinstance(n, c_ast.ID) and is_status(n) for n in given[node.name])
        if isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID):
            name = node.name.name
            inner = program.lookup(name, helper.unit)
            return name.startswith("cl") if inner is None else _hands_on(inner, program)
        return isinstance(node, c_ast.Constant) and node.value == "0"

    return all(is_status(n.expr) for n in nodes if isinstance(n, c_ast.Return))


def _in_form_of(part: Part, helpers: list[HostFunction], call: str) -> str | None:
    """`CHECK(...); return CL_SUCCESS;`, where a function returns what such a helper returns."""
    step = part.steps[part.run.launch_step]
    if len(helpers) != 1 or helpers[0].unit is not part.unit:
        return None
    node = step.nodes[0]
    if not isinstance(node, c_ast.Return) or not isinstance(node.expr, c_ast.FuncCall):
        return None
    found = helper_statement(part.unit, helpers[0].function, part.run.launch.node)
    if found is None:
        return None
    template, result = found
    names = {t.text for t in tokenize(template.prefix + template.suffix) if t.kind is Kind.NAME}
    if not re.fullmatch(r"[A-Za-z_]\w*\(\s*", template.prefix) or len(names) != 1:
        return None
    if part.unit.macros.at_end(names.pop()) is None:
        return None
    return f"{template.prefix}{call}{template.suffix}\n{result}"
