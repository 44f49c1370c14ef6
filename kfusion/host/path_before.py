"""How things are when a region begins, guessed: the likely path from `main` to it.

Inside a region values are symbols: what a variable held when the region began. Which kernel
a handle stands for, which function a table holds, how often a loop goes round is often
settled long before. So the program is executed once, along the path that defaults choose,
until it comes to the region; the symbols are then looked up in what is known there. It is
one run of many: what is found so is a guess.
"""

from __future__ import annotations

from collections import Counter

from pycparser import c_ast

from kfusion.host.computing import Computing
from kfusion.host.equality import strip
from kfusion.host.frames import Frame
from kfusion.host.operators import moved_by
from kfusion.host.path_program import PathProgram, Reach
from kfusion.host.path_record import Arguments, Recorder
from kfusion.host.path_ways import PathEndError, Steps, Ways
from kfusion.host.paths import MATTERS
from kfusion.host.program import HostFunction
from kfusion.host.symbolic import (
    LOST,
    App,
    Entry,
    Global,
    Made,
    Num,
    Op,
    Phi,
    Place,
    Pointee,
    Ref,
    State,
    Sym,
)
from kfusion.parse.unit import Unit
from kfusion.source.diagnostics import KFusionError

MOST_STEPS = 8_000
_MATTERS = MATTERS | {"clCreateKernel", "clCreateBuffer", "clCreateImage", "clCloneKernel"}
_MOST_DEPTH = 40  # of values


class _ArrivedError(Exception):
    """The region is reached."""

    def __init__(self, state: State) -> None:
        super().__init__()
        self.state = state


class _Approach(Recorder):
    """Runs until it comes to the region."""

    def __init__(self, program: PathProgram, goal: c_ast.Node) -> None:
        reach = Reach(program, _MATTERS, goal)
        super().__init__(program, reach, Ways(Steps(MOST_STEPS)))
        self.goal = goal
        self.to_goal = Reach(program, frozenset(), goal)
        self.programs: dict[Sym, Sym] = {}  # by the kernels that are made from them

    def statement(self, node: c_ast.Node | None, state: State) -> State | None:
        if node is self.goal:
            raise _ArrivedError(state)
        return super().statement(node, state)

    def _preferred(
        self, condition: Sym, first: c_ast.Node | None, second: c_ast.Node | None
    ) -> bool:
        unit = self.frame.unit
        ways = self.to_goal.has(first, unit), self.to_goal.has(second, unit)
        if ways[0] != ways[1]:
            return ways[0]
        return super()._preferred(condition, first, second)

    def is_joined(self, function: HostFunction) -> bool:
        return False

    def opencl(self, name: str, node: c_ast.FuncCall, args: list[Sym], state: State) -> Sym:
        value = super().opencl(name, node, args, state)
        if name != "clCreateKernel" or not isinstance(value, Made) or not args:
            return value
        kernel = Made(value.kind, self.fresh.next(), value.name)  # one of its own
        self.programs[kernel] = args[0]
        return kernel

    def _launched(self, effect: object) -> None:
        """Nobody asks what is launched before the region."""


