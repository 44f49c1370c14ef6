"""What the variables of a fused kernel are called: its stages' own, and those of values."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kfusion.graph.values import Value
from kfusion.kernel.model import Access, Symbol
from kfusion.synthesis.copies import Copies, Copy
from kfusion.synthesis.names import WRITTEN, Names
from kfusion.synthesis.usage import StageUse

_LONGEST_INDEX = 12


class Variables:
    def __init__(
        self,
        uses: Sequence[StageUse],
        copies: Sequence[Copies],
        names: Names,
        symbols: Sequence[dict[Symbol, str]],
        parameters: Collection[str],
    ) -> None:
        """Names in `symbols`, by stage, what its kernel's variables are called."""
        self.uses, self.copies = uses, copies
        self.names, self.symbols = names, symbols
        self.of_values: dict[Value, str] = {}
        self.declared = set(parameters)  # names in use
        self.foreign = {name for use in uses for name in use.foreign()}

    def local_name(self, symbol: Symbol) -> str:
        name = symbol.name
        if not self._may_declare(name):
            name = self.names.new(f"{name}_2", name)
        self.declared.add(name)
        return name

    def _may_declare(self, name: str) -> bool:
        """Another stage's use of a function, type or constant of that name is not captured."""
        return not (name in self.declared or name in self.foreign or name in WRITTEN)

    def name_locals(self, use: StageUse) -> None:
        """Variables of the body; those of inner blocks only make way for shared names."""
        names = self.symbols[use.number]
        body = use.kernel.body
        outer = {
            symbol
            for index in use.live
            if (effect := body.effects[index]) is not None
            for symbol in effect.variables
        }
        for symbol in sorted(use.symbols, key=lambda s: s.token):
            if symbol in names:
                continue
            if symbol in outer or not self._is_inner(use, symbol):
                names[symbol] = self.local_name(symbol)
            elif symbol.name in names.values():
                names[symbol] = self.names.new(f"{symbol.name}_2", symbol.name)

    @staticmethod
    def _is_inner(use: StageUse, symbol: Symbol) -> bool:
        """Declared in a block or loop of its own."""
        return any(
            s.kind != "plain" and s.first <= symbol.token <= s.last
            for s in use.kernel.body.statements
        )

    def name_values(self, use: StageUse) -> None:
        """Values are named after the buffer and the index: `a_i`."""
        names, copies = self.symbols[use.number], self.copies[use.number]
        for index in use.live:
            for access, place in use.accesses(index):
                if place.value is None or place.value in self.of_values:
                    continue
                copy = copies.loads.get(index) or copies.stores.get(index)
                transfer = copies.transfers.get(index)
                if copy is not None and copy.variable in names:
                    self.of_values[place.value] = names[copy.variable]
                elif transfer is not None and place.value == transfer[1]:
                    self.of_values[place.value] = self.of_values[transfer[0]]
                else:
                    self.of_values[place.value] = self._value_name(use, access, place.value, copy)
                if copy is not None:
                    names[copy.variable] = self.of_values[place.value]
            reload = copies.reloads.get(index)
            if reload is not None:
                names[reload.variable] = self.of_values[reload.value]

    def _value_name(self, use: StageUse, access: Access, value: Value, copy: Copy | None) -> str:
        """A variable of the original keeps its name, unless other stages use it too."""
        if (
            copy is not None
            and not self._is_shared(value)
            and self._may_declare(copy.variable.name)
        ):
            self.declared.add(copy.variable.name)
            return copy.variable.name
        buffer = self.symbols[use.number][self.parameter_symbol(use, access)]
        words = self._index_words(use, access)
        return self.names.new(f"{buffer}_{words}", f"{buffer}_value")

    def _is_shared(self, value: Value) -> bool:
        stages = {u.number for u in self.uses for p in u.places.values() if p.value == value}
        return len(stages) > 1

    def parameter_symbol(self, use: StageUse, access: Access) -> Symbol:
        return next(
            s for s in use.kernel.symbols.values() if s.parameter and s.name == access.parameter
        )

    def _index_words(self, use: StageUse, access: Access) -> str:
        """The names of the index variables, for a variable's name."""
        names = self.symbols[use.number]
        words: dict[str, None] = {}
        first, last = access.index
        for token in range(first, last + 1):
            symbol = use.kernel.symbols.get(token)
            if symbol is not None and not symbol.parameter:
                words[names.get(symbol, symbol.name)] = None
        joined = "_".join(words)
        return joined if 0 < len(joined) <= _LONGEST_INDEX else "value"
