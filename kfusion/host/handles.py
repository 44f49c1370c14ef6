"""Which kernel a handle stands for: what the library's set-up code put where."""

from __future__ import annotations

from collections.abc import Iterable

from pycparser import c_ast

from kfusion.host.frames import Frame
from kfusion.host.program import HostFunction, HostProgram
from kfusion.host.setup import SetUp
from kfusion.host.symbolic import (
    LOST,
    App,
    Entry,
    Global,
    Local,
    Made,
    Num,
    Op,
    Phi,
    Place,
    Pointee,
    State,
    Sym,
)
from kfusion.source.dataclasses import dataclass

# A place as it is known across functions: the variable's name or the struct type's, and
# the path inside it.
HandleKey = tuple[str, tuple[str, ...]]
ANY = "?"  # among the names of a handle: it may be others, too


@dataclass(frozen=True)
class HandleTable:
    names: dict[HandleKey, frozenset[str]]
    program: HostProgram

    def kernel_names(self, handle: Sym, frames: dict[int, Frame]) -> frozenset[str]:
        """The names that the handle may stand for; empty if nothing is known."""
        if isinstance(handle, Made):
            named = handle.kind == "kernel" and handle.name
            return frozenset([handle.name]) if named else frozenset()
        parts = handle.alternatives if isinstance(handle, Phi) else ()
        if isinstance(handle, Op) and handle.name == "?:":
            parts = handle.args[1:]
        if parts:
            found: frozenset[str] = frozenset()
            for part in parts:
                if part != Num(0):
                    names = self.kernel_names(part, frames)
                    if not names:
                        return frozenset()
                    found |= names
            return found
        if isinstance(handle, Op) and handle.name == LOST:
            return self.kernel_names(handle.args[1], frames)  # whoever sets it, it is one of these
        if isinstance(handle, Entry):
            result: frozenset[str] = frozenset()
            for key in keys(handle.place, self.program, frames):
                result |= self.names.get(key, frozenset())
            return frozenset() if ANY in result else result
        return frozenset()


def read_handles(program: HostProgram, setups: Iterable[SetUp]) -> HandleTable:
    """See what the functions that make kernels store where."""
    found: dict[HandleKey, set[str]] = {}
    for setup in setups:
        function = setup.function
        owners = {f"{function.name}:{p.name}": type_name(p) for p in function.parameters}
        for state in (*setup.ends, *setup.stored):
            _collect(state, found, program, owners, setup.unknown)
        for end in setup.ends:
            _collect_own(end, found, setup, program)
    _note_other_assignments(program, {setup.function for setup in setups}, found)
    return HandleTable({k: frozenset(v) for k, v in found.items()}, program)


def _collect(
    state: State,
    found: dict[HandleKey, set[str]],
    program: HostProgram,
    owners: dict[str, str | None],
    unknown: frozenset[Made],
) -> None:
    for place, value in state.memory.items():
        names = _names(value, unknown)
        if not names or isinstance(place.root, Local):
            continue
        for key in keys(place, program, {}, owners):
            found.setdefault(key, set()).update(names)


def _collect_own(
    state: State, found: dict[HandleKey, set[str]], setup: SetUp, program: HostProgram
) -> None:
    """Handles in an object that the function makes, to return it or to store it somewhere.

    gpu *gpu_new(void) { gpu *g = malloc(sizeof *g); g->add = clCreateKernel(...); return g; }
    """
    frame, unknown = setup.frame, setup.unknown
    own: dict[Sym, str | None] = {}
    for place, value in state.memory.items():
        root = place.root
        if isinstance(root, Local) and root.frame == frame.number and isinstance(value, Made):
            declared = frame.variables.get(root.name)
            if declared is not None and not place.path:
                own[value] = type_name(declared)
        elif isinstance(root, Global) and isinstance(value, Made) and not place.path:
            declared = program.globals.get(root.name)
            if declared is not None:
                own[value] = type_name(declared)
    for place, value in state.memory.items():
        root, owner = place.root, None
        if isinstance(root, Pointee):
            owner = own.get(root.pointer)
        elif isinstance(root, Local) and root.frame == frame.number:
            declared = frame.variables.get(root.name)
            owner = type_name(declared) if declared is not None else None
        names = _names(value, unknown)
        if owner is not None and place.path and names:
            for key in _in_type(owner, place.path):
                found.setdefault(key, set()).update(names)


def _names(value: Sym, unknown: frozenset[Made]) -> set[str]:
    made = [v for v in _parts(value) if isinstance(v, Made) and v.kind == "kernel"]
    return {v.name for v in made if v.name} | {ANY for v in made if v in unknown}


def _note_other_assignments(
    program: HostProgram, setups: set[HostFunction], found: dict[HandleKey, set[str]]
) -> None:
    """What is put where handles are, by functions that make none, may be any handle."""
    places: dict[str, list[HandleKey]] = {}
    for name, path in found:
        members = [step for step in path if not step.startswith("[")]
        places.setdefault(members[-1] if members else name, []).append((name, path))
    for function in program.functions.values():
        if function in setups:  # where the bytes come from is not followed there either
            _note_copies(function, _COPY - {"memset"}, places, found)
            continue
        pointers = _kernel_pointers(function)
        nodes = function.function.nodes
        for node in nodes.get(c_ast.Assignment, ()):
            if _may_be_handle(node.rvalue):
                name = _last_name(node.lvalue)
                anywhere = name in pointers and not isinstance(node.lvalue, c_ast.ID)
                for key in found if anywhere else places.get(name, ()):
                    found[key].add(ANY)
        _note_copies(function, _COPY, places, found)


