"""Regions of an application: its calls, their arguments, and what stands between them."""

from __future__ import annotations

from pycparser import c_ast

from kfusion.host import calls as known_calls
from kfusion.host.calls import LAUNCHES
from kfusion.host.program import HostFunction, HostProgram, as_pointer
from kfusion.host.statements import (
    Checking,
    SideEffects,
    Written,
    _Assigned,
    _checks,
    assigned_in,
    is_chained,
    names_of,
)
from kfusion.parse.annotations import RegionMark
from kfusion.parse.statements import Statement
from kfusion.parse.unit import Function, Unit, descendants
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import error
from kfusion.source.lexer import one_line, tokenize
from kfusion.source.text import Span


@dataclass(frozen=True, eq=False)
class CallArgument:
    node: c_ast.Node
    text: str
    span: Span


@dataclass(frozen=True, eq=False)
class RegionCall:
    """A call of a launching library function."""

    function: HostFunction
    arguments: tuple[CallArgument, ...]
    call: Span  # `f(x, y)`
    statement: Span  # with what stands around it, its check included
    shape: tuple[str, ...]  # the statement's tokens, the call left out
    status: str  # what becomes of it: ignored, checked, assigned, chained, or-ed, unknown
    names: frozenset[str]  # variables of the application that the statement mentions
    assigns: frozenset[str]  # those that the status goes to


@dataclass(frozen=True, eq=False)
class Between:
    """Another statement of the region."""

    statement: Span
    nodes: tuple[c_ast.Node, ...]
    names: frozenset[str]
    assigns: frozenset[str]
    harmless: bool  # it only computes on variables of the application
    declares: frozenset[str]
    several: bool  # it calls more than one launching function


@dataclass(frozen=True, eq=False)
class Region:
    unit: Unit
    mark: RegionMark
    function: Function  # the function it stands in
    items: tuple[RegionCall | Between, ...]
    variables: dict[str, c_ast.Decl]  # declared in the function

    @property
    def calls(self) -> tuple[RegionCall, ...]:
        return tuple(i for i in self.items if isinstance(i, RegionCall))

    @property
    def crowded(self) -> Span | None:
        """A statement with more than one call."""
        found = (i.statement for i in self.items if isinstance(i, Between) and i.several)
        return next(found, None)

    @property
    def name(self) -> str:
        return self.mark.annotation.short


def read_regions(unit: Unit, program: HostProgram) -> list[Region]:
    regions: list[Region] = []
    for mark in unit.annotations.regions:
        found = _find(unit, mark)
        if found is None:
            raise error("KF109", "a region must stand inside a function", mark.annotation)
        function, block, node = found
        regions.append(_Reader(unit, mark, function, program).read(block, node))
    return regions


def _find(unit: Unit, mark: RegionMark) -> tuple[Function, Statement, c_ast.Compound] | None:
    for function in unit.functions.values():
        start, end = unit.range(function.body.first, function.body.last)
        if not start <= mark.block.start < end:
            continue
        visitor = _Blocks(unit, mark.block.start)
        visitor.visit(function.node.body)
        if visitor.found is not None:
            index = unit.index(visitor.found)
            statement = _statement_at(function.body, index)
            if statement is not None:
                return function, statement, visitor.found
    return None


class _Blocks(c_ast.NodeVisitor):
    def __init__(self, unit: Unit, start: int) -> None:
        self.unit, self.start = unit, start
        self.found: c_ast.Compound | None = None

    def visit_Compound(self, node: c_ast.Compound) -> None:
        if self.unit.tokens[self.unit.index(node)].start == self.start:
            self.found = node
        else:
            self.generic_visit(node)


def _statement_at(statement: Statement, index: int) -> Statement | None:
    if statement.first == index and statement.kind == "compound":
        return statement
    for child in statement.children:
        if child.first <= index <= child.last:
            return _statement_at(child, index)
    return None


