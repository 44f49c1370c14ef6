"""Builds a fused program in a context, and launches its kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl

from kfusion.api import Fused, Launch
from kfusion.checks import check_numbers, check_plan
from kfusion.graph.model import LocalMemory, Memory, RegionPlan
from kfusion.kernel.model import Parameter
from kfusion.kernel.types import INTEGERS
from kfusion.notation import literal
from kfusion.source.dataclasses import dataclass
from kfusion.synthesis.model import FusedParameter

_BUILT = "programs that are built"  # in an object's dictionary, where no field can be called so
_FLOATS = {"half": np.float16, "float": np.float32, "double": np.float64}


class At(NamedTuple):
    """Where a call is launched."""

    size: tuple[int, ...]
    local: tuple[int, ...] | None
    offset: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Step:
    launch: Launch
    is_fused: bool
    kernel: cl.Kernel
    types: tuple[str, ...]  # of the arguments; "" for memory
    leader: int  # the call whose range and groups it has

    def more(self, size: tuple[int, ...]) -> list[Any]:
        """The arguments behind those, where the calls are launched over the size."""
        if self.launch.tiles is not None:
            return list(map(np.int32, size))
        return [np.uint64(size[0])] if self.launch.elements > 1 else []


class Built:
    """The kernels of a fused object in a context."""

    def __init__(
        self, fused: Fused, context: cl.Context, options: str | Sequence[str] = ()
    ) -> None:
        program = cl.Program(context, fused.source)
        program.build(options if isinstance(options, str) else list(options))
        made = {kernel.name: kernel for kernel in fused.fused}
        self.steps: list[Step] = []
        for launch in fused.kernels:
            calls = [fused.plan.invocations[i] for i in launch.calls]
            if launch.name in made:
                parameters = made[launch.name].parameters
                types = tuple(_type_of(fused.plan, parameter) for parameter in parameters)
            else:
                pairs = zip(calls[0].kernel.parameters, calls[0].arguments, strict=True)
                types = tuple("" if isinstance(a, Memory) else p.canonical for p, a in pairs)
            given = [i.index for i in calls if i.range.local is not None]
            required = [i.index for i in calls if i.kernel.required_size is not None]
            leader = (required or given or launch.calls)[-1]
            self.steps.append(
                Step(launch, launch.name in made, cl.Kernel(program, launch.name), types, leader)
            )

    def launch(
        self, step: Step, queue: cl.CommandQueue, values: Mapping[str, Any], at: Sequence[At]
    ) -> cl.Event:
        """`at` has an entry for each call."""
        launch, where = step.launch, at[step.leader]
        pairs = zip(launch.arguments, step.types, strict=True)
        arguments = [argument_of(values, name, type_) for name, type_ in pairs]
        step.kernel.set_args(*arguments, *step.more(where.size))
        size, local = launch.over(where.size, where.local)
        return cl.enqueue_nd_range_kernel(queue, step.kernel, size, local, where.offset)


def _type_of(plan: RegionPlan, parameter: FusedParameter) -> str:
    """The canonical type of what a fused kernel gets; "" for memory."""
    if isinstance(parameter.argument, Memory):
        return ""
    found: list[Parameter] = [
        p
        for call in plan.invocations
        for p, a in zip(call.kernel.parameters, call.arguments, strict=True)
        if a.name == parameter.argument.name and type(a) is type(parameter.argument)
    ]
    words = parameter.text.removesuffix(parameter.name).split()
    text = " ".join(word for word in words if word != "const")
    return next((p for p in found if p.type == text), found[0]).canonical


def argument_of(values: Mapping[str, Any], name: str, type_: str) -> Any:
    """What a kernel is given for a parameter of the type."""
    value: Any = values[name] if name in values else _number(name)
    if type_ in INTEGERS:
        return _integer(name, value, type_)
    if type_ in _FLOATS:
        if not isinstance(value, int | float | np.integer | np.floating):
            raise TypeError(f"'{name}' has the type {type_}, and is given {_shown(value)}")
        return _FLOATS[type_](value)
    if type_ == "" and not isinstance(value, cl.MemoryObjectHolder):
        return _buffer(name, value)
    return value


def _integer(name: str, value: Any, type_: str) -> bytes:
    if not isinstance(value, int | np.integer):
        raise TypeError(f"'{name}' has the type {type_}, and is given {_shown(value)}")
    bits, signed = INTEGERS[type_]
    try:
        return int(value).to_bytes(bits // 8, "little", signed=signed)
    except OverflowError:
        raise TypeError(f"'{name}' has the type {type_}, which {value} does not fit into") from None


def _buffer(name: str, value: Any) -> Any:
    """Of an array, which says so if it begins inside of its buffer."""
    if not hasattr(value, "base_data"):
        raise TypeError(f"'{name}' is memory, and is given {_shown(value)}")
    if not value.flags.forc:
        raise TypeError(f"'{name}' is an array whose elements are not side by side: copy it")
    return value.data


def _shown(value: Any) -> str:
    return f"{type(value).__name__} {value!r}" if np.isscalar(value) else type(value).__name__


def _number(text: str) -> float:
    value = literal(text)
    return float(text.rstrip("fFlLhH")) if value is None else value


def _is_number(text: str) -> bool:
    try:
        _number(text)
    except ValueError:
        return False
    return True


def run(
    fused: Fused,
    queue: cl.CommandQueue,
    size: tuple[int, ...],
    local: tuple[int, ...] | None,
    options: str | Sequence[str],
    args: Mapping[str, Any],
) -> cl.Event | None:
    """`Fused.run`: check, build once, launch."""
    values = {**fused.numbers, **_sized(fused, args)}
    _check_names(fused, values)
    calls = len(fused.plan.invocations)
    check_numbers(fused.numbers, args)
    checked = dict.fromkeys(_internal(fused), _NO_MEMORY) | values
    check_plan(fused.plan, checked, [size] * calls, None, [local] * calls)
    built: dict[object, Built] = vars(fused).setdefault(_BUILT, {})
    key = (queue.context, options if isinstance(options, str) else tuple(options))
    if key not in built:
        built[key] = Built(fused, queue.context, options)
    at = [At(size, local)] * calls
    events = [built[key].launch(step, queue, values, at) for step in built[key].steps]
    return events[-1] if events else None


_NO_MEMORY = object()  # of the program: it shares none


def _internal(fused: Fused) -> set[str]:
    """Memory that no kernel is given any more."""
    given = {name for launch in fused.kernels for name in launch.arguments}
    return {m.name for call in fused.plan.invocations for m in call.memory} - given


def _sized(fused: Fused, args: Mapping[str, Any]) -> dict[str, Any]:
    """Local memory may be given as a number of bytes."""
    arguments = (a for call in fused.plan.invocations for a in call.arguments)
    local = {a.name for a in arguments if isinstance(a, LocalMemory)}
    sized = {name: cl.LocalMemory(args[name]) for name in local if isinstance(args.get(name), int)}
    return {**args, **sized}


def _check_names(fused: Fused, values: Mapping[str, Any]) -> None:
    known = {a.name for call in fused.plan.invocations for a in call.arguments}
    names = sorted(name for name in known if not _is_number(name))
    for name in values:
        if name not in known:
            raise TypeError(f"run() got '{name}'; the calls name {', '.join(names)}")
    wanted = dict.fromkeys(name for launch in fused.kernels for name in launch.arguments)
    for name in wanted:
        if name not in values and not _is_number(name):
            raise TypeError(f"run() lacks '{name}'; the calls name {', '.join(names)}")
