"""Patterns of launches that a block of `fusing` has noted, and the plans that are kept for them."""

from __future__ import annotations

import re
import shlex
import warnings
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import pyopencl as cl

from kfusion.api import KernelProgram, read_program
from kfusion.checks import CheckError, check_plan
from kfusion.device import watching
from kfusion.device.launching import At, Built
from kfusion.device.memory import Known, known
from kfusion.device.overlap import Extent
from kfusion.device.watching import NotedEvent
from kfusion.graph.model import LaunchRange
from kfusion.graph.target import Target
from kfusion.kernel.forms import part_called
from kfusion.kernel.model import Feature, Kernel, Parameter
from kfusion.kernel.types import INTEGERS
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import KFusionError

_KEPT = 64  # programs, and texts, that are kept
_REMEMBERED = 256  # rows of a text, and numbers of a row
_FACTS = "what kfusion knows"  # in an object's dictionary, where no field can be called so
Place = tuple[int, int]  # of an argument: its launch, and which it is
# What kernels with these do is not told by their parameters alone.
_AT_ONCE = {
    *(Feature.PRINTF, Feature.ESCAPE, Feature.UNKNOWN_CALL, Feature.UNKNOWN_NAME),
    *(Feature.TOO_LONG, Feature.NO_SPACE, Feature.HIDDEN_POINTER, Feature.NESTED),
    Feature.ATTRIBUTE,
}


@dataclass
class Text:
    """What kernels are built from: read once."""

    options: str
    full_groups: bool
    kernels: KernelProgram | None
    why: str
    patterns: dict[Any, Pattern] = field(default_factory=dict)
    rows: dict[Any, Row] = field(default_factory=dict)


@dataclass
class Program:
    program: Any  # pyopencl's: while it is kept, its handle is its own
    source: Text
    kernels: dict[str, cl.Kernel] = field(default_factory=dict)  # our own ones


_INCLUDES = re.compile(r"#\s*include\b")
_texts: OrderedDict[tuple[str, str], Text] = OrderedDict()
_programs: OrderedDict[tuple[int, str], Program] = OrderedDict()


def _forget_kernels(program: Any) -> None:
    """A program that has kernels cannot be built again."""
    for (handle, _), kept in _programs.items():
        if handle == program.int_ptr:
            kept.kernels.clear()


watching.built_again.append(_forget_kernels)


@dataclass(frozen=True)
class Facts:
    """What is known of a kernel."""

    program: Program
    model: Kernel
    most: int  # items of a group

    def refuses(self, at: At) -> str:
        """Why OpenCL may refuse the launch; "" if it does not."""
        required = self.model.required_size
        if at.local is None:
            return "" if required is None else "its groups have a required size"
        if required is not None:
            sides = (*at.local, 1, 1)[:3]
            same = tuple(map(str, sides)) == (*required, "1", "1")[:3]
            return "" if same else "its local size is not the required one"
        return "its local size is too large" if prod(at.local) > self.most else ""

    @cached_property
    def kinds(self) -> tuple[tuple[Parameter, type, str], ...]:
        """Of what class the arguments are, and how that is called."""
        return tuple((parameter, *_kind(parameter)) for parameter in self.model.parameters)


def _kind(parameter: Parameter) -> tuple[type, str]:
    if parameter.is_buffer or parameter.image is not None:
        return cl.MemoryObjectHolder, "buffer"
    if parameter.pointer:
        return cl.LocalMemory, "local memory"
    return (bytes, "number") if parameter.is_scalar else (cl.Sampler, "sampler")


def kernel_facts(kernel: cl.Kernel, device: cl.Device) -> Facts | str:
    """Or why its launches are not held back."""
    kept = vars(kernel)
    if _FACTS not in kept:
        kept[_FACTS] = {}
    by_device: dict[int, Facts | str] = kept[_FACTS]
    key = device.int_ptr
    if key not in by_device:
        by_device[key] = _facts(kernel, device)
    return by_device[key]


def _facts(kernel: cl.Kernel, device: cl.Device) -> Facts | str:
    program: Any = kernel.get_info(cl.kernel_info.PROGRAM)
    options = str(program.get_build_info(device, cl.program_build_info.OPTIONS))
    found = _programs.get((program.int_ptr, options))  # it may be built again, with others
    if found is None:
        text = program.get_info(cl.program_info.SOURCE)
        found = Program(program, _text(str(text), options))
        _programs[program.int_ptr, options] = found
        while len(_programs) > _KEPT:
            _programs.popitem(last=False)
    if found.source.kernels is None:
        return found.source.why
    model = found.source.kernels.kernels.get(kernel.function_name)
    if model is None:
        return "it is not found in the program's text"
    if uses := [use for use in model.features if use.feature in _AT_ONCE]:
        return f"it has {uses[0].feature.value}"
    if len(model.parameters) != kernel.num_args:
        return "it has other parameters than the text says"
    most: Any = kernel.get_work_group_info(cl.kernel_work_group_info.WORK_GROUP_SIZE, device)
    return Facts(found, model, most)


