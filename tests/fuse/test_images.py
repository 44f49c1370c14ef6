"""Kernels over images, fused and unfused on PoCL; and what is cut, by exact message."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pyopencl as cl
import pytest

from kfusion.api import CheckError, Fused, fuse
from kfusion.device.opencl import pocl_device
from kfusion.graph.model import Equal, Keeps
from kfusion.graph.target import Target
from tests.support.kernel_side import fused_and_same, fused_text, refusal

Pixels = npt.NDArray[np.generic]

W, H = 37, 11
SCALARS = {"w": np.int32(W), "h": np.int32(H)}

SAMPLERS = """
constant sampler_t nearest =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t edge =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
constant sampler_t smooth =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
constant sampler_t scaled =
    CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
"""
START = "const int2 at = (int2)(get_global_id(0), get_global_id(1));"


def unary(name: str, value: str, *, guard: str = "at.x < w && at.y < h", more: str = "") -> str:
    """A kernel that writes its own texel of c."""
    return f"""
kernel void {name}(write_only image2d_t c, read_only image2d_t a, int w, int h{more})
{{
    {START}
    if ({guard})
        write_imagef(c, at, {value});
}}
"""


READ = "read_imagef(a, nearest, at)"
SOURCE = (
    SAMPLERS
    + unary("invert", f"1.0f - {READ}")
    + unary("half_of", f"0.5f * {READ}")
    + unary("right", "read_imagef(a, nearest, at + (int2)(1, 0))")
    + unary("around", "read_imagef(a, nearest, at - 1) + read_imagef(a, edge, at + 1)")
    + unary("blurred", "read_imagef(a, smooth, convert_float2(at))")
    + unary("listed", "read_imagef(a, scaled, convert_float2(at) / (float2)(w, h))")
    + unary("sampled", "read_imagef(a, s, at)", more=", sampler_t s")
    + unary("where", READ, guard="at.x < w && at.y < h && at.x > 3")
    + unary("beyond", READ, guard="at.x < w + 5 && at.y < h")
    + f"""
float4 mean(read_only image2d_t a, int2 at)
{{
    return (read_imagef(a, nearest, at - (int2)(1, 0)) + read_imagef(a, nearest, at)) / 2.0f;
}}
kernel void averaged(write_only image2d_t c, read_only image2d_t a, int w, int h)
{{
    {START}
    if (at.x < w && at.y < h)
        write_imagef(c, at, mean(a, at));
}}
kernel void sum(write_only image2d_t c, read_only image2d_t a, read_only image2d_t b, int w, int h)
{{
    {START}
    if (at.x >= w || at.y >= h)
        return;
    write_imagef(c, at, {READ} + read_imagef(b, nearest, at));
}}
kernel void bright(write_only image2d_t c, read_only image2d_t a, int w, int h)
{{
    {START}
    if (at.x < w && at.y < h) {{
        float4 pixel = {READ};
        if (pixel.x > 0.0f)
            write_imagef(c, at, 2.0f * pixel);
    }}
}}
kernel void sized(write_only image2d_t c, read_only image2d_t a)
{{
    {START}
    if (at.x < get_image_width(c) && at.y < get_image_height(c))
        write_imagef(c, at, 0.25f + {READ});
}}
kernel void own_sampler(write_only image2d_t c, read_only image2d_t a, int w, int h)
{{
    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
    const int x = get_global_id(0), y = get_global_id(1);
    if (x < w && y < h) {{
        const float4 pixel = read_imagef(a, s, (int2)(x, y));
        write_imagef(c, (int2)(x, y), pixel.wzyx);
    }}
}}
kernel void stored(global float4 *c, read_only image2d_t a, int w, int h)
{{
    {START}
    if (at.x < w && at.y < h)
        c[at.y * w + at.x] = {READ};
}}
"""
)


def picture(seed: int, kind: str = "f4", width: int = W, height: int = H) -> Pixels:
    data = np.random.default_rng(seed)
    if kind == "f4":
        return (data.random((height, width, 4)) * 4 - 2).astype(np.float32)
    return data.integers(0, 200, (height, width, 4)).astype(kind)


def same(
    calls: list[str],
    out: list[str] | None,
    *,
    launches: int,
    source: str = SOURCE,
    kind: str = "f4",
    buffers: Mapping[str, Pixels] | None = None,
    sampler: cl.Sampler | None = None,
) -> Fused:
    """Fused, and the same as unfused, in a range that is larger than the images."""
    names = sorted({m.name for i in fuse(source, calls, out).plan.invocations for m in i.memory})
    images = {name: picture(number, kind) for number, name in enumerate(names)}
    return fused_and_same(
        source,
        calls,
        out,
        launches=launches,
        buffers={**images, **(buffers or {})},
        scalars={**SCALARS, **({"s": sampler} if sampler is not None else {})},
        size=(64, 16),
    )


def host_sampler() -> cl.Sampler:
    context = cl.Context([pocl_device()])
    return cl.Sampler(context, False, cl.addressing_mode.CLAMP, cl.filter_mode.NEAREST)


# ---- Images of one and three dimensions, and of several layers ----

DEEP = (
    SAMPLERS
    + """
