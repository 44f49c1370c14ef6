"""How a kernel finds its element: ids, guard, and the index of its own element."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from tests.random.model import Bound, Elements, Item, Parameter, Shape

LENGTH = 104  # of all buffers: more than any index
NAMES = ("x", "y", "z")
LIMITS = ("w", "h", "d")


@dataclass(frozen=True)
class World:
    """What the kernels of a pipeline agree in."""

    shape: Shape
    width: bool  # rows are `w` long, a scalar, instead of the size of the range
    signed: bool  # ids are int
    strided: bool = False  # many kernels loop over a range that is longer than that of a launch

    @property
    def dimensions(self) -> int:
        return len(self.shape.size)

    @property
    def scalars(self) -> dict[str, int | float]:
        limits = {1: (40,), 2: (7, 5), 3: (3, 3, 2)}[self.dimensions]
        values: dict[str, int | float] = dict(zip(LIMITS, limits, strict=False))
        smaller = {1: 33, 2: 4, 3: 1}[self.dimensions]
        return values | {"m": smaller, "v": 100, "u": 77, "half": 0.5, "third": 1 / 3}


SHAPES = {
    1: Shape((48,), (16,)),
    2: Shape((8, 6), (4, 3)),
    3: Shape((4, 4, 3), (2, 2, 3)),
}
SMALLER = {
    1: Shape((32,), (16,)),
    2: Shape((4, 6), (4, 3)),
    3: Shape((4, 2, 3), (2, 2, 3)),
}


@dataclass(frozen=True)
class Frame:
    lines: tuple[str, ...]
    guard: str  # "": none
    own: str
    type: str  # of the ids
    groups: bool
    world: World
    strided: bool = False  # the guard is a loop
    step: str = ""  # at the end of its body

    @property
    def scalars(self) -> tuple[Parameter, ...]:
        type_ = "int" if self.world.signed else "uint"
        if self.strided:
            return (Parameter("v", type_, "scalar"),)
        return tuple(Parameter(n, type_, "scalar") for n in LIMITS[: self.world.dimensions])

    @property
    def at_once(self) -> bool:
        """All ids are in their variables from the beginning."""
        return all(line.startswith("const ") for line in self.lines)

    @property
    def is_row(self) -> bool:
        return self.world.dimensions == 1

    def items(self, item: Item, shape: Shape, bound: Bound) -> list[Item]:
        """What the item stands for, one by one."""
        if self.strided:
            return [(i,) for i in range(item[0], bound["v"], shape.size[0])]
        return [item] if self.active(item, bound) else []

    def active(self, item: Item, bound: Bound) -> bool:
        if not self.guard:
            return True
        return all(i < bound[n] for i, n in zip(item, LIMITS, strict=False))

    def at(self, item: Item, shape: Shape, bound: Bound) -> int:
        sizes: Sequence[int] = shape.size
        if self.world.width:
            sizes = [bound[n] for n in LIMITS[: len(item)]]
        index = 0
        for dimension in reversed(range(len(item))):
            index = index * sizes[dimension] + item[dimension]
        return index

    def elements(self, shift: int = 0) -> Elements:
        """The own element, or the one at a distance."""

        def find(item: Item, shape: Shape, bound: Bound) -> list[int]:
            return [self.at(i, shape, bound) + shift for i in self.items(item, shape, bound)]

        return find

    def body(self, work: str) -> str:
        """The work under the guard."""
        lines = "\n".join(f"    {line}" for line in self.lines)
        if not self.guard:
            return f"{lines}\n{work}"
        if self.guard.endswith("return;"):
            return f"{lines}\n    {self.guard}\n{work}"
        step = f"\n        {self.step}" if self.step else ""
        return f"{lines}\n    {self.guard} {{\n{work}{step}\n    }}"


GLOBAL = "get_global_id({d})"
GROUP = "get_group_id({d}) * get_local_size({d}) + get_local_id({d})"


@st.composite
def worlds(draw: st.DrawFn, dimensions: int) -> World:
    strided = dimensions == 1 and draw(st.integers(0, 3)) == 0
    width = draw(st.booleans()) and dimensions > 1
    return World(SHAPES[dimensions], width, draw(st.booleans()), strided)


def _loop(type_: str, world: World) -> Frame:
    guard = f"for ({type_} i = get_global_id(0); i < v; i += get_global_size(0))"
    return Frame((), guard, "i", type_, groups=False, world=world, strided=True)


@st.composite
def strided_frames(draw: st.DrawFn, world: World) -> Frame:
    """Mostly a loop that declares its variable."""
    found = _loop(draw(st.sampled_from(["int", "uint", "size_t"])), world)
    form = draw(st.integers(0, 5))
    first, last = f"{found.type} i = get_global_id(0);", "i += get_global_size(0)"
    if form == 0:
        return replace(found, lines=(first,), guard="while (i < v)", step=f"{last};")
    if form == 1:
        return replace(found, lines=(first,), guard=f"for (; i < v; {last})")
    if form == 2:
        guard = f"for (i = get_global_id(0); i < v; {last})"
        return replace(found, lines=(f"{found.type} i;",), guard=guard)
    return found


@st.composite
def frames(draw: st.DrawFn, world: World, *, loops: int = 5) -> Frame:
    """`loops`: how many of ten are loops, in a world that has any."""
    if world.strided and draw(st.integers(0, 9)) < loops:
        return draw(strided_frames(world))
    groups = draw(st.integers(0, 3)) == 0
    names = ["i"] if world.dimensions == 1 else list(NAMES[: world.dimensions])
    type_ = "int" if world.signed else "size_t"
    if world.dimensions == 1:
        type_ = draw(st.sampled_from(["int", "size_t", "uint"]))
    ids = [(GROUP if groups else GLOBAL).format(d=d) for d in range(len(names))]
    lines = [draw(declarations(type_, *pair)) for pair in zip(names, ids, strict=True)]
    own = names[-1]
    limits = LIMITS if world.width else [f"get_global_size({d})" for d in range(3)]
    for dimension in reversed(range(world.dimensions - 1)):
        before = own if own in names else f"({own})"
        own = f"{before} * {limits[dimension]} + {names[dimension]}"
    return Frame(tuple(lines), draw(guards(names, world.width)), own, type_, groups, world)


@st.composite
def declarations(draw: st.DrawFn, type_: str, name: str, id_: str) -> str:
    """A variable with the id, mostly at once."""
    kind = draw(st.integers(0, 11))
    if kind == 0:
        return f"{type_} {name}; {name} = {id_};"
    if kind == 1:
        return f"{type_} {name} = 5; {name} -= 5; {name} += {id_};"
    if kind == 2:
        return (
            f"{type_} {name} = {id_} + 1; if (get_global_size(0) > 5) {name}--; else {name} -= 1;"
        )
    if kind == 3:
        return f"{type_} {name} = 7; {{ const {type_} k = {id_}; {name} = k; }}"
    if kind == 4:
        return f"const {type_} {name} = {id_} >= 0 ? {id_} : 0;"
    if kind == 5:
        return f"{type_} {name} = 3; if (get_global_size(0) > 0) {name} = {id_};"
    return f"const {type_} {name} = {id_};"


@st.composite
def guards(draw: st.DrawFn, names: list[str], needed: bool) -> str:
    """Rows of a width of their own need one: beyond it stands the next row."""
    kind = draw(st.integers(0 if needed else -2, 2))
    pairs = list(zip(names, LIMITS, strict=False))
    if kind < 0:
        return ""
    if kind < 2:
        return f"if ({' || '.join(f'{a} >= {b}' for a, b in pairs)}) return;"
    return f"if ({' && '.join(f'{a} < {b}' for a, b in pairs)})"
