"""What calls of OpenCL do: launches, transfers, objects that are made and released.

Every call succeeds. What it does to memory on the host goes into the state, everything
else into effects.
"""

from __future__ import annotations

from pycparser import c_ast

from kfusion.host import calls
from kfusion.host.descriptions import MEMORY
from kfusion.host.effects import (
    Create,
    HostCall,
    Launch,
    Release,
    SetArgument,
    Synchronise,
    Transfer,
    UnknownCall,
    Unsupported,
)
from kfusion.host.equality import strip
from kfusion.host.expressions import Expressions
from kfusion.host.operators import is_computed
from kfusion.host.scalars import is_one_value, is_void, is_whole
from kfusion.host.symbolic import (
    FALSE,
    Entry,
    Global,
    Literal,
    Local,
    Made,
    Num,
    Place,
    Pointee,
    Ref,
    Root,
    State,
    Sym,
    leaves,
)
from kfusion.parse.host import ASSEMBLER


class Commands(Expressions):
    """Effects of the OpenCL API on an execution."""

    def opencl(self, name: str, node: c_ast.FuncCall, args: list[Sym], state: State) -> Sym:
        certain = self.certain
        if name == "clSetKernelArg" and len(args) == 4:
            self._argument_set(node, args, state)
            return FALSE
        if name == "clEnqueueNDRangeKernel" and len(args) == 9:
            self._launch(node, args, state)
            return FALSE
        if name == "clEnqueueTask" and len(args) == 5:
            self.emit(Unsupported(node, certain, "clEnqueueTask"))
            queue, kernel, waits, _, event = args
            one = Num(1)
            self.emit(Launch(node, certain, queue, kernel, one, None, (one,), (one,), waits, event))
            return FALSE
        if name == "clCreateKernel" and len(args) == 3:
            self._succeed(args[-1], state)
            text = args[1].text if isinstance(args[1], Literal) else ""
            made = Made("kernel", 0 if text else self.fresh.next(), text.strip('"'))
            self.emit(Create(node, certain, name, made))
            return made
        if name in calls.CREATES:
            if name not in ("clCreateSubBuffer", "clCloneKernel") or args:
                self._succeed(args[-1] if args else FALSE, state)
            shares = name == "clCreateSubBuffer" or self._shares_memory(name, args, state)
            kind = ("shared " if shares else "") + calls.CREATES[name]
            made = Made(kind, self.fresh.next())
            self.emit(Create(node, certain, name, made, shares))
            return made
        if name in calls.TRANSFERS:
            self._transfer(name, node, args, state)
            return FALSE if "Map" not in name or "Unmap" in name else self.unknown()
        if name in calls.RELEASES:
            self.emit(Release(node, certain, name, args[0] if args else FALSE))
        elif name in calls.RETAINS:
            self.emit(HostCall(node, certain, name, tuple(args)))
        elif name in calls.REGISTERS:
            return self.unknown_call(name, node, args, state)
        elif name in calls.SYNCHRONISES:
            self.emit(Synchronise(node, certain, name))
        elif name in calls.NEUTRAL:
            for argument in args:
                self.may_write(argument, state)
        else:
            self.emit(UnknownCall(node, certain, name, tuple(args)))
        return FALSE

    def _argument_set(self, node: c_ast.FuncCall, args: list[Sym], state: State) -> None:
        kernel, index, size, pointer = args
        place = None if pointer == Num(0) else self.target(pointer)
        if place is None:
            self.emit(SetArgument(node, self.certain, kernel, index, size, None, None))
            return
        value, parts = state.read(place), None
        type_ = self._object_type(place, node.args.exprs[3])
        if is_computed(pointer):
            value = self.unknown()
        elif state.knows_parts(place) or not is_one_value(size, type_, self.program.types):
            # Of a member more than its own bytes may be read: what lies behind it, too.
            within = is_whole(size, type_, self.program.types)
            read = place if within else Place(place.root)
            value, parts = self.unknown(), state.contents(read)
        kind = self._variable_type(place)
        self.emit(SetArgument(node, self.certain, kernel, index, size, place, value, kind, parts))

    def _object_type(self, place: Place, pointer: c_ast.Node) -> c_ast.Node | None:
        """The type of what an argument is read from, as far as it is seen."""
        while isinstance(pointer, c_ast.Cast):
            pointer = pointer.expr
        if isinstance(pointer, c_ast.UnaryOp) and pointer.op == "&":
            return self.type_of(pointer.expr)
        target = self.program.types.target(self.type_of(pointer))
        if target is not None and not is_void(target):
            return target
        return self._declared_type(place)

    def _shares_memory(self, name: str, args: list[Sym], state: State) -> bool:
        """May what is created share memory with something else?"""
        shared = _host_pointer(name, args)
        if shared or name != "clCreateImage" or len(args) < 5:
            return shared
        description = self.target(args[3])
        members = [state.read(description / m) for m in MEMORY]
        return Num(0) not in members

    def _variable_type(self, place: Place) -> str:
        """The type of a variable, or of a part of one, as declared, qualifiers left out."""
        type_ = self._declared_type(place)
        if not isinstance(type_, c_ast.TypeDecl):
            return ""
        inner = type_.type
        return " ".join(inner.names) if isinstance(inner, c_ast.IdentifierType) else ""

    def _declared_type(self, place: Place) -> c_ast.Node | None:
        if not isinstance(place.root, Local):
            return None
        number = place.root.frame
        frame = next((f for f in self.frames if f.number == number), None)
        declared = frame.variables.get(place.root.name) if frame else None
        type_ = declared.type if declared is not None else None
        for step in place.path:
            types = self.program.types
            is_element = step.startswith("[")
            type_ = types.target(type_) if is_element else types.member(type_, step)
        return type_

    def _succeed(self, pointer: Sym, state: State) -> None:
        """The last parameter of clCreate... receives CL_SUCCESS."""
        if isinstance(pointer, Ref):
            state.write(pointer.place, FALSE)

    def _transfer(self, name: str, node: c_ast.FuncCall, args: list[Sym], state: State) -> None:
        reads, writes = calls.TRANSFERS[name]
        self.emit(
            Transfer(
                node,
                self.certain,
                name,
                tuple(args[i] for i in reads if i < len(args)),
                tuple(args[i] for i in writes if i < len(args)),
                "Unmap" not in name and len(args) > 3 and Num(0) not in args[-3:-2],
            )
        )
        if name.startswith("clEnqueueRead"):
            if len(args) > 4:
                self.store(args[-4], state)
            for argument in args[-3:]:
                self.may_write(argument, state)

    def _launch(self, node: c_ast.FuncCall, args: list[Sym], state: State) -> None:
        dimensions = args[2].value if isinstance(args[2], Num) else 0
        self.emit(
            Launch(
                node,
                self.certain,
                args[0],
                args[1],
                args[2],
                self._sizes(args[3], dimensions, state),
                self._sizes(args[4], dimensions, state) or (),
                self._sizes(args[5], dimensions, state),
                args[6],
                args[8],
            )
        )
        if args[8] != Num(0):
            state.write(self.target(args[8]), Made("event", self.fresh.next()))

    def _sizes(self, pointer: Sym, count: int, state: State) -> tuple[Sym, ...] | None:
        if pointer == Num(0):
            return None
        place = self.target(pointer)
        if place.path and place.path[-1].startswith("["):
            base, first = Place(place.root, place.path[:-1]), place.path[-1][1:-1]
            if not first.isdigit():
                return None if count != 1 else (strip(self.read(place, state)),)
            numbers = range(int(first), int(first) + count)
            return tuple(strip(self.read(base / f"[{i}]", state)) for i in numbers)
        if count == 1:
            return (strip(self.read(place, state)),)
        return tuple(strip(self.read(place / f"[{i}]", state)) for i in range(count))

    def unknown_call(
        self, name: str, node: c_ast.FuncCall, arguments: list[Sym], state: State
    ) -> Sym:
        """It may change variables that it sees, and all that its arguments lead to."""
        self.emit(UnknownCall(node, self.certain, name, tuple(arguments)))
        roots: set[Root] = set()
        for leaf in (leaf for argument in arguments for leaf in leaves(argument)):
            if isinstance(leaf, Ref):
                self.overwrite(leaf.place, state)
                roots |= set() if leaf.place.path else {leaf.place.root}
            elif isinstance(leaf, Entry | Made):
                roots.add(Pointee(leaf))
        self.lose(state, frozenset(roots))
        given = [leaf for argument in arguments for leaf in leaves(argument)]
        if name == ASSEMBLER or any(map(self._is_function, given)):
            self.lose_all(state)
        return self.unknown()

    def _is_function(self, value: Sym) -> bool:
        root = value.place.root if isinstance(value, Ref) else None
        return isinstance(root, Global) and root.name in self.program.functions

    def may_write(self, pointer: Sym, state: State) -> None:
        if isinstance(pointer, Ref):
            place = pointer.place
            if place.path and place.path[-1] == "[0]":
                place = Place(place.root, place.path[:-1])
            state.write(place, self.unknown())


def _host_pointer(name: str, args: list[Sym]) -> bool:
    """May the object share memory with host data? Only if the flags say so, or are unknown."""
    with_flags = ("clCreateBuffer", "clCreateImage", "clCreateImage2D", "clCreateImage3D")
    if name not in with_flags or len(args) < 4:
        return name == "clCreateBufferWithProperties"
    use_host_pointer = 1 << 3
    return not isinstance(args[1], Num) or bool(args[1].value & use_host_pointer)
