"""Stencils in a group: what an item reads of other items' work it computes again.

In: the stages of a group, and where its items meet (legality.py). Out: which reads are *again*, and
the values of a function for each element that they read: what the stages up to the one that made
it do at that item; or why a kernel cannot do so.

A function runs at any time and for any item. So nothing in the group stores what it reads from
memory, and it stores nothing. That decides about every other place where items meet, too: they do
not if the one access is computed again, or if nothing of the memory is stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from kfusion.graph.bind import BoundAccess, Stage
from kfusion.graph.bounds import Bounds, Nothing
from kfusion.graph.legality import Across
from kfusion.graph.model import Again
from kfusion.graph.points import Point
from kfusion.graph.unify import Equalities
from kfusion.graph.values import GroupValues, Role, can_be_replaced, group_values
from kfusion.kernel.forms import GLOBAL_ID, Atom, Composite, Form, Id, LoopVariable, form_of
from kfusion.kernel.items import asks_for_global_ids_only, asks_for_its_id_only
from kfusion.kernel.model import Mode
from kfusion.kernel.types import size_of
from kfusion.kernel.work import work_of
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import Reason
from kfusion.source.protections import is_on, protection

UNSTORED = protection("unstored", "what is read again from memory is stored by no stage")
STILL = protection("still", "items that meet in memory find nothing stored there")
AS_BEFORE = protection("as-before", "what a stage leaves alone no other stage writes")
NOT_ITS_OWN = protection("not-its-own", "what an item has stored itself is not computed again")
SAME_DOMAIN = protection("same-domain", "what an item computes again it has all computed there")

Key = tuple[int, int]  # position of a stage in the group, number of the access
Functions = Mapping[tuple[int, str], GroupValues]  # by position of the stage, and memory


def computed_again(
    stages: Sequence[Stage],
    across: Sequence[Across],
    equalities: Equalities,
    stored: frozenset[str],
) -> tuple[Again, ...]:
    """The reads of elements that earlier stages make for other items.

    And for the reader itself, where the elements are made for others only: a later stage's take
    their place, or none are stored.
    """
    positions = {stage.invocation.index: n for n, stage in enumerate(stages)}
    points: dict[Key, dict[int, Across]] = {}
    for each in across:
        if each.point:
            key = positions[each.second[0]], each.second[1]
            points.setdefault(key, {})[positions[each.first[0]]] = each
    found: list[Again] = []
    for (reader, number), made in points.items():
        memory = stages[reader].access(number).memory.name
        last = _last_writer(stages, reader, memory)
        if last in made and _before_stores(stages[reader], number):
            source = made[last]
            point = source.point, source.outside, source.below
            found.append(Again(reader, number, last, memory, *point))
    for producer, memory in {(each.producer, each.memory): None for each in found}:
        last = _last_writer(stages, len(stages), memory)
        if memory not in stored or producer != last:
            found += _of_the_reader(stages, producer, memory, equalities, keys(found))
    return tuple(sorted(found, key=lambda each: (each.reader, each.access)))


def _last_writer(stages: Sequence[Stage], reader: int, memory: str) -> int:
    return max((n for n in range(reader) if memory in stages[n].written), default=-1)


def _before_stores(stage: Stage, number: int) -> bool:
    """The item has stored nothing to the memory that it may read there."""
    read = stage.access(number)
    return not is_on(NOT_ITS_OWN) or not any(
        a.memory.name == read.memory.name
        and a.access.mode.writes
        and (a.number <= number or (a.access.looped and read.access.looped))
        for a in stage.accesses
    )


def _of_the_reader(
    stages: Sequence[Stage],
    producer: int,
    memory: str,
    equalities: Equalities,
    known: frozenset[Key],
) -> list[Again]:
    """Reads of what the same item has made; none if one of them must find it in a variable."""
    made = [a for a in stages[producer].accesses if a.memory.name == memory and a.form is not None]
    forms = {equalities.form(a.form) for a in made if a.access.mode.writes and a.form is not None}
    domain = [equalities.comparison(guard) for guard in stages[producer].guards]
    own = tuple(form_of(Id(GLOBAL_ID, d)) for d in range(stages[producer].range.dimensions))
    found: list[Again] = []
    for reader in range(producer + 1, len(stages)):
        if _last_writer(stages, reader, memory) != producer:
            continue
        for access in stages[reader].accesses:
            reads = access.memory.name == memory and access.access.mode.reads
            if not reads or (reader, access.number) in known:
                continue
            facts = [equalities.comparison(fact) for fact in access.facts]
            bounds = Bounds(facts, Nothing())
            inside = all(g in facts or bounds.implied(g) is not None for g in domain)
            same = access.form is not None and {equalities.form(access.form)} == forms
            plain = access.access.mode is Mode.READ and can_be_replaced(access)
            plain = plain and access.access.statement >= 0
            plain = plain and _before_stores(stages[reader], access.number)
            if not (same and plain):
                return []
            found.append(Again(reader, access.number, producer, memory, own, not inside))
    return found


def keys(again: Sequence[Again]) -> frozenset[Key]:
    return frozenset((each.reader, each.access) for each in again)


def functions_of(
    stages: Sequence[Stage],
    equalities: Equalities,
    again: Sequence[Again],
    values: GroupValues,
) -> Functions:
    """What each function does that the group's values need, if it can be one (`unsettled`)."""
    found: dict[tuple[int, str], GroupValues] = {}

    def need(values: GroupValues, count: int) -> None:
        """... what so many stages need."""
        for each in again:
            key = each.producer, each.memory
            if key in found or each.reader >= count or not is_live(each, stages, values):
                continue
            before = list(stages[: each.producer + 1])
            none, wanted = frozenset[str](), frozenset({each.memory})
            found[key] = group_values(
                before, equalities, none, again=keys(again), handed=none, wanted=wanted
            )
            need(found[key], len(before))

    need(values, len(stages))
    return dict(sorted(found.items()))