class Before:
    """What was known at the region's beginning, on the path that led there."""

    def __init__(self, executor: _Approach, state: State) -> None:
        self.executor, self.state = executor, state
        self._values: dict[Sym, Sym] = {}
        self.arguments: dict[str, Arguments] = {}  # by the kernel's name
        for handle, arguments in executor.arguments.items():
            name = self.kernel(handle)
            if name:
                self.arguments.setdefault(name, {}).update(arguments)

    def of_one_program(self, first: Sym, second: Sym) -> bool:
        """May two kernels be of one? A value that is not known, and that several kernels were made
        from, is a variable's; else each may be what a function has returned."""
        made = self.executor.programs
        one, other = made.get(self.value(first)), made.get(self.value(second))
        if one is None or other is None or one == other:
            return True
        uses = Counter(made.values())
        return not any(isinstance(p, Made) or uses[p] > 1 for p in (one, other))

    def value(self, value: Sym) -> Sym:
        """What a symbol of the region stood for."""
        return self._value(value, 0)

    def _value(self, value: Sym, depth: int) -> Sym:
        if depth > _MOST_DEPTH:
            return value
        if value not in self._values:
            self._values[value] = self._looked_up(value, depth + 1)
        return self._values[value]

    def _looked_up(self, value: Sym, depth: int) -> Sym:
        if isinstance(value, Entry):
            found = self.state.read(self._place(value.place, depth))
            return self.state.resolve(found)
        if isinstance(value, Ref):
            return Ref(self._place(value.place, depth))
        if isinstance(value, Phi):
            return self._one_of([self._value(part, depth) for part in value.alternatives])
        if isinstance(value, Op):
            if value.name == LOST:
                return self._value(value.args[1], depth)
            return self._computed(value.name, [self._value(a, depth) for a in value.args])
        return value

    def _one_of(self, parts: list[Sym]) -> Sym:
        """An object that is made when it is missing, say."""
        found = dict.fromkeys(part for part in parts if part != Num(0))
        return next(iter(found)) if len(found) == 1 else Phi(tuple(parts))

    def _computed(self, name: str, parts: list[Sym]) -> Sym:
        parts = [strip(part) for part in parts]
        if name == "?:":
            truth = self.executor.truth(parts[0], self.state)
            return self._one_of(parts[1:]) if truth is None else parts[1 if truth else 2]
        if name == "!" and len(parts) == 1:
            return self.executor.negated(parts[0], self.state)
        if name in ("&&", "||") and len(parts) == 2:
            truth = self.executor.truth(Op(name, tuple(parts)), self.state)
            return Op(name, tuple(parts)) if truth is None else Num(int(truth))
        if name.startswith("(") and len(parts) == 1 and isinstance(parts[0], Num | Ref):
            return parts[0]
        if len(parts) == 2:
            return Computing.binary(self.executor, name, parts[0], parts[1], self.state)
        return Op(name, tuple(parts))

    def _place(self, place: Place, depth: int) -> Place:
        root, path = place.root, place.path
        if isinstance(root, App):
            start = self.executor.variable(root.name)
        elif isinstance(root, Pointee):
            start = self.executor.target(self._value(root.pointer, depth))
        else:
            start = Place(root)
        if path and start.path and path[0][1:-1].isdigit() and start.path[-1].startswith("["):
            if isinstance(root, Pointee):  # an element so much further on
                moved = moved_by(start, int(path[0][1:-1]))
                if moved is not None:
                    start, path = moved, path[1:]
        return Place(start.root, (*start.path, *path))

    def truth(self, condition: Sym) -> bool | None:
        return self.executor.truth(self.value(condition), self.state)

    def function(self, pointer: Sym) -> HostFunction | None:
        return self.executor.function_at(self.value(pointer))

    def kernel(self, handle: Sym) -> str:
        """The name of the kernel that a handle stands for; empty if it is not known."""
        found = self.value(handle)
        parts = found.alternatives if isinstance(found, Phi) else (found,)
        made = {part.name for part in parts if isinstance(part, Made) and part.kind == "kernel"}
        return made.pop() if len(made) == 1 else ""


def before_region(block: c_ast.Node, function: HostFunction, program: PathProgram) -> Before | None:
    """Execute the program until it comes to the block: from `main`, or else the function."""
    starts = [f for f in program.all_functions if f.name == "main"]
    starts.sort(key=lambda main: main.unit is not function.unit)
    reach = Reach(program, frozenset(), block)
    starts = [start for start in starts if start is not function and reach.in_function(start)]
    for start in [*starts, function]:
        executor = _Approach(program, block)
        state = State()
        try:
            _initialise(executor, state)
            _enter(executor, start, state)
            executor.statement(start.function.node.body, state)
        except _ArrivedError as arrived:
            return Before(executor, arrived.state)
        except (PathEndError, KFusionError, RecursionError):
            continue
    return None


def _enter(executor: _Approach, function: HostFunction, state: State) -> None:
    frame = Frame(executor.fresh.next(), function, function.unit)
    values: list[Sym] = [
        Entry(Place(App(f"{function.name}:{p.name}"))) for p in function.parameters
    ]
    executor.enter(frame, function, values, state)


def _initialise(executor: _Approach, state: State) -> None:
    """Variables of files, as the program begins."""
    for unit in executor.program.units:
        executor.frames.append(Frame(0, None, unit))
        for node in unit.ast.ext:
            if isinstance(node, c_ast.Decl) and node.name and "extern" not in node.storage:
                _initialise_one(executor, node, unit, state)
        executor.frames.pop()


def _initialise_one(executor: _Approach, node: c_ast.Decl, unit: Unit, state: State) -> None:
    place = Place(Global(node.name, executor.program.home_of(node.name, unit)))
    if isinstance(node.type, c_ast.FuncDecl):
        return
    if isinstance(node.init, c_ast.InitList):
        executor.initialise(place, node.init, state, node.type)
    elif node.init is not None:
        state.write(place, executor.value(node.init, state))
    elif isinstance(node.type, c_ast.PtrDecl) or executor.declared_kind(node) is not None:
        state.write(place, Num(0))
