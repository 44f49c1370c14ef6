"""Symbolic values of host expressions, and what is known about them at a point.

A value is described by what variables held when the region began. Places are what an assignment
can change: variables, fields, elements. All of it serves guesses that the run time checks.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import field
from functools import cached_property
from itertools import count

from kfusion.source.dataclasses import dataclass

Path = tuple[str, ...]  # field names, or "[3]", or "[?i]" for an element that is not known


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
    """A variable or parameter of one execution of a function."""

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
    """A variable of the function with the region."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Pointee:
    """What a pointer of unknown target points to."""

    pointer: Sym

    def __str__(self) -> str:
        return f"*{self.pointer}"


Root = Local | Global | App | Pointee


class Some(str):
    """A step to an element of which the number is not known."""

    __slots__ = ("number",)
    number: Sym

    def __new__(cls, number: Sym) -> Some:
        step = super().__new__(cls, f"[?{number}]")
        step.number = number
        return step


@dataclass(frozen=True)
class Place:
    root: Root
    path: Path = ()

    def __truediv__(self, step: str) -> Place:
        return Place(self.root, (*self.path, step))

    @property
    def is_of_some_element(self) -> bool:
        """Is it not known which element of an array it is, or is in?"""
        return any(step.startswith("[?") for step in self.path)

    def moved(self, distance: int) -> Place | None:
        """The element of the same array that is so many further on."""
        if not self.path or not self.path[-1][1:-1].isdigit():
            return None
        return Place(self.root, (*self.path[:-1], f"[{int(self.path[-1][1:-1]) + distance}]"))

    def __str__(self) -> str:
        return str(self.root) + "".join(s if s.startswith("[") else f".{s}" for s in self.path)


@dataclass(frozen=True)
class Entry:
    """What a place held on entry."""

    place: Place

    def __str__(self) -> str:
        return str(self.place)


@dataclass(frozen=True)
class Ref:
    """The address of a place."""

    place: Place

    def __str__(self) -> str:
        return f"&{self.place}"


@dataclass(frozen=True)
class Op:
    """An operator, cast, sizeof, pure call or loop applied to values."""

    name: str
    args: tuple[Sym, ...]

    @cached_property
    def weight(self) -> int:
        """How many values it is made of; those that it is made of twice count twice."""
        return 1 + sum(arg.weight if isinstance(arg, Op) else 1 for arg in self.args)

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.args))})"


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


Sym = Num | Literal | Entry | Ref | Op | Made | Unknown
TRUE, FALSE = Num(1), Num(0)
MOST_KEPT = 400  # a loop may build each value from the last one twice
_unknowns = count(1)


def anything() -> Sym:
    """A value that is not known, and is no other."""
    return Unknown(-next(_unknowns))


def leaves(value: Sym) -> Iterator[Sym]:
    """The parts that a value is computed from."""
    if isinstance(value, Op):
        for arg in value.args:
            yield from leaves(arg)
    else:
        yield value


def known_on_entry(value: Sym) -> bool:
    """Can the value be computed from what is there on entry?"""
    return all(isinstance(leaf, Num | Literal | Entry | Ref) for leaf in leaves(value))


LOOP = "loop:"  # Op: what a loop that is not followed leaves in the variable behind the colon
# Op: an object of which some parts were written: what it held, and then path and value of each.
STRUCT = "struct"


def part_of(whole: Sym, path: Path) -> Sym:
    """What stands at a path inside an object of this value."""
    if not path or whole == FALSE:  # of what is all zero, each part is
        return whole
    if isinstance(whole, Entry):
        return Entry(Place(whole.place.root, whole.place.path + path))
    if isinstance(whole, Op) and whole.name == STRUCT:
        base, *listed = whole.args
        parts = {
            tuple(name.text.split("\t")): value
            for name, value in zip(listed[::2], listed[1::2], strict=True)
            if isinstance(name, Literal)
        }
        around = max((p for p in parts if p and path[: len(p)] == p), key=len, default=())
        inside = {p[len(path) :]: v for p, v in parts.items() if p[: len(path)] == path != p}
        return with_parts(part_of(parts.get(around, base), path[len(around) :]), inside)
    return Op("part", (whole, Literal("".join(path))))


