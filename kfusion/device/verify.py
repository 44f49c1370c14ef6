"""Run the kernels of each region, as they were and fused, on random data; compare to the bit."""

from __future__ import annotations

import re
import shlex
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from kfusion.checks import number_in
from kfusion.device.apart import at_work
from kfusion.device.builds import macro_to_give
from kfusion.device.evaluate import CannotRunError, Numbers
from kfusion.device.extents import Launched, extents
from kfusion.device.images import Shape, copied_from, image_shapes, memory_of, random_image
from kfusion.device.opencl import KernelBuildError, build_program, find_device, without_bom
from kfusion.graph.known import Known, widest
from kfusion.graph.model import (
    Argument,
    AtMost,
    Covers,
    Equal,
    Group,
    Invocation,
    LocalMemory,
    Memory,
    Placement,
    Reaches,
    Shifted,
    Tiles,
)
from kfusion.host.equality import strip
from kfusion.host.later import written_by
from kfusion.host.predict_launches import unset_name
from kfusion.host.symbolic import Num, Sym
from kfusion.kernel.evaluate import image_of
from kfusion.kernel.forms import part_called
from kfusion.kernel.model import Kernel, Parameter
from kfusion.kernel.types import is_integer, size_of
from kfusion.results import PlannedPattern
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import error
from kfusion.synthesis.model import FusedKernel

if TYPE_CHECKING:
    from kfusion.device.command import Wanted

Array = npt.NDArray[np.generic]
TypeOf = Callable[[Kernel, Parameter], str]

MOST_BYTES = 4_000_000_000  # of data for one region
GROUP = 128  # items, where the library leaves it to OpenCL and one does the work of several
_NO_CONTRACTION = "#pragma OPENCL FP_CONTRACT OFF\n"
_TYPES: dict[str, type[np.generic]] = {
    "char": np.int8,
    "uchar": np.uint8,
    "short": np.int16,
    "ushort": np.uint16,
    "int": np.int32,
    "uint": np.uint32,
    "long": np.int64,
    "ulong": np.uint64,
    "size_t": np.uint64,
    "bool": np.int8,
    "float": np.float32,
    "double": np.float64,
    "half": np.float16,
}


@dataclass(frozen=True)
class Difference:
    """The first element in which the two programs differ."""

    buffer: str
    element: int
    expected: str
    found: str
    count: int = 1  # elements that differ
    ulps: int | None = None  # of real numbers: the largest difference


@dataclass(frozen=True)
class Outcome:
    """What one region did at one size."""

    region: str
    size: int
    kernels: tuple[int, int]  # launched before and after
    elements: int = 0  # compared
    difference: Difference | None = None
    skipped: str = ""  # why it was not run
    sized: bool = True  # sizes of it are those of the command line


@dataclass(frozen=True)
class Step:
    """A launch with everything that it needs."""

    program: cl.Program
    kernel: str
    arguments: tuple[Argument, ...]
    size: tuple[int, ...]
    local: tuple[int, ...] | None
    whole: tuple[np.generic, ...] = ()  # the global size, if a group does more than its items

    def of_kernel(self, kernel: FusedKernel) -> Step:
        """As the generated header launches it (`kfusion_make_fewer`, `kfusion_make_tiles`)."""
        arguments = tuple(p.argument for p in kernel.parameters)
        step = replace(self, kernel=kernel.name, arguments=arguments)
        tiles, type_ = kernel.tiles, "int"
        if kernel.elements > 1:
            group = self.local[0] if self.local else GROUP
            tiles, type_ = Tiles((kernel.elements * group,), (group,)), "ulong"
        if tiles is None:
            return step
        whole = tuple(map(_TYPES[type_], self.size))
        return replace(step, size=tiles.launched(self.size), local=tiles.local, whole=whole)


@dataclass(frozen=True)
class Prepared:
    """A region with numbers and data: what is launched, as written and fused."""

    launches: list[Launched]  # of the plan's invocations
    before: list[Step]
    after: list[Step]
    scalars: dict[str, np.generic | cl.Sampler]
    data: dict[str, Array]
    sized: bool  # some of the numbers were chosen


