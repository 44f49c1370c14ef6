"""Are some kernels always made from one program?

A fused kernel is made from the program of one of its components. Another component may
have been built with other options.
"""

from __future__ import annotations

from collections.abc import Iterable

from kfusion.host.program import HostProgram
from kfusion.host.setup import SetUp
from kfusion.host.symbolic import Entry, Global, Phi, Pointee, Root, Sym
from kfusion.source.protections import is_on, protection

PROGRAMS = protection("host-programs", "kernels of differently built programs are fused")


class Origins:
    """For each function that makes kernels, the programs that it makes them from."""

    def __init__(self, program: HostProgram, setups: Iterable[SetUp]) -> None:
        self.program = program
        self.made = {setup.function.name: setup.made for setup in setups}

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


def _owner(handle: Sym) -> Root | str:
    """The object that holds a handle: variables of the library are one."""
    if not isinstance(handle, Entry):
        return str(handle)
    root = handle.place.root
    if isinstance(root, Pointee) and isinstance(root.pointer, Entry):
        return root
    return "the library" if isinstance(root, Global) else root
