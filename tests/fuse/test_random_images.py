"""Random kernels over images and call sequences: fused leaves what unfused leaves, to the bit.

Images are five, of one size, and floats. A call reads one or two of them, its own texel or
others, and writes another one; some kernels write a buffer or read one.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kfusion.api import fuse
from tests.fuse.test_images import SAMPLERS, picture
from tests.support.pyopencl_run import Case, assert_same

EXAMPLES = int(os.environ.get("KFUSION_TEST_EXAMPLES", "20"))
W, H = 21, 6
IMAGES = [f"i{n}" for n in range(5)]
BUFFERS = ["b0", "b1"]
SCALARS = {"w": np.int32(W), "h": np.int32(H), "n": np.int32(W - 4)}

# Each with the names of the coordinates, and of their parts.
STARTS = [
    ("const int2 at = (int2)(get_global_id(0), get_global_id(1));", "at", "at.x", "at.y"),
    ("const int x = get_global_id(0), y = get_global_id(1);", "(int2)(x, y)", "x", "y"),
    (
        "const size_t col = get_global_id(0);\n    const size_t row = get_global_id(1);",
        "(int2)(col, row)",
        "col",
        "row",
    ),
    (
        (
            "const int x = get_group_id(0) * get_local_size(0) + get_local_id(0);\n"
            "    const int y = get_global_id(1);"
        ),
        "(int2)(x, y)",
        "x",
        "y",
    ),
]
GUARDS = [
    "if ({x} < w && {y} < h)",
    "if ({x} < w && {y} < h)",
    "if ({x} < n && {y} < h)",
    "if ((int){x} < get_image_width(a) && (int){y} < get_image_height(a))",
]
OWN_SAMPLER = "const sampler_t mine = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST;\n    "
OWN = [
    "read_imagef({i}, nearest, {at})",
    "read_imagef({i}, edge, {at})",
    "read_imagef({i}, {at})",
    "read_imagef({i}, mine, {at})",
    "read_imagef({i}, nearest, {at}) / get_image_width({i})",
]
REAL = [
    "read_imagef({i}, nearest, (float2)({x}, {y}))",
    "read_imagef({i}, nearest, (float2)({x} + 0.5f, {y} + 0.5f))",
]
OTHERS = [
    "read_imagef({i}, nearest, {at} + (int2)(1, 0))",
    "read_imagef({i}, edge, {at} - 1)",
    "read_imagef({i}, nearest, (int2)(w - 1 - (int){x}, {y}))",
    "read_imagef({i}, smooth, (float2)({x}, {y}))",
    "read_imagef({i}, scaled, (float2)({x} / (float)w, {y} / (float)h))",
    "read_imagef({i}, nearest, (int2)(0, {y}))",
    "read_imagef({i}, nearest, (float2)({x} + 1.0f, {y} + 0.5f))",
]
BODIES = [
    "write_imagef(c, {at}, {v});",
    "write_imagef(c, {at}, {v});",
    "float4 pixel = {v};\n        pixel.x = 0.5f;\n        write_imagef(c, {at}, pixel);",
    "const float4 pixel = {v};\n        write_imagef(c, {at}, pixel);",
    "{{\n            write_imagef(c, {at}, {v});\n        }}",
    (
        "float4 s = 0.0f;\n        for (int k = 0; k < 3; k++)\n            s += k * {v};\n"
        "        write_imagef(c, {at}, s);"
    ),
    "if ({x} > 3)\n            write_imagef(c, {at}, {v});",
    (
        "if ({x} > 3)\n            write_imagef(c, {at}, {v});\n        else\n"
        "            write_imagef(c, {at}, 0.25f - {v});"
    ),
    "PUT(c, {at}, {v});",
    "write_imagef(c, {at}, {v} * get_image_height(c));",
    "d[{y} * w + {x}] = {v};",
]


@dataclass(frozen=True)
class Kernel:
    name: str
    text: str
    sources: int
    buffer: bool  # what it writes is one


@st.composite
def kernels(draw: st.DrawFn, number: int) -> Kernel:
    start, at, x, y = draw(st.sampled_from(STARTS))
    sources = draw(st.integers(1, 2))
    reads = []
    for name in "ab"[:sources]:
        forms = draw(st.sampled_from([OWN, OWN, OWN, REAL, OTHERS]))
        reads.append(draw(st.sampled_from(forms)).format(i=name, at=at, x=x, y=y))
    value = draw(st.sampled_from(["0.5f * {}", "1.0f - {}", "{} * {}"])).replace("{}", reads[0])
    if sources == 2:
        value = f"{value} + {reads[1]}"
    body = draw(st.sampled_from(BODIES))
    buffer = body.startswith("d[")
    target = "global float4 *d" if buffer else "write_only image2d_t c"
    images = ", ".join(f"read_only image2d_t {name}" for name in "ab"[:sources])
    start = OWN_SAMPLER * any("mine" in read for read in reads) + start
    guard = draw(st.sampled_from(GUARDS)).format(x=x, y=y)
    text = f"""
