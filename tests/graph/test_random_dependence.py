"""Random pairs of accesses: what is said of them is compared with all items that there are.

Indices and guards are written in C's integers (int, uint, size_t); widths are small, zero and
negative. Of two accesses that are apart no two items may touch one element, of two that belong
to one item no two different ones, for all scalars of which holds what was assumed. Programs
that have a race as they were written are left out.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from kfusion.graph.bind import BoundAccess, Stage
from kfusion.graph.bounds import Assumed, Ceiling, Floor, Limit, Need, Order, Proof
from kfusion.graph.model import Invocation, LaunchRange, Memory, Scalar
from kfusion.graph.ownership import Dependence, depend
from kfusion.kernel.model import Kernel
from tests.support.kernel_side import kernels_of

Size = tuple[int, int]
PAIRS = int(os.environ.get("KFUSION_TEST_EXAMPLES", "30")) * 8
SCALARS = ("w", "h", "n", "p")
TYPES = ("int", "int", "uint", "size_t")
INDICES = """
x|x + 1|x - 1|n - 1 - x|n - 2 - x|2 * x|2 * x + 1|3 * x + 2|x + n|x + 2 * n|n + x|x * n
y * w + x|y * p + x|(y + 1) * (w + 2) + x + 1|y * w + w - 1 - x|x * h + y|(h - 1) * w + x
(h - 1 - y) * w + x|y * (w + 1) + x|y * w + x + 1|(y - 1) * w + x|y * w + x - 1|y * 4 + x
y * w + 2 * x|(y * w + x) * 3 + 1|y * n + x * w + j|(x * h + y) * w + j|y * w + j|x * (w + 1) + j
x * w + j|x * 4 + j|x + j * n|x * w + (w - 1)|x * w + w - j - 2|x * w + j - 1
x / w * w + x % w|x % w + y * w|x / 2|x % 4|x / 2 * 2 + x % 2|0|n|w - 1|x * w|x & 3
y * ((w + 3) / 4 * 4) + x|y * ((w + 3) & (0 - 4)) + x|y * (w / 4 * 4) + x|y * ((w + 7) / 8 * 8) + x
y * (w + 1 - (w + 1) % 2) + x|y * ((n + 3) / 4 * 4) + x|y * ((w + 3) / 4) + x / 4
x + 3|x + 6|3 * j + x|x + 6 - 3 * j
MIN(x, n - 1)|MIN(x + 1, n - 1)|MAX(x, 0)|MAX(x - 1, 0)|MIN(MAX(x - 1, 0), n - 1)|MIN(x, 3)
PICK(x < n, x, n - 1)|PICK(x < w, x, 0)|PICK(x < n && x > 0, x, w)|PICK(x == 0, n, x)|MIN(w, x)
PICK(x != w, x, x + n)|MIN(MAX(x, 0), n - 1)|PICK(w < n, x, x + 1)|y * w + MIN(x, w - 1)|MAX(x, j)
MIN(y, h - 1) * w + MIN(x, w - 1)|y * MIN(w, p) + x|MAX(w, n) + x|2 * MIN(x, n)|MIN(x, n) / 2
x + PICK(x < 2, 0, n)|x + MIN(j, 1)|MAX(j, x) - j + x|PICK(x > 2, x - 1, x + n)
PICK(x <= 0, 0, x - 1)|PICK(x - 1 < n, x, MIN(x + 1, n))
PICK(MIN(x, n) == x, x, n)|x % MAX(w, 1)|MAX(x, n) - n
MIN(x, w - x)|PICK(w - 9 > x, x / 2, x)|PICK(w - 9 > x, x, x / 2)|PICK(x - 1 < n, x - 1, x)
PICK(x < n + 3, x, x / 2)|PICK(x + 2 <= n + 3, x, 0)
"""
GUARDS = """
x < w|x < n|x < w - 1|x > 0|x >= 1|x + 1 < w|x <= w - 1|x < p|x < 4|x < n - 2|x < 2 * n|x == 0
x <= w|0 < w|x < w + 1|y < h|y < h - 1|y > 0|y >= 1 && y < h|x >= 1 && x <= w|w <= p|n > x
y < n|x * 2 < w|w > 0 && h > 0|x - 1 < w|n >= w * h
x < MIN(w, n)|MAX(x, 1) < w|x < PICK(w < n, w, p)|MIN(x, 3) == x|x <= MAX(w, 1) - 1|x < MIN(w, h)
w < 9|w < 4 && n < w
"""
LOOPS = """
j = 0; j < MIN(w, 4)
j = 0; j < w|j = 1; j < w|j = 0; j < 4|j = 0; j < w - 1|j = 0; j <= w|j = 0; j < n
j = 1; j < w - 2
"""


HEAD = """\
#define PICK(c, a, b) ((c) ? (a) : (b))
#define MIN(a, b) PICK((a) < (b), a, b)
#define MAX(a, b) PICK((a) > (b), a, b)
"""


def listed(text: str) -> list[str]:
    return text.strip().replace("\n", "|").split("|")


@dataclass(frozen=True)
class Place:
    """Where a kernel stores or reads one element: at an index, under a guard, in a loop."""

    index: str
    guards: tuple[str, ...]
    loop: str
    ids: str
    scalar: str
    reads: bool = False

    def text(self, name: str) -> str:
        scalars = ", ".join(f"{self.scalar} {s}" for s in SCALARS)
        loop = f"for (int {self.loop}; j++) " if self.loop else ""
        work = f"u[x] += t[{self.index}];" if self.reads else f"t[{self.index}] = 1;"
        guard = f"if ({' && '.join(self.guards)}) " if self.guards else ""
        return (
            f"kernel void {name}(global float *t, global float *u, {scalars})\n{{\n"
            f"    const {self.ids} x = get_global_id(0), y = get_global_id(1);\n"
            f"    {guard}{{ {loop}{work} }}\n}}\n"
        )

    def touched(self, size: Size, values: Mapping[str, int]) -> dict[int, set[Size]]:
        """The items that touch each element."""
        found: dict[int, set[Size]] = {}
        scalars = {name: C(value, self.scalar) for name, value in values.items()}
        for y, x in product(range(size[1]), range(size[0])):
            known = {**scalars, "x": C(x, self.ids), "y": C(y, self.ids)}
            if all(evaluated(guard, known) for guard in self.guards):
                for j in rounds(self.loop, known):
                    index = evaluated(self.index, {**known, "j": j})
                    assert isinstance(index, C)
                    found.setdefault(index.value % (1 << 64), set()).add((x, y))
        return found


BITS = {"int": 32, "uint": 32, "size_t": 64, "long": 64}
ORDER = ("int", "uint", "long", "size_t")


class C:
    """A number as C computes with it."""

    def __init__(self, value: int, type_: str) -> None:
        self.type = type_
        self.value = value if type_ in ("int", "long") else value % (1 << BITS[type_])

    def _with(self, other: C | int) -> tuple[int, int, str]:
        other = other if isinstance(other, C) else C(other, "int")
        type_ = max(self.type, other.type, key=ORDER.index)
        return C(self.value, type_).value, C(other.value, type_).value, type_

    def _made(self, other: C | int, sign: str, *, turned: bool = False) -> C:
        a, b, type_ = self._with(other)
        a, b = (b, a) if turned else (a, b)
        if sign in "/%":
            if b == 0:
                raise ZeroDivisionError
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            return C(quotient if sign == "/" else a - b * quotient, type_)
        made = {"+": a + b, "-": a - b, "*": a * b, "&": a & b}[sign]
        return C(made, type_)

    def __add__(self, other: C | int) -> C:
        return self._made(other, "+")

    def __sub__(self, other: C | int) -> C:
        return self._made(other, "-")

    def __mul__(self, other: C | int) -> C:
        return self._made(other, "*")

    def __rmul__(self, other: int) -> C:
        return self._made(other, "*", turned=True)

    def __floordiv__(self, other: C | int) -> C:
        return self._made(other, "/")

    def __mod__(self, other: C | int) -> C:
        return self._made(other, "%")

    def __and__(self, other: C | int) -> C:
        return self._made(other, "&")

    def __lt__(self, other: C | int) -> bool:
        a, b, _ = self._with(other)
        return a < b

    def __le__(self, other: C | int) -> bool:
        a, b, _ = self._with(other)
        return a <= b

    def __gt__(self, other: C | int) -> bool:
        return not self <= other

    def __ge__(self, other: C | int) -> bool:
        return not self < other

    def __eq__(self, other: object) -> bool:
        assert isinstance(other, (C, int))
        a, b, _ = self._with(other)
        return a == b

    def __hash__(self) -> int:
        return hash(self.value)


def pick(condition: bool, a: C | int, b: C | int) -> C:
    """Both are brought to one type, then one is chosen."""
    first, second = (x if isinstance(x, C) else C(x, "int") for x in (a, b))
    type_ = max(first.type, second.type, key=ORDER.index)
    return C((first if condition else second).value, type_)


FUNCTIONS = {
    "PICK": pick,
    "MIN": lambda a, b: pick(a < b, a, b),
    "MAX": lambda a, b: pick(a > b, a, b),
}


def evaluated(text: str, known: Mapping[str, C]) -> C | bool:
    python = text.replace("/", "//").replace("&&", "and")
    found = eval(python, {}, {**known, **FUNCTIONS})
    return C(found, "int") if type(found) is int else found


def rounds(loop: str, known: Mapping[str, C]) -> Iterator[C]:
    if not loop:
        yield C(0, "int")
        return
    start, condition = loop.split("; ")
    j = C(int(start.removeprefix("j = ")), "int")
    for _ in range(12):
        if not evaluated(condition, {**known, "j": j}):
            return
        yield j
        j = j + 1
    raise OverflowError  # a loop without an end, in numbers without sign


def drawn(draw: random.Random) -> tuple[Place, Place, int]:
    dimensions = draw.choice((1, 2))
    ids, scalar = draw.choice(TYPES), draw.choice(("int", "int", "uint"))
    made: list[Place] = []
    for _ in range(2):
        usable = [i for i in listed(INDICES) if dimensions == 2 or "y" not in i]
        index = draw.choice(usable)
        if made and draw.random() < 0.6:
            index = made[0].index
        guards = [g for g in listed(GUARDS) if dimensions == 2 or "y" not in g]
        count = draw.choice((0, 1, 1, 2, 3))
        chosen = tuple(draw.sample(guards, count))
        if made and draw.random() < 0.5:
            chosen = (*made[0].guards, *chosen) if draw.random() < 0.5 else made[0].guards
        loop = draw.choice(listed(LOOPS)) if "j" in index else ""
        kind = ids if draw.random() < 0.8 else draw.choice(TYPES)
        made.append(Place(index, chosen, loop, kind, scalar, bool(made) and draw.random() < 0.6))
    return made[0], made[1], dimensions


class Anything:
    """Whoever checks everything at run time."""

    def may(self, assumed: Assumed, *, implied: bool) -> bool:
        return not isinstance(assumed, Need)


def holds(proof: Proof, size: Size, values: Mapping[str, int], scalar: str) -> bool:
    def of(name: str) -> int:
        return C(values[name], scalar).value

    for assumed in proof:
        if isinstance(assumed, Limit):
            most = assumed.most
            end = most if isinstance(most, int) else of(most.name)
            if not 0 <= size[assumed.dimension] <= end:
                return False
        elif isinstance(assumed, Order):
            if of(assumed.low.name) * assumed.times > of(assumed.high.name):
                return False
        elif isinstance(assumed, Floor):
            if of(assumed.scalar.name) < assumed.least:
                return False
        elif isinstance(assumed, Ceiling):
            by = of(assumed.by.name) if assumed.by is not None else 1
            if of(assumed.scalar.name) * by > assumed.most:
                return False
        else:
            raise AssertionError(f"these items have no groups: {assumed}")
    return True


def bound(kernel: Kernel, index: int, dimensions: int) -> BoundAccess:
    arguments = tuple(
        Memory(p.name, p.name) if p.pointer else Scalar(p.name, p.name) for p in kernel.parameters
    )
    invocation = Invocation(index, kernel, arguments, LaunchRange(dimensions, "r"), "f()")
    return next(a for a in Stage(invocation).accesses if a.memory.name == "t")


def wrong(
    a: Place, b: Place, kind: Dependence, size: Size, values: Mapping[str, int]
) -> str | None:
    """What two items do that must not be, if they do."""
    try:
        first, second = a.touched(size, values), b.touched(size, values)
    except (ZeroDivisionError, OverflowError):
        return None
    stores = [first] if b.reads else [first, second]
    if any(len(items) > 1 for touched in stores for items in touched.values()):
        return None  # a race as it was written
    for element in first.keys() & second.keys():
        for one, other in product(first[element], second[element]):
            if kind is Dependence.NONE or one != other:
                return f"{one} and {other} meet at {element}"
    return None


def test_what_is_said_of_two_accesses_holds_for_all_items() -> None:
    draw = random.Random(int(os.environ.get("KFUSION_TEST_SEED", "5")))
    decided = {Dependence.NONE: 0, Dependence.SAME_ITEM: 0}
    for _ in range(PAIRS):
        a, b, dimensions = drawn(draw)
        source = HEAD + a.text("f") + b.text("g")
        kernels = kernels_of(source)
        kind, proof = depend(
            bound(kernels["f"], 0, dimensions),
            bound(kernels["g"], 1, dimensions),
            dimensions,
            Anything(),
        )
        if kind not in decided:
            continue
        decided[kind] += 1
        for _ in range(60):
            values = {name: draw.choice((-2, 0, 1, 2, 3, 4, 5, 7, 9)) for name in SCALARS}
            size = (draw.randint(1, 6), draw.randint(1, 5) if dimensions == 2 else 1)
            if holds(proof, size, values, a.scalar):
                found = wrong(a, b, kind, size, values)
                assert found is None, f"{found}, {values}, {size}, {kind}, {proof}\n{source}"
    assert decided[Dependence.NONE] >= PAIRS // 250
    assert decided[Dependence.SAME_ITEM] > PAIRS // 10
