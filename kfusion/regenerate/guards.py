"""The run-time guard: what a fusion takes for granted, as C conditions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from functools import partial

from kfusion.graph.model import Disjoint, Equal, Group, SameRange, Within
from kfusion.host.effects import Assign, Release, SetArgument, Transfer
from kfusion.host.equality import (
    identity,
    image_size_of,
    is_count,
    is_new_buffer,
    range_pairs,
    strip,
    unify,
)
from kfusion.host.frames import Step
from kfusion.host.handles import type_name
from kfusion.host.library import Run
from kfusion.host.merge import RegionAnalysis
from kfusion.host.operators import inverted
from kfusion.host.spelling import spell, spell_place
from kfusion.host.symbolic import Entry, Local, Num, Op, Place, Pointee, Ref, Root, Sym, leaves
from kfusion.kernel.evaluate import image_size
from kfusion.regenerate.ctext import Renderer
from kfusion.regenerate.images import format_conditions, image_on_entry
from kfusion.regenerate.overlaps import (
    GUARD_OVERLAPS,
    Change,
    Overlap,
    Types,
    bytes_compared,
    changes_of,
    is_new_and_old,
)
from kfusion.regenerate.pieces import CannotWriteError
from kfusion.regenerate.rows import longer_rows
from kfusion.source.dataclasses import dataclass
from kfusion.source.protections import is_on, protection

GUARD_QUEUES = protection("guard-queues", "queues of several objects are taken as one")
GUARD_EQUAL = protection("guard-equal", "sizes and scalars are not compared at run time")
GUARD_REQUIRED = protection("guard-required", "early returns are not checked at run time")
GUARD_TRANSFERS = protection(
    "guard-transfers", "buffers that a launch moves past a transfer of are not compared"
)
GUARD_OBJECTS = protection("guard-objects", "pointers to host objects are not compared")
GUARD_DISJOINT = protection("guard-disjoint", "buffers are not compared at run time")


@dataclass
class Equalities:
    """Classes of values that must be equal, in order of first mention."""

    order: list[Sym] = field(default_factory=list)
    parent: dict[Sym, Sym] = field(default_factory=dict)
    told: Equalities | None = None  # those that other conditions check

    def find(self, value: Sym) -> Sym:
        while value in self.parent:
            value = self.parent[value]
        return value

    def join(self, left: Sym, right: Sym) -> None:
        for value in (left, right):
            if value not in self.order:
                self.order.append(value)
        a, b = self.find(left), self.find(right)
        if a == b:
            return
        if self.order.index(b) < self.order.index(a) or isinstance(b, Num):
            a, b = b, a
        self.parent[b] = a

    def conditions(self, renderer: Renderer) -> list[str]:
        """One inequality for each value that is not the first of its class."""
        result = []
        for value in self.order:
            first = self.find(value)
            if first != value and not (
                self.told and self.told.find(value) == self.told.find(first)
            ):
                result.append(f"{_text(renderer, value)} != {_text(renderer, first)}")
        return result


@dataclass(frozen=True)
class Guard:
    """Conditions of which any one makes the original calls run."""

    required: tuple[str, ...]  # in the order of the calls, before anything else is looked at
    conditions: tuple[str, ...]
    written: tuple[str, ...]  # `&a->device`: memory that is written
    others: tuple[str, ...]  # memory that must be apart from it


def make_guard(
    analysis: RegionAnalysis, group: Group, runs: list[Run], renderer: Renderer
) -> Guard:
    of_entry = partial(_scalar, analysis, group, runs)
    first = group.members[0]
    equalities = Equalities(told=Equalities())
    required: list[str] = []
    for run in runs:
        for requirement, _ in run.requirements:
            _require(requirement, equalities, required, renderer)
    for assumption in group.assumptions:
        pairs: list[tuple[Sym, Sym]] | None = []
        if isinstance(assumption, Equal):
            left = of_entry(assumption.left)
            right = of_entry(assumption.right)
            pairs = unify(left, right)
        elif isinstance(assumption, SameRange):
            pairs = range_pairs(
                runs[assumption.left - first].launch, runs[assumption.right - first].launch
            )
        elif isinstance(assumption, Within):
            size = runs[assumption.invocation - first].launch.size[assumption.dimension]
            value = of_entry(assumption.scalar)
            pairs = unify(strip(size), strip(value))
        if pairs is None:
            raise CannotWriteError("an assumption cannot be checked on entry")
        for left, right in pairs:
            if is_on(GUARD_EQUAL):
                equalities.join(*_comparable(left, right, analysis))
    for run in runs[:-1]:
        if run.launch.queue != runs[-1].launch.queue and is_on(GUARD_QUEUES):
            equalities.join(run.launch.queue, runs[-1].launch.queue)
    written, others = _memory(analysis, group, runs, renderer)
    conditions = [
        *equalities.conditions(renderer),
        *(_text(renderer, longer) for longer in longer_rows(analysis, group, of_entry)),
        *_released(runs, renderer),
        *format_conditions(analysis, group, runs, renderer),
        *_objects(analysis, runs, renderer, {*written, *others}, set(written)),
    ]
    if is_on(GUARD_REQUIRED):
        required += _given_sizes(runs, conditions, renderer)
    return Guard(tuple(dict.fromkeys(required)), tuple(dict.fromkeys(conditions)), written, others)


def _given_sizes(runs: list[Run], conditions: list[str], renderer: Renderer) -> list[str]:
    """A local size or an offset that is handed on by its address may be none: NULL."""
    found: list[str] = []
    for run in runs:
        local = run.launch.local if run is runs[-1] else None
        for values, is_read in ((local, True), (run.launch.offset, False)):
            for value in (leaf for v in values or () for leaf in leaves(v)):
                root = value.place.root if isinstance(value, Entry) else None
                if not isinstance(value, Entry) or not isinstance(root, Pointee):
                    continue
                if any(not step.startswith("[") for step in value.place.path):
                    continue  # a member of an object that is there
                text, pointer = renderer.value(value), renderer.value(root.pointer)
                if text and pointer and (is_read or any(text in c for c in conditions)):
                    found.append(f"{pointer} == NULL")
    return found


def _comparable(left: Sym, right: Sym, analysis: RegionAnalysis) -> tuple[Sym, Sym]:
    """`bytes / sizeof(float)` is a size_t: what is compared with it becomes one, as in a launch.

    Values of one type that are converted to one other are equal if they are equal before.
    """
    while isinstance(left, Op) and isinstance(right, Op) and left.name == right.name:
        inner = (*left.args[:1], *right.args[:1])
        types = {analysis.declared_type(value) for value in inner}
        if not left.name.startswith("(") or len(types) != 1 or types == {()}:
            break
        left, right = inner
    if is_count(left) and not is_count(right) and not analysis.is_unsigned(right):
        right = Op("(size_t)", (right,))
    if is_count(right) and not is_count(left) and not analysis.is_unsigned(left):
        left = Op("(size_t)", (left,))
    return left, right


def _require(
    requirement: Sym, equalities: Equalities, required: list[str], renderer: Renderer
) -> None:
    if not is_on(GUARD_REQUIRED):
        return
    if isinstance(requirement, Op) and requirement.name == "&&":
        for part in requirement.args:
            _require(part, equalities, required, renderer)
    elif requirement != Num(1):
        required.append(_text(renderer, inverted(requirement)))
        if isinstance(requirement, Op) and requirement.name == "==" and equalities.told:
            equalities.told.join(*requirement.args)


def _scalar(analysis: RegionAnalysis, group: Group, runs: list[Run], name: str) -> Sym:
    """The value of a scalar of the plan, in terms of this group's entry."""
    for member, run in zip(group.members, runs, strict=True):
        for position, argument in enumerate(analysis.invocations[member].arguments):
            if argument.name == name and position in run.set_arguments:
                value = run.set_arguments[position].value
                assert value is not None
                return identity(value)
            for which in ("width", "height"):
                if image_size(which, argument.name) == name:
                    image = image_on_entry(analysis, group, runs, argument.name)
                    return image_size_of(image, which)
    raise CannotWriteError(f"'{name}' is not known on entry")


