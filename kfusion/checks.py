"""Does what a fusion took for granted hold for these buffers, numbers and launches?"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from math import prod
from operator import add
from typing import Any

from kfusion.graph.model import (
    Assumption,
    AtLeast,
    AtMost,
    Below,
    Crowded,
    Disjoint,
    Equal,
    Keeps,
    Reaches,
    RegionPlan,
    Sized,
    UpTo,
    Within,
)
from kfusion.kernel.evaluate import image_of
from kfusion.kernel.forms import Value, part_called
from kfusion.kernel.types import INTEGERS
from kfusion.notation import literal

MOST_ITEMS = (1 << 31) - (1 << 15)  # of a launch: proofs take that for granted

Sizes = tuple[int, ...]


class CheckError(ValueError):
    """What fusion took for granted does not hold for these arguments."""


def check_numbers(numbers: Mapping[str, float], args: Mapping[str, Any]) -> None:
    """`numbers`: those that the kernels were fused for."""
    for name, number in numbers.items():
        if args.get(name, number) != number:
            raise CheckError(f"'{name}' is {args[name]}, and was fused for {number}")


def check_plan(
    plan: RegionPlan,
    args: Mapping[str, Any] | None,
    sizes: Sequence[Sizes] | None,
    offsets: Sequence[Sizes] | None,
    local: Sequence[Sizes | None] | None,
) -> None:
    """Raise CheckError unless the assumptions hold.

    By calls: `sizes`, global ones; `offsets`; `local`, sizes of groups, or None for what the
    implementation chooses. What is None as a whole is not compared.
    """
    assumptions = [assumed for group in plan.groups for assumed in group.assumptions]
    if args is not None:
        _check_memory(assumptions, args)
    if offsets is not None:
        _check_offsets(plan, offsets)
    if local is not None:
        _check_groups(assumptions, local)
    if sizes is not None:
        if len(sizes) != len(plan.invocations):
            raise CheckError(
                f"{len(sizes)} ranges are given for {len(plan.invocations)} calls: "
                "expected one each"
            )
        _check_ranges(plan, sizes, offsets)
        _check_limits(assumptions, args, sizes, offsets)


def _check_memory(assumptions: Sequence[Assumption], args: Mapping[str, Any]) -> None:
    from kfusion.device.overlap import image_size, keeps, overlap

    for assumed in assumptions:
        if isinstance(assumed, Keeps) and not keeps(args[assumed.memory], assumed.type):
            raise CheckError(f"'{assumed.memory}' does not keep each {assumed.type}")
        if isinstance(assumed, Equal):
            sides = [image_of(name) for name in (assumed.left, assumed.right)]
            sizes = {image_size(args[image], which) for image, which in filter(None, sides)}
            if len(sizes) > 1:
                raise CheckError(f"{assumed.left} is not {assumed.right}")
        if isinstance(assumed, AtMost):
            _check_order(assumed, args)
        if isinstance(assumed, AtLeast):
            _check_least(assumed, args)
        if isinstance(assumed, UpTo):
            _check_end(assumed, args)
        if isinstance(assumed, Disjoint):
            for name in (assumed.left, assumed.right):
                if args.get(name) is None:
                    raise CheckError(f"no buffer is given for '{name}'")
            if overlap(args[assumed.left], args[assumed.right]):
                raise CheckError(f"'{assumed.left}' and '{assumed.right}' share memory")


def _check_offsets(plan: RegionPlan, offsets: Sequence[Sizes]) -> None:
    for group in plan.groups:
        for call in (plan.invocations[i] for i in group.members):
            offset = offsets[call.index]
            if group.fused and any(offset) and (group.tiles or not call.range.offset):
                raise CheckError(
                    f"the global offset is {offset}, and call {call.index} was fused for "
                    f"none: give LaunchRange({call.range.dimensions}, ..., offset=True) "
                    "among the ranges of fuse()"
                )


def _check_groups(assumptions: Sequence[Assumption], local: Sequence[Sizes | None]) -> None:
    for assumed in assumptions:
        if not isinstance(assumed, Sized | Crowded):
            continue
        given = local[assumed.invocation]
        size = (*given, 1, 1)[assumed.dimension] if given is not None else None
        groups = f"groups of {given}" if given is not None else "no local size"
        if isinstance(assumed, Sized) and size != assumed.size:
            raise CheckError(
                f"call {assumed.invocation} has {groups}, and was fused for "
                f"{assumed.size} in dimension {assumed.dimension}"
            )
        if isinstance(assumed, Crowded) and (size is None or size > assumed.most):
            raise CheckError(
                f"call {assumed.invocation} has {groups}, and was fused for no more "
                f"than {assumed.most} in dimension {assumed.dimension}"
            )


def _check_limits(
    assumptions: Sequence[Assumption],
    args: Mapping[str, Any] | None,
    sizes: Sequence[Sizes],
    offsets: Sequence[Sizes] | None,
) -> None:
    for assumed in assumptions:
        if isinstance(assumed, Reaches):
            _check_reach(assumed, args, sizes)
        if isinstance(assumed, Below):
            limit, what = assumed.most, f", behind {assumed.most}"
        elif isinstance(assumed, Within) and args is not None:
            limit = int(_given(assumed.scalar, args))
            what = f", behind '{assumed.scalar}', which is {limit}"
        else:
            continue
        d = assumed.dimension
        start = (*offsets[assumed.invocation], 0, 0)[d] if offsets is not None else 0
        end = sizes[assumed.invocation][d] + start
        if end > limit:
            raise CheckError(
                f"the range of call {assumed.invocation} ends at {end} in dimension {d}{what}"
            )


def _check_ranges(
    plan: RegionPlan, sizes: Sequence[Sizes], offsets: Sequence[Sizes] | None
) -> None:
    for group in (group for group in plan.groups if group.fused):
        for call in group.members:
            size, offset = sizes[call], offsets[call] if offsets is not None else ()
            if prod(map(add, size, (*offset, 0, 0, 0))) > MOST_ITEMS:
                begin = f" from {offset}" if any(offset) else ""
                raise CheckError(
                    f"call {call} has the range {size}{begin}: over {MOST_ITEMS} items"
                )
            if group.tiles is not None and not group.tiles.fit(sizes[call]):
                raise CheckError(
                    f"call {call} has the range {sizes[call]}, which is not done in tiles"
                )
    for group in plan.groups:
        first, *others = group.members
        for other in others:
            if sizes[first] != sizes[other]:
                raise CheckError(
                    f"call {first} has the range {sizes[first]}, call {other} the range "
                    f"{sizes[other]}"
                )
        # Who owns an element was decided for so many dimensions.
        dimensions = plan.invocations[first].range.dimensions
        if others and any(size != 1 for size in sizes[first][dimensions:]):
            raise CheckError(
                f"call {first} has the range {sizes[first]}, and was fused for "
                f"{dimensions} dimension{'s' * (dimensions > 1)}: give LaunchRange("
                f"{len(sizes[first])}, ...) among the ranges of fuse()"
            )


def _check_reach(
    assumed: Reaches, args: Mapping[str, Any] | None, sizes: Sequence[tuple[int, ...]]
) -> None:
    if assumed.scalar and args is None:
        return
    number = _number(assumed.scalar, assumed.type, args or {}) if assumed.scalar else 0
    end, size = number + assumed.more, sizes[assumed.invocation][assumed.dimension]
    if end > size:
        raise CheckError(
            f"call {assumed.invocation} has {size} items in dimension {assumed.dimension}, and a "
            f"later call reads what {end} would make"
        )


def _check_order(assumed: AtMost, args: Mapping[str, Any]) -> None:
    left, right = (_number(name, assumed.type, args) for name in (assumed.left, assumed.right))
    if left * assumed.times > right:
        several = f"{assumed.times} times " if assumed.times > 1 else ""
        raise CheckError(
            f"{several}'{assumed.left}' is {left * assumed.times}, more than "
            f"'{assumed.right}', which is {right}"
        )


def _check_least(assumed: AtLeast, args: Mapping[str, Any]) -> None:
    value = _number(assumed.scalar, assumed.type, args)
    if value < assumed.least:
        raise CheckError(f"'{assumed.scalar}' is {value}, less than {assumed.least}")


def _check_end(assumed: UpTo, args: Mapping[str, Any]) -> None:
    names = [assumed.scalar, *([assumed.by] if assumed.by else [])]
    value = prod(_number(name, assumed.type, args) for name in names)
    if value > assumed.most:
        told = " * ".join(f"'{name}'" for name in names)
        raise CheckError(f"{told} is {value}, more than {assumed.most}")


def _number(name: str, type_: str, args: Mapping[str, Any]) -> int:
    return _in_kernel(int(_given(name, args)), type_)


def number_in(scalar: Any, part: Value) -> int:
    """What stands there, in a vector or a structure that is given as an array or as bytes."""
    import numpy as np

    scalar = scalar[1] if isinstance(scalar, tuple) else scalar  # its type, and its bytes
    text = scalar if isinstance(scalar, bytes) else np.asarray(scalar).tobytes()
    width, signed = INTEGERS[part.type]
    text = text[part.bytes : part.bytes + width // 8]
    return int.from_bytes(text, sys.byteorder, signed=signed)


def _given(name: str, args: Mapping[str, Any]) -> Any:
    part = part_called(name)
    if part is not None:
        return number_in(_given(part.name, args), part)
    value = args.get(name, literal(name))
    if value is None:
        raise CheckError(f"no value is given for '{name}'")
    return value


def _in_kernel(value: int, type_: str) -> int:
    """What a parameter of the type makes of it."""
    width, signed = INTEGERS[type_]
    value %= 1 << width
    return value - (1 << width) if signed and value >> (width - 1) else value
