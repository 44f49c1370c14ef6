"""How things are when a region begins, and what happens after it, guessed: one likely run.

Inside a region values are symbols: what a variable held when the region began. Which kernel
a handle stands for, which function a table holds, how often a loop goes round is often
settled long before. So the program is executed once, from `main` to its end, along the path that
defaults choose; the symbols are looked up in what is known where that comes to the region. It is
one run of many: what is found so is a guess.

Where no `main` leads there, the functions that make kernels are executed, and then the function
with the region. Their parameters of one type are taken to be the same objects.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from copy import copy

from pycparser import c_ast

from kfusion.host.arithmetic import arithmetic
from kfusion.host.equality import strip
from kfusion.host.execute import MATTERS, USES, Executor, are_one_text
from kfusion.host.names import function_at
from kfusion.host.places import Frame
from kfusion.host.program import HostProgram
from kfusion.host.reach import Reach
from kfusion.host.record import Arguments, Launch
from kfusion.host.symbolic import (
    FALSE,
    TRUE,
    App,
    Entry,
    Made,
    Num,
    Op,
    Place,
    Pointee,
    Ref,
    Some,
    State,
    Sym,
)
from kfusion.host.types import named_type
from kfusion.host.ways import PathEndError, Steps, Ways
from kfusion.parse.unit import Function, declares_function, descendants
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import KFusionError

MOST_STEPS = 40_000
MOST_FOR_REGION = 2_000  # more
_MAKES = frozenset(("clCreateKernel", "clCloneKernel"))
_MATTERS = MATTERS | USES | _MAKES | {"clCreateBuffer", "clCreateImage"}
_MOST_DEPTH = 40  # of values
_ARGUMENT = "argument of the program"
# Types that have all numbers from 0 to 2^31 - 1.
_KEEPS = re.compile(r"\((size_t|unsigned|u?int(32|64)_t|(cl_u?|unsigned )?(int|long)( int)?)\)")

Blocks = Mapping[c_ast.Node, Function]  # of regions, with the functions that they stand in
Stack = tuple[tuple[Frame, c_ast.FuncCall | None], ...]  # functions, and the calls they are in


@dataclass(frozen=True, eq=False)
class Use:
    """A launch, or another command that gets memory objects."""

    launch: Launch | None
    given: Mapping[int, Sym]  # to the kernel
    reads: tuple[Sym, ...]
    writes: tuple[Sym, ...]
    stack: Stack
    turns: int  # guesses on the way there


@dataclass(frozen=True, eq=False)
class Passed:
    """A region that the run has come through."""

    stack: Stack
    turns: int
    uses: int  # before its end
    state: State  # then


class Run(Executor):
    """An execution of the whole program."""

    def __init__(self, program: HostProgram, blocks: Blocks) -> None:
        super().__init__(
            program,
            Reach(program, _MATTERS, blocks),
            Ways(Steps(MOST_STEPS + len(blocks) * MOST_FOR_REGION)),
        )
        self.blocks, self.to_blocks = blocks, Reach(program, frozenset(), blocks)
        self.programs: dict[Sym, Sym] = {}  # by the kernels that are made from them
        self.before: dict[c_ast.Node, Before] = {}  # where it has come to regions
        self.passed: dict[c_ast.Node, Passed] = {}
        self.log: list[Use] = []
        for unit in program.units:
            self.frames.append(Frame(0, None, unit))
            for node in unit.variables.values():
                if "extern" not in node.storage:
                    self._begin_static(node)
            self.frames.pop()
            for function in unit.functions.values():
                self._begin_statics_of(function)

    def _begin_statics_of(self, function: Function) -> None:
        self.frames.append(Frame(0, function, function.unit))
        for node in descendants(function.node.body):
            if isinstance(node, c_ast.Decl) and "static" in node.storage:
                self.name_variable(node)
                if not declares_function(node) and node.init is None:
                    self._begin_static(node)
        self.frames.pop()

    def _begin_static(self, node: c_ast.Decl) -> None:
        """A variable that outlives calls is zero, if nothing else is said."""
        place, types = self.variable(node.name), self.program.types
        if node.init is not None:
            self.begin_variable(node, place)
        elif types.members(node.type):
            self.clear(place, node.type, [])
        elif self._is_scalar(node.type):
            self.state.write(place, FALSE)

    def _is_scalar(self, type_: c_ast.Node) -> bool:
        """A number, a pointer, or a kernel, which may be made where it is first used; other handles
        may be set by files that are not given."""
        kernel = isinstance(type_, c_ast.TypeDecl) and named_type(type_) == "cl_kernel"
        number = arithmetic(type_, self.program.types) is not None
        return kernel or number or isinstance(type_, c_ast.PtrDecl)

    def _run_Decl(self, node: c_ast.Decl) -> bool:
        goes_on = super()._run_Decl(node)
        if "static" in node.storage and not self.state.knows(self.variable(node.name)):
            self._begin_static(node)
        return goes_on

    def execute(self, function: Function) -> None:
        """Call a function of which the callers are not known, as far as it can be followed."""
        seen: Counter[str] = Counter()
        arguments: list[Sym] = []
        for parameter in function.parameters:
            type_ = _ARGUMENT if function.name == "main" else named_type(parameter.type)
            seen[type_] += 1
            arguments.append(self.state.read(Place(App(f"{type_} {seen[type_]}"))))
        with suppress(PathEndError, KFusionError, RecursionError):
            result = self.run(function, arguments)
            if isinstance(result, Made):
                self.state.write(Place(App(f"{named_type(function.result_type)} 1")), result)
        self.frames, self.rounds, self.calling, self.aside = [], [], [], 0

    def statement(self, node: c_ast.Node | None) -> bool:
        if node not in self.blocks or node in self.before:
            return super().statement(node)
        assert node is not None
        self.before[node] = Before(self.as_it_is())
        stack = self.stack
        goes_on = super().statement(node)
        self.passed[node] = Passed(stack, self.turns, len(self.log), self.state.copy())
        return goes_on

    def as_it_is(self) -> Run:
        """A copy that does not change."""
        found = copy(self)
        found.state = self.state.copy()
        found.frames = [frame.copy() for frame in self.frames]
        return found

    @property
    def stack(self) -> Stack:
        return tuple((frame, frame.call) for frame in self.frames)

    def preferred(
        self, condition: Sym, first: c_ast.Node | None, second: c_ast.Node | None
    ) -> bool:
        ways = self.to_blocks.has(first), self.to_blocks.has(second)
        if ways[0] != ways[1]:
            return ways[0]
        option = second is None and not self.gives_up(first) and not self.uses.has(first)
        option = option and not self.matters(first) and _is_of_arguments(condition)
        return not option and super().preferred(condition, first, second)

    # What happens

    def opencl(self, name: str, args: list[Sym]) -> Sym:
        value = super().opencl(name, args)
        if name != "clCreateKernel" or not isinstance(value, Made) or not args:
            return value
        kernel = Made(value.kind, next(self.fresh), value.name)  # one of its own
        self.programs[kernel] = args[0]
        return kernel

    def launch(self, launch: Launch) -> None:
        self.launched += 1
        arguments = self.arguments.get(launch.kernel, {})
        given = {p: a.value for p, a in arguments.items() if a.value is not None}
        self._used(Use(launch, given, (), (), self.stack, self.turns))

    def transfer(self, call: str, reads: list[Sym], writes: list[Sym], *, waits: bool) -> None:
        self._used(Use(None, {}, tuple(reads), tuple(writes), self.stack, self.turns))

    def release(self, call: str, handle: Sym) -> None:
        self._used(Use(None, {}, (), (handle,), self.stack, self.turns))

    def _used(self, use: Use) -> None:
        if self.passed:
            self.log.append(use)


def _is_of_arguments(value: Sym) -> bool:
    """Does the value depend on what the program is started with?"""
    if isinstance(value, Op):
        return any(map(_is_of_arguments, value.args))
    root = value.place.root if isinstance(value, Entry | Ref) else None
    if isinstance(root, Pointee):
        return _is_of_arguments(root.pointer)
    return isinstance(root, App) and root.name.startswith(_ARGUMENT)


class Before:
    """What was known at the region's beginning, on the path that led there."""

    def __init__(self, executor: Run) -> None:
        self.executor, self.state = executor, executor.state
        self._values: dict[Sym, Sym] = {}
        self._arguments: dict[str, Arguments] = {}  # by the kernel's name
        for handle, arguments in executor.arguments.items():
            name = self.kernel(handle)
            if name:
                self._arguments.setdefault(name, {}).update(arguments)

    def arguments(self, handle: Sym, name: str) -> Arguments:
        """Of a kernel object; of all of that name, if it is not known which one it is."""
        made = self.value(handle)
        known = self.kernel(made) == name and made in self.executor.arguments
        return self.executor.arguments[made] if known else self._arguments.get(name, {})

    def of_one_program(self, first: Sym, second: Sym) -> bool:
        """May two kernels be of one? A value that is not known, and that several kernels were made
        from, is a variable's; else each may be what a function has returned."""
        made = self.executor.programs
        one, other = made.get(self.value(first)), made.get(self.value(second))
        if one is None or other is None or one == other:
            return True
        uses = Counter(made.values())
        return not any(isinstance(p, Made) or uses[p] > 1 for p in (one, other))

    def value(self, value: Sym, depth: int = 0) -> Sym:
        """What a symbol of the region stood for."""
        if depth > _MOST_DEPTH:
            return value
        if value not in self._values:
            self._values[value] = self._looked_up(value, depth + 1)
        return self._values[value]

    def _looked_up(self, value: Sym, depth: int) -> Sym:
        if isinstance(value, Entry):
            place = self.place(value.place, depth)
            if ("union",) in self.state.parts(place):  # `&argument.value`, whatever member is set
                place /= "union"
            return self.state.resolve(self.state.read(place))
        if isinstance(value, Ref):
            return Ref(self.place(value.place, depth))
        if isinstance(value, Op):
            return self._computed(value.name, [self.value(a, depth) for a in value.args])
        return value

    def _computed(self, name: str, parts: list[Sym]) -> Sym:
        parts = [strip(part) for part in parts]
        if name == "?:":
            truth = self.executor.truth(parts[0])
            return Op(name, tuple(parts)) if truth is None else parts[1 if truth else 2]
        if name == "strcmp" and (same := are_one_text(parts)) is not None:
            return FALSE if same else TRUE
        if name == "!":
            return self.executor.negated(parts[0])
        if name in ("&&", "||"):
            return self.executor.as_bool(Op(name, tuple(parts)))
        if name.startswith("(") and isinstance(parts[0], Ref):
            return parts[0]
        if _KEEPS.fullmatch(name) and isinstance(parts[0], Num) and 0 <= parts[0].value < 1 << 31:
            return parts[0]
        if len(parts) == 2:
            return self.executor.binary(name, parts[0], parts[1])
        return Op(name, tuple(parts))

    def place(self, place: Place, depth: int = 0) -> Place:
        """What a place of the region is in the run."""
        root, path = place.root, tuple(self._step(step, depth) for step in place.path)
        if isinstance(root, App):
            start = self.executor.variable(root.name)
        elif isinstance(root, Pointee):
            start = self.executor.target(self.value(root.pointer, depth))
            if path and path[0][1:-1].isdigit():  # an element so much further on
                moved = start.moved(int(path[0][1:-1]))
                if moved is not None:
                    start, path = moved, path[1:]
        else:
            start = Place(root)
        return Place(start.root, (*start.path, *path))

    def _step(self, step: str, depth: int) -> str:
        number = self.value(step.number, depth) if isinstance(step, Some) else None
        return f"[{number.value}]" if isinstance(number, Num) else step

    def truth(self, condition: Sym) -> bool | None:
        return self.executor.truth(self.value(condition))

    def function(self, pointer: Sym) -> Function | None:
        return function_at(self.executor.program, self.value(pointer))

    def kernel(self, handle: Sym) -> str:
        """The name of the kernel that a handle stands for; empty if it is not known."""
        found = self.value(handle)
        parts = found.args[1:] if isinstance(found, Op) and found.name == "?:" else (found,)
        made = {part.name for part in parts if isinstance(part, Made) and part.kind == "kernel"}
        return made.pop() if len(made) == 1 else ""


