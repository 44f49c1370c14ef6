"""Fusion for users of PyOpenCL: kernels as text, and the calls of a region as strings.

There is no host code to prove anything from, so by agreement different names are
different memory, and all calls have one range, without a global offset.
`Fused.check` tests that agreement.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from math import isfinite
from numbers import Real
from pathlib import Path
from typing import Any

from kfusion.checks import CheckError as CheckError  # noqa: PLC0414 (it is exported)
from kfusion.checks import check_numbers, check_plan
from kfusion.graph.model import Invocation, LaunchRange, RegionPlan, Scalar, Tiles
from kfusion.graph.plan import plan_region
from kfusion.graph.target import ANY, AUTO, TARGETS, Target, target_of
from kfusion.kernel.model import Kernel
from kfusion.kernel.read import PATIENCE, read_kernels
from kfusion.kernel.written_out import with_calls_written_out
from kfusion.notation import Agreement, Call, check_names, read_call
from kfusion.parse.annotations import find_annotations
from kfusion.parse.compiler import Preprocessor, is_define
from kfusion.parse.opencl import parse_opencl
from kfusion.parse.sources import preprocess_opencl
from kfusion.parse.unit import Unit
from kfusion.source.dataclasses import dataclass
from kfusion.source.depth import refuses_depth
from kfusion.source.diagnostics import Diagnostic, KFusionError, Reason, Severity, error
from kfusion.source.text import SourceFile
from kfusion.synthesis.files import with_kernels
from kfusion.synthesis.kernel import kernel_name, synthesise
from kfusion.synthesis.model import FusedKernel, NotWrittenError

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


@dataclass(frozen=True)
class Fused:
    source: str
    kernels: tuple[Launch, ...]
    plan: RegionPlan
    diagnostics: tuple[Diagnostic, ...]
    fused: tuple[FusedKernel, ...] = ()
    numbers: Mapping[str, float] = field(default_factory=dict)  # that fuse() was told

    def __repr__(self) -> str:
        names = ", ".join(launch.name for launch in self.kernels)
        return f"<Fused: calls {len(self.plan.invocations)} -> {len(self.kernels)}: {names}>"

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
        check_numbers(self.numbers, args or {})
        calls = len(self.plan.invocations)
        check_plan(
            self.plan,
            None if args is None else {**self.numbers, **args},
            None if ranges is None else [_sizes(each) for each in ranges],
            None if offset is None else [_sizes(offset)] * calls,
            None if local is None else [_sizes(local)] * calls,
        )

    def run(
        self,
        queue: Any,
        size: int | Sequence[int],
        local: int | Sequence[int] | None = None,
        /,
        *,
        options: str | Sequence[str] = (),
        **args: Any,
    ) -> Any:
        """Check, build (once for each context) and launch the kernels; the event of the last one.

        `args` are the names of the calls: buffers or arrays of PyOpenCL, and numbers. `size` and
        `local` are the global and the local size of each call.
        """
        from kfusion.device.launching import run

        sizes = None if local is None else _sizes(local)
        return run(self, queue, _sizes(size), sizes, options, args)


def _sizes(size: int | Sequence[int]) -> tuple[int, ...]:
    return tuple(size) if isinstance(size, Sequence) else (int(size),)


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
    **numbers: float,
) -> Fused:
    """Fuse the kernels of an OpenCL program along a sequence of calls.

    `calls` are written like "add(c, x, y)": buffers and scalars by name, scalars also as
    numbers. `out` names the buffers that are read afterwards; without it all of them
    are. `ranges` has one entry per call, if the calls differ: equal ones, equal ranges.
    A launch has no global offset, unless its entry is a `LaunchRange` with `offset=True`.
    `exact`: not even a compiler that contracts operations of two kernels changes a bit.
    `target`: the device that the kernels must pay on, by name or as a `Target`; "auto": that of
    `device`, which is one of pyopencl's, or a queue, or a context with one. `elements`: where it
    is legal and pays, one item does the work of so many, and with `tiles` a group that of many
    items (see `Launch`): kernels have another range and more arguments then. `patience`: a
    kernel that is not read in so many seconds stays as it is. `numbers`: values of scalars, by
    their names in the calls, as in `n=1000`; the kernels are fused for these.
    """
    _check_types(source, calls, patience)
    program = read_program(source, defines, cc, patience=patience)
    # Whatever it has: the caller launches.
    target = replace(find_target(target, device, elements), elements=elements)
    target = target if tiles else replace(target, strip=0, march=0)
    return program.fuse(calls, out, ranges, target, exact=exact, numbers=numbers)


@dataclass(frozen=True)
class KernelProgram:
    """Kernels that have been read, to be fused along several sequences of calls."""

    unit: Unit
    kernels: Mapping[str, Kernel]

    def fuse(
        self,
        calls: Sequence[str],
        out: Iterable[str] | None,
        ranges: Sequence[str | LaunchRange] | None,
        target: Target,
        *,
        exact: bool = False,
        numbers: Mapping[str, float] | None = None,
    ) -> Fused:
        listing = SourceFile(Path("calls"), "\n".join(" ".join(call.split()) for call in calls))
        read = [read_call(listing.line_span(n), self.kernels) for n in range(1, len(calls) + 1)]
        check_names(read)
        invocations = _invocations(read, _ranges(read, ranges))
        observed = _observed(out, invocations)
        numbers = _numbers(numbers or {}, invocations)
        oracle = Agreement(numbers)
        alone: dict[str, Reason] = {}
        while True:
            plan = plan_region(invocations, observed, oracle, target, exact=exact, alone=alone)
            try:
                launches, fused = _launches(plan, self.kernels, exact)
                source = with_kernels(self.unit, fused)
                return Fused(source, launches, plan, _diagnostics(plan), fused, numbers)
            except NotWrittenError as failed:
                alone[failed.kernel] = failed.reason


def read_program(
    source: str,
    defines: Iterable[str] | Mapping[str, object] = (),
    cc: str = "cc",
    include_dirs: Iterable[Path] = (),
    *,
    patience: float = PATIENCE,
) -> KernelProgram:
    if isinstance(defines, Mapping):
        defines = [f"{name}={value}" for name, value in defines.items()]
    defines = _texts("defines", defines)
    for define in defines:
        if not is_define(define):
            raise error("KF129", f"a define is NAME or NAME=VALUE, not {define!r}")
    file = SourceFile(Path("kernels.cl"), source)
    annotations = find_annotations(file, kernels=True)
    how = Preprocessor(cc, tuple(include_dirs), defines=defines)
    unit = with_calls_written_out(
        parse_opencl(file, annotations, preprocess_opencl(file, annotations, how))
    )
    return KernelProgram(unit, read_kernels(unit, patience))


def find_target(target: object, device: Any = None, elements: object = 1) -> Target:
    """A target by its name, or one that is given; "auto": that of the device."""
    if target == AUTO:
        device = getattr(device, "device", device)  # of a queue
        devices = getattr(device, "devices", [device])  # of a context
        if len(devices) != 1 or devices[0] is None:
            text = f"target='{AUTO}' needs one device"
            raise error("KF129", text, help="give device=queue, or the device itself")
        if not hasattr(devices[0], "type"):
            raise _wrong("device", devices[0], "a device, a queue or a context of PyOpenCL")
        target = target_of(devices[0])
    if isinstance(target, str):
        if target not in TARGETS:
            known = ", ".join((*TARGETS, AUTO))
            text = f"no target is called '{target}'"
            raise error("KF129", text, help=f"the targets are: {known}")
        target = TARGETS[target]
    if not isinstance(target, Target):
        text = f"the target is of type {type(target).__name__}: expected a name or a kfusion.Target"
        raise error("KF129", text, help=f"the names are: {', '.join((*TARGETS, AUTO))}")
    if not isinstance(elements, int) or elements < 1:
        raise error("KF129", f"elements are at least one, not {elements!r}")
    return target


def _check_types(source: object, calls: object, patience: object) -> None:
    if not isinstance(patience, Real):
        raise _wrong("patience", patience, "a number of seconds")
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


def _texts(what: str, given: Any) -> tuple[str, ...]:
    """A string is one of them."""
    texts = (given,) if isinstance(given, str) else given
    if not isinstance(texts, Iterable):
        raise _wrong(what, given, "strings")
    texts = tuple(texts)
    for text in texts:
        if not isinstance(text, str):
            raise _wrong(f"an entry of {what}", text, "a string")
    return texts


def _wrong(what: str, given: object, expected: str) -> KFusionError:
    return error("KF129", f"{what} is of type {type(given).__name__}: expected {expected}")


def _ranges(calls: list[Call], given: Any) -> list[LaunchRange]:
    dimensions = max((call.kernel.dimensions for call in calls), default=1)
    if given is None:
        return [LaunchRange(dimensions, _ONE_RANGE, _ONE_GROUP)] * len(calls)
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise _wrong("ranges", given, "a list with an entry for each call")
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
        elif not isinstance(entry, str):
            raise _wrong("an entry of ranges", entry, "a string or a kfusion.LaunchRange")
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
    names = frozenset(_texts("out", out))
    known = {memory.name for invocation in invocations for memory in invocation.memory}
    for name in sorted(names - known):
        raise error(
            "KF127",
            f"out names '{name}', which is no buffer of these calls",
            help=f"the buffers are: {', '.join(sorted(known)) or 'none'}",
        )
    return names


def _numbers(given: Mapping[str, Any], invocations: Sequence[Invocation]) -> Mapping[str, float]:
    scalars = {a.name for call in invocations for a in call.arguments if isinstance(a, Scalar)}
    for name, value in given.items():
        if not isinstance(value, Real) or not isfinite(value):
            raise error("KF129", f"{name}={value!r} is no number")
        if name not in scalars:
            raise error(
                "KF129",
                f"'{name}' is given, and is no number of these calls",
                help=f"the numbers are: {', '.join(sorted(scalars)) or 'none'}",
            )
    return dict(given)


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
