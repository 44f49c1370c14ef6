"""Kernels whose arguments outlive the function that sets them.

A kernel keeps the memory that it was given as long as nobody gives it other memory. Whoever
launches it without setting all of its arguments first, anywhere in the program, reads that.
"""

from __future__ import annotations

from pycparser import c_ast

from kfusion.host.calls import LAUNCHES
from kfusion.host.effects import Effect, Launch, SetArgument
from kfusion.host.execute import Executor
from kfusion.host.frames import Frame, Once
from kfusion.host.handles import HandleTable
from kfusion.host.program import HostFunction, HostProgram
from kfusion.host.symbolic import App, Entry, Num, Place, State, Sym, leaves
from kfusion.kernel.model import Kernel
from kfusion.source.dataclasses import dataclass
from kfusion.source.protections import is_on, protection

STICKY_ELSEWHERE = protection(
    "host-sticky-elsewhere", "another function relies on the arguments that a call has set"
)
_CONDITIONS = (c_ast.If, c_ast.For, c_ast.While, c_ast.DoWhile, c_ast.Switch)


class Reliances:
    """The kernels that some function launches with arguments that are set elsewhere."""

    def __init__(
        self, program: HostProgram, handles: HandleTable, kernels: dict[str, Kernel]
    ) -> None:
        self.program, self.handles, self.kernels = program, handles, kernels
        self.found: set[str] = set()
        self.open: list[frozenset[int]] = []  # what is set for launches of unknown kernels
        names = {f: program.names_called(f.function.node.body) for f in program.functions.values()}
        waiting = [f for f, called in names.items() if called & LAUNCHES]
        seen: set[str] = set()
        while waiting:
            function = waiting.pop(0)
            if function.name in seen:
                continue
            seen.add(function.name)
            if self._read(function):
                waiting += [f for f, called in names.items() if function.name in called]

    def has(self, kernel: Kernel) -> bool:
        if not is_on(STICKY_ELSEWHERE):
            return False
        return kernel.name in self.found or any(_is_missing(kernel, here) for here in self.open)

    def _read(self, function: HostFunction) -> bool:
        """Read a function's launches; true if its callers decide which kernel it launches."""
        executor = _Tracer(self.program)
        frame = Frame(executor.fresh.next(), function, function.unit)
        state = State()
        values: list[Sym] = [
            Entry(Place(App(f"{function.name}:{p.name}"))) for p in function.parameters
        ]
        executor.enter(frame, function, values, state)
        executor.statement(function.function.node.body, state)
        asks_callers = False
        named = {f"{function.name}:{p.name}": p for p in function.parameters}
        outside = Frame(0, None, function.unit, dict(named))
        for number, traced in enumerate(executor.trace):
            effect = traced.effect
            if not isinstance(effect, Launch):
                continue
            earlier = executor.trace[:number]
            set_here = frozenset(
                e.effect.index.value
                for e in earlier
                if isinstance(e.effect, SetArgument)
                and e.effect.kernel == effect.kernel
                and isinstance(e.effect.index, Num)
                and _always_before(e, traced)
            )
            names = self.handles.kernel_names(effect.kernel, {0: outside, frame.number: frame})
            if not names and _is_parameter(effect.kernel, function):
                asks_callers = True
            elif not names:
                self.open.append(set_here)
            for name in names & self.kernels.keys():
                if _is_missing(self.kernels[name], set_here):
                    self.found.add(name)
        return asks_callers


def _is_missing(kernel: Kernel, set_here: frozenset[int]) -> bool:
    return any(index not in set_here for index in range(len(kernel.parameters)))


@dataclass(frozen=True)
class _Traced:
    effect: Effect
    path: tuple[c_ast.Node, ...]  # the statements that it stands in
    conditional: bool
    left: frozenset[Frame | Once]  # that control may have left before


class _Tracer(Executor):
    """Notes for each effect the statements that it stands in, outermost first."""

    def __init__(self, program: HostProgram) -> None:
        super().__init__(program)
        self.path: list[c_ast.Node] = []
        self.trace: list[_Traced] = []

    def statement(self, node: c_ast.Node | None, state: State) -> State | None:
        if node is None:
            return state
        self.path.append(node)
        after = super().statement(node, state)
        self.path.pop()
        return after

    def emit(self, effect: Effect) -> None:
        super().emit(effect)
        path = tuple(self.path)
        self.trace.append(_Traced(effect, path, bool(self.conditions), frozenset(self.left)))


def _always_before(setting: _Traced, launched: _Traced) -> bool:
    """Is the argument set whenever the launch that follows is reached?"""
    path, launch = setting.path, launched.path
    if not setting.left <= launched.left:
        return False
    if not setting.conditional:
        return True
    common = 0
    while common < min(len(path), len(launch)) and path[common] is launch[common]:
        common += 1
    if common and isinstance(path[common - 1], c_ast.If | c_ast.Switch):
        return False
    own = path[common:-1]
    return any(isinstance(n, _CONDITIONS) for n in path[:common]) and not any(
        isinstance(n, _CONDITIONS) for n in own
    )


def _is_parameter(handle: Sym, function: HostFunction) -> bool:
    own = f"{function.name}:"
    entries = [leaf.place for leaf in leaves(handle) if isinstance(leaf, Entry)]
    if any(isinstance(p.root, App) and p.root.name.startswith(own) for p in entries):
        return True
    indices = {f"[?{own}{p.name}]" for p in function.parameters}  # `kernels[k]`
    return any(not indices.isdisjoint(place.path) for place in entries)
