"""The text of functions of one item: what its stages make there, or do there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kfusion.graph.again import result_of
from kfusion.graph.bind import Stage
from kfusion.graph.levels import Key
from kfusion.graph.model import Again, Group, Marching
from kfusion.graph.unify import Equalities
from kfusion.graph.values import GroupValues
from kfusion.kernel.forms import GLOBAL_ID, Atom, Form, Id, form_of
from kfusion.source.lexer import between_commas, tokenize
from kfusion.synthesis.again import FUNCTION, INSIDE, ITEM_NAMES, Function, ItemParameter
from kfusion.synthesis.layout import realigned
from kfusion.synthesis.names import Names, identifier, uncommented
from kfusion.synthesis.negate import negated
from kfusion.synthesis.rows import Kept, Rows
from kfusion.synthesis.signature import signature
from kfusion.synthesis.unused import names_of
from kfusion.synthesis.usage import StageUse
from kfusion.synthesis.writer import Writer, parameters_of_memory

_SMALL = 32  # bytes that a function loads
_LEAVES = "makes, or leaves in memory,"


class FunctionWriter(Writer):
    """Of what the stages up to one make for one item: what the last one stores to the memory. Or,
    without a memory, of all that they do."""

    def __init__(
        self,
        stages: list[Stage],
        values: GroupValues,
        equalities: Equalities,
        name: str,
        group: Group,
        exact: bool,
        functions: Mapping[Key, Function],
        key: Key,
        *,
        written_out: bool,
        taken: frozenset[str],
        kept: Kept | None = None,
    ) -> None:
        # A call may stand where a variable of the reader hides other names.
        kernels = (stage.invocation.kernel for stage in stages)
        self.around = {symbol.name for kernel in kernels for symbol in kernel.symbols.values()}
        producer, memory = key
        before = stages[: producer + 1]
        super().__init__(
            before,
            values,
            equalities,
            name,
            group,
            exact,
            functions,
            parameters_of_memory(stages),
            result_of(before, values, memory) if memory else None,
            written_out=written_out,
            taken=taken,
            kept=kept,
            guarded=not memory and kept is not None and kept.level.guarded and not kept.inside,
        )
        # In strips it is enough that the kernel says so, and Oclgrind runs no function that does.
        self.apart = isinstance(group.tiles, Marching)
        self.item_ids = self._item_ids()
        self.positions = self._positions()
        reads = (each for each in group.again if (each.producer, each.memory) == key)
        self.below = sorted({d for each in reads for d in each.below})

    def _item_ids(self) -> tuple[str, ...]:
        """What a function calls the ids of its item: as its stages do, if they are `int`s."""
        found: list[str] = []
        for d in range(self.uses[-1].stage.range.dimensions):
            own = form_of(Id(GLOBAL_ID, d))
            names = [
                declared.name
                for use in reversed(self.uses)
                for item in use.kernel.body.prelude
                for declared in item.declarations
                if use.live and declared.form == own and declared.type == "int"
            ]
            wanted = [n for n in names if n not in self.variables.declared]
            name = wanted[0] if wanted else self.names.new(ITEM_NAMES[d])
            self.variables.declared.add(name)
            self.shared.append(("int", (own,), name, 0))
            found.append(name)
        return tuple(found)

    def _positions(self) -> tuple[str, ...]:
        """What a function calls its place in rows: where they wrap around, that may be beside
        what there is, and the item is one from the other end."""
        around = self.kept is not None and not self.kept.inside
        periods = self.kept.level.periods if self.kept is not None and around else ()
        found = list(self.item_ids)
        for d, period in enumerate(periods):
            if period is not None:
                found[d] = self.names.new(f"at_{self.item_ids[d]}")
                self.variables.declared.add(found[d])
        return tuple(found)

    def _wrap_around(self) -> None:
        """Declares the ids of the item that is at the place, as far as they are used."""
        named = self.hidden.union(names_of(self.out.lines))
        lines: list[str] = []
        for d, (item, place) in enumerate(zip(self.item_ids, self.positions, strict=True)):
            period = self.kept.level.periods[d] if self.kept is not None else None
            if item != place and item in named and period is not None:
                of = self.text_of_numbers().of(period)
                rest = f"{place} % {of}"
                text = f"const int {item} = {rest} + ({rest} < 0 ? {of} : 0);"
                lines.append(f"{self.out.indent}{text}")
        self.out.lines[:0] = lines

    def _call(self, use: StageUse, each: Again) -> str:
        kept, place = self.kept, (use.number, each.access)
        if kept is None or self.positions == self.item_ids:
            return super()._call(use, each)
        straight, text = kept.level.straight[place], self._text(use, each.access)
        assert not isinstance(straight, Form)
        around = [a is not None for a in kept.level.periods]
        forms = [s if a else p for s, p, a in zip(straight, each.point, around, strict=True)]
        placed: dict[Atom, str] = {Id(GLOBAL_ID, d): at for d, at in enumerate(self.positions)}
        name = text.name
        text = replace(text, name=lambda atom: placed.get(atom) or name(atom))
        return kept.rows[each.producer, each.memory].at(*map(text.of, forms))

    def _as_before(self, use: StageUse, store: int) -> None:
        """Where no item of the stage is: what the memory holds."""
        for item in use.kernel.body.prelude:
            if item.guard is None and item in use.needed(use.guard_symbols()):
                self._declaration(use, item)
                use.written.append(item)
        if self.below:
            before = " || ".join(f"{self.item_ids[d]} < 0" for d in self.below)
            self.out.add(f"if ({before}) return {self._element(use, store)};")
        for item in use.kernel.body.prelude:
            if item.guard is not None and item.statement.header is not None:
                first, last = item.statement.header[0] + 1, item.statement.header[1] - 1
                writer = self._writer(use)
                leaves = writer.text(first, last)
                if not item.early_return:
                    changes = writer.renames(first, last)
                    leaves = negated(self.renderer, first, last, changes, exact=True)
                self.out.add(f"if ({leaves}) return {self._element(use, store)};")

    def _element(self, use: StageUse, store: int) -> str:
        """What it stores to, in ids of the item: the stage's text may mean it under its guards
        only."""
        access, form = use.kernel.accesses[store], use.stage.access(store).form
        assert form is not None
        buffer = self.variables.parameter_symbol(use, access)
        index = self.text_of_numbers(use).index(self.equalities.form(form))
        return f"{self.symbols[use.number][buffer]}[{index}]"

    def function(self, *, outside: bool) -> Function:
        """What the last stage stores to the memory, for an item that is given by its ids.

        `outside`: or what is there, if the stage has no such item.
        """
        live = self._begin()
        result = self.returned
        assert result is not None
        if outside:
            self._as_before(self.uses[result[0]], result[1])
        last, number = result
        value = self.uses[last].places[number].value
        assert value is not None
        front = len(self.out.lines)
        self._stages(live)
        self._declare_carried([use.number for use in live], front)
        variable = self.variables.of_values[value]
        if value in self.rounded.values:
            self.out.add(f"if (get_work_dim() > 3) {variable} = {self._zero(value)}; /* never */")
        self._return(variable)
        return self._function(live, "makes", self._hint)

    def _return(self, variable: str) -> None:
        """The variable, or what it would be only declared for."""
        plain = f"{self.out.indent}{self._returns} {variable} = "
        constant = f"{self.out.indent}const {plain.lstrip()}"
        starts = (plain, constant)
        at = [n for n, line in enumerate(self.out.lines) if line.startswith(starts)]
        last = "\n".join(self.out.lines[at[0] :]) if at else ""
        tokens = tokenize(last)
        alone = [t.text for t in tokens].count(";") == 1 and tokens[-1].text == ";"
        if not alone or len(between_commas(tokens, -1, len(tokens) - 1)) > 1:
            self.out.add(f"return {variable};")
            return
        declared = constant if last.startswith(constant) else plain
        returned = last.replace(declared, f"{self.out.indent}return ", 1)
        self.out.lines[at[0] :] = realigned(returned, last).split("\n")

    def whole(self) -> Function:
        """What the stages do for an item."""
        live = self._begin()
        if self.guarded:
            self._blocks()
        else:
            front = len(self.out.lines)
            self._stages(live)
            self._declare_carried([use.number for use in live], front)
        return self._function(live, "does", "_".join(self._kernels(live)))

    def or_before(self, rows: Rows) -> Function:
        """What rows hold of the item, or memory does, if the stage has no such item."""
        assert self.returned is not None
        last, number = self.returned
        self.uses[last].again = {}  # of its text guards are written, and the element
        self._as_before(self.uses[last], number)
        self.out.add(f"return {rows.at(*self.item_ids)};")
        return self._function([self.uses[last]], _LEAVES, self._hint, (rows,))

    @property
    def _hint(self) -> str:
        assert self.returned is not None
        last, number = self.returned
        access = self.uses[last].kernel.accesses[number]
        hint = self.uses[last].stage.arguments[access.parameter].hint
        return identifier(hint, hint)

    def _begin(self) -> list[StageUse]:
        live = [use for use in self.uses if use.live]
        for use in live:
            for item in use.samplers:
                self._declaration(use, item)
                use.written.append(item)
        return live

    def _stages(self, live: list[StageUse]) -> None:
        for use in live:
            if len(live) > 1:
                self._open_block(use, labelled=True)
            self._stage(use, is_first=False)

    @staticmethod
    def _kernels(live: list[StageUse]) -> list[str]:
        return list(dict.fromkeys(use.kernel.name for use in live))

    def _function(
        self, live: list[StageUse], does: str, hint: str, rows: tuple[Rows, ...] | None = None
    ) -> Function:
        if self.kept is not None and rows is None:
            hint = "_".join(self._kernels(live))
            self._wrap_around()
        suffix = INSIDE if self.kept is not None and self.kept.inside else FUNCTION
        name = Names(self.names.taken | self.around).new(f"{hint}{suffix}")
        self.leave_out_unused()
        named = self.hidden.union(names_of(self.out.lines))
        ids = tuple(d for d, each in enumerate(self.positions) if each in named)
        given = self.used_parameters()
        if rows is None and self.kept is not None:
            rows = tuple(self.kept.rows[key] for key in self.kept.level.reads)
        places = rows[0].places if rows else ()
        head = signature(
            self.style,
            name,
            [
                *(f"const int {self.positions[d]}" for d in ids),
                *(each.parameter for each in rows or ()),
                *(f"const int {each}" for each in places),
                *(p.text for p in given),
            ],
            returns=self._returns,
        )
        calls = ", ".join(" ".join(use.stage.invocation.label.split()) for use in live)
        title = f"what {calls} {does} for one item" if len(live) == 1 else "for one item"
        if self.kept is not None and does != _LEAVES:
            title = f"{', '.join(self._kernels(live))} for one item"
        title += ", away from borders" * (suffix == INSIDE)
        if self._is_in_long_loops:
            head = f"__attribute__((always_inline))\n{head}"
        labels = f"/* {uncommented(title)} */"
        canonical = {p.name: self.parameters.named[p.name][0].parameter.canonical for p in given}
        return Function(
            name,
            "\n".join([labels, head, *self.out.lines, "}"]),
            self.body,
            ids,
            tuple(ItemParameter(p, canonical[p.name]) for p in given),
            bool(self.renderer.called),
            (*(each.name for each in rows or ()), *places),
        )

    @property
    def _is_in_long_loops(self) -> bool:
        """In those of strips: they become vector operations only if there is no call in them. What
        is small compilers put there by themselves, and later, which is a third quicker."""
        if self.kept is None or self.apart or (self.kept.level.split and not self.kept.inside):
            return False
        level = self.kept.level
        return sum(level.loads.values()) + level.kept > _SMALL

    @property
    def _returns(self) -> str:
        if self.returned is None:
            return "void"
        last, number = self.returned
        return self.uses[last].type_of(self.uses[last].kernel.accesses[number])
