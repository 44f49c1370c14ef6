"""Images for runs of a region's kernels: how large they are, and what is in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from kfusion.device.extents import Launched, highest
from kfusion.kernel.forms import GLOBAL_ID, Comparison, Id, coordinates, form_of
from kfusion.kernel.model import Kernel, Mode
from kfusion.source.dataclasses import dataclass

Array = npt.NDArray[np.generic]

_CHANNELS = {
    "float4": (np.float32, cl.channel_type.FLOAT),
    "int4": (np.int32, cl.channel_type.SIGNED_INT32),
    "uint4": (np.uint32, cl.channel_type.UNSIGNED_INT32),
}


@dataclass(frozen=True)
class Shape:
    width: int
    height: int
    type: str  # of a texel: float4

    def joined(self, other: Shape) -> Shape:
        width, height = max(self.width, other.width), max(self.height, other.height)
        return Shape(width, height, self.type)

    @property
    def texels(self) -> int:
        return self.width * self.height


def image_shapes(kernel: Kernel, launched: Launched) -> dict[str, Shape]:
    """For each image parameter; one that is only read is as large as those that are written.

    What lies outside is then read as well, as the sampler has it.
    """
    names = [p.name for p in kernel.parameters if p.image is not None]
    types = {a.parameter: a.texel.type for a in kernel.accesses if a.texel is not None}
    written: dict[str, Shape] = {}
    for access in kernel.accesses:
        if access.texel is None or access.mode is not Mode.WRITE or access.form is None:
            continue
        guarded = _guarded(launched, access.facts)
        x, y = (highest(part, access.facts, guarded) for part in coordinates(access.form))
        shape = Shape(x + 1, y + 1, access.texel.type)
        name = access.parameter
        written[name] = shape.joined(written[name]) if name in written else shape
    width, height = (*launched.size, 1)[:2]
    width = max((s.width for s in written.values()), default=width)
    height = max((s.height for s in written.values()), default=height)
    others = {name: Shape(width, height, types.get(name, "float4")) for name in names}
    return {**others, **written}


def _guarded(launched: Launched, facts: Sequence[Comparison]) -> Launched:
    """Without the items that the guards keep out."""
    sizes = list(launched.size)
    for dimension in range(len(sizes)):
        for fact in facts:
            known = all(value.name in launched.scalars for value in fact.right.scalars)
            if known and fact.op in ("<", "<=") and fact.left == form_of(Id(GLOBAL_ID, dimension)):
                limit = highest(fact.right, (), launched) + (fact.op == "<=")
                sizes[dimension] = max(min(sizes[dimension], limit), 1)
    return replace(launched, size=tuple(sizes), local=None)


def random_image(random: np.random.Generator, shape: Shape) -> Array:
    kind = _CHANNELS[shape.type][0]
    size = (shape.height, shape.width, 4)
    if kind is np.float32:
        return (random.random(size) * 3.75 + 0.25).astype(kind)
    return random.integers(0, 100, size).astype(kind)


def memory_of(context: cl.Context, array: Array) -> cl.Buffer | cl.Image:
    """An array of three dimensions, rows of texels of four numbers, becomes an image."""
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    if array.ndim != 3:
        return cl.Buffer(context, flags, hostbuf=array)
    channels = next(c for kind, c in _CHANNELS.values() if array.dtype == kind)
    kind = cl.ImageFormat(cl.channel_order.RGBA, channels)
    return cl.create_image(context, flags, kind, shape=array.shape[1::-1], hostbuf=array)


def copied_from(queue: cl.CommandQueue, memory: cl.Buffer | cl.Image, like: Array) -> Array:
    """What the memory holds, number by number."""
    result = np.empty_like(like)
    if isinstance(memory, cl.Image):
        cl.enqueue_copy(queue, result, memory, origin=(0, 0), region=like.shape[1::-1])
    else:
        cl.enqueue_copy(queue, result, memory)
    return result.ravel()
