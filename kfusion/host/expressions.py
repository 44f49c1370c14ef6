"""Evaluate host expressions symbolically: values, places, and the effects on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import field

from pycparser import c_ast

from kfusion.host.calls import PURE
from kfusion.host.conversions import (
    DOUBLE,
    FLOAT,
    INT,
    SIZE,
    Arithmetic,
    arithmetic,
    common,
    convert,
    of_call,
    of_constant,
    of_operation,
)
from kfusion.host.effects import Assign, Effect, Unsupported
from kfusion.host.program import HostFunction, HostProgram, compute, constant
from kfusion.host.symbolic import (
    FALSE,
    LOST,
    TRUE,
    App,
    Entry,
    Fresh,
    Global,
    Literal,
    Local,
    Loss,
    Made,
    Num,
    Op,
    Phi,
    Place,
    Pointee,
    Ref,
    Root,
    State,
    Sym,
    Unknown,
    join,
    leaves,
)
from kfusion.parse.unit import Unit
from kfusion.source.dataclasses import dataclass


@dataclass
class Step:
    """One statement of the function under study, and what its execution did."""

    nodes: list[c_ast.Node]
    first: int  # tokens
    last: int
    effects: list[Effect] = field(default_factory=list)
    reads: set[str] = field(default_factory=set)  # the function's own variables
    writes: set[str] = field(default_factory=set)
    inner: set[str] = field(default_factory=set)  # variables of blocks inside the statement
    returns: bool = False  # a return is executed here on some path
    guard: bool = False  # an early return that a run-time guard rules out
    place_reads: dict[Place, None] = field(default_factory=dict)  # in order
    flushes: bool = False  # the queue, after which its commands do run
    # conditions found true or false that it stands under: tokens, variables read, which way
    under: tuple[tuple[int, int, frozenset[str], bool], ...] = ()


@dataclass
class Outcome:
    """One way out of a function."""

    state: State
    value: Sym
    condition: Sym  # under which this way is taken, given that none before it was
    node: c_ast.Node | None = None
    launched: bool = False  # a kernel is launched before


@dataclass(eq=False)
class Once:
    """A `do { } while (0)`: a `break` in it leads to its end, and nowhere else."""

    breaks: list[State] = field(default_factory=list)
    left: bool = False  # it may have been left, under a condition


@dataclass(eq=False)
class Frame:
    number: int
    function: HostFunction | None
    unit: Unit
    variables: dict[str, c_ast.Decl | None] = field(default_factory=dict)
    returns: list[Outcome] = field(default_factory=list)
    depth: int = 0  # conditions that were open when the function was entered
    statics: set[str] = field(default_factory=set)  # variables that outlive the call
    loops: list[Once | None] = field(default_factory=list)  # around; None: not followed exactly
    left: bool = False  # control may have left the function, under a condition
    scopes: list[dict[str, bool]] = field(default_factory=list)  # names: do they hide others?


class Expressions:
    """Evaluation of expressions; statements are the executor's."""

    def __init__(self, program: HostProgram, fresh: Fresh | None = None) -> None:
        self.program = program
        self.fresh = fresh or Fresh()
        self.frames: list[Frame] = []
        self.step: Step | None = None
        self.effects: list[Effect] = []
        self.conditions: list[Sym] = []  # that are open, and whose truth is not known

    # Variables and places

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    def unknown(self) -> Sym:
        return Unknown(self.fresh.next())

    def emit(self, effect: Effect) -> None:
        self.effects.append(effect)
        if self.step is not None:
            self.step.effects.append(effect)

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
                return Place(Global(name, f"{frame.function.name}()"))
            return Place(Local(frame.number, name))
        return Place(Global(name, self.program.home_of(name, frame.unit)))

    def place(self, node: c_ast.Node, state: State) -> Place | None:
        """The place that an lvalue names."""
        if isinstance(node, c_ast.ID):
            return self.variable(node.name)
        if isinstance(node, c_ast.StructRef):
            if self.program.types.shares_memory(self.type_of(node.name), node.field.name):
                return None  # a union: another member may have been written
            if node.type == "->":
                return self.target(self.value(node.name, state)) / str(node.field.name)
            base = self.place(node.name, state)
            return None if base is None else base / str(node.field.name)
        if isinstance(node, c_ast.ArrayRef):
            return self._element(node, state)
        if isinstance(node, c_ast.UnaryOp) and node.op == "*":
            return self.target(self.value(node.expr, state))
        if isinstance(node, c_ast.Cast):
            return self.place(node.expr, state)
        return None

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
        target = self.target(state.read(base))
        if target.path and target.path[-1] == "[0]":
            return Place(target.root, (*target.path[:-1], step))
        if target.path and target.path[-1].startswith("[") and step != "[0]":
            moved = _moved(target, index.value) if isinstance(index, Num) else None
            return moved or Place(target.root, (*target.path[:-1], f"[?{index}]"))
        return target if step == "[0]" else target / step

    def _is_array(self, place: Place, state: State) -> bool:
        """Is the place an array itself, and not a pointer to one?"""
        declaration: c_ast.Node | None = None
        if not place.path:
            if isinstance(place.root, Local | App):
                for frame in self.frames:
                    if isinstance(place.root, App) or frame.number == place.root.frame:
                        declaration = frame.variables.get(place.root.name, declaration)
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
            if frame.function is not None and root.home == f"{frame.function.name}()":
                return frame.variables.get(root.name)
        return self.program.global_of(root.name, self.frame.unit)

    def target(self, pointer: Sym) -> Place:
        if isinstance(pointer, Ref):
            return pointer.place
        if isinstance(pointer, Op) and pointer.name == "+":
            place, distance = pointer.args[0], pointer.args[1]
            if isinstance(place, Ref) and isinstance(distance, Num):
                moved = _moved(place.place, distance.value)
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
        if any(step.startswith("[?") for step in place.path):
            index = next(i for i, s in enumerate(place.path) if s.startswith("[?"))
            place = Place(place.root, place.path[:index])
            if not isinstance(place.root, Local):
                self.emit(Assign(node, self.certain, place, value))
            state.write(place, self.unknown())
            if isinstance(place.root, Local) and self.step is not None:
                if place.root.frame == self.frames[0].number:
                    self.step.writes.add(place.root.name)
            return
        if isinstance(place.root, Local):
            if place.root.frame == self.frames[0].number and self.step is not None:
                self.step.writes.add(place.root.name)
        else:
            self.emit(Assign(node, self.certain, place, value))
        state.write(place, value)

    def lose(
        self,
        state: State,
        roots: frozenset[Root] = frozenset(),
        *,
        variables: bool = True,
        members: bool = False,
        everything: bool = False,
    ) -> None:
        """Something unknown is written to places that are not known one by one."""
        exposed = self.program.exposed
        number = self.fresh.next()
        state.lose(Loss(number, exposed, roots, variables, members, everything))

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
        if isinstance(place.root, Local) and self.step is not None:
            if place.root.frame == self.frames[0].number:
                self.step.writes.add(place.root.name)

    # Types of expressions

    def kind(self, node: c_ast.Node | None) -> Arithmetic | None:
        """The arithmetic type of an expression as declarations tell it; None: not known."""
        method = getattr(self, "_kind_" + type(node).__name__, None)
        if method is not None:
            result: Arithmetic | None = method(node)
            return result
        return arithmetic(self.type_of(node), self.program.types) if node is not None else None

    def _kind_Constant(self, node: c_ast.Constant) -> Arithmetic | None:
        return of_constant(node)

    def _kind_ID(self, node: c_ast.ID) -> Arithmetic | None:
        if node.name not in self.frame.variables and node.name in self.program.enumerators:
            return INT
        return arithmetic(self.type_of(node), self.program.types)

    def _kind_UnaryOp(self, node: c_ast.UnaryOp) -> Arithmetic | None:
        if node.op == "!":
            return INT
        if node.op in ("sizeof", "_Alignof"):
            return SIZE
        if node.op == "*":
            return arithmetic(self.type_of(node), self.program.types)
        inner = self.kind(node.expr) if node.op != "&" else None
        return inner.promoted if inner is not None and node.op in ("-", "+", "~") else inner

    def _kind_BinaryOp(self, node: c_ast.BinaryOp) -> Arithmetic | None:
        return of_operation(node.op, self.kind(node.left), self.kind(node.right))

    def _kind_TernaryOp(self, node: c_ast.TernaryOp) -> Arithmetic | None:
        return common(self.kind(node.iftrue), self.kind(node.iffalse))

    def _kind_Assignment(self, node: c_ast.Assignment) -> Arithmetic | None:
        return self.kind(node.lvalue)

    def _kind_ExprList(self, node: c_ast.ExprList) -> Arithmetic | None:
        return self.kind(node.exprs[-1])

    def _kind_FuncCall(self, node: c_ast.FuncCall) -> Arithmetic | None:
        name = node.name.name if isinstance(node.name, c_ast.ID) else ""
        function = self.program.lookup(name, self.frame.unit) if name else None
        if function is not None and name not in self.frame.variables:
            return arithmetic(function.result_type, self.program.types)
        known = of_call(name)
        if known is None and name in PURE:
            return FLOAT if name.endswith("f") else DOUBLE
        return known

    def declared_kind(self, declaration: c_ast.Decl | None) -> Arithmetic | None:
        return arithmetic(getattr(declaration, "type", None), self.program.types)

    def converted(self, value: Sym, node: c_ast.Node, target: Arithmetic | None) -> Sym:
        """The value of an expression as a variable of a type holds it."""
        return convert(value, self.kind(node), target) if target is not None else value

    def read(self, place: Place, state: State) -> Sym:
        if self.step is not None and not isinstance(place.root, Local):
            self.step.place_reads[place] = None
        if isinstance(place.root, Pointee) and is_computed(place.root.pointer):
            return self.unknown()
        index = next((i for i, step in enumerate(place.path) if step.startswith("[?")), None)
        if index is not None:
            array = Place(place.root, place.path[:index])
            if state.has_parts(array) and any(p.within(array) for p in state.memory):
                return self.unknown()
        return state.resolve(state.read(place))

    # Values

    def value(self, node: c_ast.Node | None, state: State) -> Sym:
        if node is None:
            return self.unknown()
        method = getattr(self, "_value_" + type(node).__name__, None)
        if method is None:
            self.emit(Unsupported(node, self.certain, type(node).__name__))
            return self.unknown()
        result: Sym = method(node, state)
        return state.resolve(result)

    def _value_Constant(self, node: c_ast.Constant, state: State) -> Sym:
        number = constant(node, {})
        return Num(number) if number is not None else Literal(node.value)

    def _value_ID(self, node: c_ast.ID, state: State) -> Sym:
        if node.name in self.program.hidden_names(self.frame.unit):
            return self.unknown()  # an enumerator of some block
        enumerators = self.program.enumerators_in(self.frame.unit)
        if node.name not in self.frame.variables and node.name in enumerators:
            return Num(enumerators[node.name])
        place = self.variable(node.name)
        if isinstance(place.root, Local) and self.step is not None:
            if place.root.frame == self.frames[0].number:
                self.step.reads.add(node.name)
        if isinstance(place.root, Global) and node.name in self.program.functions:
            return Ref(place)
        if self._is_array(place, state):
            return Ref(place / "[0]")
        if isinstance(place.root, Global) and place not in state.memory:
            known = self._global_constant(place.root)
            if known is not None:
                return known
        return self.read(place, state)

    def _global_constant(self, root: Global) -> Sym | None:
        """A `static const` scalar keeps its initialiser."""
        declaration = self._global(root)
        if declaration is None or declaration.init is None or not _is_const(declaration.type):
            return None
        if isinstance(declaration.init, c_ast.InitList):
            return None
        number = constant(declaration.init, self.program.enumerators)
        if number is None:
            return None
        return convert(Num(number), INT, self.declared_kind(declaration))

    def _value_StructRef(self, node: c_ast.StructRef, state: State) -> Sym:
        place = self.place(node, state)
        if place is None:
            self.value(node.name, state)
            return self.unknown()
        self._note_base(node, state)
        is_array = self.is_array_member(node)
        if is_array is None:
            return self.unknown()
        return Ref(place / "[0]") if is_array else self.read(place, state)

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
            return types.target(self.type_of(node.expr))
        return node.to_type.type if isinstance(node, c_ast.Cast) else None

    def _value_ArrayRef(self, node: c_ast.ArrayRef, state: State) -> Sym:
        place = self.place(node, state)
        if place is None:
            return self.unknown()
        self._note_base(node, state)
        if any(step.startswith("[?") for step in place.path):
            return self.read(place, state) if not isinstance(place.root, Local) else self.unknown()
        return self.read(place, state)

    def _note_base(self, node: c_ast.Node, state: State) -> None:
        """`v.x` and `v[i]` read the variable v of the function under study."""
        while isinstance(node, c_ast.StructRef | c_ast.ArrayRef):
            node = node.name
        if isinstance(node, c_ast.ID) and self.step is not None and len(self.frames) == 1:
            if node.name in self.frame.variables:
                self.step.reads.add(node.name)

    def initialise_global(self, root: Global, state: State) -> None:
        """A constant table: its elements by their initialisers."""
        declaration = self._global(root)
        if declaration is None or not isinstance(declaration.init, c_ast.InitList):
            return
        if not _is_constant_table(declaration):
            return
        self.initialise(Place(root), declaration.init, state, declaration.type)

    def initialise(
        self, place: Place, init: c_ast.Node, state: State, type_: c_ast.Node | None = None
    ) -> None:
        """An initialiser in braces: elements by position or index, members by place or name."""
        if not isinstance(init, c_ast.InitList):
            value = self.value(init, state)
            kind = arithmetic(type_, self.program.types)
            state.write(place, self.converted(value, init, kind))
            return
        types = self.program.types
        members = types.members(type_)
        position = 0
        for item in init.exprs:
            if isinstance(item, c_ast.NamedInitializer):
                number = self._designated(item.name[0], members)
                if len(item.name) > 1 or number is None:
                    state.write(place, self.unknown())
                    return
                position, item = number, item.expr
            if members and position < len(members):
                step, inner = members[position], types.member(type_, members[position])
            else:
                step, inner = f"[{position}]", types.target(type_)
            self.initialise(place / step, item, state, inner)
            position += 1

    def _value_Cast(self, node: c_ast.Cast, state: State) -> Sym:
        value = self.value(node.expr, state)
        if isinstance(value, Ref) or _is_pointer_type(node.to_type):
            return value
        if isinstance(value, Num):
            return self.converted(value, node.expr, self.kind(node))
        return Op(f"({_type_text(node.to_type)})", (value,))

    def _value_UnaryOp(self, node: c_ast.UnaryOp, state: State) -> Sym:
        if node.op == "&":
            place = self.place(node.expr, state)
            if isinstance(node.expr, c_ast.ID) and len(self.frames) == 1 and self.step is not None:
                if node.expr.name in self.frame.variables:
                    self.step.reads.add(node.expr.name)
            elif not isinstance(node.expr, c_ast.ID):
                self._note_base(node.expr, state)
            return Ref(place) if place else self.unknown()
        if node.op == "*":
            return self.read(self.target(self.value(node.expr, state)), state)
        if node.op == "sizeof":
            if isinstance(node.expr, c_ast.Typename):
                words = set(_type_text(node.expr).replace("*", " ").split())
                if len(self.frames) > 1 and words & self.program.hidden_names(self.frame.unit):
                    return self.unknown()  # a type of some block of a helper
                return Op(f"sizeof({_type_text(node.expr)})", ())
            return self._sizeof(node.expr)
        if node.op in ("++", "--", "p++", "p--"):
            return self._step_by_one(node, state)
        if node.op == "!":
            return negate(self, self.condition(node.expr, state), state)
        value = self.value(node.expr, state)
        number = value.value if isinstance(value, Num) else None
        if number is not None and node.op in ("-", "+", "~"):
            return Num({"-": -number, "+": number, "~": ~number}[node.op])
        return Op(node.op, (value,))

    def _sizeof(self, node: c_ast.Node) -> Sym:
        """The size of an expression is that of its type: two of one text may differ."""
        type_ = self.type_of(node)
        if isinstance(type_, c_ast.TypeDecl) and isinstance(type_.type, c_ast.IdentifierType):
            return Op(f"sizeof({' '.join(type_.type.names)})", ())
        if isinstance(type_, c_ast.TypeDecl) and getattr(type_.type, "name", None):
            return Op(f"sizeof({_keyword(type_.type)} {type_.type.name})", ())
        return self.unknown()

    def _step_by_one(self, node: c_ast.UnaryOp, state: State) -> Sym:
        before = self.value(node.expr, state)
        after = self.binary("+" if "+" in node.op else "-", before, Num(1), state)
        kind = self.kind(node.expr)
        after = convert(after, common(kind, INT), kind)
        self.assign(self.place(node.expr, state), after, state, node)
        return before if node.op.startswith("p") else after

    def _array_length(self, node: c_ast.BinaryOp) -> int | None:
        """n in `sizeof a / sizeof a[0]`, for an array whose declaration is seen."""
        if node.op != "/" or not (_is_sizeof(node.left) and _is_sizeof(node.right)):
            return None
        whole, element = node.left.expr, node.right.expr
        if not isinstance(whole, c_ast.ID) or not (
            (isinstance(element, c_ast.ArrayRef) and _is_name(element.name, whole.name))
            or (isinstance(element, c_ast.UnaryOp) and _is_name(element.expr, whole.name))
        ):
            return None
        declaration = self.frame.variables.get(whole.name)
        declaration = declaration or self.program.global_of(whole.name, self.frame.unit)
        if declaration is None or not isinstance(declaration.type, c_ast.ArrayDecl):
            return None
        kind = declaration.type
        if kind.dim is not None:
            return constant(kind.dim, self.program.enumerators)
        items = declaration.init.exprs if isinstance(declaration.init, c_ast.InitList) else []
        return self._initialised(items) or None

    def _initialised(self, items: list[c_ast.Node]) -> int:
        """The length that an initialiser gives its array; 0 if it is not known."""
        position = length = 0
        for item in items:
            if isinstance(item, c_ast.NamedInitializer):
                index = self._designated(item.name[0], [])
                if index is None:
                    return 0
                position = index
            position += 1
            length = max(length, position)
        return length

    def _designated(self, designator: c_ast.Node, members: list[str]) -> int | None:
        """The position that `[index]` or `.member` names."""
        if isinstance(designator, c_ast.ArrayDesignator):
            return constant(designator.expr, self.program.enumerators)
        name = getattr(designator, "name", None)
        return members.index(name) if name in members else None

    def _value_BinaryOp(self, node: c_ast.BinaryOp, state: State) -> Sym:
        length = self._array_length(node)
        if length is not None:
            return Num(length)
        left = self.value(node.left, state)
        if node.op in ("&&", "||"):
            return self._short_circuit(node, left, state)
        right = self.value(node.right, state)
        if node.op not in ("<<", ">>") and isinstance(left, Num) != isinstance(right, Num):
            left, right = self._widened(node, left, right)
        return self.binary(node.op, left, right, state)

    def _widened(self, node: c_ast.BinaryOp, left: Sym, right: Sym) -> tuple[Sym, Sym]:
        """A number does not tell its type: the other operand is to have the type of both."""
        kinds = self.kind(node.left), self.kind(node.right)
        together = common(*kinds)
        if together is None or together.real or (together.bits < 64 and together.signed):
            return left, right
        if isinstance(left, Num):
            return left, convert(right, kinds[1], together)
        return convert(left, kinds[0], together), right

    def _short_circuit(self, node: c_ast.BinaryOp, left: Sym, state: State) -> Sym:
        truth = self.truth(left, state)
        if truth is not None and truth == (node.op == "||"):
            return TRUE if truth else FALSE
        if truth is not None:
            return self.as_bool(self.value(node.right, state), state)
        other = state.copy()
        other.assume(left, node.op == "&&")
        with self.under(left if node.op == "&&" else inverted(left)):
            right = self.value(node.right, other)
        merged = join(state, other)
        state.remember(merged)
        right_truth = self.truth(right, other)
        if right_truth is not None and right_truth == (node.op == "&&"):
            return left  # x && 1, x || 0
        return Op(node.op, (left, right))

    def as_bool(self, value: Sym, state: State) -> Sym:
        truth = self.truth(value, state)
        if truth is not None:
            return TRUE if truth else FALSE
        return value

    def binary(self, op: str, left: Sym, right: Sym, state: State) -> Sym:
        if isinstance(left, Num) and isinstance(right, Num):
            number = compute(op, left.value, right.value)
            if number is not None:
                return Num(number)
        if op in ("==", "!=") and isinstance(left, Op) and left.name == "?:":
            condition, a, b = left.args
            if not isinstance(a, Literal) and not isinstance(b, Literal):
                first, second = (self.binary(op, side, right, state) for side in (a, b))
                return chosen(condition, first, second)
        if op in ("==", "!="):
            same = self._same(left, right, state)
            if same is not None:
                return TRUE if same == (op == "==") else FALSE
        if isinstance(left, Num) and op in ("==", "!=", "+", "*", "&", "|", "^"):
            left, right = right, left  # constants stand on the right
        if (op in ("+", "-") and right == Num(0)) or (op in ("*", "/") and right == Num(1)):
            return left
        return Op(op, (left, right))

    def _same(self, left: Sym, right: Sym, state: State) -> bool | None:
        """Is one value the other? None: not known."""
        if left == right and not isinstance(left, Unknown | Phi):
            return True
        if isinstance(left, Num) and not isinstance(right, Num):
            left, right = right, left
        if isinstance(right, Num) and state.excludes(left, right.value):
            return False
        if isinstance(left, Ref) and isinstance(right, Ref):
            if left.place.root != right.place.root and _named(left) and _named(right):
                return False
            if left.place.root == right.place.root and left.place != right.place:
                return False
        return None

    def condition(self, node: c_ast.Node, state: State) -> Sym:
        """The value of an expression whose truth matters."""
        value = self.value(node, state)
        if isinstance(value, Op) and value.name == "?:":
            return state.resolve(self.binary("!=", value, FALSE, state))
        return value

    def truth(self, value: Sym, state: State) -> bool | None:
        value = state.resolve(value)
        if isinstance(value, Num):
            return value.value != 0
        if state.excludes(value, 0):
            return True
        return None

    def _value_TernaryOp(self, node: c_ast.TernaryOp, state: State) -> Sym:
        condition = self.value(node.cond, state)
        truth = self.truth(condition, state)
        if truth is not None:
            return self.value(node.iftrue if truth else node.iffalse, state)
        first, second = state.copy(), state.copy()
        first.assume(condition, True)
        second.assume(condition, False)
        with self.under(condition):
            a = self.value(node.iftrue, first)
        with self.under(inverted(condition)):
            b = self.value(node.iffalse, second)
        merged = join(first, second)
        state.remember(merged)
        return a if a == b else Op("?:", (condition, a, b))

    def _value_Assignment(self, node: c_ast.Assignment, state: State) -> Sym:
        value = self.value(node.rvalue, state)
        place = self.place(node.lvalue, state)
        if node.op != "=":
            before = self.value(node.lvalue, state)
            value = self.binary(node.op[:-1], before, value, state)
        target = self.kind(node.lvalue)
        source = self.kind(node.rvalue)
        if node.op != "=":
            source = of_operation(node.op[:-1], target, source)
        value = convert(value, source, target)
        self.assign(place, value, state, node)
        return value

    def _value_ExprList(self, node: c_ast.ExprList, state: State) -> Sym:
        value: Sym = FALSE
        for expression in node.exprs:
            value = self.value(expression, state)
        return value

    def _value_CompoundLiteral(self, node: c_ast.CompoundLiteral, state: State) -> Sym:
        place = Place(Pointee(self.unknown()))
        self.initialise(place, node.init, state, node.type.type)
        return Ref(place / "[0]") if isinstance(node.type.type, c_ast.ArrayDecl) else Entry(place)

    def _value_InitList(self, node: c_ast.InitList, state: State) -> Sym:
        for item in node.exprs:
            self.value(item, state)
        return self.unknown()

    def _value_NamedInitializer(self, node: c_ast.NamedInitializer, state: State) -> Sym:
        return self.value(node.expr, state)

    def _value_FuncCall(self, node: c_ast.FuncCall, state: State) -> Sym:
        raise NotImplementedError  # the executor's


