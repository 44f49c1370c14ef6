"""The launches of a path as the planner sees them.

A path comes in as it was recorded; for each launch of a known kernel an invocation goes out:
arguments and range under names that are equal where the values are. A launch of a kernel that
is not known, or not given, ends a row of launches: nothing is fused across it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from pycparser import c_ast

from kfusion.graph.model import Argument, Invocation, LaunchRange, LocalMemory, Memory, Scalar
from kfusion.host.calls import LAUNCHES
from kfusion.host.equality import image_size_of
from kfusion.host.handles import KernelNames, kernel_of
from kfusion.host.program import HostProgram
from kfusion.host.reach import Reach
from kfusion.host.record import Calling, Launch, SetArgument, call_span
from kfusion.host.region import Region
from kfusion.host.runs import Before
from kfusion.host.spelling import spell
from kfusion.host.symbolic import (
    FALSE,
    App,
    Entry,
    Global,
    Literal,
    Made,
    Num,
    Op,
    Pointee,
    Sym,
    anything,
    leaves,
)
from kfusion.host.ways import Ways
from kfusion.kernel.evaluate import image_size
from kfusion.kernel.model import Kernel, Parameter
from kfusion.kernel.types import known_size
from kfusion.parse.unit import Unit
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import Reason
from kfusion.source.text import Span

_LONGEST = 72  # label


@dataclass(frozen=True)
class PredictedLaunch:
    """One launch of a known kernel."""

    invocation: Invocation
    size: tuple[Sym, ...]  # the global size, symbolic
    local: tuple[Sym, ...] | None  # None: left to OpenCL
    local_memory: dict[int, Sym]  # bytes, by the position of the parameter
    calls: tuple[Calling, ...] = ()  # the functions around it, the outermost first
    apart: Reason | None = None  # what was noted before it is settled when it comes, and why
    queue: Sym = FALSE
    handle: Sym = FALSE  # of the kernel


def shape(rows: Iterable[Sequence[PredictedLaunch]]) -> object:
    """Kernels, and which arguments and ranges are the same: names may differ."""
    numbers: dict[object, int] = {}
    return tuple(
        tuple(
            (
                each.kernel.name,
                tuple(numbers.setdefault(a.name, len(numbers)) for a in each.arguments),
                numbers.setdefault((each.range.key, each.range.local), len(numbers)),
            )
            for each in (launch.invocation for launch in row)
        )
        for row in rows
    )


@dataclass(frozen=True, eq=False)
class Surrounding:
    """What is the same for all paths of a region."""

    region: Region
    program: HostProgram
    names: KernelNames
    kernels: dict[str, Kernel]
    reach: Reach  # what may launch, or set arguments
    before: Before | None
    full_groups: bool
    closed: bool  # no other file can set arguments


class Launches:
    """The launches of one path, in rows of known kernels.

    `as_in_run`: memory that several variables mean in the likely run is one object.
    """

    def __init__(
        self, path: list[Launch], around: Surrounding, ways: Ways, *, as_in_run: bool
    ) -> None:
        self.around, self.ways, self._as_in_run = around, ways, as_in_run
        self.values: dict[str, Sym] = {}
        self._objects: dict[Sym, Sym] = {}
        kernels = [self._kernel(launch) for launch in path]
        path = self._in_dimensions(path, kernels)
        known = [(p, k) for p, k in zip(path, kernels, strict=True) if k is not None]
        self._settings = [self._arguments(launch, kernel) for launch, kernel in known]
        self._all_settings = [e for settings in self._settings for e in settings.values()]
        self._named = self._names_before()
        self._labels = labels([(p, k.name) for p, k in known], around.region.unit)
        self.possible = all(_fit(self._settings[n], k) for n, (_, k) in enumerate(known))
        self.unknown: list[Reason] = []  # launches that are in no row
        self.unset: dict[str, Reason] = {}  # by kernel, arguments that no call is seen to set
        self._relied_on: Reason | None = None  # by the launch before
        rows: list[list[PredictedLaunch]] = [[]]
        number = 0
        for launch, kernel in zip(path, kernels, strict=True):
            if kernel is None:
                rows.append([])
                name = self._kernel_name(launch.kernel)
                known_kernel = around.kernels.get(name)
                self.unknown.append(_unknown(launch, around.region.unit, name, known_kernel))
                continue
            rows[-1].append(self._predicted(launch, kernel, number, len(rows[-1])))
            number += 1
        self.rows = tuple(tuple(row) for row in rows if row)

    def _in_dimensions(self, path: list[Launch], kernels: list[Kernel | None]) -> list[Launch]:
        """Where a launch's number of dimensions is not known: as many as its kernel asks for, or
        another one that is launched in the same number of them."""
        before = self.around.before
        asked: dict[Sym, int] = {}
        for launch, kernel in zip(path, kernels, strict=True):
            least = asked.get(launch.dimensions, 1)
            asked[launch.dimensions] = max(least, kernel.dimensions if kernel is not None else 1)
        result: list[Launch] = []
        for launch in path:
            wanted = launch.dimensions
            if not isinstance(wanted, Num):
                likely = before.value(wanted) if before is not None else wanted
                count = likely.value if isinstance(likely, Num) else asked[wanted]
                offset, local = (part and part[:count] for part in (launch.offset, launch.local))
                size = launch.size[:count]
                launch = replace(
                    launch, dimensions=Num(count), offset=offset, size=size, local=local
                )
            result.append(launch)
        return result

    # Kernels

    def _kernel(self, launch: Launch) -> Kernel | None:
        name = self._kernel_name(launch.kernel)
        kernel = self.around.kernels.get(name)
        if kernel is None:
            self.ways.doubt("a launch of a kernel that is not known")
            return None
        if any(position >= len(kernel.parameters) for position in launch.arguments):
            self.ways.doubt(f"{name} has fewer parameters than arguments are set")
            return None
        return kernel

    def _kernel_name(self, handle: Sym) -> str:
        around = self.around
        known = around.before.kernel(handle) if around.before is not None else ""
        return known or kernel_of(handle, around.names)

    # Arguments

    def _arguments(self, launch: Launch, kernel: Kernel) -> dict[int, SetArgument]:
        """Those set in the region, and those that were set before it."""
        before = self.around.before
        earlier = before.arguments(launch.kernel, kernel.name) if before is not None else {}
        return {**earlier, **launch.arguments}

    def _names_before(self) -> dict[Sym, Sym]:
        """Objects as the region's symbols name them, by what they were before it."""
        before = self.around.before
        if before is None:
            return {}
        found: dict[Sym, Sym] = {}
        for settings in self._settings:
            for effect in settings.values():
                value = effect.value
                if isinstance(value, Entry):
                    found.setdefault(before.value(value), value)
        return found

    def _predicted(
        self, launch: Launch, kernel: Kernel, number: int, index: int
    ) -> PredictedLaunch:
        settings, before = self._settings[number], self.around.before
        queue = launch.queue
        arguments = tuple(
            self._argument(launch, kernel, position, settings.get(position), number)
            for position in range(len(kernel.parameters))
        )
        label, span = self._labels[number]
        range_ = self._range(launch, kernel)
        invocation = Invocation(index, kernel, arguments, range_, label, span)
        unset = None if self.around.closed else _unset(launch, kernel, span)
        missing = [p for n, p in enumerate(kernel.parameters) if n not in settings]
        if self.around.closed and missing:
            self.unset.setdefault(kernel.name, _never_set(missing, kernel, span))
        apart = launch.apart or unset or self._relied_on
        self._relied_on = unset
        return PredictedLaunch(
            invocation,
            launch.size[: range_.dimensions],
            launch.local,
            {p: e.size for p, e in settings.items() if e.value is None},
            launch.calls,
            apart,
            before.value(queue) if before is not None else queue,
            launch.kernel,
        )

    def _argument(
        self,
        launch: Launch,
        kernel: Kernel,
        position: int,
        effect: SetArgument | None,
        number: int,
    ) -> Argument:
        parameter = kernel.parameters[position]
        is_memory = parameter.pointer or parameter.image
        if position not in launch.arguments and is_memory:
            self.ways.doubt(f"'{parameter.name}' of {kernel.name} is set before the region")
        if effect is None:  # whatever it is, other launches of the kernel have the same
            name = unset_name(parameter, kernel)
            self.values.setdefault(name, anything())
            return Memory(name, parameter.name) if is_memory else Scalar(name, parameter.name)
        if effect.value is None:
            return LocalMemory(str(effect.size), parameter.name)
        value = effect.value if is_memory or _is_one(effect, parameter) else effect.whole
        assert value is not None
        if position not in launch.arguments:
            value = self._named.get(value, value)
        before = self.around.before
        if is_memory and self._as_in_run and before is not None:
            made = before.value(value)
            value = self._objects.setdefault(made, value) if isinstance(made, Made) else value
        return self._named_argument(value, parameter, number)

    def _named_argument(self, value: Sym, parameter: Parameter, number: int) -> Argument:
        name = str(value)
        self.values[name] = value
        if parameter.image:
            self.values |= sizes_of_image(name, value)
        if parameter.pointer or parameter.image:
            return Memory(name, hint_for(value, parameter.name, self._all_settings), spell(value))
        if all(isinstance(leaf, Num | Literal) for leaf in leaves(value)):
            # Constants: equal by value perhaps, but a variable each.
            name = f"{value} for {parameter.name} of launch {number}"
            self.values[name] = value
        return Scalar(name, parameter.name, spell(value))

    def _range(self, launch: Launch, kernel: Kernel) -> LaunchRange:
        offset = launch.offset or ()
        moved = any(o != Num(0) for o in offset)
        size = ", ".join(map(str, launch.size))
        key = f"({size})" + (f" from ({', '.join(map(str, offset))})" if moved else "")
        assert isinstance(launch.dimensions, Num)
        dimensions = launch.dimensions.value
        while dimensions > kernel.dimensions and self._is_one(launch, dimensions - 1):
            dimensions -= 1
        range_ = range_of(key, launch.size, launch.local)
        uniform = self.around.full_groups
        return replace(range_, dimensions=dimensions, offset=moved, uniform=uniform)

    def _is_one(self, launch: Launch, dimension: int) -> bool:
        """Most likely it has one item there, with the id 0: `{n, 1, 1}`."""

        def likely(value: Sym) -> Sym:
            return self.around.before.value(value) if self.around.before is not None else value

        moved = launch.offset is not None and likely(launch.offset[dimension]) != Num(0)
        return not moved and likely(launch.size[dimension]) == Num(1)


