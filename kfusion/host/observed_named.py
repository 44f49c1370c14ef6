"""What `out` and `temp` name: which memory objects are theirs when a path through a region ends.

A name comes in, with what places hold at the end of a path; handles go out, or nothing if they
are not all known. Whoever names objects names variables, and what is left out is memory: the
region may have given a variable another handle, or a handle another home.
"""

from __future__ import annotations

from pycparser import c_ast

from kfusion.host.alias import (
    Alias,
    Element,
    Memory,
    Written,
    carried_by,
    is_handle,
    leads_to,
    may_carry,
    steps_of,
)
from kfusion.host.calls import CREATES
from kfusion.host.conversions import arithmetic
from kfusion.host.effects import SetArgument
from kfusion.host.equality import is_new_buffer
from kfusion.host.execute import Executor
from kfusion.host.frames import Frame
from kfusion.host.observed_around import Around
from kfusion.host.path_program import PathProgram, Reach
from kfusion.host.symbolic import (
    App,
    Entry,
    Global,
    Local,
    Made,
    Phi,
    Place,
    Pointee,
    Ref,
    State,
    Sym,
    Unknown,
)
from kfusion.source.dataclasses import dataclass

Handles = dict[Place, Sym]
_MEMORY = frozenset(name for name, kind in CREATES.items() if kind in ("buffer", "image", "pipe"))


class Names:
    """Variables that an annotation names, as the function around the region sees them."""

    def __init__(self, around: Around, memory: Memory) -> None:
        self.around, self.memory = around, memory
        self.types = around.program.types

    def place(self, name: str) -> Place:
        if name in self.around.visible:
            return Place(App(name))
        return Place(Global(name, self.around.program.home_of(name, self.around.unit)))

    def handles(self, name: str, state: State) -> Handles | None:
        """The handles of all device data of an object; None: there may be others."""
        place = self.place(name)
        found: Handles = {}
        if not self._collect(self.memory.type_of(place), place, state, found, outermost=True):
            return None
        return found or None

    def _collect(
        self,
        type_: c_ast.Node | None,
        place: Place,
        state: State,
        found: Handles,
        *,
        outermost: bool = False,
    ) -> bool:
        if is_handle(type_):
            found[place] = state.read(place)
            return True
        if not self.memory.may_hold_handles(type_):
            return True
        resolved = self.types.resolved(type_)
        if isinstance(resolved, c_ast.PtrDecl) and outermost:
            target = _target(state.read(place))
            return target is not None and self._collect(resolved.type, target, state, found)
        if not isinstance(getattr(resolved, "type", None), c_ast.Struct):
            return False  # arrays, pointers to more: how many there are is not known
        if isinstance(resolved, c_ast.PtrDecl | c_ast.ArrayDecl):
            return False
        if self.types.has_unnamed(resolved) or not self.types.members(resolved):
            return False
        return all(
            self._collect(self.types.member(resolved, name), place / name, state, found)
            for name in self.types.members(resolved)
        )


def _target(pointer: Sym) -> Place | None:
    if isinstance(pointer, Ref):
        return pointer.place
    return Place(Pointee(pointer)) if isinstance(pointer, Entry | Made) else None


@dataclass(frozen=True, eq=False)
class End:
    """What is known at the end of a path, and may be believed."""

    memory: Memory
    state: State
    written: Written

    @staticmethod
    def of(memory: Memory, state: State) -> End:
        return End(memory, state, Written(memory, state))

    def holds(self, handles: Handles | None) -> set[Sym] | None:
        """The values of handles; None if one of them may be another than it seems."""
        if handles is None:
            return None
        for place, value in handles.items():
            if not isinstance(value, Entry | Made) or not self.written.is_trusted(value):
                return None
            if self.written.may_change_unseen(place):
                return None
        return set(handles.values())

    def copies(self, value: Sym) -> list[Place] | None:
        """Places that have got a handle, or what may be one; None: places that are not known."""
        found: list[Place] = []
        for place, held in self.state.memory.items():
            if isinstance(place.root, Local) or held == Entry(place):
                continue
            if _is_unknown(held) and self.memory.may_hold_handles(self.memory.type_of(place)):
                return None
            if self._has(held, value):
                found.append(place)
        lost = [Place(root) for loss in self.state.losses for root in loss.roots]
        types = [self.memory.type_of(place) for place in lost]
        anything = any(loss.everything or loss.variables for loss in self.state.losses)
        return None if anything or any(map(self.memory.may_hold_handles, types)) else found

    def _has(self, held: Sym, value: Sym) -> bool:
        if isinstance(value, Made):
            return value in carried_by(held)
        assert isinstance(value, Entry)
        return may_carry(self.memory, held, value.place) or leads_to(self.memory, held, value.place)


def _is_unknown(value: Sym) -> bool:
    return any(isinstance(part, Unknown) for part in carried_by(value))


def is_plain(place: Place) -> bool:
    """Members by name, of a variable or what one points to: no entry of a table."""
    root = place.root
    is_member = not any(isinstance(step, Element) for step in steps_of(place))
    if isinstance(root, Pointee):
        return is_member and isinstance(root.pointer, Entry) and is_plain(root.pointer.place)
    return is_member


class Arguments:
    """What the launches of a region may get: a handle, or an object that is made if it lacks."""

    def __init__(self, around: Around, memory: Memory) -> None:
        self.around, self.memory = around, memory
        program = PathProgram.of(around.program)
        self._given: list[SetArgument] = []
        if Reach(program, _MEMORY).has(around.here, around.unit):
            executor = Executor(program)
            executor.frames = [Frame(0, None, around.unit, dict(around.variables))]
            executor.application = executor.frame.variables
            executor.conditions = [executor.unknown()]
            executor.statement(around.here, State())
            self._given = [e for e in executor.effects if isinstance(e, SetArgument)]

    def may_be_new(self, value: Sym) -> bool:
        """May a launch get a new object where a prediction names the handle's own?"""
        return isinstance(value, Entry) and any(
            self._is_choice(effect.value, value.place)
            for effect in self._given
            if effect.value is not None and not is_arithmetic(self.memory, effect)
        )

    def _is_choice(self, value: Sym, place: Place) -> bool:
        if isinstance(value, Unknown):
            return True
        parts = carried_by(value) if isinstance(value, Phi) else []
        return any(map(is_new_buffer, parts)) and any(
            isinstance(part, Entry) and self.memory.alias(part.place, place) is not Alias.NEVER
            for part in parts
        )


def is_arithmetic(memory: Memory, effect: SetArgument) -> bool:
    """Is the argument a number, by the type of the variable that it is read from?"""
    inner = c_ast.IdentifierType(effect.type.split()) if effect.type else None
    type_ = c_ast.TypeDecl(None, [], None, inner) if inner is not None else None
    kind = arithmetic(type_, memory.program.types) if type_ is not None else None
    return kind is not None and not kind.is_opaque
