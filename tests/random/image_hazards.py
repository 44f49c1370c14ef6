"""The same over images: an image is written, and then read where another item writes."""

from __future__ import annotations

from collections.abc import Sequence

from tests.random.frames import LENGTH, World
from tests.random.hazards import I, Make, Motif, _pair, kernel, own, reads, writes
from tests.random.model import Kernel, Touch

SAMPLER = (
    "const sampler_t s = CLK_NORMALIZED_COORDS_{} | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;"
)
TEXELS = SAMPLER.format("FALSE")
SCALED = SAMPLER.format("TRUE")


def _painted(prefix: str, statement: str) -> Kernel:
    """Writes c from a; `{}` in the statement is the write."""
    write = "write_imagef(c, (int2)(i, 0), (float4)(a[i], 0.0f, 0.0f, 1.0f));"
    return kernel(
        f"{prefix}f",
        "write_only image2d_t c, global const float *a",
        f"{I} {statement.format(write)}",
        Touch("c", own, reads=False, writes=True),
        reads("a"),
    )


def _reader(prefix: str, body: str, touch: Touch, before: str = "") -> Kernel:
    head = "global float *c, read_only image2d_t a"
    return kernel(f"{prefix}g", head, f"{I} {body}", writes("c"), touch, before=before)


def _motif(world: World, names: Sequence[str], painter: Kernel, reader: Kernel) -> Motif:
    return Motif(_pair(world, painter, reader, (names[0], "image", names[1])))


NEIGHBOUR = reads("a", lambda item, _shape, _bound: [item[0] + 1])
SOMEWHERE = reads("a", lambda item, _shape, _bound: [LENGTH - 1 if item[0] else LENGTH // 2])


def image(world: World, p: str, names: Sequence[str]) -> Motif:
    body = f"{TEXELS} c[i] = read_imagef(a, s, (int2)(i + 1, 0)).x;"
    return _motif(world, names, _painted(p, "{}"), _reader(p, body, NEIGHBOUR))


def image_that_a_helper_reads(world: World, p: str, names: Sequence[str]) -> Motif:
    helper = (
        f"float {p}at(read_only image2d_t a, int i)\n"
        "{\n    return read_imagef(a, (int2)(i + 1, 0)).x;\n}\n"
    )
    reader = _reader(p, f"c[i] = {p}at(a, i);", NEIGHBOUR, before=helper)
    return _motif(world, names, _painted(p, "{}"), reader)


def image_that_a_helper_writes(world: World, p: str, names: Sequence[str]) -> Motif:
    helper = (
        f"void {p}put(write_only image2d_t c, int i, float v)\n"
        "{\n    write_imagef(c, (int2)(i, 0), (float4)(v));\n}\n"
    )
    painter = kernel(
        f"{p}f",
        "write_only image2d_t c, global const float *a",
        f"{I} {p}put(c, i, a[i]);",
        Touch("c", own, reads=False, writes=True),
        reads("a"),
        before=helper,
    )
    body = f"{TEXELS} c[i] = read_imagef(a, s, (int2)(i + 1, 0)).x;"
    return _motif(world, names, painter, _reader(p, body, NEIGHBOUR))


def image_with_scaled_coordinates(world: World, p: str, names: Sequence[str]) -> Motif:
    """Item 0 reads the middle of the image, the others its end."""
    body = f"{SCALED} c[i] = read_imagef(a, s, (float2)(i + 0.5f, 0.5f)).x;"
    return _motif(world, names, _painted(p, "{}"), _reader(p, body, SOMEWHERE))


def image_that_few_write(world: World, p: str, names: Sequence[str]) -> Motif:
    """The others read what was there before: no kernel may read and write it."""
    body = f"{TEXELS} c[i] = read_imagef(a, s, (int2)(i, 0)).x;"
    painter = _painted(p, "if (i % 3 == 0) {}")
    return _motif(world, names, painter, _reader(p, body, reads("a")))


IMAGES: dict[str, Make] = {
    make.__name__: make
    for make in (
        image,
        image_that_a_helper_reads,
        image_that_a_helper_writes,
        image_with_scaled_coordinates,
        image_that_few_write,
    )
}
