"""May two places be the same memory?

A place is a root (a variable, or what a pointer leads to) and steps from there: a member, an
element, an element of unknown index. Steps have types, as the declarations tell them. One
question is answered, `alias`: never, the same, or maybe. Whatever is not known is *maybe*; so
are a whole and a part of it, which share some bytes.

Assumed is what C promises: no access through a pointer to one type reaches an object of another
one, characters excepted.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from functools import lru_cache

from pycparser import c_ast

from kfusion.host.conversions import arithmetic
from kfusion.host.program import HostProgram
from kfusion.host.symbolic import (
    App,
    Entry,
    Global,
    Local,
    Loss,
    Made,
    Op,
    Phi,
    Place,
    Pointee,
    Ref,
    Root,
    State,
    Sym,
    Unknown,
)
from kfusion.source.dataclasses import dataclass

_CONDITIONS = frozenset("== != < > <= >= ! && ||".split())


class Alias(Enum):
    NEVER = "never"
    SAME = "same"
    MAYBE = "maybe"


@dataclass(frozen=True)
class Member:
    name: str


@dataclass(frozen=True)
class Element:
    number: int | None  # None: of unknown index


Step = Member | Element


def steps_of(place: Place) -> tuple[Step, ...]:
    return tuple(map(_step, place.path))


def _step(text: str) -> Step:
    if not text.startswith("["):
        return Member(text)
    number = text[1:-1]
    return Element(int(number) if number.lstrip("-").isdigit() else None)


class Memory:
    """Places as one function of the program sees them: its variables are `App` roots."""

    def __init__(
        self,
        program: HostProgram,
        variables: Mapping[str, c_ast.Decl],
        private: frozenset[str] = frozenset(),
    ) -> None:
        """`private`: variables to which no pointer leads that was there before."""
        self.program, self.variables, self.private = program, variables, private
        self._types = program.types

    # The one question

    def alias(self, one: Place, other: Place) -> Alias:
        one, other = _resolved(one), _resolved(other)
        if one.root == other.root:
            return self._within_one(steps_of(one), steps_of(other))
        if self._roots_apart(one.root, other.root) or self._types_differ(one, other):
            return Alias.NEVER
        return Alias.MAYBE

    def _within_one(self, one: tuple[Step, ...], other: tuple[Step, ...]) -> Alias:
        exactly = True
        for a, b in zip(one, other, strict=False):
            if isinstance(a, Element) and isinstance(b, Element):
                if a.number is None or b.number is None:
                    exactly = False
                elif a != b:
                    return Alias.NEVER
            elif not (isinstance(a, Member) and isinstance(b, Member)):
                return Alias.MAYBE  # an object, and one of several behind a pointer
            elif a != b:
                return Alias.MAYBE if self._may_overlap(a, b) else Alias.NEVER
        return Alias.SAME if exactly and len(one) == len(other) else Alias.MAYBE

    def _may_overlap(self, *members: Member) -> bool:
        return any(self._types.shares_memory(None, member.name) for member in members)

    # Roots

    def _roots_apart(self, one: Root, other: Root) -> bool:
        if isinstance(one, Pointee) and isinstance(other, Pointee):
            return self._pointers_apart(one.pointer, other.pointer)
        if isinstance(other, Pointee):
            one, other = other, one
        if isinstance(one, Pointee):
            assert not isinstance(other, Pointee)
            pointer = without_casts(one.pointer)
            return isinstance(pointer, Made) or not self._is_reached(pointer, other)
        return not self._is_one_variable(one, other)

    def _is_one_variable(self, one: Root, other: Root) -> bool:
        """`extern vec t;` in a function names a variable of the file."""
        names = {root.name for root in (one, other) if isinstance(root, App | Global)}
        declared = self.variables.get(next(iter(names), ""))
        kinds = {type(one), type(other)}
        is_extern = declared is not None and "extern" in declared.storage
        return kinds == {App, Global} and len(names) == 1 and is_extern

    def _pointers_apart(self, one: Sym, other: Sym) -> bool:
        """Whatever is made is another object than those that were there, or were made before."""
        known = Entry | Made
        one, other = without_casts(one), without_casts(other)
        return (isinstance(one, Made) and isinstance(other, known)) or (
            isinstance(other, Made) and isinstance(one, known)
        )

    def _is_reached(self, pointer: Sym, variable: Root) -> bool:
        """May a pointer that is not followed lead to the variable?"""
        if isinstance(variable, Local) and isinstance(pointer, Entry):
            return False  # the variable is younger than the pointer
        if isinstance(variable, App) and variable.name in self.private:
            return not isinstance(pointer, Entry)
        if isinstance(variable, App | Global):
            return variable.name in self.program.exposed
        return True

    # Types

    def _types_differ(self, one: Place, other: Place) -> bool:
        a, b = self.type_of(one), self.type_of(other)
        if a is None or b is None:
            return False
        kinds = self.scalar_of(a), self.scalar_of(b)
        ends = [step for p in (one, other) for step in steps_of(p)[-1:]]
        members = [step for step in ends if isinstance(step, Member)]
        if None in kinds or ("char" in kinds and len(members) < 2):
            return False  # characters are part of anything
        if kinds[0] != kinds[1]:
            return True
        return len(members) == 2 and members[0] != members[1] and not self._may_overlap(*members)

    def scalar_of(self, type_: c_ast.Node | None) -> str | None:
        """What kind of value a place of the type holds: a name; None: no single one.

        An array holds values of one kind.
        """
        resolved = self._types.resolved(type_)
        while isinstance(resolved, c_ast.ArrayDecl):
            type_ = resolved.type
            resolved = self._types.resolved(type_)
        if self._types.is_opaque(type_) and not is_handle(type_):
            return None
        if isinstance(resolved, c_ast.PtrDecl):
            return "a pointer"
        kind = arithmetic(type_, self._types)
        if kind is None or kind.is_opaque:
            return None
        if kind.bits == 8:
            return "char"
        return "a number" if kind.is_enum else f"{kind.real} {kind.bits}"

    def may_hold_handles(self, type_: c_ast.Node | None) -> bool:
        """May an object of the type hold a handle of a memory object, or lead to one?"""
        return self._may_hold(type_, set())

    def _may_hold(self, type_: c_ast.Node | None, seen: set[object]) -> bool:
        if is_handle(type_):
            return True
        if is_of_opencl(type_):
            return False
        resolved = self._types.resolved(type_)
        if resolved is None or self._types.is_opaque(type_) or self._types.is_void(resolved):
            return True
        if isinstance(resolved, c_ast.PtrDecl | c_ast.ArrayDecl):
            return self._may_hold(resolved.type, seen)
        if isinstance(resolved, c_ast.FuncDecl) or arithmetic(resolved, self._types) is not None:
            return False
        inner = resolved.type
        if not isinstance(inner, c_ast.Struct) or self._types.has_unnamed(resolved):
            return True
        if inner.name in seen:
            return False
        seen.add(inner.name or inner)
        names = self._types.members(resolved)
        return not names or any(
            self._may_hold(self._types.member(resolved, name), seen) for name in names
        )

    def type_of(self, place: Place) -> c_ast.Node | None:
        """The declared type of what stands at a place, as far as declarations tell it."""
        type_ = self._type_of_root(place.root)
        for position, step in enumerate(steps_of(place)):
            if isinstance(step, Member):
                if self._types.shares_memory(type_, step.name):
                    return None
                type_ = self._types.member(type_, step.name)
            elif isinstance(self._types.resolved(type_), c_ast.ArrayDecl):
                type_ = self._types.target(type_)
            elif position > 0 or not isinstance(place.root, Pointee):
                return None
        return type_

    def _type_of_root(self, root: Root) -> c_ast.Node | None:
        if isinstance(root, App):
            return getattr(self.variables.get(root.name), "type", None)
        if isinstance(root, Global):
            known = self._static(root) if "(" in root.home else self._global(root)
            return getattr(known, "type", None)
        if isinstance(root, Pointee) and isinstance(root.pointer, Entry):
            target = self._types.target(self.type_of(root.pointer.place))
            return None if target is None or self._types.is_void(target) else target
        return None

    def _static(self, root: Global) -> c_ast.Decl | None:
        """The only variable of that name which a function of that name keeps between calls."""
        function = root.home.removesuffix("()").rpartition(": ")[2]
        found = [
            node
            for unit in self.program.units
            for name, each in unit.functions.items()
            if name == function
            for node in each.nodes.get(c_ast.Decl, ())
            if node.name == root.name and "static" in node.storage
        ]
        return found[0] if len(found) == 1 else None

    def _global(self, root: Global) -> c_ast.Decl | None:
        for unit in self.program.units:
            if root.home == unit.source.name:
                return self.program.global_of(root.name, unit)
        return self.program.globals.get(root.name)


def is_handle(type_: c_ast.Node | None) -> bool:
    """Is it a `cl_mem`?"""
    return _named(type_) == "cl_mem"


def is_of_opencl(type_: c_ast.Node | None) -> bool:
    """Is it `cl_context`, `cl_int` or the like, and no memory object?"""
    name = _named(type_)
    return name.startswith("cl_") and name != "cl_mem"


def _named(type_: c_ast.Node | None) -> str:
    inner = getattr(type_, "type", None)
    names = inner.names if isinstance(inner, c_ast.IdentifierType) else []
    return str(names[0]) if len(names) == 1 else ""


def _resolved(place: Place) -> Place:
    """`*&x` is x."""
    root = place.root
    if isinstance(root, Pointee) and isinstance(root.pointer, Ref):
        base = root.pointer.place
        return _resolved(Place(base.root, (*base.path, *place.path)))
    return place


def without_casts(pointer: Sym) -> Sym:
    """To other pointer types: what is pointed to stays the same."""
    while isinstance(pointer, Op) and len(pointer.args) == 1 and pointer.name.endswith("*)"):
        pointer = pointer.args[0]
    return pointer


@lru_cache(maxsize=1 << 14)
def carried_by(value: Sym) -> tuple[Sym, ...]:
    """The parts that can be had back from a value: not what it only was compared with."""
    if isinstance(value, Op):
        if value.name in _CONDITIONS:
            return ()
        args = value.args[1:] if value.name == "?:" else value.args
        args = args[:1] if value.name == "part" else args  # and the members' names
    elif isinstance(value, Phi):
        args = value.alternatives
    else:
        return (value,)
    return tuple(dict.fromkeys(part for arg in args for part in carried_by(arg)))


def may_carry(
    memory: Memory, value: Sym, handle: Place, made: frozenset[Sym] = frozenset()
) -> bool:
    """May a value hold the handle that was at a place on entry, or lead there?

    `made`: handles that the place has got since.
    """
    return any(_may_be(memory, part, handle, made) for part in carried_by(value))


def _may_be(memory: Memory, part: Sym, handle: Place, made: frozenset[Sym]) -> bool:
    if isinstance(part, Entry):
        return memory.alias(part.place, handle) is not Alias.NEVER
    if isinstance(part, Ref):
        whole = Place(part.place.root)
        return memory.alias(whole, Place(handle.root)) is not Alias.NEVER
    return part in made


def leads_to(memory: Memory, value: Sym, handle: Place) -> bool:
    """May a value be a pointer on the way to a handle?"""
    root, pointers = handle.root, list[Place]()
    while isinstance(root, Pointee) and isinstance(root.pointer, Entry):
        pointers.append(root.pointer.place)
        root = root.pointer.place.root
    return any(
        memory.alias(part.place, pointer) is not Alias.NEVER
        for part in carried_by(value)
        if isinstance(part, Entry)
        for pointer in pointers
    )


class Written:
    """What an execution has written, as far as it may have changed other places unseen.

    The state itself knows what was written to a place by its own name. What it does not know:
    that another place may be the same memory.
    """

    def __init__(self, memory: Memory, after: State) -> None:
        self.memory, self.losses = memory, after.losses
        self.places = [place for place in after.memory if not isinstance(place.root, Local)]

    def is_trusted(self, value: Sym) -> bool:
        """Does a symbol of the execution stand for the value that it names?"""
        if isinstance(value, Made):
            return True
        if isinstance(value, Ref):
            return self._is_followed(value.place)
        return isinstance(value, Entry) and not self.may_change_unseen(value.place)

    def may_change_unseen(self, place: Place) -> bool:
        """May the place be written to under another name, or be another one than it seems?"""
        elements = [step for step in steps_of(place) if isinstance(step, Element)]
        own = isinstance(place.root, App) and all(e.number is not None for e in elements)
        if not self._is_followed(place) or (elements and not own):
            return True  # an element that several indices may name
        return any(
            self.memory.alias(written, place) is not Alias.NEVER
            for written in self.places
            if written.root != place.root
        ) or any(self._is_lost(loss, place) for loss in self.losses)

    def may_change(self, place: Place) -> bool:
        """May the place hold another value than on entry?"""
        return self.may_change_unseen(place) or any(
            self.memory.alias(written, place) is not Alias.NEVER for written in self.places
        )

    def _is_followed(self, place: Place) -> bool:
        """Is it known where the pointers lead that are followed on the way to the place?"""
        root = place.root
        if not isinstance(root, Pointee):
            return True
        return self.is_trusted(root.pointer) and not isinstance(root.pointer, Unknown)

    def _is_lost(self, loss: Loss, place: Place) -> bool:
        return may_lose(self.memory, loss, place)


def may_lose(memory: Memory, loss: Loss, place: Place) -> bool:
    """May something unknown that was written have gone to the place?"""
    root = place.root
    if loss.everything or loss.variables:
        return not isinstance(root, App | Global) or root.name in loss.exposed
    if root in loss.roots:
        return True
    return any(memory.alias(Place(lost), place) is not Alias.NEVER for lost in loss.roots)
