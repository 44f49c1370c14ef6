"""What the file defines beside the kernels: helper functions, constants, global variables."""

from __future__ import annotations

from functools import cache, cached_property

from pycparser import c_ast

from kfusion.kernel.builtins import (
    BARRIERS,
    feature_of,
    is_pure,
    is_vector_access,
    is_work_item,
    reads_image,
)
from kfusion.kernel.model import Feature
from kfusion.kernel.types import canonical
from kfusion.parse.unit import Unit, called_name


class Helpers:
    """One for each file; what it finds is kept."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.features = cache(self._features)

    @cached_property
    def names(self) -> frozenset[str]:
        """Names that the file declares outside of functions, enumerators included."""
        return frozenset(self._globals) | self._enumerators | frozenset(self.unit.functions)

    def global_name(self, name: str) -> Feature | None:
        """Program-scope variables are memory that any item may reach; constant ones are not."""
        node = self._globals.get(name)
        if node is None or isinstance(node.type, c_ast.FuncDecl):
            return None
        if canonical(self.unit, node.type) == "sampler_t":
            return None
        at = self.unit.index(node)
        notes = self.unit.notes_between(self.unit.declaration_start(at), at + 1)
        return None if any(n.text == "constant" for n in notes) else Feature.ESCAPE

    @cached_property
    def _globals(self) -> dict[str, c_ast.Decl]:
        return {
            node.name: node
            for node in self.unit.ast.ext
            if isinstance(node, c_ast.Decl) and node.name
        }

    @cached_property
    def _enumerators(self) -> frozenset[str]:
        return frozenset(node.name for node in self.unit.nodes.get(c_ast.Enumerator, ()))

    def reached(self, name: str) -> frozenset[str]:
        """The function and those that it calls."""
        found: set[str] = set()
        todo = [name]
        while todo:
            current = todo.pop()
            if current not in found:
                found.add(current)
                todo += [c for c in self._calls(current) if c in self.unit.functions]
        return frozenset(found)

    def _features(self, name: str) -> tuple[Feature, ...]:
        found: list[Feature] = []
        for function in sorted(self.reached(name)):
            for each in self.unit.definitions[function]:
                names = (node.name for node in each.nodes.get(c_ast.ID, ()))
                found += filter(None, map(self.global_name, names))
                if any("static" in node.storage for node in each.nodes.get(c_ast.Decl, ())):
                    found.append(Feature.ESCAPE)  # a variable that all items share
            for call in self._calls(function):
                known = call in self.unit.functions or is_pure(call) or is_work_item(call)
                known = known or call in BARRIERS  # see `waits`
                if not known and not reads_image(call) and not is_vector_access(call):
                    found.append(feature_of(call) or Feature.UNKNOWN_CALL)
        return tuple(dict.fromkeys(found))

    def waits(self, name: str) -> bool:
        """The items of a group wait for each other in it."""
        return any(call in BARRIERS for f in self.reached(name) for call in self._calls(f))

    def asks_for_groups(self, name: str) -> bool:
        """Whether local or group ids may enter its result."""
        return any(not query.startswith("get_global") for query in self._queries(name))

    def asks_for_items(self, name: str) -> bool:
        """Whether ids or sizes of any kind may enter its result."""
        return bool(self._queries(name))

    def _queries(self, name: str) -> set[str]:
        return {q for f in self.reached(name) for q in self._calls(f) if is_work_item(q)}

    def _calls(self, name: str) -> list[str]:
        """By the bodies of all functions of that name."""
        bodies = self.unit.definitions[name]
        return [called_name(call) for f in bodies for call in f.nodes.get(c_ast.FuncCall, ())]