def with_parts(base: Sym, parts: dict[Path, Sym]) -> Sym:
    """An object in which some parts have got values of their own."""
    if not parts:
        return base
    listed = [each for path in sorted(parts) for each in (Literal("\t".join(path)), parts[path])]
    return Op(STRUCT, (base, *listed))


CLEARED = "cleared memory"  # Made: of the host's, all zero


def _untouched(place: Place) -> Sym:
    """What stands where nothing has been written."""
    made = place.root.pointer if isinstance(place.root, Pointee) else None
    cleared = isinstance(made, Made) and made.kind == CLEARED
    return FALSE if cleared and not place.is_of_some_element else Entry(place)


@dataclass
class State:
    """What is known at a point of an execution."""

    memory: dict[Root, dict[Path, Sym]] = field(default_factory=dict)
    equal: dict[Sym, Num] = field(default_factory=dict)  # facts from conditions
    unequal: dict[Sym, frozenset[int]] = field(default_factory=dict)
    own: set[Root] = field(default_factory=set)  # what no copy has too

    def copy(self) -> State:
        """Quick: what it knows of a variable is copied when it, or this one, writes there."""
        self.own.clear()
        return State(dict(self.memory), dict(self.equal), dict(self.unequal))

    def items(self) -> Iterator[tuple[Place, Sym]]:
        for root, parts in self.memory.items():
            for path, value in parts.items():
                yield Place(root, path), value

    def holding(self, handles: Set[Sym]) -> Iterator[tuple[Place, Sym]]:
        """The places that hold one of the handles, or what is computed from one."""
        held = ((place, v) for place, v in self.items() if type(v) is not Num)
        return ((place, v) for place, v in held if not handles.isdisjoint(leaves(v)))

    def knows(self, place: Place) -> bool:
        return place.path in self.memory.get(place.root, ())

    def parts(self, place: Place) -> dict[Path, Sym]:
        """What places inside this one hold, by their paths from it."""
        size = len(place.path)
        listed = self.memory.get(place.root, {})
        if len(listed) == 1 and place.path in listed:
            return {}
        return {p[size:]: v for p, v in listed.items() if len(p) > size and p[:size] == place.path}

    def read(self, place: Place) -> Sym:
        """The value of a place: what the whole around it held, and what its parts got since."""
        listed = self.memory.get(place.root)
        if listed is None:
            return _untouched(place)
        return with_parts(self._held(place, listed), self.parts(place))

    @staticmethod
    def _held(place: Place, listed: dict[Path, Sym]) -> Sym:
        for length in range(len(place.path), -1, -1):
            whole = listed.get(place.path[:length])
            if whole is not None:
                return part_of(whole, place.path[length:])
        return _untouched(place)

    def write(self, place: Place, value: Sym) -> None:
        if place.root not in self.own:
            self.own.add(place.root)
            self.memory[place.root] = dict(self.memory.get(place.root, ()))
        listed = self.memory[place.root]
        if listed:
            for path in self.parts(place):
                del listed[place.path + path]
        heavy = isinstance(value, Op) and value.weight > MOST_KEPT
        listed[place.path] = anything() if heavy else value

    def resolve(self, value: Sym) -> Sym:
        return self.equal.get(value, value) if self.equal else value

    def excludes(self, value: Sym, constant: int) -> bool:
        """Is the value known not to be the constant?"""
        if isinstance(value, Num):
            return value.value != constant
        if isinstance(value, Made | Ref) or (isinstance(value, Literal) and value.text[:1] == '"'):
            return constant == 0
        if isinstance(value, Op) and value.name.startswith("sizeof("):
            return constant <= 0
        return constant in self.unequal.get(value, frozenset())

    def assume(self, condition: Sym, truth: bool) -> None:
        """Learn from a condition that was found true or false."""
        if isinstance(condition, Op):
            if condition.name == "!":
                return self.assume(condition.args[0], not truth)
            if (condition.name == "&&" and truth) or (condition.name == "||" and not truth):
                for part in condition.args:
                    self.assume(part, truth)
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
