"""The functions of a kernel that keeps rows, and the kernel that walks through them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from kfusion.graph.again import Functions, keys, live_stages, why_no_function
from kfusion.graph.bind import Stage
from kfusion.graph.levels import Key, Level, Levels, levels_of_group
from kfusion.graph.march import March, march_of
from kfusion.graph.model import Again, Group, Marching, Tiles
from kfusion.graph.planes import Planes, planes_of
from kfusion.graph.sources import Load, sources_of
from kfusion.graph.unify import Equalities
from kfusion.graph.values import GroupValues, group_values
from kfusion.kernel.forms import Form, number
from kfusion.kernel.types import INTEGERS
from kfusion.source.dataclasses import dataclass
from kfusion.synthesis import march as in_rows
from kfusion.synthesis import planes as in_planes
from kfusion.synthesis.again import SMALL, Function
from kfusion.synthesis.functions import FunctionWriter
from kfusion.synthesis.model import FusedKernel
from kfusion.synthesis.names import Names, file_names, identifier
from kfusion.synthesis.ranges import Calls, Given, LevelsWriter, Number
from kfusion.synthesis.render import Renderer
from kfusion.synthesis.rows import LEFT, Column, Kept, Own, Rows
from kfusion.synthesis.rows import Planes as InPlanes
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
    levels = levels_of_group(group, stages, values, equalities, of_functions)
    tiles = group.tiles
    assert levels is not None
    assert tiles is not None
    kernels = [stage.invocation.kernel for stage in stages]
    symbols = {symbol.name for kernel in kernels for symbol in kernel.symbols.values()}
    names = Names([*file_names(kernels[0].unit), *symbols, *taken, name])
    march = _march(levels, stages, values, tiles)
    hint = partial(_hint, stages)
    style = Style.of(kernels, Renderer(kernels[0].unit, written_out=written_out))
    rows: Mapping[Key, Rows]
    private: Mapping[Key, Own] = {}
    columns: Mapping[Key, Column] = {}
    if isinstance(march, Planes):
        rows = in_planes.tiles_of(march, hint, names, style)
        private = columns = in_planes.columns_of(march, hint, names)
    elif march:
        rows = in_rows.tiles_of(march, hint, names, style)
        private = in_rows.own_rows_of(march, hint, names)
    else:
        rows = _rows(stages, levels, tiles, names)
    every = (*rows.values(), *private.values())
    reserved = {*taken, *(each.name for each in every), *(p for each in every for p in each.places)}
    functions: dict[str, Function] = {}  # by their text without their names

    def writer_of(
        key: Key, found: GroupValues, kept: Kept, before: dict[Key, Function]
    ) -> FunctionWriter:
        return FunctionWriter(
            stages,
            found,
            equalities,
            name,
            group,
            exact,
            before,
            key,
            written_out=written_out,
            taken=frozenset({*reserved, *(each.name for each in functions.values())}),
            kept=kept,
        )

    def new(function: Function) -> Function:
        """Or one that does the same: of another step."""
        text = function.text.replace(f"{function.name}(", "(", 1)
        return replace(function, name=functions.setdefault(text, function).name)

    stored = _stored(stages, values, equalities, group.again)
    calls: dict[Key, Calls] = {}
    for level in (*levels.levels, levels.last):
        own = _names_within(level, stages, group.again, rows, names)
        kept = Kept({**rows, **own}, level, inside=False)
        before = {  # what memory holds, or rows
            key: new(writer_of(key, of_functions[key], kept, {}).or_before(own[key]))
            for key in sorted(_partly(level, group.again))
        }
        key, found = level.key, of_functions.get(level.key, values)
        if stored is not None and level is levels.last:
            key, found = stored.key, stored.values
        texts: list[Function] = []
        for inside in (False, True) if level.split or march else (False,):
            where = replace(kept, inside=inside)
            if inside and march:
                read = in_rows.read_by(march.kept, level.key, private)
                loads = march.of_memory.loads
                walked = next(each for each in march.every if each.key == level.key)
                own = _names_within(walked, stages, group.again, read, names, loads)
                where = replace(where, rows=own, level=walked, loads=loads)
            one = writer_of(key, found, where, before)
            texts.append(new(one.function(outside=False) if key[1] else one.whole()))
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
    loaded = {each.level.key: each for each in march.sources} if march else {}
    called = (each.name for each in functions.values())
    given = Given(
        calls,
        writer.style,
        Names([*file_names(writer.unit), *writer.parameters.named, *reserved, *called]),
        lambda function: [writer.given(each) for each in function.parameters],
        lambda form: _number(writer, form),
        lambda *item: writer.element(*stored.key[:1], stored.store, item) if stored else "",
        lambda key, *item: writer.element(*loaded[key].load, item, loaded[key].form),
    )
    kernel: LevelsWriter
    if isinstance(march, Planes):
        kernel = in_planes.PlanesWriter(march, rows, columns, given)
    elif march:
        kernel = in_rows.MarchWriter(march, rows, private, given)
    else:
        kernel = StripWriter(levels, tiles, rows, given)
    writer.out.lines += kernel.write()
    writer.leave_out_unused()
    parameters = writer.used_parameters()
    sizes = ", ".join(map(str, (*tiles.local, 1)[:3]))
    style = replace(writer.style, attribute=f"__attribute__((reqd_work_group_size({sizes})))")
    size, does = f"{tiles.items[1]} rows of {tiles.items[0]} columns", "down"
    for planes in tiles.items[2:]:
        size, does = f"{planes} planes of {size}", "through"
    size = f"a group marches {does} {size}, or more" if march else f"an item walks {does} {size}"
    head = signature(
        style, name, [*(p.text for p in parameters), *(f"const int {n}" for n in kernel.sizes)]
    )
    how = "in one kernel: " if len(stages) > 1 else "in another shape: "
    text = "\n".join([writer.title(f"{how}{size}"), head, *writer.out.lines, "}"])
    return writer, replace(writer.made(text, parameters), tiles=tiles)


@dataclass(frozen=True)
class _Stored:
    """All that is left to do: a function's value goes to an element."""

    key: Key
    values: GroupValues
    store: int  # number of the access


