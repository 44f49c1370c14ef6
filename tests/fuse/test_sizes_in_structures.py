"""Sizes in structures and vectors that kernels get by value: neighbours, and what is compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyopencl as cl
import pytest

from kfusion.api import CheckError, Fused, fuse
from kfusion.device.opencl import build_program, pocl_device
from kfusion.graph.model import AtMost, LaunchRange, Reaches
from kfusion.graph.target import TARGETS, Target
from kfusion.kernel.forms import part_called
from kfusion.kernel.members import Member, layout_of
from kfusion.kernel.types import members_of
from tests.stencils.running import EAGER, MARCH, STRIPS
from tests.support.kernel_side import random_data, unit_of
from tests.support.pyopencl_run import Case, assert_same

WIDTH, HEIGHT = 19, 11
MEMORY = random_data("act", 32 * 32)
SPACE = LaunchRange(2, "the plane")
BODY = """
kernel void light(global float *t, global const float *a, const TYPE s)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x < s.W && y < s.H)
        t[y * s.W + x] = 2.0f * a[y * s.W + x];
}
kernel void blur(global float *c, global const float *t, const TYPE s)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= s.W || y >= s.H)
        return;
    c[y * s.W + x] = t[y * s.W + max(x - 1, 0)] + t[min(y + 1, s.H - 1) * s.W + x];
}
"""


def written(type_: str, width: str, height: str, before: str = "") -> str:
    """Members by the paths that are written behind `s.`."""
    text = BODY.replace("TYPE", type_).replace("s.W", f"s.{width}").replace("s.H", f"s.{height}")
    return f"{before}\n{text}"


def fused_with(source: str, calls: Sequence[str], target: Target = EAGER) -> Fused:
    tiles = target.strip > 0 or target.march > 0
    return fuse(source, calls, ["c"], ranges=[SPACE] * len(calls), target=target, tiles=tiles)


def same(fused: Fused, source: str, sizes: dict[str, Any]) -> None:
    assert_same(fused, source, Case(MEMORY, sizes, (WIDTH + 2, HEIGHT + 1)), ["c"])


SIZE = "typedef struct { float k; int h; int w; } size;"
NESTED = (
    "struct inner { char c; int at[3]; }; typedef struct { long l; struct inner in; } size;"
    "typedef size alias;"
)
GIVEN: dict[str, tuple[str, str, str, str, Any]] = {
    "structure": (
        SIZE,
        "size",
        "w",
        "h",
        np.array((0.5, HEIGHT, WIDTH), "f4,i4,i4")[()],
    ),
    "nested": (
        NESTED,
        "alias",
        "in.at[2]",
        "in.at[0]",
        np.array((7, 1, 0, 0, 0, HEIGHT, 5, WIDTH), "i8,i1,i1,i1,i1,i4,i4,i4")[()],
    ),
    "vector": ("", "int4", "w", "y", cl.cltypes.make_int4(3, HEIGHT, 4, WIDTH)),  # type: ignore[attr-defined]
    "tag": (
        "struct size { int w; int h; };",
        "struct size",
        "w",
        "h",
        np.array((WIDTH, HEIGHT), "i4,i4")[()],
    ),
}


@pytest.mark.parametrize(
    "target",
    [EAGER, STRIPS, MARCH, TARGETS["cpu"], TARGETS["nvidia"]],
    ids=["inline", "strips", "march", "cpu", "nvidia"],
)
@pytest.mark.parametrize("given", GIVEN)
def test_neighbours(given: str, target: Target) -> None:
    before, type_, width, height, size = GIVEN[given]
    source = written(type_, width, height, before)
    fused = fused_with(source, ["light(t, a, s)", "blur(c, t, s)"], target)
    assert len(fused.kernels) == 1
    fused.check({"s": size, **MEMORY}, [(WIDTH, HEIGHT)] * 2)
    same(fused, source, {"s": size})


def test_what_is_asked_of_members() -> None:
    source = written("size", "w", "h", SIZE)
    fused = fused_with(source, ["light(t, a, s)", "blur(c, t, s)"])
    (group,) = fused.plan.groups
    reaches = [a for a in group.assumptions if isinstance(a, Reaches)]
    parts = [part_called(a.scalar) for a in reaches]
    assert {(str(part), part.bytes) for part in parts if part} == {("s.h", 4)}
    size = np.array((0.5, HEIGHT, WIDTH), "f4,i4,i4")[()]
    for given in (size, size.tobytes()):
        fused.check({"s": given, **MEMORY}, [(WIDTH, HEIGHT)] * 2)
        with pytest.raises(CheckError, match="a later call reads"):
            fused.check({"s": given, **MEMORY}, [(WIDTH, HEIGHT - 1)] * 2)
    with pytest.raises(CheckError, match="no value"):
        fused.check(MEMORY, [(WIDTH, HEIGHT)] * 2)


def test_a_width_that_is_not_more_than_a_pitch() -> None:
    """One member bounds the ids, and another one is the length of the rows."""
    source = written("size", "w", "h", "typedef struct { int w, h, pitch; } size;")
    source = source.replace("y * s.w", "y * s.pitch")
    source = source.replace("min(y + 1, s.h - 1) * s.w", "min(y + 1, s.h - 1) * s.pitch")
    fused = fused_with(source, ["light(t, a, s)", "blur(c, t, s)"])
    (group,) = fused.plan.groups
    (order,) = (a for a in group.assumptions if isinstance(a, AtMost))
    low, high = part_called(order.left), part_called(order.right)
    assert (str(low), str(high)) == ("s.w", "s.pitch")
    same(fused, source, {"s": np.array((WIDTH, HEIGHT, 23), "i4,i4,i4")[()]})
    size = np.array((WIDTH, HEIGHT, WIDTH - 1), "i4,i4,i4")[()]
    with pytest.raises(CheckError, match="more than"):
        fused.check({"s": size, **MEMORY}, [(WIDTH, HEIGHT)] * 2)


STRUCTURES_OF_ONE_HOST = """
typedef struct { int w, h; } wide;
typedef struct { int h, w; } high;
kernel void f(global int *t, const wide s) { const int x = get_global_id(0); t[x] = s.w; }
kernel void g(global int *c, global const int *t, const high s)
{
    const int x = get_global_id(0);
    c[x] = t[x] + 10 * s.w;
}
"""


def test_one_scalar_as_two_structures_without_tags() -> None:
    """They are two types: `w` does not lie in the same place."""
    source, calls = STRUCTURES_OF_ONE_HOST, ["f(t, s)", "g(c, t, s)"]
    fused = fuse(source, calls, ["c"])
    assert len(fused.kernels) == 1
    data = {name: np.zeros(8, np.int32) for name in "ct"}
    size: Any = np.array((3, 4), "i4,i4")[()]
    assert_same(fused, source, Case(data, {"s": size}, (8,)), ["c"])


LAID_OUT_OTHERWISE = {
    "packed": "typedef struct __attribute__((packed)) { char c; int w, h; } size;",
    "packed behind": "typedef struct { char c; int w, h; } __attribute__((packed)) size;",
    "aligned": "typedef struct { char c; int __attribute__((aligned(16))) w; int h; } size;",
    "aligned by a word": "typedef struct { char c; _Alignas(16) int w; int h; } size;",
    "another structure of the tag": (
        "int other(int n) { struct size { int n; } s = {n}; return s.n; }\n"
        "struct size { int w, h; }; typedef struct size size;"
    ),
    "pragma": "#pragma pack(1)\ntypedef struct { char c; int w, h; } size;\n#pragma pack()",
    "union": "typedef struct { union { int w; float f; }; int h; } size;",
    "bits": "typedef struct { int w : 16; int k : 16; int h; } size;",
    "pointer": "typedef struct { global float *p; int w, h; } size;",
    "number of bytes of a size_t": "typedef struct { size_t n; int w, h; } size;",
}


@pytest.mark.parametrize("before", LAID_OUT_OTHERWISE.values(), ids=list(LAID_OUT_OTHERWISE))
def test_members_that_lie_where_nobody_knows(before: str) -> None:
    """They are the same for both kernels, but nothing can be asked of them."""
    source = written("size", "w", "h", before)
    fused = fused_with(source, ["light(t, a, s)", "blur(c, t, s)"])
    assert len(fused.kernels) == 2


def test_length_that_is_octal_or_hexadecimal() -> None:
    """`010` is 8."""
    before = "typedef struct { int first[010]; char c[0x3u]; int w, h; } size;"
    source = written("size", "w", "h", before)
    fused = fused_with(source, ["light(t, a, s)", "blur(c, t, s)"])
    parts = [
        part_called(a.scalar) for a in fused.plan.groups[0].assumptions if isinstance(a, Reaches)
    ]
    assert {part.bytes for part in parts if part} == {40}


_WORDS = ["char", "uchar2", "short", "int", "uint3", "float4", "long", "ulong2", "double", "half"]


@pytest.mark.parametrize("seed", range(6))
def test_layout_of_random_structures(seed: int) -> None:
    """As an OpenCL compiler lays them out."""
    dice = np.random.default_rng(seed)
    types: list[str] = []
    text = ""
    for number in range(4):
        members = []
        for name in "abcdefg"[: dice.integers(1, 8)]:
            type_ = str(dice.choice([*_WORDS, *types]))
            array = f"[{dice.integers(1, 4)}]" if dice.random() < 0.3 else ""
            members.append(f"{type_} {name}{array};")
        text += f"typedef struct {{ {' '.join(members)} }} S{number};\n"
        types.append(f"S{number}")
    asked: list[str] = []
    expected: list[int] = []
    unit = unit_of(f"{text}kernel void k({', '.join(f'S{n} s{n}' for n in range(4))}) {{}}\n")
    for parameter in unit.functions["k"].listed:
        layout = layout_of(unit, parameter.type)
        assert layout is not None
        asked.append(f"sizeof({parameter.name})")
        expected.append(layout.size)
        for member in members_of(unit, parameter.type):
            asked.append(f"(char *)&{parameter.name}.{member.name} - (char *)&{parameter.name}")
            expected.append(bytes_before(text, parameter.name, member.name))
    lines = "\n".join(f"    o[{n}] = {each};" for n, each in enumerate(asked))
    declared = "\n".join(f"    S{n} s{n};" for n in range(4))
    source = f"{text}kernel void k(global int *o)\n{{\n{declared}\n{lines}\n}}\n"
    found = ran(source, len(asked))
    assert found.tolist() == expected


def bytes_before(text: str, parameter: str, member: str) -> int:
    """As kfusion's forms say: of an index that is the first number in the member."""
    number = parameter[1:]
    unit = unit_of(f"{text}kernel void k(S{number} s) {{}}\n")
    node = unit.functions["k"].listed[0]
    inner = Member("s", "", node.type, "").inner(unit, member)
    assert inner is not None
    return inner.bytes