class _Reader:
    def __init__(
        self, unit: Unit, mark: RegionMark, function: Function, program: HostProgram
    ) -> None:
        self.unit, self.mark, self.function, self.program = unit, mark, function, program
        self.visible: dict[str, c_ast.Decl] = {}  # the function's variables in the region

    def read(self, block: Statement, node: c_ast.Compound) -> Region:
        variables = self._variables(node)
        groups: list[tuple[Statement, list[c_ast.Node]]] = []
        for item in node.block_items or []:
            index = self.unit.index(_placed(item))
            part = next((c for c in block.children if c.first <= index <= c.last), block)
            if groups and groups[-1][0] is part:
                groups[-1][1].append(item)
            elif groups and self._share_text(groups[-1][0], part):
                both = Statement("plain", groups[-1][0].first, part.last)
                groups[-1] = (both, [*groups[-1][1], item])
            else:
                groups.append((part, [item]))
        items: list[RegionCall | Between] = []
        position = 0
        while position < len(groups):
            part, nodes = groups[position]
            following = groups[position + 1] if position + 1 < len(groups) else None
            item, used = self._item(part, nodes, following)
            items.append(item)
            position += used
        self._check_names(items)
        return Region(self.unit, self.mark, self.function, tuple(items), variables)

    def _share_text(self, part: Statement, following: Statement) -> bool:
        """Do two statements come from one macro?"""
        end = self.unit.span(part.first, part.last).end
        return end > self.unit.span(following.first, following.last).start

    def _item(
        self,
        part: Statement,
        nodes: list[c_ast.Node],
        following: tuple[Statement, list[c_ast.Node]] | None,
    ) -> tuple[RegionCall | Between, int]:
        found = [c for node in nodes for c in self._launching_calls(node)]
        if len(found) != 1:
            self._refuse_unknown(nodes, [call for call, _ in found])
            return self._between(part, nodes, several=len(found) > 1), 1
        node, function = found[0]
        begin, opening = self._callee(node)
        close = self.unit.match(opening)
        status, last, used = self._status(part, nodes, node), part.last, 1
        if status == "assigned" and following is not None:
            target = nodes[0].lvalue if isinstance(nodes[0], c_ast.Assignment) else None
            name = target.name if isinstance(target, c_ast.ID) else getattr(nodes[0], "name", None)
            if name and _checks(following[1][0], name, self.program):
                status, last, used = "checked", following[0].last, 2
        written = self.unit.span(begin, close)
        whole = self.unit.span(part.first, last)
        text = self.unit.source.text
        shape = [
            *(t.text for t in tokenize(text[whole.start : written.start])),
            "<call>",
            *(t.text for t in tokenize(text[written.end : whole.end])),
        ]
        call = RegionCall(
            function,
            self._arguments(node, opening, close),
            written,
            whole,
            tuple(shape),
            status,
            names_of(nodes),
            assigned_in(nodes),
        )
        self._check_arguments(call, node)
        return call, used

    def _callee(self, node: c_ast.FuncCall) -> tuple[int, int]:
        """Where `f` or `(f)` begins, and the bracket that opens its arguments."""
        tokens, begin = self.unit.tokens, self.unit.index(node.name)
        opening = begin + 1
        while tokens[opening].text == ")":
            begin, opening = begin - 1, opening + 1
        return begin, opening

    def _launching_calls(self, node: c_ast.Node) -> list[tuple[c_ast.FuncCall, HostFunction]]:
        visitor = Written(self.unit)
        visitor.visit(node)
        result = []
        for call in visitor.calls:
            function = self._lookup(call.name.name)
            if function is not None and self.program.calls(function) & LAUNCHES:
                result.append((call, function))
        self._refuse_pointers(visitor.pointers)
        return result

    def _refuse_pointers(self, calls: list[c_ast.FuncCall]) -> None:
        """`(*f)(x)`, where f launches a kernel."""
        for call in calls:
            for node in descendants(call.name):
                name = node.name if isinstance(node, c_ast.ID) else None
                function = self.program.lookup(name, self.unit) if name else None
                if function is not None and self.program.calls(function) & LAUNCHES:
                    index = self.unit.index(node)
                    raise error(
                        "KF230",
                        f"'{name}' is not called by its name alone",
                        self.unit.span(index, index),
                        help=f"write `{name}(...)`",
                    )

    def _refuse_unknown(self, nodes: list[c_ast.Node], launching: list[c_ast.FuncCall]) -> None:
        for node in nodes:
            visitor = Written(self.unit)
            visitor.visit(node)
            for call in (call for call in visitor.calls if call not in launching):
                name = call.name.name
                function = self._lookup(name)
                index = self.unit.index(call.name)
                span = self.unit.span(index, index)
                known = name in known_calls.LIBC or name.startswith("cl")
                if name in self.visible or (function is None and not known):
                    raise error(
                        "KF121",
                        f"unknown function '{name}' in a region",
                        span,
                        help="give kfusion the file that defines it",
                    )
                if function is not None and function.unit is not self.unit:
                    where = function.unit.node_span(function.function.node)
                    raise error(
                        "KF122",
                        f"'{name}' launches no kernel",
                        span,
                        help="move the call out of the region",
                        related=(("it is defined here", where),),
                    )

    def _between(self, part: Statement, nodes: list[c_ast.Node], *, several: bool) -> Between:
        assigned = _Assigned(self._lookup)
        for node in nodes:
            assigned.visit(node)
        return Between(
            self.unit.span(part.first, part.last),
            tuple(nodes),
            names_of(nodes),
            frozenset(assigned.names),
            assigned.harmless,
            frozenset(n.name for n in nodes if isinstance(n, c_ast.Decl)),
            several,
        )

    def _arguments(
        self, node: c_ast.FuncCall, opening: int, close: int
    ) -> tuple[CallArgument, ...]:
        nodes = node.args.exprs if node.args is not None else []
        result = []
        for expression, (first, last) in zip(
            nodes, argument_ranges(self.unit, opening, close), strict=True
        ):
            span = self.unit.span(first, last)
            result.append(CallArgument(expression, one_line(span.text), span))
        return tuple(result)

    def _check_arguments(self, call: RegionCall, node: c_ast.FuncCall) -> None:
        parameters = call.function.parameters
        if len(call.arguments) != len(parameters):
            raise error(
                "KF125",
                f"'{call.function.name}' takes {len(parameters)} arguments, "
                f"{len(call.arguments)} are given",
                call.call,
            )
        for argument in call.arguments:
            visitor = SideEffects(self._lookup)
            visitor.visit(argument.node)
            if visitor.found:
                raise error(
                    "KF126",
                    f"the argument '{argument.text}' {visitor.what}",
                    argument.span,
                    help="compute it into a variable before the region",
                )

    def _status(self, part: Statement, nodes: list[c_ast.Node], call: c_ast.FuncCall) -> str:
        node = nodes[0]
        if len(nodes) > 1:
            return "checked" if Checking(call, self.program).holds(nodes) else "unknown"
        if node is call or (isinstance(node, c_ast.Cast) and node.expr is call):
            return "ignored"
        if isinstance(node, c_ast.Assignment) and node.rvalue is call:
            if not isinstance(node.lvalue, c_ast.ID):
                return "unknown"  # the place may be another one after the call
            return {"=": "assigned", "|=": "or-ed"}.get(node.op, "unknown")
        if isinstance(node, c_ast.Decl) and node.init is call:
            return "assigned"
        if isinstance(node, c_ast.Compound) and len(node.block_items or []) == 1:
            inner = self._status(part, node.block_items, call)  # braces around it alone
            return inner if inner in ("ignored", "or-ed") else "unknown"
        if is_chained(node, call, self.program):
            return "chained"
        return "checked" if Checking(call, self.program).holds([node]) else "unknown"

    def _variables(self, block: c_ast.Compound) -> dict[str, c_ast.Decl]:
        """The function's variables; of those with one name, the one that the region sees."""
        visitor = _Declared(block)
        visitor.visit(self.function.node)
        inside = _Declared(block)
        inside.visit(block)
        self.visible = {**visitor.in_scope, **inside.found}
        return {
            name: node
            for name, node in {**visitor.found, **self.visible}.items()
            if name in self.visible or self.program.global_of(name, self.unit) is None
        }

    def _lookup(self, name: str) -> HostFunction | None:
        """The function that a name stands for; a pointer to one may have its name."""
        return None if name in self.visible else self.program.lookup(name, self.unit)

    def _check_names(self, items: list[RegionCall | Between]) -> None:
        mentioned = {name for item in items for name in item.names}
        for data in self.mark.data:
            if data.name not in mentioned:
                raise error(
                    "KF127",
                    f"'{data.name}' is not used in this region",
                    data.span,
                    help="name a variable that the region's calls get",
                )


