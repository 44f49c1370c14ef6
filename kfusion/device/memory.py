"""What is known of a memory object of PyOpenCL, as long as it lives."""

from __future__ import annotations

from typing import Any, NamedTuple

import pyopencl as cl
from pyopencl import array

from kfusion.device.overlap import Extent, extent

_ATTRIBUTE = "what kfusion knows"  # in an object's dictionary, where no field can be called so
_KINDS = (cl.Buffer, cl.Image, cl.tools.PooledBuffer)
_MAPPED = cl.mem_info.MAP_COUNT


class Known(NamedTuple):
    """All of this stays the same until the memory is released."""

    key: object  # two objects with one handle are the same memory
    extent: Extent
    parent: Any  # of a part of a buffer, and of an image over one
    image: tuple[object, ...]  # its format and sizes


def known(memory: Any) -> Known | None:
    """None: nobody knows what it is, or it lies in memory of the host."""
    if type(memory) not in _KINDS:
        return None
    kept = vars(memory)
    if _ATTRIBUTE not in kept:
        kept[_ATTRIBUTE] = _ask(memory)
    found: Known | None = kept[_ATTRIBUTE]
    return found


def _ask(memory: Any) -> Known | None:
    own = extent(memory)
    if own is None or memory.flags & cl.mem_flags.USE_HOST_PTR:
        return None
    parent = memory.get_info(cl.mem_info.ASSOCIATED_MEMOBJECT)
    image: tuple[object, ...] = ()
    if isinstance(memory, cl.Image):
        image = memory.format, memory.width, memory.height
    return Known(("memory", memory.int_ptr), own, parent, image)


def is_mapped(memory: Any, parent: Any) -> bool:
    return bool(memory.get_info(_MAPPED) or (parent is not None and parent.get_info(_MAPPED)))


def whole(memory: Any) -> Extent | None:
    """All that an array may lie in."""
    base = memory.base_data if isinstance(memory, array.Array) else memory
    own = known(base)
    return extent(base) if own is None else own.extent


def lies(memory: Any) -> Extent | None:
    own = whole(memory)
    if own is None or not isinstance(memory, array.Array):
        return own
    start = own.start + int(memory.offset)
    return Extent(own.owner, start, start + int(memory.nbytes))
