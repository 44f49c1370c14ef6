"""Patterns of launches that a block of `fusing` has noted, and the plans that are kept for them."""

from __future__ import annotations

import re
import shlex
import warnings
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any

import pyopencl as cl

from kfusion.api import KernelProgram, read_program
from kfusion.checks import check_plan
from kfusion.device.launching import At, Built
from kfusion.device.overlap import Extent
from kfusion.device.watching import NotedEvent
from kfusion.graph.model import LaunchRange
from kfusion.graph.target import Target
from kfusion.kernel.model import Feature, Kernel, Parameter
from kfusion.kernel.types import INTEGERS
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import KFusionError

_KEPT = 64  # programs, and texts, that are kept
# What kernels with these do is not told by their parameters alone.
_AT_ONCE = {
    *(Feature.PRINTF, Feature.ESCAPE, Feature.UNKNOWN_CALL, Feature.TOO_LONG),
    Feature.UNKNOWN_NAME,
    *(Feature.HIDDEN_POINTER, Feature.NESTED, Feature.ATTRIBUTE),
}


@dataclass
class Text:
    """What kernels are built from: read once."""

    options: str
    full_groups: bool
    kernels: KernelProgram | None
    why: str
    patterns: dict[Any, Pattern] = field(default_factory=dict)


@dataclass
class Program:
    program: Any  # pyopencl's: while it is kept, its handle is its own
    source: Text


_INCLUDES = re.compile(r"#\s*include\b")
_texts: OrderedDict[tuple[str, str], Text] = OrderedDict()
_programs: OrderedDict[tuple[int, str], Program] = OrderedDict()


@dataclass(frozen=True)
class Facts:
    """What is known of a kernel."""

    program: Program
    model: Kernel
    most: int  # items of a group

    def refuses(self, at: At) -> str:
        """Why OpenCL may refuse the launch; "" if it does not."""
        required = self.model.required_size
        if required is not None and at.local is None:
            return "its groups have a required size"
        if required is not None and at.local is not None:
            sides = (*at.local, 1, 1)[:3]
            same = tuple(map(str, sides)) == (*required, "1", "1")[:3]
            return "" if same else "its local size is not the required one"
        return "its local size is too large" if prod(at.local or ()) > self.most else ""


def kernel_facts(kernel: cl.Kernel, device: cl.Device) -> Facts | str:
    """Or why its launches are not held back."""
    known: dict[int, Facts | str] = vars(kernel).setdefault("_kfusion_facts", {})
    key = hash(device)
    if key not in known:
        known[key] = _facts(kernel, device)
    return known[key]


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


@dataclass
class Noted:
    """A launch that is held back."""

    facts: Facts
    arguments: tuple[Any, ...]  # memory, local memory, samplers; else bytes
    at: At
    event: NotedEvent
    is_made: bool = False

    @property
    def memory(self) -> list[Any]:
        return [each for each in self.arguments if isinstance(each, cl.MemoryObjectHolder)]

    def make(self, queue: cl.CommandQueue) -> None:
        """As it was written, but with a kernel object of our own."""
        # It is not kept: a program that has kernels cannot be built again.
        kernel, at = cl.Kernel(self.facts.program.program, self.facts.model.name), self.at
        kernel.set_args(*self.arguments)
        self.became(cl.enqueue_nd_range_kernel(queue, kernel, at.size, at.local, at.offset))

    def became(self, event: cl.Event) -> None:
        self.is_made = True
        self.event.become(event)


