"""Images in a group: a kernel cannot read and write one, so values go through variables.

For buffers internalising is an optimisation: what is not kept in a variable goes through
memory. For images that way does not exist. And a variable has the value only if the image
would have kept it as it is: that depends on its format, which the host chooses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kfusion.graph.bind import BoundAccess, Stage
from kfusion.graph.model import Keeps
from kfusion.graph.target import Target
from kfusion.graph.values import GroupValues, Role
from kfusion.kernel.model import OF_KERNEL
from kfusion.source.diagnostics import Reason
from kfusion.source.protections import is_on, protection

READ_AND_WRITTEN = protection("read-and-written", "no kernel reads and writes one image")
WRITTEN_TWICE = protection("written-twice", "no two calls of a kernel write one image")
FORMATS = protection("formats", "variables hold what the image would")


def unfit_images(stages: Sequence[Stage], values: GroupValues) -> Reason | None:
    """Why the group's images cannot be parameters of one kernel."""
    reads: dict[str, BoundAccess] = {}
    writes: dict[str, BoundAccess] = {}
    for access, is_read, is_written in _in_memory(stages, values):
        name = access.memory.name
        if is_read:
            reads.setdefault(name, access)
        before = writes.get(name) if is_written else None
        if before is not None and before.stage is not access.stage and is_on(WRITTEN_TWICE):
            return Reason(
                "KF232",
                f"{access} and {before} both write '{access.memory}': which of two values an "
                "image keeps is not certain in one kernel",
                access.access.span,
                related=((f"{before.stage.kernel_name}() writes it here", before.access.span),),
            )
        if is_written:
            writes.setdefault(name, access)
    for name in reads.keys() & writes.keys() if is_on(READ_AND_WRITTEN) else ():
        read, write = reads[name], writes[name]
        return Reason(
            "KF232",
            f"{read} reads the image '{read.memory}', and {write} writes it: no kernel may do both",
            read.access.span,
            related=((f"{write.stage.kernel_name}() writes it here", write.access.span),),
        )
    return None


def too_many_images(stages: Sequence[Stage], values: GroupValues, target: Target) -> Reason | None:
    """More images or samplers than a kernel may have on the target."""
    reads: set[str] = set()
    writes: set[str] = set()
    for access, is_read, is_written in _in_memory(stages, values):
        reads |= {access.memory.name} if is_read else set()
        writes |= {access.memory.name} if is_written else set()
    counts = (
        (len(reads), "images to read", target.read_images),
        (len(writes), "images to write", target.write_images),
        (len(_samplers(stages, values)), "samplers", target.samplers),
    )
    for count, what, most in counts:
        if count > most:
            return Reason(
                "KF223",
                f"the fused kernel would have {count} {what}; {target.takes} {most}",
                stages[-1].invocation.span,
            )
    return None


def _samplers(stages: Sequence[Stage], values: GroupValues) -> set[str]:
    """Those of the file by name; each kernel's own, and the host's, count one by one."""
    texels = (
        (access.stage, access.access.texel)
        for access, is_read, _ in _in_memory(stages, values)
        if is_read and access.access.texel is not None
    )
    return {
        texel.sampler if texel.sampler != OF_KERNEL else f"{stage.invocation.index} {texel.trouble}"
        for stage, texel in texels
        if texel.sampler
    }


def _in_memory(
    stages: Sequence[Stage], values: GroupValues
) -> Iterator[tuple[BoundAccess, bool, bool]]:
    """Accesses to images that are left, and whether they read and write the image itself."""
    for number, stage in enumerate(stages):
        for access in stage.accesses:
            place = values.places.get((number, access.number))
            if access.access.texel is None or place is None:
                continue
            as_written, mode = place.role is Role.MEMORY, access.access.mode
            yield (
                access,
                place.role is Role.LOAD or (as_written and mode.reads),
                place.stored or place.flushed or (as_written and mode.writes),
            )


def kept_as_they_are(stages: Sequence[Stage], values: GroupValues) -> list[Keeps]:
    """What the images must be able to hold of which variables take the place."""
    found: dict[Keeps, None] = {}
    for number, stage in enumerate(stages):
        for access in stage.accesses:
            place = values.places.get((number, access.number))
            name = access.memory.name
            if access.access.texel is None or place is None or place.role is not Role.USE:
                continue
            if any(name in other.written for other in stages) and is_on(FORMATS):
                found[Keeps(name, access.type)] = None
    return list(found)