def _writes_alike(
    stages: Sequence[Stage], producer: int, memory: str, equalities: Equalities
) -> bool:
    """What the stage does not write nobody in the group does: there it is as it was before."""
    last = stages[producer]
    for stage in (s for s in stages if memory in s.written) if is_on(AS_BEFORE) else ():
        stores = [a for a in stage.accesses if a.memory.name == memory and a.access.mode.writes]
        own = [a for a in last.accesses if a.memory.name == memory and a.access.mode.writes]
        if any(a.form is None for a in (*stores, *own)):
            return False
        forms = {equalities.form(a.form) for a in (*stores, *own) if a.form is not None}
        guards = [{equalities.comparison(g) for g in s.guards} for s in (stage, last)]
        if len(forms) > 1 or guards[0] != guards[1]:
            return False
    return True


def live_stages(stages: Sequence[Stage], values: GroupValues) -> list[int]:
    """Those of which something is left to do."""
    return [
        number
        for number, stage in enumerate(stages)
        if any(
            (number, index) not in values.dead
            for index in range(len(stage.invocation.kernel.body.statements))
        )
    ]


def not_alone(stage: Stage) -> str | None:
    """Why its work is none of an item that is told by its ids only."""
    kernel, range_ = stage.invocation.kernel, stage.invocation.range
    asks = asks_for_global_ids_only(kernel) and asks_for_its_id_only(kernel, range_.dimensions)
    not_one = {
        "is launched over other items": stage.frame is not None,
        "is launched with an offset": bool(range_.offset),
        "lets items wait for each other": kernel.together is not None,
        "does the work of several items in a loop": kernel.body.stride is not None,
        "changes a parameter": bool(kernel.changed),
        "has what keeps kernels apart": bool(kernel.features),
        "asks for local or group ids": kernel.local_ids is not None,
        "asks for more than its global ids, or in another function": not asks,
    }
    return next((f"{kernel.name}() {why}" for why, so in not_one.items() if so), None)


def why_no_function(
    stages: Sequence[Stage], values: GroupValues, equalities: Equalities, memory: str
) -> str | None:
    """Why it is none of an item's ids and of memory, with one result, and nothing stored."""
    live = live_stages(stages, values)
    last = stages[-1]
    domain = [equalities.comparison(guard) for guard in last.guards]
    bounds = Bounds(domain, Nothing())
    for stage in (stages[number] for number in live):
        if (why := not_alone(stage)) is not None:
            return why
        guards = [equalities.comparison(guard) for guard in stage.guards]
        inside = all(g in domain or bounds.implied(g) is not None for g in guards)
        if is_on(SAME_DOMAIN) and not inside:
            return f"{stage.kernel_name}() has a guard that {last.kernel_name}() has not"
    for number in live:
        for access in stages[number].accesses:
            place = values.places.get((number, access.number))
            if place is None or not access.access.mode.writes:
                continue
            if place.role is Role.MEMORY or place.stored or place.flushed:
                if (number, access.access.statement) not in values.dead:
                    how = " under a condition" if access.access.conditional else ""
                    return f"{stages[number].kernel_name}() stores '{access.access.text}'{how}"
    if result_of(stages, values, memory) is None:
        return f"{last.kernel_name}() stores several elements"
    return None


def result_of(stages: Sequence[Stage], values: GroupValues, memory: str) -> tuple[int, int] | None:
    """The store that makes what the function returns."""
    last = len(stages) - 1
    stores = [
        access
        for access in stages[last].accesses
        if access.memory.name == memory and access.access.mode.writes
    ]
    whole = stores and all(a.access.texel is None and a.form == stores[0].form for a in stores)
    if not whole:
        return None
    place = values.places.get((last, stores[-1].number))
    return (last, stores[-1].number) if place is not None and place.value is not None else None


