"""Symbolic values of host expressions, and what is known about them at a point.

A value is described by what the variables held when the (generated) function was
entered. Places are what an assignment can change: variables, fields, elements.
"""

from __future__ import annotations

from dataclasses import field
from functools import cached_property
from itertools import count

from kfusion.source.dataclasses import dataclass


@dataclass(frozen=True)
class Num:
    value: int

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True)
class Literal:
    """A constant that is not an integer: 0.5f, "text", 'c'."""

    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Local:
    """A variable or parameter of one execution of a library function."""

    frame: int
    name: str

    def __str__(self) -> str:
        return f"{self.name} of execution {self.frame}"  # names are identities


@dataclass(frozen=True)
class Global:
    """A variable that outlives calls: of a file, or a static one of a function."""

    name: str
    home: str = ""  # the file or function, where the name alone could mean another variable

    def __str__(self) -> str:
        return f"{self.name} ({self.home})" if self.home else self.name


@dataclass(frozen=True)
class App:
    """A variable of the application."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Pointee:
    """What a pointer of unknown target points to."""

    pointer: Sym

    def __str__(self) -> str:
        return f"*{self.pointer}"


def depth(value: Sym) -> int:
    """How many operators and pointers are inside one another."""
    return value.depth if isinstance(value, Op | Entry) else 0


def weight(value: Sym) -> int:
    """How many values it is made of; those that it is made of twice count twice."""
    return value.weight if isinstance(value, Op | Phi | Entry | Ref) else 1


Root = Local | Global | App | Pointee


@dataclass(frozen=True)
class Place:
    root: Root
    path: tuple[str, ...] = ()  # field names, or "[3]"

    def __truediv__(self, step: str) -> Place:
        return Place(self.root, (*self.path, step))

    @cached_property
    def weight(self) -> int:
        return 1 + weight(self.root.pointer) if isinstance(self.root, Pointee) else 1

    def within(self, outer: Place) -> bool:
        return self.root == outer.root and self.path[: len(outer.path)] == outer.path

    def __str__(self) -> str:
        text = str(self.root)
        for step in self.path:
            text += step if step.startswith("[") else f".{step}"
        return text


@dataclass(frozen=True)
class Entry:
    """What a place held on entry."""

    place: Place

    @cached_property
    def depth(self) -> int:
        root = self.place.root
        return 1 + depth(root.pointer) if isinstance(root, Pointee) else 0

    @property
    def weight(self) -> int:
        return self.place.weight

    def __str__(self) -> str:
        return str(self.place)


@dataclass(frozen=True)
class Ref:
    """The address of a place."""

    place: Place

    @property
    def weight(self) -> int:
        return self.place.weight

    def __str__(self) -> str:
        return f"&{self.place}"


@dataclass(frozen=True)
class Op:
    """An operator, cast, sizeof, pure call or pure loop applied to values."""

    name: str
    args: tuple[Sym, ...]

    @cached_property
    def depth(self) -> int:
        return 1 + max(map(depth, self.args), default=0)

    @cached_property
    def weight(self) -> int:
        return 1 + sum(map(weight, self.args))

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.args))})"


@dataclass(frozen=True)
class RealOp(Op):
    """A comparison of real numbers: where it does not hold, its opposite need not either."""


@dataclass(frozen=True)
class Made:
    """A new object: a buffer, an event, a result of malloc. Never null, never shared."""

    kind: str
    number: int
    name: str = ""  # kernels: the name given to clCreateKernel

    def __str__(self) -> str:
        return f"<{self.kind} {self.name or self.number}>"


@dataclass(frozen=True)
class Unknown:
    number: int

    def __str__(self) -> str:
        return f"<unknown {self.number}>"


_joins = count(1)


@dataclass(frozen=True)
class Phi:
    """One of several values, depending on conditions that are not known.

    Two of the same alternatives may be different values: each has a number of its own.
    """

    alternatives: tuple[Sym, ...]
    number: int = field(default_factory=lambda: next(_joins))

    @cached_property
    def weight(self) -> int:
        return 1 + sum(map(weight, self.alternatives))

    def __str__(self) -> str:
        return f"<one of {', '.join(map(str, self.alternatives))}; {self.number}>"


Sym = Num | Literal | Entry | Ref | Op | Made | Unknown | Phi


def _is_literal(root: Root) -> bool:
    """A compound literal of numbers: nothing changes it."""
    return isinstance(root, Pointee) and isinstance(root.pointer, Literal)


TRUE, FALSE = Num(1), Num(0)


def leaves(value: Sym) -> list[Sym]:
    """The parts that a value is computed from."""
    if isinstance(value, Op):
        return [leaf for arg in value.args for leaf in leaves(arg)]
    if isinstance(value, Phi):
        return [leaf for arg in value.alternatives for leaf in leaves(arg)]
    return [value]


def known_on_entry(value: Sym) -> bool:
    """Can the value be computed from what is there on entry?"""
    return all(isinstance(leaf, Num | Literal | Entry | Ref) for leaf in leaves(value)) and (
        not _has_loop(value)
    )


def _has_loop(value: Sym) -> bool:
    """Is there a part in it that no expression can be written for?"""
    if isinstance(value, Op):
        no_expression = value.name.startswith("loop:") or value.name == STRUCT
        return no_expression or any(_has_loop(a) for a in value.args)
    return isinstance(value, Phi)


# A loop may build each value from the last one twice: they would be looked at for ever.
MOST_KEPT = 400
LOST = "lost"  # Op: what a place held on entry, if nobody has changed it
# Op: an object as it was at one point. What it held, and then path and value of the parts
# that were written after that.
STRUCT = "struct"


def anything() -> Sym:
    """A value that is not known, and is no other."""
    return Unknown(-next(_joins))


def part_of(whole: Sym, path: tuple[str, ...]) -> Sym:
    """What stands at a path inside an object of this value."""
    if not path:
        return whole
    if isinstance(whole, Entry):
        return Entry(Place(whole.place.root, whole.place.path + path))
    if isinstance(whole, Op) and whole.name == STRUCT:
        if any(step.startswith("[?") for step in path):
            return anything()
        return _part_of_struct(whole, path)
    return Op("part", (whole, Literal("".join(path))))


def _part_of_struct(whole: Op, path: tuple[str, ...]) -> Sym:
    base, *listed = whole.args
    inside: dict[tuple[str, ...], Sym] = {}
    around: tuple[tuple[str, ...], Sym] = ((), base)
    for name, value in zip(listed[::2], listed[1::2], strict=True):
        assert isinstance(name, Literal)
        own = tuple(name.text.split("\t"))
        if any(step.startswith("[?") for step in own):
            return anything()
        if path[: len(own)] == own and len(own) >= len(around[0]):
            around = (own, value)
        elif own[: len(path)] == path:
            inside[own[len(path) :]] = value
    return with_parts(part_of(around[1], path[len(around[0]) :]), inside)


def with_parts(base: Sym, parts: dict[tuple[str, ...], Sym]) -> Sym:
    """An object in which some parts have got values of their own."""
    if not parts:
        return base
    listed: list[Sym] = []
    for path in sorted(parts):
        listed += [Literal("\t".join(path)), parts[path]]
    return Op(STRUCT, (base, *listed))


@dataclass(frozen=True)
class Loss:
    """Something unknown was written: by a call that is not known, or through a pointer."""

    number: int
    exposed: frozenset[str]  # variables that others may reach
    roots: frozenset[Root] = frozenset()  # these are lost, and all that they lead to
    variables: bool = True  # are exposed variables that outlive calls lost?
    members: bool = False  # is what pointers in objects point to lost?
    everything: bool = False  # is all lost that a pointer may point to?

    def touches(self, root: Root) -> bool:
        if root in self.roots:
            return True
        if isinstance(root, Global):
            return self.variables and root.name in self.exposed
        if isinstance(root, Pointee):
            return self.everything or any(map(self._leads_to, leaves(root.pointer)))
        return self.everything and root.name in self.exposed

    def _leads_to(self, pointer: Sym) -> bool:
        if isinstance(pointer, Entry):
            through_object = self.members and bool(pointer.place.path)
            return through_object or self.touches(pointer.place.root)
        if isinstance(pointer, Ref):
            return self.touches(pointer.place.root)
        return isinstance(pointer, Unknown) and self.variables


Contents = tuple[frozenset[tuple[Place, Sym]], tuple[int, ...]]


@dataclass
class State:
    """What is known at a point of an execution."""

    memory: dict[Place, Sym] = field(default_factory=dict)
    equal: dict[Sym, Num] = field(default_factory=dict)  # facts from conditions
    unequal: dict[Sym, frozenset[int]] = field(default_factory=dict)
    depths: dict[Root, int] = field(default_factory=dict)  # the longest path known of a root
    losses: tuple[Loss, ...] = ()

    def copy(self) -> State:
        memory, equal, unequal = dict(self.memory), dict(self.equal), dict(self.unequal)
        return State(memory, equal, unequal, dict(self.depths), self.losses)

    def become(self, other: State) -> None:
        """Take over all that another state knows."""
        self.remember(other)
        self.equal, self.unequal = other.equal, other.unequal

    def remember(self, other: State) -> None:
        """Take over what the places hold in another state."""
        self.memory, self.depths, self.losses = other.memory, other.depths, other.losses

    def lose(self, loss: Loss) -> None:
        for place in [p for p in self.memory if loss.touches(p.root)]:
            del self.memory[place]
        self.losses = (*self.losses, loss)

    def has_parts(self, place: Place) -> bool:
        """May there be, or have been, places inside this one?"""
        return self.depths.get(place.root, 0) > len(place.path)

    def knows_parts(self, place: Place) -> bool:
        """Has a place inside this one a value of its own, or what may be it by another index?"""
        size = next((i for i, s in enumerate(place.path) if s.startswith("[?")), len(place.path))
        place = Place(place.root, place.path[:size])
        return self.has_parts(place) and any(
            len(p.path) > size and p.within(place) for p in self.memory
        )

    def read(self, place: Place) -> Sym:
        """The value of a place: what the whole around it held, and what its parts got since."""
        held = self._held(place)
        if not self.has_parts(place):
            return held
        size = len(place.path)
        inner = [p for p in self.memory if len(p.path) > size and p.within(place)]
        return with_parts(held, {p.path[size:]: self.memory[p] for p in inner})

    def _held(self, place: Place) -> Sym:
        """The value of a place, without what its parts got since."""
        if place in self.memory:
            return self.memory[place]
        for length in range(len(place.path) - 1, -1, -1):
            whole = self.memory.get(Place(place.root, place.path[:length]))
            if whole is None:
                continue
            found = part_of(whole, place.path[length:])
            if isinstance(found, Entry) and _is_literal(found.place.root):
                return self.read(found.place)
            return found
        for loss in reversed(self.losses):
            if loss.touches(place.root):
                return Op(LOST, (Unknown(loss.number), Entry(place)))
        return Entry(place)

    def write(self, place: Place, value: Sym) -> None:
        if self.has_parts(place):
            for inner in [p for p in self.memory if p != place and p.within(place)]:
                del self.memory[inner]
        self.depths[place.root] = max(self.depths.get(place.root, 0), len(place.path))
        self.memory[place] = value if weight(value) <= MOST_KEPT else anything()

    def contents(self, place: Place) -> Contents:
        """All that is known of what a place holds, part by part: equal if nothing has changed."""
        path = place.path
        while path and path[-1].startswith("["):  # one element may be the first of several
            path = path[:-1]
        whole = Place(place.root, path)
        parts = {
            (p, value)
            for p, value in self.memory.items()
            if (p.within(whole) or whole.within(p)) and value != Entry(p)
        }
        lost = tuple(loss.number for loss in self.losses if loss.touches(place.root))
        return frozenset(parts), lost

    def resolve(self, value: Sym) -> Sym:
        return self.equal.get(value, value)

    def excludes(self, value: Sym, constant: int) -> bool:
        """Is the value known not to be the constant?"""
        if isinstance(value, Num):
            return value.value != constant
        if isinstance(value, Made | Ref) or _is_text(value):
            return constant == 0
        if isinstance(value, Op) and value.name == "?:":
            return all(self.excludes(part, constant) for part in value.args[1:])
        return constant in self.unequal.get(value, frozenset())

    def assume(self, condition: Sym, truth: bool) -> None:
        """Learn from a condition that was found true or false."""
        if isinstance(condition, Op):
            if condition.name == "!" and len(condition.args) == 1:
                return self.assume(condition.args[0], not truth)
            if (condition.name == "&&" and truth) or (condition.name == "||" and not truth):
                for part in condition.args:
                    self.assume(part, truth)
                return None
            if condition.name in ("==", "!=") and isinstance(condition.args[1], Num):
                same = (condition.name == "==") == truth
                self._learn(condition.args[0], condition.args[1].value, same)
        self._learn(condition, 0, not truth)
        return None

    def _learn(self, value: Sym, constant: int, same: bool) -> None:
        if isinstance(value, Num):
            return
        if same:
            self.equal[value] = Num(constant)
        else:
            self.unequal[value] = self.unequal.get(value, frozenset()) | {constant}


def _is_text(value: Sym) -> bool:
    return isinstance(value, Literal) and value.text.startswith('"')


def join(first: State, second: State) -> State:
    """What is known where two executions meet."""
    result = State(depths=dict(first.depths), losses=first.losses)
    known = set(first.losses)
    result.losses += tuple(loss for loss in second.losses if loss not in known)
    for root, depth in second.depths.items():
        result.depths[root] = max(depth, result.depths.get(root, 0))
    for place, own in {**second.memory, **first.memory}.items():
        if own is second.memory.get(place) and place in first.memory:
            result.memory[place] = own  # most have not changed since the ways parted
            continue
        a: Sym = first.read(place)
        b: Sym = second.read(place)
        if a == b:
            result.memory[place] = a
            continue
        a, b = first.resolve(a), second.resolve(b)
        if a == b:
            result.memory[place] = a
            continue
        merged: Sym = Phi((a, b))
        if weight(merged) > MOST_KEPT:
            merged = anything()
        constants: set[int] = set()
        for facts in (first.unequal.get(a, ()), second.unequal.get(b, ())):
            constants |= set(facts)
        for part in (a, b):
            if isinstance(part, Num):
                constants |= {part.value - 1, part.value + 1}
        constants |= {0}
        result.memory[place] = merged
        result.unequal[merged] = frozenset(
            c for c in constants if first.excludes(a, c) and second.excludes(b, c)
        )
    for value, number in first.equal.items():
        if second.equal.get(value) == number:
            result.equal[value] = number
    for value, numbers in first.unequal.items():
        common = numbers & second.unequal.get(value, frozenset())
        if common:
            result.unequal[value] = result.unequal.get(value, frozenset()) | common
    return result


@dataclass
class Fresh:
    """Numbers for things that are made or unknown."""

    count: int = 0

    def next(self) -> int:
        self.count += 1
        return self.count
