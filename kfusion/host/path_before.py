"""How things are when a region begins, guessed: the likely path from `main` to it.

Inside a region values are symbols: what a variable held when the region began. Which kernel
a handle stands for, which function a table holds, how often a loop goes round is often
settled long before. So the program is executed once, along the path that defaults choose,
until it comes to the region; the symbols are then looked up in what is known there. It is
one run of many: what is found so is a guess.

Where no `main` leads there, the functions that make kernels are executed, and then the function
with the region. Their parameters of one type are taken to be the same objects.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from pycparser import c_ast

from kfusion.host.arithmetic import arithmetic
from kfusion.host.equality import strip
from kfusion.host.execute import MATTERS
from kfusion.host.frames import Frame
from kfusion.host.names import function_at
from kfusion.host.path_ways import PathEndError, Steps, Ways
from kfusion.host.program import HostFunction, HostProgram
from kfusion.host.reach import Reach
from kfusion.host.record import Arguments, Recorder
from kfusion.host.symbolic import FALSE, App, Entry, Made, Op, Place, Pointee, Ref, Sym
from kfusion.host.types import named_type
from kfusion.source.diagnostics import KFusionError

MOST_STEPS = 40_000
_MAKES = frozenset(("clCreateKernel", "clCloneKernel"))
_MATTERS = MATTERS | _MAKES | {"clCreateBuffer", "clCreateImage"}
_MOST_DEPTH = 40  # of values


class _ArrivedError(Exception):
    """The region is reached."""


class Approach(Recorder):
    """Runs from where the program begins."""

    def __init__(
        self, program: HostProgram, goal: c_ast.Node, also: frozenset[str] = frozenset()
    ) -> None:
        """`also`: calls that no path must pass over, besides those that make and launch."""
        super().__init__(program, Reach(program, _MATTERS | also, goal), Ways(Steps(MOST_STEPS)))
        self.goal = goal
        self.to_goal = Reach(program, frozenset(), goal)
        self.programs: dict[Sym, Sym] = {}  # by the kernels that are made from them
        for unit in program.units:
            self.frames.append(Frame(0, None, unit))
            for node in unit.ast.ext:
                if isinstance(node, c_ast.Decl) and node.name and "extern" not in node.storage:
                    if not isinstance(node.type, c_ast.FuncDecl):
                        self._begin_static(node)
            self.frames.pop()

    def _begin_static(self, node: c_ast.Decl) -> None:
        """A variable that outlives calls is zero, if nothing else is said."""
        place, types = self.variable(node.name), self.program.types
        if node.init is not None:
            self.begin_variable(node, place)
        elif types.members(node.type):
            self.clear(place, node.type, [])
        elif isinstance(node.type, c_ast.PtrDecl) or arithmetic(node.type, types) is not None:
            self.state.write(place, FALSE)

    def _run_Decl(self, node: c_ast.Decl) -> bool:
        goes_on = super()._run_Decl(node)
        if "static" in node.storage and not self.state.knows(self.variable(node.name)):
            self._begin_static(node)
        return goes_on

    def execute(self, function: HostFunction) -> None:
        """Call a function of which the callers are not known."""
        seen: Counter[str] = Counter()
        arguments: list[Sym] = []
        for parameter in function.parameters:
            type_ = named_type(parameter.type)
            seen[type_] += 1
            place = Place(App(f"{type_} {seen[type_]}"))
            arguments.append(self.state.read(place))
        result = self.run(function, arguments)
        if isinstance(result, Made):
            self.state.write(Place(App(f"{named_type(function.result_type)} 1")), result)

    def begin_anew(self) -> None:
        """For the next function: the last one has ended somewhere inside."""
        self.frames, self.rounds, self.calling, self.aside = [], [], [], 0

    def preferred(
        self, condition: Sym, first: c_ast.Node | None, second: c_ast.Node | None
    ) -> bool:
        unit = self.frame.unit
        ways = self.to_goal.has(first, unit), self.to_goal.has(second, unit)
        return ways[0] if ways[0] != ways[1] else super().preferred(condition, first, second)

    def opencl(self, name: str, node: c_ast.FuncCall, args: list[Sym]) -> Sym:
        value = super().opencl(name, node, args)
        if name != "clCreateKernel" or not isinstance(value, Made) or not args:
            return value
        kernel = Made(value.kind, self.fresh.next(), value.name)  # one of its own
        self.programs[kernel] = args[0]
        return kernel


class _ToRegion(Approach):
    def statement(self, node: c_ast.Node | None) -> bool:
        if node is self.goal:
            raise _ArrivedError
        return super().statement(node)

    def launch(self, launch: object) -> None:
        """Nobody asks what is launched before the region."""


class Before:
    """What was known at the region's beginning, on the path that led there."""

    def __init__(self, executor: Approach) -> None:
        self.executor, self.state = executor, executor.state
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
            return self.state.resolve(self.state.read(self._place(value.place, depth)))
        if isinstance(value, Ref):
            return Ref(self._place(value.place, depth))
        if isinstance(value, Op):
            return self._computed(value.name, [self._value(a, depth) for a in value.args])
        return value

    def _computed(self, name: str, parts: list[Sym]) -> Sym:
        parts = [strip(part) for part in parts]
        if name == "?:":
            truth = self.executor.truth(parts[0])
            return Op(name, tuple(parts)) if truth is None else parts[1 if truth else 2]
        if name == "!":
            return self.executor.negated(parts[0])
        if name in ("&&", "||"):
            return self.executor.as_bool(Op(name, tuple(parts)))
        if name.startswith("(") and isinstance(parts[0], Ref):
            return parts[0]
        if len(parts) == 2:
            return self.executor.binary(name, parts[0], parts[1])
        return Op(name, tuple(parts))

    def _place(self, place: Place, depth: int) -> Place:
        root, path = place.root, place.path
        if isinstance(root, App):
            start = self.executor.variable(root.name)
        elif isinstance(root, Pointee):
            start = self.executor.target(self._value(root.pointer, depth))
            if path and path[0][1:-1].isdigit():  # an element so much further on
                moved = start.moved(int(path[0][1:-1]))
                if moved is not None:
                    start, path = moved, path[1:]
        else:
            start = Place(root)
        return Place(start.root, (*start.path, *path))

    def truth(self, condition: Sym) -> bool | None:
        return self.executor.truth(self.value(condition))

    def function(self, pointer: Sym) -> HostFunction | None:
        return function_at(self.executor.program, self.value(pointer))

    def kernel(self, handle: Sym) -> str:
        """The name of the kernel that a handle stands for; empty if it is not known."""
        found = self.value(handle)
        parts = found.args[1:] if isinstance(found, Op) and found.name == "?:" else (found,)
        made = {part.name for part in parts if isinstance(part, Made) and part.kind == "kernel"}
        return made.pop() if len(made) == 1 else ""


def before_region(block: c_ast.Node, function: HostFunction, program: HostProgram) -> Before | None:
    """Execute the program until it comes to the block."""
    for starts in _starts(block, function, program):
        executor = _ToRegion(program, block)
        for start in starts:
            try:
                executor.execute(start)
            except _ArrivedError:
                return Before(executor)
            except (PathEndError, KFusionError, RecursionError):
                executor.begin_anew()
    return None


def _starts(
    block: c_ast.Node, function: HostFunction, program: HostProgram
) -> Iterator[list[HostFunction]]:
    """What to execute, one function after the other, until the block is reached."""
    reach = Reach(program, frozenset(), block)
    mains = [f for f in program.all_functions if f.name == "main" and reach.in_function(f)]
    for main in sorted(mains, key=lambda main: main.unit is not function.unit):
        yield [main]
    makes = Reach(program, _MAKES)
    makers = [f for f in program.all_functions if f.name != "main" and makes.in_function(f)]
    called = {name for f in makers for name in program.calls(f)}
    yield [*(f for f in makers if f.name not in called and f is not function), function]
