"""Which objects need not be in memory after a region, and whether `out` and `temp` are right.

Two reasons: an object is made and released in the region, or the user names it, with `out` or
`temp`. Both are guesses here: the run time sees the release, and looks at the variables when the
region ends. Everything else is stored, whatever the host's code seems to do with it later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from kfusion.graph.drops import Drop, Why
from kfusion.host.at_end import EndNames, Path, is_temporary
from kfusion.host.holding import may_hold_handles
from kfusion.host.later import contradictions, written_by
from kfusion.host.names import visible_in
from kfusion.host.predict import Prediction, Predictions
from kfusion.host.program import HostProgram
from kfusion.host.region import Region, require_used
from kfusion.host.runs import Run, Runs
from kfusion.host.spelling import spell
from kfusion.host.symbolic import App, Entry, Global, Local, Made, Num, Place, Pointee, Sym, Unknown
from kfusion.kernel.model import Kernel
from kfusion.parse.annotations import NamedData
from kfusion.source.diagnostics import Diagnostic, error, nearest


class Observation:
    def __init__(
        self,
        region: Region,
        predicted: Predictions,
        program: HostProgram,
        kernels: Mapping[str, Kernel],
        runs: Runs,
        *,
        told: bool = False,
    ) -> None:
        """`kernels`: all that are given. `told`: what is launched is known otherwise."""
        self.told = told
        self.region, self.predicted, self.program = region, predicted, program
        self.run = run = runs.of(region.block)
        self._check_names(run)
        self.notes: list[Diagnostic] = []
        temporary = self._temporary()
        if run is not None and temporary:
            certain = predicted.certain and predicted.are_one
            self.notes += contradictions(region, run, kernels, temporary, certain=certain)

    def drops(self, prediction: Prediction, names: EndNames | None) -> tuple[Drop, ...]:
        """`names`: variables that the run time can look at when the region ends."""
        return drops_of(
            prediction,
            lambda name: (
                names is not None
                and _is_named(prediction, name, names)
                and all(map(names.is_temporary, self._other_names([prediction.values[name]])))
            ),
        )

    @staticmethod
    def is_settled(prediction: Prediction, names: EndNames | None) -> bool:
        """Are the named variables likely to hold in the end the handles that they held before, and
        have the launches got those that nothing else would be known of?"""
        if names is None:
            return True
        memory = {m.name for launch in prediction.launches for m in launch.invocation.memory}
        got = [_owners_at_end(prediction, prediction.values.get(name)) for name in memory]
        if not names.known <= set[Path]().union(*got):
            return False
        changed = (place for place, held in prediction.after.items() if held != Entry(place))
        paths = map(_path_of, map(Entry, changed))
        return not any(p and names.names_handle(p[0], p[1:]) for p in paths)

    # What the annotation says

    def _check_names(self, run: Run | None) -> None:
        unit, first = self.region.unit, self.region.unit.index(self.region.block)
        used = {token.text for token in unit.tokens[first : unit.match(first)]}
        given = {owner for _, _, owner in self._objects()}
        objects = {path.values[name] for path, name, _ in self._objects()}
        is_known = run is not None and self.predicted.certain and not self.told
        is_known &= None not in given
        is_known &= not any(isinstance(self._before(value), Num | Unknown) for value in objects)
        given |= self._other_names(objects)
        for prediction, name, _ in self._objects():
            given |= _owners_at_end(prediction, prediction.values[name])
        variables = {owner[0] for owner in given if owner is not None}
        seen = visible_in(self.region.block, self.region.function)
        types = self.program.types
        # They may reach kernels through what was filled before the region.
        tables = {n for n, d in seen.items() if d is None or may_hold_handles(d.type, types)}
        require_used(self.region, used | self.program.globals.keys() | tables)
        for item in self.region.mark.data:
            if item.members and item.name in variables:
                is_given = any(p is not None and p[: len(item.path)] == item.path for p in given)
                near = _likely_member(item, given)
            else:
                is_given, near = item.name in variables, None
            if is_known and not is_given and (item.role or item.name not in used):
                if not item.role and item.name in self.program.globals:
                    continue
                raise error(
                    "KF127",
                    f"{f'{item.role}({item.text}): ' if item.role else ''}no call of this region "
                    f"gives '{item.text}' to a kernel",
                    item.span,
                    help=f"did you mean '{near}'?" if near else None,
                )

    def _before(self, value: Sym) -> Sym | None:
        """What it stands for when the region begins; None: not known."""
        return self.run.before[self.region.block].value(value) if self.run is not None else None

    def _other_names(self, values: Iterable[Sym]) -> set[Path]:
        """Variables and members that hold the same objects when the region begins, as far as that
        is known."""
        if self.run is None:
            return set()
        before = self.run.before[self.region.block]
        handles = {before.value(value) for value in values}
        own = before.executor.frame.number
        found: set[Path] = set()
        for place, _ in before.state.holding(handles):
            root = place.root
            if isinstance(root, Global) or (isinstance(root, Local) and root.frame == own):
                found.add((root.name, *place.path))
        return found

    def _objects(self) -> Iterator[tuple[Prediction, str, Path | None]]:
        """The memory of all launches, and the variables and members that it belongs to."""
        for path in self.predicted.likely:
            names = {m.name for row in path.segments for x in row for m in x.invocation.memory}
            for name in sorted(names):
                yield path, name, _owner(path, name)

    def _temporary(self) -> dict[Sym, str]:
        """Objects that the region writes, and that the user calls temporary."""
        items = self.region.mark.data
        # In the end, on one of the paths: two buffers may take turns.
        named = {
            path.values[name]
            for path, name, _ in self._objects()
            if any(item.role == "out" for item in items)
            and not all(is_temporary(o, items) for o in _owners_at_end(path, path.values[name]))
        }
        found: dict[Sym, str] = {}
        for path, name, owner in self._objects():
            value = path.values[name]
            if owner is None or not is_temporary(owner, items) or value in named:
                continue
            if not path.leaves and name in _written(path):
                split = any(item.members for item in items if item.name == owner[0])
                found[value] = spell(value) if split else owner[0]
        return found


def drops_of(row: Prediction, is_unseen: Callable[[str], bool]) -> tuple[Drop, ...]:
    """What a row of launches need not store: what is made and released, and what nobody sees."""
    written = sorted(_written(row))
    scratch = [name for name in written if name in row.made & row.released]
    unseen = [name for name in written if name not in scratch and is_unseen(name)]
    return (*(Drop(n, Why.SCRATCH) for n in scratch), *(Drop(n, Why.AT_END) for n in unseen))


def _is_named(prediction: Prediction, name: str, names: EndNames) -> bool:
    """Is it what no `out` names in the end, or what a `temp` names, and nobody else?

    Of a table every entry may be read by whoever knows an index, if no `temp` names it.
    """
    value = prediction.values.get(name)
    plain = isinstance(value, Made)
    if isinstance(value, Entry):
        plain = _is_plain(value.place) or names.calls_temporary(_path_of(value))
    owners: set[Path | None] = {*_owners_at_end(prediction, value)}
    return plain and all(map(names.is_temporary, owners or {None}))


def _owners_at_end(prediction: Prediction, value: Sym | None) -> set[Path]:
    """Variables and members that lead to it when the region ends. Pointers may have changed places:
    what one led to first counts, too."""
    after = dict(prediction.after.items())
    holding = [place for place, held in after.items() if held == value]
    if isinstance(value, Entry) and after.get(value.place, value) == value:
        holding.append(value.place)
    found: set[Path] = set()
    for place in holding:
        root = place.root
        if isinstance(root, Pointee) and isinstance(root.pointer, Entry):
            pointers = _owners_at_end(prediction, root.pointer)
            found |= {(*pointer, *place.path) for pointer in pointers}
        if (path := _path_of(Entry(place))) is not None:
            found.add(path)
    return found


def _is_plain(place: Place) -> bool:
    """Members by name, of a variable or what one points to: no entry of a table."""
    root = place.root
    is_member = not any(step.startswith("[") for step in place.path)
    if isinstance(root, Pointee):
        return is_member and isinstance(root.pointer, Entry) and _is_plain(root.pointer.place)
    return is_member


def _written(row: Prediction) -> set[str]:
    return {name for launch in row.launches for name in written_by(launch.invocation)}


def _owner(path: Prediction, name: str) -> Path | None:
    """What of the application's an object belongs to: what is made, at the end."""
    value: Sym | None = path.values.get(name)
    if isinstance(value, Made):
        owners = _owners_at_end(path, value)
        return owners.pop() if len(owners) == 1 else None
    return _path_of(value)


def _path_of(value: Sym | None) -> Path | None:
    """The application's variable, and members, that lead to what was there when the region began:
    `s`, `acc` of `s->acc`."""
    if not isinstance(value, Entry):
        return None
    place, path = value.place, value.place.path
    while isinstance(place.root, Pointee) and isinstance(place.root.pointer, Entry):
        place = place.root.pointer.place
        path = (*place.path, *path)
    return (place.root.name, *path) if isinstance(place.root, App | Global) else None


def _likely_member(item: NamedData, given: Iterable[Path | None]) -> str | None:
    """What the call of a region may be meant to give to a kernel: `s->acc` by `s->ac`."""
    known = {".".join(path[1:]) for path in given if path is not None and path[0] == item.name}
    near = nearest(".".join(item.members), known)
    arrow = "->" if "->" in item.text else "."
    return f"{item.name}{arrow}{near}" if near else None
