"""What the functions of a library can reach of the application: which variables, and
whether the value of an expression may change while they run."""

from __future__ import annotations

from pycparser import c_ast

from kfusion.host.effects import (
    Assign,
    Create,
    Effect,
    HostCall,
    Launch,
    Synchronise,
    Transfer,
    UnknownCall,
    Unsupported,
)
from kfusion.host.frames import Step
from kfusion.host.library import LibraryExecutor, Run
from kfusion.host.program import HostProgram
from kfusion.host.regions import Region
from kfusion.host.symbolic import App, Entry, Global, Local, Num, Place, Pointee, Ref, State, Sym
from kfusion.parse.unit import descendants

# libc functions that write to nothing that their arguments point to
_READING = frozenset(
    "printf fprintf puts putchar fputs fputc putc perror fflush vfprintf vprintf malloc calloc "
    "realloc free memcmp strdup strchr strrchr strstr atoi atof clock fopen fclose fwrite fseek "
    "ftell rewind fgetc getc feof ferror getenv exit abort assert rand srand usleep sleep "
    "aligned_alloc".split()
)


class Reach:
    """What calls of a region may read and change of its application's variables."""

    def __init__(self, region: Region, program: HostProgram) -> None:
        self.region, self.program = region, program
        self._shared = self._with_address()
        self._writes: dict[int, frozenset[Place] | None] = {}
        self._in_unions = {
            inner.name
            for unit in program.units
            for union in unit.nodes.get(c_ast.Union, ())
            for inner in descendants(union)
            if isinstance(inner, c_ast.Decl)
        }

    def is_private(self, name: str) -> bool:
        """A variable of the function that no pointer leads to."""
        declared = self.region.variables.get(name)
        if declared is None or name in self._shared:
            return False
        if {"static", "extern"} & set(declared.storage) or "volatile" in declared.quals:
            return False
        if self.program.global_of(name, self.region.unit) is not None:
            return False  # which of the two is meant here?
        return not isinstance(self.program.types.resolved(declared.type), c_ast.ArrayDecl)

    def _with_address(self) -> set[str]:
        found: set[str] = set()
        for node in descendants(self.region.function.node):
            if isinstance(node, c_ast.UnaryOp) and node.op == "&":
                found |= _base(node.expr)
            elif isinstance(node, c_ast.StructRef) and node.type == ".":
                if self.program.types.is_array_member(node.field.name) is not False:
                    found |= _base(node)
        return found

    def reads(self, executor: LibraryExecutor, nodes: list[c_ast.Node], state: State) -> set[Place]:
        """Places of the application that expressions read and that others may reach."""
        step = executor.step = Step([], 0, 0)
        for node in nodes:
            executor.value(node, state)
            located = _only_located(node)
            for inner in descendants(node):
                if isinstance(inner, c_ast.ArrayRef) and inner not in located:
                    place = executor.place(inner.name, state)
                    step.place_reads[place or Place(Pointee(executor.unknown()))] = None
        executor.step = None
        return {place for place in step.place_reads if not self._is_own(place)}

    def _is_own(self, place: Place) -> bool:
        return isinstance(place.root, App) and self.is_private(place.root.name)

    def may_change(self, reads: set[Place], runs: list[Run]) -> bool:
        """May one of the places get another value in the calls, other than visibly?"""
        if not reads:
            return False
        written = [self._written(run) for run in runs]
        if None in written:
            return True
        places = {place for each in written for place in each or ()}
        if runs and runs[-1].state_at_launch is not None:
            memory = runs[-1].state_at_launch.memory.items()
            places |= {place for place, value in memory if value != Entry(place)}
        return any(self._overlap(read, place) for read in reads for place in places)

    def _written(self, run: Run) -> frozenset[Place] | None:
        """Places that a call changes; None: any that others can reach."""
        if id(run) not in self._writes:
            found = [_written(effect) for step in run.steps for effect in step.effects]
            places = frozenset(place for each in found for place in each or ())
            self._writes[id(run)] = None if None in found else places
        return self._writes[id(run)]  # runs are kept: no other one gets this number

    def _overlap(self, read: Place, written: Place) -> bool:
        """May the places share memory? (One and the same is followed by its value.)"""
        if isinstance(written.root, Local) or read == written or self._is_own(written):
            return False
        if read.root == written.root:
            return self._overlap_inside(read, written)
        if isinstance(read.root, App | Global) and isinstance(written.root, App | Global):
            return read.root.name == written.root.name
        one, other = _fields(read), _fields(written)
        if one and other:
            if {*one, *other} & self._in_unions:
                return True
            return one[-1] in other or other[-1] in one
        plain = written if one else read
        return not ((one or other) and self._is_scalar(plain))

    def _overlap_inside(self, read: Place, written: Place) -> bool:
        for one, other in zip(read.path, written.path, strict=False):
            if one == other:
                continue
            if one.startswith("[") or other.startswith("["):
                return not (one[1:-1].isdigit() and other[1:-1].isdigit())
            return bool({one, other} & self._in_unions)
        return True  # one is a part of the other

    def _is_scalar(self, place: Place) -> bool:
        """Is it a variable, or an element of one, that is no struct?"""
        types = self.program.types
        if isinstance(place.root, App):
            declared = self.region.variables.get(place.root.name)
        elif isinstance(place.root, Global):
            declared = self.program.globals.get(place.root.name)
        else:
            return False
        type_ = types.resolved(declared.type) if declared is not None else None
        while isinstance(type_, c_ast.ArrayDecl):
            type_ = types.resolved(type_.type)
        inner = getattr(type_, "type", None)
        return isinstance(type_, c_ast.PtrDecl) or (
            isinstance(type_, c_ast.TypeDecl) and isinstance(inner, c_ast.IdentifierType)
        )


