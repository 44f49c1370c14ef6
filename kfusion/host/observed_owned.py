"""Is a memory object dead after a region although nobody said so?

What is proved: the object's only handle is in a local variable of the function around the
region, and nothing that may run later reads what is on the device. Each statement that mentions
the variable is executed alone, from a state in which nothing is known, and has to keep this:

- the variable's handle is the only one: nothing else gets it, or a pointer to the variable;
- what the variable gets is new memory of its own;
- where the object stays set as a kernel's argument, every launch of that kernel sets it anew;
- if it may run after the region, it reads nothing of the object.

Statements that do not mention the variable cannot reach the object then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import pairwise

from pycparser import c_ast

from kfusion.host.alias import (
    Alias,
    Memory,
    carried_by,
    is_handle,
    leads_to,
    may_carry,
    without_casts,
)
from kfusion.host.callgraph import CallGraph, call_graph
from kfusion.host.effects import (
    Assign,
    Create,
    Effect,
    HostCall,
    SetArgument,
    Transfer,
    UnknownCall,
    Unsupported,
)
from kfusion.host.equality import is_new_buffer
from kfusion.host.execute import Executor
from kfusion.host.frames import Frame
from kfusion.host.handles import HandleTable
from kfusion.host.loops import is_loop
from kfusion.host.observed_around import Around, Variables, declared_before
from kfusion.host.observed_kernels import KernelArguments
from kfusion.host.observed_loop import Rounds
from kfusion.host.observed_named import is_arithmetic
from kfusion.host.path_program import PathProgram
from kfusion.host.predict import Prediction, Predictions
from kfusion.host.program import HostFunction
from kfusion.host.symbolic import (
    App,
    Entry,
    Local,
    Made,
    Num,
    Place,
    Pointee,
    Ref,
    State,
    Sym,
    Unknown,
)
from kfusion.host.uses import declarations_of
from kfusion.kernel.model import Kernel
from kfusion.parse.unit import descendants
from kfusion.source.dataclasses import dataclass
from kfusion.source.protections import is_on, protection

LIVE = protection("host-liveness", "an object that is read after the region is taken as dead")
OWN_MEMORY = protection("host-own-memory", "an object is dead though its memory is shared")
COPIED_HANDLE = protection("host-copied-handle", "an object is dead though it began as a copy")
LEFT_BEHIND = protection("host-left-behind", "an object is dead though it stays set as an argument")
HANDED_BACK = protection("host-handed-back", "an object is dead though another variable has it")
KEPT = protection("host-kept-handle", "an object is dead though a function keeps its handle")
AGAIN = protection("host-read-again", "an object is dead though the next iteration reads it")

_KEEP_NOTHING = frozenset("free printf puts fputs fflush perror memset malloc calloc".split())
_COMES_BACK = frozenset("setjmp _setjmp sigsetjmp __sigsetjmp getcontext".split())


@dataclass(frozen=True, eq=False)
class Part:
    """A statement without the statements in it, or an expression; and what can be seen there."""

    node: c_ast.Node
    visible: Variables
    inside: bool  # the region
    later: bool  # may it run after the region, or in its next execution?
    is_returned: bool = False


class Owned:
    """Objects of local variables that nothing reads after one region."""

    def __init__(
        self,
        around: Around,
        predicted: Predictions,
        memory: Memory,
        handles: HandleTable,
        kernels: Mapping[str, Kernel],
    ) -> None:
        self.around, self.predicted, self.memory = around, predicted, memory
        self.program = PathProgram.of(around.program)
        self.graph = call_graph(around.program)
        self.arguments = KernelArguments(around, handles, kernels)
        self._known: dict[Place, bool] = {}

    def is_dead(self, value: Sym, path: Prediction) -> bool:
        place = _home(value, path)
        if place is None or not isinstance(place.root, App):
            return False
        if place not in self._known:
            self._known[place] = not is_on(LIVE) or self._is_owned(place)
        return self._known[place] and self._is_same_again(value, path, place.root.name)

    def _is_same_again(self, value: Sym, path: Prediction, owner: str) -> bool:
        """Does each execution of the region treat the object alike, if there are several?"""
        again = self._again(owner)
        if again is None or not is_on(AGAIN) or not is_on(LIVE):
            return True
        return Rounds(self.around, self.predicted, self.memory, again).are_alike(value, path)

    def _is_owned(self, handle: Place) -> bool:
        owner = str(getattr(handle.root, "name", ""))
        scope = self._scope(owner)
        if scope is None:
            return False
        calls = (n for n in descendants(self.around.body) if isinstance(n, c_ast.FuncCall))
        if any(getattr(call.name, "name", "") in _COMES_BACK for call in calls):
            return False
        if self.graph.summary(self.around.function).cleanups:
            return False
        return all(_Alone(self, part, handle).is_harmless() for part in self._parts(scope, owner))

    # The variable

    def _scope(self, owner: str) -> c_ast.Compound | None:
        """The block around the region that declares the variable as its own."""
        found: tuple[c_ast.Node, c_ast.Decl] | None = None
        for outer, inner in pairwise(self.around.path):
            for item in declared_before(outer, inner):
                found = (outer, item) if item.name == owner else found
        if found is None or not isinstance(found[0], c_ast.Compound):
            return None
        scope, item = found
        is_shared = {"static", "extern"} & set(item.storage) or "volatile" in item.quals
        resolved = self.memory.program.types.resolved(item.type)
        is_object = isinstance(item.type, c_ast.TypeDecl) and (
            is_handle(item.type) or isinstance(resolved, c_ast.TypeDecl)
        )
        once = declarations_of(scope, owner) == 1
        return scope if is_object and once and not is_shared else None

    def _again(self, owner: str) -> c_ast.Node | None:
        """What runs again with the region in it while the variable lives; None: nothing does."""
        body = self.around.body
        if self.around.labels_before:
            return body
        scope = self._scope(owner)
        path = self.around.path
        below = path[path.index(scope) :] if scope is not None else path
        return next((node for node in below if is_loop(node)), None)

    # The statements

    def _parts(self, scope: c_ast.Compound, owner: str) -> Iterator[Part]:
        unit, again = self.around.unit, self._again(owner)
        first = unit.index(self.around.here)
        last = unit.match(first)
        visible = {p.name: p for p in self.around.function.parameters}
        for outer, inner in pairwise(self.around.path):
            if outer is scope:
                break
            visible |= {d.name: d for d in declared_before(outer, inner)}
        for node, seen, loops in _flat(scope, visible, ()):
            if not _mentions(node, owner):
                continue
            index = min(
                (unit.index(n) for n in descendants(node) if n.coord is not None), default=last + 1
            )
            inside = first <= index <= last
            repeated = again is not None and (again is self.around.body or again in loops)
            returned = isinstance(node, c_ast.Return)
            yield Part(node, seen, inside, repeated or index > last, returned)


class _Executor(Executor):
    """One part of the function, executed alone."""

    def __init__(self, program: PathProgram, graph: CallGraph) -> None:
        super().__init__(program)
        self.paths, self.graph = program, graph

    def run(self, function: HostFunction, arguments: list[Sym], state: State) -> Sym:
        unsure = (
            self.paths.is_guess(function, self.frame.unit) or function.name in self.graph.changed
        )
        if unsure or self.graph.summary(function).cleanups:
            what = f"a call of '{function.name}', of which the text does not tell all,"
            self.emit(Unsupported(function.function.node, self.certain, what))
        return super().run(function, arguments, state)


class _Alone:
    """What one part of the function does to the object, whatever came before."""

    def __init__(self, owned: Owned, part: Part, handle: Place) -> None:
        self.owned, self.part, self.handle = owned, part, handle
        node, visible = part.node, dict(part.visible)
        if isinstance(node, c_ast.Decl):
            visible[node.name] = node
        self.memory = Memory(owned.program, visible, frozenset([_name(handle)]))
        executor = _Executor(owned.program, owned.graph)
        executor.frames = [Frame(0, None, owned.around.unit, dict(visible))]
        executor.application = executor.frame.variables
        self.state, self.result = State(), None
        if part.is_returned:
            self.result = executor.value(node.expr, self.state)
        elif isinstance(node, c_ast.Decl):
            executor.declare(node, self.state)
        else:
            executor.value(node, self.state)
        self.effects: list[Effect] = executor.effects
        held = (self.state.read(handle), *self._assigned())
        parts = (part for value in held for part in carried_by(value))
        self.own = frozenset(part for part in parts if isinstance(part, Made))

    def _assigned(self) -> list[Sym]:
        """What the handle's place has got on the way."""
        found: list[Sym] = []
        for effect in self.effects:
            if isinstance(effect, Assign):
                if self.memory.alias(effect.place, self.handle) is not Alias.NEVER:
                    found.append(effect.value)
        return found

    def is_harmless(self) -> bool:
        if any(isinstance(e, UnknownCall | Unsupported) for e in self.effects):
            return False
        if self._calls_a_variable() or not self._has_own_memory():
            return False
        if self._keeps() or self._hands_back():
            return False
        settings = [e for e in self.effects if isinstance(e, SetArgument) and self._gets(e)]
        if not all(map(self._is_plain, settings)):
            return False
        if is_on(LEFT_BEHIND) and any(map(self._stays_set, settings)):
            return False
        if not self.part.later:
            return True
        read = settings if not self.part.inside else []
        return not (self._transfers() or any(map(self._reads, read)))

    def _calls_a_variable(self) -> bool:
        """A pointer to a function may have the name of a function."""
        calls = (n for n in descendants(self.part.node) if isinstance(n, c_ast.FuncCall))
        unit, program = self.owned.around.unit, self.owned.program
        return any(
            not isinstance(call.name, c_ast.ID)
            or call.name.name in self.part.visible
            or program.global_of(call.name.name, unit) is not None
            for call in calls
        )

    # Memory of its own

    def _has_own_memory(self) -> bool:
        node = self.part.node
        declares = isinstance(node, c_ast.Decl) and node.name == _name(self.handle)
        if declares and node.init is None:
            return True
        if not is_on(COPIED_HANDLE if declares else OWN_MEMORY):
            return True
        if any(isinstance(e, Create) and e.host_pointer for e in self.effects):
            return False
        held = self.state.read(self.handle)
        cleared = any(
            isinstance(e, HostCall) and e.name == "memset" and self._holds(e.arguments[:1])
            for e in self.effects
        )
        parts = [part for value in (held, *self._assigned()) for part in carried_by(value)]
        return all(
            part in (Num(0), Entry(self.handle))
            or is_new_buffer(part)
            or (cleared and isinstance(part, Unknown) and part in carried_by(held))
            for part in parts
        )

    # Handles elsewhere

    def _holds(self, values: tuple[Sym, ...] | list[Sym]) -> bool:
        return any(
            may_carry(self.memory, value, self.handle, self.own)
            or leads_to(self.memory, value, self.handle)
            for value in values
        )

    def _written(self) -> Iterator[tuple[Place, Sym]]:
        for place, value in self.state.memory.items():
            if not isinstance(place.root, Local) and value != Entry(place):
                yield place, value
        for effect in self.effects:
            if isinstance(effect, Assign):
                yield effect.place, effect.value

    def _keeps(self) -> bool:
        """Does something else get the handle, or a pointer to the variable?"""
        for effect in self.effects:
            if isinstance(effect, HostCall) and effect.name not in _KEEP_NOTHING:
                if self._holds([*effect.arguments, *effect.reached]):
                    return is_on(KEPT)
            if isinstance(effect, Create) and effect.host_pointer:
                return is_on(OWN_MEMORY)
        for place, value in self._written():
            if self.memory.alias(place, self.handle) is Alias.SAME or self._is_around(place):
                continue
            if self._is_let_go(place):
                continue
            own = isinstance(place.root, App) and place.root != self.handle.root
            if self._takes(place, value) and is_on(HANDED_BACK if own else KEPT):
                return True
        return False

    def _is_let_go(self, place: Place) -> bool:
        """Is it in host memory that was allocated here, and that nothing leads to afterwards?"""
        if not isinstance(place.root, Pointee):
            return False
        block = without_casts(place.root.pointer)
        if not isinstance(block, Made) or block.kind != "host memory":
            return False
        return not self._gives_host_memory and block not in self._blocks_kept

    @cached_property
    def _gives_host_memory(self) -> bool:
        return any(isinstance(e, Create) and e.host_pointer for e in self.effects)

    @cached_property
    def _blocks_kept(self) -> set[Sym]:
        """Host memory that something leads to, or into."""
        kept = [value for _, value in self._written()]
        for effect in self.effects:
            if isinstance(effect, HostCall) and effect.name not in _KEEP_NOTHING:
                kept += [*effect.arguments, *effect.reached]
        kept += [self.result] if self.result is not None else []
        return {_block_of(part) for value in kept for part in carried_by(value)}

    def _is_around(self, place: Place) -> bool:
        """The object as a whole: what stands in it at the handle's place is asked elsewhere."""
        return place.root == self.handle.root and self.handle.within(place)

    def _takes(self, place: Place, value: Sym) -> bool:
        if self._holds([value]):
            return True
        unknown = any(isinstance(part, Unknown) for part in carried_by(value))
        return unknown and self._may_hold(place)

    def _may_hold(self, place: Place) -> bool:
        type_ = self.memory.type_of(place)
        if type_ is not None and not self.memory.may_hold_handles(type_):
            return not self._is_narrow(place)
        return True

    def _is_narrow(self, place: Place) -> bool:
        """Is it made of numbers in which no handle fits, or of characters?"""
        type_ = self.memory.type_of(place)
        while isinstance(type_, c_ast.ArrayDecl):
            type_ = type_.type
        kind = self.memory.scalar_of(type_)
        return kind is not None and kind != "False 64"

    def _hands_back(self) -> bool:
        if self.result is None:
            return False
        unknown = any(isinstance(part, Unknown) for part in carried_by(self.result))
        return is_on(HANDED_BACK) and (unknown or self._holds([self.result]))

    # Kernels and transfers

    def _gets(self, effect: SetArgument) -> bool:
        """May the argument be the object?"""
        if effect.value is None or is_arithmetic(self.memory, effect):
            return False
        unknown = any(isinstance(part, Unknown) for part in carried_by(effect.value))
        return unknown or self._holds([effect.value])

    def _is_plain(self, effect: SetArgument) -> bool:
        """Is it the handle and nothing else?"""
        assert effect.value is not None
        return all(
            part == Entry(self.handle) or part in self.own or part == Num(0)
            for part in carried_by(effect.value)
        )

    def _stays_set(self, effect: SetArgument) -> bool:
        return not self.owned.arguments.are_always_set(effect.kernel)

    def _reads(self, effect: SetArgument) -> bool:
        return self.owned.arguments.may_read(effect)

    def _transfers(self) -> bool:
        reads = [v for e in self.effects if isinstance(e, Transfer) for v in e.reads]
        unknown = any(isinstance(part, Unknown) for v in reads for part in carried_by(v))
        return unknown or self._holds(reads)


