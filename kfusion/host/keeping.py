"""What effects do to a memory object: who keeps its handle, reads or overwrites it."""

from __future__ import annotations

from kfusion.host.effects import (
    Assign,
    Effect,
    HostCall,
    Launch,
    SetArgument,
    Transfer,
    UnknownCall,
    Unsupported,
)
from kfusion.host.equality import identity
from kfusion.host.merge import RegionAnalysis
from kfusion.host.symbolic import (
    App,
    Entry,
    Global,
    Made,
    Op,
    Phi,
    Place,
    Pointee,
    Ref,
    Sym,
    leaves,
)

_CONDITIONS = frozenset("== != < > <= >= ! && ||".split())


def may_change(effect: Effect, places: set[Place]) -> bool:
    """May the effect change what one of the places holds?"""
    if isinstance(effect, Assign):
        return any(overlapping(place, effect.place) for place in places)
    if isinstance(effect, UnknownCall | HostCall):
        if isinstance(effect, HostCall) and effect.name in _WRITES_NOTHING:
            return False
        parts = [part for argument in effect.arguments for part in parts_of(argument)]
        roots = {place.root for place in places}
        if any(isinstance(part, Ref) and part.place.root in roots for part in parts):
            return True
        shared = any(isinstance(root, Global | Pointee) for root in roots)
        return shared and isinstance(effect, UnknownCall)
    return isinstance(effect, Unsupported)


def places_in(part: Sym) -> list[Place]:
    """The places that a value is read from, and those of the pointers that lead to them."""
    if not isinstance(part, Entry):
        return []
    root = part.place.root
    behind = leaves(root.pointer) if isinstance(root, Pointee) else []
    return [part.place, *(place for pointer in behind for place in places_in(pointer))]


def has_choice(value: Sym) -> bool:
    """Does the value depend on conditions that are not known?"""
    return isinstance(value, Phi) or (isinstance(value, Op) and any(map(has_choice, value.args)))


_WRITES_NOTHING = frozenset("free printf fprintf puts fputs fflush perror".split())
_MEMORY = ("buffer", "image")
_KEEP_NOTHING = frozenset("free printf puts fputs fflush perror memset malloc calloc".split())


def overlapping(one: Place, other: Place) -> bool:
    return one.within(other) or other.within(one)


def made_into(effects: list[Effect], handle: Place) -> set[Sym]:
    """What the effects make and put into a place."""
    return {
        part
        for effect in effects
        if isinstance(effect, Assign) and overlapping(effect.place, handle)
        for part in parts_of(effect.value)
        if isinstance(part, Made)
    }


def keeps_handle(effect: Effect, owner: str, handle: Place, own: set[Sym]) -> bool:
    """Does the effect put the object's address or a handle of its own somewhere else?

    `own`: buffers that the same call makes for the object.
    """
    if isinstance(effect, UnknownCall | Unsupported):
        return True
    if isinstance(effect, HostCall):
        return effect.name not in _KEEP_NOTHING and any(
            (isinstance(part, Ref) and part.place.root == App(owner))
            or (isinstance(part, Entry) and overlapping(part.place, handle))
            or part in own
            for argument in (*effect.arguments, *effect.reached)
            for part in parts_of(argument)
        )
    if not isinstance(effect, Assign) or overlapping(effect.place, handle):
        return False
    if effect.place.root == App(owner):  # a second handle in the object itself
        return any(
            part in own or (isinstance(part, Entry) and overlapping(part.place, handle))
            for part in carried_by(effect.value)
        )
    of_an_object = isinstance(effect.place.root, App)  # another object makes its own buffer
    return any(
        (isinstance(part, Ref) and part.place.root == App(owner))
        or (isinstance(part, Made) and part.kind.endswith(_MEMORY) and not of_an_object)
        or part in own
        or (isinstance(part, Entry) and part.place.root == App(owner))
        for part in parts_of(effect.value)
    )


def parts_of(value: Sym) -> list[Sym]:
    if isinstance(value, Phi):
        return [p for part in value.alternatives for p in parts_of(part)]
    if isinstance(value, Op):
        return [p for part in value.args for p in parts_of(part)]
    return [value]


def carried_by(value: Sym) -> list[Sym]:
    """The parts that can be had back from a number: not what it only was compared with."""
    if isinstance(value, Op):
        if value.name in _CONDITIONS:
            return []
        args = value.args[1:] if value.name == "?:" else value.args
        return [p for part in args for p in carried_by(part)]
    if isinstance(value, Phi):
        return [p for part in value.alternatives for p in carried_by(part)]
    return [value]


def reads_object(effects: list[Effect], name: str, analysis: RegionAnalysis) -> bool:
    """Do the effects read the memory object on the device?"""
    for effect in effects:
        if isinstance(effect, Transfer) and name in {str(identity(v)) for v in effect.reads}:
            return True
        if isinstance(effect, SetArgument) and effect.value is not None:
            if str(identity(effect.value)) == name and _parameter_reads(effect, analysis):
                return True
    return False


def _parameter_reads(effect: SetArgument, analysis: RegionAnalysis) -> bool:
    names = analysis.handles.kernel_names(effect.kernel, {})
    for kernel_name in sorted(names):
        kernel = analysis.kernels.get(kernel_name)
        index = getattr(effect.index, "value", None)
        if kernel is None or index is None or index >= len(kernel.parameters):
            return True
        parameter = kernel.parameters[index].name
        modes = [a.mode for a in kernel.accesses if a.parameter == parameter]
        if kernel.features or any(m.reads for m in modes):
            return True
    return not names


def first_use(effects: list[Effect], name: str, analysis: RegionAnalysis) -> list[Effect] | None:
    """What reads the memory object on the device, before anything overwrites it.

    None: nothing does, and what comes later reads something else, too.
    """
    given: list[SetArgument] = []  # to which the launches that follow it get the object
    for effect in effects:
        if isinstance(effect, Transfer):
            if name in {str(identity(v)) for v in effect.reads}:
                return [effect]
            if name in {str(identity(v)) for v in effect.writes}:
                return None
        if isinstance(effect, SetArgument):
            given = [e for e in given if (e.kernel, e.index) != (effect.kernel, effect.index)]
            if effect.value is not None and str(identity(effect.value)) == name:
                given.append(effect)
        if isinstance(effect, Launch):
            own = [e for e in given if e.kernel == effect.kernel]
            reading: list[Effect] = [e for e in own if _parameter_reads(e, analysis)]
            if reading:
                return reading
            if own:
                return None
    return []
