"""The functions of a kernel that keeps rows, and the kernel that goes through them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from kfusion.graph.again import Functions
from kfusion.graph.bind import Stage
from kfusion.graph.levels import Key, Level, Levels, levels_of
from kfusion.graph.march import March, march_of
from kfusion.graph.model import Again, Group, Marching, Tiles
from kfusion.graph.unify import Equalities
from kfusion.graph.values import GroupValues
from kfusion.kernel.forms import Form
from kfusion.kernel.types import INTEGERS
from kfusion.synthesis.again import Function
from kfusion.synthesis.functions import FunctionWriter
from kfusion.synthesis.march import MarchWriter, own_rows_of, read_by, tiles_of
from kfusion.synthesis.model import FusedKernel
from kfusion.synthesis.names import Names, file_names, identifier
from kfusion.synthesis.ranges import Calls
from kfusion.synthesis.render import Renderer
from kfusion.synthesis.rows import Kept, Rows
from kfusion.synthesis.signature import Style, signature
from kfusion.synthesis.strips import StripWriter
from kfusion.synthesis.writer import Writer, parameters_of_memory


def written_in_rows(
    stages: list[Stage],
    values: GroupValues,
    equalities: Equalities,
    name: str,
    group: Group,
    exact: bool,
    of_functions: Functions,
    *,
    written_out: bool,
    taken: frozenset[str],
) -> tuple[Writer, FusedKernel]:
    levels = levels_of(
        stages, values, group.again, of_functions, equalities, {}, group.assumptions.__contains__
    )
    tiles = group.tiles
    assert levels is not None
    assert tiles is not None
    kernels = [stage.invocation.kernel for stage in stages]
    symbols = {symbol.name for kernel in kernels for symbol in kernel.symbols.values()}
    names = Names([*file_names(kernels[0].unit), *symbols, *taken, name])
    march = _march(levels, tiles)
    rows: Mapping[Key, Rows]
    if march:
        style = Style.of(kernels[0], Renderer(kernels[0].unit, written_out=written_out))
        rows = tiles_of(march, partial(_hint, stages), names, style)
        own = own_rows_of(march, partial(_hint, stages), names)
    else:
        rows, own = _rows(stages, levels, tiles, names), {}
    every = (*rows.values(), *own.values())
    reserved = {*taken, *(each.name for each in every), *(p for each in every for p in each.places)}
    functions: dict[str, Function] = {}  # by name

    def writer_of(key: Key, kept: Kept, before: dict[Key, Function]) -> FunctionWriter:
        return FunctionWriter(
            stages,
            of_functions.get(key, values),
            equalities,
            name,
            group,
            exact,
            before,
            key,
            written_out=written_out,
            taken=frozenset({*reserved, *functions}),
            kept=kept,
        )

    def new(function: Function) -> Function:
        functions[function.name] = function
        return function

    before: dict[Key, Function] = {}  # what memory holds, or rows
    calls: dict[Key, Calls] = {}
    for level in (*levels.levels, levels.last):
        kept = Kept(rows, level, inside=False)
        for key in _partly(level, group.again) - before.keys():
            before[key] = new(writer_of(key, kept, before).or_before(rows[key]))
        texts: list[Function] = []
        for inside in (False, True) if level.is_split or march else (False,):
            where = replace(kept, inside=inside)
            if inside and march:
                where = replace(where, rows=read_by(march, level.key, own))
            one = writer_of(level.key, where, before)
            memory = level.key[1]
            texts.append(new(one.function(outside=False) if memory else one.whole()))
        live = [use.stage.invocation.label for use in one.uses if use.live]
        calls[level.key] = Calls(
            ", ".join(" ".join(each.split()) for each in live), texts[0], texts[-1]
        )
    shown = {p.parameter.argument.name for f in functions.values() for p in f.parameters}
    alike = {n: b for n, b in parameters_of_memory(stages).items() if n in shown}
    writer = Writer(
        stages,
        values,
        equalities,
        name,
        group,
        exact,
        {(-number, ""): each for number, each in enumerate(functions.values())},
        alike,
        written_out=written_out,
        taken=frozenset(reserved),
    )
    given = (
        calls,
        writer.style,
        writer.names,
        lambda function: [writer.given(each) for each in function.parameters],
        lambda form: _number(writer, form),
    )
    kernel: StripWriter | MarchWriter
    if march:
        kernel = MarchWriter(march, rows, own, *given)
    else:
        kernel = StripWriter(levels, tiles, rows, *given)
    writer.out.lines += kernel.write()
    parameters = writer.used_parameters()
    sizes = ", ".join(map(str, (*tiles.local, 1)[:3]))
    style = replace(writer.style, attribute=f"__attribute__((reqd_work_group_size({sizes})))")
    who = "group" if march else "item"
    size = f"a{'n' * (who == 'item')} {who} does {' x '.join(map(str, tiles.items))} of theirs"
    head = signature(
        style, name, [*(p.text for p in parameters), *(f"const int {n}" for n in kernel.sizes)]
    )
    text = "\n".join([writer.title(f"in one kernel: {size}"), head, *writer.out.lines, "}"])
    return writer, replace(writer.made(text, parameters), tiles=tiles)


def _march(levels: Levels, tiles: Tiles) -> March | None:
    if not isinstance(tiles, Marching):
        return None
    return march_of(levels, tiles.columns, tiles.local[0])


def _rows(stages: Sequence[Stage], levels: Levels, tiles: Tiles, names: Names) -> dict[Key, Rows]:
    left = names.new("left")
    width = tiles.items[0] + levels.halo[1] - levels.halo[0]
    return {
        each.key: Rows(
            names.new(f"{_hint(stages, each.key)}_rows"), each.type, each.rows, width, left
        )
        for each in levels.levels
    }


def _hint(stages: Sequence[Stage], key: Key) -> str:
    producer, memory = key
    hint = stages[producer].memory[memory].hint
    return identifier(hint, hint)


def _partly(level: Level, again: Sequence[Again]) -> set[Key]:
    """What the level reads of others that need not have made it."""
    return {
        (each.producer, each.memory)
        for each in again
        if each.outside and each.reader <= level.key[0]
    } & set(level.reads)


def _number(writer: Writer, form: Form) -> tuple[str, bool]:
    """Its text, and whether that is an `int`."""
    text = writer.text_of_numbers()
    single = form.single
    narrow = single is None or INTEGERS.get(getattr(single, "type", ""), (64, False)) in _INTS
    if form.is_constant or (single is not None and narrow):
        return text.of(form), True
    return text.wide(form), False


_INTS = ((32, True), (16, True), (16, False), (8, True), (8, False))