def saved_by(stages: Sequence[Stage], values: GroupValues) -> frozenset[str]:
    """Memory that the group does store to."""
    return frozenset(access.memory.name for access in stores_of(stages, values))


def stores_of(stages: Sequence[Stage], values: GroupValues) -> list[BoundAccess]:
    return [
        access
        for number, stage in enumerate(stages)
        for access in stage.accesses
        if (place := values.places.get((number, access.number))) is not None
        if place.stored
        or place.flushed
        or (place.role is Role.MEMORY and access.access.mode.writes)
    ]


def _states(stages: Sequence[Stage], kernel_name: str) -> str | None:
    """What a step of the kernel reads, if that is more than what one step before it made."""
    steps = [stage for stage in stages if stage.kernel_name == kernel_name]
    written = frozenset[str]().union(*(step.written for step in steps))
    reads = [a for s in steps for a in s.accesses if a.access.mode.reads]
    if len({a.access.parameter for a in reads if a.memory.name in written}) < 2:
        return None
    own = any(a.memory.name in a.stage.written for a in reads)
    return "the buffer that it writes" if own else "two earlier states"


def unsettled(
    stages: Sequence[Stage],
    values: GroupValues,
    across: Sequence[Across],
    again: Sequence[Again],
    functions: Functions,
    equalities: Equalities,
) -> Reason | None:
    """What another item may read, or overwrite, of what an item stores; or no function's work."""
    stores = {access.memory.name: access for access in stores_of(stages, values)}
    for (producer, memory), function in functions.items():
        reads = [a for a in again if (a.producer, a.memory) == (producer, memory)]
        each = next((a for a in reads if a.outside), reads[0])
        read, before = stages[each.reader].access(each.access), stages[: producer + 1]
        last = before[-1]
        one = result_of(before, function, memory) is not None
        if each.outside and one and not _writes_alike(stages, producer, memory, equalities):
            return Reason(
                "KF236",
                f"{read} may read elements of '{read.memory}' that {last.kernel_name}() leaves as "
                "they are, and another call of the kernel writes",
                read.access.span,
            )
        why = why_no_function(before, function, equalities, memory)
        if why is not None:
            message = f"{read} cannot be computed again for neighbouring items: {why}"
            related = ((f"{last.kernel_name}() is here", last.invocation.kernel.span),)
            return Reason("KF238", message, read.access.span, related=related)
        for inner in loads_of(before, function) if is_on(UNSTORED) else ():
            if (store := stores.get(inner.memory.name)) is None:
                continue
            reader, writer = inner.stage.kernel_name, store.stage.kernel_name
            code = "KF235"
            message = f"{reader}() reads '{inner.memory}', which {writer}() writes"
            if reader == writer and (states := _states(stages, reader)):
                code, message = "KF240", f"{message}: each of its steps reads {states}"
            return Reason(
                code,
                f"to compute '{read.memory}' again for neighbouring items, {message}",
                read.access.span,
                related=(
                    (f"{reader}() reads it here", inner.access.span),
                    (f"{writer}() writes it here", store.access.span),
                ),
            )
    positions = {stage.invocation.index: n for n, stage in enumerate(stages)}
    done = keys(again)
    for met in across:
        read_by = met.reads and (positions[met.reads[0]], met.reads[1])
        if read_by not in done and met.memory in stores and is_on(STILL):
            return met.told()
    return None


# What it costs

MOST_CALLS = 200  # of functions, for one item: more do not pay, and take compilers too long


@dataclass(frozen=True)
class Repeated:
    """What functions do, at points: bytes that they load, and functions that take long, in loads
    that take as long."""

    loads: Mapping[tuple[Point, str, Form], int] = field(default_factory=dict)
    work: Mapping[tuple[int, Point], int] = field(default_factory=dict)  # by stages

    def longer(self, stages: Sequence[Stage]) -> int:
        """Than if each stage did it once for each item."""
        rounds = {key: rounds_of(Form(), stages, *key[1]) for key in self.work}
        once = {number: self.work[number, point] for number, point in self.work}
        return sum(self.work[key] * rounds[key] for key in rounds) - sum(once.values())