def _only_located(node: c_ast.Node) -> set[c_ast.Node]:
    """Elements of which an expression wants the address, not the value: `&events[0]`."""
    found: set[c_ast.Node] = set()
    for inner in descendants(node):
        if isinstance(inner, c_ast.UnaryOp) and inner.op == "&":
            part = inner.expr
            while isinstance(part, c_ast.ArrayRef) or (
                isinstance(part, c_ast.StructRef) and part.type == "."
            ):
                if isinstance(part, c_ast.ArrayRef):
                    found.add(part)
                part = part.name
    return found


def _base(node: c_ast.Node) -> set[str]:
    """The variable that an lvalue is a part of."""
    while isinstance(node, c_ast.StructRef | c_ast.ArrayRef | c_ast.Cast):
        if isinstance(node, c_ast.StructRef) and node.type == "->":
            return set()
        node = node.expr if isinstance(node, c_ast.Cast) else node.name
    return {node.name} if isinstance(node, c_ast.ID) else set()


def _fields(place: Place) -> list[str]:
    return [step for step in place.path if not step.startswith("[")]


def _written(effect: Effect) -> list[Place] | None:
    """Places that an effect may change; None: any that others can reach."""
    if isinstance(effect, Assign):
        return [effect.place]
    if isinstance(effect, UnknownCall | Unsupported | Synchronise):
        return None
    if isinstance(effect, Transfer):
        return None if effect.call.startswith("clEnqueueRead") else []
    if isinstance(effect, Launch):
        return [_target(effect.event)] if effect.event != Num(0) else []
    if isinstance(effect, HostCall):
        if effect.name in _READING:
            return []
        return [_target(value) for value in effect.arguments if not isinstance(value, Num)]
    if isinstance(effect, Create):
        return [] if _is_null_or_variable(effect.node) else None
    return []


def _target(pointer: Sym) -> Place:
    if not isinstance(pointer, Ref):
        return Place(Pointee(pointer))
    place = pointer.place
    return Place(place.root, place.path[:-1]) if place.path[-1:] == ("[0]",) else place


def _is_null_or_variable(call: c_ast.Node) -> bool:
    """Does the last argument, for the error code, lead nowhere else than to a variable?"""
    last = call.args.exprs[-1] if getattr(call, "args", None) is not None else None
    while isinstance(last, c_ast.Cast):
        last = last.expr
    if isinstance(last, c_ast.UnaryOp) and last.op == "&":
        return isinstance(last.expr, c_ast.ID)
    return isinstance(last, c_ast.Constant)
