"""Is a region *closed*: does all that its statements can reach stay in what is known?

A closed region stays inside one thread and the given files, from its beginning to its end.
Only then can launches be held back inside of it (section "Closed regions only" of the
design). Every function is looked at once for each region, the nearest first, so that the
way that a message shows is a shortest one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from pycparser import c_ast
from pycparser.c_generator import CGenerator

from kfusion.host import known
from kfusion.host.callgraph import (
    Called,
    CallGraph,
    Summary,
    Team,
    call_graph,
    pragma_text,
)
from kfusion.host.closed_files import calls_opencl, other_uses
from kfusion.host.known import Kind
from kfusion.host.outside import (
    MACROS,
    bars,
    has_redirected,
    macro_span,
    misfits,
)
from kfusion.host.pointees import Outside, Pointed, Pointees
from kfusion.host.program import HostProgram, once
from kfusion.host.skipped import skipped_calls
from kfusion.parse.compiler import STDIN
from kfusion.parse.unit import (
    Function,
    Unit,
    argument_of,
    arguments_of,
    by_type,
    declares_function,
    descendants,
)
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import Reason
from kfusion.source.lexer import one_line
from kfusion.source.protections import is_on, protection
from kfusion.source.text import Span

UNKNOWN = protection("closed-unknown", "a region calls a function that nothing is known of")
CHANGED = protection("closed-changed-functions", "a call goes to another definition than is given")
INLINE = protection("closed-inline", "a call goes to a definition that is not given")
MEMBERS = protection("closed-members", "a macro of the run time's stands for a member")
SKIPPED = protection("closed-skipped", "what the preprocessor leaves out is not looked at")
NOTIFIED = protection("closed-callbacks", "OpenCL calls functions of the program at any time")
POINTERS = protection("closed-pointers", "a region calls a function by a pointer, unseen")
HANDED_ON = protection("closed-handed-on", "qsort calls a function that is not looked at")
CLEANUPS = protection("closed-cleanups", "a variable's clean-up function is not looked at")
SIGNALS = protection("closed-signals", "a signal handler uses OpenCL inside of a region")
ENTRIES = protection("closed-entries", "a region is entered past its beginning")
ANYWHERE = protection("closed-anywhere", "a file ends threads from outside")

CODE = "KF241"
_GIVE = "give kfusion the file that defines it, or add harmless({}) to the pragma"
_OPTIONS_HELP = (
    "give kfusion the options that the compiler gets, -DNAME, or the file that defines it"
)
_HEADER_HELP = "it may be a macro of a header that is not found: add its folder with -I"
_POINTER_HELP = "call the function by its name, or assign the pointer in the given files only"

Way = tuple[tuple[str, Span], ...]


@dataclass(frozen=True)
class Closedness:
    opened: tuple[Reason, ...]  # why it is not closed; empty: it is
    settles: frozenset[str]  # functions that nothing is held back around: they get macros
    functions: tuple[Function, ...] = ()  # that are reached
    leaves: frozenset[str] = frozenset()  # functions by which a region of C++ leaves the program


def closedness(
    block: c_ast.Node,
    function: Function,
    program: HostProgram,
    harmless: frozenset[str] = frozenset(),
    settled: frozenset[str] = frozenset(),
) -> Closedness:
    """`harmless`: functions of other files that, says the user, use neither OpenCL nor threads;
    `settled`: functions that nothing is held back around because of other regions."""
    graph = call_graph(program)
    reach = Reach(graph, harmless)
    if is_on(ENTRIES):
        for message, span in _entries(block, function):
            reach.open(message, span, (), "let the region's first statement be its only entry")
    if is_on(ANYWHERE):
        for construct in graph.named_anywhere:
            reach.open(construct.message, construct.span, ())
    reach.start(graph.summary_of(block, function))
    if is_on(SIGNALS):
        reach.signal_handlers()
    reach.check_macros(settled)
    for unit in program.others if is_on(MEMBERS) else ():
        for message, help in other_uses(unit) if calls_opencl(unit) else ():
            reach.open(message, unit.source.line_span(1), (), help)
    return reach.result()


@once
def closed_as_a_whole(program: HostProgram) -> bool:
    """Does nothing run but the given files, OpenCL, and known functions, on one thread?

    Then only the given files can have set the arguments of a kernel before a region.
    """
    graph = call_graph(program)
    if not graph.has_main or graph.named_anywhere:
        return False
    for unit in program.units:
        for node in unit.nodes[c_ast.ID]:
            if known.jumps(node.name):
                continue  # no argument is set by a jump
            if known.why_opens(node.name) and not graph.definitions(node.name, unit):
                if not unit.has_variable(node.name, unit.enclosing(node)):
                    return False
    reach = Reach(graph, frozenset(), whole=True)
    for function in program.all_functions:
        reach.visit(function, ())
    reach.run()
    reach.signal_handlers()
    return not reach.result().opened and not reach.unknown


class Reach:
    """One walk over the call graph, in breadth."""

    def __init__(self, graph: CallGraph, harmless: frozenset[str], *, whole: bool = False) -> None:
        """`whole`: it is not about a region, but who can set arguments anywhere."""
        self.graph, self.harmless, self.whole = graph, harmless, whole
        self._waiting: deque[tuple[Summary, Way]] = deque()
        self._seen: dict[Function, None] = {}
        self._opened: dict[tuple[str, Span], Reason] = {}
        self._settles: dict[str, Way] = {}
        self._uses_opencl = False
        self.unknown: dict[str, None] = {}

    # The walk

    def start(self, summary: Summary) -> None:
        self._waiting.append((summary, ()))
        self.run()

    def visit(self, function: Function, way: Way) -> None:
        if function not in self._seen:
            self._seen[function] = None
            self._waiting.append((self.graph.summary(function), way))

    def run(self) -> None:
        while self._waiting:
            summary, way = self._waiting.popleft()
            self._look_at(summary, way)

    def result(self) -> Closedness:
        return Closedness(tuple(self._opened.values()), frozenset(self._settles), tuple(self._seen))

    def open(self, message: str, span: Span, way: Way, help: str | None = None) -> None:
        self._opened.setdefault((message, span), Reason(CODE, message, span, help, way))

    def check_macros(self, others: frozenset[str] = frozenset()) -> None:
        """May macros stand for the functions that nothing is held back around? `others` have
        macros in any case."""
        for unit in self.graph.program.units if is_on(MEMBERS) else ():
            for message, span, help in bars(unit):
                self.open(message, span, (), help)
        if not self._settles:
            return
        names = others | self._settles.keys()
        for unit in self.graph.program.units:
            if not has_redirected(unit, names) and not unit.annotations.regions:
                continue  # it does not include the header
            for misfit in misfits(unit, names):
                way = self._settles.get(misfit.name, ())
                self.open(misfit.message, misfit.span, way, misfit.help)

    def _look_at(self, summary: Summary, way: Way) -> None:
        for construct in summary.constructs:
            self.open(construct.message, construct.span, way)
        for node in summary.undeclared if not self.whole else ():  # constants, most likely
            if node.name not in self.harmless:
                message = f"'{node.name}' is not declared in the files given"
                self.open(message, summary.unit.node_span(node), way, _HEADER_HELP)
        for call in summary.calls:
            if call.name is not None:
                self._named(call.name, call, summary, way)
            elif is_on(POINTERS):
                self._pointer(call, summary, way)
        if is_on(CLEANUPS):
            self._cleanups(summary, way)
        for team in summary.teams:
            self._team(team, summary, way)
        if is_on(SKIPPED):
            self._skipped(summary, way)

    def _skipped(self, summary: Summary, way: Way) -> None:
        """What a compiler with other options may call."""
        unit = summary.unit
        first, last = unit.tokens[summary.first], unit.tokens[summary.last]
        if first.file != STDIN or first.start < 0:
            return
        for name, span in skipped_calls(unit, first.start, last.end):
            kind = self.graph.program.kind_of(name)
            if listed := self.graph.definitions(name, unit):
                self._reach(listed, _behind(way, summary, name, span))
            elif name in self.harmless or name in unit.macros.history:
                continue
            elif kind is Kind.SETTLES and not self.whole:
                self._settles.setdefault(name, _behind(way, summary, name, span))
            elif kind in (Kind.UNKNOWN, Kind.OPENS):
                self.unknown[name] = None
                text = f"'{name}' is called here, under a condition that does not hold"
                self.open(text, span, way, _OPTIONS_HELP)

    # Calls

    def _named(self, name: str, call: Called, summary: Summary, way: Way) -> None:
        unit, span = summary.unit, call.span
        if name in self.graph.changed and is_on(CHANGED):
            self.open(f"'{name}' {self.graph.changed[name]}", span, way)
            return
        listed = self.graph.definitions(name, unit)
        if listed:
            if is_on(INLINE) and self.graph.is_only_inline(name, unit):
                help = f"declare it static, or give the file that has 'extern inline ... {name}'"
                self.open(f"'{name}' is inline: another file may define it", span, way, help)
            self._reach(listed, _behind(way, summary, name, span))
            return
        kind = self._kind(name)
        if kind is Kind.UNKNOWN:
            self._unknown(name, call, summary, way)
        elif self.whole and known.jumps(name):
            return
        elif kind is Kind.OPENS:
            self.open(f"'{name}' {known.why_opens(name)}", span, way)
        elif kind is Kind.OPENCL:
            self._opencl(name, call, summary, way)
        elif kind is Kind.SETTLES:
            self._settle(name, call, summary, way)
        if kind is not Kind.OPENCL and is_on(HANDED_ON):
            self._handed_on(name, call, summary, way)

    def _reach(self, functions: Iterable[Function], way: Way) -> None:
        for function in functions:
            self.visit(function, way)

    def _opencl(self, name: str, call: Called, summary: Summary, way: Way) -> None:
        unit = summary.unit
        self._uses_opencl = True
        if is_on(MACROS) and name in unit.macros.history:  # not the run time's is used
            self.open(f"'{name}' is a macro in this file", macro_span(name, unit), way)
        position = known.NOTIFIES.get(name)
        given = argument_of(call.node, position) if position is not None else None
        if given is not None and not _is_null(given) and is_on(NOTIFIED):
            if self.whole and name in known.TELLS and self._only_tells(given, unit):
                return
            text = f"'{name}' registers a function that OpenCL calls"
            self.open(text, call.span, way, "pass NULL, and wait for the call")

    def _only_tells(self, given: c_ast.Node, unit: Unit) -> bool:
        """Is it a given function that has to do with nothing of OpenCL?"""
        name = given.name if isinstance(given, c_ast.ID) else ""
        reach = Reach(self.graph, self.harmless, whole=True)
        listed = self.graph.definitions(name, unit)
        reach._reach(listed, ())
        reach.run()
        quiet = not reach._uses_opencl and not reach._settles and not reach.unknown
        return bool(listed) and quiet and not reach.result().opened

    def _unknown(self, name: str, call: Called, summary: Summary, way: Way) -> None:
        """Around such a call nothing is held back. It must be one that a macro can replace."""
        if not is_on(UNKNOWN):
            return
        if self.whole and known.is_of_library(name) and not self.graph.program.declares(name):
            return
        self.unknown[name] = None
        if is_declared(name, summary.unit):
            self._settle(name, call, summary, way)
            return
        message = f"'{name}' is not defined in the files given"
        self.open(message, call.span, way, _GIVE.format(name))

    def _settle(self, name: str, call: Called, summary: Summary, way: Way) -> None:
        if not self.whole:
            self._settles.setdefault(name, _behind(way, summary, name, call.span))

    def _handed_on(self, name: str, call: Called, summary: Summary, way: Way) -> None:
        """Functions that a function of no given file is handed, and calls."""
        arguments = arguments_of(call.node)
        positions = known.CALLS.get(name, ())
        if name in self.harmless:
            positions = tuple(range(len(arguments)))
        for position in positions:
            if position < len(arguments) and not _is_null(arguments[position]):
                given = arguments[position]
                pointed = self._pointees.held(given, summary.function)
                if name in self.harmless and not pointed.values:
                    continue
                self._pointed(pointed, given, name, summary, way)

    def _pointer(self, call: Called, summary: Summary, way: Way) -> None:
        count = len(arguments_of(call.node))
        pointed = self._pointees.of(call.node.name, summary.function, count)
        self._pointed(pointed, call.node.name, "", summary, way)

    def _pointed(
        self, pointed: Pointed, node: c_ast.Node, by: str, summary: Summary, way: Way
    ) -> None:
        span = summary.unit.node_span(_leftmost(node))
        text = _text(node)
        why = pointed.why or (None if pointed.values else "the files given assign nothing")
        if why is not None:
            self.open(f"what '{text}' calls cannot be told: {why}", span, way, _POINTER_HELP)
        for value in pointed.values:
            if isinstance(value, Function):
                what = f"'{by}' calls '{value.name}' here" if by else _through(text, value.name)
                if value.name in self.graph.changed and is_on(CHANGED):
                    self.open(f"'{value.name}' {self.graph.changed[value.name]}", span, way)
                self.visit(value, (*way, (what, span)))
            else:
                self._outside(value, text, span, way)

    def _outside(self, value: Outside, text: str, span: Span, way: Way) -> None:
        """A function of no given file by a pointer: no macro stands in front of the call."""
        kind = self._kind(value.name)
        if kind is Kind.HARMLESS and value.name not in known.CALLS:
            return
        if kind is Kind.UNKNOWN:
            if is_on(UNKNOWN):
                message = f"'{value.name}' is not defined in the files given"
                way = (*way, (_through(text, value.name), span))
                self.open(message, span, way, _GIVE.format(value.name))
            return
        self.open(
            f"'{text}' may call '{value.name}', which is not called by its name here",
            span,
            way,
            _POINTER_HELP,
        )

    # What is reached without a call

    def _cleanups(self, summary: Summary, way: Way) -> None:
        unit = summary.unit
        for cleanup in summary.cleanups:
            index = min(cleanup.index, len(unit.tokens) - 1)
            span = unit.span(index, index)
            found = [n for n in cleanup.functions if self.graph.definitions(n, unit)]
            harmless = [n for n in cleanup.functions if self._kind(n) is Kind.HARMLESS]
            for name in found or harmless:
                listed = self.graph.definitions(name, unit)
                self._reach(listed, (*way, (f"'{name}' cleans up a variable here", span)))
            if not found and not harmless:
                names = "', '".join(cleanup.functions)
                message = f"the clean-up function '{names}' is not defined in the files given"
                self.open(message if names else "a clean-up function cannot be told", span, way)

    def _kind(self, name: str) -> Kind:
        return Kind.HARMLESS if name in self.harmless else self.graph.program.kind_of(name)

    def signal_handlers(self) -> None:
        """Handlers that given files install may run at any time, in any region."""
        for handler, span in self._handlers():
            inside = Reach(self.graph, self.harmless)
            way: Way = ((f"'{handler.name}' is a signal handler, installed here", span),)
            inside.visit(handler, way)
            inside.run()
            for reason in inside._opened.values():
                self._opened.setdefault((reason.message, span), reason)
            if inside._uses_opencl:
                self.open(f"the signal handler '{handler.name}' calls OpenCL", span, ())
            for name in sorted(inside._settles):
                message = f"the signal handler '{handler.name}' calls '{name}'"
                self.open(message, span, (), "set a flag in the handler, and look at it outside")

    def _handlers(self) -> list[tuple[Function, Span]]:
        found: dict[Function, Span] = {}
        for name in (*known.ON_SIGNAL, "sigaction"):
            for summary, call in self.graph.callers.get(name, ()):
                if name in known.ON_SIGNAL:
                    listed = arguments_of(call.node)
                    handlers = listed[known.ON_SIGNAL[name] :][:1]
                    held = [self._pointees.held(given, summary.function) for given in handlers]
                    values = tuple(value for each in held for value in each.values)
                else:
                    values = self._pointees.members(known.SIGNAL_MEMBERS)
                for value in values:
                    if isinstance(value, Function):
                        found.setdefault(value, call.span)
        return list(found.items())

    def _team(self, team: Team, summary: Summary, way: Way) -> None:
        text, span = pragma_text(team.pragma), summary.unit.node_span(team.pragma)
        if team.waits:
            self.open(f"'{text}' makes threads wait for each other", span, way)
        elif team.body is None:
            self.open(f"'{text}' stands before no statement", span, way)
        elif self._does_more(team.body, summary.function):
            message = f"'{text}' stands before a statement that calls OpenCL or waits"
            self.open(message, span, way, "take the pragma, or the statement, out of the region")

    def _does_more(self, node: c_ast.Node, function: Function) -> bool:
        """Does a part of a function reach OpenCL, or what may, or what waits?"""
        if not by_type(node)[c_ast.FuncCall]:
            return False
        inside = Reach(self.graph, self.harmless)
        inside.start(self.graph.summary_of(node, function))
        return bool(inside._uses_opencl or inside._opened or inside._settles)

    @property
    def _pointees(self) -> Pointees:
        return self.graph.program.remember(Pointees, lambda: Pointees(self.graph))


def _entries(block: c_ast.Node, function: Function) -> list[tuple[str, Span]]:
    """Labels and cases of a block that are reached from outside of it."""
    unit = function.unit
    inside = set(map(id, descendants(block)))
    labels = {n.name for n in descendants(block) if isinstance(n, c_ast.Label)}
    found = [
        (f"'goto {node.name}' jumps into the region", unit.node_span(node))
        for node in function.nodes[c_ast.Goto]
        if id(node) not in inside and node.name in labels
    ]
    waiting = list(block)
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, c_ast.Case | c_ast.Default):
            message = "a case of a switch that begins outside of the region"
            found.append((message, unit.node_span(node)))
        if not isinstance(node, c_ast.Switch):
            waiting += list(node)
    return found


def is_declared(name: str, unit: Unit) -> bool:
    """As a function, so that a call of the name is a call of that function."""
    return any(node.name == name and declares_function(node) for node in unit.nodes[c_ast.Decl])


def _is_null(node: c_ast.Node) -> bool:
    while isinstance(node, c_ast.Cast):
        node = node.expr
    if isinstance(node, c_ast.ID):
        return bool(node.name == "NULL")
    return isinstance(node, c_ast.Constant) and node.value in ("0", "0L", "0x0")


def _behind(way: Way, summary: Summary, name: str, span: Span) -> Way:
    """With one more call."""
    caller = f"'{summary.function.name}'" if way else "the region"
    return (*way, (f"{caller} calls '{name}' here", span))


def _through(text: str, name: str) -> str:
    return f"'{text}' may be '{name}' here"


def _leftmost(node: c_ast.Node) -> c_ast.Node:
    """The part of an expression whose token names it best."""
    while isinstance(node, c_ast.StructRef | c_ast.ArrayRef | c_ast.UnaryOp | c_ast.Cast):
        node = node.name if isinstance(node, c_ast.StructRef | c_ast.ArrayRef) else node.expr
    return node


def _text(node: c_ast.Node) -> str:
    return one_line(CGenerator().visit(node))
