"""Which parameters, variables and declarations of its stages a fused kernel still needs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from itertools import takewhile

from kfusion.graph.bind import Stage
from kfusion.graph.model import Again
from kfusion.graph.values import GroupValues, Place, Role
from kfusion.kernel.copied import copied_arrays
from kfusion.kernel.model import Access, PreludeItem, Symbol
from kfusion.kernel.opening import COPIES


class StageUse:
    """One stage: its live statements, and what they name after values have moved."""

    def __init__(
        self,
        number: int,
        stage: Stage,
        values: GroupValues,
        *,
        direct: bool = False,
        again: Sequence[Again] = (),
        straight: Collection[int] = (),
    ) -> None:
        """`direct`: what would be copied into local memory is read where it is. `again`: of its
        reads those that are computed again. `straight`: loads whose index is written anew."""
        self.number, self.stage = number, stage
        self.kernel = stage.invocation.kernel
        statements = [access.statement for access in self.kernel.accesses]
        alive = (e for e in again if (number, statements[e.access]) not in values.dead)
        self.again = {each.access: each for each in alive}
        self.straight = {self.kernel.accesses[n].first for n in straight}
        self.unit = self.kernel.unit
        self.places = {n: place for (s, n), place in values.places.items() if s == number}
        self.live = [
            index
            for index in range(len(self.kernel.body.statements))
            if (number, index) not in values.dead
        ]
        openings = [item for item in self.kernel.body.prelude if item.opening]
        self.opening = openings if self.live and not direct else []
        found = copied_arrays(self.kernel) if direct else ()
        self.copied = {each.array: each.source for each in found}
        self.symbols = {self.copied.get(symbol, symbol) for symbol in self._symbols()}
        self.written: list[PreludeItem] = []  # of the prelude, so far

    @property
    def copies_first(self) -> list[PreludeItem]:
        """The copies that the opening begins with."""
        tokens = self.unit.tokens
        return list(
            takewhile(
                lambda item: any(
                    token.text in COPIES
                    for token in tokens[item.statement.first : item.statement.last]
                ),
                self.opening,
            )
        )

    @cached_property
    def images_written(self) -> set[str]:
        """Names of images that the fused kernel writes itself, for this stage."""
        return {
            self.stage.arguments[access.parameter].name
            for number, access in enumerate(self.kernel.accesses)
            if access.texel is not None and access.mode.writes
            if (place := self.places.get(number)) is not None
            if place.role is Role.MEMORY or place.stored or place.flushed
        }

    @property
    def samplers(self) -> list[PreludeItem]:
        """Samplers are declared in the outermost block of a kernel."""
        return [
            item
            for item in self.needed(self.symbols)
            if any(declared.type == "sampler_t" for declared in item.declarations)
        ]

    @property
    def symbols_in_all(self) -> set[Symbol]:
        """Those of the work, of the guards and of the declarations that they need."""
        found = self.symbols | self.guard_symbols()
        for item in self.needed(found):
            found |= set(self.named(range(item.statement.first, item.statement.last + 1)))
        return found

    def type_of(self, access: Access) -> str:
        """Of an element, as the kernel calls it."""
        texel = access.texel
        return texel.type if texel is not None else self.kernel.parameter(access.parameter).type

    def accesses(self, statement: int) -> list[tuple[Access, Place]]:
        """The accesses of a statement of the body, in order."""
        return [
            (access, self.places[number])
            for number, access in enumerate(self.kernel.accesses)
            if access.statement == statement and number in self.places
        ]

    def _symbols(self) -> Iterator[Symbol]:
        """Named by what is left of the live statements."""
        for item in self.opening:
            yield from self.named(range(item.statement.first, item.statement.last + 1))
        for index in self.live:
            statement = self.kernel.body.statements[index]
            gone = {t for each in self.again for t in self.kernel.accesses[each].tokens}
            for access, place in self.accesses(index):
                straight = access.first in self.straight
                if place.role is Role.MEMORY and not straight:
                    continue
                saved = place.role is Role.LOAD or place.stored or place.flushed
                if saved and not straight:
                    first, last = access.element
                    yield from self.named(range(first, last + 1))
                gone |= access.tokens
            yield from self.named(
                t for t in range(statement.first, statement.last + 1) if t not in gone
            )

    def named(self, tokens: Iterator[int] | range) -> Iterator[Symbol]:
        for token in tokens:
            if token in self.kernel.symbols:
                yield self.kernel.symbols[token]

    def foreign(self) -> Iterator[str]:
        """Names in the body that are no variables of the kernel: functions, types, constants."""
        body, tokens = self.kernel.function.body, self.unit.tokens
        for token in range(body.first, body.last):
            member = tokens[token - 1].text in (".", "->")
            if token not in self.kernel.symbols and not member:
                yield tokens[token].text

    def needed(self, symbols: set[Symbol]) -> list[PreludeItem]:
        """Declarations of the prelude that the symbols need, in order."""
        wanted = set(symbols)
        needed: list[PreludeItem] = []
        for item in reversed(self.kernel.body.prelude):
            if item.guard is None and not item.opening and self._gives(item) & wanted:
                needed.append(item)
                wanted |= set(self.named(range(item.statement.first, item.statement.last + 1)))
        return needed[::-1]

    def _gives(self, item: PreludeItem) -> set[Symbol]:
        """The variables that a statement of the prelude declares or assigns."""
        declared = {self.kernel.symbols[d.token] for d in item.declarations}
        if declared:
            return declared
        return {self.kernel.symbols[item.statement.first]}  # `i = get_global_id(0);`

    def guard_symbols(self) -> set[Symbol]:
        """Named by the guards, if this stage's text is used for them."""
        found: set[Symbol] = set()
        guards = [item for item in self.kernel.body.prelude if item.guard is not None]
        for first, last in (each for item in guards for part in item.parts for each in part):
            found |= set(self.named(range(first, last + 1)))
        return found
