"""Which functions a pointer may hold: asked of the whole program, without regard to order.

All that is assigned to each other is one *class*: variables, members of one name, parameters
with what is given for them, results. A pointer and what it points to are in one class, so
that it does not matter through how many pointers something is assigned. A class knows the
functions that are put into it and whether anything comes from outside of the given files.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pycparser import c_ast

from kfusion.host import known
from kfusion.host.callgraph import CallGraph
from kfusion.host.known import Kind
from kfusion.host.types import DeclaredTypes, is_void
from kfusion.parse.strings import Scope
from kfusion.parse.unit import Function, Nodes, Unit, arguments_of, by_type
from kfusion.source.dataclasses import dataclass
from kfusion.source.protections import is_on, protection

OUTSIDE = protection("closed-pointers-from-outside", "a pointer holds only what given files assign")

Slot = tuple[object, ...]
_NARROW = frozenset(
    "void char short int signed unsigned float double _Bool bool cl_char cl_uchar cl_short "
    "cl_ushort cl_int cl_uint cl_bool cl_float cl_double int8_t uint8_t int16_t uint16_t int32_t "
    "uint32_t".split()
)
_COMPARING = frozenset("== != < > <= >= && || *  / %".split())
_POSITIONAL: Slot = ("values by position",)
_VARIABLE_ARGUMENTS: Slot = ("variable arguments",)
_LOADS = "it may come from '{}'"


class Outside(NamedTuple):
    """A function that no given file defines, as it is named in a file."""

    name: str
    unit: Unit


Value = Function | Outside


@dataclass(frozen=True)
class Pointed:
    """What a pointer may hold; `why` says why there may be more."""

    values: tuple[Value, ...]
    why: str | None


@dataclass(eq=False)
class _Class:
    values: dict[Value, None]
    foreign: str = ""  # where values may come from that are not seen
    shared: bool = False  # files that are not given may reach it
    kept: bool = False  # it outlives the calls of the functions that assign it
    handed: bool = False  # files that are not given may call a function with it

    def add(self, other: _Class) -> None:
        self.values |= other.values
        self.foreign = self.foreign or other.foreign
        self.shared |= other.shared
        self.kept |= other.kept
        self.handed |= other.handed


class Pointees:
    """The classes of a program."""

    def __init__(self, graph: CallGraph) -> None:
        self.graph = graph
        self.types: DeclaredTypes = graph.program.types
        self._parents: dict[Slot, Slot] = {}
        self._classes: dict[Slot, _Class] = {}
        self._taken: dict[Value, None] = {}  # functions whose address is used
        self._indirect: dict[int, None] = {}  # numbers of arguments of calls through pointers
        self._given: list[Slot] = []  # to functions that no given file defines
        self._called: list[Slot] = []  # pointers that are called
        self._unknown_called = False
        self._enumerators = {
            unit: {node.name for node in unit.nodes[c_ast.Enumerator]}
            for unit in graph.program.units
        }
        for unit in graph.program.units:
            self._read(unit)
        self._connect()

    # What is asked

    def of(self, expression: c_ast.Node, function: Function, arguments: int) -> Pointed:
        """What may be called by an expression with so many arguments."""
        pointed = self.held(expression, function)
        fitting = tuple(
            value
            for value in pointed.values
            if not isinstance(value, Function) or _fits(value, arguments)
        )
        why = pointed.why or (None if fitting else "the files given assign nothing that fits")
        return Pointed(fitting, why)

    def held(self, expression: c_ast.Node, function: Function) -> Pointed:
        slot = self._slot(expression, Scope(function.unit, function))
        if slot is None:
            return Pointed((), None)
        classes = [self._class(slot)]
        if self._reads_member(expression):
            classes.append(self._class(_POSITIONAL))
        values = tuple(dict.fromkeys(v for each in classes for v in each.values))
        return Pointed(values, next(filter(None, map(self._doubt, classes)), None))

    def members(self, names: Iterable[str]) -> tuple[Value, ...]:
        """What the given files assign to members of these names."""
        slots: list[Slot] = [_POSITIONAL, *(("member", name) for name in names)]
        return tuple({value: None for slot in slots for value in self._class(slot).values})

    @property
    def is_sealed(self) -> bool:
        """Do only the given files run? Then nobody else sets their variables."""
        return self.graph.has_main and not self._unknown_called

    def _doubt(self, each: _Class) -> str | None:
        if not is_on(OUTSIDE):
            return None
        if each.foreign:
            return each.foreign
        if not self.is_sealed and (each.shared or (each.kept and each.handed)):
            return "files that are not given may assign it"
        return None

    def _reads_member(self, node: c_ast.Node) -> bool:
        while isinstance(node, c_ast.UnaryOp | c_ast.Cast | c_ast.ArrayRef):
            node = node.name if isinstance(node, c_ast.ArrayRef) else node.expr
        return isinstance(node, c_ast.StructRef)

    # Classes

    def _root(self, slot: Slot) -> Slot:
        while slot in self._parents:
            parent = self._parents[slot]
            if parent in self._parents:
                self._parents[slot] = self._parents[parent]
            slot = parent
        return slot

    def _class(self, slot: Slot) -> _Class:
        return self._classes.setdefault(self._root(slot), _Class({}))

    def _join(self, one: Slot | None, other: Slot | None) -> Slot | None:
        if one is None or other is None:
            return one or other
        first, second = self._root(one), self._root(other)
        if first != second:
            moved = self._classes.pop(second, None)
            self._parents[second] = first
            if moved is not None:
                self._class(first).add(moved)
        return first

    def _holding(self, value: Value, node: c_ast.Node) -> Slot:
        self._taken[value] = None
        slot: Slot = ("function", node)
        self._class(slot).values[value] = None
        return slot

    def _from(self, node: c_ast.Node, where: str) -> Slot:
        slot: Slot = ("outside", node)
        self._class(slot).foreign = where
        return slot

    # Reading the program

    def _read(self, unit: Unit) -> None:
        for node in unit.nodes[c_ast.Union]:
            members = [d.name for d in node.decls or [] if getattr(d, "name", None)]
            for name in members[1:]:
                self._join(("member", members[0]), ("member", name))
        for node in unit.ast.ext:
            if isinstance(node, c_ast.Decl):
                self._read_nodes(by_type(node), Scope(unit, None))
        for function in unit.functions.values():
            self._read_nodes(function.nodes, Scope(unit, function))
            for parameter in function.parameters:
                if not function.is_static:
                    self._class(("local", function, parameter.name)).handed = True

    def _read_nodes(self, nodes: Nodes, scope: Scope) -> None:
        for node in nodes[c_ast.Decl]:
            if node.init is not None and node.name:
                slot = self._variable(node.name, scope)
                if slot is not None:
                    self._initialise(slot, node.type, node.init, scope)
        for node in nodes[c_ast.Assignment]:
            to = self._slot(node.lvalue, scope)
            self._join(to, self._slot(node.rvalue, scope))
        for node in nodes[c_ast.CompoundLiteral]:
            self._initialise(("literal", node), node.type.type, node.init, scope)
        for node in nodes[c_ast.FuncCall]:
            self._call(node, scope)
        for node in nodes[c_ast.Return]:
            if scope.function is not None and node.expr is not None:
                self._join(("result", scope.function), self._slot(node.expr, scope))

    def _call(self, node: c_ast.FuncCall, scope: Scope) -> None:
        given = [self._slot(a, scope) for a in arguments_of(node)]
        name = self._name_called(node, scope)
        if name is None:
            self._indirect[len(given)] = None
            pointer = self._slot(node.name, scope)
            if pointer is not None:
                self._called.append(pointer)
            for position, slot in enumerate(given):
                self._join(("argument", len(given), position), slot)
            return
        listed = self.graph.definitions(name, scope.unit)
        for each in listed:
            self._pass(given, each)
        if listed:
            return
        self._given += [slot for slot in given if slot is not None]
        if name in known.PASSES_ON:
            joined: Slot | None = None
            for slot in given:
                joined = self._join(joined, slot)
        elif self.graph.program.kind_of(name) is Kind.UNKNOWN:
            self._unknown_called = True
            for slot in given:
                if slot is not None and slot[0] != "function":  # which nobody can assign
                    self._class(slot).foreign = _LOADS.format(name)

    def _pass(self, given: list[Slot | None], to: Function) -> None:
        names = [p.name for p in to.parameters]
        for position, slot in enumerate(given):
            if position < len(names):
                self._join(("local", to, names[position]), slot)
            else:
                self._join(_VARIABLE_ARGUMENTS, slot)

    def _connect(self) -> None:
        """Calls through pointers, when all functions are known whose address is used."""
        for count in self._indirect:
            given: list[Slot | None] = [("argument", count, i) for i in range(count)]
            for value in self._taken:
                if isinstance(value, Function) and _fits(value, count):
                    self._pass(given, value)
                    self._join(("results", count), ("result", value))
        for slot in self._given:
            for value in tuple(self._class(slot).values):
                if isinstance(value, Function):
                    for parameter in value.parameters:
                        place: Slot = ("local", value, parameter.name)
                        self._class(place).foreign = "files that are not given may assign it"
        for slot in self._called:
            for value in self._class(slot).values:
                if (
                    isinstance(value, Outside)
                    and self.graph.program.kind_of(value.name) is Kind.UNKNOWN
                ):
                    self._unknown_called = True
                    for count in self._indirect:
                        self._class(("results", count)).foreign = _LOADS.format(value.name)

    def _name_called(self, node: c_ast.FuncCall, scope: Scope) -> str | None:
        name = node.name.name if isinstance(node.name, c_ast.ID) else None
        return None if name is None or scope.unit.has_variable(name, scope.function) else name

    # Expressions

    def _slot(self, node: c_ast.Node | None, scope: Scope) -> Slot | None:
        """The class of a value; None: a number, or nothing that could be a function."""
        if isinstance(node, c_ast.ID):
            return self._named(node, scope)
        if isinstance(node, c_ast.StructRef):
            return self._member(node.field.name)
        if isinstance(node, c_ast.ArrayRef):
            return self._slot(node.name, scope)
        if isinstance(node, c_ast.UnaryOp):
            skipped = node.op in ("sizeof", "_Alignof", "!", "~")
            return None if skipped else self._slot(node.expr, scope)
        if isinstance(node, c_ast.Cast):
            return self._cast(node, scope)
        if isinstance(node, c_ast.Assignment):
            return self._slot(node.lvalue, scope)
        if isinstance(node, c_ast.TernaryOp):
            parts = [node.iftrue, node.iffalse]
        elif isinstance(node, c_ast.BinaryOp):
            parts = [] if node.op in _COMPARING else [node.left, node.right]
        elif isinstance(node, c_ast.ExprList):
            parts = node.exprs[-1:]
        elif isinstance(node, c_ast.Compound):  # ({ ... })
            parts = (node.block_items or [])[-1:]
        elif isinstance(node, c_ast.FuncCall):
            return self._result(node, scope)
        elif isinstance(node, c_ast.CompoundLiteral):
            return ("literal", node)
        else:
            parts = []
        joined: Slot | None = None
        for part in parts:
            joined = self._join(joined, self._slot(part, scope))
        return joined

    def _named(self, node: c_ast.ID, scope: Scope) -> Slot | None:
        if scope.unit.has_variable(node.name, scope.function):
            return self._variable(node.name, scope)
        listed = self.graph.definitions(node.name, scope.unit)
        slot: Slot | None = None
        for each in listed:
            slot = self._join(slot, self._holding(each, node))
        named = node.name in self._enumerators[scope.unit] or node.name in known.OBJECTS
        if not listed and not named:
            slot = self._holding(Outside(node.name, scope.unit), node)
        return slot

    def _variable(self, name: str, scope: Scope) -> Slot | None:
        unit, function = scope
        own = function.variables.get(name) if function is not None else None
        if own is not None and "extern" not in own.storage:
            slot: Slot = ("local", function, name)
            self._class(slot).kept |= "static" in own.storage
            return None if _is_narrow(own) else slot
        declared = unit.variables.get(name) or own
        if declared is None or _is_narrow(declared):
            return None
        if "static" in declared.storage:
            slot = ("static", unit, name)
            self._class(slot).kept = True
            return slot
        slot = ("variable", name)
        self._class(slot).shared = True
        if not any(self._defines(each, name) for each in self.graph.program.units):
            self._class(slot).foreign = "no file given defines it"
        return slot

    def _defines(self, unit: Unit, name: str) -> bool:
        declared = unit.variables.get(name)
        return declared is not None and (
            "extern" not in declared.storage or declared.init is not None
        )

    def _member(self, name: str) -> Slot:
        slot: Slot = ("member", name)
        self._class(slot).shared = True
        return slot

    def _cast(self, node: c_ast.Cast, scope: Scope) -> Slot | None:
        inner = node.expr
        if isinstance(inner, c_ast.Constant) and inner.type.endswith("int"):
            is_pointer = not _is_narrow(node.to_type)
            if is_pointer and inner.value.rstrip("uUlL") not in ("0", "0x0"):
                return self._from(node, "it may come from a number")
            return None
        return self._slot(inner, scope)

    def _result(self, node: c_ast.FuncCall, scope: Scope) -> Slot | None:
        name = self._name_called(node, scope)
        if name is None:
            return ("results", len(arguments_of(node)))
        joined: Slot | None = None
        for each in self.graph.definitions(name, scope.unit):
            joined = self._join(joined, ("result", each))
        if joined is not None:
            return joined
        if name == "fake_va_arg":
            return _VARIABLE_ARGUMENTS
        if name in known.PASSES_ON:
            for argument in arguments_of(node):
                joined = self._join(joined, self._slot(argument, scope))
            return joined
        if (
            self.graph.program.kind_of(name) in (Kind.UNKNOWN, Kind.OPENS)
            or name in known.ON_SIGNAL
        ):
            return self._from(node, _LOADS.format(name))
        return None

    # Initialisers

    def _initialise(
        self,
        slot: Slot,
        type_: c_ast.Node,
        value: c_ast.Node,
        scope: Scope,
    ) -> None:
        if not isinstance(value, c_ast.InitList):
            self._join(slot, self._slot(value, scope))
            return
        type_ = self.types.resolved(type_)
        names = None if isinstance(type_, c_ast.ArrayDecl) else self.types.members(type_)
        for position, item in enumerate(value.exprs):
            to, below = slot, type_.type if isinstance(type_, c_ast.ArrayDecl) else None
            if isinstance(item, c_ast.NamedInitializer):
                named = [part for part in item.name if isinstance(part, c_ast.ID)]
                if named:
                    to = self._member(named[-1].name)
                    below = self.types.member(type_, named[-1].name)
                item = item.expr
            elif names == []:  # a single value, or a type that nothing declares
                to = self._join(slot, _POSITIONAL) or slot
            elif names is not None:
                to, below = self._by_position(type_, names, value.exprs, position)
            elif below is not None and self._is_struct(below):
                if not isinstance(item, c_ast.InitList):
                    to = _POSITIONAL  # braces are left out
            self._initialise(to, below or c_ast.EmptyStatement(), item, scope)

    def _by_position(
        self, type_: c_ast.Node, names: list[str], items: list[c_ast.Node], position: int
    ) -> tuple[Slot, c_ast.Node | None]:
        """The member that a value without a name is for."""
        plain = len(names) >= len(items) and not self.types.has_unnamed(type_)
        for name, item in zip(names, items, strict=False):
            below = self.types.resolved(self.types.member(type_, name))
            is_list = isinstance(item, c_ast.InitList)
            holds_more = below is None or isinstance(below, c_ast.ArrayDecl)
            holds_more = holds_more or self._is_struct(below)
            if isinstance(item, c_ast.NamedInitializer) or (holds_more and not is_list):
                if not (isinstance(item, c_ast.Constant) and item.type == "string"):
                    plain = False
        if not plain:
            return _POSITIONAL, None
        return self._member(names[position]), self.types.member(type_, names[position])

    def _is_struct(self, type_: c_ast.Node | None) -> bool:
        inner = getattr(self.types.resolved(type_), "type", None) if type_ is not None else None
        return isinstance(inner, c_ast.Struct | c_ast.Union)


def _fits(function: Function, arguments: int) -> bool:
    declared = function.node.decl.type.args
    if declared is None or function.node.param_decls:  # `int f(x) int x; {...}`
        return True
    more = any(isinstance(p, c_ast.EllipsisParam) for p in declared.params)
    taken = [p for p in declared.params if not isinstance(p, c_ast.EllipsisParam)]
    if len(taken) == 1 and is_void(taken[0].type):
        taken = []
    return arguments >= len(taken) if more else arguments == len(taken)


def _is_narrow(declared: c_ast.Node) -> bool:
    """Is it of a type that no pointer fits into?"""
    type_ = declared.type
    while isinstance(type_, c_ast.ArrayDecl):
        type_ = type_.type
    inner = getattr(type_, "type", None)
    return (
        isinstance(type_, c_ast.TypeDecl)
        and isinstance(inner, c_ast.IdentifierType)
        and set(inner.names) <= _NARROW
    )
