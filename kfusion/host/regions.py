"""Regions of an application: its calls, their arguments, and what stands between them."""

from __future__ import annotations

from pycparser import c_ast

from kfusion.host import calls as known_calls
from kfusion.host.library import LAUNCHES
from kfusion.host.program import HostFunction, HostProgram, constant
from kfusion.parse.annotations import RegionMark
from kfusion.parse.statements import Statement
from kfusion.parse.unit import Function, Unit, descendants
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import error
from kfusion.source.lexer import tokenize
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
    status: str  # what becomes of the status: ignored, checked, assigned, or-ed, unknown
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
            self._refuse_unknown(nodes)
            return self._between(part, nodes), 1
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
            _assigned(nodes),
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
        visitor = _Written(self.unit)
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

    def _refuse_unknown(self, nodes: list[c_ast.Node]) -> None:
        for node in nodes:
            visitor = _Written(self.unit)
            visitor.visit(node)
            for call in visitor.calls:
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

    def _between(self, part: Statement, nodes: list[c_ast.Node]) -> Between:
        assigned = _Assigned()
        for node in nodes:
            assigned.visit(node)
        return Between(
            self.unit.span(part.first, part.last),
            tuple(nodes),
            names_of(nodes),
            frozenset(assigned.names),
            assigned.harmless,
            frozenset(n.name for n in nodes if isinstance(n, c_ast.Decl)),
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
            result.append(CallArgument(expression, " ".join(span.text.split()), span))
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
            visitor = _SideEffects()
            visitor.visit(argument.node)
            if visitor.found:
                raise error(
                    "KF126",
                    f"the argument '{argument.text}' has a side effect",
                    argument.span,
                    help="compute it into a variable before the region",
                )

    def _status(self, part: Statement, nodes: list[c_ast.Node], call: c_ast.FuncCall) -> str:
        node = nodes[0]
        if len(nodes) > 1:
            return "checked" if _Checking(call, self.program).holds(nodes) else "unknown"
        if node is call or (isinstance(node, c_ast.Cast) and node.expr is call):
            return "ignored"
        if isinstance(node, c_ast.Assignment) and node.rvalue is call:
            if not isinstance(node.lvalue, c_ast.ID):
                return "unknown"  # the place may be another one after the call
            return {"=": "assigned", "|=": "or-ed"}.get(node.op, "unknown")
        if isinstance(node, c_ast.Decl) and node.init is call:
            return "assigned"
        return "checked" if _Checking(call, self.program).holds([node]) else "unknown"

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


class _Written(c_ast.NodeVisitor):
    """Calls that are written in the file itself, not brought by a macro."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.calls: list[c_ast.FuncCall] = []
        self.pointers: list[c_ast.FuncCall] = []  # called through an expression

    def visit_FuncCall(self, node: c_ast.FuncCall) -> None:
        if isinstance(node.name, c_ast.ID):
            if self.unit.tokens[self.unit.index(node.name)].start >= 0 and not any(
                self._same_place(c, node) for c in self.calls
            ):
                self.calls.append(node)
        else:
            self.pointers.append(node)
        self.generic_visit(node)

    def _same_place(self, a: c_ast.FuncCall, b: c_ast.FuncCall) -> bool:
        """A macro may use its argument twice: one call in the text."""
        tokens = self.unit.tokens
        return tokens[self.unit.index(a.name)].start == tokens[self.unit.index(b.name)].start


class _Checking:
    """Does a statement nothing but test the call's status, and leave when it is not zero?

    One statement stands for all calls of a group: what else it did after a success would be
    done once. On the failing way it may do anything.
    """

    def __init__(self, call: c_ast.FuncCall, program: HostProgram) -> None:
        self.call, self.program = call, program
        self.holders: set[str] = set()
        self.called = self.tested = False

    def holds(self, nodes: list[c_ast.Node]) -> bool:
        return all(self._is_plain(node, False) for node in nodes) and self.tested

    def _is_plain(self, node: c_ast.Node, in_loop: bool) -> bool:
        if isinstance(node, c_ast.DoWhile):
            return constant(node.cond, {}) == 0 and self._is_plain(node.stmt, True)
        if isinstance(node, c_ast.Compound):
            return all(self._is_plain(item, in_loop) for item in node.block_items or [])
        if isinstance(node, c_ast.If):
            return (
                node.iffalse is None
                and self._is_status(_tested(node.cond, self.program))
                and _leaves(node.iftrue, in_loop)
            )
        if isinstance(node, c_ast.Decl):
            return isinstance(node.type, c_ast.TypeDecl) and self._is_declared(node)
        if isinstance(node, c_ast.Assignment):
            return self._is_assigned(node)
        return isinstance(node, c_ast.EmptyStatement)

    def _is_declared(self, node: c_ast.Decl) -> bool:
        if node.init is None or constant(node.init, self.program.enumerators) is not None:
            self.holders.discard(node.name)
            return True
        return self._is_held(node.name, _strip(node.init))

    def _is_assigned(self, node: c_ast.Assignment) -> bool:
        if node.op != "=" or not isinstance(node.lvalue, c_ast.ID):
            return False
        return self._is_held(node.lvalue.name, _strip(node.rvalue))

    def _is_held(self, name: str, value: c_ast.Node | None) -> bool:
        """The variable gets the status, from the call or from another variable."""
        if isinstance(value, c_ast.ID) and value.name in self.holders:
            self.holders.add(name)
            return True
        if value is not self.call or self.called:
            return False
        self.called = True
        self.holders.add(name)
        return True

    def _is_status(self, node: c_ast.Node | None) -> bool:
        if isinstance(node, c_ast.Assignment):
            found = self._is_assigned(node)
        elif node is self.call:
            found = not self.called
            self.called = True
        else:
            found = isinstance(node, c_ast.ID) and node.name in self.holders
        self.tested = self.tested or found
        return found


def _strip(node: c_ast.Node | None) -> c_ast.Node | None:
    while isinstance(node, c_ast.Cast):
        node = node.expr
    return node


def _tested(node: c_ast.Node, program: HostProgram) -> c_ast.Node | None:
    """x in `x`, `x != 0`, `0 != x`."""
    if isinstance(node, c_ast.BinaryOp) and node.op == "!=":
        if constant(node.right, program.enumerators) == 0:
            return _strip(node.left)
        if constant(node.left, program.enumerators) == 0:
            return _strip(node.right)
        return None
    if isinstance(node, c_ast.ID | c_ast.FuncCall | c_ast.Assignment | c_ast.Cast):
        return _strip(node)
    return None


def _checks(node: c_ast.Node, name: str, program: HostProgram) -> bool:
    """Is it `if (name != 0) return ...;` or the like?"""
    if not isinstance(node, c_ast.If) or node.iffalse is not None:
        return False
    tested = _tested(node.cond, program)
    return isinstance(tested, c_ast.ID) and tested.name == name and _leaves(node.iftrue)


def _leaves(node: c_ast.Node, in_loop: bool = False) -> bool:
    """Does control leave the region at the end of the statement?"""
    if isinstance(node, c_ast.Compound):
        return bool(node.block_items) and _leaves(node.block_items[-1], in_loop)
    if isinstance(node, c_ast.Break | c_ast.Continue):
        return not in_loop
    if isinstance(node, c_ast.Return | c_ast.Goto):
        return True
    return (
        isinstance(node, c_ast.FuncCall)
        and isinstance(node.name, c_ast.ID)
        and node.name.name in ("exit", "abort", "_Exit", "quick_exit")
    )


class _SideEffects(c_ast.NodeVisitor):
    def __init__(self) -> None:
        self.found = False

    def visit_Assignment(self, node: c_ast.Assignment) -> None:
        self.found = True

    def visit_UnaryOp(self, node: c_ast.UnaryOp) -> None:
        if node.op in ("++", "--", "p++", "p--"):
            self.found = True
        elif node.op != "sizeof":
            self.generic_visit(node)

    def visit_FuncCall(self, node: c_ast.FuncCall) -> None:
        if not (isinstance(node.name, c_ast.ID) and node.name.name in known_calls.PURE):
            self.found = True
        self.generic_visit(node)


class _Assigned(c_ast.NodeVisitor):
    """Variables that a statement assigns, and whether it does nothing else."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.harmless = True

    def visit_Assignment(self, node: c_ast.Assignment) -> None:
        if isinstance(node.lvalue, c_ast.ID):
            self.names.add(node.lvalue.name)
        else:
            self.harmless = False
        self.visit(node.rvalue)

    def visit_Decl(self, node: c_ast.Decl) -> None:
        self.names.add(node.name)
        if node.init is not None:
            self.visit(node.init)

    def visit_UnaryOp(self, node: c_ast.UnaryOp) -> None:
        if node.op in ("++", "--", "p++", "p--"):
            if isinstance(node.expr, c_ast.ID):
                self.names.add(node.expr.name)
            else:
                self.harmless = False
        elif node.op in ("&", "*"):
            self.harmless = False
        self.generic_visit(node)

    def visit_FuncCall(self, node: c_ast.FuncCall) -> None:
        if not (isinstance(node.name, c_ast.ID) and node.name.name in known_calls.PURE):
            self.harmless = False
        if node.args is not None:
            self.visit(node.args)

    def _control(self, node: c_ast.Node) -> None:
        self.harmless = False
        self.generic_visit(node)

    visit_Return = visit_Goto = visit_Break = visit_Continue = visit_Label = _control
    visit_StructRef = visit_ArrayRef = visit_If = visit_For = visit_While = _control
    visit_DoWhile = visit_Switch = visit_Compound = _control


def _assigned(nodes: list[c_ast.Node]) -> frozenset[str]:
    visitor = _Assigned()
    for node in nodes:
        visitor.visit(node)
    return frozenset(visitor.names)


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
        for child in (arguments, *(node.param_decls or ()), node.body):
            if child is not None:
                self.visit(child)
        self._scopes.pop()

    def visit_Decl(self, node: c_ast.Decl) -> None:
        if node.name and not isinstance(node.type, c_ast.FuncDecl):
            self.found[node.name] = node
            if self._scopes:
                self._scopes[-1][node.name] = node
        self.generic_visit(node)


class _IDs(c_ast.NodeVisitor):
    def __init__(self) -> None:
        self.found: set[str] = set()

    def visit_ID(self, node: c_ast.ID) -> None:
        self.found.add(node.name)

    def visit_FuncCall(self, node: c_ast.FuncCall) -> None:
        if node.args is not None:
            self.visit(node.args)

    def visit_StructRef(self, node: c_ast.StructRef) -> None:
        self.visit(node.name)


def names_of(nodes: list[c_ast.Node]) -> frozenset[str]:
    visitor = _IDs()
    for node in nodes:
        visitor.visit(node)
    return frozenset(visitor.found)


def _placed(node: c_ast.Node) -> c_ast.Node:
    while node.coord is None and node.children():
        node = node.children()[0][1]
    return node