def _block_of(value: Sym) -> Sym:
    """What a pointer leads to, or into, whatever steps there are on the way."""
    value = without_casts(value)
    if isinstance(value, Ref) and isinstance(value.place.root, Pointee):
        return _block_of(value.place.root.pointer)
    return value


def _home(value: Sym, path: Prediction) -> Place | None:
    """Where the handle is: of an object that the region makes, at its end."""
    if isinstance(value, Entry):
        return value.place
    held = [p for p, v in path.after.memory.items() if v == value and not isinstance(p.root, Local)]
    return held[0] if isinstance(value, Made) and len(held) == 1 else None


def _name(place: Place) -> str:
    return str(getattr(place.root, "name", ""))


def _mentions(node: c_ast.Node, name: str) -> bool:
    """Does the variable's name stand there? A member may have the same name."""
    if isinstance(node, c_ast.Decl) and node.name == name:
        return True
    if isinstance(node, c_ast.ID):
        return bool(node.name == name)
    if isinstance(node, c_ast.StructRef):
        return _mentions(node.name, name)
    return any(_mentions(child, name) for child in node)


_BODIES = ("stmt", "iftrue", "iffalse")


def _flat(
    node: c_ast.Node, visible: Variables, loops: tuple[c_ast.Node, ...]
) -> Iterator[tuple[c_ast.Node, Variables, tuple[c_ast.Node, ...]]]:
    """Statements and expressions one by one: what can be seen there, and the loops around."""
    if isinstance(node, c_ast.Compound | c_ast.Case | c_ast.Default | c_ast.DeclList):
        visible = dict(visible)
        items = {c_ast.Compound: "block_items", c_ast.DeclList: "decls"}.get(type(node), "stmts")
        for item in getattr(node, items) or []:
            yield from _flat(item, visible, loops)
            if isinstance(item, c_ast.Decl) and item.name:
                visible[item.name] = item
        return
    holds_statements = c_ast.If | c_ast.Switch | c_ast.Label | c_ast.DoWhile
    if isinstance(node, holds_statements) or is_loop(node):
        around = (*loops, node) if is_loop(node) else loops
        if isinstance(node, c_ast.For) and isinstance(node.init, c_ast.DeclList):
            visible = visible | {d.name: d for d in node.init.decls}
        for name in ("init", "cond", "next", *_BODIES):
            child = getattr(node, name, None)
            if child is not None and not isinstance(child, str):
                yield from _flat(child, visible, around)
        return
    yield node, visible, loops