class Verifier:
    """`programs` are the texts of the kernel files by their names: as they were, and fused;
    `builds` are options that the host builds them with."""

    def __init__(
        self,
        programs: Mapping[str, tuple[str, str]],
        builds: Mapping[str, tuple[str, ...]],
        wanted: Wanted,
    ) -> None:
        self.wanted = wanted
        self.used: set[str] = set()  # names of numbers that were given
        self.device = find_device(wanted.device)
        self.builds = builds
        own = {name: options[0] for name, options in builds.items() if len(options) == 1}
        options = {
            name: ("-cl-kernel-arg-info", *shlex.split(own.get(name, "")), *wanted.options)
            for name in programs
        }
        pragma = "" if wanted.contract else _NO_CONTRACTION
        self.context = cl.Context([self.device])
        properties = cl.command_queue_properties.PROFILING_ENABLE
        self.queue = cl.CommandQueue(self.context, properties=properties)
        self.before = {
            name: self._build(pragma + without_bom(text), options[name], name, f"'{name}'")
            for name, (text, _) in programs.items()
        }
        self.after = {
            name: self._build(
                pragma + without_bom(text), options[name], name, f"what '{name}' becomes"
            )
            for name, (_, text) in programs.items()
        }

    def _build(self, text: str, options: Sequence[str], name: str, what: str) -> cl.Program:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", cl.CompilerWarning)
            try:
                built = build_program(
                    text, options, name=name, device=self.device, context=self.context
                )
            except KernelBuildError as failure:
                first = re.search(r"^.*\berror\b.*$", str(failure), re.MULTILINE)
                raise error(
                    "KF305",
                    f"{what} does not build on {self.device.name}"
                    + (f": {first.group().strip()}" if first else ""),
                    help=macro_to_give(str(failure), self.builds.get(name, ())),
                    argument=name,
                    exit_code=1,
                ) from None
        return built.program

    def type_of(self, kernel: Kernel, parameter: Parameter) -> str:
        """The element type, with which the program was built if options or macros may change it."""
        type_ = parameter.canonical
        if type_.rstrip("0123456789") in _TYPES:
            return type_
        index = kernel.parameters.index(parameter)
        info = cl.kernel_arg_info.TYPE_NAME
        try:
            built = cl.Kernel(self.before[kernel.program.source.path.name], kernel.name)
            told = str(built.get_arg_info(index, info)).rstrip(" *")
        except cl.Error:  # the device does not keep it
            told = type_
        known = told.rstrip("0123456789") in _TYPES
        return told if known else written_type(kernel, parameter)

    def verify(self, planned: PlannedPattern, size: int) -> Outcome:
        plan = planned.plan
        counts = len(plan.invocations), len(plan.groups)
        name = planned.name
        try:
            prepared = self.prepare(planned, size)
        except CannotRunError as reason:
            return Outcome(name, size, counts, skipped=str(reason))
        at_work(f"{name}, size {size}: the kernels as they are written")
        before = self._run(prepared.before, prepared)
        at_work(f"{name}, size {size}: the fused kernels")
        after = self._run(prepared.after, prepared)
        observed = _observed(planned)
        elements = sum(prepared.data[n].size for n in observed)
        for buffer, label in observed.items():
            found = _first_difference(label, before[buffer], after[buffer])
            if found is not None:
                return Outcome(name, size, counts, elements, found)
        return Outcome(name, size, counts, elements, sized=prepared.sized)

    def prepare(self, planned: PlannedPattern, size: int) -> Prepared:
        plan = planned.plan
        numbers = Numbers(size, self.wanted.numbers, _group_sizes(planned))
        numbers.used = self.used
        launches = launches_of(planned, numbers, self.type_of)
        scalars = self._scalars(planned, numbers)
        numbered = {n: int(v) for n, v in scalars.items() if isinstance(v, np.integer)}
        for part in filter(None, map(part_called, _texts([g.assumptions for g in plan.groups]))):
            numbered[part.key] = number_in(scalars[part.name], part)
        known = Known([at.size for at in launches], numbered)
        ranged = [_ranged(group, plan.invocations, known) for group in plan.groups]
        orders = [a for group in plan.groups for a in group.assumptions if isinstance(a, AtMost)]
        if not all(numbered[a.left] * a.times <= numbered[a.right] for a in orders):
            raise CannotRunError("rows are longer than their pitch")
        data = self._data(planned, launches, size)
        if both := sorted(data.keys() & scalars.keys()):
            text = f"'{both[0]}' is memory for one parameter, and a number for another"
            raise CannotRunError(f"{text}: do the numbers in clSetKernelArg fit the kernels?")
        if any(_sizes_differ(group, data) for group in plan.groups):
            raise CannotRunError("the images of a group differ in size")
        files = [i.kernel.program.source.path.name for i in plan.invocations]
        steps = [
            Step(self.before[file], i.kernel.name, i.arguments, at.size, at.local)
            for file, i, at in zip(files, plan.invocations, launches, strict=True)
        ]
        joined = []
        for group, last in zip(plan.groups, ranged, strict=True):
            step = replace(steps[last], program=self.after[files[last]])
            if group.fused:
                kernel = planned.kernels[group.members]
                step = replace(step, program=self._program_with(kernel.name)).of_kernel(kernel)
            joined.append(step)
        return Prepared(launches, steps, joined, scalars, data, numbers.chosen)

    def _program_with(self, kernel: str) -> cl.Program:
        """Of several programs a kernel may be that is in none of their texts."""
        found = (p for p in self.after.values() if kernel in p.kernel_names.split(";"))
        if (program := next(found, None)) is None:
            raise CannotRunError(f"{kernel}() is left out of what was built")
        return program

    @staticmethod
    def launched(
        planned: PlannedPattern, index: int, numbers: Numbers, type_of: TypeOf
    ) -> Launched:
        launch, invocation = planned.launches[index], planned.plan.invocations[index]
        size = tuple(int(numbers.of(v)) for v in launch.size)
        local = tuple(int(numbers.of(v)) for v in launch.local) if launch.local else None
        if not size or any(s <= 0 for s in (*size, *(local or ()))):
            raise CannotRunError(f"{invocation.kernel.name} is launched over nothing")
        if local and any(s % at for s, at in zip(size, local, strict=False)):
            raise CannotRunError(f"the groups of {invocation.kernel.name} do not fit into its size")
        values = planned.values
        pairs = zip(invocation.kernel.parameters, invocation.arguments, strict=True)
        unset = next((a for p, a in pairs if a.name == unset_name(p, invocation.kernel)), None)
        if unset is not None:
            raise CannotRunError(f"{invocation.kernel.name} relies on an argument set elsewhere")
        scalars: dict[str, int] = {}  # real ones are not part of an index
        for parameter, argument in zip(
            invocation.kernel.parameters, invocation.arguments, strict=True
        ):
            if isinstance(argument, Memory | LocalMemory):
                continue
            kind = type_of(invocation.kernel, parameter)
            base = kind.rstrip("0123456789")
            if is_integer(kind):
                scalars[parameter.name] = int(numbers.of(values[argument.name]))
            elif is_integer(base):
                number = int(numbers.of(values[argument.name]))
                scalars |= {f"{parameter.name}.s{part:x}": number for part in range(16)}
        return Launched(size, local, scalars)

    def _scalars(
        self, planned: PlannedPattern, numbers: Numbers
    ) -> dict[str, np.generic | cl.Sampler]:
        found: dict[str, np.generic | cl.Sampler] = {}
        for invocation, launch in zip(planned.plan.invocations, planned.launches, strict=True):
            for position, argument in enumerate(invocation.arguments):
                parameter = invocation.kernel.parameters[position]
                if isinstance(argument, Memory):
                    continue
                if parameter.canonical == "sampler_t":
                    clamp, nearest = cl.addressing_mode.CLAMP_TO_EDGE, cl.filter_mode.NEAREST
                    found[argument.name] = cl.Sampler(self.context, False, clamp, nearest)
                    continue
                if isinstance(argument, LocalMemory):
                    size = numbers.of(launch.local_memory[position])
                    found[argument.name] = np.uint64(int(size))
                    continue
                label = f"{parameter.name} of {invocation.kernel.name}()"
                value = planned.values[argument.name]
                kind = self.type_of(invocation.kernel, parameter)
                found[argument.name] = _scalar(argument.name, label, kind, value, numbers)
        return found

    def _data(
        self, planned: PlannedPattern, launches: Sequence[Launched], size: int
    ) -> dict[str, Array]:
        lengths: dict[str, int] = {}
        types: dict[str, str] = {}
        images: dict[str, Shape] = {}
        for invocation, at in zip(planned.plan.invocations, launches, strict=True):
            wanted = extents(invocation.kernel, at)
            shapes = image_shapes(invocation.kernel, at)
            for parameter, argument in zip(
                invocation.kernel.parameters, invocation.arguments, strict=True
            ):
                if isinstance(argument, Memory) and parameter.image is not None:
                    if parameter.canonical != "image2d_t":
                        raise CannotRunError(f"'{argument}' is an image that is no image2d_t")
                    shape, known = shapes[parameter.name], images.get(argument.name)
                    images[argument.name] = known.joined(shape) if known else shape
                elif isinstance(argument, Memory):
                    length = wanted.get(parameter.name, 0)
                    lengths[argument.name] = max(lengths.get(argument.name, 0), length)
                    types[argument.name] = kind = self.type_of(invocation.kernel, parameter)
                    if kind.rstrip("0123456789") not in _TYPES:
                        raise CannotRunError(f"elements of '{argument}' are no numbers: '{kind}'")
        total = sum(length * size_of(types[name]) for name, length in lengths.items())
        total += sum(shape.texels * size_of(shape.type) for shape in images.values())
        if total > MOST_BYTES:
            raise CannotRunError(f"the buffers would have {total / 1e9:.1f} GB")
        random = np.random.default_rng(self.wanted.seed)
        data = {
            name: _random_array(random, types[name], length, size)
            for name, length in sorted(lengths.items())
        }
        data |= {name: random_image(random, shape) for name, shape in sorted(images.items())}
        labels = {m.name: str(m) for i in planned.plan.invocations for m in i.memory}
        for name, array in data.items():
            given = self.wanted.data.get(labels[name])
            if given is not None:
                data[name] = _given_array(labels[name], given, array)
        return data

    def memory(self, prepared: Prepared) -> dict[str, cl.Buffer | cl.Image]:
        return {name: memory_of(self.context, array) for name, array in prepared.data.items()}

    def _run(self, steps: Sequence[Step], prepared: Prepared) -> dict[str, Array]:
        memory = self.memory(prepared)
        for step in steps:
            kernel = kernel_of(step, prepared, memory)
            cl.enqueue_nd_range_kernel(self.queue, kernel, step.size, step.local)
        result = {n: copied_from(self.queue, memory[n], a) for n, a in prepared.data.items()}
        self.queue.finish()
        return result