kernel void slice(global float4 *t, read_only image3d_t v, int w, int h)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x < w && y < h)
        t[y * w + x] = read_imagef(v, edge, (int4)(x, y, get_image_depth(v) / 2, 0))
            + read_imagef(v, smooth, (float4)(x, y, 1.5f, 0));
}
kernel void lift(write_only image3d_t v, global const float4 *t, int w, int h)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x < w && y < h)
        write_imagef(v, (int4)(x, y, 2, 0), t[y * w + x]);
}
kernel void doubled(global float4 *c, global const float4 *t, int w, int h)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x < w && y < h)
        c[y * w + x] = 2.0f * t[y * w + x];
}
"""
)


@pytest.mark.parametrize(
    ("calls", "launches", "code"),
    [
        (["slice(t, v, w, h)", "doubled(c, t, w, h)"], 1, ""),
        (["slice(t, v, w, h)", "doubled(c, t, w, h)", "lift(u, c, w, h)"], 1, ""),
        (["doubled(c, t, w, h)", "lift(v, c, w, h)", "slice(t, v, w, h)"], 2, "KF233"),
        (["slice(t, v, w, h)", "lift(v, t, w, h)"], 2, "KF233"),
        (["lift(v, t, w, h)", "lift(v, c, w, h)"], 1, ""),
    ],
)
def test_images_of_three_dimensions(calls: list[str], launches: int, code: str) -> None:
    deep = np.random.default_rng(3).random((4, H, W, 4)).astype(np.float32)
    flat = {name: picture(n).reshape(-1) for n, name in enumerate("tc")}
    used = {name for name in "tcuv" if any(f"({name}," in c or f" {name}," in c for c in calls)}
    buffers = {n: a for n, a in {**flat, "u": deep, "v": deep}.items() if n in used}
    made = fused_and_same(
        DEEP, calls, launches=launches, buffers=buffers, scalars=SCALARS, size=(64, 16)
    )
    codes = {why.code for cut in made.plan.cuts for why in cut.reasons}
    assert codes == ({code} if code else set())


def texels(type_: str, own: str, other: str) -> str:
    """Kernels that write their own texel, and read it or another one."""
    names = [n for n in "xyz" if n in own]
    ids = ", ".join(f"{n} = get_global_id({d})" for d, n in enumerate(names))
    guard = " && ".join(f"{n} < {end}" for n, end in zip(names, (7, 5, 3), strict=False))
    text = "#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable\n" + SAMPLERS
    for name, factor, place in [("twice", "2.0f", own), ("shift", "0.5f", other)]:
        text += f"kernel void {name}(write_only {type_} c, read_only {type_} a)\n"
        value = f"{factor} * read_imagef(a, nearest, {place})"
        text += f"{{ const int {ids}; if ({guard}) write_imagef(c, {own}, {value}); }}\n"
    return text


@pytest.mark.parametrize(
    ("type_", "own", "others"),
    [
        ("image1d_t", "x", ["x + 1", "6 - x"]),
        ("image1d_array_t", "(int2)(x, y)", ["(int2)(x, 0)", "(int2)(x + 1, y)"]),
        ("image2d_t", "(int2){x, y}", ["(int2){y, x}", "(int2){x, y + 1}"]),
        ("image2d_array_t", "(int4)(x, y, z, 0)", ["(int4)(x, y, 0, 0)", "(int4)(y, x, z, 0)"]),
        ("image3d_t", "(int4){x, y, z, 0}", ["(int4)(x, y, z - 1, 0)", "(int4)(x, z, y, 0)"]),
    ],
)
def test_texels_of_each_kind_of_image(type_: str, own: str, others: list[str]) -> None:
    calls = ["twice(t, a)", "shift(c, t)"]
    fused = fuse(texels(type_, own, own), calls, ["c"])
    assert len(fused.kernels) == 1
    assert fused.plan.groups[0].internalised == {"t"}
    for other in others:
        cut = refusal(texels(type_, own, other), calls)
        assert cut.message.startswith(f"'read_imagef(a, nearest, {other})' in shift() ")


@pytest.mark.parametrize("third", ["z", "2 - z"])
def test_volume_between_two_kernels(third: str) -> None:
    source = texels("image3d_t", "(int4)(x, y, z, 0)", f"(int4){{x, y, {third}, 0}}")
    data = np.random.default_rng(5)
    buffers = {n: data.random((3, 5, 7, 4)).astype(np.float32) for n in "act"}
    launches = 1 if third == "z" else 2
    calls = ["twice(t, a)", "shift(c, t)"]
    fused_and_same(source, calls, launches=launches, buffers=buffers, size=(8, 8, 4))


# ---- Values that go from call to call ----


def test_value_between_two_images_is_a_variable() -> None:
    fused = same(["invert(t, a, w, h)", "half_of(c, t, w, h)"], ["c"], launches=1)
    text = fused_text(fused)
    assert "const float4 t_at = 1.0f - read_imagef(a, nearest, at);" in text
    assert "write_imagef(c, at, 0.5f * t_at);" in text
    assert "read_only image2d_t a, write_only image2d_t c, int w, int h)" in text
    assert fused.plan.groups[0].internalised == {"t"}
    assert Keeps("t", "float4") in fused.plan.groups[0].assumptions


def test_value_that_is_read_later_is_written_once() -> None:
    fused = same(["invert(t, a, w, h)", "half_of(c, t, w, h)"], None, launches=1)
    assert "write_imagef(t, at, t_at);" in fused_text(fused)
    assert "write_only image2d_t t" in fused_text(fused)
    assert fused.plan.groups[0].forwarded == {"t"}


def test_texel_that_two_calls_read_is_read_once() -> None:
    fused = same(["invert(s, a, w, h)", "half_of(t, a, w, h)"], None, launches=1)
    assert fused_text(fused).count("read_imagef") == 1
    assert not [a for a in fused.plan.groups[0].assumptions if isinstance(a, Keeps)]


def test_overwritten_image_is_written_once() -> None:
    calls = ["invert(t, a, w, h)", "sum(c, t, b, w, h)", "half_of(t, b, w, h)"]
    fused = same(calls, ["c", "t"], launches=1)
    assert fused_text(fused).count("write_imagef(t") == 1


def test_write_under_a_condition_after_another_one() -> None:
    """The variable is written behind the condition, so once in any case."""
    calls = ["invert(t, a, w, h)", "bright(t, b, w, h)"]
    fused = same(calls, ["t"], launches=1)
    assert fused_text(fused).count("write_imagef") == 1


def test_neighbours_of_what_nothing_writes_may_be_read() -> None:
    calls = [
        "around(s, a, w, h)",
        "blurred(t, a, w, h)",
        "listed(u, a, w, h)",
        "sum(c, s, t, w, h)",
    ]
    fused = same([*calls, "sum(d, c, u, w, h)"], ["d"], launches=1)
    assert fused.plan.groups[0].internalised == {"s", "t", "u", "c"}


def test_sampler_of_the_host_reads_what_nothing_writes() -> None:
    fused = same(
        ["sampled(t, a, w, h, s)", "invert(c, t, w, h)"], ["c"], launches=1, sampler=host_sampler()
    )
    assert ", sampler_t s" in fused_text(fused)


def test_sampler_of_a_kernel_stands_in_its_outermost_block() -> None:
    fused = same(["invert(t, a, w, h)", "own_sampler(c, t, w, h)"], ["c"], launches=1)
    assert "sampler_t s" not in fused_text(fused)  # nothing is read through it any more
    fused = same(["own_sampler(t, a, w, h)", "own_sampler(c, b, w, h)"], None, launches=1)
    head = fused_text(fused).split("if (", 1)[0]
    assert head.count("const sampler_t s") == 2


def test_images_and_buffers_together() -> None:
    buffer = np.zeros((W * H, 4), np.float32)
    calls = ["invert(t, a, w, h)", "stored(d, t, w, h)"]
    fused = same(calls, ["d", "t"], launches=1, buffers={"d": buffer})
    assert "d[at.y * w + at.x] = t_at;" in fused_text(fused)


@pytest.mark.parametrize(("suffix", "kind"), [("i", "i4"), ("ui", "u4")])
def test_whole_numbers(suffix: str, kind: str) -> None:
    source = SOURCE.replace("imagef", f"image{suffix}").replace("1.0f", "7").replace("0.5f", "3")
    if suffix == "ui":
        source = source.replace("float4 pixel", "uint4 pixel")
    source = source.split("kernel void right")[0]
    fused = same(
        ["invert(t, a, w, h)", "half_of(c, t, w, h)"], ["c"], launches=1, source=source, kind=kind
    )
    type_ = {"i": "int4", "ui": "uint4"}[suffix]
    assert f"const {type_} t_at" in fused_text(fused)
    assert Keeps("t", type_) in fused.plan.groups[0].assumptions


def test_sizes_of_two_images_are_compared() -> None:
    """One of them is asked for its width: it stays a parameter."""
    fused = same(["sized(t, a)", "sized(c, t)"], ["c"], launches=1)
    assert Equal("get_image_width(t)", "get_image_width(c)") in fused.plan.groups[0].assumptions
    assert "read_only image2d_t t" in fused_text(fused)


BLOCKS = (
    SOURCE
    + f"""
