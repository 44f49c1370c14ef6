"""Places of host memory that may be one another under other names, by their types.

- Two objects of one struct type are one or apart: their pointers are compared.
- `*s = 32` through a pointer to a scalar may change any member of that type, and a struct may
  be the member of another: then the bytes of the two places are compared.
- Places of types that share no scalar are apart, as every C compiler takes them to be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum
from functools import cache

from pycparser import c_ast

from kfusion.host.calls import WRITES
from kfusion.host.conversions import arithmetic
from kfusion.host.effects import Assign, Effect, HostCall, SetArgument
from kfusion.host.frames import Step
from kfusion.host.library import Run
from kfusion.host.merge import RegionAnalysis
from kfusion.host.regions import Region
from kfusion.host.spelling import spell_place
from kfusion.host.symbolic import (
    App,
    Entry,
    Global,
    Local,
    Made,
    Num,
    Op,
    Place,
    Pointee,
    Ref,
    Sym,
    Unknown,
    known_on_entry,
)
from kfusion.parse.unit import Unit, descendants
from kfusion.regenerate.ctext import Renderer
from kfusion.regenerate.pieces import CannotWriteError
from kfusion.source.dataclasses import dataclass
from kfusion.source.protections import protection

GUARD_OVERLAPS = protection(
    "guard-overlaps", "parts of host objects of different types are not compared"
)
_BYTE = "byte"  # a scalar that may be a part of any other


class Overlap(Enum):
    APART = "apart"
    OBJECTS = "objects"  # the same part of two objects of one type
    BYTES = "bytes"


@dataclass(frozen=True)
class Change:
    """What a statement writes; `whole`: exactly the place, not as much as a size says."""

    place: Place
    whole: bool = True


_BORROWING = frozenset(
    "clSetKernelArg clWaitForEvents clGetKernelInfo clGetMemObjectInfo clGetDeviceInfo "
    "clGetEventInfo clGetEventProfilingInfo clGetKernelWorkGroupInfo clGetProgramBuildInfo".split()
)


def changes_of(effect: Effect) -> Iterator[Change]:
    """Places outside the function's own variables that get another value."""
    if isinstance(effect, Assign):
        place = effect.place  # `s[i] = ...` is known as an unknown `*s`
        hidden = isinstance(place.root, Pointee) and not place.path
        yield Change(place, not (hidden and isinstance(effect.value, Unknown)))
    elif isinstance(effect, HostCall):
        for position in WRITES.get(effect.name, ()):
            for value in effect.arguments[position : position + 1]:
                target = _target(value)
                if target is not None and not isinstance(target.root, Local):
                    yield Change(target, bool(target.path))


def _target(pointer: Sym) -> Place | None:
    if isinstance(pointer, Ref):
        return pointer.place
    return None if isinstance(pointer, Made | Num) else Place(Pointee(pointer))


def is_new_and_old(one: Place, other: Place) -> bool:
    """Is one in memory that is allocated on the way, and the other in what was there before?"""
    return _is_new(one, other) or _is_new(other, one)


def _is_new(one: Place, other: Place) -> bool:
    if not isinstance(one.root, Pointee) or isinstance(other.root, Local):
        return False
    pointer = one.root.pointer
    while isinstance(pointer, Op) and pointer.name.startswith("(") and len(pointer.args) == 1:
        pointer = pointer.args[0]
    is_new = isinstance(pointer, Made) and pointer.kind == "host memory"
    return is_new and (not isinstance(other.root, Pointee) or known_on_entry(other.root.pointer))


def _pointed_to(region: Region) -> set[str]:
    """Variables of the application's function that a pointer may point to."""
    return _addressed(region.function.nodes.get(c_ast.UnaryOp, ()))


def _addressed(nodes: Iterable[c_ast.Node]) -> set[str]:
    """Names of variables of which, or of parts of which, the address is taken."""
    found: set[str] = set()
    for node in nodes:
        inner = node.expr if isinstance(node, c_ast.UnaryOp) and node.op == "&" else None
        while isinstance(inner, c_ast.StructRef | c_ast.ArrayRef):
            inner = inner.name
        if isinstance(inner, c_ast.ID):
            found.add(inner.name)
    return found


