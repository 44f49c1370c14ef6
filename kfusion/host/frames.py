"""Where an execution stands: the function's frame, its loops and ways out."""

from __future__ import annotations

from dataclasses import field

from pycparser import c_ast

from kfusion.host.program import HostFunction
from kfusion.host.symbolic import State, Sym
from kfusion.parse.unit import Unit
from kfusion.source.dataclasses import dataclass


@dataclass
class Outcome:
    """One way out of a function."""

    state: State
    value: Sym
    condition: Sym  # under which this way is taken, given that none before it was


@dataclass(eq=False)
class Once:
    """A `do { } while (0)`: a `break` in it leads to its end, and nowhere else."""

    breaks: list[State] = field(default_factory=list)
    left: bool = False  # it may have been left, under a condition


@dataclass(eq=False)
class Frame:
    number: int
    function: HostFunction | None
    unit: Unit
    variables: dict[str, c_ast.Decl | None] = field(default_factory=dict)
    returns: list[Outcome] = field(default_factory=list)
    depth: int = 0  # conditions that were open when the function was entered
    statics: set[str] = field(default_factory=set)  # variables that outlive the call
    loops: list[Once | None] = field(default_factory=list)  # around; None: not followed exactly
    left: bool = False  # control may have left the function, under a condition
    scopes: list[dict[str, bool]] = field(default_factory=list)  # names: do they hide others?
    home: str = ""  # the name of the application's function, if it is one

    @property
    def name(self) -> str:
        return self.function.name if self.function is not None else self.home