def written_type(kernel: Kernel, parameter: Parameter) -> str:
    """The element type as the file says it; a macro stands for what it holds at the end."""
    macro = kernel.unit.macros.at_end(parameter.canonical)
    return macro.body.strip() if macro is not None else parameter.canonical


def _group_sizes(planned: PlannedPattern) -> dict[Sym, int]:
    """Numbers of items in a group: of a variable, as the program's likely run has it."""
    values = {strip(value) for launch in planned.launches for value in launch.local or ()}
    found = {value: planned.prediction.in_run(value) for value in values}
    return {value: n.value for value, n in found.items() if isinstance(n, Num) and n.value > 0}


def launches_of(
    planned: PlannedPattern, numbers: Numbers, type_of: TypeOf = written_type
) -> list[Launched]:
    """The launches of the plan's invocations; no device is needed to know them."""
    count = len(planned.plan.invocations)
    return [Verifier.launched(planned, i, numbers, type_of) for i in range(count)]


def _ranged(group: Group, invocations: Sequence[Invocation], known: Known) -> int:
    """The launch whose range the fused kernel has: one that covers the others."""
    for reach in (a for a in group.assumptions if isinstance(a, Reaches)):
        if not known.reaches(invocations[reach.invocation], reach, None):
            raise CannotRunError("a launch of a group has too few items")
    placed = [a for a in group.assumptions if isinstance(a, Placement)]
    for each in placed:
        one, frame = invocations[each.invocation], invocations[each.frame]
        if isinstance(each, Shifted):
            if not known.shifted(one, frame, each):
                raise CannotRunError("the launches of a group differ in their items")
        elif not known.in_rows(one, frame, each):
            raise CannotRunError("the launches of a group differ in their number of items")
    others = {each.invocation for each in placed}
    sizes = {index: known.sizes[index] for index in group.members if index not in others}
    *_, last = sorted(sizes, key=lambda index: sizes[index])
    bounds = [b for a in group.assumptions if isinstance(a, Covers) for b in a.bounds]
    fits = bool(bounds) and all(map(known.has_items_below, bounds))
    if len(set(sizes.values())) > 1 and not (fits and widest(list(sizes.values()))):
        raise CannotRunError("the launches of a group differ in size")
    return last