def is_computed(pointer: Sym) -> bool:
    """Is it a pointer that may be another one: `p + n`, `c ? p : q`?"""
    return isinstance(pointer, Phi) or (
        isinstance(pointer, Op) and pointer.name not in (LOST, "part")
    )


def is_stable(pointer: Sym) -> bool:
    """Is it known on entry, or new, where the pointer points?"""
    return isinstance(pointer, Entry | Made | Ref)


def _moved(place: Place, distance: int) -> Place | None:
    """The element of the same array that is so many further on."""
    if not place.path or not place.path[-1][1:-1].isdigit():
        return None
    position = int(place.path[-1][1:-1]) + distance
    return Place(place.root, (*place.path[:-1], f"[{position}]"))


def chosen(condition: Sym, first: Sym, second: Sym) -> Sym:
    """`condition ? first : second`, as a condition where both are truths."""
    if first == second:
        return first
    if (first, second) == (TRUE, FALSE):
        return condition
    if (first, second) == (FALSE, TRUE):
        return inverted(condition)
    if first == TRUE:
        return Op("||", (condition, second))
    if first == FALSE:
        return Op("&&", (inverted(condition), second))
    if second == TRUE:
        return Op("||", (inverted(condition), first))
    if second == FALSE:
        return Op("&&", (condition, first))
    return Op("?:", (condition, first, second))


