"""Who calls whom in the given files, by the rules of C for names.

Each function is looked at once, and gives a summary: the functions that it calls by their
names, the calls through pointers, and what opens a region by itself. What a pointer may
hold is asked of `pointees`; what a call means for a region is decided in `closed`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from pycparser import c_ast

from kfusion.host.attributes import Attributes, Cleanup, read_attributes
from kfusion.host.known import ANYWHERE, INSTALLS, OBJECTS, Kind, kind_of
from kfusion.host.program import HostProgram, once
from kfusion.parse.annotations import is_annotation
from kfusion.parse.compiler import STDIN
from kfusion.parse.host import ASSEMBLER
from kfusion.parse.unit import UNREAD, Function, Nodes, Unit, by_type
from kfusion.source.dataclasses import dataclass
from kfusion.source.protections import is_on, protection
from kfusion.source.text import Span

ASSEMBLER_OPENS = protection("closed-assembler", "a region with assembler is noted")
ATOMICS = protection("closed-atomics", "a region that uses atomic variables is noted")
UNDECLARED = protection("closed-undeclared", "a name of which nothing is known is a macro")
TEAMS = protection("closed-teams", "a region hands launches to other threads by a pragma")

_HARMLESS_PRAGMA = re.compile(
    r"#\s*pragma\s+(?:GCC|STDC|once|unroll|nounroll|ivdep|message|pack|region|endregion|warning"
    r"|vector|novector|inline|noinline|weak|redefine_extname"
    r"|clang\s+(?:loop|diagnostic|optimize|fp))\b"
)
_WAITING_PRAGMA = re.compile(
    r"#\s*pragma\s+omp\s+(?:critical|barrier|ordered|taskwait|taskyield|taskgroup|flush|atomic"
    r"|cancel|cancellation)\b"
)


@dataclass(frozen=True, eq=False)
class Called:
    unit: Unit
    node: c_ast.FuncCall
    name: str | None  # None: through a pointer

    @property
    def span(self) -> Span:
        return self.unit.node_span(self.node.name)


@dataclass(frozen=True, eq=False)
class Team:
    """A pragma that may hand the statement behind it to several threads."""

    pragma: c_ast.Pragma
    body: c_ast.Node | None
    waits: bool  # it makes threads wait for each other


@dataclass(frozen=True, eq=False)
class Construct:
    """What opens a region by itself."""

    message: str
    span: Span


@dataclass(frozen=True, eq=False)
class Summary:
    """What a function, or a statement of it, does that matters to a region."""

    function: Function
    first: int  # the tokens, of a function those of its body
    last: int
    calls: tuple[Called, ...]
    teams: tuple[Team, ...]
    cleanups: tuple[Cleanup, ...]
    constructs: tuple[Construct, ...]
    undeclared: tuple[c_ast.ID, ...]  # names of which nothing is known

    @property
    def unit(self) -> Unit:
        return self.function.unit


class CallGraph:
    """The functions of the given files; one for each program."""

    def __init__(self, program: HostProgram) -> None:
        self.program = program
        self._summaries: dict[Function, Summary] = {}

    def definitions(self, name: str, unit: Unit) -> Sequence[Function]:
        """The functions that a name may mean in a file: more than one if several are given."""
        own = unit.functions.get(name)
        return [own] if own is not None and own.is_static else self.program.shared.get(name, ())

    def is_only_inline(self, name: str, unit: Unit) -> bool:
        """Is a function an inline definition alone? Then a file that is not given has another."""
        listed = self.definitions(name, unit)
        return all(
            not each.is_static
            and self._is_inline(each)
            and not self._is_declared_extern(name, each.unit)
            for each in listed
        )

    def _is_inline(self, function: Function) -> bool:
        notes = function.unit.notes_between(function.first, function.body.first)
        return "inline" in function.node.decl.funcspec or any(
            note.text in ("__inline", "__inline__") for note in notes
        )

    def _is_declared_extern(self, name: str, unit: Unit) -> bool:
        """Does the file have `extern inline int f(int);`, which makes it a definition for all?

        Where the definition itself is `extern inline`, GNU C 89 has another one elsewhere.
        """
        if "extern" in unit.functions[name].node.decl.storage:
            return False
        declared = (n for n in unit.ast.ext if isinstance(n, c_ast.Decl) and n.name == name)
        return any("extern" in n.storage or "inline" not in n.funcspec for n in declared)

    @cached_property
    def attributes(self) -> dict[Unit, Attributes]:
        return {unit: read_attributes(unit) for unit in self.program.units}

    @cached_property
    def changed(self) -> dict[str, str]:
        """Functions whose calls may go elsewhere, and why."""
        return {
            name: why for each in self.attributes.values() for name, why in each.changed.items()
        }

    @cached_property
    def has_main(self) -> bool:
        """Do the given C files alone make a program?"""
        return bool(self.program.shared.get("main")) and not self.program.others

    @cached_property
    def named_anywhere(self) -> tuple[Construct, ...]:
        """Names that open every region, wherever they stand."""
        found: list[Construct] = []
        for unit in self.program.units:
            called = {call.name for call in unit.nodes[c_ast.FuncCall]}
            for node in unit.nodes[c_ast.ID]:
                message = ""
                if node.name in ANYWHERE:
                    message = f"'{node.name}' {ANYWHERE[node.name]}"
                elif node.name in INSTALLS and node not in called:
                    message = f"'{node.name}' is not only called: what it installs is not seen"
                if message and not self.definitions(node.name, unit):
                    found.append(Construct(message, unit.node_span(node)))
        return (*found, *self._named_in_cpp())

    def _named_in_cpp(self) -> Iterator[Construct]:
        for other in self.program.others:
            for token in other.tokens:
                why = ANYWHERE.get(token.text)
                if token.text in INSTALLS and why is None:
                    why = "may install a function of C++, which is not looked at"
                if why is not None:
                    line = token.line if token.file == STDIN else 1
                    yield Construct(f"'{token.text}' {why}", other.source.line_span(line))

    def summary(self, function: Function) -> Summary:
        if function not in self._summaries:
            first, last = function.body.first, function.body.last
            self._summaries[function] = self._summarised(function, function.nodes, first, last)
        return self._summaries[function]

    def summary_of(self, node: c_ast.Node, function: Function) -> Summary:
        """Of a statement of the function."""
        first = function.unit.index(node)
        last = function.body.find(first).last
        return self._summarised(function, by_type(node), first, last)

    def _summarised(self, function: Function, nodes: Nodes, first: int, last: int) -> Summary:
        unit = function.unit
        calls: list[Called] = []
        constructs = [  # assembler of a file opens the regions that reach any of its functions
            Construct("assembler outside of functions", unit.span(index, index))
            for index in self.attributes[unit].assembler
            if is_on(ASSEMBLER_OPENS)
        ]
        for call in nodes[c_ast.FuncCall]:
            name = call.name.name if isinstance(call.name, c_ast.ID) else None
            if name == ASSEMBLER:
                if is_on(ASSEMBLER_OPENS):
                    constructs.append(Construct("a statement of assembler", unit.node_span(call)))
                continue
            if name == UNREAD:
                span = unit.span(function.first, function.body.first - 1)
                constructs.append(
                    Construct("kfusion cannot read this function: it is not standard C", span)
                )
                continue
            if name is not None and unit.has_variable(name, function):
                name = None
            calls.append(Called(unit, call, name))
        attributes = self.attributes[unit]
        for index in attributes.registers:
            if first <= index <= last and is_on(ASSEMBLER_OPENS):
                span = unit.span(index, index)
                constructs.append(Construct("a variable that assembler names", span))
        constructs += self._atomics_used(unit, nodes)
        inside = (c for c in attributes.cleanups if first <= c.index <= last)
        return Summary(
            function,
            first,
            last,
            tuple(calls),
            tuple(_teams(nodes)),
            tuple(inside),
            tuple(constructs),
            tuple(self._undeclared(nodes, function)),
        )

    def _undeclared(self, nodes: Nodes, function: Function) -> Iterator[c_ast.ID]:
        """Names that may stand for anything: for macros of a header that is not found."""
        unit = function.unit
        if function.body.first in unit.unread:
            return
        called = {call.name for call in nodes[c_ast.FuncCall]}
        labels = {part for n in nodes[c_ast.NamedInitializer] for part in n.name}
        labels |= {node.field for node in nodes[c_ast.StructRef]}
        seen: set[str] = set()
        for node in nodes[c_ast.ID]:
            name = node.name
            known = name in seen or name in self._declared[unit]
            if known or node in called or node in labels or not is_on(UNDECLARED):
                continue
            seen.add(name)
            if not unit.has_variable(name, function) and kind_of(name) is Kind.UNKNOWN:
                yield node

    @cached_property
    def _declared(self) -> dict[Unit, set[str]]:
        """Functions and enumerators that a file may name."""
        return {
            unit: {node.name for node in unit.nodes[c_ast.Enumerator]}
            | {node.name for node in unit.nodes[c_ast.Decl] if node.name}
            | OBJECTS
            for unit in self.program.units
        }

    def _atomics_used(self, unit: Unit, nodes: Nodes) -> list[Construct]:
        names = self._atomics[unit]
        used = [n for n in nodes[c_ast.ID] if n.name in names]
        used += [n.field for n in nodes[c_ast.StructRef] if n.field.name in names]
        used += [n for n in nodes[c_ast.Decl] if n.name in names and n not in used]
        if not used or not is_on(ATOMICS):
            return []
        first = min(used, key=unit.index)
        return [Construct(f"'{first.name}' is atomic", unit.node_span(first))]

    @cached_property
    def _atomics(self) -> dict[Unit, set[str]]:
        """Variables and members that are atomic."""
        found: dict[Unit, set[str]] = {}
        for unit in self.program.units:
            types = {n.name for n in unit.nodes[c_ast.Typedef] if _is_atomic(n, set())}
            names = found.setdefault(unit, set())
            for node in unit.nodes[c_ast.Decl]:
                if node.name and _is_atomic(node, types):
                    if not unit.tokens[unit.index(node)].system:
                        names.add(node.name)
        return found

    @cached_property
    def callers(self) -> dict[str, list[tuple[Summary, Called]]]:
        """All calls by the names that they have."""
        found: dict[str, list[tuple[Summary, Called]]] = {}
        for function in self.program.all_functions:
            summary = self.summary(function)
            for call in summary.calls:
                if call.name is not None:
                    found.setdefault(call.name, []).append((summary, call))
        return found


@once
def call_graph(program: HostProgram) -> CallGraph:
    """The graph of a program, made once."""
    return CallGraph(program)


def pragma_text(pragma: c_ast.Pragma) -> str:
    """`#pragma omp parallel for`, on one line."""
    text = pragma.string
    text = text if isinstance(text, str) else str(text.value).strip('"')
    return " ".join(f"#pragma {text}".split())


def _teams(nodes: Nodes) -> list[Team]:
    behind: dict[c_ast.Node, c_ast.Node] = {}
    for kind, attribute in (
        (c_ast.Compound, "block_items"),
        (c_ast.Case, "stmts"),
        (c_ast.Default, "stmts"),
    ):
        for node in nodes[kind]:
            following: c_ast.Node | None = None
            for item in reversed(getattr(node, attribute) or []):
                if isinstance(item, c_ast.Pragma):
                    if following is not None:
                        behind[item] = following
                else:
                    following = item
    found: list[Team] = []
    for pragma in nodes[c_ast.Pragma]:
        text = pragma_text(pragma)
        if is_on(TEAMS) and not _HARMLESS_PRAGMA.match(text) and not is_annotation(text):
            waits = _WAITING_PRAGMA.match(text) is not None
            found.append(Team(pragma, behind.get(pragma), waits))
    return found


def _is_atomic(node: c_ast.Node, types: set[str]) -> bool:
    while node is not None:
        if "_Atomic" in (getattr(node, "quals", None) or ()):
            return True
        if isinstance(node, c_ast.IdentifierType):
            return bool(types & set(node.names)) or "_Atomic" in node.names
        if isinstance(node, c_ast.FuncDecl | c_ast.Struct | c_ast.Union | c_ast.Enum):
            return False
        node = getattr(node, "type", None)
    return False