def _fit(settings: Mapping[int, SetArgument], kernel: Kernel) -> bool:
    """Whether OpenCL takes arguments of these sizes."""
    for position, effect in settings.items():
        parameter = kernel.parameters[position]
        wanted = known_size(parameter.canonical) if parameter.is_scalar else _HANDLE
        known = _bytes(effect.size) if effect.value is not None else None
        if parameter.space != "local" and None not in (known, wanted) and known != wanted:
            return False
    return True


_HANDLE = 8  # bytes of a memory object's, as the host has it, or of a sampler's
_SIZES = {"mem": _HANDLE, "sampler": _HANDLE}
_SIZE_OF = re.compile(r"sizeof\((cl_|)(?:unsigned |signed )?(\w+)\)")


def _is_one(effect: SetArgument, parameter: Parameter) -> bool:
    """Not a vector or a structure, of which there may be more behind the first number."""
    type_ = parameter.canonical
    return not type_[-1:].isdigit() and known_size(type_) == _bytes(effect.size) is not None


def _bytes(size: Sym) -> int | None:
    """`sizeof(cl_int)`, `sizeof(float)`; not `sizeof(long)`, which differs between hosts."""
    if isinstance(size, Num):
        return size.value
    match = _SIZE_OF.fullmatch(size.name) if isinstance(size, Op) and not size.args else None
    if match is None:
        return None
    prefix, name = match.groups()
    if prefix:
        return _SIZES.get(name) or known_size(name)
    return known_size(name) if name in ("char", "short", "int", "float", "double") else None