def _texts(value: Any) -> Iterator[str]:
    """In what groups assume: names, mostly."""
    if isinstance(value, str):
        yield value
    listed = isinstance(value, (list, tuple))
    for each in value if listed else getattr(value, "__dict__", {}).values():
        yield from _texts(each)


def _sizes_differ(group: Group, data: Mapping[str, Array]) -> bool:
    """The generated function compares widths and heights that kernels ask for."""
    for assumed in group.assumptions:
        sides = (assumed.left, assumed.right) if isinstance(assumed, Equal) else ()
        found = [side for name in sides if (side := image_of(name)) is not None]
        if len({data[image].shape[which == "width"] for image, which in found}) > 1:
            return True
    return False


def kernel_of(
    step: Step, prepared: Prepared, memory: Mapping[str, cl.Buffer | cl.Image]
) -> cl.Kernel:
    """The kernel with its arguments."""
    kernel = cl.Kernel(step.program, step.kernel)
    for index, argument in enumerate(step.arguments):
        if isinstance(argument, LocalMemory):
            size = int(prepared.scalars[argument.name])  # type: ignore[arg-type]
            kernel.set_arg(index, cl.LocalMemory(size))  # type: ignore[arg-type]
        elif argument.name in memory:
            kernel.set_arg(index, memory[argument.name])
        else:
            kernel.set_arg(index, prepared.scalars[argument.name])
    for index, side in enumerate(step.whole, len(step.arguments)):
        kernel.set_arg(index, side)
    return kernel


