"""The text of a fused kernel.

Before: the kernels of a group, as their author wrote them. After: one kernel with

- one parameter for each memory object and scalar that it still needs;
- index declarations and guards that the stages share, once;
- the stages' statements in order, each value loaded once and kept in a variable,
  observed values stored once;
- the house style of the first kernel.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from textwrap import wrap

from kfusion.graph.bind import Stage
from kfusion.graph.model import Again, Group, InRows, Scalar, Shifted
from kfusion.graph.pauses import carried
from kfusion.graph.rounding import folded_constants, rounded
from kfusion.graph.several import dimension_of
from kfusion.graph.unify import Equalities
from kfusion.graph.values import GroupValues, Value
from kfusion.kernel.forms import (
    GLOBAL_ID,
    STRIDED_ID,
    Atom,
    Form,
    Id,
    LoopVariable,
    form_of,
    part_called,
)
from kfusion.kernel.forms import Value as ScalarValue
from kfusion.kernel.model import Declaration, PreludeItem, Symbol
from kfusion.kernel.rounds import short_loops
from kfusion.kernel.surroundings import macros_of
from kfusion.kernel.types import INTEGERS
from kfusion.parse.statements import Statement
from kfusion.parse.unit import Unit
from kfusion.source.lexer import between_commas, tokenize
from kfusion.source.protections import is_on, protection
from kfusion.synthesis.again import (
    Function,
    ItemParameter,
    PointText,
    small_ones,
)
from kfusion.synthesis.copies import find_copies
from kfusion.synthesis.hoist import declared_in, hoisted_copies
from kfusion.synthesis.layout import broken
from kfusion.synthesis.model import FusedKernel, FusedParameter
from kfusion.synthesis.names import Names, file_names, plus, uncommented
from kfusion.synthesis.negate import negated
from kfusion.synthesis.parameters import Parameters
from kfusion.synthesis.render import Renderer, reindented
from kfusion.synthesis.rows import Kept
from kfusion.synthesis.several import ID_OF_ITEM, ItemFunction, write_calls
from kfusion.synthesis.signature import Bound, Style, signature
from kfusion.synthesis.statements import Lines, StatementWriter
from kfusion.synthesis.storage import shared_arrays
from kfusion.synthesis.unused import names_of, without_unused
from kfusion.synthesis.usage import StageUse
from kfusion.synthesis.variables import Variables

STORAGE = protection("storage", "nobody reads a local array any more when it is written again")
_COMPARED = re.compile(r"(\(\w+\))?\w+ <=? \w+|\w+ >=? (\(\w+\))?\w+")


def declarators(unit: Unit, item: PreludeItem) -> list[tuple[int, int]]:
    """The tokens of each variable of a declaration; none if they cannot be told apart."""
    first, end = item.declarations[0].token if item.declarations else 0, item.statement.last
    tokens = unit.tokens[item.statement.first : end]
    if not first or any(t.start < 0 for t in tokens) or any(t.text == "*" for t in tokens):
        return []
    found = [(part.start, part.stop - 1) for part in between_commas(unit.tokens, first - 1, end)]
    return found if len(found) == len(item.declarations) else []


def parameters_of_memory(stages: Sequence[Stage]) -> dict[str, list[Bound]]:
    found: dict[str, list[Bound]] = {}
    for stage in stages:
        for parameter, memory in stage.buffers:
            found.setdefault(memory.name, []).append(Bound(parameter, memory, used=True))
    return found


class Writer:
    def __init__(
        self,
        stages: list[Stage],
        values: GroupValues,
        equalities: Equalities,
        name: str,
        group: Group,
        exact: bool,
        functions: Mapping[tuple[int, str], Function],
        alike: Mapping[str, Sequence[Bound]],
        returned: tuple[int, int] | None = None,
        *,
        written_out: bool,
        taken: frozenset[str] = frozenset(),
        kept: Kept | None = None,
        guarded: bool = True,
    ) -> None:
        """`alike`: of memory that functions are given, too, all parameters that it is.
        `returned`: the store of what a function returns. `guarded`: the text asks whether there
        is something to do."""
        self.functions, self.returned, self.kept = functions, returned, kept
        self.guarded = guarded
        straight = kept.level.straight if kept is not None and kept.inside else {}
        loads = kept.loads if kept is not None else {}
        self.straight = {
            key: form for key, form in straight.items() if isinstance(form, Form) or key in loads
        }
        self.rounded = (
            rounded(stages, values, returned) if exact else folded_constants(stages, values)
        )
        self.waiting = {n for n, s in enumerate(stages) if s.invocation.index in group.barriers}
        self.values, self.equalities, self.name = values, equalities, name
        self.elements, self.by_group = group.elements, group.by_group
        self.apart = group.tiles is not None  # no two of its buffers share memory
        self.item = ID_OF_ITEM if self.elements > 1 else ""
        self.last: dict[int, str] = {}  # by dimension, the id of a group's last item
        self.bound: tuple[StageUse, PreludeItem] | None = None  # the guard of several items
        first = stages[0].invocation.kernel
        self.unit = first.unit
        self.renderer = Renderer(self.unit, written_out=written_out)
        self.style = Style.of([stage.invocation.kernel for stage in stages], self.renderer)
        self.uses = [
            StageUse(
                n,
                stage,
                values,
                direct=stage.invocation.index in group.direct,
                again=[each for each in group.again if each.reader == n],
                straight=[a for number, a in self.straight if number == n],
            )
            for n, stage in enumerate(stages)
        ]
        self.loops = [short_loops(use.kernel, group.unrolled) for use in self.uses]
        self.pauses = {n for n, s in enumerate(stages) if s.invocation.index in group.pauses}
        self.carried = frozenset(v for number in self.pauses for v in carried(values, number))
        for block in values.blocks if guarded else ():
            if stages[block.stages[0]].guards:
                before = carried(values, block.stages[0])
                self.carried |= carried(values, block.stages[-1] + 1) - before
        self.carried |= values.assigned_only
        apart = self.carried | self.rounded.values | self.rounded.folded
        self.copies = [find_copies(use, apart) for use in self.uses]
        early = self.uses[1 : min(self.waiting, default=len(self.uses))]
        self.early = {use.number: hoisted_copies(use) for use in early}
        filled_early = {n for n, found in self.early.items() if found}
        filled_early |= {use.number for use in self.uses[1:] if use.opening}
        self.arrays = shared_arrays(self.uses, filled_early)
        self.out = Lines(self.style.indent)
        self.symbols: list[dict[Symbol, str]] = [{} for _ in stages]
        self.shared: list[
            tuple[str, tuple[Form, ...], str, int]
        ] = []  # index variables in scope, how deep
        self.work: list[str] = []  # the lines of the stages, for the order of parameters
        locals_ = {s.name for use in self.uses for s in self._own_variables(use)}
        written = (function.name for function in functions.values())
        self.in_file = file_names(self.unit)
        self.names = Names([*self.in_file, name, *locals_, *written, *taken])
        self.parameters = Parameters(
            self.uses, equalities, self.renderer, self.style, self.names, self.symbols, alike
        )
        last = max((use.number for use in self.uses if use.live), default=0)
        self.ends = [
            self.names.new(f"{use.kernel.name}_done")
            if (use.number != last or returned is not None) and use.kernel.body.leaves
            else ""
            for use in self.uses
        ]
        self.variables = Variables(
            self.uses, self.copies, self.names, self.symbols, self.parameters.named
        )
        self.item_ids: tuple[str, ...] = ()  # of a function

    @property
    def calls_macros(self) -> bool:
        functions = self.functions.values()
        return bool(self.renderer.called) or any(f.calls_macros for f in functions)

    @property
    def all_bodies(self) -> str:
        return "\n".join([*(f.body for f in self.functions.values()), self.body])

    @property
    def hidden(self) -> set[str]:
        """Variables that macros name in what has been written, and no text shows."""
        return {
            self.symbols[use.number].get(symbol, symbol.name)
            for use in self.uses
            for token, symbol in use.kernel.symbols.items()
            if token in self.renderer.from_macros
        }

    def _call(self, use: StageUse, each: Again) -> str:
        """Of the function that makes the element which the stage reads."""
        key, text, kept = (each.producer, each.memory), self._text(use, each.access), self.kept
        if kept is not None and kept.inside:
            straight = kept.level.straight[use.number, each.access]
            assert not isinstance(straight, Form)
            return kept.rows[key].of(straight, text)
        point = [text.item(form) for form in each.point]
        if kept is not None and not each.outside:
            return kept.rows[key].at(*point)
        function = self.functions[key]
        given = map(self.given, function.parameters)
        return function.called(point, [*function.rows, *given])

    def _text(self, use: StageUse, access: int) -> PointText:
        """For numbers in ids of the stage, where the access is."""
        return self.text_of_numbers(use, small_ones(use.stage.access(access).facts))

    def text_of_numbers(
        self, use: StageUse | None = None, small: frozenset[Atom] = frozenset()
    ) -> PointText:
        """`use`: in whose ids they are, if they are in ids."""
        minimum = not {"min", "max"} & self.names.taken
        return PointText(lambda atom: self._word(use or self.uses[0], atom), small, minimum)

    def _elements(self, use: StageUse) -> dict[int, str]:
        """Loads with their index written anew, by first token."""
        found: dict[int, str] = {}
        for (number, position), form in self.straight.items():
            access = use.kernel.accesses[position] if number == use.number else None
            if access is None:
                continue
            text = self._text(use, position)
            if isinstance(form, Form):
                array = self.symbols[use.number][self.variables.parameter_symbol(use, access)]
                found[access.first] = f"{array}[{text.index(form)}]"
            elif self.kept is not None:
                rows = self.kept.rows[self.kept.loads[number, position]]
                found[access.first] = rows.of(form, text)
        return found

    def element(self, stage: int, access: int, ids: Sequence[str], form: Form | None = None) -> str:
        """What the stage accesses, for the item that is given by its ids; or another element."""
        use, bound = self.uses[stage], self.uses[stage].stage.access(access)
        form = form or bound.form
        assert form is not None
        before = self.shared
        self.shared = [("int", (form_of(Id(GLOBAL_ID, d)),), i, 0) for d, i in enumerate(ids)]
        index = self.text_of_numbers(use).index(self.equalities.form(form))
        self.shared = before
        buffer = self.variables.parameter_symbol(use, bound.access)
        return f"{self.symbols[use.number][buffer]}[{index}]"

    def given(self, wanted: ItemParameter) -> str:
        """The parameter here that a function's is given."""
        argument = wanted.parameter.argument
        if isinstance(argument, Scalar):
            return self._named(argument.name, wanted.canonical)
        named = self.parameters.named.items()
        return next(name for name, (first, *_) in named if first.argument == argument)

    def _word(self, use: StageUse, atom: Atom) -> str:
        """What stands for an id, a scalar or a variable of a loop in the stage's text."""
        if isinstance(atom, Id):
            known = {t: n for t, f, n, _ in reversed(self.shared) if f == (form_of(atom),)}
            if atom.kind == STRIDED_ID:  # only the loop has it
                return known.get("int") or f"(int){next(iter(known.values()))}"
            return known.get("int") or f"(int){atom}"
        if isinstance(atom, LoopVariable):
            named = ((t, s) for t, s in use.kernel.symbols.items() if s.name == atom.name)
            symbol = min((t, s) for t, s in named if t > atom.token)[1]
            return self.symbols[use.number].get(symbol, symbol.name)
        assert isinstance(atom, ScalarValue)
        name = self._named(atom.name, atom.whole or atom.type) + atom.part
        return name if INTEGERS[atom.type][0] > 16 else f"(int){name}"  # min() wants one type

    def _own_parameters(self, use: StageUse) -> None:
        """Variables for the parameters that the stage changes: others need what they were."""
        symbols = {s.name: s for s in use.kernel.symbols.values() if s.parameter}
        for name in sorted(use.kernel.changed):
            shared = self.symbols[use.number][symbols[name]]
            wanted = f"{name}_of_{use.kernel.name}"
            own = self.names.new(wanted, wanted)
            self.out.add(f"{self.parameters.text(shared, own, self.rounded)} = {shared};")
            self.symbols[use.number][symbols[name]] = own

    def kernel(self) -> FusedKernel:
        for use in self.uses:
            self._own_parameters(use)
        for use in self.uses:
            for item in use.samplers:
                self._declaration(use, item)
                use.written.append(item)
        for number in self.early:
            self._hoist(self.uses[number])
        self._blocks()
        text, parameters = self._several() if self.elements > 1 else self._one()
        return self.made(text, parameters)

    def _blocks(self) -> None:
        for block in self.values.blocks:
            first = block.stages[0]
            if first in self.waiting:
                fences = " | CLK_LOCAL_MEM_FENCE" if self.arrays[first] else ""
                self.out.blank()
                self.out.add(f"barrier(CLK_GLOBAL_MEM_FENCE{fences});")
            numbers = [n for n in block.stages if self.uses[n].live]
            if numbers:
                self._block(numbers, alone=len(self.values.blocks) == 1)

    def made(self, text: str, parameters: tuple[FusedParameter, ...]) -> FusedKernel:
        text = "\n\n".join([*(f.text for f in self.functions.values()), text])
        pins = tuple(dict.fromkeys(p for u in self.uses for p in u.kernel.pins))
        if pins:
            text = f"#if {' && '.join(pins)}\n{text}\n#endif"
        functions = tuple(function.name for function in self.functions.values())
        return FusedKernel(self.name, broken(text), parameters, pins, self.elements, functions)

    @property
    def body(self) -> str:
        return "\n".join(self.out.lines)

    def _one(self) -> tuple[str, tuple[FusedParameter, ...]]:
        self.leave_out_unused()
        parameters = self.used_parameters()
        head = signature(self.style, self.name, [p.text for p in parameters])
        return "\n".join([self.title("in one kernel"), head, *self.out.lines, "}"]), parameters

    def _several(self) -> tuple[str, tuple[FusedParameter, ...]]:
        """A function for one item, and the kernel that calls it for several."""
        self.leave_out_unused()
        needed = self.used_parameters()
        item = ItemFunction.of(self.name, self.out.lines, self.names)
        assert all(t.text != "get_global_id" for line in item.lines for t in tokenize(line))
        function = [
            self.title("for one item"),
            item.head(self.style, needed),
            *item.lines,
            "}",
        ]
        names = Names([*self.in_file, *self.parameters.named])
        items = names.new("items")
        out = Lines(self.style.indent)
        write_calls(
            out,
            lambda index: item.call(index, needed, self.style.indent),
            self._bound_of,
            self.elements,
            items,
            self.style,
            names,
        )
        self.work += out.lines
        parameters = self.used_parameters()
        head = [*(p.text for p in parameters), f"const ulong {items}"]
        kernel = [
            self.title(f"in one kernel; an item does the work of {self.elements}"),
            signature(self.style, self.name, head),
            *out.lines,
            "}",
        ]
        return "\n".join([*function, "", *kernel]), parameters

    def _bound_of(self, name: str) -> str:
        """The guard of all stages, for the item that is called so."""
        if self.bound is None:
            return ""
        use, guard = self.bound
        self.item = name
        condition = self._condition_for(use, guard, [name])
        return f" && {condition}" if _COMPARED.fullmatch(condition) else f" && ({condition})"

    def _condition_for(self, use: StageUse, guard: PreludeItem, ids: Sequence[str]) -> str:
        """The guard for an item of these ids, by dimension."""
        types = {
            use.kernel.symbols[d.token]: d.type
            for item in use.kernel.body.prelude
            for d in item.declarations
        }
        before = dict(self.symbols[use.number])
        for symbol in use.guard_symbols() & types.keys():
            dimension = dimension_of(use.kernel, symbol)
            assert dimension is not None
            cast = "" if types[symbol] in ("size_t", "ulong") else f"({types[symbol]})"
            self.symbols[use.number][symbol] = cast + ids[dimension]
        condition = self._condition(use, guard)
        self.symbols[use.number] = before
        return condition

    def _of_group(self, use: StageUse, guard: PreludeItem) -> str:
        """The guard, first asked of the last item of the group: then it holds for all."""
        for symbol in sorted(use.guard_symbols(), key=lambda s: s.token):
            d = None if symbol.parameter else dimension_of(use.kernel, symbol)
            if d is None or d in self.last:
                continue
            wanted = f"last_{self.symbols[use.number].get(symbol, symbol.name)}"
            name = self.last[d] = self.names.new(wanted)
            text = f"get_global_id({d}) - get_local_id({d}) + get_local_size({d}) - 1"
            self.out.add("/* the last of the item's group */")
            self.out.add(f"const size_t {name} = {text};")
        whole = self._condition_for(use, guard, [self.last.get(d, "") for d in range(3)])
        both = (whole, self._condition(use, guard))
        return " || ".join(c if _COMPARED.fullmatch(c) else f"({c})" for c in both)

    def title(self, what: str) -> str:
        names = [use.kernel.name for use in self.uses]
        joined = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
        return "\n   ".join(wrap(f"/* {joined} {what} */", 96))

    def _own_variables(self, use: StageUse) -> set[Symbol]:
        """Local variables that keep a name of their own."""
        reloads = {copy.variable for copy in self.copies[use.number].reloads.values()}
        return {s for s in use.symbols if not s.parameter} - reloads

    def leave_out_unused(self) -> None:
        """But nothing where macros are called: what they write out names as much as they do."""
        lines, defined = [*self.work, *self.out.lines], self.in_file
        macros = macros_of(self.unit, list(names_of(lines)))
        history = (each for name in macros for _, each in self.unit.macros.history[name])
        if self.renderer.called or any(m and re.search(r"[{}]|<%|%>", m.body) for m in history):
            return
        hidden = self.hidden
        self.out.lines[:] = without_unused(self.out.lines, hidden, defined)
        self.work = without_unused(self.work, hidden, defined)

    def used_parameters(self) -> tuple[FusedParameter, ...]:
        lines = [*self.work, *self.out.lines]
        restrict = self.elements > 1 or self.apart
        return self.parameters.used(lines, self.values, self.rounded, restrict=restrict)

    # Guards and stages

    def _hoist(self, use: StageUse) -> None:
        """Asynchronous copies that a later stage begins with start before the first stage."""
        for item in use.copies_first:
            self._open(use, item)
        for index in self.early[use.number]:
            self._as_written(use, use.kernel.body.statements[index])
            use.live.remove(index)

    def _as_written(self, use: StageUse, statement: Statement) -> None:
        """A statement that no value moves into or out of, with the declarations it needs."""
        for item in use.needed(set(use.named(range(statement.first, statement.last + 1)))):
            if item not in use.written:
                self._declaration(use, item)
                use.written.append(item)
        for symbol in declared_in(use, statement):
            self.symbols[use.number][symbol] = self.variables.local_name(symbol)
        text = self._writer(use).text(statement.first, statement.last, whole=True)
        old = self.renderer.indent_of(statement.first)
        self._comments(statement.first)
        self.out.add(reindented(text, old, self.out.indent))

    def _block(self, numbers: list[int], *, alone: bool) -> None:
        """Stages under the same guards; `alone`: the only block, so it may return early."""
        out = self.out
        uses = [self.uses[number] for number in numbers]
        first = next((use for use in uses if use.stage.frame is None), uses[0])
        own = first.stage.frame is None  # else no text has the guard
        depth = out.depth
        alone = alone and not self.pauses & set(numbers)
        labelled = not alone and len(numbers) == 1  # the label stands above the guard
        if labelled and not first.kernel.body.guards:
            self._open_block(first, labelled=True)
        self._take_places(first)
        for number in numbers:
            for item in self.uses[number].copies_first:
                self._open(self.uses[number], item)
        for number in numbers:
            for item in self.uses[number].opening:
                self._open(self.uses[number], item)
        needed = first.needed(first.symbols | (first.guard_symbols() if own else set()))
        front: int | None = None  # where the lines of the guard begin
        if not own:
            front = self._open_window(first, labelled=labelled)
        for item in first.kernel.body.prelude:
            if item.guard is not None and own:
                front = len(out.lines) if front is None else front
                if not alone and out.depth == depth:
                    self._open_block(first, labelled=labelled)
                self._guard(first, item, early=alone)
            elif item.guard is None and item in needed and item not in first.written:
                self._declaration(first, item)
        front = len(out.lines) if front is None else front
        for number in numbers:
            use = self.uses[number]
            if number in self.pauses:
                self._pause(first, depth)
            if not labelled:
                self._open_block(use, labelled=True)
            self._stage(use, is_first=use is first)
        self._close(depth)
        self._declare_carried(numbers, front)

    def _open_window(self, use: StageUse, *, labelled: bool) -> int:
        """Returns where its lines begin."""
        condition, front = self._window(use), len(self.out.lines)
        if condition:
            if not labelled or use.kernel.body.guards:
                self._open_block(use, labelled=labelled)
            front = len(self.out.lines)
            self.out.add(f"if ({condition}){self.style.opening(self.out.indent)}")
            self.out.depth += 1
        return front

    def _window(self, use: StageUse) -> str:
        """Of items of the frame, which of them one of the stage's items is."""
        parts: list[str] = []
        placement = use.stage.placement
        if isinstance(placement, InRows):
            ends = [(b.dimension, self._named(b.scalar, b.type)) for b in placement.extents]
            parts += [f"get_global_id({d}) < {end}" for d, end in ends]
        if isinstance(placement, Shifted):
            for d, (by, extent) in enumerate(zip(placement.by, placement.extents, strict=True)):
                first, end = extent.first + by, self._named(extent.scalar, extent.type)
                parts += [f"get_global_id({d}) >= {first}"] if first > 0 else []
                parts.append(f"get_global_id({d}) < {end}{plus(extent.more + by)}")
        return " && ".join(parts)

    def _named(self, scalar: str, type_: str) -> str:
        """The fused kernel's parameter, or a part of one."""
        leader = self.equalities.leader(scalar)
        part = part_called(leader)
        if part is not None and part.type == type_:
            return self._named(part.name, part.whole) + part.part
        return next(
            name
            for name, (first, *_) in self.parameters.named.items()
            if isinstance(first.argument, Scalar)
            and self.equalities.leader(first.argument.name) == leader
            and first.parameter.canonical == type_
        )

    def _ids(self, use: StageUse) -> dict[int, str]:
        """By dimension what stands for the stage's global id, if it is another item's."""
        placement = use.stage.placement
        if self.item_ids:
            return {d: f"((size_t){name})" for d, name in enumerate(self.item_ids)}
        if isinstance(placement, Shifted):
            steps = enumerate(placement.by)
            return {d: f"(get_global_id({d}){plus(-by)})" for d, by in steps if by}
        if placement is None:
            return {0: self.item} if self.item else {}
        text = ""
        for d in reversed(range(use.stage.range.dimensions)):
            bounds = placement.extents[d : d + 1]
            side = next((self._named(b.scalar, b.type) for b in bounds), f"get_global_size({d})")
            row = f"({text})" if " + " in text else text
            text = f"{row} * {side} + get_global_id({d})" if text else f"get_global_id({d})"
        return {0: f"({text})"}

    def _pause(self, first: StageUse, depth: int) -> None:
        """All items wait; then the guard of the block begins again."""
        out = self.out
        self._close(depth)
        out.blank()
        out.add("barrier(CLK_LOCAL_MEM_FENCE); /* each part is quicker in a loop of its own */")
        for item in first.kernel.body.prelude:
            if item.guard is not None:
                out.blank()
                self._guard(first, item, early=False)

    def _declare_carried(self, numbers: Sequence[int], front: int) -> None:
        """In front of the guard: the variables that go over a pause, or on to another block."""
        types: dict[str, str] = {}  # stages may spell one type in two ways
        known = {p.value for use in self.uses[: numbers[0]] for p in use.places.values()}
        for use in (self.uses[n] for n in numbers):
            for number, place in use.places.items():
                if place.value in self.carried - known:
                    type_ = use.type_of(use.kernel.accesses[number])
                    types.setdefault(self.variables.of_values[place.value], type_)
        names = {type_: [n for n, t in types.items() if t == type_] for type_ in types.values()}
        lines = [f"{self.out.indent}{type_} {', '.join(same)};" for type_, same in names.items()]
        self.out.lines[front:front] = lines

    def _close(self, depth: int) -> None:
        """End the blocks that are deeper."""
        while self.out.depth > depth:
            self.out.depth -= 1
            self.out.add("}")
        self.shared = [entry for entry in self.shared if entry[3] <= depth]

    def _open(self, use: StageUse, item: PreludeItem) -> None:
        if item not in use.written:
            self._as_written(use, item.statement)
            use.written.append(item)

    def _open_block(self, use: StageUse, *, labelled: bool) -> None:
        self.out.blank()
        if labelled:
            label = " ".join(use.stage.invocation.label.split())
            self.out.add(f"/* {uncommented(label)} */")

    def _stage(self, use: StageUse, *, is_first: bool) -> None:
        self._take_places(use)
        needed = [] if is_first else use.needed(use.symbols)
        for item in use.kernel.body.prelude:
            if item in use.written:
                continue
            if item in needed:
                self._declaration(use, item)
            elif item.declarations:
                self._share(use, item)  # values may be named after them
        self.variables.name_values(use)
        self.variables.name_locals(use)
        for value in self.rounded.before.get(use.number, ()):
            name, zero = self.variables.of_values[value], self._zero(value)
            self.out.add(f"if (get_work_dim() > 3) {name} = {zero}; /* never */")
        shares = self.arrays[use.number] and is_on(STORAGE)
        if shares and use.number not in self.waiting:
            self.out.add("barrier(CLK_LOCAL_MEM_FENCE);")
        start = len(self.out.lines)
        self._writer(use).write(self.out)
        self.work += self.out.lines[start:]

    def _zero(self, value: Value) -> str:
        if value.type.rstrip("0123456789") in ("float", "double", "half"):
            return "0"
        bounds = (b for each in self.parameters.named.values() for b in each)
        own = next(b.parameter for b in bounds if b.argument.name == value.memory)
        return f"({own.type}){{0}}"

    def _writer(self, use: StageUse) -> StatementWriter:
        names = self.symbols[use.number]
        copies = self.copies[use.number]
        return StatementWriter(
            use,
            self.renderer,
            names,
            self.variables.of_values,
            copies,
            self.style,
            self.rounded,
            self.carried,
            frozenset(symbol.token for symbol in self.arrays[use.number]),
            self._ids(use),
            self.loops[use.number],
            self.ends[use.number],
            {n: self._call(use, each) for n, each in use.again.items()},
            self._elements(use),
        )

    def _guard(self, use: StageUse, item: PreludeItem, *, early: bool) -> None:
        statement, out = item.statement, self.out
        if self.elements > 1:
            self.bound = use, item
            return
        self._comments(item.statement.first)
        by_group = self.by_group and not item.declarations
        if early and item.early_return and not by_group:
            text = self._writer(use).text(statement.first, statement.last)
            out.add(reindented(text, self.renderer.indent_of(statement.first), out.indent))
            return
        for declaration in item.declarations:  # of a loop over the range
            symbol = use.kernel.symbols[declaration.token]
            name = self.symbols[use.number][symbol] = self.variables.local_name(symbol)
            self.shared.append(
                (declaration.type, self._forms(use, declaration), name, out.depth + 1)
            )
        condition = self._of_group(use, item) if by_group else self._condition(use, item)
        if early:
            out.blank()
        word = "for" if item.declarations else "if"
        out.add(f"{word} ({condition}){self.style.opening(out.indent)}")
        out.depth += 1

    def _condition(self, use: StageUse, item: PreludeItem) -> str:
        """Under which an item goes on."""
        writer = self._writer(use)
        if item.early_return:
            (((first, last),),) = item.parts
            changes = writer.renames(first, last)
            return negated(self.renderer, first, last, changes, exact=True)
        parts = (" ".join(writer.text(first, last) for first, last in part) for part in item.parts)
        return "; ".join(parts)

    def _comments(self, first: int) -> None:
        """The comments above a statement."""
        comments, trailing = self.renderer.comments_before(first)
        for comment in comments[trailing:]:
            self.out.add(reindented(comment, self.renderer.indent_of(first), self.out.indent))

    def _declaration(self, use: StageUse, item: PreludeItem) -> None:
        """A statement of the prelude, without the variables that exist already."""
        names = self.symbols[use.number]
        if item.declarations and self._share(use, item):
            return
        statement, writer = item.statement, self._writer(use)
        parts = declarators(use.unit, item)
        written: list[str] = []
        for number, declaration in enumerate(item.declarations):
            symbol = use.kernel.symbols[declaration.token]
            existing = self._existing(use, declaration) if parts else None
            names[symbol] = existing or self.variables.local_name(symbol)
            forms = self._forms(use, declaration)
            if existing is None and forms and declaration.constant:
                self.shared.append((declaration.type, forms, names[symbol], self.out.depth))
            if existing is None and parts:
                written.append(writer.text(*parts[number]))
        self._comments(statement.first)
        if 0 < len(written) < len(item.declarations):
            type_ = writer.text(statement.first, parts[0][0] - 1, whole=True)
            text = f"{type_} {', '.join(written)};"
        else:
            text = writer.text(statement.first, statement.last, whole=True)
        old = self.renderer.indent_of(item.statement.first)
        self.out.add(reindented(text, old, self.out.indent))

    def _share(self, use: StageUse, item: PreludeItem) -> bool:
        """Use the variables of earlier stages, if they are all there."""
        names = self.symbols[use.number]
        symbols = [use.kernel.symbols[d.token] for d in item.declarations]
        if all(symbol in names for symbol in symbols):
            return True  # they have been declared for this very stage
        existing = [self._existing(use, d) for d in item.declarations]
        if not all(existing):
            return False
        for symbol, name in zip(symbols, existing, strict=True):
            names[symbol] = name or ""
        return True

    def _take_places(self, use: StageUse) -> None:
        """Local arrays in the storage of an earlier stage's have its name."""
        for symbol, (owner, other) in self.arrays[use.number].items():
            self.symbols[use.number][symbol] = self.symbols[owner][other]

    def _forms(self, use: StageUse, declaration: Declaration) -> tuple[Form, ...]:
        return tuple(self.equalities.form(use.stage.bind(form)) for form in declaration.forms)

    def _existing(self, use: StageUse, declaration: Declaration) -> str | None:
        forms = self._forms(use, declaration)
        if not forms or not declaration.constant:
            return None
        return next(
            (n for type_, f, n, _ in self.shared if (type_, f) == (declaration.type, forms)), None
        )