def range_of(key: str, size: tuple[Sym, ...], local: tuple[Sym, ...] | None) -> LaunchRange:
    return LaunchRange(
        len(size),
        key,
        ", ".join(map(str, local)) if local else None,
        single=tuple(d for d, items in enumerate(local or ()) if items == Num(1)),
        one_group=local == size,
    )


def sizes_of_image(name: str, image: Sym) -> dict[str, Sym]:
    """What the names of its width and height stand for."""
    return {image_size(which, name): image_size_of(image, which) for which in ("width", "height")}


def _unknown(launch: Launch, unit: Unit, name: str, kernel: Kernel | None) -> Reason:
    call = launch.call
    span = call_span(call, unit) if call is not None else None
    if kernel is not None:
        count, last = len(kernel.parameters), max(launch.arguments)
        text = f"{name} has {count} parameters, and argument {last} of it is set"
        help = f"clSetKernelArg counts from 0: the last one is {count - 1}"
        return Reason("KF242", text, span, help)
    if name:
        text = f"the files given have no kernel '{name}', which is launched here"
        help = "give kfusion the file that has it, and the options that it is built with: -DNAME"
        return Reason("KF242", text, span, help)
    return Reason("KF242", "which kernel is launched here is not known", span)


def _unset(launch: Launch, kernel: Kernel, span: Span | None) -> Reason | None:
    """Why the launch is made as it is written, if it relies on what was set before the region."""
    for position, parameter in enumerate(kernel.parameters):
        if position not in launch.arguments:
            text = f"'{parameter.name}' of {kernel.name} is set before the region, if at all"
            help = "set it in the function that launches, or give all files of the program"
            return Reason("KF243", text, span, help)
    return None


