"""How a library function writes a call: what stands around it, and the check after it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from pycparser import c_ast

from kfusion.host.effects import Effect, SetArgument
from kfusion.host.frames import Step
from kfusion.host.library import Run
from kfusion.parse.statements import Statement
from kfusion.parse.unit import Function, Unit, descendants
from kfusion.regenerate.pieces import (
    CannotWriteError,
    column_of,
    dedent,
    rename_text,
    statement_span,
)
from kfusion.regenerate.signature import return_text
from kfusion.source.dataclasses import dataclass

_CALL = "<call>"
_JOINT = re.compile(r"\||(?:!= (?:0|[A-Z]\w*) )?\|\||== (?:0|[A-Z]\w*) &&")


@dataclass(frozen=True)
class Template:
    prefix: str  # `CHECK(`, `err = `
    suffix: str  # `);`
    check: str | None  # a statement that follows each call: `if (err) return err;`
    joint: str  # between several calls in one statement: `|`, `!= CL_SUCCESS ||`; "": one each
    start: int  # offsets of the call in the file
    end: int
    status: str = ""  # a helper's variable, which the function needs for itself
    at_end: bool = False  # ... and checks once, after all calls

    def fill(
        self, calls: list[str], names: dict[str, str], indent: str, suffixes: Sequence[str] = ()
    ) -> list[str]:
        """Statements that make the calls, in the function's own form.

        `suffixes` are those of the calls, where each has its own: a message, say.
        """
        if self.status:
            return self._with_status(calls, names[self.status], indent)
        prefix, suffix = rename_text(self.prefix, names), rename_text(self.suffix, names)
        if self.joint:
            *before, operator = self.joint.split(" ")
            pad = " " * max(len(prefix) - 1 - len(operator), 4)
            joint = "".join(f" {word}" for word in before) + f"\n{pad}{operator} "
            return [prefix + joint.join(calls) + suffix]
        result: list[str] = []
        for number, call in enumerate(calls):
            if number > 0:
                prefix = self._again(prefix)
            own = rename_text(suffixes[number], names) if suffixes else suffix
            result.append(prefix + call + own)
            if self.check is not None:
                result.append(rename_text(self.check, names))
        return result

    def _with_status(self, calls: list[str], status: str, indent: str) -> list[str]:
        check = f"if ({status} != CL_SUCCESS)\n{indent}return {status};"
        again = f"{status} |= " if self.at_end else f"{status} = "
        result: list[str] = []
        for number, call in enumerate(calls):
            result.append(f"{again if number else self.prefix + status + ' = '}{call};")
            if not self.at_end or number == len(calls) - 1:
                result.append(check)
        return result

    def _again(self, prefix: str) -> str:
        """`cl_int err = ` and `err = ` become `err |= ` for the calls that follow."""
        match = re.fullmatch(r"(?:[\w\s*]*\s)?(\w+)\s*=\s*", prefix)
        if match is None:
            return prefix
        return f"{match.group(1)} = " if self.check is not None else f"{match.group(1)} |= "


_TEXTS = re.compile(r'"(?:[^"\\]|\\.)*"')


def own_suffix(run: Run, effect: Effect, template: Template) -> str:
    """What stands behind a call in its own statement, if it differs in texts only."""
    position, step = next((i, s) for i, s in enumerate(run.steps) if effect in s.effects)
    try:
        own = _template(run, run.function.unit, position, step, [effect])
    except CannotWriteError:
        return template.suffix
    alike = _TEXTS.sub("", own.suffix) == _TEXTS.sub("", template.suffix)
    return own.suffix if alike and own.prefix == template.prefix else template.suffix


def is_check(step: Step) -> bool:
    """`if (err) return err;`, `assert(err == CL_SUCCESS);`"""
    if step.effects or step.writes or step.guard or step.flushes:
        return False
    node = step.nodes[0]
    return isinstance(node, c_ast.If) or (
        isinstance(node, c_ast.TernaryOp | c_ast.BinaryOp | c_ast.Cast)
        and any(isinstance(inner, c_ast.FuncCall) for inner in descendants(node))
    )


def call_template(run: Run, kind: type[Effect]) -> Template:
    unit = run.function.unit
    for position, step in enumerate(run.steps):
        effects = [e for e in step.effects if isinstance(e, kind)]
        if effects:
            return _template(run, unit, position, step, effects)
    raise CannotWriteError(
        "no statement to take the form of a call from", unit.node_span(run.function.function.node)
    )


def _template(run: Run, unit: Unit, position: int, step: Step, effects: list[Effect]) -> Template:
    if isinstance(effects[0], SetArgument) and not _in_step(unit, step, effects[0]):
        if len(effects) > 1 or not is_only_another_name(unit, effects[0]):
            return _helpers_template(run, unit, step, effects[0])
    calls = sorted({_written(unit, step, e) for e in effects})
    body = run.function.function.body
    statement = innermost_written(unit, body, calls[0])
    inside = [c for c in calls if statement.first <= c <= statement.last]
    check = None if len(inside) > 1 else _check(unit, run, position, step)
    return _around(unit, statement, inside, check)


def _around(unit: Unit, statement: Statement, calls: list[int], check: str | None) -> Template:
    start = unit.span(calls[0], unit.match(calls[0] + 1)).start
    end = unit.span(calls[-1], unit.match(calls[-1] + 1)).end
    opened, closed = unit.tokens[calls[0]], unit.tokens[unit.match(calls[-1] + 1)]
    if opened.start >= 0 and closed.start >= 0:  # written so, perhaps for a macro
        start, end = opened.start, closed.end
    whole = statement_span(unit, statement.first, statement.last)
    column = column_of(unit, whole.start)
    text = unit.source.text
    joints = {
        " ".join(t.text for t in unit.tokens[unit.match(one + 1) + 1 : next_])
        for one, next_ in pairwise(calls)
    }
    if len(joints) > 1 or not all(map(_JOINT.fullmatch, joints)):
        raise CannotWriteError("several calls stand in one expression that is no `a | b`", whole)
    filled = text[whole.start : start] + _CALL + text[end : whole.end]
    prefix, suffix = dedent(filled, column).split(_CALL, 1)
    return Template(prefix, suffix, check, "".join(joints), start, end)


def is_only_another_name(unit: Unit, effect: Effect) -> bool:
    """`int set(...) { return clSetKernelArg(...); }`: its call stands for the call in it."""
    helper = _helper_of(unit, effect)
    items = helper.node.body.block_items or [] if helper is not None else []
    return len(items) == 1 and effect.node in (items[0], getattr(items[0], "expr", None))


def _helper_of(unit: Unit, effect: Effect) -> Function | None:
    index = unit.index(effect.node)
    inside = (f for f in unit.functions.values() if f.body.first <= index <= f.body.last)
    return next(inside, None)


def _helpers_template(run: Run, unit: Unit, step: Step, effect: Effect) -> Template:
    """Arguments that a helper sets: in its form, if that makes sense in the function."""
    index = unit.index(effect.node)
    helper = _helper_of(unit, effect)
    if helper is None or unit.tokens[index].start < 0:
        raise CannotWriteError("an OpenCL call comes from a macro", unit.node_span(effect.node))
    statement = innermost_written(unit, helper.body, index)
    template = _around(unit, statement, [index], None)
    if template.prefix.strip() in ("", "(void)"):
        return template
    if re.fullmatch(r"[A-Za-z_]\w*\(", template.prefix):  # CHECK(...), check(..., __LINE__)
        if "return" not in " ".join(
            unit.tokens[i].text for i in range(statement.first, statement.last + 1)
        ):
            return template
        if _hands_on(unit, step):
            return template
    status = re.fullmatch(r"(?:[\w\s]*\s)?(\w+)\s*\|?=\s*", template.prefix)
    if status and template.suffix == ";" and _hands_on(unit, step) and _only_calls_opencl(helper):
        type_ = return_text(run)
        if type_.strip() not in ("void", "bool"):
            return replace(
                template, prefix=type_, status=status.group(1), at_end=_collects(unit, helper)
            )
    raise CannotWriteError(
        f"{helper.name}() handles the status of clSetKernelArg in a form of its own",
        statement_span(unit, statement.first, statement.last),
    )


def helper_statement(unit: Unit, helper: Function, node: c_ast.Node) -> tuple[Template, str] | None:
    """The statement around a helper's call, and the `return 0;` that ends the helper behind it."""
    index = unit.index(node)
    if not helper.body.first <= index <= helper.body.last or unit.tokens[index].start < 0:
        return None
    statement = innermost_written(unit, helper.body, index)
    last = helper.body.children[-1]
    if statement not in helper.body.children[-2:-1] or unit.tokens[last.first].text != "return":
        return None
    text = unit.span(last.first, last.last).text
    if not re.fullmatch(r"return\s+(0|[A-Z][A-Z0-9_]*)\s*;", text):
        return None
    return _around(unit, statement, [index], None), text


