"""A path that only has to be likely: what is not known is taken to change nothing.

What a region launches is a guess that the run time checks, so a write through a pointer that
leads nobody knows where, or a function of another file, need not make everything unknown.
"""

from __future__ import annotations

from pycparser import c_ast

from kfusion.host.operators import is_computed
from kfusion.host.path_names import PathNames
from kfusion.host.path_ways import Ways
from kfusion.host.symbolic import (
    Entry,
    Global,
    Literal,
    Num,
    Op,
    Place,
    Pointee,
    Root,
    State,
    Sym,
)


class Guessing(PathNames):
    """Places of a path."""

    ways: Ways

    def lose(
        self,
        state: State,
        roots: frozenset[Root] = frozenset(),
        *,
        variables: bool = True,
        members: bool = False,
        everything: bool = False,
        exposed: frozenset[str] | None = None,
    ) -> None:
        self.ways.doubt("something is written, and it is not known where")

    def assign(self, place: Place | None, value: Sym, state: State, node: c_ast.Node) -> None:
        if place is not None and _of_some_element(place):
            self.ways.doubt("an element of an array is written, and it is not known which")
            state.write(place, value)
            return
        super().assign(place, value, state, node)

    def read(self, place: Place, state: State) -> Sym:
        pointer = place.root.pointer if isinstance(place.root, Pointee) else None
        if _of_some_element(place) or (pointer is not None and is_computed(pointer)):
            self.ways.doubt("something is read, and it is not known what")
            return state.resolve(state.read(place))
        return super().read(place, state)

    def initialise_global(self, root: Global, state: State) -> None:
        """Names that stand in a table stay what they are."""
        super().initialise_global(root, state)
        declaration = self._global(root)
        if declaration is None or not isinstance(declaration.init, c_ast.InitList):
            return
        known = State()
        self.initialise(Place(root), declaration.init, known, declaration.type)
        for place, value in known.memory.items():
            if isinstance(value, Literal) and place not in state.memory:
                self.ways.doubt("a name in a table is taken to be what it was before")
                state.write(place, value)

    def negated(self, condition: Sym, state: State) -> Sym:
        """`!!x` is `x` where a flag says which of two objects is used."""
        value = super().negated(condition, state)
        if isinstance(value, Op) and value.name == "!=":
            first, second = value.args
            if isinstance(first, Entry) and second == Num(0):
                self.ways.doubt("a number is taken to be 0 or 1")
                return first
        return value


def _of_some_element(place: Place) -> bool:
    return any(step.startswith("[?") for step in place.path)