#define PUT(value) write_imagef(c, at, value)
#define OWN(image) read_imagef(image, nearest, at)
kernel void in_a_block(write_only image2d_t c, read_only image2d_t a, int w, int h)
{{
    {START}
    if (at.x < w && at.y < h) {{
        {{
            const float4 twice = 2.0f * {READ};
            write_imagef(c, at, twice + 1.0f);
        }}
    }}
}}
kernel void by_macros(write_only image2d_t c, read_only image2d_t a, int w, int h)
{{
    {START}
    if (at.x < w && at.y < h)
        PUT(OWN(a) * 3.0f);
}}
kernel void in_loops(write_only image2d_t c, read_only image2d_t a, int w, int h)
{{
    {START}
    if (at.x < w && at.y < h) {{
        float4 sum = 0.0f;
        for (int i = 0; i < 3; i++)
            sum += i * {READ};
        write_imagef(c, at, sum);
    }}
}}
kernel void branches(write_only image2d_t c, read_only image2d_t a, int w, int h)
{{
    {START}
    if (at.x < w && at.y < h) {{
        if (at.x > 5)
            write_imagef(c, at, {READ});
        else
            write_imagef(c, at, 7.0f);
    }}
}}
"""
)


def test_write_in_a_block_assigns_the_variable_on_the_way() -> None:
    calls = ["invert(t, a, w, h)", "half_of(u, t, w, h)", "in_a_block(t, b, w, h)"]
    fused = same([*calls, "sum(c, t, u, w, h)"], ["c", "t"], launches=1, source=BLOCKS)
    assert "write_imagef(t, at, t_at = twice + 1.0f);" in fused_text(fused)


def test_reads_in_loops_and_through_macros_are_of_the_variable() -> None:
    calls = ["invert(t, a, w, h)", "in_loops(c, t, w, h)", "by_macros(d, t, w, h)"]
    fused = same(calls, ["c", "d"], launches=1, source=BLOCKS)
    text = fused_text(fused)
    assert "sum += i * t_at;" in text
    assert "read_imagef(t" not in text
    assert "OWN(t" not in text


def test_write_by_a_macro_is_written_out() -> None:
    same(["by_macros(t, a, w, h)", "invert(c, b, w, h)"], None, launches=1, source=BLOCKS)
    fused = same(["by_macros(t, a, w, h)", "invert(c, t, w, h)"], None, launches=1, source=BLOCKS)
    text = fused_text(fused)
    assert "const float4 c_at = read_imagef(a, nearest, at) * 3.0f;" in text


def test_writes_in_both_branches_assign_one_variable() -> None:
    same(["branches(t, a, w, h)", "invert(c, b, w, h)"], None, launches=1, source=BLOCKS)
    calls = ["branches(t, a, w, h)", "invert(c, t, w, h)"]
    for out in (None, ["c"]):
        fused = same(calls, out, launches=1, source=BLOCKS)
        assert "read_imagef(t" not in fused_text(fused)


def test_image_is_overwritten_before_it_is_read_again() -> None:
    """Read from memory at first, then a variable: the image itself is only read."""
    calls = ["invert(t, a, w, h)", "half_of(a, t, w, h)", "sum(c, a, t, w, h)"]
    fused = same(calls, ["c"], launches=1)
    assert "read_only image2d_t a" in fused_text(fused)
    assert "write_imagef(a" not in fused_text(fused)


def test_image_that_is_only_read_after_all_stays_read_only() -> None:
    """Its width is asked through a parameter that was for writing."""
    source = SOURCE + unary("shared", f"{READ} / get_image_width(c)")
    calls = ["shared(t, a, w, h)", "shared(a, t, w, h)", "sum(c, a, t, w, h)"]
    fused = same(calls, ["c"], launches=1, source=source)
    assert "read_only image2d_t a" in fused_text(fused)
    assert "get_image_width(a)" in fused_text(fused)


def test_image_is_read_where_some_of_those_that_wrote_it_go_on() -> None:
    fused = same(["invert(t, a, w, h)", "where(c, t, w, h)"], ["c"], launches=1)
    assert "write_imagef(t" not in fused_text(fused)


# ---- What is cut ----

GIVEN = "'read_imagef({})' in {}() may read any texel of 't', which invert() writes: {}"


@pytest.mark.parametrize(
    ("call", "code", "message"),
    [
        (
            "right(c, t, w, h)",
            "KF201",
            (
                "'read_imagef(a, nearest, at + (int2)(1, 0))' in right() reads elements of 't' "
                "that neighbouring items of invert() write as 'write_imagef(c, at, ...)'"
            ),
        ),
        (
            "blurred(c, t, w, h)",
            "KF233",
            GIVEN.format(
                "a, smooth, convert_float2(at)", "blurred", "the sampler mixes neighbours"
            ),
        ),
        (
            "listed(c, t, w, h)",
            "KF233",
            GIVEN.format(
                "a, scaled, convert_float2(at) / (float2)(w, h)",
                "listed",
                "the sampler has normalised coordinates",
            ),
        ),
        (
            "averaged(c, t, w, h)",
            "KF201",
            (
                "'mean(a, at)' in averaged() reads elements of 't' that neighbouring items of "
                "invert() write as 'write_imagef(c, at, ...)'"
            ),
        ),
        (
            "sampled(c, t, w, h, s)",
            "KF233",
            GIVEN.format("a, s, at", "sampled", "the host gives the sampler"),
        ),
        (
            # The reader goes on where nothing was written: there it sees the edge.
            "beyond(c, t, w, h)",
            "KF232",
            (
                "'read_imagef(a, nearest, at)' in beyond() reads the image 't', and "
                "'write_imagef(c, at, ...)' in invert() writes it: no kernel may do both"
            ),
        ),
        (
            "half_of(a, t, w, h)",
            "KF232",
            (
                "'read_imagef(a, nearest, at)' in invert() reads the image 'a', and "
                "'write_imagef(c, at, ...)' in half_of() writes it: no kernel may do both"
            ),
        ),
        (
            "where(t, b, w, h)",
            "KF232",
            (
                "'write_imagef(c, at, ...)' in where() and 'write_imagef(c, at, ...)' in invert() "
                "both write 't': which of two values an image keeps is not certain in one kernel"
            ),
        ),
    ],
    ids=[
        "neighbour",
        "linear",
        "normalised",
        "helper",
        "unknown-sampler",
        "beyond",
        "ping-pong",
        "written-twice",
    ],
)
def test_call_after_invert(call: str, code: str, message: str) -> None:
    cut = refusal(SOURCE, ["invert(t, a, w, h)", call])
    assert (cut.code, cut.message) == (code, message)
    same(["invert(t, a, w, h)", call], None, launches=2, sampler=host_sampler())


def test_write_after_a_read_around_it() -> None:
    cut = refusal(SOURCE, ["around(t, a, w, h)", "invert(a, t, w, h)"])
    assert (cut.code, cut.message) == (
        "KF201",
        (
            "'write_imagef(c, at, ...)' in invert() writes elements of 'a' that neighbouring items "
            "of around() read as 'read_imagef(a, nearest, at - 1)'"
        ),
    )


def test_condition_on_what_was_written_before() -> None:
    """Items that write nothing would have to read what the image held."""
    cut = refusal(SOURCE, ["bright(t, a, w, h)", "invert(c, t, w, h)"])
    assert cut.code == "KF232"


def test_image_that_is_a_buffer_elsewhere() -> None:
    source = SOURCE + "kernel void filled(global float4 *t, int w, int h) { t[0] = 1.0f; }"
    cut = refusal(source, ["invert(t, a, w, h)", "filled(t, w, h)"])
    assert (cut.code, cut.message) == (
        "KF207",
        "'t' is an image in invert(), and a buffer in filled()",
    )


def test_image_read_as_another_type() -> None:
    """What an image gives as whole numbers it does not keep as real ones."""
    source = SOURCE + unary("bits", "convert_float4(read_imagei(a, nearest, at))")
    cut = refusal(source, ["invert(t, a, w, h)", "bits(c, t, w, h)"])
    assert cut.code == "KF232"


# ---- Before a launch ----


def image(context: cl.Context, type_: int, width: int = W) -> cl.Image:
    kind = cl.ImageFormat(cl.channel_order.RGBA, type_)
    return cl.create_image(context, cl.mem_flags.READ_WRITE, kind, shape=(width, H))


def test_check_of_formats() -> None:
    fused = fuse(SOURCE, ["invert(t, a, w, h)", "half_of(c, t, w, h)"], ["c"])
    context = cl.Context([pocl_device()])
    bytes_ = image(context, cl.channel_type.UNORM_INT8)
    images = {name: image(context, cl.channel_type.FLOAT) for name in "tac"}
    fused.check(images)
    fused.check({**images, "a": bytes_})  # it is only read
    with pytest.raises(CheckError, match=r"^'t' does not keep each float4$"):
        fused.check({**images, "t": bytes_})


def test_a_format_that_rounds_makes_a_difference() -> None:
    """So the check is needed: through bytes the original kernels give other numbers."""
    with pytest.raises(AssertionError, match="c differs"):
        same(
            ["invert(t, a, w, h)", "half_of(c, t, w, h)"],
            ["c"],
            launches=1,
            buffers={"t": picture(1, "u1")},
        )


def test_check_of_sizes() -> None:
    fused = fuse(SOURCE, ["sized(t, a)", "sized(c, t)"], ["c"])
    context = cl.Context([pocl_device()])
    images = {name: image(context, cl.channel_type.FLOAT) for name in "tac"}
    fused.check(images)
    with pytest.raises(CheckError, match=r"^get_image_width\(t\) is not get_image_width\(c\)$"):
        fused.check({**images, "t": image(context, cl.channel_type.FLOAT, W + 1)})


def test_check_of_one_image_under_two_names() -> None:
    fused = fuse(SOURCE, ["invert(t, a, w, h)", "half_of(c, t, w, h)"], ["c"])
    context = cl.Context([pocl_device()])
    images = {name: image(context, cl.channel_type.FLOAT) for name in "tac"}
    with pytest.raises(CheckError, match=r"^'a' and 'c' share memory$"):
        fused.check({**images, "a": images["c"]})


def test_more_images_to_write_than_devices_take() -> None:
    """Eight are in the first kernel; what is kept in variables does not count."""
    calls = [f"invert(c{n}, a, w, h)" for n in range(9)]
    fused = fuse(SOURCE, [*calls, "sum(d, c0, c1, w, h)"])
    assert [len(launch.calls) for launch in fused.kernels] in ([8, 2], [7, 3])
    cut = next(d for d in fused.diagnostics if d.code == "KF223")
    assert cut.message == (
        "the fused kernel would have 9 images to write; devices need take no more than 8"
    )
    internal = fuse(SOURCE, [*calls, "sum(d, c0, c1, w, h)"], ["c0", "c1", "d"])
    assert len(internal.kernels) == 1
    assert len(fuse(SOURCE, calls, target=Target(write_images=9)).kernels) == 1


def test_more_samplers_than_the_target_has() -> None:
    calls = ["invert(s, a, w, h)", "blurred(t, a, w, h)"]
    fused = fuse(SOURCE, calls, target=Target("small", samplers=1))
    (cut,) = (d for d in fused.diagnostics if d.code == "KF223")
    assert cut.message == (
        "the fused kernel would have 2 samplers; the target takes no more than 1"
    )