class Runs:
    """The likely runs of a program, as far as somebody asks for them."""

    def __init__(self, program: HostProgram, blocks: Blocks) -> None:
        self.program, self.blocks = program, blocks
        self._found: dict[c_ast.Node, Run] = {}
        self._executed: set[Function | None] = set()

    def of(self, block: c_ast.Node) -> Run | None:
        """The run that comes to a region."""
        for blocks, starts in self._starts(block):
            if block in self._found:
                break
            run = Run(self.program, blocks)
            for start in starts:
                run.execute(start)
            for reached in run.before:
                self._found.setdefault(reached, run)
        return self._found.get(block)

    def _starts(self, block: c_ast.Node) -> Iterator[tuple[Blocks, list[Function]]]:
        """What to execute, one function after the other: at first for all regions together."""
        program, own = self.program, self.blocks[block]
        mains = [f for f in self._leading({block: own}) if f.name == "main"]
        mains.sort(key=lambda main: main.unit is not own.unit)
        for main in mains:
            if main not in self._executed:
                self._executed.add(main)
                yield self._pending, [main]
        for main in mains:
            yield {block: own}, [main]
        bodies = (f.node.body for f in program.all_functions)
        called = frozenset[str]().union(*map(program.names_called, bodies))
        roots = [f for f in program.all_functions if f.name not in called and f.name != "main"]
        makes = Reach(program, _MAKES)
        makers = [f for f in roots if makes.in_function(f)]
        if None not in self._executed:
            self._executed.add(None)
            leading = self._leading(self._pending)
            yield self._pending, [*makers, *(f for f in roots if f in leading and f not in makers)]
        yield {block: own}, [*(f for f in makers if f is not own), own]

    @property
    def _pending(self) -> dict[c_ast.Node, Function]:
        return {b: f for b, f in self.blocks.items() if b not in self._found}

    def _leading(self, blocks: Blocks) -> list[Function]:
        reach = Reach(self.program, frozenset(), blocks)
        return [f for f in self.program.all_functions if reach.in_function(f)]
