"""Sections of programs that come out right only by what protects the run time.

kfusion predicts the launches of each way through a region. What is written here happens or does
not, by a value that nobody knows before: so launches may still be held back when it happens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from tests.random.hosts import library, phrases
from tests.random.hosts import model as m
from tests.random.hosts.draft import Draft
from tests.random.hosts.kernels import KERNELS, Kernel, Parameter

Statements = list[m.Statement]

_READ_THEIR_TARGET: Final = ("i_next", "i_select")
_WRITERS: Final = tuple(n for n in phrases.ELEMENT_WISE if n not in _READ_THEIR_TARGET)
_ACROSS: Final = ("i_before", "i_flip", "i_total", "i_group_sum", "f_around")


# ---- Pieces ----


def _perhaps(draft: Draft, *then: m.Statement) -> m.If:
    sign, number = draft.random.choice([("<", 2), (">", 1), ("==", 1), ("!=", 2)])
    return m.If("v1", sign, number, then)


def _kind(draft: Draft, name: str) -> str:
    return draft.vectors[name][0]


def _vector(draft: Draft) -> str:
    return _other(draft, draft.random.choice(["int", "int", "float"]))


def _call(
    draft: Draft, name: str, given: dict[str, str], place: m.Place = m.Place.LIBRARY
) -> Statements:
    """A call that leaves the launch noted, most of the time."""
    if place is m.Place.LIBRARY and draft.chance(0.1):
        return phrases.call(draft, name, given)
    draft = replace(draft, vectors=_plain(draft))
    form = draft.random.choice(["plain", "plain", "backwards", "counting", "finish", "flush"])
    errors = draft.random.choice(phrases.LIBRARY_ERRORS)
    entry = library.single(name, form, errors, place, bare=False, local=0)
    (call,) = phrases.call(draft, name, given, entry)
    assert isinstance(call, m.Call)
    return [replace(call, through="")]


def _plain(draft: Draft) -> dict[str, tuple[str, int]]:
    """Memory that launches may be noted with, and fused; all of it where that is too little."""
    shared = ("p", "q", *draft.over_host)
    found = {
        name: what
        for name, what in draft.vectors.items()
        if name not in shared or what[1] != draft.size
    }
    kinds = Counter(kind for kind, count in found.values() if count == draft.size)
    return found if min(kinds["int"], kinds["float"]) > 1 else draft.vectors


def _other(draft: Draft, kind: str, *names: str) -> str:
    """Memory that is none of these."""
    plain = replace(draft, vectors=_plain(draft)).names(kind)
    return draft.random.choice([n for n in plain if n not in names] or plain)


def _writes(draft: Draft, name: str) -> Statements:
    """A call that writes the memory, and does not look at it."""
    kind = _kind(draft, name)
    names = [n for n in _WRITERS if KERNELS[n].buffers[0].kind == kind]
    kernel = KERNELS[draft.random.choice(names)]
    return _call(draft, kernel.name, _given(draft, kernel, kernel.buffers[0].name, name))


def _reads(draft: Draft, name: str, *, across: bool = False) -> Statements:
    """A call that reads the memory; `across`: items read what is another one's."""
    kind = _kind(draft, name)
    names = _ACROSS if across else _WRITERS
    kernels = [KERNELS[n] for n in names if any(_is_source(p, kind) for p in KERNELS[n].buffers)]
    kernel = draft.random.choice(kernels)
    sources = [p.name for p in kernel.buffers if _is_source(p, kind)]
    return _call(draft, kernel.name, _given(draft, kernel, draft.random.choice(sources), name))


def _given(draft: Draft, kernel: Kernel, parameter: str, name: str) -> dict[str, str]:
    """The memory for one parameter, and other memory for those beside it."""
    if kernel.groups or kernel.one_item:
        return {parameter: name}
    return {
        p.name: name if p.name == parameter else _other(draft, p.kind, name) for p in kernel.buffers
    }


def _is_source(parameter: Parameter, kind: str) -> bool:
    return parameter.kind == kind and not parameter.written and parameter.name != "v"


def _read_elsewhere(draft: Draft, name: str) -> Statements:
    """A call of a function in the file that kfusion may not be given."""
    kernel = draft.random.choice(library.ONE_INPUT)
    return _call(draft, kernel, {"x": name}, m.Place.OTHER)


Looks = Callable[[Draft, str], Statements]  # at memory, or changes it, without a fused launch