class Calls:
    """Launches of one program, in the notation of the Python API, under names of their own."""

    def __init__(self, row: Sequence[Noted], extents: Mapping[int, Extent]) -> None:
        self.row, self.program = row, row[0].facts.program
        self.names: dict[object, str] = {}  # of memory and numbers
        self.values: dict[str, Any] = {}
        self.extents: list[Extent] = []  # of memory, by its numbers
        self.memory: list[str] = []
        self._taken: set[str] = set()
        sizes: dict[object, str] = {}
        self.texts: list[str] = []
        self.ranges: list[LaunchRange] = []
        for launch in row:
            model, given = launch.facts.model, launch.arguments
            pairs = zip(model.parameters, given, strict=True)
            names = [self._name(p, value, extents) for p, value in pairs]
            self.texts.append(f"{model.name}({', '.join(names)})")
            at = launch.at
            key = sizes.setdefault((at.size, at.offset), f"range {len(sizes)}")
            self.ranges.append(self._range(at, key))
        self.key = tuple(self.texts), tuple(self.ranges)

    def _range(self, at: At, key: str) -> LaunchRange:
        local = None if at.local is None else ", ".join(map(str, at.local))
        ones = tuple(d for d, side in enumerate(at.local or ()) if side == 1)
        full = at.local is not None or self.program.source.full_groups
        return LaunchRange(
            len(at.size), key, local, full, at.offset is not None, ones, at.local == at.size
        )

    def _name(self, parameter: Parameter, value: Any, extents: Mapping[int, Extent]) -> str:
        key: object
        is_memory = isinstance(value, cl.MemoryObjectHolder)
        if is_memory:
            key = "memory", value.int_ptr
        elif isinstance(value, cl.LocalMemory):
            key = "local", value.size
        elif isinstance(value, cl.Sampler):
            key = "sampler", value.int_ptr
        elif parameter.canonical in INTEGERS:
            signed = INTEGERS[parameter.canonical][1]
            value = int.from_bytes(value, "little", signed=signed)
            key = "integer", value
        else:
            key = parameter.canonical, value
        if key not in self.names:
            name, number = parameter.name, 2
            while name in self._taken:
                name, number = f"{parameter.name}_{number}", number + 1
            self._taken.add(name)
            self.names[key] = name
            self.values[name] = value
            if is_memory:
                self.memory.append(name)
                self.extents.append(extents[value.int_ptr])
        return self.names[key]

    def is_read_first(self, number: int) -> bool:
        """Does the first launch that names the memory read of it?"""
        name = self.memory[number]
        for launch in self.row:
            pairs = zip(launch.facts.model.parameters, launch.arguments, strict=True)
            mine = {
                p.name
                for p, value in pairs
                if isinstance(value, cl.MemoryObjectHolder)
                and self.names["memory", value.int_ptr] == name
            }
            if mine:
                model = launch.facts.model
                modes = [a.mode for a in model.accesses if a.parameter in mine]
                return bool(model.features) or not modes or any(mode.reads for mode in modes)
        return True

    @cached_property
    def checked(self) -> dict[str, Any]:
        """What is compared: of buffers, which bytes they have."""
        own = dict(zip(self.memory, self.extents, strict=True))
        images = {n: v for n, v in self.values.items() if isinstance(v, cl.Image)}
        return {**self.values, **own, **images}


class Pattern:
    """Rows of launches that differ in data only: how they are made."""

    def __init__(
        self,
        calls: Calls,
        unseen: frozenset[int],
        target: Target,
        exact: bool,
        queue: cl.CommandQueue,
    ) -> None:
        source = calls.program.source
        assert source.kernels is not None
        seen = [n for number, n in enumerate(calls.memory) if number not in unseen]
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

    @classmethod
    def failing(cls, why: str) -> Pattern:
        pattern = cls.__new__(cls)
        pattern.why = why
        return pattern

    def check(self, calls: Calls) -> None:
        at = [launch.at for launch in calls.row]
        sizes = [each.size for each in at]
        offsets = [each.offset or (0,) * len(each.size) for each in at]
        check_plan(self.fused.plan, calls.checked, sizes, offsets, [each.local for each in at])

    def launch(self, queue: cl.CommandQueue, calls: Calls) -> Iterator[None]:
        """One kernel after the other."""
        at = [launch.at for launch in calls.row]
        for step in self.built.steps:
            if step.is_fused:
                event = self.built.launch(step, queue, calls.values, at)
                for call in step.launch.calls:
                    calls.row[call].became(event)
            else:
                (call,) = step.launch.calls
                calls.row[call].make(queue)
            yield
