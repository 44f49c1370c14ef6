"""Fusion for users of PyOpenCL: kernels as text, and the calls of a region as strings.

There is no host code to prove anything from, so by agreement different names are
different memory, and all calls have one range, without a global offset.
`Fused.check` tests that agreement.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any

from kfusion.graph.model import (
    Assumption,
    AtLeast,
    AtMost,
    Below,
    Crowded,
    Disjoint,
    Equal,
    Invocation,
    Keeps,
    LaunchRange,
    Reaches,
    RegionPlan,
    Sized,
    Tiles,
    UpTo,
    Within,
)
from kfusion.graph.plan import plan_region
from kfusion.graph.target import ANY, AUTO, Target, target_of
from kfusion.kernel.evaluate import image_of
from kfusion.kernel.model import Kernel
from kfusion.kernel.read import PATIENCE, read_kernels
from kfusion.kernel.types import INTEGERS
from kfusion.notation import Agreement, Call, check_names, literal, read_call
from kfusion.parse.annotations import find_annotations
from kfusion.parse.compiler import Preprocessor
from kfusion.parse.opencl import parse_opencl
from kfusion.parse.sources import preprocess_opencl
from kfusion.parse.unit import Unit
from kfusion.source.dataclasses import dataclass
from kfusion.source.depth import refuses_depth
from kfusion.source.diagnostics import Diagnostic, Reason, Severity, error
from kfusion.source.text import SourceFile
from kfusion.synthesis.files import with_kernels
from kfusion.synthesis.kernel import kernel_name, synthesise
from kfusion.synthesis.model import FusedKernel, NotWrittenError

_MOST_ITEMS = 1 << 31  # of a launch: proofs take that for granted
_ONE_RANGE = "the range of all calls"
_ONE_GROUP = "the local size of all calls"


@dataclass(frozen=True)
class Launch:
    """One kernel to launch: its name and its arguments, as the calls wrote them.

    That is a name, or the text of a number: `"0.5f"`.

    If `elements` is more than one, an item does the work of so many: the kernel is launched
    over `items(size, local)`, in groups of `local`, and has one more argument, the last: the
    size (a `ulong`).

    If there are `tiles`, a group does the work of so many items: the kernel is launched over
    `over(size)`, a global and a local size, and has more arguments, the last: the size, an
    `int` for each dimension.
    """

    name: str
    arguments: tuple[str, ...]
    calls: tuple[int, ...]  # which of the calls it does
    elements: int = 1
    tiles: Tiles | None = None

    def items(self, size: int, local: int) -> int:
        """How many items do the work of `size`."""
        return -(-size // (self.elements * local)) * local if self.elements > 1 else size

    def over(
        self, size: tuple[int, ...], local: tuple[int, ...] | None = None
    ) -> tuple[tuple[int, ...], tuple[int, ...] | None]:
        """The global and the local size for calls that would have these."""
        if self.tiles is not None:
            return self.tiles.launched(size), self.tiles.local
        if self.elements > 1:
            return (self.items(size[0], local[0] if local else 1),), local
        return size, local


class CheckError(ValueError):
    """What fusion took for granted does not hold for these arguments."""


@dataclass(frozen=True)
class Fused:
    source: str
    kernels: tuple[Launch, ...]
    plan: RegionPlan
    diagnostics: tuple[Diagnostic, ...]
    fused: tuple[FusedKernel, ...] = ()

    def check(
        self,
        args: Mapping[str, Any] | None,
        ranges: Sequence[int | Sequence[int]] | None = None,
        *,
        offset: int | Sequence[int] | None = None,
        local: int | Sequence[int] | None = None,
    ) -> None:
        """Raise CheckError unless the assumptions hold.

        `args` maps the names of the calls to buffers, and to the numbers that are compared:
        widths with the pitch of their rows (others are ignored; None: neither is checked);
        `ranges`, if given, has the global size of each call; `offset` is the global offset of
        all, `local` their local size.
        """
        if args is not None:
            self._check_memory(args)
        if offset is not None:
            self._check_offset((offset,) if isinstance(offset, int) else tuple(offset))
        if local is not None:
            self._check_groups((local,) if isinstance(local, int) else tuple(local))
        if ranges is not None:
            sizes = [(r,) if isinstance(r, int) else tuple(r) for r in ranges]
            if len(sizes) != len(self.plan.invocations):
                raise CheckError(
                    f"{len(sizes)} ranges are given for {len(self.plan.invocations)} calls: "
                    "expected one each"
                )
            self._check_ranges(sizes)
            self._check_limits(args, sizes, offset or 0)

    @property
    def _assumed(self) -> list[Assumption]:
        return [assumed for group in self.plan.groups for assumed in group.assumptions]

    def _check_memory(self, args: Mapping[str, Any]) -> None:
        from kfusion.device.overlap import image_size, keeps, overlap

        for assumed in self._assumed:
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

    def _check_offset(self, offset: tuple[int, ...]) -> None:
        for group in self.plan.groups:
            for call in (self.plan.invocations[i] for i in group.members):
                if group.fused and any(offset) and (group.tiles or not call.range.offset):
                    raise CheckError(
                        f"the global offset is {offset}, and call {call.index} was fused for "
                        f"none: give LaunchRange({call.range.dimensions}, ..., offset=True) "
                        "among the ranges of fuse()"
                    )

    def _check_groups(self, local: tuple[int, ...]) -> None:
        for assumed in self._assumed:
            if isinstance(assumed, Sized) and (*local, 1, 1)[assumed.dimension] != assumed.size:
                raise CheckError(
                    f"call {assumed.invocation} has groups of {local}, and was fused for "
                    f"{assumed.size} in dimension {assumed.dimension}"
                )
            if isinstance(assumed, Crowded) and (*local, 1, 1)[assumed.dimension] > assumed.most:
                raise CheckError(
                    f"call {assumed.invocation} has groups of {local}, and was fused for no more "
                    f"than {assumed.most} in dimension {assumed.dimension}"
                )

    def _check_limits(
        self,
        args: Mapping[str, Any] | None,
        sizes: Sequence[tuple[int, ...]],
        offset: int | Sequence[int],
    ) -> None:
        starts = (offset, 0, 0) if isinstance(offset, int) else (*offset, 0, 0)
        for assumed in self._assumed:
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
            end = sizes[assumed.invocation][d] + starts[d]
            if end > limit:
                raise CheckError(
                    f"the range of call {assumed.invocation} ends at {end} in dimension {d}{what}"
                )

    def _check_ranges(self, sizes: Sequence[tuple[int, ...]]) -> None:
        for group in (group for group in self.plan.groups if group.fused):
            for call in group.members:
                if prod(sizes[call]) > _MOST_ITEMS:
                    raise CheckError(f"call {call} has the range {sizes[call]}: over 2^31 items")
                if group.tiles is not None and not group.tiles.fit(sizes[call]):
                    raise CheckError(
                        f"call {call} has the range {sizes[call]}, which is not done in tiles"
                    )
        for group in self.plan.groups:
            first, *others = group.members
            for other in others:
                if sizes[first] != sizes[other]:
                    raise CheckError(
                        f"call {first} has the range {sizes[first]}, call {other} the range "
                        f"{sizes[other]}"
                    )
            # Who owns an element was decided for so many dimensions.
            dimensions = self.plan.invocations[first].range.dimensions
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


def _given(name: str, args: Mapping[str, Any]) -> Any:
    value = args.get(name, literal(name))
    if value is None:
        raise CheckError(f"no value is given for '{name}'")
    return value


def _in_kernel(value: int, type_: str) -> int:
    """What a parameter of the type makes of it."""
    width, signed = INTEGERS[type_]
    value %= 1 << width
    return value - (1 << width) if signed and value >> (width - 1) else value


@refuses_depth
def fuse(
    source: str,
    calls: Sequence[str],
    out: Iterable[str] | None = None,
    *,
    defines: Iterable[str] | Mapping[str, object] = (),
    cc: str = "cc",
    ranges: Sequence[str | LaunchRange] | None = None,
    exact: bool = False,
    target: Target | str = ANY,
    device: Any = None,
    elements: int = 1,
    tiles: bool = False,
    patience: float = PATIENCE,
) -> Fused:
    """Fuse the kernels of an OpenCL program along a sequence of calls.

    `calls` are written like "add(c, x, y)": buffers and scalars by name, scalars also as
    numbers. `out` names the buffers that are read afterwards; without it all of them
    are. `ranges` has one entry per call, if the calls differ: equal ones, equal ranges.
    A launch has no global offset, unless its entry is a `LaunchRange` with `offset=True`.
    `exact`: not even a compiler that contracts operations of two kernels changes a bit.
    `target`: the device that the kernels must pay on; "auto": `device`, which is one of
    pyopencl's, or a queue, or a context with one. `elements`: where it is legal and pays,
    one item does the work of so many, and with `tiles` a group that of many items (see
    `Launch`): kernels have another range and more arguments then. `patience`: a kernel that
    is not read in so many seconds stays as it is.
    """
    _check_types(source, calls)
    unit = _unit(source, defines, cc)
    kernels = read_kernels(unit, patience)
    listing = SourceFile(Path("calls"), "\n".join(" ".join(call.split()) for call in calls))
    read = [read_call(listing.line_span(n), kernels) for n in range(1, len(calls) + 1)]
    check_names(read)
    invocations = _invocations(read, _ranges(read, ranges))
    observed = _observed(out, invocations)
    # Whatever it has: the caller launches.
    target = replace(_target(target, device, elements), elements=elements)
    target = target if tiles else replace(target, strip=0, march=0)
    alone: dict[str, Reason] = {}
    while True:
        plan = plan_region(invocations, observed, Agreement(), target, exact=exact, alone=alone)
        try:
            launches, fused = _launches(plan, kernels, exact)
            return Fused(with_kernels(unit, fused), launches, plan, _diagnostics(plan), fused)
        except NotWrittenError as failed:
            alone[failed.kernel] = failed.reason


def _target(target: object, device: Any, elements: object) -> Target:
    if target == AUTO:
        device = getattr(device, "device", device)  # of a queue
        devices = getattr(device, "devices", [device])  # of a context
        if len(devices) != 1 or devices[0] is None:
            text = f"target='{AUTO}' needs one device"
            raise error("KF129", text, help="give device=queue, or the device itself")
        target = target_of(devices[0])
    if not isinstance(target, Target):
        given = type(target).__name__
        raise error("KF129", f"the target is of type {given}: expected a kfusion.Target")
    if not isinstance(elements, int) or elements < 1:
        raise error("KF129", f"elements are at least one, not {elements!r}")
    return target


def _check_types(source: object, calls: object) -> None:
    if not isinstance(source, str):
        raise error("KF129", f"the source is of type {type(source).__name__}: expected a string")
    if any(c == "\0" or "\ud800" <= c <= "\udfff" for c in source):
        raise error("KF129", "the source has characters that are none: a NUL, or half of one")
    if isinstance(calls, str) or not isinstance(calls, Sequence):
        kind = type(calls).__name__
        example = f'["{calls}"]' if isinstance(calls, str) else '["add(c, x, y)"]'
        raise error(
            "KF129", f"the calls are of type {kind}: expected a list of strings, like {example}"
        )
    for number, call in enumerate(calls):
        if not isinstance(call, str):
            raise error(
                "KF129", f"call {number} is of type {type(call).__name__}: expected a string"
            )


def _unit(source: str, defines: Iterable[str] | Mapping[str, object], cc: str) -> Unit:
    if isinstance(defines, Mapping):
        defines = [f"{name}={value}" for name, value in defines.items()]
    file = SourceFile(Path("kernels.cl"), source)
    annotations = find_annotations(file, kernels=True)
    how = Preprocessor(cc, defines=tuple(defines))
    return parse_opencl(file, annotations, preprocess_opencl(file, annotations, how))


def _ranges(calls: list[Call], given: Sequence[str | LaunchRange] | None) -> list[LaunchRange]:
    dimensions = max((call.kernel.dimensions for call in calls), default=1)
    if given is None:
        return [LaunchRange(dimensions, _ONE_RANGE, _ONE_GROUP)] * len(calls)
    if len(given) != len(calls):
        raise error(
            "KF129", f"{len(given)} ranges are given for {len(calls)} calls: expected one each"
        )
    found: list[LaunchRange] = []
    for entry in given:
        if isinstance(entry, LaunchRange):
            if not 1 <= entry.dimensions <= 3:
                raise error("KF129", f"a range has 1 to 3 dimensions, not {entry.dimensions}")
            found.append(entry)
        else:
            same = [c for c, key in zip(calls, given, strict=True) if key == entry]
            found.append(LaunchRange(max(c.kernel.dimensions for c in same), entry))
    return found


def _invocations(calls: list[Call], ranges: list[LaunchRange]) -> list[Invocation]:
    return [
        Invocation(
            index, call.kernel, call.arguments, range_, call.span.text.rstrip(";"), call.span
        )
        for index, (call, range_) in enumerate(zip(calls, ranges, strict=True))
    ]


def _observed(
    out: Iterable[str] | None, invocations: Sequence[Invocation]
) -> frozenset[str] | None:
    if out is None:
        return None
    names = frozenset([out] if isinstance(out, str) else out)
    known = {memory.name for invocation in invocations for memory in invocation.memory}
    for name in sorted(names - known):
        raise error(
            "KF127",
            f"out names '{name}', which is no buffer of these calls",
            help=f"the buffers are: {', '.join(sorted(known)) or 'none'}",
        )
    return names


def _launches(
    plan: RegionPlan, kernels: Mapping[str, Kernel], exact: bool
) -> tuple[tuple[Launch, ...], tuple[FusedKernel, ...]]:
    taken = set(kernels)
    launches: list[Launch] = []
    fused: list[FusedKernel] = []
    by_index = {i.index: i for i in plan.invocations}
    for group in plan.groups:
        members = [by_index[index] for index in group.members]
        if group.fused:
            name = kernel_name(members, taken)
            taken.add(name)
            kernel = synthesise(group, plan.invocations, name, exact=exact, taken=taken)
            taken |= set(kernel.functions)
            fused.append(kernel)
            arguments = tuple(p.argument.name for p in kernel.parameters)
            launches.append(Launch(name, arguments, group.members, kernel.elements, kernel.tiles))
        else:
            arguments = tuple(a.name for a in members[0].arguments)
            launches.append(Launch(members[0].kernel.name, arguments, group.members))
    return tuple(launches), tuple(fused)


def _diagnostics(plan: RegionPlan) -> tuple[Diagnostic, ...]:
    reasons = dict.fromkeys(reason for cut in plan.cuts for reason in cut.reasons)
    found = [reason.as_cut() for reason in reasons]
    if not plan.fuses:
        found.append(Diagnostic("KF401", Severity.NOTE, "nothing was fused"))
    return tuple(found)