def ran(source: str, count: int) -> np.ndarray[Any, np.dtype[np.int32]]:
    built = build_program(source, device=pocl_device())
    queue = cl.CommandQueue(built.context)
    result = np.zeros(count, np.int32)
    memory = cl.Buffer(built.context, cl.mem_flags.READ_WRITE, result.nbytes)
    cl.Kernel(built.program, "k")(queue, (1,), None, memory)
    cl.enqueue_copy(queue, result, memory)
    queue.finish()
    return result


CELL = (
    "int cell(int x, int y, size s) { return clamp(y, 0, s.h - 1) * s.w + clamp(x, 0, s.w - 1); }"
)
OF_STRUCTURES = {
    "an index": (CELL, "t[cell(x - 1, y, s)] - t[cell(x, y + 1, s)]", 1),
    "handed on": (
        f"{CELL} int up(int x, int y, size z) {{ return cell(x, y - 1, z); }}",
        "t[up(x, y, s)] + t[cell(x + 1, y, s)]",
        1,
    ),
    "an element": (
        (
            f"{CELL} float at(global const float *p, int x, int y, size s)"
            "{ return p[cell(x, y, s)]; }"
        ),
        "at(t, x - 1, y, s) + 2 * at(t, x, y + 1, s)",
        1,
    ),
    "several elements": (
        (
            f"{CELL} float sum(global const float *p, int x, int y, size z)"
            "{ return p[cell(x - 1, y, z)] - 3 * p[cell(x + 1, y, z)]; }"
        ),
        "sum(t, x, y, s) + sum(t, x, y + 1, s)",
        1,
    ),
    "a copy that changes": (
        "int cell(int x, int y, size s){ s.w = s.w - 1; return y * (s.w + 1) + clamp(x, 0, s.w); }",
        "t[cell(x - 1, y, s)]",
        2,
    ),
    "another structure": (CELL, "t[cell(x - 1, y, (size){1, s.h, s.w})]", 2),
}


@pytest.mark.parametrize("target", [EAGER, STRIPS, MARCH], ids=["inline", "strips", "march"])
@pytest.mark.parametrize("name", OF_STRUCTURES)
def test_functions_that_get_structures(name: str, target: Target) -> None:
    before, work, kernels = OF_STRUCTURES[name]
    source = written("size", "w", "h", f"{SIZE}\n{before}")
    old = "t[y * s.w + max(x - 1, 0)] + t[min(y + 1, s.h - 1) * s.w + x]"
    assert old in source
    source = source.replace(old, work)
    fused = fused_with(source, ["light(t, a, s)", "blur(c, t, s)"], target)
    assert len(fused.kernels) == kernels
    same(fused, source, {"s": np.array((0.5, HEIGHT, WIDTH), "f4,i4,i4")[()]})
