"""Which objects need not be in memory after a region.

Three reasons: an object is made and released in the region (the run time makes sure of it); the
user names it, with `out` or `temp`; or it is proved that nothing reads it. A pattern is matched
by what is launched, whichever path was taken: so the last two hold only if they hold on every
path that launches the pattern's kernels in a row. Where that is not certain, results are stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from kfusion.graph.drops import Drop, Why
from kfusion.graph.model import Memory as Argument
from kfusion.host.alias import Memory
from kfusion.host.at_end import EndNames
from kfusion.host.handles import HandleTable, read_handles
from kfusion.host.observed_around import around_region
from kfusion.host.observed_joined import Joined
from kfusion.host.observed_later import Later, variable_of
from kfusion.host.observed_named import Arguments, End, Names, is_plain
from kfusion.host.observed_owned import Owned
from kfusion.host.predict import Prediction, Predictions
from kfusion.host.predict_launches import PredictedLaunch
from kfusion.host.program import HostProgram
from kfusion.host.region import Region
from kfusion.host.setup import read_setups
from kfusion.host.symbolic import Entry, Made, Place, State, Sym
from kfusion.kernel.model import Kernel
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import Diagnostic, error
from kfusion.source.protections import is_on, protection

HANDLES = protection("host-handles-exchanged", "out and temp name what handles were before")
EVERY_PATH = protection("host-every-path", "what holds on one path is taken to hold on all")
COMPARED = protection("host-out-compared", "out names memory that no launch gets")
COPIES = protection("host-copies-of-handles", "temp names memory that has got another name")

Position = tuple[int, int]  # launch of a row, argument


@dataclass(frozen=True, eq=False)
class Match:
    """Launches on a path that a pattern may be matched by."""

    path: Prediction
    launches: tuple[PredictedLaunch, ...]

    def names(self, positions: list[Position]) -> set[str]:
        return {self.launches[i].invocation.arguments[j].name for i, j in positions}


class Observation:
    def __init__(
        self,
        region: Region,
        predicted: Predictions,
        program: HostProgram,
        handles: HandleTable | None = None,
        kernels: Mapping[str, Kernel] | None = None,
    ) -> None:
        """`kernels`: all that are given; without them only those of the region are known."""
        self.region, self.predicted, self.program = region, predicted, program
        self.harmless = frozenset(region.mark.harmless)
        data = region.mark.data
        self.outs = {item.name for item in data if item.role == "out"}
        self.temporaries = {item.name for item in data if item.role == "temp"}
        self.around = around_region(region, program)
        self.memory = Memory(program, self.around.variables | self.around.visible)
        self._last_end: End | None = None
        self.names = Names(self.around, self.memory)
        self.arguments = Arguments(self.around, self.memory)
        known = dict(kernels) if kernels is not None else self._launched_kernels()
        table = handles if handles is not None else _handles_of(program)
        self.table = table
        self._check_names()
        self.owned = Owned(self.around, predicted, self.memory, table, known)
        self.notes: list[Diagnostic] = []
        if self.outs or self.temporaries:
            later = Later(region, self.around, predicted, table, known)
            self.notes += later.contradictions(self._named_by_users())

    def drops(self, prediction: Prediction, looked_at: EndNames | None = None) -> tuple[Drop, ...]:
        """`looked_at`: variables that the run time can look at when the region ends."""
        slots = _slots(prediction)
        scratch = set(slots) & prediction.made & prediction.released
        found = [Drop(name, Why.SCRATCH) for name in sorted(scratch)]
        written = (n for n in slots if self._is_written(prediction, slots[n]))
        others = sorted(set(written) - scratch)
        dead = []
        if self._is_named_by_users and is_on(HANDLES):
            dead = [name for name in others if self._is_dead_on_any(prediction, name, slots)]
        left = [name for name in others if name not in dead]
        if left and not self._all_are_named(prediction, left) and self._followed():
            dead += [name for name in left if self._is_dead(prediction, name, slots)]
        found += [Drop(name, Why.NAMED) for name in dead]
        if looked_at is not None:
            left = [name for name in left if name not in dead]
            seen = [n for n in left if self._can_be_looked_at(prediction, n, looked_at)]
            found += [Drop(name, Why.AT_END) for name in seen]
        return tuple(found)

    @staticmethod
    def _can_be_looked_at(prediction: Prediction, name: str, names: EndNames) -> bool:
        """Of a table every entry may be read by whoever knows an index."""
        value = prediction.values.get(name)
        plain = is_plain(value.place) if isinstance(value, Entry) else isinstance(value, Made)
        return plain and names.is_temporary(_owner(prediction, name))

    @property
    def _is_named_by_users(self) -> bool:
        return bool(self.outs or self.temporaries)

    @staticmethod
    def _is_written(prediction: Prediction, positions: list[Position]) -> bool:
        """Of what is only read nothing is stored."""
        invocations = [launch.invocation for launch in prediction.launches]
        return any(
            bool(i.kernel.features) or parameter_is_written(i.kernel, position)
            for i, position in ((invocations[i], j) for i, j in positions)
        )

    def _all_are_named(self, prediction: Prediction, names: list[str]) -> bool:
        """Are they what `out` names, so that a proof is not even wanted?"""
        return all(_owner(prediction, name) in self.outs for name in names)

    def _followed(self) -> bool:
        paths = self.predicted.paths
        return self.predicted.complete and all(path.exact for path in paths)

    def _is_dead(self, prediction: Prediction, name: str, slots: dict[str, list[Position]]) -> bool:
        others = [p for other, positions in slots.items() if other != name for p in positions]
        matches = list(self._matches(prediction))
        return bool(matches) and all(
            self._is_dead_on(match, dropped, match.names(others))
            for match in matches
            for dropped in match.names(slots[name])
        )

    def _is_dead_on_any(
        self, prediction: Prediction, name: str, slots: dict[str, list[Position]]
    ) -> bool:
        """Without following each path: by what the kernels may get at their positions."""
        joined = self._joined
        if not joined.understood or joined.end is None:
            return False

        def kernel_slots(positions: list[Position]) -> list[tuple[str, int]]:
            launches = prediction.launches
            return [(launches[i].invocation.kernel.name, j) for i, j in positions]

        others = {
            str(value)
            for other, positions in slots.items()
            for slot in kernel_slots(positions)
            if other != name and (value := joined.only(slot)) is not None
        }
        match = Match(replace(prediction, after=joined.end), prediction.launches)
        values = [joined.given.get(slot) for slot in kernel_slots(slots[name])]
        return all(
            given is not None
            and all(
                isinstance(value, Entry | Made)
                and (
                    self._is_apart_from_outs(match, value, others)
                    if self.outs
                    else self._is_temporary(match, value)
                )
                for value in given
            )
            for given in values
        )

    @cached_property
    def _joined(self) -> Joined:
        return Joined(self.around, self.table, self.harmless)

    def _end_of(self, state: State) -> End:
        if self._last_end is None or self._last_end.state is not state:
            self._last_end = End.of(self.memory, state)
        return self._last_end

    def _matches(self, prediction: Prediction) -> Iterator[Match]:
        """Wherever the kernels of a row are launched one after another."""
        wanted = [launch.invocation.kernel.name for launch in prediction.launches]
        if not is_on(EVERY_PATH):
            yield Match(prediction, prediction.launches)
            return
        for path in self.predicted.paths:
            if path.leaves == "exit" or path.stored:  # what is noted settles before that call
                continue
            for row in path.segments:
                names = [launch.invocation.kernel.name for launch in row]
                for first in range(len(row) - len(wanted) + 1):
                    if names[first : first + len(wanted)] == wanted:
                        yield Match(path, row[first : first + len(wanted)])

    # One object on one path

    def _is_dead_on(self, match: Match, name: str, others: set[str]) -> bool:
        value = match.path.values.get(name)
        if not isinstance(value, Entry | Made):
            return False
        if (self.outs or self.temporaries) and not is_on(HANDLES):
            return self._is_named_temporary(_variable_of(value, match.path))
        if self.outs and self._is_apart_from_outs(match, value, others - {name}):
            return True
        if not self.outs and self._is_temporary(match, value):
            return True
        owner = _variable_of(value, match.path)
        return owner not in self.outs and self.owned.is_dead(value, match.path)

    def _is_apart_from_outs(self, match: Match, value: Sym, others: set[str]) -> bool:
        """The run time compares an object with all others that the pattern's launches get."""
        end = self._end_of(match.path.after)
        copies = end.copies(value)
        if copies is None or not all(map(is_plain, copies)):
            return False
        if isinstance(value, Entry) and not is_plain(value.place):
            return False  # of a table: whoever knows the index knows the object
        for name in sorted(self.outs):
            observed = end.holds(self.names.handles(name, match.path.after))
            if observed is None or value in observed:
                return False
            for handle in observed if is_on(COMPARED) else ():
                if str(handle) not in others or self.arguments.may_be_new(handle):
                    return False
        return True

    def _is_temporary(self, match: Match, value: Sym) -> bool:
        """Is it what a temporary's handle names at the end, and does nothing else name it?"""
        end = self._end_of(match.path.after)
        copies = end.copies(value)
        if copies is None or self.arguments.may_be_new(value):
            return False
        places: set[Place] = set()
        in_hands = False
        for name in sorted(self.temporaries):
            handles = self.names.handles(name, match.path.after)
            held = end.holds(handles)
            if handles is not None and held is not None:
                places |= handles.keys() | {Place(place.root) for place in handles}
                in_hands = in_hands or value in held
        return in_hands and (set(copies) <= places or not is_on(COPIES))

    def _is_named_temporary(self, owner: str | None) -> bool:
        """As `out` and `temp` name it: without `out`, all that is not temporary is observed."""
        if owner is None:
            return False
        return owner not in self.outs if self.outs else owner in self.temporaries

    # What the annotation says

    def _check_names(self) -> None:
        unit, first = self.region.unit, self.region.unit.index(self.region.block)
        used = {token.text for token in unit.tokens[first : unit.match(first)]}
        for item in self.region.mark.data:
            if item.name not in used and item.name not in self.program.globals:
                raise error(
                    "KF127",
                    f"'{item.name}' is not used in this region",
                    item.span,
                    help="name a variable that the region's calls get",
                )
        given = {owner for _, _, owner in self._objects()}
        for item in self.region.mark.data:
            if item.role and item.name not in given and not self._may_be_given(item.name):
                raise error(
                    "KF127",
                    f"{item.role}({item.name}): no call of this region gives '{item.name}' "
                    "to a kernel",
                    item.span,
                )

    def _may_be_given(self, name: str) -> bool:
        if not self._joined.understood or not all(p.exact for p in self.predicted.likely):
            return True
        return any(variable_of(v) == name for each in self._joined.given.values() for v in each)

    def _objects(self) -> Iterator[tuple[Prediction, str, str | None]]:
        """The memory of all launches, and the variables that it belongs to."""
        for path in self.predicted.likely:
            names = {m.name for row in path.segments for x in row for m in x.invocation.memory}
            for name in sorted(names):
                yield path, name, _owner(path, name)

    def _named_by_users(self) -> list[tuple[Prediction, str, str]]:
        return [
            (path, name, owner)
            for path, name, owner in self._objects()
            if owner is not None and self._is_named_temporary(owner)
        ]

    def _launched_kernels(self) -> dict[str, Kernel]:
        rows = (row for path in self.predicted.likely for row in path.segments)
        return {x.invocation.kernel.name: x.invocation.kernel for row in rows for x in row}