def _mapped(draft: Draft, name: str) -> Statements:
    kind, count = draft.vectors[name]
    return [m.Map(name, count, 5 if kind == "int" and draft.chance(0.3) else 0, draft.chance(0.5))]


def _counted(draft: Draft, name: str) -> Statements:
    return [m.Finish(0), m.Finish(1), m.ShowReferences(name)]


def _commanded(draft: Draft, name: str) -> Statements:
    kind, count = draft.vectors[name]
    random = draft.random
    other = random.choice(draft.names(kind))
    ways: list[Statements] = [
        [m.Show(name, 0, count)],
        [m.Copy(other, name, count)],
        [m.Copy(name, other, count)],
        [m.Fill(name, kind, random.randrange(9), 0, count)],
        [m.HostFill("h2", kind, 3), m.Write(name, "h2", 0, count)],
        [m.Read(name, "h1", count), m.ShowHost("h1", count)],
        phrases.events(draft),
        phrases.rebuild(draft),
    ]
    return random.choice(ways)


# ---- Sections ----


def interrupted(
    draft: Draft, looks: Looks, kinds: tuple[str, ...] = ("int", "float")
) -> Statements:
    """Something between two calls of which the second reads what the first wrote."""
    name = _other(draft, draft.random.choice(kinds))

    def first(draft: Draft) -> Statements:
        found = [*_writes(draft, name), _perhaps(draft, *looks(draft, name))]
        return [*found, *_reads(draft, name)]

    return phrases.region_of(draft, first)


def mapped(draft: Draft) -> Statements:
    return interrupted(draft, _mapped)


def counted(draft: Draft) -> Statements:
    return interrupted(draft, _counted)


def commanded(draft: Draft) -> Statements:
    return interrupted(draft, _commanded)


def called_elsewhere(draft: Draft) -> Statements:
    return interrupted(draft, _read_elsewhere, ("int",))


def below(draft: Draft) -> Statements:
    """The host memory below a buffer is looked at behind a clFinish."""
    name = draft.fresh("below")
    kind = draft.random.choice(["int", "float"])
    found: Statements = [m.Create(name, kind, draft.size, m.Storage.HOST, 7)]
    draft.vectors[name] = (kind, draft.size)
    draft.over_host.append(name)

    def first(draft: Draft) -> Statements:
        looks = _perhaps(draft, m.Finish(0), m.ShowHostPointer(name))
        return [*_writes(draft, name), looks, *_reads(draft, name)]

    return [*found, *phrases.region_of(draft, first)]


def finished(draft: Draft) -> Statements:
    """What has taken its time on one queue is looked at by the other one behind a clFinish."""
    name = _other(draft, "int")

    def first(draft: Draft) -> Statements:
        found = _call(draft, "i_long", {"y": name})
        looks = _perhaps(draft, m.Finish(0), m.Show(name, 0, draft.size, 1))
        return [*found, looks, *_reads(draft, name)]

    return phrases.region_of(draft, first)


