"""The functions that make kernels, executed: where handles go, and from which programs."""

from __future__ import annotations

from pycparser import c_ast

from kfusion.host.execute import Executor
from kfusion.host.frames import Frame
from kfusion.host.program import HostFunction, HostProgram
from kfusion.host.symbolic import App, Entry, Global, Made, Place, Pointee, Ref, State, Sym, leaves
from kfusion.source.dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class SetUp:
    """One function that makes kernels, itself or through calls."""

    function: HostFunction
    frame: Frame
    ends: tuple[State, ...]  # at each way out
    results: tuple[Sym, ...]
    all_named: bool
    stored: tuple[State, ...]  # handles as they were stored, whatever became of them after that
    unknown: frozenset[Made]  # kernels whose names not even the callers give

    @property
    def is_complete(self) -> bool:
        """Whoever calls it, it makes the same kernels and puts them into the same variables."""
        kept = (
            place
            for end in self.ends
            for place, value in end.memory.items()
            if not isinstance(place.root, Global) and any(map(_is_new, leaves(value)))
        )
        given_back = any(_is_new(leaf) for value in self.results for leaf in leaves(value))
        return self.all_named and not given_back and next(kept, None) is None


def read_setups(program: HostProgram) -> list[SetUp]:
    """Those who only call functions that are complete have nothing to add."""
    makers = [f for f in program.functions.values() if "clCreateKernel" in program.calls(f)]
    makers.sort(key=lambda f: len(program.calls(f)))  # whoever is called comes first
    setups: list[SetUp] = []
    complete: set[str] = set()
    names = {f.name for f in makers}
    for function in makers:
        called = program.names_called(function.function.node.body) & names
        direct = "clCreateKernel" in program.names_called(function.function.node.body)
        if not direct and called <= complete:
            complete.add(function.name)
            continue
        setups.append(_read(program, function))
        if setups[-1].is_complete:
            complete.add(function.name)
    return setups


def _is_new(value: Sym) -> bool:
    return isinstance(value, Made) and value.kind in ("kernel", "host memory")


def _is_kernel(value: Sym) -> bool:
    return isinstance(value, Made) and value.kind == "kernel"


def _read(program: HostProgram, function: HostFunction) -> SetUp:
    executor = _Maker(program, function)
    frame = Frame(executor.fresh.next(), function, function.unit)
    state = State()
    values: list[Sym] = [
        Entry(Place(App(f"{function.name}:{p.name}"))) for p in function.parameters
    ]
    executor.enter(frame, function, values, state)
    after = executor.statement(function.function.node.body, state)
    ends = [o.state for o in frame.returns] + ([after] if after is not None else [])
    results = tuple(outcome.value for outcome in frame.returns)
    return SetUp(
        function,
        frame,
        tuple(ends),
        results,
        executor.all_named,
        tuple(executor.stored),
        executor.nameless,
    )


class _Maker(Executor):
    def __init__(self, program: HostProgram, function: HostFunction) -> None:
        super().__init__(program)
        self.own = f"{function.name}:"  # its parameters are named so
        self.all_named = True
        self.nameless: frozenset[Made] = frozenset()
        self.stored: list[State] = []

    def opencl(self, name: str, node: c_ast.FuncCall, args: list[Sym], state: State) -> Sym:
        value = super().opencl(name, node, args, state)
        if name == "clCreateKernel":
            if not (isinstance(value, Made) and value.name):
                self.all_named = False
                if isinstance(value, Made) and not self._is_given(args[1:2]):
                    self.nameless |= {value}
        return value

    def assign(self, place: Place | None, value: Sym, state: State, node: c_ast.Node) -> None:
        super().assign(place, value, state, node)
        if place is not None and any(map(_is_kernel, leaves(value))):
            self.stored.append(State({place: value}))

    def _is_given(self, names: list[Sym]) -> bool:
        """Does a parameter of the function say the name? Then its callers are asked."""
        roots = [leaf.place.root for n in names for leaf in leaves(n) if isinstance(leaf, Entry)]
        while any(isinstance(root, Pointee) for root in roots):
            pointers = [root.pointer for root in roots if isinstance(root, Pointee)]
            roots = [root for root in roots if not isinstance(root, Pointee)]
            roots += [p.place.root for p in pointers if isinstance(p, Entry | Ref)]
        return any(isinstance(root, App) and root.name.startswith(self.own) for root in roots)