def parameter_is_written(kernel: Kernel, position: int) -> bool:
    name = kernel.parameters[position].name
    return any(access.parameter == name and access.mode.writes for access in kernel.accesses)


def _slots(prediction: Prediction) -> dict[str, list[Position]]:
    """Where each memory object is given to the launches of a row."""
    found: dict[str, list[Position]] = {}
    for number, launch in enumerate(prediction.launches):
        for position, argument in enumerate(launch.invocation.arguments):
            if isinstance(argument, Argument):
                found.setdefault(argument.name, []).append((number, position))
    return found


def _owner(path: Prediction, name: str) -> str | None:
    return _variable_of(path.values.get(name), path)


def _variable_of(value: Sym | None, path: Prediction) -> str | None:
    """The application's variable that an object belongs to: what is made, at the end."""
    if isinstance(value, Made):
        held = [Entry(place) for place, v in path.after.memory.items() if v == value]
        owners = set(map(variable_of, held)) - {None}
        return owners.pop() if len(owners) == 1 else None
    return variable_of(value)


def _handles_of(program: HostProgram) -> HandleTable:
    key = "handles of kernels"
    if key not in program.remembered:
        program.remembered[key] = read_handles(program, read_setups(program))
    found: HandleTable = program.remembered[key]
    return found