def _text(source: str, options: str) -> Text:
    if _INCLUDES.search(source):  # of files that may differ by now
        return _read(source, options)
    key = source, options
    if key not in _texts:
        _texts[key] = _read(source, options)
        while len(_texts) > _KEPT:
            _texts.popitem(last=False)
    return _texts[key]


def _read(source: str, options: str) -> Text:
    full = "-cl-uniform-work-group-size" in options or not any(
        f"-cl-std=CL{version}" in options for version in "23"
    )
    if not source.strip():
        return Text(options, full, None, "its program has no text: it was loaded or linked")
    defines: list[str] = []
    folders: list[Path] = []
    words = iter(shlex.split(options))
    for word in words:
        if word.startswith("-D"):
            defines.append(word[2:] or next(words, ""))
        elif word.startswith("-I"):
            folders.append(Path(word[2:] or next(words, "")))
        elif not word.startswith("-cl-") and word not in ("-w", "-Werror"):
            return Text(options, full, None, f"its program is built with {word}")
    try:
        kernels = read_program(source, defines, include_dirs=folders)
    except KFusionError as failed:
        why = f"its program cannot be read: {failed.diagnostics[0].message}"
        return Text(options, full, None, why)
    return Text(options, full, kernels, "")


class Noted(NamedTuple):
    """A launch that is held back."""

    facts: Facts
    arguments: Sequence[Any]  # memory, local memory, samplers; else bytes
    numbers: Sequence[int]  # of the arguments: equal ones for those that are the same
    memory: Sequence[Known]
    at: At
    event: NotedEvent

    def make(self, queue: cl.CommandQueue) -> None:
        """As it was written, but with a kernel object of our own."""
        kernels, name = self.facts.program.kernels, self.facts.model.name
        if name not in kernels:
            kernels[name] = cl.Kernel(self.facts.program.program, name)
        self.event.become(watching.launch(queue, kernels[name], self.arguments, self.at))


def key_of(parameter: Parameter, value: Any) -> object:
    """Of an argument that is no memory: arguments with one key are the same. That of integers
    is their value."""
    if isinstance(value, cl.LocalMemory):
        return "local", value.size
    if isinstance(value, cl.Sampler):
        return "sampler", value.int_ptr
    if parameter.canonical in INTEGERS:
        return int.from_bytes(value, "little", signed=INTEGERS[parameter.canonical][1])
    return parameter.canonical, value


class Calls:
    """Launches of one program, in the notation of the Python API, under names of their own."""

    def __init__(self, row: Sequence[Noted]) -> None:
        self.row, self.program = row, row[0].facts.program
        self.names: dict[int, str] = {}  # by the numbers of arguments
        self.places: dict[tuple[str, str], Place] = {}  # by names and types
        self.checked: dict[str, Any] = {}  # what is compared: of buffers, which bytes they have
        self.memory: dict[str, Known] = {}
        sizes: dict[object, str] = {}
        self.texts: list[str] = []
        self.ranges: list[LaunchRange] = []
        for call, launch in enumerate(row):
            model, at = launch.facts.model, launch.at
            names = []
            pairs = zip(model.parameters, launch.arguments, launch.numbers, strict=True)
            for parameter, value, number in pairs:
                name, own = self._name(parameter.name, number), known(value)
                names.append(name)
                type_ = parameter.canonical if own is None else ""
                self.places.setdefault((name, type_), (call, parameter.index))
                if own is None:
                    value = key_of(parameter, value)
                else:
                    self.memory[name] = own
                self.checked[name] = value if own is None or own.image else own.extent
            self.texts.append(f"{model.name}({', '.join(names)})")
            range_ = sizes.setdefault((at.size, at.offset), f"range {len(sizes)}")
            self.ranges.append(self._range(at, range_))
        self.key = tuple(self.texts), tuple(self.ranges)

    def _range(self, at: At, key: str) -> LaunchRange:
        local = None if at.local is None else ", ".join(map(str, at.local))
        ones = tuple(d for d, side in enumerate(at.local or ()) if side == 1)
        full = at.local is not None or self.program.source.full_groups
        return LaunchRange(
            len(at.size), key, local, full, at.offset is not None, ones, at.local == at.size
        )

    def _name(self, wanted: str, number: int) -> str:
        if number not in self.names:
            name, more = wanted, 2
            while name in self.checked:
                name, more = f"{wanted}_{more}", more + 1
            self.names[number] = name
        return self.names[number]

    def is_read_first(self, name: str) -> bool:
        """Does the first launch that names the memory read of it?"""
        for launch in self.row:
            model = launch.facts.model
            pairs = zip(model.parameters, launch.numbers, strict=True)
            if mine := {p.name for p, number in pairs if self.names[number] == name}:
                modes = [a.mode for a in model.accesses if a.parameter in mine]
                return bool(model.features) or not modes or any(mode.reads for mode in modes)
        return True


