"""What the guard asks OpenCL of images: formats and sizes, of those that are there on entry."""

from __future__ import annotations

from kfusion.graph.model import Group, Keeps
from kfusion.host.equality import identity
from kfusion.host.library import Run
from kfusion.host.merge import RegionAnalysis
from kfusion.host.symbolic import Entry, Sym
from kfusion.regenerate.ctext import Renderer
from kfusion.regenerate.pieces import CannotWriteError
from kfusion.source.protections import is_on, protection

GUARD_FORMATS = protection("guard-formats", "formats of images are not looked at")
GUARD_MADE = protection("guard-made", "images that are made on the way are taken for older ones")

_CHANNELS = {"float4": "CL_FLOAT", "int4": "CL_SIGNED_INT32", "uint4": "CL_UNSIGNED_INT32"}


def format_conditions(
    analysis: RegionAnalysis, group: Group, runs: list[Run], renderer: Renderer
) -> list[str]:
    """Images that variables stand for must give back what is written to them."""
    found: list[str] = []
    for assumption in group.assumptions:
        if isinstance(assumption, Keeps) and is_on(GUARD_FORMATS):
            image = renderer.value(image_on_entry(analysis, group, runs, assumption.memory))
            if image is None:
                raise CannotWriteError(f"'{assumption.memory}' cannot be named on entry")
            found.append(f"!kfusion_keeps({image}, {_CHANNELS[assumption.type]})")
    return found


def image_on_entry(analysis: RegionAnalysis, group: Group, runs: list[Run], name: str) -> Sym:
    """An image that a function makes, if only perhaps, may be of any format and size."""
    values = [
        value
        for member, run in zip(group.members, runs, strict=True)
        for position, argument in enumerate(analysis.invocations[member].arguments)
        if argument.name == name and position in run.set_arguments
        if (value := run.set_arguments[position].value) is not None
    ]
    was_there = all(isinstance(value, Entry) for value in values)
    if not values or (not was_there and is_on(GUARD_MADE)):
        raise CannotWriteError("an image may be made on the way, of another format or size")
    return identity(values[0])
