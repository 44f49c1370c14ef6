"""Launches that are expected in a region because somebody says so, not the host's code.

`runs(square(t, a), add(c, t, b))` in an annotation lists them, or a recorded run of the program
does. What comes out has the form of a prediction from the code. The run time compares it with
what is really launched: where it is wrong, the launches are made as they were written.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, starmap

from kfusion.graph.drops import Drop
from kfusion.graph.model import (
    Argument,
    Invocation,
    LaunchRange,
    LocalMemory,
    Memory,
    Oracle,
    Scalar,
)
from kfusion.host.at_end import EndNames
from kfusion.host.observed import drops_of
from kfusion.host.oracle import Expected, Pair, first_apart
from kfusion.host.predict import Prediction
from kfusion.host.predict_launches import PredictedLaunch, range_of, sizes_of_image
from kfusion.host.program import HostProgram
from kfusion.host.record import Calling
from kfusion.host.symbolic import App, Entry, Literal, Num, Place, State, Sym
from kfusion.host.sync import sync_reason, syncs_of
from kfusion.kernel.model import Kernel, Parameter
from kfusion.kernel.types import INTEGERS, size_of
from kfusion.notation import Agreement, Call, check_names, literal, read_call
from kfusion.parse.recorded import RecordedLaunch, RecordedRow
from kfusion.parse.unit import Function
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import Reason
from kfusion.source.text import Span

FROM_RUNS = "from runs(...) in the annotation"
_ONE_RANGE = "the range of all launches"
_SIZES = ("items", "rows", "planes")
_MOST = 24  # launches of one pattern that is made of a recorded row
_FLOATS = {"float": "<f", "double": "<d", "half": "<e"}


@dataclass(frozen=True)
class ExpectedRow:
    """A row of launches that a region is expected to make. What may be taken for granted, and what
    need not be stored, is asked of the row, or of a piece of it."""

    prediction: Prediction
    oracle: Callable[[Prediction], Oracle]
    drops: Callable[[Prediction], Sequence[Drop]]
    origin: str  # of the prediction
    held: bool = False  # nothing comes between the launches and the region's end


def _told(
    row: Prediction,
    oracle: Callable[[Prediction], Oracle],
    origin: str,
    observed: frozenset[str] | None,
) -> ExpectedRow:
    """`observed`: memory under a name of `out`, or of no `temp`; None: any."""

    def is_unseen(name: str) -> bool:
        return observed is not None and name not in observed

    return ExpectedRow(row, oracle, lambda piece: drops_of(piece, is_unseen), origin)


# What annotations list


class _Runs(Agreement):
    """As in Python; but macros of programs are compared, and functions have annotations."""

    def __init__(self, apart: Mapping[Pair, Reason]) -> None:
        super().__init__()
        self.apart = apart

    def at_least(self, scalar: Scalar, least: int) -> bool:
        return literal(scalar.name) is None or super().at_least(scalar, least)

    def numbers(self) -> bool:
        return True

    def joinable(self, members: tuple[int, ...]) -> Reason | None:
        return first_apart(self.apart, members)


def told_by_runs(
    listed: Sequence[Span], kernels: Mapping[str, Kernel], names: EndNames | None, apart: Apart
) -> ExpectedRow:
    """By agreement all launches have one range, and different names are different memory."""
    calls = [read_call(span, kernels) for span in listed]
    check_names(calls)
    dimensions = max((call.kernel.dimensions for call in calls), default=1)
    range_ = LaunchRange(dimensions, _ONE_RANGE)
    launches = [_of_call(call, index, range_) for index, call in enumerate(calls)]
    values = {argument.name: _value(argument.name) for call in calls for argument in call.arguments}
    memory = {m.name for launch in launches for m in launch.invocation.memory}
    observed = None
    if names is not None:
        observed = frozenset(names.names("out") or memory - set(names.names("temp")))
    row = _prediction(launches, values, frozenset(), FROM_RUNS)
    return _told(row, lambda piece: _Runs(apart.of(piece)), FROM_RUNS, observed)


def _of_call(call: Call, index: int, range_: LaunchRange) -> PredictedLaunch:
    text = " ".join(call.span.text.split()).rstrip(";")
    invocation = Invocation(index, call.kernel, call.arguments, range_, text, call.span)
    local = {
        position: _value(argument.name)
        for position, argument in enumerate(call.arguments)
        if isinstance(argument, LocalMemory)
    }
    size = tuple(Entry(Place(App(name))) for name in _SIZES[: range_.dimensions])
    return PredictedLaunch(invocation, size, None, local)


def _value(text: str) -> Sym:
    number = literal(text)
    if number is not None:
        return Num(number)
    return Entry(Place(App(text))) if re.fullmatch(r"[A-Za-z_]\w*", text) else Literal(text)


# A recorded run


class _Recorded(Expected):
    """What was equal in the run is expected to be equal; all of it is compared again."""

    def __init__(
        self,
        program: HostProgram,
        row: Prediction,
        launches: Mapping[str, RecordedLaunch],
        apart: Apart,
    ) -> None:
        """`launches` by the names of their ranges."""
        super().__init__(program, row, apart.of(row))
        self.launches = launches

    def same_range(self, left: Invocation, right: Invocation) -> Reason | None:
        a, b = self.launches[left.range.key], self.launches[right.range.key]
        if a.size == b.size and a.offset == b.offset:
            return None
        return Reason(
            "KF202",
            f"{left.kernel.name} has the range {a.range_text}, "
            f"{right.kernel.name} the range {b.range_text} in the recorded run",
            right.span,
            help="launch both over one range",
        )

    def within(
        self, invocation: Invocation, dimension: int, scalar: Scalar, *, implied: bool
    ) -> bool:
        launch, number = self.launches[invocation.range.key], self.values.get(scalar.name)
        if dimension >= len(launch.size) or not isinstance(number, Num):
            return False
        begin = launch.offset[dimension] if launch.offset else 0
        return begin + launch.size[dimension] <= number.value


def told_by_records(
    rows: Iterable[RecordedRow],
    kernels: Mapping[str, Kernel],
    program: HostProgram,
    names: EndNames | None,
    apart: Apart,
) -> list[ExpectedRow]:
    """Rows of launches of known kernels, the longest ones in pieces."""
    found = [
        _recorded(row, piece, kernels, program, names, apart)
        for row in rows
        for piece in _pieces(_known(row.launches, kernels))
        if len(piece) > 1
    ]
    return [told for told in found if told is not None]


def _known(
    launches: Iterable[RecordedLaunch], kernels: Mapping[str, Kernel]
) -> list[list[RecordedLaunch]]:
    """What the run time cannot note, or that settles, ends a row."""
    rows: list[list[RecordedLaunch]] = [[]]
    for launch in launches:
        kernel = kernels.get(launch.kernel)
        known = kernel is not None and len(kernel.parameters) == len(launch.arguments)
        if launch.settled:
            rows.append([])
        if kernel is not None and known and "?" not in launch.arguments:
            pairs = zip(kernel.parameters, launch.arguments, strict=True)
            rows[-1].append(replace(launch, arguments=tuple(starmap(_told_apart, pairs))))
        else:
            rows.append([])
    return [row for row in rows if row]


def _told_apart(parameter: Parameter, text: str) -> str:
    """`8:e05eb7f777550000/3` is an object or a value: the kernel tells."""
    value, _, number = text.partition("/")
    if not number:
        return text
    if parameter.canonical == "sampler_t":
        return f"s{number}"
    return f"m{number}" if parameter.pointer or parameter.image else value


def _pieces(rows: Iterable[list[RecordedLaunch]]) -> list[list[RecordedLaunch]]:
    """A loop's launches are one round, again and again."""
    found: list[list[RecordedLaunch]] = []
    for row in rows:
        if len(row) <= _MOST:
            found.append(row)
            continue
        names = [launch.kernel for launch in row]
        first, period = _round(names)
        step = max(period * (_MOST // 2 // period), period) if period <= _MOST else _MOST
        if first > 0:
            found.append(row[:first][:_MOST])
        found += [row[at : at + step] for at in range(first, len(row), step)]
    return found


def _round(names: Sequence[str]) -> tuple[int, int]:
    """Where a row of names begins to repeat, and after how many; all of them if it does not."""
    for first in range(min(_MOST, len(names))):
        for period in range(1, _MOST + 1):
            rest = names[first:]
            if len(rest) >= 3 * period and list(rest[period:]) == list(rest[:-period]):
                return first, period
    return 0, len(names)


def _recorded(
    row: RecordedRow,
    launches: Sequence[RecordedLaunch],
    kernels: Mapping[str, Kernel],
    program: HostProgram,
    names: EndNames | None,
    apart: Apart,
) -> ExpectedRow | None:
    values: dict[str, Sym] = {}
    predicted: list[PredictedLaunch] = []
    for index, launch in enumerate(launches):
        kernel = kernels[launch.kernel]
        arguments: list[Argument] = []
        local: dict[int, Sym] = {}
        for parameter, text in zip(kernel.parameters, launch.arguments, strict=True):
            argument = _argument(parameter, text, index)
            if argument is None:
                return None
            arguments.append(argument)
            if isinstance(argument, LocalMemory):
                local[parameter.index] = Num(int(argument.name))
            elif isinstance(argument, Scalar) and ":" in text:
                values[argument.name] = _number(parameter.canonical, text)
            else:
                values[argument.name] = Entry(Place(App(argument.name)))
                values |= sizes_of_image(argument.name, values[argument.name])
        named = zip(kernel.parameters, arguments, strict=True)
        shown = ", ".join(a.name if isinstance(a, Memory) else p.name for p, a in named)
        label = f"{launch.kernel}({shown})"
        invocation = Invocation(
            index, kernel, tuple(arguments), _range(launch, index), label, row.span
        )
        groups = tuple(map(Num, launch.local)) if launch.local else None
        size = tuple(map(Num, launch.size))
        predicted.append(PredictedLaunch(invocation, size, groups, local))
    origin = f"from the recorded run {row.record}"
    memory = {m.name for launch in predicted for m in launch.invocation.memory}
    observed = row.outs
    if observed is None and row.temporaries is not None:
        observed = frozenset(memory - row.temporaries)
    by_range = {x.invocation.range.key: y for x, y in zip(predicted, launches, strict=True)}
    return _told(
        _prediction(predicted, values, row.scratch, origin),
        lambda piece: _Recorded(program, piece, by_range, apart),
        origin,
        observed if names is not None else None,
    )


def _argument(parameter: Parameter, text: str, launch: int) -> Argument | None:
    """None: not what the kernel's parameter can be given."""
    if parameter.pointer and parameter.space == "local":
        found = re.fullmatch(r"local:(\d+)", text)
        return LocalMemory(found.group(1), parameter.name) if found else None
    if parameter.pointer or parameter.image:
        return Memory(text, parameter.name, text) if text.startswith("m") else None
    if parameter.canonical == "sampler_t":
        return Scalar(text, parameter.name) if text.startswith("s") else None
    if ":" not in text or text.startswith("local:"):
        return None
    return Scalar(f"{parameter.name} of launch {launch}", parameter.name)


def _number(canonical: str, text: str) -> Sym:
    """The value of bytes as the device has them: the least significant one first."""
    data = bytes.fromhex(text.partition(":")[2])
    if canonical in INTEGERS and len(data) == size_of(canonical):
        return Num(int.from_bytes(data, "little", signed=INTEGERS[canonical][1]))
    form = _FLOATS.get(canonical)
    if form is not None and len(data) == struct.calcsize(form):
        return Literal(repr(struct.unpack(form, data)[0]))
    return Literal(text)


def _range(launch: RecordedLaunch, index: int) -> LaunchRange:
    size = tuple(map(Num, launch.size))
    local = tuple(map(Num, launch.local)) if launch.local else None
    range_ = range_of(f"the range of launch {index}", size, local)
    return replace(range_, offset=any(launch.offset or ()))


# Both


def _prediction(
    launches: Sequence[PredictedLaunch],
    values: Mapping[str, Sym],
    scratch: frozenset[str],
    origin: str,
) -> Prediction:
    """What else the region does is not known: it may settle behind the last launch."""
    return Prediction(
        segments=(tuple(launches),),
        values=values,
        made=scratch,
        released=scratch,
        doubts=(origin,),
        after=State(),
    )


class Apart:
    """`#pragma sync` of the functions that a region reaches: each launch may be one of them."""

    def __init__(self, functions: Iterable[Function]) -> None:
        calls = [Calling(function, {}) for function in functions]
        self._syncs = [(call, sync) for call in calls for sync in syncs_of(call)]

    def of(self, row: Prediction) -> dict[Pair, Reason]:
        found: dict[Pair, Reason] = {}
        for call, sync in self._syncs:
            for pair in combinations(range(len(row.launches)), 2):
                found.setdefault(pair, sync_reason(call, sync))
        return found
