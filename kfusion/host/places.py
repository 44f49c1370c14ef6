"""Variables and the places of memory that an execution knows; what is lost by a write."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pycparser import c_ast

from kfusion.host.conversions import arithmetic
from kfusion.host.effects import Assign, Effect, Unsupported
from kfusion.host.frames import Frame, Once
from kfusion.host.operators import (
    is_computed,
    is_constant_table,
    is_stable,
    moved_by,
    seen_otherwise,
)
from kfusion.host.program import HostFunction, HostProgram
from kfusion.host.symbolic import (
    App,
    Entry,
    Fresh,
    Global,
    Local,
    Loss,
    Made,
    Num,
    Op,
    Place,
    Pointee,
    Ref,
    Root,
    State,
    Sym,
    Unknown,
    depth,
    leaves,
)

MOST_DEPTH = 100


class Places(ABC):
    """The memory of an execution, and where it stands."""

    def __init__(self, program: HostProgram, fresh: Fresh | None = None) -> None:
        self.program = program
        self.fresh = fresh or Fresh()
        self.frames: list[Frame] = []
        self.application: dict[str, c_ast.Decl | None] = {}  # variables of App places
        self.effects: list[Effect] = []
        self.conditions: list[Sym] = []  # that are open, and whose truth is not known
        self.nesting = self.followed = 0  # of loops; iterations of the outermost and those within

    # Variables and places

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    def unknown(self) -> Sym:
        return Unknown(self.fresh.next())

    def emit(self, effect: Effect) -> None:
        self.effects.append(effect)

    @property
    def certain(self) -> bool:
        return not self.conditions and not self.left

    @property
    def left(self) -> list[Frame | Once]:
        """What control may have left already, under a condition.

        Whoever is interested in the outermost function asks what it does unless it returns.
        """
        found: list[Frame | Once] = [frame for frame in self.frames[1:] if frame.left]
        return found + [loop for f in self.frames for loop in f.loops if loop and loop.left]

    @contextmanager
    def under(self, condition: Sym | None = None) -> Iterator[None]:
        """Execute something that happens only if the condition (None: an unknown) holds."""
        self.conditions.append(self.unknown() if condition is None else condition)
        yield
        self.conditions.pop()

    @contextmanager
    def scope(self) -> Iterator[Callable[[State], None]]:
        """A block, and how to leave it: what its declarations have hidden is unknown then."""
        frame, own = self.frame, dict[str, bool]()
        frame.scopes.append(own)

        def leave(state: State) -> None:
            for name, hides in own.items():
                if hides:
                    state.write(self.variable(name), self.unknown())

        yield leave
        frame.scopes.pop()
        for name, hides in own.items():
            if hides and frame.function is not None and not any(name in s for s in frame.scopes):
                frame.variables.pop(name, None)  # it has hidden a global

    def hides(self, name: str) -> bool:
        """Does a declaration here hide another variable? The two are not told apart."""
        frame, program = self.frame, self.program
        if frame.function is None:
            return bool(frame.scopes) and name in frame.variables
        if any(name in scope for scope in frame.scopes[:-1]):
            return True
        inner = len(frame.scopes) > 2  # parameters, the function's block, and one in it
        outside = name in program.enumerators or program.global_of(name, frame.unit) is not None
        return inner and outside

    def variable(self, name: str) -> Place:
        frame = self.frame
        if name in frame.variables:
            if frame.function is None:
                return Place(App(name))
            if name in frame.statics:
                return Place(Global(name, self._home_in(frame.function)))
            return Place(Local(frame.number, name))
        return Place(Global(name, self.program.home_of(name, frame.unit)))

    def _home_in(self, function: HostFunction) -> str:
        """Of variables that outlive the calls of a function: several files may have one."""
        is_only = function is self.program.functions.get(function.name)
        file = "" if is_only else f"{function.unit.source.name}: "
        return f"{file}{function.name}()"

    def place(self, node: c_ast.Node, state: State) -> Place | None:
        """The place that an lvalue names."""
        if isinstance(node, c_ast.ID):
            return self.variable(node.name)
        if isinstance(node, c_ast.StructRef):
            if self.program.types.shares_memory(self.type_of(node.name), node.field.name):
                return None  # a union: another member may have been written
            if node.type == "->":
                return self._pointed(node.name, state) / str(node.field.name)
            base = self.place(node.name, state)
            return None if base is None else base / str(node.field.name)
        if isinstance(node, c_ast.ArrayRef):
            return self._element(node, state)
        if isinstance(node, c_ast.UnaryOp) and node.op == "*":
            return self._pointed(node.expr, state)
        if isinstance(node, c_ast.Cast):
            return self.place(node.expr, state)
        return None

    def _pointed(self, node: c_ast.Node, state: State) -> Place:
        """Where the pointer leads that an expression gives."""
        return self.as_seen(node, self.value(node, state))

    def as_seen(self, node: c_ast.Node, pointer: Sym) -> Place:
        """What a pointer leads to; if it is seen as another type, any part of the object."""
        place = self.target(pointer)
        seen = self.program.types.target(self.type_of(node))
        if self.is_another_type(seen, self.declared_type(place)):
            return Place(Pointee(seen_otherwise(pointer)))
        return place

    def is_another_type(self, seen: c_ast.Node | None, declared: c_ast.Node | None) -> bool:
        types = self.program.types
        if seen is None or types.is_void(seen):
            return False
        if declared is None or types.is_void(declared):
            return self._is_byte(seen)
        kinds = arithmetic(seen, types), arithmetic(declared, types)
        return kinds[0] != kinds[1] if any(kinds) else not types.are_one(seen, declared)

    def _is_byte(self, type_: c_ast.Node) -> bool:
        kind = arithmetic(type_, self.program.types)
        return kind is not None and kind.bits == 8

    def declared_type(self, place: Place) -> c_ast.Node | None:
        """The type that a place is declared with, as far as its declaration is seen."""
        root, types = place.root, self.program.types
        type_: c_ast.Node | None = None
        if isinstance(root, Pointee):
            if isinstance(root.pointer, Entry):
                type_ = types.target(self.declared_type(root.pointer.place))
        elif isinstance(root, Global):
            declared = self._global(root)
            type_ = declared.type if declared is not None else None
        else:
            type_ = getattr(self._own_declaration(root), "type", None)
        for position, step in enumerate(place.path):
            if not step.startswith("["):
                type_ = types.member(type_, step)
            elif isinstance(types.resolved(type_), c_ast.ArrayDecl):
                type_ = types.target(type_)
            elif position > 0 or not isinstance(root, Pointee):  # not one of several objects
                return None
        return type_

    def _own_declaration(self, root: Local | App) -> c_ast.Decl | None:
        if isinstance(root, App):
            outside = next((f.variables for f in self.frames if f.function is None), None)
            return (self.application if outside is None else outside).get(root.name)
        frames = (frame for frame in self.frames if frame.number == root.frame)
        return next((frame.variables.get(root.name) for frame in frames), None)

    def _element(self, node: c_ast.ArrayRef, state: State) -> Place:
        index = self.value(node.subscript, state)
        step = f"[{index.value}]" if isinstance(index, Num) else f"[?{index}]"
        base = self.place(node.name, state)
        if base is None:
            base = Place(Pointee(self.unknown()))
            return base / step
        if isinstance(base.root, Global) and not base.path and not state.has_parts(base):
            self.initialise_global(base.root, state)
        is_array = (
            self.is_array_member(node.name)
            if isinstance(node.name, c_ast.StructRef)
            else self._is_array(base, state)
        )
        if is_array is None:
            return Place(Pointee(self.unknown())) / step
        if is_array:
            return base / step
        target = self.as_seen(node.name, state.read(base))
        if isinstance(target.root, Pointee) and is_computed(target.root.pointer):
            return target / step
        if target.path and target.path[-1] == "[0]":
            return Place(target.root, (*target.path[:-1], step))
        if target.path and target.path[-1].startswith("[") and step != "[0]":
            moved = moved_by(target, index.value) if isinstance(index, Num) else None
            return moved or Place(target.root, (*target.path[:-1], f"[?{index}]"))
        return target if step == "[0]" else target / step

    def _is_array(self, place: Place, state: State) -> bool:
        """Is the place an array itself, and not a pointer to one?"""
        declaration: c_ast.Node | None = None
        if not place.path:
            if isinstance(place.root, Local | App):
                declaration = self._own_declaration(place.root)
            elif isinstance(place.root, Global):
                declaration = self._global(place.root)
            if isinstance(declaration, c_ast.Decl):
                return isinstance(declaration.type, c_ast.ArrayDecl)
            return state.has_parts(place) and any(
                p.path[0].startswith("[") for p in state.memory if p.root == place.root and p.path
            )
        return self.program.types.is_array_member(place.path[-1]) is True

    def _global(self, root: Global) -> c_ast.Decl | None:
        """The declaration of a variable that outlives calls."""
        for frame in self.frames:
            if frame.function is not None and root.home == self._home_in(frame.function):
                return frame.variables.get(root.name)
        return self.program.global_of(root.name, self.frame.unit)

    def target(self, pointer: Sym) -> Place:
        if isinstance(pointer, Ref):
            return pointer.place
        if isinstance(pointer, Op) and pointer.name == "+":
            place, distance = pointer.args[0], pointer.args[1]
            if isinstance(place, Ref) and isinstance(distance, Num):
                moved = moved_by(place.place, distance.value)
                if moved is not None:
                    return moved
        return Place(Pointee(pointer))

    def assign(self, place: Place | None, value: Sym, state: State, node: c_ast.Node) -> None:
        if place is None:
            self.emit(Unsupported(node, self.certain, "an assignment to an unknown place"))
            self.lose(state, everything=True)
            return
        if isinstance(place.root, Pointee) and not is_stable(place.root.pointer):
            self.store(place.root.pointer, state)
        if place.path and place.path[-1] in self.program.types.bit_fields:
            value = self.unknown()
        if depth(value) > MOST_DEPTH:  # a sum over a table, say: nobody asks what is in it
            value = self.unknown()
        index = next((i for i, step in enumerate(place.path) if step.startswith("[?")), None)
        stored = value
        if index is not None:  # some element of an array
            place, stored = Place(place.root, place.path[:index]), self.unknown()
        if not isinstance(place.root, Local):
            self.emit(Assign(node, self.certain, place, value))
        state.write(place, stored)

    def lose(
        self,
        state: State,
        roots: frozenset[Root] = frozenset(),
        *,
        variables: bool = True,
        members: bool = False,
        everything: bool = False,
        exposed: frozenset[str] | None = None,
    ) -> None:
        """Something unknown is written to places that are not known one by one."""
        exposed = self.program.exposed if exposed is None else exposed
        number = self.fresh.next()
        state.lose(Loss(number, exposed, roots, variables, members, everything))

    def lose_all(self, state: State) -> None:
        """Something may have been written to any variable, whether pointers lead there or not."""
        self.lose(state, everything=True, exposed=self.program.variable_names)

    def store(self, pointer: Sym, state: State) -> None:
        """Something unknown is written to (or around) what the pointer points to."""
        for leaf in leaves(pointer):
            if isinstance(leaf, Ref):
                self.overwrite(leaf.place, state)
            elif isinstance(leaf, Unknown):
                self.lose(state, everything=True)
            elif isinstance(leaf, Entry | Made):
                root = Pointee(leaf)
                members = isinstance(leaf, Entry) and bool(leaf.place.path)
                self.lose(state, frozenset([root]), variables=False, members=members)

    def overwrite(self, place: Place, state: State) -> None:
        """Nothing is known any more of the place, and of the array that it is in."""
        end = next((i for i, step in enumerate(place.path) if step.startswith("[?")), None)
        place = Place(place.root, place.path[:end])
        while place.path and place.path[-1].startswith("["):
            place = Place(place.root, place.path[:-1])
        state.write(place, self.unknown())

    def read(self, place: Place, state: State) -> Sym:
        if isinstance(place.root, Pointee) and is_computed(place.root.pointer):
            return self.unknown()
        index = next((i for i, step in enumerate(place.path) if step.startswith("[?")), None)
        if index is not None:
            array = Place(place.root, place.path[:index])
            if state.has_parts(array) and any(p.within(array) for p in state.memory):
                return self.unknown()
        return state.resolve(state.read(place))

    def is_array_member(self, node: c_ast.StructRef) -> bool | None:
        """Is `x.m` an array? None: it cannot be told."""
        known = self.program.types.is_array_member(node.field.name)
        if known is not None:
            return known
        type_ = self.type_of(node)
        return isinstance(type_, c_ast.ArrayDecl) if type_ is not None else None

    def type_of(self, node: c_ast.Node) -> c_ast.Node | None:
        """The declared type of an expression, where it is simple to find."""
        types = self.program.types
        if isinstance(node, c_ast.ID):
            declared = self.frame.variables.get(node.name)
            declared = declared or self.program.global_of(node.name, self.frame.unit)
            return declared.type if declared is not None else None
        if isinstance(node, c_ast.StructRef):
            return types.member(self.type_of(node.name), node.field.name)
        if isinstance(node, c_ast.ArrayRef):
            return types.target(self.type_of(node.name))
        if isinstance(node, c_ast.UnaryOp) and node.op == "*":
            inner = node.expr
            if isinstance(inner, c_ast.UnaryOp) and inner.op == "&":
                return self.type_of(inner.expr)
            return types.target(self.type_of(inner))
        if isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID):
            function = self.program.lookup(node.name.name, self.frame.unit)
            own = node.name.name in self.frame.variables
            return function.result_type if function is not None and not own else None
        if isinstance(node, c_ast.Assignment):
            return self.type_of(node.lvalue)
        if isinstance(node, c_ast.ExprList):
            return self.type_of(node.exprs[-1])
        return node.to_type.type if isinstance(node, c_ast.Cast) else None

    def initialise_global(self, root: Global, state: State) -> None:
        """A constant table: its elements by their initialisers."""
        declaration = self._global(root)
        if declaration is None or not isinstance(declaration.init, c_ast.InitList):
            return
        if is_constant_table(declaration) or declaration in self.program.tables_only_read:
            self.initialise(Place(root), declaration.init, state, declaration.type)
            return
        members = self.program.members_only_read.get(declaration)
        if members:
            known = State()
            self.initialise(Place(root), declaration.init, known, declaration.type)
            for place, value in known.memory.items():
                if len(place.path) == 2 and place.path[1] in members:
                    state.write(place, value)

    @abstractmethod
    def value(self, node: c_ast.Node | None, state: State) -> Sym: ...

    @abstractmethod
    def initialise(
        self, place: Place, init: c_ast.Node, state: State, type_: c_ast.Node | None = None
    ) -> None: ...