def without_order(draft: Draft) -> Statements:
    """On a queue that is out of order a call reads behind a barrier what one before it wrote."""
    name = _other(draft, "int")
    size = "v4"

    def first(draft: Draft) -> Statements:
        other = _other(draft, "int", name)
        found = _launched(draft, "i_long", {"y": name, "x": other}, draft.size)
        found.append(m.Barrier(2))
        reader = draft.random.choice(["i_affine", "i_add"])
        target = KERNELS[reader].buffers[0].name
        memory = {"x": name, target: _other(draft, "int", name)}
        return [*found, *_launched(draft, reader, memory, size), m.Finish(2)]

    count = draft.random.choice([draft.size, draft.size // 2])
    hidden = m.Compute(size, count, "+", 0, hidden=True)
    return [m.Finish(0), hidden, *phrases.region_of(draft, first)]


def _launched(draft: Draft, name: str, memory: dict[str, str], size: m.Int) -> Statements:
    """The kernel on the queue that is out of order; `size`: what it gets as `n`."""
    kernel, variable = KERNELS[name], f"k_{name}"
    found: Statements = []
    for index, parameter in enumerate(kernel.parameters):
        argument = m.Argument(number=size if parameter.name == "n" else draft.number())
        if parameter.is_buffer:
            given = memory.get(parameter.name) or _other(draft, parameter.kind)
            argument = m.Argument(memory=given)
        found.append(m.SetArgument(variable, index, argument))
    return [*found, m.Launch(variable, draft.size, 0, 2)]


def either(draft: Draft) -> Statements:
    """A call reads what one before it wrote, or something else of the same size."""
    name = _vector(draft)

    def first(draft: Draft) -> Statements:
        found, (read,) = _writes(draft, name), _reads(draft, name)
        assert isinstance(read, m.Call)
        other = _other(draft, _kind(draft, name), *read.memory)
        if draft.chance(0.3):
            return [*found, _perhaps(draft, m.Swap(name, other)), read]
        changed = replace(read, memory=tuple(other if n == name else n for n in read.memory))
        return [*found, replace(_perhaps(draft, read), otherwise=(changed,))]

    return phrases.region_of(draft, first)


def changing(draft: Draft) -> Statements:
    """The variable of an intermediate result changes places with one that `out` names."""
    name = _vector(draft)

    def first(draft: Draft) -> Statements:
        found = [*_writes(draft, name), *_reads(draft, name)]
        kept = [n for n in draft.recent[-1:] if _kind(draft, n) == _kind(draft, name)]
        return [*found, *(_perhaps(draft, m.Swap(name, n)) for n in kept)]

    return phrases.region_of(draft, first, intermediate=name)


def inner(draft: Draft) -> Statements:
    """A region is called in another one, behind an intermediate result of the outer one."""
    name = _vector(draft)
    function = _with_region(draft, draft.fresh(f"inner_{draft.program}_"))
    draft.helpers.append(function)

    def first(draft: Draft) -> Statements:
        found = [*_writes(draft, name), *_reads(draft, name)]
        x = _other(draft, "int", name)
        y = _other(draft, "int", name, x)
        memory = (x, y, _other(draft, "int", name, x, y))
        found.append(m.Call(function.name, memory, (draft.number(), draft.number())))
        return [*found, _read_or_not(draft, name)]

    return phrases.region_of(draft, first, intermediate=name)


def _with_region(draft: Draft, name: str) -> m.Function:
    """z = g(y), of y = f(x), and `out` does not name y."""
    memory = ("x", "y", "z")
    own = replace(draft, vectors=dict.fromkeys(memory, ("int", draft.size)), recent=[])
    kernels = [n for n in library.ONE_INPUT if KERNELS[n].element_wise]
    body = [
        s
        for y, x in (("y", "x"), ("z", "y"))
        for s in _call(own, draft.random.choice(kernels), {"y": y, "x": x})
    ]
    region = m.Region(("x", "y"), ("z",), (), tuple(body))
    errors = draft.random.choice(list(m.Errors))
    numbers = ("v1", "v2")
    return m.Function(name, memory, numbers, (region,), errors, m.Place.APPLICATION)


def _read_or_not(draft: Draft, name: str) -> m.If:
    """kfusion expects the way that does not read it, on which nothing else is fused."""
    elsewhere = phrases.setting(draft)
    if draft.chance(0.3):
        elsewhere = _call(draft, "i_group_sum", {"x": _other(draft, "int", name)})
    read = _reads(draft, name, across=True)
    return m.If("v1", "==", draft.random.randrange(4), tuple(elsewhere), tuple(read))


def let_go(draft: Draft) -> Statements:
    """Scratch memory that somebody keeps, or that is read once more."""
    kind = draft.random.choice(["int", "int", "float"])
    name = draft.fresh("t")
    kept = draft.fresh("kept") if draft.chance(0.5) else ""

    def first(draft: Draft) -> Statements:
        draft.vectors[name] = (kind, draft.size)
        found: Statements = [m.Create(name, kind, draft.size, m.Storage.EMPTY)]
        found += [*_writes(draft, name), *_reads(draft, name)]
        alias = m.Alias(kept, name, True)
        found.append(_perhaps(draft, alias) if kept else _read_or_not(draft, name))
        del draft.vectors[name]
        return [*found, m.Release(name)]

    found = phrases.region_of(draft, first)
    if not kept:
        return found
    draft.vectors[kept] = (kind, draft.size)
    return [*found, m.Show(kept, 0, draft.size)]


def read_behind(draft: Draft) -> Statements:
    """An intermediate result that `out` does not name is read once more in its region."""
    name = _vector(draft)

    def first(draft: Draft) -> Statements:
        return [*_writes(draft, name), *_reads(draft, name), _read_or_not(draft, name)]

    return phrases.region_of(draft, first, intermediate=name)


def sharing(draft: Draft) -> Statements:
    """Calls that work on parts of one buffer, and little else."""
    kind = draft.random.choice(["int", "float"])
    whole, first, second = (draft.fresh(p) for p in ("whole", "part", "part"))
    found: Statements = [m.Create(whole, kind, 64, m.Storage.COPIED, 5)]
    offset = draft.random.choice([0, 0, 32])
    found += [m.CreatePart(first, whole, 0, draft.size)]
    found += [m.CreatePart(second, whole, offset, draft.size)]
    draft.vectors |= dict.fromkeys((first, second), (kind, draft.size))
    few = (first, second, draft.random.choice(draft.names(kind)))
    names = [n for n in phrases.ELEMENT_WISE if {p.kind for p in KERNELS[n].buffers} == {kind}]

    def calls(draft: Draft) -> Statements:
        every, draft.vectors = draft.vectors, {name: draft.vectors[name] for name in few}
        count = draft.random.choice([2, 3, 4])
        body = [s for _ in range(count) for s in phrases.call(draft, draft.random.choice(names))]
        draft.vectors = every
        return body

    return [*found, *phrases.region_of(draft, calls, lists="none")]


def part_again(draft: Draft) -> Statements:
    """Parts of a buffer come and go; one may have the address of the one before."""
    kind = draft.random.choice(["int", "float"])
    whole, part = draft.fresh("whole"), draft.fresh("part")
    found: Statements = [m.Create(whole, kind, 64, m.Storage.COPIED, 6)]
    draft.vectors[part] = (kind, draft.size)
    calls = phrases.region_of(draft, lambda d: [*_writes(d, part), *_reads(d, part)])
    shown = m.Show(part, 0, draft.size)
    del draft.vectors[part]
    turn: Statements = []
    for offset in draft.random.sample([0, 32], 2):
        turn += [m.CreatePart(part, whole, offset, draft.size), *calls, shown, m.Release(part)]
    variable = f"i{draft.loops + 1}"
    return [*found, m.Loop(variable, draft.random.choice([3, 4, 5]), tuple(turn))]


def set_outside(draft: Draft) -> Statements:
    """An argument that a region sets, or takes from outside of it."""
    kernel = KERNELS[draft.random.choice(_WRITERS)]
    variable = f"k_{kernel.name}"

    def launched(draft: Draft, settings: Statements) -> Statements:
        target = draft.recent[-1]
        start = library.launch(kernel, variable, 0, draft.size)
        return [*settings, start, *_reads(draft, target)]

    def first(draft: Draft) -> Statements:
        return launched(draft, phrases.settings(draft, kernel, variable))

    def second(draft: Draft) -> Statements:
        settings = phrases.settings(draft, kernel, variable)
        place = draft.random.randrange(len(settings))
        settings[place] = _perhaps(draft, settings[place])
        return launched(draft, settings)

    outside = draft.random.choice(phrases.settings(draft, kernel, variable))
    return [*phrases.region_of(draft, first), outside, *phrases.region_of(draft, second)]


def set_elsewhere(draft: Draft) -> Statements:
    """A function of another file sets other arguments between two equal calls."""
    kernel = draft.random.choice(library.ONE_INPUT)
    here = _call(draft, kernel, {})
    there = _call(draft, kernel, {}, m.Place.OTHER)
    return [*phrases.region(draft), *here, *there, *here]


def built_again(draft: Draft) -> Statements:
    again = m.Rebuild(same=True)
    return [*phrases.region(draft), again, *phrases.region(draft)]


SECTIONS: Final[tuple[tuple[Callable[[Draft], Statements], float], ...]] = (
    (mapped, 1),
    (counted, 1),
    (commanded, 1.5),
    (called_elsewhere, 1.5),
    (below, 1),
    (finished, 1.5),
    (without_order, 1),
    (either, 1),
    (changing, 1.5),
    (inner, 1.5),
    (let_go, 2),
    (read_behind, 1.5),
    (sharing, 1),
    (part_again, 1.5),
    (set_outside, 1.5),
    (set_elsewhere, 1.5),
    (built_again, 1),
)


def section(draft: Draft) -> Statements:
    choices, weights = zip(*SECTIONS, strict=True)
    chosen: Callable[[Draft], Statements] = draft.random.choices(choices, weights)[0]
    return [*_unknown(draft), *chosen(draft)]


def _unknown(draft: Draft) -> Statements:
    """A value for conditions, of a buffer: what is only hidden from compilers kfusion may guess."""
    place = draft.random.randrange(draft.size)
    read = m.ReadElement("v3", draft.random.choice(draft.names("int")), place)
    return [read, m.Compute("v1", "v3", "%", 4)] if draft.chance(0.8) else []