def _note_copies(
    function: HostFunction,
    names: frozenset[str],
    places: dict[str, list[HandleKey]],
    found: dict[HandleKey, set[str]],
) -> None:
    for node in function.function.nodes.get(c_ast.FuncCall, ()):
        if _last_name(node.name) in names:
            for argument in node.args.exprs[:1] if node.args else ():
                for key in places.get(_last_name(argument), ()):
                    found[key].add(ANY)


_COPY = frozenset(["memcpy", "memmove", "memset"])


def _kernel_pointers(function: HostFunction) -> set[str]:
    """Parameters and variables of a function that point to kernel handles."""
    return {
        node.name
        for node in [*function.parameters, *function.function.nodes.get(c_ast.Decl, ())]
        if isinstance(node, c_ast.Decl)
        and isinstance(node.type, c_ast.PtrDecl | c_ast.ArrayDecl)
        and type_name(node) == "cl_kernel"
    }


def _last_name(node: c_ast.Node) -> str:
    """The member or variable that an lvalue names."""
    while isinstance(node, c_ast.ArrayRef | c_ast.UnaryOp | c_ast.Cast):
        node = node.name if isinstance(node, c_ast.ArrayRef) else node.expr
    if isinstance(node, c_ast.StructRef):
        return str(node.field.name)
    return str(node.name) if isinstance(node, c_ast.ID) else ""


def _may_be_handle(node: c_ast.Node) -> bool:
    while isinstance(node, c_ast.Cast):
        node = node.expr
    if isinstance(node, c_ast.ID):
        return bool(node.name != "NULL")
    return isinstance(node, c_ast.StructRef | c_ast.ArrayRef | c_ast.FuncCall | c_ast.TernaryOp)


def _parts(value: Sym) -> list[Sym]:
    if isinstance(value, Phi):
        return [p for part in value.alternatives for p in _parts(part)]
    return [value]


def keys(
    place: Place,
    program: HostProgram,
    frames: dict[int, Frame],
    owners: dict[str, str | None] | None = None,
) -> list[HandleKey]:
    """How a place is known: by its global variable, or by the type of the struct it is in."""
    root = place.root
    if isinstance(root, Global):
        result = [(str(root), place.path)]
        declared = program.globals.get(root.name)
        if declared is not None and place.path and not root.home:
            result += _in_type(type_name(declared), place.path)
        return result
    pointer = root.pointer if isinstance(root, Pointee) else None
    if isinstance(pointer, Entry) and not pointer.place.path:
        base = pointer.place.root
        if isinstance(base, Global) and base.name in program.globals:
            return _in_type(type_name(program.globals[base.name]), place.path)
        if isinstance(base, App):
            owner = (owners or {}).get(base.name) or frames_type(base.name, frames)
            return _in_type(owner, place.path)
    elif isinstance(pointer, Entry):  # an object that points to the one with the handles
        pointed = program.types.target(_declared(pointer.place, program, frames))
        return _in_type(_named(pointed), place.path)
    if isinstance(root, App):
        return _in_type(frames_type(root.name, frames), place.path)
    return []


def _declared(place: Place, program: HostProgram, frames: dict[int, Frame]) -> c_ast.Node | None:
    """The type that a place is declared with."""
    root, types = place.root, program.types
    type_: c_ast.Node | None = None
    if isinstance(root, Pointee):
        if isinstance(root.pointer, Entry):
            type_ = types.target(_declared(root.pointer.place, program, frames))
    elif isinstance(root, Global):
        type_ = getattr(program.globals.get(root.name), "type", None)
    else:
        name = root.name.rpartition(":")[2]
        found = (frame.variables.get(name) for frame in frames.values())
        type_ = next((d.type for d in found if d is not None), None)
    for step in place.path:
        type_ = types.target(type_) if step.startswith("[") else types.member(type_, step)
    return type_


def _in_type(owner: str | None, path: tuple[str, ...]) -> list[HandleKey]:
    return [(f"type {owner}", path)] if owner else []


def frames_type(name: str, frames: dict[int, Frame]) -> str | None:
    name = name.rpartition(":")[2]  # a parameter that stands for itself: `function:name`
    for frame in frames.values():
        declared = frame.variables.get(name)
        if declared is not None:
            return type_name(declared)
    return None


def type_name(declaration: c_ast.Decl) -> str | None:
    """The name of the type at the bottom of a declaration: `Vector *v[3]` is a Vector."""
    return _named(declaration.type)


def _named(node: c_ast.Node | None) -> str | None:
    while isinstance(node, c_ast.PtrDecl | c_ast.ArrayDecl):
        node = node.type
    inner = getattr(node, "type", None)
    if isinstance(inner, c_ast.IdentifierType):
        return " ".join(inner.names)
    if isinstance(inner, c_ast.Struct | c_ast.Union) and inner.name:
        return f"struct {inner.name}"
    return None
