"""What the file defines beside the kernels: helper functions, constants, global variables."""

from __future__ import annotations

from functools import cache, cached_property
from itertools import pairwise

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
from kfusion.parse.preprocess import PToken
from kfusion.parse.unit import Unit

_KEYWORDS = frozenset("if while for switch return sizeof do else case".split())


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
        first = self.unit.index(node)
        while first > 0 and self.unit.tokens[first - 1].text not in (";", "}"):
            first -= 1
        notes = self.unit.notes_between(first, self.unit.index(node) + 1)
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
        found: set[str] = set()

        class Visitor(c_ast.NodeVisitor):
            def visit_Enumerator(self, node: c_ast.Enumerator) -> None:
                found.add(node.name)

        Visitor().visit(self.unit.ast)
        return frozenset(found)

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
            for token in self._tokens(function):
                trouble = self.global_name(token.text)
                if token.text == "static":  # a variable that all items share
                    trouble = Feature.ESCAPE
                if trouble is not None:
                    found.append(trouble)
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

    def _tokens(self, name: str) -> list[PToken]:
        """Those of the bodies of all functions of that name."""
        bodies = [function.body for function in self.unit.definitions[name]]
        return [t for body in bodies for t in self.unit.tokens[body.first : body.last + 1]]

    def _calls(self, name: str) -> list[str]:
        return [
            token.text
            for token, following in pairwise(self._tokens(name))
            if following.text == "("
            and token.text.replace("_", "a").isalnum()
            and not token.text[0].isdigit()
            and token.text not in _KEYWORDS
        ]