def _never_set(missing: Sequence[Parameter], kernel: Kernel, span: Span | None) -> Reason:
    names = ", ".join(f"'{parameter.name}'" for parameter in missing)
    text = f"no call that kfusion can follow sets {names} of {kernel.name}"
    help = "if the program sets it, let it tell: see KFUSION=record in 'kfusion explain KF242'"
    return Reason("KF243", text, span, help)


def unset_name(parameter: Parameter, kernel: Kernel) -> str:
    """Of an argument that no setting in the region gives."""
    return f"<{parameter.name} of {kernel.name}>"


# What people call a launch, and its memory: the application's own words


def labels(launches: list[tuple[Launch, str]], unit: Unit) -> list[tuple[str, Span | None]]:
    """Of launches with the names of their kernels: none is the label of two."""
    words = [_words(launch, kernel, unit) for launch, kernel in launches]
    kernels: dict[str, set[str]] = {}
    for (text, _), (_, kernel) in zip(words, launches, strict=True):
        kernels.setdefault(text, set()).add(kernel)
    texts = [
        f"{text}: {kernel}" if len(kernels[text]) > 1 else text
        for (text, _), (_, kernel) in zip(words, launches, strict=True)
    ]
    spans = [span for _, span in words]
    return list(zip(_numbered(texts), spans, strict=True))


def _words(launch: Launch, kernel: str, unit: Unit) -> tuple[str, Span | None]:
    call = launch.call
    if call is None:
        return kernel, None
    span = call_span(call, unit)
    text = " ".join(span.text.split()) if span is not None else ""
    name = call.name.name if isinstance(call.name, c_ast.ID) else ""
    is_direct = name in LAUNCHES and text.startswith(name)
    if not text or is_direct or len(text) > _LONGEST:
        return kernel if is_direct or not text else f"{text.split('(')[0]}(...)", span
    return text, span


def _numbered(texts: list[str]) -> list[str]:
    """The second `step(&s)` is `step(&s) (2)`."""
    total, seen = Counter(texts), Counter[str]()
    result = []
    for text in texts:
        seen[text] += 1
        result.append(text if total[text] == 1 else f"{text} ({seen[text]})")
    return result


def hint_for(value: Sym, otherwise: str, settings: Iterable[SetArgument]) -> str:
    """The name of the object's owner in the application; `otherwise` if there is none.

    Buffers of one owner are told apart by their members: `u`, `level2`, `b` for `w->b.gpu`; `s_u`
    if another owner has a `u`, too.
    """
    names = _names_of(value)
    if not names:
        return otherwise
    owner, member, outer, both = names
    handles = (h for h in _handles(settings) if h != value and h.place.path)
    others = [each for each in map(_names_of, handles) if each]
    if all(each[0] != owner for each in others):
        return owner
    alike = [each for each in others if each[1] == member]
    if not alike:
        return member
    inner = outer and all(each[0] == owner and each[2] != outer for each in alike)
    return outer if inner else both


def _handles(settings: Iterable[SetArgument]) -> set[Entry]:
    """Memory objects that the launches of the region get, and that were there before."""
    values = [e.value for e in settings if spell(e.size) == "sizeof(cl_mem)"]
    return {value for value in values if isinstance(value, Entry)}


def _names_of(handle: Sym) -> list[str]:
    """What it may be called, if a variable leads to it: by the variable, by its member (`level2`
    for `s->level[2]`), by the one around that, if there is one, and by variable and member."""
    root, path = (handle.place.root, handle.place.path) if isinstance(handle, Entry) else (None, ())
    if isinstance(root, Pointee) and isinstance(root.pointer, Entry):
        root = root.pointer.place.root
    if not isinstance(root, App | Global):
        return []
    if not path:
        return [root.name] * 4
    words = ["".join(c for c in step if c.isalnum() or c == "_") for step in path]
    last = next((i for i in reversed(range(len(path))) if not path[i].startswith("[")), 0)
    member = words[last] + "_".join(words[last + 1 :])
    if path[last].startswith("["):  # of a plain array: `u_1` for `u[1]`
        return [root.name, f"{root.name}_{member}", "", f"{root.name}_{member}"]
    is_inner = last == len(path) - 1 > 0 and not path[-2].startswith("[")
    return [root.name, member, words[-2] if is_inner else "", f"{root.name}_{member}"]
