"""What any path through a region may give to its launches, without following each of them.

The block is executed once, both ways of each condition joined. For each kernel and position all
values come out that a launch may get there, on whatever path, and what places hold where control
leaves the block. That is less than paths tell, and enough where each kernel is given objects of
one kind: `sqrt` the result, `add` and `mult` temporaries only.
"""

from __future__ import annotations

from pycparser import c_ast

from kfusion.host.effects import Effect, Launch, SetArgument, UnknownCall, Unsupported
from kfusion.host.equality import identity
from kfusion.host.execute import Executor
from kfusion.host.frames import Frame, Outcome
from kfusion.host.handles import HandleTable
from kfusion.host.loops import is_loop
from kfusion.host.observed_around import Around
from kfusion.host.path_program import PathProgram
from kfusion.host.path_record import has_settling_macro
from kfusion.host.symbolic import Num, State, Sym, join
from kfusion.source.dataclasses import dataclass

Slot = tuple[str, int]  # kernel, position


@dataclass(frozen=True, eq=False)
class _Emitted:
    """A setting or a launch, and where it stands."""

    effect: Effect
    kernel: str
    conditions: tuple[Sym, ...]
    frames: tuple[tuple[int, bool], ...]  # number, and may control have left it before?

    def surely_comes_before(self, launch: _Emitted) -> bool:
        """Whenever the launch is made, the argument has been set."""
        if launch.conditions[: len(self.conditions)] != self.conditions:
            return False
        inside = {number for number, _ in launch.frames}
        return all(number in inside for number, left in self.frames if left)


class _Listener(Executor):
    """An execution that notes settings and launches."""

    handles: HandleTable

    def listen(self, handles: HandleTable, harmless: frozenset[str]) -> None:
        self.handles, self.harmless = handles, harmless
        self.emitted: list[_Emitted] = []
        self.understood = True
        self.ends: list[State] = []  # where control leaves the block, and something may be held
        self._settled_in: tuple[Sym, ...] | None = None

    def leave_by(self, outcome: Outcome) -> None:
        """Around a call that is not known nothing is held: if it comes last, all is made."""
        super().leave_by(outcome)
        if len(self.frames) == 1 and self._settled_in != tuple(self.conditions):
            self.ends.append(outcome.state)

    def emit(self, effect: Effect) -> None:
        super().emit(effect)
        if isinstance(effect, Unsupported):
            self.understood = False
        if isinstance(effect, UnknownCall) and has_settling_macro(
            effect, self.program, self.harmless
        ):
            self._settled_in = tuple(self.conditions)
        elif isinstance(effect, Launch):
            self._settled_in = None
        if not isinstance(effect, SetArgument | Launch):
            return
        names = self.handles.kernel_names(effect.kernel, {f.number: f for f in self.frames})
        if len(names) != 1:
            self.understood = False
            return
        where = tuple((f.number, f.left or _left_a_loop(f)) for f in self.frames)
        self.emitted.append(_Emitted(effect, next(iter(names)), tuple(self.conditions), where))


class Joined:
    """All paths through a region at once."""

    def __init__(self, around: Around, handles: HandleTable, harmless: frozenset[str]) -> None:
        listener = _Listener(PathProgram.of(around.program))
        listener.listen(handles, harmless)
        frame = Frame(0, None, around.unit, dict(around.variables))
        listener.frames, listener.application = [frame], frame.variables
        state = State()
        after = listener.statement(around.here, state)
        self.end: State | None = None
        for end in [*listener.ends, *([after] if after is not None else [])]:
            self.end = end if self.end is None else join(end, self.end)
        self.given: dict[Slot, set[Sym]] = {}
        self.understood = listener.understood and not _leaves_otherwise(around.here)
        for emitted in listener.emitted:
            if isinstance(emitted.effect, SetArgument):
                self._take(emitted.kernel, emitted.effect)
        self._require_settings(listener.emitted)

    def _take(self, kernel: str, effect: SetArgument) -> None:
        if not isinstance(effect.index, Num):
            self.understood = False
        elif effect.value is not None:
            slot = (kernel, effect.index.value)
            self.given.setdefault(slot, set()).add(identity(effect.value))

    def _require_settings(self, emitted: list[_Emitted]) -> None:
        """A position that a launch may get from before the region is not known."""
        unknown: set[Slot] = set()
        for number, launch in enumerate(emitted):
            if not isinstance(launch.effect, Launch):
                continue
            settings = [s for s in emitted[:number] if s.kernel == launch.kernel]
            for slot in self.given:
                if slot[0] == launch.kernel and not any(
                    isinstance(s.effect, SetArgument)
                    and s.effect.index == Num(slot[1])
                    and s.surely_comes_before(launch)
                    for s in settings
                ):
                    unknown.add(slot)
        for slot in unknown:
            del self.given[slot]

    def only(self, slot: Slot) -> Sym | None:
        """The one value that launches get at a position."""
        found = self.given.get(slot, set())
        return next(iter(found)) if len(found) == 1 else None


def _left_a_loop(frame: Frame) -> bool:
    return any(loop is not None and loop.left for loop in frame.loops)


def _leaves_otherwise(block: c_ast.Node) -> bool:
    """Does control leave the block by a jump that is not a return?"""
    waiting = [(child, False) for child in block]
    while waiting:
        node, inside = waiting.pop()
        if isinstance(node, c_ast.Goto):
            return True
        if isinstance(node, c_ast.Break | c_ast.Continue) and not inside:
            return True
        inside = inside or is_loop(node) or isinstance(node, c_ast.Switch)
        waiting += [(child, inside) for child in node]
    return False
