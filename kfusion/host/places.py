"""Variables and the places of memory that an execution knows, and the functions it is in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field, replace
from itertools import count

from pycparser import c_ast

from kfusion.host.arithmetic import arithmetic as arithmetic_of
from kfusion.host.arithmetic import fit
from kfusion.host.program import HostProgram
from kfusion.host.symbolic import (
    App,
    Global,
    Literal,
    Local,
    Num,
    Op,
    Place,
    Pointee,
    Ref,
    Some,
    State,
    Sym,
    Unknown,
)
from kfusion.host.ways import Ways
from kfusion.parse.unit import Function, Unit
from kfusion.source.dataclasses import dataclass


@dataclass(eq=False)
class Frame:
    number: int
    function: Function | None  # None: the one with the region, of which only the block is run
    unit: Unit
    variables: dict[str, c_ast.Decl | None] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)  # of variables that hide others
    depth: int = 0  # blocks that are open
    statics: set[str] = field(default_factory=set)  # variables that outlive the call
    call: c_ast.FuncCall | None = None  # that control has left the frame by
    home: str = ""  # the name of the function with the region

    def copy(self) -> Frame:
        return replace(
            self,
            variables=dict(self.variables),
            aliases=dict(self.aliases),
            statics=set(self.statics),
        )

    @property
    def name(self) -> str:
        return self.function.name if self.function is not None else self.home


class Places(ABC):
    """The memory of an execution, and where it stands."""

    def __init__(self, program: HostProgram, ways: Ways) -> None:
        self.program, self.ways = program, ways
        self.fresh = count(1)  # numbers for things that are made or unknown
        self.state = State()
        self.frames: list[Frame] = []
        # Ways that were taken and calls that were not followed; numbers that types may change.
        self.turns = 0

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    def unknown(self) -> Sym:
        return Unknown(next(self.fresh))

    # Variables

    @contextmanager
    def scope(self) -> Iterator[None]:
        """A block. Behind its end names mean what they meant before it."""
        frame = self.frame
        variables, aliases = dict(frame.variables), dict(frame.aliases)
        frame.depth += 1
        yield
        frame.depth -= 1
        frame.variables, frame.aliases = variables, aliases

    def name_variable(self, node: c_ast.Decl) -> None:
        """A declaration. A variable that hides another one gets a name of its own."""
        frame = self.frame
        if node.name in frame.variables:
            frame.aliases[node.name] = f"{node.name}'{frame.depth}"
            frame.variables[frame.aliases[node.name]] = node
        frame.variables[node.name] = node
        if "static" in node.storage:
            frame.statics.add(node.name)

    def variable(self, name: str) -> Place:
        frame = self.frame
        if name not in frame.variables:
            return Place(Global(name, self.program.home_of(name, frame.unit)))
        if name in frame.statics:
            return Place(Global(name, f"{frame.unit.source.name}: {frame.name}()"))
        own = frame.aliases.get(name, name)
        return Place(App(own) if frame.function is None else Local(frame.number, own))

    def declaration(self, name: str) -> c_ast.Decl | None:
        """Of a variable, as it is seen here."""
        own = self.frame.variables.get(name)
        return own or self.program.global_of(name, self.frame.unit)

    def arithmetic(
        self, node: c_ast.Node | None, value: Sym, source: c_ast.Node | None = None
    ) -> Sym:
        """A value, that of the expression `source`, as a variable of a declared type holds it."""
        types = self.program.types
        kind = arithmetic_of(node, types)
        is_real = kind is not None and kind.real and source is not None
        return fit(value, kind, arithmetic_of(self.type_of(source), types) if is_real else None)

    # Places

    def place(self, node: c_ast.Node) -> Place | None:
        """The place that an lvalue names."""
        if isinstance(node, c_ast.ID):
            return self.variable(node.name)
        if isinstance(node, c_ast.StructRef):
            arrow = node.type == "->"
            base = self.target(self.value(node.name)) if arrow else self.place(node.name)
            return None if base is None else base / self._member(node)
        if isinstance(node, c_ast.ArrayRef):
            return self._element(node)
        if isinstance(node, c_ast.UnaryOp) and node.op == "*":
            return self.target(self.value(node.expr))
        return self.place(node.expr) if isinstance(node, c_ast.Cast) else None

    def _member(self, node: c_ast.StructRef) -> str:
        """The members of a union are one place."""
        name, types = str(node.field.name), self.program.types
        if types.may_be_in_union(name) and types.is_in_union(self.type_of(node.name), name):
            return "union"
        return name

    def _element(self, node: c_ast.ArrayRef) -> Place | None:
        index = self.value(node.subscript)
        step = f"[{index.value}]" if isinstance(index, Num) else Some(index)
        base = self.place(node.name)
        if base is None:
            return None
        self.initialise_global(base)
        if self.is_array(node.name, base):
            return base / step
        target = self.target(self.state.read(base))
        if target.path[-1:] == ("[0]",):
            return Place(target.root, (*target.path[:-1], step))
        if target.path and target.path[-1].startswith("[") and step != "[0]":
            moved = target.moved(index.value) if isinstance(index, Num) else None
            return moved or Place(target.root, (*target.path[:-1], Some(index)))
        return target if step == "[0]" else target / step

    def is_array(self, node: c_ast.Node, place: Place) -> bool:
        """Is what an expression names an array itself, and not a pointer to one?"""
        type_ = self.program.types.resolved(self.type_of(node))
        if type_ is None:
            parts = self.state.parts(place)
            return any(path[0].startswith("[") for path in parts)
        return isinstance(type_, c_ast.ArrayDecl)

    def target(self, pointer: Sym) -> Place:
        """What a pointer leads to."""
        return pointer.place if isinstance(pointer, Ref) else Place(Pointee(pointer))

    def assign(self, place: Place | None, value: Sym) -> None:
        if place is None:
            self.ways.doubt("something is written, and it is not known where")
            return
        if place.is_of_some_element:
            self.ways.doubt("an element of an array is written, and it is not known which")
        self.state.write(place, value)

    def read(self, place: Place) -> Sym:
        if place.is_of_some_element:
            self.ways.doubt("something is read, and it is not known what")
        character = _character(place)
        if character is not None:
            return character
        return self.state.resolve(self.state.read(place))

    def overwrite(self, pointer: Sym) -> None:
        """Something unknown is written to what a pointer leads to: an array as a whole."""
        if isinstance(pointer, Ref):
            place = pointer.place
            if place.path[-1:] == ("[0]",):
                place = Place(place.root, place.path[:-1])
            self.state.write(place, self.unknown())

    def type_of(self, node: c_ast.Node) -> c_ast.Node | None:
        """The declared type of an expression, where it is simple to find."""
        types = self.program.types
        if isinstance(node, c_ast.ID):
            declared = self.declaration(node.name)
            return declared.type if declared is not None else None
        if isinstance(node, c_ast.StructRef):
            return types.member(self.type_of(node.name), node.field.name)
        if isinstance(node, c_ast.ArrayRef):
            return types.target(self.type_of(node.name))
        if isinstance(node, c_ast.UnaryOp) and node.op == "*":
            if isinstance(node.expr, c_ast.UnaryOp) and node.expr.op == "&":
                return self.type_of(node.expr.expr)
            return types.target(self.type_of(node.expr))
        if isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID):
            function = self.function_named(node.name.name)
            return function.result_type if function is not None else None
        if isinstance(node, c_ast.Assignment):
            return self.type_of(node.lvalue)
        return node.to_type.type if isinstance(node, c_ast.Cast) else None

    def function_named(self, name: str) -> Function | None:
        """The function that a name means, if no variable hides it."""
        unit = self.frame.unit
        if name in self.frame.variables or self.program.global_of(name, unit) is not None:
            return None
        return self.program.lookup(name, unit)

    def initialise_global(self, place: Place) -> None:
        """A number that is constant, and of a table what is, and the names that stand in it."""
        root = place.root
        if not isinstance(root, Global) or root in self.state.memory:
            return
        declared = self.program.global_of(root.name, self.frame.unit)
        constant = declared is not None and _is_constant(declared.type)
        if declared is None or declared.init is None:
            return
        if not constant and not isinstance(declared.init, c_ast.InitList):
            return
        before, self.state = self.state, State()
        self.initialise(Place(root), declared.init, declared.type)
        found, self.state = self.state, before
        self.state.memory.setdefault(root, {})
        for inner, value in found.items():
            if inner.root == root and (constant or isinstance(value, Literal)):
                self.state.write(inner, value)

    @abstractmethod
    def value(self, node: c_ast.Node | None) -> Sym: ...

    @abstractmethod
    def initialise(self, place: Place, init: c_ast.Node, type_: c_ast.Node | None) -> None: ...


def _character(place: Place) -> Num | None:
    """What a pointer into a text leads to, `*(c + 1)` and `c[1]` of "mi"."""
    pointer = place.root.pointer if isinstance(place.root, Pointee) else None
    steps = [step[1:-1] for step in place.path]
    if len(steps) > 1 or not all(step.isdigit() for step in steps):
        return None
    number = sum(map(int, steps))
    if isinstance(pointer, Op) and pointer.name == "+" and isinstance(pointer.args[1], Num):
        number += pointer.args[1].value
        pointer = pointer.args[0]
    if not isinstance(pointer, Literal) or pointer.text[:1] != '"' or "\\" in pointer.text:
        return None
    text = f"{pointer.text[1:-1]}\0"
    return Num(ord(text[number])) if 0 <= number < len(text) else None


def _is_constant(type_: c_ast.Node) -> bool:
    """`static const ... t[]` or `const char *const t[]`."""
    while isinstance(type_, c_ast.ArrayDecl):
        type_ = type_.type
    return "const" in (getattr(type_, "quals", None) or ())