def _memory(
    analysis: RegionAnalysis, group: Group, runs: list[Run], renderer: Renderer
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    named = {n for a in group.assumptions if isinstance(a, Disjoint) for n in (a.left, a.right)}
    named |= _moved_past(analysis, runs)
    changed = _transferred(runs)
    if not is_on(GUARD_DISJOINT):
        return (), ()
    written: list[str] = []
    others: list[str] = []
    for member, run in zip(group.members, runs, strict=True):
        writes = analysis.uses(run)
        for position, argument in enumerate(analysis.invocations[member].arguments):
            if argument.name not in named or position not in run.set_arguments:
                continue
            value = run.set_arguments[position].value
            value = identity(value) if value is not None else None
            if not isinstance(value, Entry):
                continue  # made here: apart from all that was there before
            text = place_text(renderer, value)
            (written if writes.get(str(value)) or value in changed else others).append(text)
    known = {a.name for i in group.members for a in analysis.invocations[i].arguments}
    written += [place_text(renderer, value) for value in changed if str(value) not in known]
    read = [value for value in _copied_from(runs) if str(value) not in known]
    others += [place_text(renderer, value) for value in read if value not in changed]
    for name in outside_memory(analysis, group):
        value = analysis.values[name]
        if isinstance(value, Entry):
            others.append(place_text(renderer, value))
    written = list(dict.fromkeys(written))  # by one launch at least
    others = [o for o in dict.fromkeys(others) if o not in written]
    return tuple(written), tuple(others)


def outside_memory(analysis: RegionAnalysis, group: Group) -> list[str]:
    """Memory that only other calls get, and that must be apart from the group's."""
    own = {a.name for i in group.members for a in analysis.invocations[i].arguments}
    named = dict.fromkeys(
        name for a in group.assumptions if isinstance(a, Disjoint) for name in (a.left, a.right)
    )
    return [n for n in named if n not in own and isinstance(analysis.values[n], Entry)]


def place_text(renderer: Renderer, value: Entry) -> str:
    address = renderer.address(value.place)
    if address is None and value in renderer.parameters:
        address = f"&{renderer.parameters[value]}"
    if address is None:
        raise CannotWriteError(f"'{spell(value)}' cannot be named on entry")
    return address


def _passed(runs: list[Run]) -> list[tuple[list[Run], Transfer]]:
    """Transfers that a launch moves past, with the launches that do."""
    found = []
    for number, run in enumerate(runs[1:] if is_on(GUARD_TRANSFERS) else (), 1):
        steps = run.steps if number < len(runs) - 1 else run.steps[: run.launch_step]
        for step in steps:
            found += [(runs[:number], e) for e in step.effects if isinstance(e, Transfer)]
    return found


def _released(runs: list[Run], renderer: Renderer) -> list[str]:
    """What is released on the way must not be, under another name, what a moved launch uses."""
    found: list[str] = []
    for number, run in enumerate(runs[1:] if is_on(GUARD_OBJECTS) else (), 1):
        steps = run.steps if number < len(runs) - 1 else run.steps[: run.launch_step]
        effects = [effect for step in steps for effect in step.effects]
        handles = [identity(e.handle) for e in effects if isinstance(e, Release)]
        for handle in (h for h in handles if isinstance(h, Entry)):
            for moved in runs[:number]:
                for effect in moved.set_arguments.values():
                    value = identity(effect.value) if effect.value is not None else None
                    if isinstance(value, Entry) and str(effect.size) == "sizeof(cl_mem)()":
                        found.append(f"{_text(renderer, handle)} == {_text(renderer, value)}")
    return list(dict.fromkeys(found))


def _transferred(runs: list[Run]) -> list[Entry]:
    """Memory that is written by a transfer that a launch moves past."""
    return _known([v for _, transfer in _passed(runs) for v in transfer.writes])


def _copied_from(runs: list[Run]) -> list[Entry]:
    """Memory that is read by a transfer that a launch moves past."""
    return _known([v for _, transfer in _passed(runs) for v in transfer.reads])


def _known(handles: list[Sym]) -> list[Entry]:
    """Those that were there on entry; what is made on the way is apart from all others."""
    values = [identity(handle) for handle in handles]
    if not all(isinstance(v, Entry) or is_new_buffer(v) for v in values):
        raise CannotWriteError("a transfer uses memory that is not known on entry")
    return list(dict.fromkeys(v for v in values if isinstance(v, Entry)))


def _moved_past(analysis: RegionAnalysis, runs: list[Run]) -> set[str]:
    """Names of memory that must be apart for launches to move past transfers."""
    names: set[str] = set()
    for moved, transfer in _passed(runs):
        used = {name: written for run in moved for name, written in analysis.uses(run).items()}
        if transfer.writes:
            names |= used.keys() | {str(identity(v)) for v in transfer.writes}
        if transfer.reads:
            names |= {name for name, written in used.items() if written}
            names |= {str(identity(v)) for v in transfer.reads}
    return names


def _objects(
    analysis: RegionAnalysis,
    runs: list[Run],
    renderer: Renderer,
    compared: set[str],
    written: set[str],
) -> list[str]:
    """Host objects that must not be one: what is known of one relies on the other staying."""
    if not is_on(GUARD_OBJECTS):
        return []
    types = _types(runs)
    found: list[str] = []
    declared = Types(analysis, runs)
    risky, overlapping = _risky(runs, types, declared)
    for (left, right), pairs in risky.items():
        pointers = _pointer(left), _pointer(right)
        if any(renderer.value(pointer) is None for pointer in pointers):
            # The object has no name here: its parts may have.
            overlapping |= dict.fromkeys(pairs)
            continue
        texts = [_text(renderer, pointer) for pointer in pointers]
        if _compared(texts, compared, written):
            continue
        if types.get(pointers[0], "?") != types.get(pointers[1], "!"):
            texts = [f"(const void *){text}" for text in texts]
        if f"{texts[1]} == {texts[0]}" not in found:
            found.append(f"{texts[0]} == {texts[1]}")
    for place, change in overlapping if is_on(GUARD_OVERLAPS) else ():
        text = bytes_compared(place, change, declared, renderer)
        found += [text] if text else []
    return list(dict.fromkeys([*found, *_pointers_to_arguments(runs, renderer, types)]))


_Pair = tuple[Place, Change]


def _risky(
    runs: list[Run], types: dict[Sym, str], declared: Types
) -> tuple[dict[tuple[Root, Root], list[_Pair]], dict[_Pair, None]]:
    """What is changed, and what may be the same object, or a part of it, by another name."""
    known: dict[Place, None] = {}  # places of which something is known or used
    risky: dict[tuple[Root, Root], list[_Pair]] = {}
    overlapping: dict[_Pair, None] = {}
    changes: list[Change] = []

    def compare(places: Iterable[Place], change: Change) -> None:
        for place in places:
            way = declared.overlap(place, change.place)
            if way is Overlap.BYTES:
                overlapping[place, change] = None
            elif way is Overlap.OBJECTS or (
                not (declared.out_of_reach(place) or declared.out_of_reach(change.place))
                and not is_new_and_old(place, change.place)
                and _may_be_one(place, change.place, types)
            ):
                risky.setdefault((change.place.root, place.root), []).append((place, change))

    for run in runs:
        looked_at = _looked_at_on_entry(run)
        for change in changes:  # of the calls before
            compare(looked_at, change)
        for number, step in enumerate(run.steps):
            reads = [*step.place_reads, *_argument_places(step)]
            for change in changes:
                compare([place for place in reads if place in known], change)
            known.update(dict.fromkeys(reads))
            for change in (c for effect in step.effects for c in changes_of(effect)):
                changes.append(change)
                known[change.place] = None
                if number < run.launch_step:
                    compare(looked_at, change)
    steps = [step for run in runs for step in run.steps]
    used = [place for step in steps for place in _argument_places(step)]
    for change in changes:
        compare(used, change)
        declared.refuse_unbounded(change, steps)
    return risky, overlapping


def _pointers_to_arguments(runs: list[Run], renderer: Renderer, types: dict[Sym, str]) -> list[str]:
    """`*p = ...` before the fused launch must not reach what an argument is set from."""
    found: list[str] = []
    settings = [e for run in runs for step in run.steps for e in step.effects]
    places = [e for e in settings if isinstance(e, SetArgument) and e.place is not None]
    for run in runs:
        steps = run.steps if run is not runs[-1] else run.steps[: run.launch_step]
        for effect in (e for step in steps for e in step.effects):
            if not isinstance(effect, Assign) or effect.place.path:
                continue
            root = effect.place.root
            if not isinstance(root, Pointee):
                continue
            for setting in places:
                place = setting.place
                assert place is not None
                if isinstance(place.root, Local) or place == effect.place:
                    continue
                if is_new_and_old(effect.place, place):
                    continue
                if _different_types(types.get(root.pointer, ""), spell(setting.size)):
                    continue
                address = renderer.address(place)
                if address is None:
                    raise CannotWriteError(f"'{spell_place(place)}' cannot be named on entry")
                pointer = _text(renderer, root.pointer)
                found.append(f"(const void *){pointer} == (const void *){address}")
    return found


_INTEGERS = frozenset("int cl_int cl_uint size_t long cl_long cl_ulong char short bool".split())
_REALS = frozenset("float double cl_float cl_double".split())


def _different_types(pointee: str, size: str) -> bool:
    """Can a pointer to the one type not point to something of the size of the other?"""
    of = size.removeprefix("sizeof(").removesuffix(")")
    kinds = [
        "integer"
        if t in _INTEGERS or t.startswith(("unsigned", "uint", "int"))
        else "real"
        if t in _REALS
        else "handle"
        if t == "cl_mem"
        else ""
        for t in (pointee, of)
    ]
    return "" not in kinds and kinds[0] != kinds[1]


def _looked_at_on_entry(run: Run) -> list[Place]:
    """What the guard reads, and what sizes are computed from: it must not change before."""
    launch = run.launch
    values = [
        *(requirement for requirement, _ in run.requirements),
        *(value for listed in (launch.size, launch.local, launch.offset) for value in listed or ()),
        *(effect.value for effect in run.set_arguments.values() if effect.value is not None),
    ]
    found = [leaf.place for v in values for leaf in leaves(v) if isinstance(leaf, Entry)]
    return list(dict.fromkeys(found))


def _argument_places(step: Step) -> list[Place]:
    places = [e.whole for e in step.effects if isinstance(e, SetArgument)]
    return [p for p in places if p is not None and not isinstance(p.root, Local)]


def _types(runs: list[Run]) -> dict[Sym, str]:
    """What pointers that are given to the calls point to."""
    return {
        value: type_name(parameter) or ""
        for run in runs
        for parameter, value in zip(run.function.parameters, run.arguments, strict=True)
    }


def _pointer(root: Root) -> Sym:
    return root.pointer if isinstance(root, Pointee) else Ref(Place(root))


def _may_be_one(place: Place, change: Place, types: dict[Sym, str]) -> bool:
    """May the two be the same place, reached through different objects?"""
    shorter = min(len(place.path), len(change.path))
    if place.root == change.root or place.path[:shorter] != change.path[:shorter]:
        return False
    if not (isinstance(place.root, Pointee) or isinstance(change.root, Pointee)):
        return False
    left, right = types.get(_pointer(place.root)), types.get(_pointer(change.root))
    return not left or not right or left == right


def _compared(pointers: list[str], compared: set[str], written: set[str]) -> bool:
    """Does kfusion_apart compare places in the two objects already?"""
    a, b = ({m for m in compared if m.startswith(f"&{p}->")} for p in pointers)
    for left in a:
        for right in b:
            same = left.split("->", 1)[1] == right.split("->", 1)[1]
            if same and (left in written or right in written):
                return True
    return False


def _text(renderer: Renderer, value: Sym) -> str:
    text = renderer.value(value)
    if text is None:
        raise CannotWriteError(f"'{spell(value)}' cannot be written down on entry")
    return text