def loads_again(
    stages: Sequence[Stage], values: GroupValues, again: Sequence[Again], functions: Functions
) -> Repeated | None:
    """What functions do, however often, at points told in ids of the kernel's item.

    None: they are called too often.
    """
    found: dict[tuple[Point, str, Form], int] = {}
    work: dict[tuple[int, Point], int] = {}
    dimensions = max((len(each.point) for each in again), default=0)
    here = tuple(form_of(Id(GLOBAL_ID, d)) for d in range(dimensions))
    seen: set[tuple[int, str, Point]] = set()

    def call(each: Again, at: Point) -> None:
        point = tuple(form.replace(_ids(at)) for form in each.point)
        if (each.producer, each.memory, point) in seen or len(seen) > MOST_CALLS:
            return
        seen.add((each.producer, each.memory, point))
        values = functions[each.producer, each.memory]
        for number, stage in enumerate(stages[: each.producer + 1]):
            if _computes(number, stage, values) and (long := work_of(stage.invocation.kernel)):
                work[number, point] = long
        for access in loads_of(stages[: each.producer + 1], values):
            found[point, *element_of(access)] = size_of(access.type)
        for inner in again:
            if inner.reader <= each.producer and is_live(inner, stages, values):
                call(inner, point)

    for each in again:
        if is_live(each, stages, values):
            call(each, here)
    return Repeated(found, work) if len(seen) <= MOST_CALLS else None


def _computes(number: int, stage: Stage, values: GroupValues) -> bool:
    """Is something left of the stage?"""
    statements = range(len(stage.invocation.kernel.body.statements))
    return any((number, index) not in values.dead for index in statements)


def _ids(point: Point) -> dict[Atom, Form]:
    return {Id(GLOBAL_ID, d): form for d, form in enumerate(point)}


def is_live(each: Again, stages: Sequence[Stage], values: GroupValues) -> bool:
    access = stages[each.reader].access(each.access)
    return (each.reader, access.access.statement) not in values.dead


def element_of(access: BoundAccess) -> tuple[str, Form]:
    return access.memory.name, access.form or Form()


def loads_of(stages: Sequence[Stage], values: GroupValues) -> Iterator[BoundAccess]:
    for number, stage in enumerate(stages):
        for access in stage.accesses:
            place = values.places.get((number, access.number))
            if place is None or not access.access.mode.reads:
                continue
            if place.role in (Role.MEMORY, Role.LOAD):
                yield access


def cost(
    stages: Sequence[Stage],
    values: GroupValues,
    further: Repeated,
    near: int,
    near_straight: int = 0,
) -> int:
    """Bytes, where neighbouring items load the same elements: each comes once from memory, and
    the loads themselves cost as if one in so many did. `further`: what functions do.
    `near_straight`: of loads at constant distances outside of loops, if they cost less."""
    loads = {element_of(access): size_of(access.type) for access in loads_of(stages, values)}
    sizes = {name: size for (name, _), size in loads.items()}
    sizes |= {name: size for (_, name, _), size in further.loads.items()}
    stored = saved_by(stages, values)
    written = {a.memory.name: size_of(a.type) for stage in stages for a in stage.accesses}
    types = {access.memory.name: access.type for stage in stages for access in stage.accesses}
    mixed = mix_vectors(types[name] for name in [*sizes, *stored])
    vectors = near if mixed and not further.loads else near_straight or near
    straight = {(n, f): size for (n, f), size in loads.items() if not _varies(f)}
    others = loads.keys() - straight.keys()
    executed = sum(loads[each] * rounds_of(each[1], stages) for each in others)
    executed += sum(
        size * rounds_of(form, stages, *point) for (point, _, form), size in further.loads.items()
    )
    executed += _LOAD * further.longer(stages)
    return (
        sum(sizes.values())
        + sum(written[name] for name in stored)
        + executed // near
        + sum(straight.values()) // vectors
    )


def mix_vectors(types: Iterable[str]) -> bool:
    """Are some of the elements vectors? Then a compiler for CPUs makes no vectors of the others."""
    return len({is_vector(type_) for type_ in types}) > 1


def is_vector(type_: str) -> bool:
    return type_[-1:].isdigit()


def _varies(form: Form) -> bool:
    """Its distance from an item is not the same for all, or takes more than a sum."""
    composite = (atom for atom in form.everything if isinstance(atom, Composite))
    return form.in_loop or not all(atom.converts for atom in composite)


_SOME = 8
_LOAD = 4  # bytes


def rounds_of(form: Form, stages: Sequence[Stage], *others: Form) -> int:
    """How often the loops around it go round, as far as that is known."""
    count = 1
    for atom in {a for each in (form, *others) for a in each.everything}:
        if isinstance(atom, LoopVariable):
            facts = [f for stage in stages for access in stage.accesses for f in access.facts]
            own = form_of(atom)
            ends = [
                f.right.constant + (f.op == "<=")
                for f in facts
                if f.left == own and f.right.is_constant
            ]
            starts = [f.left.constant for f in facts if f.right == own and f.left.is_constant]
            count *= max(1, min(ends) - max(starts)) if ends and starts else _SOME
    return count
