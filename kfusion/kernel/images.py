"""Images: the texel that a call reads or writes, and what samplers make of coordinates.

Only a sampler with unnormalised coordinates and without filtering gives the texel at the
coordinates. Others read texels around it: which ones depends on the size of the image.
"""

from __future__ import annotations

from pycparser import c_ast

from kfusion.kernel.builtins import image_call
from kfusion.kernel.conditions import Conditions
from kfusion.kernel.evaluate import Environment
from kfusion.kernel.forms import Form
from kfusion.kernel.model import OF_KERNEL, Mode, Texel
from kfusion.kernel.settled import is_settled
from kfusion.kernel.texels import texel_of
from kfusion.kernel.types import canonical
from kfusion.parse.unit import Unit, arguments_of, called_name
from kfusion.source.dataclasses import dataclass
from kfusion.source.protections import is_on, protection

SAMPLERS = protection("samplers", "only some samplers give the texel at the coordinates")

# By type: how many coordinates, the layer included. Of others none is followed.
COORDINATES = {
    **dict.fromkeys(("image1d_t", "image1d_buffer_t"), 1),
    **dict.fromkeys(("image2d_t", "image1d_array_t"), 2),
    **dict.fromkeys(("image3d_t", "image2d_array_t"), 3),
}
_OWN = frozenset(("CLK_NORMALIZED_COORDS_FALSE", "CLK_FILTER_NEAREST"))
_ADDRESSING = frozenset(
    f"CLK_ADDRESS_{each}" for each in "NONE CLAMP CLAMP_TO_EDGE REPEAT MIRRORED_REPEAT".split()
)
_UNKNOWN = "nothing is known of the sampler"


@dataclass(frozen=True)
class ImageCall:
    """A call of read_image... or write_image... with an image parameter of the kernel."""

    image: str
    mode: Mode
    texel: Texel
    form: Form | None
    evaluated: tuple[c_ast.Node, ...]  # the coordinates, and what is written


def read_image_call(env: Environment, node: c_ast.FuncCall) -> ImageCall | None:
    """None: not a call of that kind, or not in a form that is followed."""
    called = image_call(called_name(node))
    arguments = arguments_of(node)
    if called is None or len(arguments) not in (2, 3):
        return None
    image = env.image(arguments[0])
    kind, type_ = called
    reads = kind == "read"
    if image is None or not (reads or len(arguments) == 3):
        return None
    place = len(arguments) - 1 if reads else 1
    at = env.unit.ends.operand(arguments[place])
    value = None if reads else at[1] + 1
    sampler = arguments[1] if reads and len(arguments) == 3 else None
    texel = Texel(
        type_,
        at,
        value,
        _named(env, sampler) if sampler is not None else "",
        _trouble(env, image, sampler) if reads else "",
    )
    rank = env.ranks[image]
    followed = rank > 0 and (not texel.trouble or not is_on(SAMPLERS))
    return ImageCall(
        image,
        Mode.READ if reads else Mode.WRITE,
        texel,
        texel_of(env, arguments[place], rank) if followed else None,
        tuple(arguments[place:]),
    )


def _named(env: Environment, node: c_ast.Node) -> str:
    declared = isinstance(node, c_ast.ID) and env.symbol(node) is None
    return str(node.name) if declared and node.name in env.samplers else OF_KERNEL


def _trouble(env: Environment, image: str, sampler: c_ast.Node | None) -> str:
    if not env.ranks[image]:
        return f"coordinates in '{image}' are not followed"
    return sampler_of(env, sampler) if sampler is not None else ""


def sampler_of(env: Environment, node: c_ast.Node) -> str:
    """Why the sampler may not give the texel at the coordinates; "" if it does."""
    if isinstance(node, c_ast.ID):
        symbol = env.symbol(node)
        known = env.samplers.get(symbol if symbol is not None else node.name)
        if known is not None:
            return known
        if symbol is not None and symbol.parameter:
            return "the host gives the sampler"
    return sampler_value(env, node)


def sampler_value(env: Environment, node: c_ast.Node | None) -> str:
    """The same of a sampler's value: `CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST`."""
    names = _flags(env, node)
    if "CLK_NORMALIZED_COORDS_TRUE" in names:
        return "the sampler has normalised coordinates"
    if "CLK_FILTER_LINEAR" in names:
        return "the sampler mixes neighbours"
    return "" if names >= _OWN and names <= _OWN | _ADDRESSING else _UNKNOWN


def _flags(env: Environment, node: c_ast.Node | None) -> set[str]:
    """The names that a value is put together from; one that is none if there is anything else."""
    if isinstance(node, c_ast.BinaryOp) and node.op in ("|", "+"):
        return _flags(env, node.left) | _flags(env, node.right)
    if isinstance(node, c_ast.Cast):
        return _flags(env, node.expr)
    if isinstance(node, c_ast.ID) and env.certain(env.unit.index(node), env.unit.index(node)):
        return {node.name}
    return {"?"}


def samplers_of(unit: Unit, conditions: Conditions) -> dict[str, str]:
    """Of the samplers that the file declares, why they may not give the texel asked for."""
    env = Environment(unit, {}, conditions.certain)
    found: dict[str, str] = {}
    for node in unit.ast.ext:
        if not isinstance(node, c_ast.Decl) or canonical(unit, node.type) != "sampler_t":
            continue
        certain = is_settled(conditions, unit.index(node))
        trouble = sampler_value(env, node.init) if certain else _UNKNOWN
        found[node.name] = _UNKNOWN if node.name in found else trouble
    return found
