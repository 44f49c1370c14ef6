"""Are some kernels always made from one program?

A fused kernel is made from the program of one of its components. Another component may
have been built with other options.
"""

from __future__ import annotations

from collections.abc import Iterable

from pycparser import c_ast

from kfusion.host.execute import Executor
from kfusion.host.expressions import Frame
from kfusion.host.program import HostFunction, HostProgram
from kfusion.host.symbolic import (
    App,
    Entry,
    Global,
    Made,
    Phi,
    Place,
    Pointee,
    Root,
    State,
    Sym,
)
from kfusion.source.protections import is_on, protection

PROGRAMS = protection("host-programs", "kernels of differently built programs are fused")


class Origins:
    """For each function that makes kernels, the programs that it makes them from."""

    def __init__(self, program: HostProgram) -> None:
        self.program = program
        self.made: dict[str, dict[str, set[Sym]]] = {}
        for function in program.functions.values():
            if "clCreateKernel" in program.calls(function):
                self.made[function.name] = self._read(function)

    def one_program(self, names: Iterable[str], handles: Iterable[Sym]) -> bool:
        """Are the kernels made together, wherever they are made, and from one program?"""
        wanted = set(names)
        if not is_on(PROGRAMS) or len(wanted) < 2:
            return True
        if len({_owner(handle) for handle in handles}) > 1:
            return False
        makers = [name for name, made in self.made.items() if wanted & made.keys()]
        innermost = [
            name
            for name in makers
            if not self.program.calls(self.program.functions[name]) & (set(makers) - {name})
        ]
        return bool(innermost) and all(self._together(name, wanted) for name in innermost)

    def _together(self, function: str, wanted: set[str]) -> bool:
        made = self.made[function]
        programs = {p for name in wanted for p in made.get(name, ())}
        return (
            wanted <= made.keys()
            and len(programs) == 1
            and not any(isinstance(program, Phi) for program in programs)
        )

    def _read(self, function: HostFunction) -> dict[str, set[Sym]]:
        executor = _Maker(self.program)
        frame = Frame(executor.fresh.next(), function, function.unit)
        state = State()
        values: list[Sym] = [
            Entry(Place(App(f"{function.name}:{p.name}"))) for p in function.parameters
        ]
        executor.enter(frame, function, values, state)
        executor.statement(function.function.node.body, state)
        return executor.made


class _Maker(Executor):
    def __init__(self, program: HostProgram) -> None:
        super().__init__(program)
        self.made: dict[str, set[Sym]] = {}

    def _opencl(self, name: str, node: c_ast.FuncCall, args: list[Sym], state: State) -> Sym:
        value = super()._opencl(name, node, args, state)
        if name == "clCreateKernel" and isinstance(value, Made) and value.name:
            self.made.setdefault(value.name, set()).add(args[0])
        return value


def _owner(handle: Sym) -> Root | str:
    """The object that holds a handle: variables of the library are one."""
    if not isinstance(handle, Entry):
        return str(handle)
    root = handle.place.root
    if isinstance(root, Pointee) and isinstance(root.pointer, Entry):
        return root
    return "the library" if isinstance(root, Global) else root