def _collects(unit: Unit, helper: Function) -> bool:
    """`err |= clSetKernelArg(...)`"""
    words = [t.text for t in unit.tokens[helper.body.first : helper.body.last + 1]]
    return ("|=", "clSetKernelArg") in pairwise(words)


def _only_calls_opencl(helper: Function) -> bool:
    """When a call fails the helper does nothing but return: no message, no count."""
    visitor = _Effects()
    visitor.visit(helper.node)
    return not visitor.found


class _Effects(c_ast.NodeVisitor):
    """Calls that are not OpenCL's, and assignments to what is no local variable."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.found = False

    def visit_Decl(self, node: c_ast.Decl) -> None:
        if node.name and "static" not in node.storage:
            self.names.add(node.name)
        self.generic_visit(node)

    def visit_Assignment(self, node: c_ast.Assignment) -> None:
        self._change(node.lvalue)
        self.generic_visit(node)

    def visit_UnaryOp(self, node: c_ast.UnaryOp) -> None:
        if node.op in ("++", "--", "p++", "p--"):
            self._change(node.expr)
        self.generic_visit(node)

    def visit_FuncCall(self, node: c_ast.FuncCall) -> None:
        name = node.name.name if isinstance(node.name, c_ast.ID) else ""
        self.found = self.found or not name.startswith("cl")
        self.generic_visit(node)

    def _change(self, place: c_ast.Node) -> None:
        self.found = self.found or not (isinstance(place, c_ast.ID) and place.name in self.names)


def _hands_on(unit: Unit, step: Step) -> bool:
    """`return helper(...);`: what the helper returns is what the function returns."""
    return unit.tokens[step.first].text == "return"


def _in_step(unit: Unit, step: Step, effect: Effect) -> bool:
    return step.first <= unit.index(effect.node) <= step.last


def innermost_written(unit: Unit, statement: Statement, index: int) -> Statement:
    """The innermost statement around a token that is written out, not inside a macro."""
    for child in statement.children:
        if child.first <= index <= child.last:
            if unit.tokens[statement.first].macro is not None:
                return statement
            return innermost_written(unit, child, index)
    return statement


def _written(unit: Unit, step: Step, effect: Effect) -> int:
    """The token of the call in the function's own text: the call itself, or a helper's."""
    index = unit.index(effect.node)
    if step.first <= index <= step.last and unit.tokens[index].start >= 0:
        if unit.tokens[index].text.startswith("cl"):
            return index
    visitor = _OwnCalls(unit, step)
    for node in step.nodes:
        visitor.visit(node)
    if not visitor.found:
        raise CannotWriteError(
            "an OpenCL call comes from a macro", unit.span(step.first, step.last)
        )
    return min(visitor.found)


class _OwnCalls(c_ast.NodeVisitor):
    def __init__(self, unit: Unit, step: Step) -> None:
        self.unit, self.step = unit, step
        self.found: list[int] = []

    def visit_FuncCall(self, node: c_ast.FuncCall) -> None:
        index = self.unit.index(node.name)
        if self.unit.tokens[index].start >= 0 and isinstance(node.name, c_ast.ID):
            self.found.append(index)


def _check(unit: Unit, run: Run, position: int, step: Step) -> str | None:
    """`if (err) return err;` when it follows every such call."""
    following = run.steps[position + 1] if position + 1 < len(run.steps) else None
    if following is None or not is_check(following):
        return None
    if not following.reads & step.writes:
        return None
    span = statement_span(unit, following.first, following.last)
    return dedent(span.text, column_of(unit, span.start))
