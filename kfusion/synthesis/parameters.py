"""What a fused kernel is given: one parameter for each memory object and scalar it needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kfusion.graph.model import Argument, LocalMemory, Scalar
from kfusion.graph.rounding import Rounded
from kfusion.graph.unify import Equalities
from kfusion.graph.values import GroupValues
from kfusion.kernel.model import Parameter, Symbol
from kfusion.kernel.surroundings import macros_of
from kfusion.source.lexer import tokenize
from kfusion.synthesis.model import FusedParameter
from kfusion.synthesis.names import Names, identifier
from kfusion.synthesis.render import Renderer
from kfusion.synthesis.signature import Bound, Style, parameter_text
from kfusion.synthesis.usage import StageUse


def _kind(parameter: Parameter) -> str:
    if parameter.image is not None:
        return "image"
    return "buffer" if parameter.pointer else "value"


class Parameters:
    def __init__(
        self,
        uses: Sequence[StageUse],
        equalities: Equalities,
        renderer: Renderer,
        style: Style,
        names: Names,
        symbols: Sequence[dict[Symbol, str]],
        alike: Mapping[str, Sequence[Bound]],
    ) -> None:
        """Names in `symbols`, by stage, what the parameters of its kernel are called. `alike`:
        of memory that functions are given, too, all parameters that it is."""
        self.alike = alike
        self.uses, self.equalities = uses, equalities
        self.renderer, self.style = renderer, style
        self.names, self.symbols = names, symbols
        self.named = self._named()

    def _key(self, use: StageUse, parameter: Parameter, argument: Argument) -> tuple[str, str]:
        if isinstance(argument, LocalMemory):
            return (parameter.name, f"of stage {use.number}")  # each has its own
        if isinstance(argument, Scalar):
            return (self.equalities.leader(argument.name), parameter.canonical)
        return (argument.name, "")

    def _named(self) -> dict[str, list[Bound]]:
        """By the fused kernel's name for it, all that a parameter stands for."""
        chosen: dict[tuple[str, str], str] = {}
        found: dict[str, list[Bound]] = {}
        for use in self.uses:
            symbols = {s.name: s for s in use.kernel.symbols.values() if s.parameter}
            named = use.symbols_in_all
            pairs = zip(use.kernel.parameters, use.stage.invocation.arguments, strict=True)
            for parameter, argument in pairs:
                key = self._key(use, parameter, argument)
                if key not in chosen:
                    hint = parameter.name if isinstance(argument, LocalMemory) else argument.hint
                    wanted = self._in_macros(key) or identifier(hint, parameter.name)
                    chosen[key] = self.names.new(wanted, f"{wanted}_{_kind(parameter)}")
                symbol = symbols[parameter.name]
                self.symbols[use.number][symbol] = chosen[key]
                used = symbol in named
                found.setdefault(chosen[key], []).append(Bound(parameter, argument, used))
            for array, source in use.copied.items():
                self.symbols[use.number][array] = self.symbols[use.number][source]
        return found

    def _in_macros(self, key: tuple[str, str]) -> str | None:
        """The name that macros of the file know a parameter by: it stays."""
        for use in self.uses:
            pairs = zip(use.kernel.parameters, use.stage.invocation.arguments, strict=True)
            names = {p.name for p, a in pairs if self._key(use, p, a) == key}
            for token, symbol in use.kernel.symbols.items():
                inside = use.unit.tokens[token].start < 0
                if symbol.parameter and symbol.name in names and inside:
                    return symbol.name
        return None

    def used(
        self, lines: Iterable[str], values: GroupValues, rounded: Rounded, *, restrict: bool
    ) -> tuple[FusedParameter, ...]:
        """Buffers in the order in which the lines name them, then scalars likewise."""
        order: dict[str, None] = {}
        for token in tokenize("\n".join(lines)):  # a comment may have several lines
            if token.text in self.named:
                order[token.text] = None
            else:
                order |= dict.fromkeys(self._in_body(token.text, values.internalised))
        order |= dict.fromkeys(self._pasted())
        ordered = sorted(order, key=lambda name: isinstance(self.named[name][0].argument, Scalar))
        return tuple(
            FusedParameter(
                name,
                self.text(name, name, rounded, restrict=restrict),
                self.named[name][0].argument,
            )
            for name in ordered
        )

    def text(self, name: str, called: str, rounded: Rounded, *, restrict: bool = False) -> str:
        """The declaration of a parameter, or of a variable that begins as it."""
        volatile = any(b.argument.name in rounded.memory for b in self.named[name])
        return parameter_text(
            self.style, called, self._bounds(name), volatile=volatile, restrict=restrict
        )

    def _bounds(self, name: str) -> list[Bound]:
        """Of an image that stages read and write: what the fused kernel itself does with it."""
        bounds = self.named[name]
        if bounds[0].argument.name in self.alike:
            return list(self.alike[bounds[0].argument.name])
        written = any(b.argument.name in use.images_written for b in bounds for use in self.uses)
        kind = "write_only" if written else "read_only"
        return [b for b in bounds if b.parameter.image in (None, kind)] or bounds

    def _pasted(self) -> list[str]:
        """Parameters that are written by macros; `##` may have made their names."""
        return [
            self.symbols[use.number][symbol]
            for use in self.uses
            for token, symbol in use.kernel.symbols.items()
            if symbol.parameter and token in self.renderer.from_macros
        ]

    def _in_body(self, macro: str, internalised: frozenset[str]) -> list[str]:
        """The parameters that a macro's definition names, or one that it uses."""
        bodies = (
            found.body
            for name in macros_of(self.renderer.unit, [macro])
            for _, found in self.renderer.unit.macros.history[name]
            if found is not None
        )
        named = {token.text for body in bodies for token in tokenize(" " + body)}
        return [
            name
            for name, bounds in self.named.items()
            if name in named and bounds[0].argument.name not in internalised
        ]