kernel void k{number}({target}, {images}, int w, int h, int n)
{{
    {start}
    {guard} {{
        {body.format(at=at, x=x, y=y, v=f"({value})")}
    }}
}}
"""
    return Kernel(f"k{number}", text, sources, buffer)


@st.composite
def programs(draw: st.DrawFn) -> tuple[str, list[str], list[str] | None]:
    made = [draw(kernels(number)) for number in range(draw(st.integers(2, 4)))]
    calls: list[str] = []
    written = draw(st.sampled_from(IMAGES))
    for _ in range(draw(st.integers(2, 6))):
        kernel = draw(st.sampled_from(made))
        target = draw(st.sampled_from(BUFFERS if kernel.buffer else IMAGES))
        others = [name for name in IMAGES if name != target]
        recent = [written] * 3 if written in others else []
        sources = [draw(st.sampled_from(recent + others)) for _ in range(kernel.sources)]
        calls.append(f"{kernel.name}({', '.join([target, *sources])}, w, h, n)")
        written = written if kernel.buffer else target
    out = draw(st.one_of(st.none(), st.lists(st.sampled_from([*IMAGES, *BUFFERS]), max_size=3)))
    used = {word for call in calls for word in re.findall(r"\w+", call)}
    head = SAMPLERS + "#define PUT(image, at, value) write_imagef(image, at, value)\n"
    source = head + "".join(kernel.text for kernel in made)
    return source, calls, None if out is None else sorted(set(out) & used)


@settings(
    max_examples=EXAMPLES,
    derandomize="KFUSION_TEST_EXAMPLES" not in os.environ,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(programs())
def test_fused_leaves_the_same_bits(program: tuple[str, list[str], list[str] | None]) -> None:
    source, calls, out = program
    fused = fuse(source, calls, out)
    memory = sorted({m.name for i in fused.plan.invocations for m in i.memory})
    for kernel in fused.fused:
        names = [p.name for p in kernel.parameters]
        assert len(set(names)) == len(names)
        for parameter in kernel.parameters:
            calls_of = re.findall(rf"(\w+)_image\w+\({parameter.name}\b", kernel.text)
            assert len(set(calls_of) & {"read", "write"}) <= 1, kernel.text
    data = {
        name: picture(number, width=W, height=H) if name.startswith("i") else _buffer(number)
        for number, name in enumerate(memory)
    }
    case = Case(data, SCALARS, (24, 8), (8, 4))
    assert_same(fused, source, case, memory if out is None else out)


def _buffer(seed: int) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
    return np.random.default_rng(seed).random((24 * 8, 4)).astype(np.float32)


def test_many_programs_are_fused() -> None:
    """Otherwise they would prove little."""
    count = fused = 0

    @settings(max_examples=100, derandomize=True, deadline=None, database=None)
    @given(programs())
    def look(program: tuple[str, list[str], list[str] | None]) -> None:
        nonlocal count, fused
        count += 1
        fused += fuse(*program).plan.fuses

    look()
    assert fused >= 0.4 * count
