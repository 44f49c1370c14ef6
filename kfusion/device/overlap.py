"""Do two memory objects of PyOpenCL share memory?"""

from __future__ import annotations

from typing import Any, NamedTuple


def overlap(left: Any, right: Any) -> bool:
    """Of buffers, sub-buffers, arrays and SVM of PyOpenCL: at least one common byte."""
    if left is right:
        return True
    a, b = extent(left), extent(right)
    if a is None or b is None:
        return False
    return a.owner == b.owner and a.start < b.end and b.start < a.end


class Extent(NamedTuple):
    """What owns a memory object, and the bytes of it."""

    owner: object
    start: int
    end: int


def extent(memory: Any) -> Extent | None:
    """None for what is no memory."""
    import pyopencl as cl

    if isinstance(memory, Extent):
        return memory
    if hasattr(memory, "base_data"):  # pyopencl.array.Array
        inner = extent(memory.base_data)
        if inner is None:
            return None
        start = inner[1] + int(memory.offset)
        return Extent(inner[0], start, start + int(memory.nbytes))
    if hasattr(memory, "svm_ptr"):
        return Extent("host", int(memory.svm_ptr), int(memory.svm_ptr) + int(memory.size))
    if not isinstance(memory, cl.MemoryObjectHolder):
        return None
    info: Any = memory.get_info
    size = int(info(cl.mem_info.SIZE))
    if info(cl.mem_info.FLAGS) & cl.mem_flags.USE_HOST_PTR:
        # Two buffers may lie over one host pointer; a sub-buffer inherits the flag.
        address: Any = memory.get_host_array((size,), "uint8")
        return Extent("host", address.ctypes.data, address.ctypes.data + size)
    parent: Any = info(cl.mem_info.ASSOCIATED_MEMOBJECT)
    if parent is None:
        return Extent(memory.int_ptr, 0, size)
    if info(cl.mem_info.TYPE) != cl.mem_object_type.BUFFER:
        return extent(parent)  # an image may lie anywhere in its buffer
    owner, start, _ = extent(parent) or (parent.int_ptr, 0, 0)
    offset = start + int(info(cl.mem_info.OFFSET))
    return Extent(owner, offset, offset + size)


def keeps(image: Any, type_: str) -> bool:
    """Does the image give back vectors of four numbers of the type as they were written?"""
    import pyopencl as cl

    channels = {"float4": "FLOAT", "int4": "SIGNED_INT32", "uint4": "UNSIGNED_INT32"}
    wanted = cl.ImageFormat(cl.channel_order.RGBA, getattr(cl.channel_type, channels[type_]))
    is_kept = isinstance(image, cl.Image) and image.format == wanted
    # Coordinates may be floats: larger ones they round.
    return is_kept and max(image.width, image.height) <= 1 << 23


def image_size(image: Any, which: str) -> int:
    return int(getattr(image, which))
