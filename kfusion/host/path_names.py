"""Names on a path: variables that hide others, and functions that pointers lead to.

Where blocks are followed one after another, a variable that hides another one of its name is
a variable of its own: it is kept under an alias. A pointer to a function says of which file
the function is, since `static` functions of two files may have one name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pycparser import c_ast

from kfusion.host.execute import Executor
from kfusion.host.frames import Frame
from kfusion.host.path_program import PathProgram
from kfusion.host.program import HostFunction
from kfusion.host.symbolic import App, Entry, Fresh, Global, Local, Place, Ref, State, Sym
from kfusion.parse.unit import Unit
from kfusion.source.dataclasses import dataclass

_FUNCTION = "function of file "  # a function's home


@dataclass(frozen=True)
class _Hidden:
    """What a name meant before a declaration."""

    declaration: c_ast.Decl | None
    was_known: bool
    alias: str | None


class PathNames(Executor):
    """Scopes and functions by name."""

    def __init__(self, program: PathProgram, fresh: Fresh | None = None) -> None:
        super().__init__(program, fresh)
        self.aliases: dict[tuple[int, str], str] = {}  # by frame and name
        self.hidden: list[dict[str, _Hidden]] = []  # of the blocks around, the innermost last

    # Variables

    @contextmanager
    def scope(self) -> Iterator[Callable[[State], None]]:
        """A block. Behind its end names mean what they meant before it."""
        frame, hidden = self.frame, dict[str, _Hidden]()
        frame.scopes.append({})
        self.hidden.append(hidden)
        yield lambda _: None
        self.hidden.pop()
        frame.scopes.pop()
        for name, before in hidden.items():
            self._restore(frame, name, before)

    def _restore(self, frame: Frame, name: str, before: _Hidden) -> None:
        if before.was_known:
            frame.variables[name] = before.declaration
        else:
            frame.variables.pop(name, None)
        if before.alias is None:
            self.aliases.pop((frame.number, name), None)
        else:
            self.aliases[frame.number, name] = before.alias

    def declare(self, node: c_ast.Decl, state: State) -> None:
        if not node.name or not _is_own(node):
            return
        frame, name = self.frame, node.name
        if self.hidden and name not in self.hidden[-1]:
            known = name in frame.variables
            alias = self.aliases.get((frame.number, name))
            self.hidden[-1][name] = _Hidden(frame.variables.get(name), known, alias)
            if known:
                self._hide(name, node)
        super().declare(node, state)

    def _hide(self, name: str, node: c_ast.Decl) -> None:
        alias = f"{name}'{len(self.hidden)}"
        self.aliases[self.frame.number, name] = alias
        self.frame.variables[alias] = node

    def _check_hidden(self, node: c_ast.Decl) -> None:
        """It is told apart from what it hides."""

    def variable(self, name: str) -> Place:
        place = super().variable(name)
        alias = self.aliases.get((self.frame.number, name))
        if alias is None or isinstance(place.root, Global):
            return place
        if isinstance(place.root, Local):
            return Place(Local(place.root.frame, alias))
        return Place(App(alias))

    # Functions

    @property
    def _program(self) -> PathProgram:
        assert isinstance(self.program, PathProgram)
        return self.program

    def _value_ID(self, node: c_ast.ID, state: State) -> Sym:
        if node.name not in self.frame.variables:
            function = self._function_named(node.name, self.frame.unit)
            if function is not None:
                return function_value(self._program, function)
        return super()._value_ID(node, state)

    def _function_named(self, name: str, unit: Unit) -> HostFunction | None:
        """The function that a name means where no variable of a function hides it."""
        if self.program.global_of(name, unit) is not None:
            return None
        return self.program.lookup(name, unit)

    def called(self, node: c_ast.FuncCall, state: State) -> HostFunction | None:
        """The function that a call runs, if it is given."""
        callee = node.name
        if isinstance(callee, c_ast.ID) and callee.name not in self.frame.variables:
            found = self._function_named(callee.name, self.frame.unit)
            if found is not None:
                return found
            if self.program.global_of(callee.name, self.frame.unit) is None:
                return None
        return self.function_at(self.value(callee, state))

    def function_at(self, pointer: Sym) -> HostFunction | None:
        """The function that a pointer leads to, as far as the path knows."""
        place = pointer.place if isinstance(pointer, Ref | Entry) else None
        if place is None or place.path or not isinstance(place.root, Global):
            return None
        root = place.root
        if root.home.startswith(_FUNCTION):
            return self._program.in_unit(root.name, int(root.home.removeprefix(_FUNCTION)))
        if isinstance(pointer, Ref):  # `&f`
            return self._function_named(root.name, self.frame.unit)
        return None


def function_value(program: PathProgram, function: HostFunction) -> Sym:
    number = program.units.index(function.unit)
    return Ref(Place(Global(function.name, f"{_FUNCTION}{number}")))


def visible_in(block: c_ast.Node, function: HostFunction) -> dict[str, c_ast.Decl | None]:
    """The variables of a function that a block in it sees."""
    found: dict[str, c_ast.Decl | None] = {p.name: p for p in function.parameters}
    for outer, inner in _way_to(block, function.function.node.body) or []:
        for _, sibling in outer.children():
            if sibling is inner:
                break
            listed = sibling.decls if isinstance(sibling, c_ast.DeclList) else [sibling]
            for node in listed:
                if isinstance(node, c_ast.Decl) and node.name and _is_own(node):
                    found[node.name] = node
    return found


def _way_to(block: c_ast.Node, node: c_ast.Node) -> list[tuple[c_ast.Node, c_ast.Node]] | None:
    """The nodes around a block, each with the one of its children that leads there."""
    if node is block:
        return []
    for _, child in node.children():
        way = _way_to(block, child)
        if way is not None:
            return [(node, child), *way]
    return None


def _is_own(node: c_ast.Decl) -> bool:
    """Is it a variable of the function, and no name that the file declares?"""
    return not isinstance(node.type, c_ast.FuncDecl) and "extern" not in node.storage