def argument_ranges(unit: Unit, opening: int, close: int) -> list[tuple[int, int]]:
    """First and last token of each argument in a bracket."""
    if close == opening + 1:
        return []
    ranges, start, depth = [], opening + 1, 0
    for index in range(opening + 1, close):
        text = unit.tokens[index].text
        if text in ("(", "[", "{"):
            depth += 1
        elif text in (")", "]", "}"):
            depth -= 1
        elif text == "," and depth == 0:
            ranges.append((start, index - 1))
            start = index + 1
    return [*ranges, (start, close - 1)]


class _Declared(c_ast.NodeVisitor):
    """Variables by name, the last of each; and those that can be seen in a block."""

    def __init__(self, block: c_ast.Compound) -> None:
        self.block = block
        self.found: dict[str, c_ast.Decl] = {}
        self.in_scope: dict[str, c_ast.Decl] = {}
        self._scopes: list[dict[str, c_ast.Decl]] = []

    def _scope(self, node: c_ast.Node) -> None:
        self._scopes.append({})
        if node is self.block:
            self.in_scope = {name: d for scope in self._scopes for name, d in scope.items()}
        self.generic_visit(node)
        self._scopes.pop()

    visit_Compound = visit_For = visit_FuncDecl = visit_Struct = visit_Union = _scope

    def visit_FuncDef(self, node: c_ast.FuncDef) -> None:
        self._scopes.append({})
        arguments = node.decl.type.args
        for child in (arguments, *(node.param_decls or ())):
            if child is not None:
                self.visit(child)
        for name, declared in self._scopes[-1].items():
            self.found[name] = self._scopes[-1][name] = as_pointer(declared)
        self.visit(node.body)
        self._scopes.pop()

    def visit_Decl(self, node: c_ast.Decl) -> None:
        if node.name and not isinstance(node.type, c_ast.FuncDecl):
            self.found[node.name] = node
            if self._scopes:
                self._scopes[-1][node.name] = node
        self.generic_visit(node)


def _placed(node: c_ast.Node) -> c_ast.Node:
    while node.coord is None and node.children():
        node = node.children()[0][1]
    return node
