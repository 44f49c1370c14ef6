"""Numbers that wrap around, or change in a conversion: what a proof may not overlook, on PoCL."""

from __future__ import annotations

import numpy as np
import pytest

from kfusion.api import CheckError, Fused, fuse
from kfusion.graph.target import Target
from tests.stencils.running import EAGER
from tests.support.kernel_side import OWN_ELEMENTS, fused_and_same, random_data
from tests.support.pyopencl_run import Array, Case, run_both

XY = "const size_t x = get_global_id(0), y = get_global_id(1);"
ITEM = "const int i = get_global_id(0);"
WIDE = "const size_t i = get_global_id(0);"
ROWS = "if (x < w && y < 6) t[y*w + x] = a[y*w + x] + 1;"
CALLS = ["f(t, a, w, n)", "g(o, t, w, n)"]
Numbers = dict[str, np.generic]


def program(first: str, second: str, type_: str) -> str:
    return (
        f"kernel void f(global float *t, global const float *a, {type_} w, {type_} n)\n"
        f"{{ {first} }}\n"
        f"kernel void g(global float *o, global float *t, {type_} w, {type_} n)\n"
        f"{{ {second} }}\n"
    )


def given(made: Fused) -> dict[str, Array]:
    return random_data(sorted({m.name for i in made.plan.invocations for m in i.memory}), 128)


def same(made: Fused, source: str, scalars: Numbers, size: tuple[int, ...]) -> bool:
    case = Case(given(made), scalars, size, None)
    before, after = run_both(made, source, case)
    return all(before[name].tobytes() == after[name].tobytes() for name in case.buffers)


def is_refused(made: Fused, scalars: Numbers, size: tuple[int, ...]) -> bool:
    """By what is compared before the launches."""
    memory = dict.fromkeys(given(made))
    numbers = {assumed for group in made.plan.groups for assumed in group.assumptions}
    assert numbers
    try:
        made.check({**memory, **scalars, **_apart(memory)}, [size] * len(made.plan.invocations))
    except CheckError:
        return True
    return False


def _apart(names: dict[str, None]) -> dict[str, Array]:
    return {name: np.zeros(1, np.float32) for name in names}


@pytest.mark.parametrize(
    ("first", "second", "type_", "scalars", "size"),
    [
        pytest.param(
            ROWS,
            "if (x + n < w && y < 6) o[y*16 + x] = t[y*w + x];",
            "ulong",
            {"w": np.uint64(6), "n": np.uint64(2**64 - 3)},
            (9, 6),
            id="sum",
        ),
        pytest.param(
            "if (x < w && y == 2) t[y*w + x] = a[y*w + x] + 1;",
            "if (x < w && y == 0) o[y*w + x] = t[y*w + x];",
            "ulong",
            {"w": np.uint64(2**63), "n": np.uint64(0)},
            (8, 6),
            id="product",
        ),
        pytest.param(
            "if (x < n && x > 0) t[x] = a[x] + 1;",
            "if (x < n && x > 0) o[x] = t[x + n];",
            "ulong",
            {"w": np.uint64(0), "n": np.uint64(2**64 - 1)},
            (64, 1),
            id="planes",
        ),
    ],
)
def test_numbers_of_64_bits_are_compared(
    first: str, second: str, type_: str, scalars: Numbers, size: tuple[int, ...]
) -> None:
    """What does not fit is refused by `check`; what fits leaves the same bits."""
    source = program(f"{XY} {first}", f"{XY} {second}", type_)
    made = fuse(source, CALLS)
    assert len(made.kernels) == 2 or is_refused(made, scalars, size)
    few: Numbers = {"w": np.uint64(8), "n": np.uint64(7)}
    assert same(made, source, few, size)


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("ulong", np.uint64(2**32 + 1)),
        ("long", np.int64(2**32 + 1)),
        ("uint", np.uint32(2**32 - 1)),
    ],
    ids=["wider", "with sign", "without sign"],
)
def test_a_step_that_the_variable_cannot_hold(type_: str, value: np.generic) -> None:
    """As an `int` the number is 1, or -1: items read what others have written."""
    loop = "int x = i + 2; float s = 0; for (int r = 0; r < 3; r++) { s += t[x]; x += n; }"
    first = f"{ITEM} if (i < n) t[i + 2] = a[i] + 1;"
    source = program(first, f"{ITEM} if (i < n) {{ {loop} o[i] = s; }}", type_)
    made = fuse(source, CALLS)
    assert len(made.kernels) == 2
    assert same(made, source, {"w": value, "n": value}, (64,))


def test_a_step_of_the_variable_s_own_type() -> None:
    loop = "int x = i; float s = 0; for (int r = 0; r < 3; r++) { s += t[x]; x += n; }"
    rows = f"{ITEM} if (i < n) for (int r = 0; r < 3; r++) t[i + r*n] = a[i];"
    source = program(rows, f"{ITEM} if (i < n) {{ {loop} o[i] = s; }}", "int")
    scalars = {"w": np.int32(3), "n": np.int32(20)}
    fused_and_same(source, CALLS, launches=1, scalars=scalars, size=(24,))


@pytest.mark.parametrize("number", ["4294967295", "0xFFFFFFFF"])
def test_a_number_that_its_parameter_cannot_hold(number: str) -> None:
    """As an `int` it is -1."""
    before = f"{WIDE} if (i < n && i > 0) o[i] = t[i + n];"
    source = program(f"{WIDE} if (i < n) t[i] = a[i] + 1;", before, "int")
    made = fuse(source, [f"g(o, t, 1, {number})", f"f(t, a, 1, {number})"])
    assert len(made.kernels) == 2


