"""The functions that make kernels, executed: where handles go, and from which programs."""

from __future__ import annotations

from pycparser import c_ast

from kfusion.host.execute import Executor
from kfusion.host.expressions import Frame
from kfusion.host.program import HostFunction, HostProgram
from kfusion.host.symbolic import App, Entry, Made, Place, State, Sym
from kfusion.source.dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class SetUp:
    """One function that makes kernels, itself or through calls."""

    function: HostFunction
    frame: Frame
    ends: tuple[State, ...]  # at each way out
    made: dict[str, set[Sym]]  # kernels by name, and their programs


def read_setups(program: HostProgram) -> list[SetUp]:
    functions = list(program.functions.values())
    return [_read(program, f) for f in functions if "clCreateKernel" in program.calls(f)]


def _read(program: HostProgram, function: HostFunction) -> SetUp:
    executor = _Maker(program)
    frame = Frame(executor.fresh.next(), function, function.unit)
    state = State()
    values: list[Sym] = [
        Entry(Place(App(f"{function.name}:{p.name}"))) for p in function.parameters
    ]
    executor.enter(frame, function, values, state)
    after = executor.statement(function.function.node.body, state)
    ends = [o.state for o in frame.returns] + ([after] if after is not None else [])
    return SetUp(function, frame, tuple(ends), executor.made)


class _Maker(Executor):
    def __init__(self, program: HostProgram) -> None:
        super().__init__(program)
        self.made: dict[str, set[Sym]] = {}

    def _opencl(self, name: str, node: c_ast.FuncCall, args: list[Sym], state: State) -> Sym:
        value = super()._opencl(name, node, args, state)
        if name == "clCreateKernel" and isinstance(value, Made) and value.name:
            self.made.setdefault(value.name, set()).add(args[0])
        return value
