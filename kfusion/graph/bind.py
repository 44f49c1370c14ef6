"""A kernel's accesses and guards in terms of an invocation's arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property

from kfusion.graph.bounds import Bounds, Nothing
from kfusion.graph.model import (
    Extent,
    InRows,
    Invocation,
    LaunchRange,
    Memory,
    Placement,
    Scalar,
    Shifted,
)
from kfusion.kernel.arithmetic import Typed
from kfusion.kernel.evaluate import image_size, offset_of
from kfusion.kernel.forms import (
    GLOBAL_ID,
    GLOBAL_OFFSET,
    GLOBAL_SIZE,
    GROUP_ID,
    LOCAL_ID,
    LOCAL_SIZE,
    NUM_GROUPS,
    Atom,
    Comparison,
    Form,
    Id,
    LoopVariable,
    Value,
    counted,
    form_of,
    in_global_ids,
    number,
)
from kfusion.kernel.model import Access, Parameter
from kfusion.source.dataclasses import dataclass
from kfusion.source.protections import is_on, protection

UNIFORM_GROUPS = protection("uniform-groups", "group arithmetic is a global id in full groups only")
OFFSETS = protection("offsets", "group arithmetic lacks the global offset")
GUARDED = protection(
    "guarded-values", "an index is one of its values for what guards say, wherever it is written"
)
NARROW_INDICES = protection(
    "narrow-indices", "an index of 32 bits without sign may be another one than in 64"
)
ALWAYS_MADE = protection("always-made", "an element is surely stored if it is on each way")
ATOMICS = protection("atomics", "no other stage touches what items change in any order")


@dataclass(frozen=True)
class BoundAccess:
    """An access of an invocation: to which memory, at which index, where what holds."""

    stage: Stage
    number: int  # among the kernel's accesses
    access: Access
    memory: Memory
    type: str  # the element type, canonical
    form: Form | None
    facts: tuple[Comparison, ...]

    def replaced(self, new: Mapping[Atom, Form]) -> BoundAccess:
        form = self.form.replace(new) if self.form is not None else None
        facts = tuple(c.map(lambda form: form.replace(new)) for c in self.facts)
        return replace(self, form=form, facts=facts)

    @property
    def when(self) -> frozenset[Comparison] | None:
        """All that decides whether an item of the launch comes to it; None: it is not known."""
        stage, when = self.stage, self.access.when
        if when is None or stage.stride or stage.placement is not None or self.access.statement < 0:
            return None
        own = tuple(c.map(stage.bind) for c in when)
        if not stage.range.uniform and any((c.left + c.right).mentions(LOCAL_SIZE) for c in own):
            return None  # the size of the last group is another one
        return frozenset((*stage.guards, *own))

    @property
    def narrow(self) -> bool:
        """Where the index wraps around, it is another number than in 64 bits."""
        index = Typed(self.form, self.access.index_type)
        return index.type == "uint" and offset_of(index) != index.form and is_on(NARROW_INDICES)

    @property
    def place(self) -> Place:
        """What of the memory it reaches: equal ones, the same element."""
        return self.form, self.type, self.access.unit, self.narrow

    def differs(self, other: BoundAccess) -> bool:
        """Equal forms of indices need not be equal numbers: one is of 32 bits without sign."""
        types = {self.access.index_type, other.access.index_type}
        return (self.narrow or other.narrow) and len(types - {"int"}) > 1

    def __str__(self) -> str:
        return f"'{self.access.text}' in {self.stage.kernel_name}()"


Place = tuple[Form | None, str, int, bool]


def surely_stored(accesses: Sequence[BoundAccess]) -> frozenset[Place]:
    """Elements that an item of the stage stores whichever way it takes, behind its guards.

    In one place, under no condition, or in several of which each way comes to one.
    """
    ways: dict[Place, list[BoundAccess]] = {}
    for each in accesses:
        if each.access.mode.writes and each.access.whole and each.form is not None:
            ways.setdefault(each.place, []).append(each)
    return frozenset(
        place
        for place, stores in ways.items()
        if not all(each.access.conditional for each in stores)
        or not is_on(ALWAYS_MADE)
        or _on_each_way(stores)
    )


def _on_each_way(stores: Sequence[BoundAccess]) -> bool:
    found = {each.access.assignment for each in stores}
    body = stores[0].stage.invocation.kernel.body
    return body.always_does({statement for statement in found if statement is not None})


def _of_single_items(dimension: int) -> dict[Atom, Form]:
    """What ids and sizes are where a group has one item."""
    first = form_of(Id(GLOBAL_ID, dimension)) - form_of(Id(GLOBAL_OFFSET, dimension))
    return {
        Id(LOCAL_ID, dimension): Form(),
        Id(LOCAL_SIZE, dimension): number(1),
        Id(GROUP_ID, dimension): first,
        Id(NUM_GROUPS, dimension): form_of(Id(GLOBAL_SIZE, dimension)),
    }


def _within(dimension: int, by: int, extent: Extent) -> list[Comparison]:
    """Numbers and sums that are checked: no type is too narrow for them."""
    id_, first = form_of(Id(GLOBAL_ID, dimension)), extent.first + by
    end = form_of(Value(extent.scalar, extent.type)) + number(extent.more + by)
    below = [Comparison("<=", number(first), id_, "long")] if first > 0 else []
    return [*below, Comparison("<", id_, end, "long")]


@dataclass(frozen=True, eq=False)
class Stage:
    """An invocation with everything that its arguments decide filled in.

    Its items may be taken as some of another launch's, the `frame`'s.
    """

    invocation: Invocation
    placement: Placement | None = None
    frame: Stage | None = None
    sized: set[int] = field(default_factory=set)  # dimensions of which the group's size counts

    @property
    def launch(self) -> Invocation:
        """The one of whose items are spoken."""
        return self.frame.invocation if self.frame is not None else self.invocation

    @property
    def range(self) -> LaunchRange:
        return self.launch.range

    @property
    def kernel_name(self) -> str:
        return self.invocation.kernel.name

    @cached_property
    def _parameters(self) -> dict[str, Parameter]:
        return {p.name: p for p in self.invocation.kernel.parameters}

    def parameter(self, name: str) -> Parameter:
        return self._parameters[name]

    @cached_property
    def buffers(self) -> list[tuple[Parameter, Memory]]:
        """Images, too."""
        pairs = zip(self.invocation.kernel.parameters, self.invocation.arguments, strict=True)
        return [
            (p, a)
            for p, a in pairs
            if isinstance(a, Memory) and (p.is_buffer or p.image is not None)
        ]

    @cached_property
    def arguments(self) -> dict[str, Memory | Scalar]:
        """By the name of the kernel's parameter."""
        pairs = zip(self.invocation.kernel.parameters, self.invocation.arguments, strict=True)
        return {p.name: a for p, a in pairs if isinstance(a, (Memory, Scalar))}

    @cached_property
    def image_sizes(self) -> dict[str, Scalar]:
        """Widths and heights of the images, by what the kernel's forms call them."""
        images = [(p, memory) for p, memory in self.buffers if p.image is not None]
        return {
            image_size(which, p.name): Scalar(image_size(which, memory.name), which)
            for p, memory in images
            for which in ("width", "height")
        }

    @cached_property
    def scalars(self) -> dict[str, Scalar]:
        """By their own names."""
        given = (a for a in self.arguments.values() if isinstance(a, Scalar))
        of_frame = self.frame.scalars if self.frame is not None else {}
        return of_frame | {a.name: a for a in (*given, *self.image_sizes.values())}

    def _atom(self, atom: Atom) -> Atom:
        if isinstance(atom, Value):
            argument = self.arguments.get(atom.name) or self.image_sizes.get(atom.name)
            return atom._replace(name=argument.name) if argument else atom
        if isinstance(atom, LoopVariable):
            return atom._replace(owner=self.invocation.index)
        return atom

    def bind(self, form: Form) -> Form:
        range_ = self.invocation.range
        form = form.rename(self._atom)
        for dimension in range_.single:
            form = form.replace(_of_single_items(dimension))
        if range_.uniform or not is_on(UNIFORM_GROUPS):
            form = in_global_ids(form)
            form = self._of_known_groups(form)
        if not range_.offset or not is_on(OFFSETS):
            form = form.replace({Id(GLOBAL_OFFSET, d): Form() for d in range(3)})
        if self.places:
            form = form.replace(self.places)
        return Bounds((), Nothing()).settled(form)

    def _of_known_groups(self, form: Form) -> Form:
        """`group*64 + local` in groups that have 64 items, as the global id."""
        kernel, range_ = self.invocation.kernel, self.invocation.range
        for d in range(3 if form.mentions(LOCAL_ID) and not range_.offset else 0):
            required = kernel.group_size(d)
            size = required or range_.group_size(d)
            if size is None:
                continue
            first = form_of(Id(GROUP_ID, d)) * number(size)
            changed = form.replace({Id(LOCAL_ID, d): form_of(Id(GLOBAL_ID, d)) - first})
            left: dict[Atom, Form] = {Id(kind, d): Form() for kind in (LOCAL_ID, GROUP_ID)}
            if changed.replace(left) == changed:
                form = counted(changed)
                if required is None:
                    self.sized.add(d)
        return form

    @cached_property
    def stride(self) -> Id | None:
        """The id that its loop over the range counts, if it has one."""
        declared = self.invocation.kernel.body.stride
        atoms = declared.form.atoms if declared is not None and declared.form else ()
        return next((atom for atom in atoms if isinstance(atom, Id)), None)

    @cached_property
    def places(self) -> dict[Atom, Form]:
        """Its global ids, in those of the frame."""
        placement = self.placement
        ids = [form_of(Id(GLOBAL_ID, d)) for d in range(self.range.dimensions)]
        if isinstance(placement, Shifted):
            return {Id(GLOBAL_ID, d): ids[d] - number(by) for d, by in enumerate(placement.by)}
        found = Form()
        for d in reversed(range(len(ids))):
            found = found * self._extent(d) + ids[d]
        return {Id(GLOBAL_ID, 0): found} if placement is not None else {}

    def _extent(self, dimension: int) -> Form:
        if not isinstance(self.placement, InRows) or not self.placement.extents:
            return form_of(Id(GLOBAL_SIZE, dimension))
        bound = self.placement.extents[dimension]
        return form_of(Value(bound.scalar, bound.type))

    @cached_property
    def window(self) -> tuple[Comparison, ...]:
        """Which items of the frame are its own: all that its guards say, and no more."""
        if isinstance(self.placement, Shifted):
            pairs = zip(self.placement.by, self.placement.extents, strict=True)
            return tuple(c for d, (by, extent) in enumerate(pairs) for c in _within(d, by, extent))
        return self.frame.guards if self.frame is not None else ()

    @cached_property
    def guards(self) -> tuple[Comparison, ...]:
        if self.placement is not None:
            return self.window
        return tuple(c.map(self.bind) for c in self.invocation.kernel.body.guards)

    @cached_property
    def accesses(self) -> tuple[BoundAccess, ...]:
        found: list[BoundAccess] = []
        for position, access in enumerate(self.invocation.kernel.accesses):
            memory = self.arguments.get(access.parameter)
            if isinstance(memory, Memory):
                form = self.bind(access.form) if access.form is not None else None
                if access.atomic and is_on(ATOMICS):
                    form = None  # other items come to the same element, and that is no race
                facts = tuple(c.map(self.bind) for c in access.facts)
                facts += self.window
                if not self.invocation.range.uniform and is_on(UNIFORM_GROUPS):
                    # The size of the last group is another one.
                    form = None if form is not None and form.mentions(LOCAL_SIZE) else form
                    facts = tuple(c for c in facts if not (c.left + c.right).mentions(LOCAL_SIZE))
                if form is not None and form.choices:
                    # What guards say holds wherever the index is written.
                    guards = set(self.guards) if is_on(GUARDED) else set(facts)
                    known = [fact for fact in facts if fact in guards]
                    form = Bounds(known, Nothing()).settled(form)
                type_ = access.seen_as or self._parameters[access.parameter].canonical
                type_ = access.texel.type if access.texel is not None else type_
                found.append(BoundAccess(self, position, access, memory, type_, form, facts))
        return tuple(found)

    def access(self, number: int) -> BoundAccess:
        """Of the kernel's accesses the one with the number."""
        return next(access for access in self.accesses if access.number == number)

    @cached_property
    def memory(self) -> dict[str, Memory]:
        """The memory objects among the arguments, by name."""
        return {m.name: m for m in self.invocation.memory}

    @cached_property
    def written(self) -> frozenset[str]:
        """Names of memory that may be written, in whatever way."""
        known = {a.memory.name for a in self.accesses if a.access.mode.writes}
        return frozenset(known | self._hidden(writing=True))

    @cached_property
    def read(self) -> frozenset[str]:
        """Names of memory that may be read, in whatever way."""
        known = {a.memory.name for a in self.accesses if a.access.mode.reads}
        return frozenset(known | self._hidden(writing=False))

    def _hidden(self, *, writing: bool) -> set[str]:
        """Memory reached in ways that are not listed as accesses: calls, images, atomics."""
        if not self.invocation.kernel.features:
            return set()
        return {
            argument.name
            for name, argument in self.arguments.items()
            if isinstance(argument, Memory)
            and not (writing and (p := self._parameters[name]).const and p.pointer)
            and not (writing and self._parameters[name].image == "read_only")
        }