def _scalar(name: str, label: str, kind: str, value: Sym, numbers: Numbers) -> np.generic:
    """A value for the argument; of real numbers any will do."""
    base = kind.rstrip("0123456789")
    if kind.startswith(("struct ", "union ")):
        raise CannotRunError(f"the value of {label}, a structure, is not known")
    if kind not in _TYPES and (base not in _TYPES or kind == base):
        raise CannotRunError(f"'{kind}' is no type of a number: give -D {kind}=TYPE")
    is_real = base in ("float", "double", "half")
    random = np.random.default_rng(zlib.crc32(name.encode()))
    try:
        number = numbers.of(value) if kind in _TYPES or not is_real else None
    except CannotRunError:
        number = None
    if number is None and not is_real:
        raise CannotRunError(f"the value of {label} is not known: give --let")
    if kind not in _TYPES:
        vector = np.zeros(1, getattr(cl.cltypes, kind))
        for part in vector.dtype.names[: int(kind[len(base) :])]:
            vector[part] = 0.25 + random.random() if is_real else number
        scalar: np.generic = vector[0]
        return scalar
    if is_real and (number is None or number == numbers.size):
        number = 0.25 + random.integers(1000) / 512
    try:
        return _TYPES[kind](number)
    except OverflowError:
        raise CannotRunError(f"{label} cannot be {number}: it is of type {kind}") from None


def _random_array(random: np.random.Generator, type_: str, length: int, size: int) -> Array:
    """Whole numbers may be used as indices or bounds: they are in range."""
    base = type_.rstrip("0123456789")
    lanes = size_of(type_) // size_of(base) if base in _TYPES else size_of(type_)
    kind = _TYPES.get(base, np.uint8)
    if np.issubdtype(kind, np.floating):
        return (random.random(length * lanes) * 3.75 + 0.25).astype(kind)
    return random.integers(0, max(min(size, 100), 1), length * lanes).astype(kind)


def _given_array(label: str, given: Array, wanted: Array) -> Array:
    if given.size < wanted.size:
        raise CannotRunError(f"'{label}' needs {wanted.size} elements; {given.size} are given")
    if wanted.ndim == 3:  # an image
        given = given.ravel()[: wanted.size].reshape(wanted.shape)
        return np.ascontiguousarray(given, dtype=wanted.dtype)
    return np.ascontiguousarray(given.ravel(), dtype=wanted.dtype)


def _observed(planned: PlannedPattern) -> dict[str, str]:
    """Memory that holds its values after the region, and what messages call it."""
    plan = planned.plan
    labels = {m.name: str(m) for i in plan.invocations for m in i.memory}
    dropped: set[str] = set()
    for group in plan.groups:
        for index in group.members:
            for name in written_by(plan.invocations[index]):
                if group.fused and name not in group.stored:
                    dropped.add(name)
                else:
                    dropped.discard(name)
    return {name: label for name, label in labels.items() if name not in dropped}


def _first_difference(label: str, expected: Array, found: Array) -> Difference | None:
    if expected.tobytes() == found.tobytes():
        return None
    bits = expected.view(np.uint8).reshape(len(expected), -1)
    apart = (bits != found.view(np.uint8).reshape(len(found), -1)).any(axis=1)
    where = np.flatnonzero(apart)
    element = int(where[0])
    return Difference(
        label,
        element,
        str(expected[element]),
        str(found[element]),
        len(where),
        _ulps(expected[where], found[where]),
    )


def _ulps(expected: Array, found: Array) -> int | None:
    """The largest difference, counted in numbers of the type that lie between."""
    if expected.dtype not in (np.float16, np.float32, np.float64):
        return None
    sides = []
    for array in (expected, found):
        bits = array.view(f"i{array.dtype.itemsize}").astype(object)
        lowest = 1 << (8 * array.dtype.itemsize - 1)
        sides.append(np.where(bits < 0, -(bits + lowest), bits))
    return int(max(abs(sides[0] - sides[1])))
