"""Where an execution stands: the function's frame, its loops and ways out, the statement."""

from __future__ import annotations

from dataclasses import field

from pycparser import c_ast

from kfusion.host.effects import Effect
from kfusion.host.program import HostFunction
from kfusion.host.symbolic import Place, State, Sym
from kfusion.parse.unit import Unit
from kfusion.source.dataclasses import dataclass


@dataclass
class Step:
    """One statement of the function under study, and what its execution did."""

    nodes: list[c_ast.Node]
    first: int  # tokens
    last: int
    effects: list[Effect] = field(default_factory=list)
    reads: set[str] = field(default_factory=set)  # the function's own variables
    writes: set[str] = field(default_factory=set)
    inner: set[str] = field(default_factory=set)  # variables of blocks inside the statement
    returns: bool = False  # a return is executed here on some path
    guard: bool = False  # an early return that a run-time guard rules out
    place_reads: dict[Place, None] = field(default_factory=dict)  # in order
    flushes: bool = False  # the queue, after which its commands do run
    # conditions found true or false that it stands under: tokens, variables read, which way
    under: tuple[tuple[int, int, frozenset[str], bool], ...] = ()


@dataclass
class Outcome:
    """One way out of a function."""

    state: State
    value: Sym
    condition: Sym  # under which this way is taken, given that none before it was
    node: c_ast.Node | None = None
    launched: bool = False  # a kernel is launched before


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