def negate(expressions: Expressions, value: Sym, state: State) -> Sym:
    truth = expressions.truth(value, state)
    if truth is not None:
        return FALSE if truth else TRUE
    return inverted(value)


_INVERSE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def inverted(condition: Sym) -> Sym:
    """The condition that holds exactly when this one does not (integers, pointers)."""
    if isinstance(condition, Op):
        if condition.name in _INVERSE and not any(isinstance(a, Literal) for a in condition.args):
            return Op(_INVERSE[condition.name], condition.args)
        if condition.name in ("&&", "||"):
            name = "||" if condition.name == "&&" else "&&"
            return Op(name, tuple(inverted(a) for a in condition.args))
        if condition.name == "!":
            return condition.args[0]
    return Op("!", (condition,))


def _keyword(type_: c_ast.Node) -> str:
    return type(type_).__name__.lower()  # struct, union, enum


def _is_sizeof(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.UnaryOp) and node.op == "sizeof"


def _is_name(node: c_ast.Node, name: str) -> bool:
    return isinstance(node, c_ast.ID) and bool(node.name == name)


def _named(pointer: Ref) -> bool:
    return not isinstance(pointer.place.root, Pointee)


def _is_const(type_: c_ast.Node) -> bool:
    """Is the object itself constant? Not what it points to."""
    return "const" in (getattr(type_, "quals", None) or [])


def _is_constant_table(declaration: c_ast.Decl) -> bool:
    """`static const ... t[]` or `const char *const t[]`."""
    node = declaration.type
    while isinstance(node, c_ast.ArrayDecl):
        node = node.type
    return _is_const(node)


def _is_pointer_type(node: c_ast.Node) -> bool:
    return isinstance(node.type, c_ast.PtrDecl | c_ast.ArrayDecl)


def _type_text(node: c_ast.Node) -> str:
    from pycparser.c_generator import CGenerator

    return str(CGenerator().visit(node))
