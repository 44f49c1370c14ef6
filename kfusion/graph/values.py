"""Internalisation: which accesses of a group become uses of a variable.

An element that several accesses of one work-item touch is a *value*. From its first
unconditional access on, or from stores of one stage that each way comes to one of, it lives in a
variable of the stored type: later loads read the variable, stores assign it, and what is observed
is stored once. Everything else stays as written and goes through memory.

A value goes on to later blocks if their guards imply those of the block that it is made in.

Not handled, and left in memory: elements of buffers that are written and have an access
that is not understood, or at an index that might be the same element; accesses in loops
with indices that depend on the loop.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from enum import Enum

from kfusion.graph.bind import BoundAccess, Stage, surely_stored
from kfusion.graph.bounds import Bounds, Nothing
from kfusion.graph.ownership import passed_on
from kfusion.graph.unify import Equalities
from kfusion.kernel.forms import Comparison, Form
from kfusion.kernel.model import OF_KERNEL, Effect, Kernel, Mode, Symbol
from kfusion.kernel.types import size_of
from kfusion.source.dataclasses import dataclass
from kfusion.source.protections import is_on, protection

GUARDS = protection("guards", "values are forwarded only between stages with equal guards")
ALL_CONDITIONS = protection(
    "all-conditions", "a value goes on to guards that are the conditions under which it is made"
)
IMPLIED = protection("implied", "values go on only where they have been made for all items")
_VECTOR = re.compile(r"u?(?:char|short|int|long)(?:2|4|8|16)|(?:half|float|double)(?:2|4|8|16)")
PARTS = protection("parts", "an item stores an element of which others store components")
CONDITIONS = protection("conditions", "a value starts at an access under no condition of its own")
WHOLE_BUFFER = protection("whole-buffer", "no other access of the buffer may hit the element")
ABOVE_STORES = protection("above-stores", "a value is not loaded above a store of its statement")
OTHERS_STORES = protection(
    "others-stores", "behind a barrier, an element may hold what another item stored"
)
SCOPES = protection("scopes", "an index is written only where its variables have their values")
STORED = protection("stored", "values that are read later are stored")
ORDER = protection("order", "an overwritten value is dropped only if nothing reads it before")


_Cell = tuple[str, Form, str]  # memory, index, and how it is read


class Role(Enum):
    """What becomes of an access."""

    MEMORY = "memory"  # stays as written
    LOAD = "load"  # the variable is declared and loaded before the statement
    USE = "use"  # the variable instead of the element
    DEFINE = "define"  # the store declares the variable
    ASSIGN = "assign"  # the store assigns the variable


@dataclass(frozen=True)
class Value:
    """One element per work-item that lives in a variable."""

    number: int
    memory: str
    type: str
    constant: bool  # never assigned after its declaration


@dataclass(frozen=True)
class Place:
    role: Role
    value: Value | None = None
    stored: bool = False  # the variable is also written to memory, by the same statement
    flushed: bool = False  # ... or after the statement of the body that it is in


@dataclass(frozen=True)
class Block:
    """Neighbouring stages under equal guards, without a barrier between them."""

    stages: tuple[int, ...]
    waits: bool = False  # in front of it


@dataclass(frozen=True)
class GroupValues:
    """Keys are (stage, number of the access in its kernel) and (stage, statement)."""

    blocks: tuple[Block, ...]
    places: dict[tuple[int, int], Place]
    dead: frozenset[tuple[int, int]]  # statements that nobody needs
    internalised: frozenset[str]
    forwarded: frozenset[str]  # stored, but read from variables in the group
    loads: int
    stores: int
    bytes: int  # of those loads and stores, as far as the sizes of types are known

    @property
    def assigned_only(self) -> frozenset[Value]:
        """What no store declares: one of several makes it, under conditions."""
        declared = {p.value for p in self.places.values() if p.role in (Role.LOAD, Role.DEFINE)}
        return frozenset(p.value for p in self.places.values() if p.value) - declared


@dataclass(frozen=True)
class _Event:
    stage: int
    access: BoundAccess

    @property
    def key(self) -> tuple[int, int]:
        return self.stage, self.access.number

    @property
    def statement(self) -> tuple[int, int]:
        return self.stage, self.access.access.statement

    @property
    def mode(self) -> Mode:
        """Who stores a part needs what the others were."""
        return Mode.UPDATE if self.is_part else self.access.access.mode

    @property
    def is_part(self) -> bool:
        return self.access.access.mode.writes and not self.access.access.whole

    @property
    def conditional(self) -> bool:
        return self.access.access.conditional and is_on(CONDITIONS)

    def of(self, memory: str) -> bool:
        return self.access.memory.name == memory


def blocks_of(
    stages: list[Stage], equalities: Equalities, barriers: frozenset[int] = frozenset()
) -> tuple[Block, ...]:
    blocks: list[list[int]] = []
    last: set[object] | None = None
    for number, stage in enumerate(stages):
        guards: set[object] = {equalities.comparison(c) for c in stage.guards}
        if (stride := stage.invocation.kernel.body.stride) is not None:
            guards.add(stride.type)  # a variable counts for all of them
        waits = stage.invocation.index in barriers
        if last is not None and not waits and (guards == last or not is_on(GUARDS)):
            blocks[-1].append(number)
        else:
            blocks.append([number])
        last = guards
    waiting = {n for n, stage in enumerate(stages) if stage.invocation.index in barriers}
    return tuple(Block(tuple(block), block[0] in waiting) for block in blocks)


def group_values(
    stages: list[Stage],
    equalities: Equalities,
    stored: frozenset[str],
    barriers: frozenset[int] = frozenset(),
    handed: frozenset[str] = frozenset(),
    again: frozenset[tuple[int, int]] = frozenset(),
    wanted: frozenset[str] = frozenset(),
) -> GroupValues:
    """`stored` names the memory that must hold its values after the group; before the stages
    `barriers` all items of a work-group wait, and find what others stored in `handed`. Accesses
    `again` read nothing: their values are computed again. What is last written to memory that is
    `wanted` is to be in a variable."""
    return _Analysis(stages, equalities, stored, barriers, handed, again, wanted).run()


class _Analysis:
    def __init__(
        self,
        stages: list[Stage],
        equalities: Equalities,
        stored: frozenset[str],
        barriers: frozenset[int],
        handed: frozenset[str],
        again: frozenset[tuple[int, int]],
        wanted: frozenset[str],
    ) -> None:
        self.stages, self.equalities, self.handed = stages, equalities, handed
        self.again, self.wanted = again, wanted
        self.stored = stored if is_on(STORED) else frozenset[str]()
        self.blocks = blocks_of(stages, equalities, barriers)
        self.dead: set[tuple[int, int]] = set()
        # By stages, and how many statements are dead.
        self._known_events: dict[tuple[tuple[int, ...], int], list[_Event]] = {}
        self._known_types: dict[tuple[str, Form], frozenset[str]] = {}
        self._known_cells: dict[tuple[tuple[int, ...], int], dict[_Cell, list[_Event]]] = {}
        self.written = frozenset(name for stage in stages for name in stage.written)

    def run(self) -> GroupValues:
        while self._find_dead():
            pass
        places: dict[tuple[int, int], Place] = {}
        for number, block in enumerate(self.blocks):
            for cell, events in self._cells(block).items():
                left = [event for event in events if event.key not in places]
                behind = self._reads_behind(number, cell) if left else []
                if left and self._can_start_in(left):
                    live = self._live_after(left[0], number, behind)
                    self._promote([*left, *behind], live, places)
                elif left and (later := self._going_on(number, cell, left)):
                    live = self._live_after(left[0], number, later)
                    self._promote([*left, *later], live, places, under=True)
        for memory in self.wanted:
            places |= self._always_made(memory, places)
        for number in range(len(self.stages)):
            while self._dead_pointers(number, places):
                pass
        return self._result(places)

    def _reads_behind(self, number: int, cell: _Cell) -> list[_Event]:
        """In later blocks, where what the block has made is still there."""
        found: list[_Event] = []
        for later in range(number + 1, len(self.blocks)):
            events = self._events(self.blocks[later].stages)
            written = any(e.mode.writes and e.access.memory.name == cell[0] for e in events)
            if written or self.blocks[later].waits:
                break
            reads = self._cells(self.blocks[later]).get(cell, [])
            if all(self._has_been_in(self.blocks[number], event) for event in reads):
                found += reads
        return found

    def _going_on(self, number: int, cell: _Cell, made: Sequence[_Event]) -> list[_Event]:
        """In later blocks, whose guards are the conditions under which the block has made it."""
        under = {self._under(event) for event in made}
        found: list[_Event] = []
        if len(under) > 1 or None in under or any(e.mode is not Mode.WRITE for e in made):
            return found
        for later in self.blocks[number + 1 :] if len({e.stage for e in made}) == 1 else ():
            events = [e for e in self._events(later.stages) if e.of(cell[0])]
            own = self._cells(later).get(cell, [])
            alike = all(not e.conditional and self._under(e) in under for e in own)
            if later.waits or len(own) < len(events) or not alike:
                break
            found += own
        return found

    def _under(self, event: _Event) -> frozenset[Comparison] | None:
        """All that decides whether an item comes to it."""
        when = event.access.when
        if when is None:
            return None
        return frozenset(map(self.equalities.comparison, when if is_on(ALL_CONDITIONS) else ()))

    def _has_been_in(self, block: Block, event: _Event) -> bool:
        """Who comes to the later access was under the guards of the block, too."""
        stages = [self.stages[number] for number in (*block.stages, event.stage)]
        if any(stage.stride for stage in stages):
            return False
        known = [self.equalities.comparison(c) for c in event.access.facts]
        guards = [self.equalities.comparison(c) for c in stages[0].guards]
        bounds = Bounds(known, Nothing())
        return not is_on(IMPLIED) or all(
            guard in known or bounds.implied(guard) is not None for guard in guards
        )

    # Events and elements

    def _events(self, stages: tuple[int, ...]) -> Sequence[_Event]:
        key = stages, len(self.dead)  # it only grows
        if key not in self._known_events:
            self._known_events[key] = [
                _Event(number, access)
                for number in stages
                for access in self.stages[number].accesses
                if (number, access.access.statement) not in self.dead
                and (number, access.number) not in self.again
            ]
        return self._known_events[key]

    def _cells(self, block: Block) -> Mapping[_Cell, list[_Event]]:
        """Events by element, for the elements that may live in a variable."""
        key = block.stages, len(self.dead)
        if key not in self._known_cells:
            self._known_cells[key] = self._cells_now(block)
        return self._known_cells[key]

    def _cells_now(self, block: Block) -> dict[_Cell, list[_Event]]:
        cells: dict[_Cell, list[_Event]] = {}
        spoiled = self._spoiled()
        for event in self._events(block.stages):
            access = event.access
            if access.memory.name in spoiled or access.form is None:
                continue
            form = self.equalities.form(access.form)
            if not form.in_loop:
                key = access.memory.name, form, self._way(access)
                cells.setdefault(key, []).append(event)
        several = self._stored_in_parts()
        return {
            key: events
            for key, events in cells.items()
            if all(can_be_replaced(e.access) for e in events)
            and len({e.access.type for e in events}) == 1
            and not (key[0] in several and any(event.is_part for event in events))
            and all(self._is_settled(event) for event in events if event.is_part)
        }

    def _stored_in_parts(self) -> set[str]:
        """Memory with parts of elements of which one item may store some, and another one others:
        `p[i].x = ...; p[i + 1].y = ...;`. None of them may store the whole."""
        forms: dict[str, set[object]] = {}
        for event in self._events(tuple(range(len(self.stages)))):
            if event.is_part:
                form = event.access.form
                stored = self.equalities.form(form) if form is not None else event.key
                forms.setdefault(event.access.memory.name, set()).add(stored)
        return {name for name, found in forms.items() if len(found) > 1 and is_on(PARTS)}

    def _way(self, access: BoundAccess) -> str:
        """What else tells two reads apart: outside of an image samplers differ."""
        texel = access.access.texel
        if access.narrow and self._types_of(access) - {"int"} > {"uint"}:
            return "uint"
        if texel is None or access.memory.name in self.written:
            return ""
        of_kernel = texel.sampler == OF_KERNEL
        return f"{access.stage.invocation.index} {access.number}" if of_kernel else texel.sampler

    def _types_of(self, access: BoundAccess) -> frozenset[str]:
        """In which the index is computed, and others of that form (`BoundAccess.differs`)."""
        if not self._known_types:
            for each in (a for stage in self.stages for a in stage.accesses if a.form is not None):
                key = each.memory.name, self.equalities.form(each.form or Form())
                self._known_types[key] = self._known_types.get(key, frozenset()) | {
                    each.access.index_type
                }
        form = self.equalities.form(access.form) if access.form is not None else Form()
        return self._known_types.get((access.memory.name, form), frozenset())

    def _spoiled(self) -> set[str]:
        """Written memory of which some access might hit any element."""
        seen: dict[str, list[tuple[Form, BoundAccess]]] = {}
        spoiled: set[str] = set()
        begun: set[str] = set()  # memory that this stage or an earlier one writes
        for event in self._events(tuple(range(len(self.stages)))):
            name = event.access.memory.name
            begun |= self.stages[event.stage].written
            if name not in begun or not is_on(WHOLE_BUFFER):
                continue  # not written, or read before all stages that write it
            form = event.access.form
            if form is None or not can_be_replaced(event.access):
                spoiled.add(name)
                continue
            form = self.equalities.form(form)
            for other, access in seen.setdefault(name, []):
                same = form == other and not event.access.differs(access)
                if not same and not self._apart(form - other, event.access, access):
                    spoiled.add(name)
            seen[name].append((form, event.access))
            if form.in_loop:
                spoiled.add(name)
        if is_on(OTHERS_STORES):
            spoiled |= self.handed
            spoiled |= {name for stage in self.stages for name in passed_on(stage)}
        return spoiled

    def _apart(self, difference: Form, a: BoundAccess, b: BoundAccess) -> bool:
        """Two indices of one item are never equal: `i` and `i + n`, where `i < n`."""
        if difference.is_constant:
            # Without sign, indices that differ by 2^32 are the same one.
            return difference.constant % (1 << 32) != 0
        if "uint" in (a.access.index_type, b.access.index_type) or difference.in_loop:
            return False
        facts = [self.equalities.comparison(fact) for fact in (*a.facts, *b.facts)]
        bounds = Bounds([*facts, *self.equalities.facts], Nothing())
        types = a.access.index_type, b.access.index_type
        sums = len(difference.terms) > 1 or any(len(m) > 1 for m, _ in difference.terms)
        if sums and bounds.few(difference, types=types) is None:
            return False
        return bounds.is_positive(difference) or bounds.is_positive(-difference)

    def _live_after(self, event: _Event, block: int, known: Sequence[_Event] = ()) -> bool:
        """Is the buffer needed in memory after the block, but for what is `known`?"""
        name = event.access.memory.name
        later = {n for b in self.blocks[block + 1 :] for n in b.stages}
        return name in self.stored or any(
            e.access.memory.name == name and e not in known for e in self._events(tuple(later))
        )

    # Statements that nobody needs

    def _find_dead(self) -> bool:
        found = False
        for number, block in enumerate(self.blocks):
            for (name, *_), events in self._cells(block).items():
                live = self._live_after(events[0], number) or name in self.wanted
                for position, event in enumerate(events):
                    if self._is_dead_store(event, events[position + 1 :], live):
                        self.dead.add(event.statement)
                        found = True
        for number in range(len(self.stages)):
            found = self._unread_stage(number) or found
            found = self._dead_stage(number) or self._dead_variables(number) or found
        return found

    def _unread_stage(self, number: int) -> bool:
        """Nobody reads what it stores, under whatever conditions, or it is overwritten."""
        stage, kernel = self.stages[number], self.stages[number].invocation.kernel
        everything = {(number, index) for index in range(len(kernel.body.statements))}
        writes = {e.access.memory.name for e in self._events((number,)) if e.mode.writes}
        if not writes or stage.written != writes or kernel.features or kernel.together:
            return False
        reads = {
            e.access.memory.name
            for e in self._events(tuple(range(len(self.stages))))
            if e.mode.reads
        }
        live = writes & (self.stored | self.wanted | self.handed | reads)
        if live & self.handed or not all(self._is_overwritten(number, name) for name in live):
            return False
        self.dead |= everything
        return True

    def _is_overwritten(self, number: int, memory: str) -> bool:
        """By one later stage of the block, whichever ways items take, before anything reads it."""
        made = {e.access.place for e in self._events((number,)) if e.of(memory) and e.mode.writes}
        (block,) = (block.stages for block in self.blocks if number in block.stages)
        for later in block[block.index(number) + 1 :]:
            events = [event for event in self._events((later,)) if event.of(memory)]
            if any(event.mode.reads for event in events) and is_on(ORDER):
                return False
            if made <= surely_stored([event.access for event in events]):
                return True
        return False

    def _dead_stage(self, number: int) -> bool:
        """All that the stage stored is dead: nothing else that it does can be seen."""
        body = self.stages[number].invocation.kernel.body
        everything = {(number, index) for index in range(len(body.statements))}
        some = any(stage == number for stage, _ in self.dead)
        if not some or everything <= self.dead:
            return False
        if any(event.mode.writes for event in self._events((number,))):
            return False
        self.dead |= everything
        return True

    def _is_dead_store(self, event: _Event, later: list[_Event], live: bool) -> bool:
        effect = self._effect(event.statement)
        if effect is None or effect.store != event.access.number or event.conditional:
            return False
        for other in later:
            if other.mode.reads and is_on(ORDER):
                return False
            if not other.conditional:
                return True  # overwritten
        return not live

    def _effect(self, statement: tuple[int, int]) -> Effect | None:
        effects = self.stages[statement[0]].invocation.kernel.body.effects
        return effects[statement[1]] if 0 <= statement[1] < len(effects) else None

    def _dead_variables(self, number: int) -> bool:
        """Statements that only give values to variables that nobody reads any more."""
        if not any(stage == number for stage, _ in self.dead):
            return False
        body = self.stages[number].invocation.kernel.body
        live = [i for i in range(len(body.statements)) if (number, i) not in self.dead]
        gone = [i for i in live if self._only_for(number, i, live)]
        self.dead |= {(number, i) for i in gone}
        return bool(gone)

    def _dead_pointers(self, number: int, places: Mapping[tuple[int, int], Place]) -> bool:
        """`p = t + i`, where variables and calls stand for all that was `p[1]`."""
        kernel, gone = self.stages[number].invocation.kernel, set[int]()
        for access in self.stages[number].accesses:
            place = places.get((number, access.number), Place(Role.LOAD))
            stays = place.role in (Role.MEMORY, Role.LOAD) or place.stored or place.flushed
            if not stays or (number, access.number) in self.again:
                gone |= access.access.tokens
        live = [i for i in range(len(kernel.body.statements)) if (number, i) not in self.dead]
        loading = {event.statement[1] for event in self._events((number,))}
        dead = {
            (number, index)
            for index in live
            if index not in loading
            if (effect := kernel.body.effects[index]) is not None
            if all(variable.is_pointer_variable for variable in effect.variables)
            if self._only_for(number, index, live, gone)
        }
        self.dead |= dead
        return bool(dead)

    def _only_for(
        self, number: int, index: int, live: list[int], gone: Set[int] = frozenset()
    ) -> bool:
        """Is the statement of use only to variables that the other live ones do not name, but for
        the tokens that are `gone`?"""
        kernel = self.stages[number].invocation.kernel
        effect = kernel.body.effects[index]
        if effect is None or not effect.variables:
            return False
        for other in live:
            statement, theirs = kernel.body.statements[other], kernel.body.effects[other]
            named = {
                kernel.symbols[token]
                for token in range(statement.first, statement.last + 1)
                if token in kernel.symbols
                and token not in gone
                # An assignment needs its declaration, but does not read the variable.
                and not (theirs and token in theirs.targets and not self._declares(effect))
            }
            if other != index and named & set(effect.variables):
                return False
        return all(self._is_local(kernel, v) for v in effect.variables)

    @staticmethod
    def _declares(effect: Effect) -> bool:
        return any(v.token in effect.targets for v in effect.variables)

    @staticmethod
    def _is_local(kernel: Kernel, symbol: Symbol) -> bool:
        """Declared among the statements of the body, not in the prelude."""
        return any(s.first <= symbol.token <= s.last for s in kernel.body.statements)

    # Variables

    def _promote(
        self,
        events: list[_Event],
        live: bool,
        places: dict[tuple[int, int], Place],
        *,
        under: bool = False,
    ) -> None:
        """Decide for one element. All accesses before `start` stay as written.

        `under`: each is under the same conditions, which is told of the later ones by guards."""
        start = next((i for i in range(len(events)) if self._can_start(events, i)), None)
        before = range(len(events) if start is None else start)
        always = next((i for i in before if self._always(events, i)), None)
        always = 0 if under else always
        start = always if always is not None else start
        if start is None:
            return
        events = events[start:]
        writes = [e for e in events if e.mode.writes]
        kept = self._kept_stores(writes, live)
        count = sum(e.mode.reads for e in events) + len(writes)
        if count <= events[0].mode.reads + len(kept):
            return
        last_read = max((i for i, e in enumerate(events) if e.mode.reads), default=-1)
        silent = {
            e.key
            for i, e in enumerate(events)
            if e.mode is Mode.WRITE
            and i > last_read
            and e.key in kept
            and not kept[e.key]
            and not self._looped_read(e, events)
        }
        assigned = any(e.mode.writes and e.key not in silent for e in events[1:])
        value = Value(
            number=len({p.value for p in places.values() if p.value}),
            memory=events[0].access.memory.name,
            type=events[0].access.type,
            constant=not assigned and events[0].mode is not Mode.UPDATE and always is None,
        )
        for position, event in enumerate(events):
            first = position == 0 and always is None
            places[event.key] = self._place(event, first, value, kept, silent)

    @staticmethod
    def _looped_read(event: _Event, events: list[_Event]) -> bool:
        """In a loop, a load further up in the same statement comes after the store too."""
        return any(e.mode.reads and e.statement == event.statement for e in events) and (
            event.access.access.looped
        )

    @staticmethod
    def _place(
        event: _Event,
        first: bool,
        value: Value,
        kept: dict[tuple[int, int], bool],
        silent: set[tuple[int, int]],
    ) -> Place:
        if event.key in silent:
            return Place(Role.MEMORY)
        if event.mode is Mode.READ:
            return Place(Role.LOAD if first else Role.USE, value)
        flushed = kept.get(event.key, False)
        stored = event.key in kept and not flushed
        opening = Role.LOAD if event.mode is Mode.UPDATE else Role.DEFINE
        return Place(opening if first else Role.ASSIGN, value, stored, flushed)

    def _always_made(
        self, memory: str, places: Mapping[tuple[int, int], Place]
    ) -> dict[tuple[int, int], Place]:
        """An element that the last stage stores on each of its ways, under conditions."""
        last = len(self.stages) - 1
        events = [e for e in self._events((last,)) if e.access.memory.name == memory]
        alike = {(e.mode, can_be_replaced(e.access), *e.access.place) for e in events}
        if len(alike) != 1 or any(e.key in places or e.access.form is None for e in events):
            return {}
        if events[0].mode is not Mode.WRITE or not can_be_replaced(events[0].access):
            return {}
        if not surely_stored([event.access for event in events]):
            return {}
        number = len({p.value for p in places.values() if p.value})
        value = Value(number, memory, events[0].access.type, constant=False)
        return {event.key: Place(Role.ASSIGN, value) for event in events}

    def _can_start_in(self, events: list[_Event]) -> bool:
        return any(
            self._can_start(events, position) or self._always(events, position)
            for position in range(len(events))
        )

    def _always(self, events: list[_Event], position: int) -> bool:
        """The variable is assigned from here on: by stores of one stage, on each of its ways."""
        own = [event for event in events if event.stage == events[position].stage]
        if own[0] is not events[position]:
            return False
        stores = all(event.conditional and event.mode is Mode.WRITE for event in own)
        return stores and bool(surely_stored([event.access for event in own]))

    def _can_start(self, events: list[_Event], position: int) -> bool:
        """The variable is declared here: by a plain load, or by a store that is a statement."""
        event = events[position]
        if event.conditional or event.statement[1] < 0 or not self._is_settled(event):
            return False
        if event.is_part:  # other items may store the others
            return False
        above = (e for e in events[:position] if e.statement == event.statement)
        if any(e.mode.writes for e in above) and is_on(ABOVE_STORES):
            return False  # the load would stand above that store
        if event.mode is Mode.READ:
            return True
        statements = self.stages[event.stage].invocation.kernel.body.statements
        return event.access.access.assignment == statements[event.statement[1]]

    def _is_settled(self, event: _Event) -> bool:
        """The variables of the index are declared, and have their values, before the statement."""
        kernel = self.stages[event.stage].invocation.kernel
        access, start = event.access.access, kernel.body.statements[event.statement[1]].first
        first, last = access.index
        named = (kernel.symbols.get(token) for token in range(first, last + 1))
        settled = all(kernel.settled.get(s, s.token) < start for s in named if s is not None)
        return settled or not is_on(SCOPES)

    def _kept_stores(self, writes: list[_Event], live: bool) -> dict[tuple[int, int], bool]:
        """The stores that stay, and whether each is done after its statement (flushed)."""
        if not writes or not live:
            return {}
        last = writes[-1]
        if not last.conditional:
            return {last.key: last.is_part}
        if (
            all(e.conditional for e in writes)
            or self.stages[last.stage].invocation.kernel.body.leaves  # it may not be reached
            or not self._is_settled(last)  # it cannot be stored after the statement
        ):
            return {e.key: e.is_part for e in writes}
        return {last.key: True}

    def _element(self, event: _Event) -> tuple[object, ...]:
        """What a stage loads or stores: one that is not known is always another one."""
        access = event.access
        form = self.equalities.form(access.form) if access.form is not None else event.key
        return event.stage, access.memory.name, form

    def _result(self, places: dict[tuple[int, int], Place]) -> GroupValues:
        loads = stores = size = 0
        in_memory: set[str] = set()
        read_from_variables: set[str] = set()
        paid: set[tuple[object, ...]] = set()  # compilers repeat no load in a stage
        for event in self._events(tuple(range(len(self.stages)))):
            place = places.setdefault(event.key, Place(Role.MEMORY))
            here = place.role is Role.MEMORY
            loaded = (here and event.mode.reads) or place.role is Role.LOAD
            saved = (here and event.mode.writes) or place.stored or place.flushed
            loads += loaded
            stores += saved
            ways = {(*self._element(event), way) for way, used in ((0, loaded), (1, saved)) if used}
            size += size_of(event.access.type) * len(ways - paid)
            paid |= ways
            if loaded or saved:
                in_memory.add(event.access.memory.name)
            if place.role is Role.USE:
                read_from_variables.add(event.access.memory.name)
        return GroupValues(
            self.blocks,
            places,
            frozenset(self.dead),
            frozenset(self.written - in_memory),
            frozenset(self.written & in_memory & read_from_variables),
            loads,
            stores,
            size,
        )


def can_be_replaced(access: BoundAccess) -> bool:
    """A variable may stand for its text: it is the whole element, or part of a vector."""
    it, whole = access.access, access.access.whole
    if not whole and access.type.startswith(("struct ", "union ")):
        return False
    # To store the whole of a vector of three changes what is behind it.
    is_vector = _VECTOR.fullmatch(access.type) is not None
    return it.plain or (not whole and it.part and not it.conditional and is_vector)
