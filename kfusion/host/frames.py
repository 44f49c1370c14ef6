"""Where an execution stands: the functions that have been entered, with their variables."""

from __future__ import annotations

from dataclasses import field, replace

from pycparser import c_ast

from kfusion.host.program import HostFunction
from kfusion.parse.unit import Unit
from kfusion.source.dataclasses import dataclass


@dataclass(eq=False)
class Frame:
    number: int
    function: HostFunction | None  # None: the one with the region, of which only the block is run
    unit: Unit
    variables: dict[str, c_ast.Decl | None] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)  # of variables that hide others
    depth: int = 0  # blocks that are open
    statics: set[str] = field(default_factory=set)  # variables that outlive the call
    call: c_ast.FuncCall | None = None  # that control has left the frame by
    home: str = ""  # the name of the function with the region

    def copy(self) -> Frame:
        return replace(
            self,
            variables=dict(self.variables),
            aliases=dict(self.aliases),
            statics=set(self.statics),
        )

    @property
    def name(self) -> str:
        return self.function.name if self.function is not None else self.home