def _stored(
    stages: list[Stage], values: GroupValues, equalities: Equalities, again: Sequence[Again]
) -> _Stored | None:
    """If it is one store of the last stage, the index of which is no choice."""
    last = len(stages) - 1
    stores = [a for a in stages[last].accesses if a.access.mode.writes]
    if live_stages(stages, values) != [last] or len(stores) != 1:
        return None
    (store,) = stores
    form, access = store.form, store.access
    plain = not (access.texel or access.unit or access.seen_as or access.conditional)
    if form is None or form.choices or form.in_loop or store.narrow or not plain:
        return None
    memory, none = store.memory.name, frozenset[str]()
    wanted = frozenset({memory})
    found = group_values(stages, equalities, none, again=keys(again), handed=none, wanted=wanted)
    if why_no_function(stages, found, equalities, memory) is not None:
        return None
    return _Stored((last, memory), found, store.number)


def _names_within(
    level: Level,
    stages: Sequence[Stage],
    again: Sequence[Again],
    rows: Mapping[Key, Rows],
    names: Names,
    loads: Mapping[Load, Key] | None = None,
) -> dict[Key, Rows]:
    """What a function calls the rows: as its kernel calls what it reads there."""
    found: dict[Key, Rows] = {}
    taken = Names(names.taken)
    read = {(each.reader, each.access): (each.producer, each.memory) for each in again}
    for (reader, access), key in (read | dict(loads or {})).items():
        if reader <= level.key[0] and key in level.reads and key not in found:
            parameter = stages[reader].access(access).access.parameter
            found[key] = replace(rows[key], name=taken.new(f"{parameter}_rows"))
    return found


def _march(
    levels: Levels, stages: Sequence[Stage], values: GroupValues, tiles: Tiles
) -> March | Planes | None:
    if not isinstance(tiles, Marching):
        return None
    made = march_of if len(tiles.items) == 2 else planes_of
    return made(levels, sources_of(levels, stages, values), tiles.columns, tiles.local[0])


def _rows(stages: Sequence[Stage], levels: Levels, tiles: Tiles, names: Names) -> dict[Key, Rows]:
    *sides, _ = tiles.items
    around = (levels.around(d) for d in range(len(sides)))
    width, *high = (s + end - low for s, (low, end) in zip(sides, around, strict=True))
    left, *top = names.new(*LEFT), *(names.new("top_row") for _ in high)
    found: dict[Key, Rows] = {}
    for each in levels.levels:
        name = names.new(f"{_hint(stages, each.key)}_{'planes' if high else 'rows'}")
        rows = name, each.type, each.rows, width, left
        found[each.key] = InPlanes(*rows, high[0], top[0]) if high else Rows(*rows)
    return found


def _hint(stages: Sequence[Stage], key: Key) -> str:
    producer, memory = key
    known = stages[producer].memory if producer >= 0 else {}
    for stage in stages if producer < 0 else ():
        known = {**stage.memory, **known}
    hint = known[memory].hint
    return identifier(hint, hint)


def _partly(level: Level, again: Sequence[Again]) -> set[Key]:
    """What the level reads of others that need not have made it."""
    return {
        (each.producer, each.memory)
        for each in again
        if each.outside and each.reader <= level.key[0]
    } & set(level.reads)


def _number(writer: Writer, form: Form) -> Number:
    text, scalar = writer.text_of_numbers(), (form - number(form.constant)).single
    narrow = INTEGERS.get(getattr(scalar, "type", ""), (64, False)) in _INTS
    if form.is_constant or (scalar is not None and narrow and abs(form.constant) < SMALL):
        return Number(text.of(form - number(form.constant)), form.constant)
    return Number(text.wide(form), 0, wide=True)


_INTS = ((32, True), (16, True), (16, False), (8, True), (8, False))