class Pattern:
    """Rows of launches that differ in data only: how they are made."""

    def __init__(
        self,
        calls: Calls,
        unseen: frozenset[str],
        target: Target,
        exact: bool,
        queue: cl.CommandQueue,
    ) -> None:
        source = calls.program.source
        assert source.kernels is not None
        seen = [name for name in calls.memory if name not in unseen]
        self.why = ""
        target = replace(target)
        self.fused = source.kernels.fuse(
            calls.texts, seen if unseen else None, calls.ranges, target, exact=exact
        )
        if not self.fused.plan.fuses:
            self.why = "nothing is fused: " + "; ".join(
                dict.fromkeys(d.message for d in self.fused.diagnostics)
            )
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.built = Built(self.fused, queue.context, source.options)
        self.places: list[list[Place]] = []  # of the arguments of each step
        for step in self.built.steps:
            pairs = zip(step.launch.arguments, step.types, strict=True)
            self.places.append([calls.places[pair] for pair in pairs if step.is_fused])
        assumed = {
            part.name if isinstance(value, str) and (part := part_called(value)) else value
            for group in self.fused.plan.groups
            for a in group.assumptions
            for value in vars(a).values()
        }
        self.compared = [
            place for (name, type_), place in calls.places.items() if name in assumed and type_
        ]

    @classmethod
    def failing(cls, why: str) -> Pattern:
        pattern = cls.__new__(cls)
        pattern.why = why
        return pattern

    def check(self, calls: Calls) -> str:
        """Why what was taken for granted does not hold; "" if it does."""
        at = [launch.at for launch in calls.row]
        sizes = [each.size for each in at]
        offsets = [each.offset or (0,) * len(each.size) for each in at]
        try:
            check_plan(self.fused.plan, calls.checked, sizes, offsets, [each.local for each in at])
        except CheckError as failed:
            return str(failed)
        return ""

    def launch(self, queue: cl.CommandQueue, row: Sequence[Noted]) -> Iterator[None]:
        """One kernel after the other."""
        for step, places in zip(self.built.steps, self.places, strict=True):
            if step.is_fused:
                arguments = [row[call].arguments[number] for call, number in places]
                where = row[step.leader].at
                arguments += step.more(where.size)
                at = *step.launch.over(where.size, where.local), where.offset
                event = watching.launch(queue, step.kernel, arguments, at)
                for call in step.launch.calls:
                    row[call].event.become(event)
            else:
                (call,) = step.launch.calls
                row[call].make(queue)
            yield


class Row:
    """Launches with one pattern, one `outline`: only numbers are left to compare."""

    def __init__(self, pattern: Pattern) -> None:
        self.pattern = pattern
        self._checked: dict[object, str] = {}

    def why_not(self, row: Sequence[Noted]) -> str:
        """Why the launches are made as they were written; "" if they are not."""
        pattern = self.pattern
        if pattern.why:
            return pattern.why
        numbers = tuple([row[call].arguments[number] for call, number in pattern.compared])
        if numbers not in self._checked:
            remember(self._checked, numbers, pattern.check(Calls(row)))
        return self._checked[numbers]


def outline(row: Sequence[Noted], others: Sequence[Sequence[Extent | None] | None]) -> object:
    """All that a plan and its checks depend on, but for the values of numbers.

    Memory is told by how it lies to other memory: that of the row, and `others`.
    """
    calls = tuple([(launch.facts.model.name, launch.at, launch.numbers) for launch in row])
    memory = {own.key: own for launch in row for own in launch.memory}
    owners: dict[object, int] = {}

    def lie(extents: Iterable[Extent | None]) -> tuple[object, ...]:
        return tuple(
            [e and (owners.setdefault(e.owner, len(owners)), e.start, e.end) for e in extents]
        )

    lying = (
        lie(own.extent for own in memory.values()),
        *[None if each is None else lie(each) for each in others],
    )
    return calls, lying, tuple([own.image for own in memory.values()])


def remember(kept: dict[Any, Any], key: object, value: object) -> None:
    if len(kept) >= _REMEMBERED:
        kept.clear()
    kept[key] = value