def test_numbers_that_wrap_in_32_bits_say_nothing() -> None:
    """`n + 5u` is small where `n` is nearly 2^32."""
    second = "if (n + 5u < w && y < 6) o[y*16 + x] = t[y*w + x];"
    source = program(f"{XY} if (x < n && y < 6) t[y*w + x] = a[x];", f"{XY} {second}", "uint")
    made = fuse(source, CALLS)
    scalars: Numbers = {"w": np.uint32(6), "n": np.uint32(2**32 - 4)}
    assert len(made.kernels) == 2 or is_refused(made, scalars, (9, 6))


BOTH = "const uint k = get_global_id(0); const size_t i = get_global_id(0);"


def of_both(first: str, second: str) -> Fused:
    source = program(f"{BOTH} {first}", f"{BOTH} {second}", "uint").replace("const ", "")
    source = source.replace("float *t, uint", "float *t, global float *a, uint")
    return fuse(source, ["f(t, a, w, n)", "g(o, t, a, w, n)"], ["o"])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("t[i + n] = a[i];", "o[k] = t[k + n];"),
        ("t[k + n] = a[i];", "o[k] = t[i + n];"),
        ("t[k + n] = a[i];", "o[k] = (t + n)[k];"),
    ],
)
def test_sums_of_32_and_of_64_bits_are_other_elements(first: str, second: str) -> None:
    """`k + n` starts again at 0 where `n` is nearly 2^32, and `i + n` does not."""
    assert len(of_both(first, second).kernels) == 2


@pytest.mark.parametrize(
    ("first", "second", "stay"),
    [
        ("t[i] = a[i + n];", "o[i] = t[i] + a[k + n];", ["a[i + n]", "a[k + n]"]),
        ("t[k + n] = 1.5f; a[i] = t[i + n];", "o[i] = a[i];", ["= t[i + n]"]),
    ],
)
def test_what_one_item_reads_by_both_sums(first: str, second: str, stay: list[str]) -> None:
    made = of_both(first, second)
    assert len(made.kernels) == 1
    assert all(made.source.count(text) == 2 for text in stay)


def test_ids_are_the_same_in_32_and_in_64_bits() -> None:
    assert len(of_both("*(t + k) = a[k];", "*(o + i) = t[i];").kernels) == 1


# A function of an item, a number and what is far from zero there: the last one, or the one before.
AROUND = {
    "ulong z": [
        "if (x + z < x) return (int)x - 2; return x;",
        "if (z + 3 < z) return (int)x - 2; return x;",
        "if (z + 1 == 0) return (int)x - 2; return x;",
        "if (z <= z + 1) return x; return (int)x - 2;",
        "return x > z + x ? (int)x - 2 : x;",
    ],
    "uint z": [
        "if (z + 2u < (uint)x) return x - 2; return x;",
        "if (z + 1u < (uint)x) return x - 2; return x;",
        "if (z + 1u == x) return x - 2; return x;",
        "if (z + 1 == 0) return x - 2; return x;",
        "if ((z + 3u) / 2 < 1) return x - 2; return x;",
    ],
}


@pytest.mark.parametrize("target", [OWN_ELEMENTS, EAGER], ids=["own", "again"])
@pytest.mark.parametrize(
    ("type_", "body"), [(type_, body) for type_, bodies in AROUND.items() for body in bodies]
)
def test_a_sum_without_sign_that_is_zero_again(type_: str, body: str, target: Target) -> None:
    of_item = "ulong x" if type_ == "ulong z" else "int x"
    x = f"const {of_item} = get_global_id(0);"
    source = (
        f"int at({of_item}, {type_}) {{ {body} }}\n"
        f"kernel void f(global float *t, global const float *a, {type_}) "
        f"{{ {x} if (x < 7) t[x + 2] = a[x] + 1; }}\n"
        f"kernel void g(global float *o, global const float *t, {type_}) "
        f"{{ {x} if (x < 7) o[x] = t[at(x, z) + 2]; }}\n"
    )
    made = fuse(source, ["f(t, a, z)", "g(o, t, z)"], target=target)
    number = np.uint64 if type_ == "ulong z" else np.uint32
    for below in range(4):
        scalars: Numbers = {"z": number(np.iinfo(number).max - below)}
        try:
            memory = dict.fromkeys(given(made))
            made.check({**memory, **scalars, **_apart(memory)}, [(8,), (8,)])
        except CheckError:
            continue
        assert same(made, source, scalars, (8,))


def test_a_guard_that_is_not_always_true() -> None:
    source = (
        f"kernel void f(global float *t, global const float *a, int n, ulong z) "
        f"{{ {ITEM} if (i < n && z < z + 3) t[i] = a[i] + 1; }}\n"
        f"kernel void g(global float *o, global const float *t, int n) "
        f"{{ {ITEM} if (i < n) o[i] = t[max(i - 1, 0)]; }}\n"
    )
    made = fuse(source, ["f(t, a, n, z)", "g(o, t, n)"], target=EAGER)
    scalars: Numbers = {"n": np.int32(7), "z": np.uint64((1 << 64) - 1)}
    assert same(made, source, scalars, (8,))
