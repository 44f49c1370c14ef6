"""The kernels that random host programs launch: their text, and what each work-item does.

The kernels are always the same, so that an OpenCL implementation that keeps what it has
compiled compiles them once. Values are integers of at most 16 bits, which `meaning` computes
exactly; of floats only is known whether they are initialised.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Protocol

MASK: Final = 0xFFFF
GROUP: Final = 8  # items of a work-group, where a group matters
TURNS: Final = 1 << 20  # of a kernel that takes its time


class Unknown:
    """A value that is initialised, and otherwise not followed."""

    def __repr__(self) -> str:
        return "unknown"


UNKNOWN: Final = Unknown()
Value = int | Unknown


class Memory(Protocol):
    """What a work-item sees: loads and stores by parameter and index, and scalars."""

    def load(self, parameter: str, index: int) -> Value: ...

    def store(self, parameter: str, index: int, value: Value) -> None: ...

    def scalar(self, parameter: str) -> int: ...


@dataclass(frozen=True)
class Parameter:
    name: str
    kind: str  # "int" or "float": a buffer of these; "number", "quarters": scalars; "local"
    written: bool = False

    @property
    def is_buffer(self) -> bool:
        return self.kind in ("int", "float")


@dataclass(frozen=True)
class Kernel:
    name: str
    parameters: tuple[Parameter, ...]
    body: str = field(repr=False)
    meaning: Callable[[int, Memory], None] = field(repr=False)
    one_item: bool = False  # launched over a single work-item
    groups: bool = False  # needs a local size
    element_wise: bool = False

    @property
    def buffers(self) -> tuple[Parameter, ...]:
        return tuple(p for p in self.parameters if p.is_buffer)

    @property
    def sized(self) -> str:
        """The buffer that has as many elements as the kernel works on."""
        return "x" if self.groups or self.one_item else self.buffers[0].name

    @property
    def scalars(self) -> tuple[str, ...]:
        """The scalars other than the size."""
        kinds = ("number", "quarters")
        return tuple(p.name for p in self.parameters if p.kind in kinds and p.name != "n")

    @property
    def text(self) -> str:
        parameters = ", ".join(_declared(p) for p in self.parameters)
        return f"__kernel void {self.name}({parameters})\n{{\n{self.body}}}\n"


def _declared(parameter: Parameter) -> str:
    types = {
        "int": "__global int *",
        "float": "__global float *",
        "number": "int ",
        "quarters": "float ",
        "local": "__local int *",
    }
    return types[parameter.kind] + parameter.name


def _parameters(text: str) -> tuple[Parameter, ...]:
    """Of words `name:kind`, with a `!` behind the name of what is written."""
    pairs = (word.split(":") for word in text.split())
    return tuple(Parameter(n.removesuffix("!"), kind, n.endswith("!")) for n, kind in pairs)


def _joined(function: Callable[..., int], *values: Value) -> Value:
    numbers = [v for v in values if isinstance(v, int)]
    return function(*numbers) if len(numbers) == len(values) else UNKNOWN


def _each(
    target: str, function: Callable[..., int] | None, *sources: str, guarded: bool = True
) -> Callable[[int, Memory], None]:
    """target[i] = function(sources[i]...), for i below n if there is an n; None: of floats."""

    def meaning(i: int, memory: Memory) -> None:
        if guarded and i >= memory.scalar("n"):
            return
        values = [memory.load(s, i) for s in sources]
        memory.store(target, i, UNKNOWN if function is None else _joined(function, *values))

    return meaning


def _affine(i: int, memory: Memory) -> None:
    if i < memory.scalar("n"):
        m, b = memory.scalar("m"), memory.scalar("b")
        memory.store("y", i, _joined(lambda x: (x * m + b) & MASK, memory.load("x", i)))


def _select(i: int, memory: Memory) -> None:
    if i >= memory.scalar("n"):
        return
    condition = memory.load("m", i)
    new = memory.load("x", i)
    if isinstance(condition, Unknown):
        memory.load("y", i)
        memory.store("y", i, UNKNOWN)
    elif condition & 1:
        memory.store("y", i, new)


def _pair(i: int, memory: Memory) -> None:
    if i < memory.scalar("n"):
        a, b = memory.load("a", i), memory.load("b", i)
        memory.store("x", i, _joined(lambda a, b: (a + b) & MASK, a, b))
        memory.store("y", i, _joined(lambda a, b: a ^ b, a, b))


def _before(i: int, memory: Memory) -> None:
    if i < memory.scalar("n"):
        here, before = memory.load("x", i), memory.load("x", max(i - 1, 0))
        memory.store("y", i, _joined(lambda a, b: (a + 2 * b) & MASK, here, before))


def _around(i: int, memory: Memory) -> None:
    n = memory.scalar("n")
    if i < n:
        for index in (max(i - 1, 0), i, min(i + 1, n - 1)):
            memory.load("x", index)
        memory.store("y", i, UNKNOWN)


def _shift(i: int, memory: Memory) -> None:
    if i < memory.scalar("n"):
        moved = _joined(lambda x, v: (x + v) & MASK, memory.load("x", i), memory.load("v", 0))
        memory.store("y", i, moved)


def _total(i: int, memory: Memory) -> None:
    values = [memory.load("x", index) for index in range(memory.scalar("n"))]
    memory.store("v", 0, _joined(lambda *all_: sum(all_) & MASK, *values))


def _group_sum(i: int, memory: Memory) -> None:
    if i % GROUP == 0 and i < memory.scalar("n"):
        end = min(i + GROUP, memory.scalar("n"))
        values = [memory.load("x", index) for index in range(i, end)]
        memory.store("y", i // GROUP, _joined(lambda *all_: sum(all_) & MASK, *values))


def _long(i: int, memory: Memory) -> None:
    if i < memory.scalar("n"):
        power = pow(3, TURNS, 2 * (MASK + 1))
        turned = _joined(lambda x: (x * power + (power - 1) // 2) & MASK, memory.load("x", i))
        memory.store("y", i, turned)


def _flip(i: int, memory: Memory) -> None:
    n = memory.scalar("n")
    if i < n:
        memory.store("y", i, memory.load("x", n - 1 - i))


_I = "    const int i = get_global_id(0);\n"
_GUARD = _I + "    if (i < n)\n        "
_RETURN = _I + "    if (i >= n)\n        return;\n"


def _element_wise(name: str, parameters: str, body: str, meaning: Callable[..., None]) -> Kernel:
    return Kernel(name, _parameters(parameters), body, meaning, element_wise=True)


KERNELS: Final = {
    kernel.name: kernel
    for kernel in (
        _element_wise(
            "i_add",
            "z!:int x:int y:int n:number",
            f"{_GUARD}z[i] = (x[i] + y[i]) & 0xffff;\n",
            _each("z", lambda x, y: (x + y) & MASK, "x", "y"),
        ),
        _element_wise(
            "i_affine",
            "y!:int x:int m:number b:number n:number",
            f"{_RETURN}    y[i] = (x[i] * m + b) & 0xffff;\n",
            _affine,
        ),
        _element_wise(
            "i_next",
            "y!:int",
            f"{_I}    y[i] = (y[i] * 3 + 1) & 0xffff;\n",
            _each("y", lambda y: (y * 3 + 1) & MASK, "y", guarded=False),
        ),
        _element_wise(
            "i_copy",
            "y!:int x:int",
            f"{_I}    y[i] = x[i];\n",
            _each("y", lambda x: x, "x", guarded=False),
        ),
        _element_wise(
            "i_select",
            "y!:int x:int m:int n:number",
            f"{_GUARD}if (m[i] & 1)\n            y[i] = x[i];\n",
            _select,
        ),
        _element_wise(
            "i_pair",
            "x!:int y!:int a:int b:int n:number",
            f"{_RETURN}    const int p = a[i], q = b[i];\n"
            "    x[i] = (p + q) & 0xffff;\n    y[i] = p ^ q;\n",
            _pair,
        ),
        Kernel(
            "i_long",
            _parameters("y!:int x:int n:number"),
            f"{_RETURN}    int v = x[i];\n    for (int k = 0; k < {TURNS}; k++)\n"
            "        v = (v * 3 + 1) & 0xffff;\n    y[i] = v;\n",
            _long,
        ),
        Kernel(
            "i_before",
            _parameters("y!:int x:int n:number"),
            f"{_GUARD}y[i] = (x[i] + 2 * x[i > 0 ? i - 1 : 0]) & 0xffff;\n",
            _before,
        ),
        Kernel(
            "i_flip",
            _parameters("y!:int x:int n:number"),
            f"{_GUARD}y[i] = x[n - 1 - i];\n",
            _flip,
        ),
        Kernel(
            "i_shift",
            _parameters("y!:int x:int v:int n:number"),
            f"{_GUARD}y[i] = (x[i] + v[0]) & 0xffff;\n",
            _shift,
        ),
        Kernel(
            "i_total",
            _parameters("v!:int x:int n:number"),
            "    int sum = 0;\n    for (int k = 0; k < n; k++)\n        sum += x[k];\n"
            "    v[0] = sum & 0xffff;\n",
            _total,
            one_item=True,
        ),
        Kernel(
            "i_group_sum",
            _parameters("y!:int x:int part:local n:number"),
            "    const int i = get_global_id(0);\n    const int place = get_local_id(0);\n"
            "    part[place] = i < n ? x[i] : 0;\n    barrier(CLK_LOCAL_MEM_FENCE);\n"
            "    if (place == 0 && i < n) {\n        int sum = 0;\n"
            "        for (int k = 0; k < (int)get_local_size(0); k++)\n"
            "            sum += part[k];\n"
            "        y[get_group_id(0)] = sum & 0xffff;\n    }\n",
            _group_sum,
            groups=True,
        ),
        _element_wise(
            "f_scale",
            "y!:float x:float s:quarters n:number",
            f"{_GUARD}y[i] = x[i] * s;\n",
            _each("y", None, "x"),
        ),
        _element_wise(
            "f_blend",
            "z!:float x:float y:float n:number",
            f"{_GUARD}z[i] = 0.3f * x[i] + 0.6f * y[i];\n",
            _each("z", None, "x", "y"),
        ),
        _element_wise(
            "f_root",
            "y!:float x:float",
            f"{_I}    const float v = x[i];\n    y[i] = sqrt(fabs(v)) + 0.1f;\n",
            _each("y", None, "x", guarded=False),
        ),
        _element_wise(
            "f_of_int",
            "y!:float x:int n:number",
            f"{_RETURN}    y[i] = (float)x[i] / 7.0f;\n",
            _each("y", None, "x"),
        ),
        Kernel(
            "f_around",
            _parameters("y!:float x:float n:number"),
            f"{_RETURN}    const int l = max(i - 1, 0), r = min(i + 1, n - 1);\n"
            "    y[i] = (x[l] + x[i] + x[r]) / 3.0f;\n",
            _around,
        ),
    )
}


def source() -> str:
    return "\n".join(kernel.text for kernel in KERNELS.values())