class Types:
    """The declared types of places, as the calls of a region see them."""

    def __init__(self, analysis: RegionAnalysis, runs: list[Run]) -> None:
        self.program, self.region = analysis.program, analysis.region
        self.pointed = _pointed_to(analysis.region)
        self.units = list(dict.fromkeys(run.function.unit for run in runs))
        self.pointers: dict[Sym, c_ast.Node] = {}
        for run in runs:
            for parameter, value in zip(run.function.parameters, run.arguments, strict=True):
                self.pointers.setdefault(value, parameter.type)

    def of(self, place: Place) -> c_ast.Node | None:
        return self._below(self.root(place), place.path)

    def root(self, place: Place) -> c_ast.Node | None:
        """The type of the object that a place is a part of."""
        root, types = place.root, self.program.types
        if isinstance(root, Pointee):
            return self._known(types.target(self._of_value(root.pointer)))
        if isinstance(root, App):
            given = self.pointers.get(Ref(Place(root)))
            declared = self.region.variables.get(root.name)
            return self._known(types.target(given) or (declared.type if declared else None))
        if isinstance(root, Global) and not root.home.endswith("()"):
            home = next((u for u in self.program.units if u.source.name == root.home), None)
            declared = self.program.global_of(root.name, home or self.units[0])
            return self._known(declared.type) if declared is not None else None
        return None

    def _known(self, type_: c_ast.Node | None) -> c_ast.Node | None:
        """Not `void`."""
        type_ = self.program.types.resolved(type_)
        return None if getattr(getattr(type_, "type", None), "names", None) == ["void"] else type_

    def _of_value(self, value: Sym) -> c_ast.Node | None:
        if value in self.pointers:
            return self.pointers[value]
        if isinstance(value, Entry):
            return self.of(value.place)
        if isinstance(value, Op) and value.name == "+":
            return self._of_value(value.args[0])
        return None

    def _below(self, type_: c_ast.Node | None, path: tuple[str, ...]) -> c_ast.Node | None:
        types = self.program.types
        for number, step in enumerate(path):
            if not step.startswith("["):
                type_ = types.member(type_, step)
            elif number > 0 or isinstance(types.resolved(type_), c_ast.ArrayDecl):
                type_ = types.target(type_)  # p[3] is of the type that p points to
        return self._known(type_)

    def scalars(self, type_: c_ast.Node | None) -> set[str] | None:
        """All kinds of scalars in a type; None: it is not known."""
        type_ = self.program.types.resolved(type_)
        if isinstance(type_, c_ast.ArrayDecl):
            return self.scalars(type_.type)
        if isinstance(type_, c_ast.PtrDecl):
            return {"pointer"}
        number = arithmetic(type_, self.program.types)
        if number is not None:
            if number.bits <= 8:
                return {_BYTE}
            return {f"{'real' if number.real else 'integer'} of {number.bits} bits"}
        if isinstance(getattr(type_, "type", None), c_ast.Enum):
            return {"integer of 32 bits"}
        if self.program.types.has_unnamed(type_):
            return None
        found: set[str] = set()
        members = self.program.types.members(type_)
        for name in members:
            inner = self.scalars(self.program.types.member(type_, name))
            if inner is None:
                return None
            found |= inner
        return found if members else None

    def struct(self, type_: c_ast.Node | None) -> tuple[str, ...] | None:
        """The members of a struct, which tell it from others."""
        return tuple(self.program.types.members(type_)) or None

    def holds(self, outer: c_ast.Node | None, members: tuple[str, ...]) -> bool:
        """Is a struct a part of another type?"""
        outer = self.program.types.resolved(outer)
        if isinstance(outer, c_ast.ArrayDecl):
            return self.holds(outer.type, members)
        if isinstance(outer, c_ast.PtrDecl):
            return False
        if self.program.types.has_unnamed(outer):
            return True
        own = self.program.types.members(outer)
        return tuple(own) == members or any(
            self.holds(self.program.types.member(outer, name), members) for name in own
        )

    def overlap(self, place: Place, change: Place) -> Overlap:
        """How the two may be one place, reached through different objects."""
        if place.root == change.root or isinstance(place.root, Local):
            return Overlap.APART
        if not (isinstance(place.root, Pointee) or isinstance(change.root, Pointee)):
            return Overlap.APART
        if is_new_and_old(place, change):
            return Overlap.APART
        if self.out_of_reach(place) or self.out_of_reach(change):
            return Overlap.APART
        shorter = min(len(place.path), len(change.path))
        alike = place.path[:shorter] == change.path[:shorter]
        one, other = self.root(place), self.root(change)
        left, right = self.struct(one), self.struct(other)
        indexed = any(p[:1] and p[0].startswith("[") for p in (place.path, change.path))
        if left and right and not indexed:
            if left == right:
                return Overlap.OBJECTS if alike else Overlap.APART
            if not (self.holds(one, right) or self.holds(other, left)):
                return Overlap.APART
        if (left and self._holds_none(change, left)) or (right and self._holds_none(place, right)):
            return Overlap.APART
        a, b = self.scalars(self.of(place)), self.scalars(self.of(change))
        if a is not None and b is not None and not (a & b or _BYTE in a | b):
            return Overlap.APART
        members = bool(place.path and change.path) and not indexed
        if alike and members and (one is None or other is None):
            return Overlap.OBJECTS
        if alike and not left and not right and a == b and a and len(a) == 1:
            same = place.path == change.path and self.is_same_scalar(place, change)
            return Overlap.OBJECTS if same else Overlap.BYTES
        return Overlap.BYTES

    def out_of_reach(self, place: Place) -> bool:
        """A variable of the application, or a static one, that no pointer points to."""
        if isinstance(place.root, App):
            declared = self.region.variables.get(place.root.name)
            is_scalar = declared is not None and self._is_scalar(declared)
            return is_scalar and place.root.name not in self.pointed
        return isinstance(place.root, Global) and self.is_private(place.root)

    def _is_scalar(self, declared: c_ast.Decl) -> bool:
        """No array, and no struct with one, which become pointers without an `&`."""
        type_ = self.program.types.resolved(declared.type)
        inner = type_.type if isinstance(type_, c_ast.TypeDecl) else type_
        if self.program.types.opaque & set(getattr(inner, "names", ())):
            return False
        return isinstance(inner, c_ast.IdentifierType | c_ast.PtrDecl | c_ast.Enum)

    @cache  # noqa: B019 (it lives as long as the region)
    def is_private(self, root: Global) -> bool:
        """A static variable of a file that takes its address nowhere."""
        homes = [u for u in self.program.units if root.home in ("", u.source.name)]
        found = [(u, d) for u in homes if (d := self.program.global_of(root.name, u)) is not None]
        return bool(found) and all(
            "static" in declared.storage
            and self._is_scalar(declared)
            and root.name not in self._kept_by(unit)
            for unit, declared in found
        )

    @cache  # noqa: B019 (it lives as long as the region)
    def _kept_by(self, unit: Unit) -> set[str]:
        """Variables whose address the file takes, and not just for the time of a call."""
        lent = {
            id(argument)
            for call in unit.nodes.get(c_ast.FuncCall, ())
            for position, argument in enumerate(call.args.exprs if call.args is not None else ())
            if isinstance(argument, c_ast.UnaryOp) and argument.op == "&"
            if self._only_borrows(call, position, unit)
        }
        nodes = unit.nodes.get(c_ast.UnaryOp, ())
        return _addressed(node for node in nodes if id(node) not in lent)

    def _only_borrows(self, call: c_ast.FuncCall, position: int, unit: Unit) -> bool:
        """The function uses the pointer that it gets there as `*p` only."""
        name = call.name.name if isinstance(call.name, c_ast.ID) else ""
        function = self.program.lookup(name, unit)
        if function is None:
            return name in _BORROWING
        if position >= len(function.parameters):
            return False
        own, nodes = (
            function.parameters[position].name,
            list(descendants(function.function.node.body)),
        )
        used: int = sum(isinstance(n, c_ast.ID) and n.name == own for n in nodes)
        followed: int = sum(
            isinstance(n, c_ast.UnaryOp)
            and n.op == "*"
            and isinstance(n.expr, c_ast.ID)
            and n.expr.name == own
            for n in nodes
        )
        return used == followed

    def _holds_none(self, place: Place, members: tuple[str, ...]) -> bool:
        """Is the place in a variable of which no such struct can be a part?"""
        type_ = self.root(place)
        is_variable = not isinstance(place.root, Pointee)
        return is_variable and type_ is not None and not self.holds(type_, members)

    def refuse_unbounded(self, change: Change, steps: list[Step]) -> None:
        """An argument of several elements behind a pointer: nobody knows where they end."""
        for effect in (e for step in steps for e in step.effects):
            if not isinstance(effect, SetArgument) or effect.parts is None:
                continue
            place = effect.whole
            if place is None or not isinstance(place.root, Pointee) or self.struct(self.of(place)):
                continue
            if self.overlap(place, change.place) is not Overlap.APART:
                raise CannotWriteError(
                    f"'{spell_place(change.place)}' changes, and may be one of the elements at "
                    f"'{spell_place(place)}'"
                )

    def is_same_scalar(self, one: Place, other: Place) -> bool:
        """Two scalars of one size are one or apart."""
        types = [self.program.types.resolved(self.of(place)) for place in (one, other)]
        if any(isinstance(t, c_ast.ArrayDecl) for t in types):
            return False
        kinds = [arithmetic(t, self.program.types) for t in types]
        if all(isinstance(t, c_ast.PtrDecl) for t in types):
            return True
        return None not in kinds and kinds[0].bits == kinds[1].bits  # type: ignore[union-attr]


def bytes_compared(place: Place, change: Change, types: Types, renderer: Renderer) -> str | None:
    """C that finds out whether the two share memory; None: the place is given by its value."""
    if Entry(place) in renderer.parameters:
        return None  # that nothing changes it on the way has been seen to
    texts = [renderer.address(p) for p in (change.place, place)]
    first, second = texts
    if not change.whole or first is None or second is None:
        raise CannotWriteError(
            f"'{spell_place(change.place)}' changes, and may be '{spell_place(place)}'"
        )
    if types.is_same_scalar(place, change.place):
        return f"(const void *){first} == (const void *){second}"
    if types.of(place) is None or types.of(change.place) is None:
        raise CannotWriteError(
            f"'{spell_place(change.place)}' changes, and may be '{spell_place(place)}'"
        )
    below = "(const char *){} < (const char *)({} + 1)"
    return f"({below.format(first, second)} && {below.format(second, first)})"
