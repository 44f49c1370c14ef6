"""Random pieces of host programs: a few statements that belong together.

Pieces may be invalid where they end up; `generate` drops the statements that are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tests.random.hosts import library
from tests.random.hosts import model as m
from tests.random.hosts.draft import Draft
from tests.random.hosts.kernels import GROUP, KERNELS, Kernel
from tests.random.hosts.library import Entry, Role

ELEMENT_WISE: Final = tuple(k.name for k in KERNELS.values() if k.element_wise)
LIBRARY_ERRORS: Final = (*m.Errors, m.Errors.EACH, m.Errors.OR, m.Errors.CHECK)


Phrase = Callable[[Draft], list[m.Statement]]


# ---- Calls ----


def entry_of(draft: Draft, name: str) -> Entry:
    random = draft.random
    form = library.weighted(random, library.FORMS)
    errors = draft.style if draft.style and draft.chance(0.6) else random.choice(LIBRARY_ERRORS)
    place = m.Place.OTHER if draft.chance(0.06) else m.Place.LIBRARY
    local = GROUP if draft.chance(0.3) else 0
    return library.single(name, form, errors, place, draft.chance(0.3), local)


def _count_of(kernel: Kernel, name: str, draft: Draft) -> int:
    if name == "v":
        return 1
    if kernel.groups and name == "y":
        return -(-draft.size // GROUP)
    return draft.size


def call(
    draft: Draft, name: str, given: dict[str, str] | None = None, entry: Entry | None = None
) -> list[m.Statement]:
    """`given`: memory for some of the kernel's parameters."""
    kernel, given = KERNELS[name], given or {}
    entry = entry or entry_of(draft, name)
    draft.add(entry)
    memory = [
        given.get(parameter.name) or draft.pick(role, _count_of(kernel, parameter.name, draft))
        for role, parameter in zip(entry.roles, kernel.buffers, strict=True)
    ]
    numbers: list[m.Int] = [draft.number() for _ in kernel.scalars]
    if entry.function.bare:
        sized = memory[[p.name for p in kernel.buffers].index(kernel.sized)]
        sizes: list[m.Int] = [f"{sized}.n", draft.size, max(draft.size // 2, 1)]
        numbers.append(draft.random.choices(sizes, [8, 3, 1])[0])
    return _called(draft, entry, memory, numbers)


def _called(
    draft: Draft, entry: Entry, memory: list[str], numbers: list[m.Int]
) -> list[m.Statement]:
    draft.recent += [n for n, role in zip(memory, entry.roles, strict=True) if role.written]
    through = draft.random.choices(["", "pointer", "table"], [20, 1, 1])[0]
    return [m.Call(entry.function.name, tuple(memory), tuple(numbers), through)]


def chain(draft: Draft) -> list[m.Statement]:
    """Element-wise calls of one type, most of which read what one before wrote."""
    kind = draft.random.choice(["i", "i", "f"])
    names = [name for name in ELEMENT_WISE if name.startswith(kind)]
    found: list[m.Statement] = []
    for _ in range(draft.random.choice([2, 2, 3, 3, 4])):
        found += call(draft, draft.random.choice(names))
    return found


def some_call(draft: Draft) -> list[m.Statement]:
    return call(draft, draft.random.choice(list(KERNELS)))


def reduction(draft: Draft) -> list[m.Statement]:
    name = draft.random.choice(["i_total", "i_group_sum"])
    return [*call(draft, name), *(call(draft, "i_shift") if draft.chance(0.5) else [])]


def composed(draft: Draft) -> list[m.Statement]:
    random = draft.random
    form = library.weighted(random, library.CHAINS)
    kind = random.choice(["int", "float"])
    one_input = library.ONE_INPUT if kind == "int" else library.ONE_FLOAT_INPUT
    element_wise = [name for name in one_input if KERNELS[name].element_wise]
    first = random.choice(one_input if draft.chance(0.3) else element_wise)
    second = random.choice(one_input if form != "in_place" and draft.chance(0.3) else element_wise)
    local = GROUP if draft.chance(0.3) else 0
    place = m.Place.OTHER if draft.chance(0.06) else m.Place.LIBRARY
    entry = library.chain(first, second, form, random.choice(LIBRARY_ERRORS), place, local)
    draft.add(entry)
    memory = [draft.pick(role) for role in entry.roles]
    return _called(draft, entry, memory, [draft.number() for _ in entry.function.numbers])


def settings(draft: Draft, kernel: Kernel, variable: str) -> list[m.Statement]:
    memory = {}
    for parameter in kernel.buffers:
        count = _count_of(kernel, parameter.name, draft)
        role = Role(parameter.kind, parameter.written, not parameter.written)
        memory[parameter.name] = draft.pick(role, count)
    draft.recent += [memory[p.name] for p in kernel.buffers if p.written]
    found: list[m.Statement] = []
    for index, argument in enumerate(library.arguments(kernel, memory)):
        if argument.number:
            number = draft.size if argument.number == "n" else draft.number()
            argument = m.Argument(number=number, quarters=argument.quarters)
        found.append(m.SetArgument(variable, index, argument))
    return found


def inline(draft: Draft) -> list[m.Statement]:
    """A launch written out; sometimes twice, with only some arguments set again."""
    kernel = KERNELS[draft.random.choice(ELEMENT_WISE)]
    variable = f"k_{kernel.name}"
    local = GROUP if draft.chance(0.3) else 0
    start = library.launch(kernel, variable, local, draft.size)
    found: list[m.Statement] = [*settings(draft, kernel, variable), start]
    if draft.chance(0.4):
        again = settings(draft, kernel, variable)
        found += [s for s in again if draft.chance(0.5)]
        found.append(start)
    return found


def sticky(draft: Draft) -> list[m.Statement]:
    """A launch with arguments that were set elsewhere."""
    kernel = KERNELS[draft.random.choice(ELEMENT_WISE)]
    variable = f"k_{kernel.name}"
    found = [s for s in settings(draft, kernel, variable) if draft.chance(0.5)]
    return [*found, library.launch(kernel, variable, 0, draft.size)]


def setting(draft: Draft) -> list[m.Statement]:
    kernel = KERNELS[draft.random.choice(ELEMENT_WISE)]
    return [draft.random.choice(settings(draft, kernel, f"k_{kernel.name}"))]


def own_kernel(draft: Draft) -> list[m.Statement]:
    name = draft.random.choice(ELEMENT_WISE)
    start = library.launch(KERNELS[name], "own", 0, draft.size)
    found = [m.CreateKernel("own", name), *settings(draft, KERNELS[name], "own"), start]
    return [*found, m.ReleaseKernel("own")]


def events(draft: Draft) -> list[m.Statement]:
    kernel = KERNELS[draft.random.choice(ELEMENT_WISE)]
    variable, event = f"k_{kernel.name}", draft.fresh("e")
    found: list[m.Statement] = settings(draft, kernel, variable)
    found.append(m.Launch(variable, draft.size, event=event))
    if draft.chance(0.7):
        found += call(draft, draft.random.choice(ELEMENT_WISE))
    if draft.chance(0.5):
        other = KERNELS[draft.random.choice(ELEMENT_WISE)]
        found += settings(draft, other, f"k_{other.name}")
        queue = 1 if draft.chance(0.4) else 0
        found.append(m.Launch(f"k_{other.name}", draft.size, 0, queue, (event,)))
        found += [m.Finish(1)] if queue else []
    return [*found, m.WaitFor(event)]


def second_queue(draft: Draft) -> list[m.Statement]:
    kernel = KERNELS[draft.random.choice(ELEMENT_WISE)]
    variable = f"k_{kernel.name}"
    found: list[m.Statement] = [m.Finish(0), *settings(draft, kernel, variable)]
    found.append(m.Launch(variable, draft.size, 0, 1))
    if draft.chance(0.4):
        return [*found, m.Show(draft.recent[-1], 0, draft.size, 1)]
    return [*found, m.Finish(1)]


# ---- Memory ----


def show(draft: Draft) -> list[m.Statement]:
    name = draft.any_vector()
    _, count = draft.vectors[name]
    if draft.over_host and draft.chance(0.4):
        below = draft.random.choice(draft.over_host)
        return [m.Finish(0), m.ShowHostPointer(below)]
    if draft.chance(0.1):
        return [m.ShowSize(name)]
    offset = draft.random.choice([0, 0, 0, count // 2])
    return [m.Show(name, offset, count - offset)]


def read(draft: Draft) -> list[m.Statement]:
    name = draft.any_vector()
    _, count = draft.vectors[name]
    blocking = draft.chance(0.5)
    found: list[m.Statement] = [m.Read(name, "h1", count, blocking)]
    if not blocking:
        found += call(draft, draft.random.choice(ELEMENT_WISE)) if draft.chance(0.5) else []
        found.append(m.Finish())
    return [*found, m.ShowHost("h1", count)]


def write(draft: Draft) -> list[m.Statement]:
    name = draft.any_vector()
    kind, count = draft.vectors[name]
    blocking = draft.chance(0.5)
    seed = draft.random.randrange(20)
    found: list[m.Statement] = [
        m.HostFill("h2", kind, seed),
        m.Write(name, "h2", 0, count, blocking),
    ]
    draft.recent.append(name)
    if not blocking and draft.chance(0.6):
        found += call(draft, draft.random.choice(ELEMENT_WISE)) if draft.chance(0.5) else []
        # The host memory is used again as soon as that is allowed.
        found += [m.Finish(), m.HostFill("h2", kind, seed + 1)]
    return found


def fill(draft: Draft) -> list[m.Statement]:
    name = draft.any_vector()
    kind, count = draft.vectors[name]
    draft.recent.append(name)
    return [m.Fill(name, kind, draft.random.randrange(9), 0, count)]


def copy(draft: Draft) -> list[m.Statement]:
    kind = draft.random.choice(["int", "int", "float"])
    names = draft.names(kind)
    to, of = draft.random.choice(names), draft.random.choice(names)
    draft.recent.append(to)
    return [m.Copy(to, of, draft.size)]


def mapped(draft: Draft) -> list[m.Statement]:
    name = draft.any_vector()
    add = draft.random.choice([0, 0, 5])
    return [m.Map(name, draft.vectors[name][1], add, draft.chance(0.6))]


def swap(draft: Draft) -> list[m.Statement]:
    kind = draft.random.choice(["int", "int", "float"])
    first, second = draft.random.sample(draft.names(kind), 2)
    exchange = m.Swap(first, second)
    if draft.chance(0.3):
        return [condition(draft, (exchange,))]
    return [exchange]


def alias(draft: Draft) -> list[m.Statement]:
    names = draft.names(draft.random.choice(["int", "float"]))
    recent = [name for name in draft.recent[-2:] if name in draft.vectors]
    old = draft.random.choice(recent or names)
    kind, count = draft.vectors[old]
    new = draft.fresh("alias")
    retained = draft.chance(0.5)
    draft.vectors[new] = (kind, count)
    found: list[m.Statement] = [m.Alias(new, old, retained)]
    if retained and draft.chance(0.4):
        found += [m.Release(old), *_made(draft, old, kind, count)]
    return found


def _made(draft: Draft, name: str, kind: str, count: int) -> list[m.Statement]:
    storages = [m.Storage.COPIED, m.Storage.DEVICE, m.Storage.HOST, m.Storage.PLAIN]
    storage = draft.random.choices(storages, [6, 3, 1, 3])[0]
    if storage is m.Storage.HOST:
        draft.over_host.append(name)
    return [m.Create(name, kind, count, storage, draft.random.randrange(20))]


def made_again(draft: Draft) -> list[m.Statement]:
    name = draft.any_vector()
    kind, count = draft.vectors[name]
    return [m.Release(name), *_made(draft, name, kind, count)]


def scratch(draft: Draft) -> list[m.Statement]:
    """Memory that is made, written, read and released here; perhaps read later by another name."""
    kind = draft.random.choice(["int", "int", "float"])
    name = draft.fresh("t")
    found: list[m.Statement] = [m.Create(name, kind, draft.size, m.Storage.EMPTY)]
    if draft.chance(0.2):
        whole = draft.fresh("whole")
        draft.vectors[whole] = (kind, draft.size + 128)
        offset = draft.random.choice([0, 32])
        found = [
            m.Create(whole, kind, 64, m.Storage.COPIED),
            m.CreatePart(name, whole, offset, min(draft.size, 64 - offset)),
        ]
    draft.vectors[name] = (kind, draft.size)
    letter = kind[0]
    writer, reader = (
        draft.random.choice([n for n in ELEMENT_WISE if n.startswith(letter)]) for _ in range(2)
    )
    written = call(draft, writer)
    assert isinstance(written[-1], m.Call)
    found += [_with_first(written[-1], name), *call(draft, reader)]
    last = found[-1]
    assert isinstance(last, m.Call)
    if len(last.memory) > 1:
        found[-1] = m.Call(last.function, (*last.memory[:-1], name), last.numbers, last.through)
    del draft.vectors[name]
    if draft.chance(0.2):
        kept = draft.fresh("kept")
        found.append(m.Alias(kept, name, True))
        draft.vectors[kept] = (kind, draft.size)
    if draft.chance(0.85):
        found.append(m.Release(name))
    else:
        draft.vectors[name] = (kind, draft.size)
    return found


def _with_first(statement: m.Call, name: str) -> m.Call:
    memory = (name, *statement.memory[1:])
    return m.Call(statement.function, memory, statement.numbers, statement.through)


def synchronise(draft: Draft) -> list[m.Statement]:
    kinds = [m.Finish(), m.Flush(), m.Barrier(), m.Marker()]
    return [draft.random.choices(kinds, [4, 3, 2, 1])[0]]


def kernel_again(draft: Draft) -> list[m.Statement]:
    return [m.ReleaseKernel(f"k_{draft.random.choice(ELEMENT_WISE)}")]


# ---- Host and control ----


def compute(draft: Draft) -> list[m.Statement]:
    name = draft.random.choice(["v1", "v2"])
    if draft.chance(0.4):
        vector = draft.random.choice(draft.names("int"))
        read_ = m.ReadElement("v3", vector, draft.random.randrange(draft.size))
        return [read_, m.Compute(name, "v3", "%", 5)]
    found: list[m.Statement] = [m.Compute(name, name, "+", draft.random.randrange(3))]
    return [*found, *([m.ShowVariable(name)] if draft.chance(0.5) else [])]


def condition(draft: Draft, then: m.Block, otherwise: m.Block = ()) -> m.If:
    left = draft.random.choice(["v1", "v2", *(f"i{n}" for n in range(1, draft.loops + 1))])
    sign = draft.random.choice(["==", "!=", "<", ">"])
    return m.If(left, sign, draft.random.randrange(4), then, otherwise)


def conditional(draft: Draft) -> list[m.Statement]:
    then = tuple(phrase(draft))
    return [condition(draft, then, tuple(phrase(draft)) if draft.chance(0.3) else ())]


def loop(draft: Draft) -> list[m.Statement]:
    draft.loops += 1
    variable = f"i{draft.loops}"
    body: list[m.Statement] = chain(draft) if draft.chance(0.5) else phrase(draft)
    if draft.chance(0.3):
        body += swap(draft)
    if draft.chance(0.25):
        body.append(condition(draft, (draft.random.choice([m.Break(), m.Continue()]),)))
        body += phrase(draft)
    draft.loops -= 1
    counts: list[m.Int] = [2, 3, 4, "v1"]
    count = draft.random.choice(counts)
    form = draft.random.choices(["for", "while", "do"], [4, 1, 1])[0]
    return [m.Loop(variable, count, tuple(body), form)]


def leave(draft: Draft) -> list[m.Statement]:
    ways: list[m.Statement] = [m.GotoEnd(), m.Return()]
    if draft.loops:
        ways += [m.Break(), m.Continue()] * 2
    if not draft.in_region:
        return []
    return [condition(draft, (draft.random.choice(ways),))]


def helper(draft: Draft) -> list[m.Statement]:
    """A call of one of the program's own functions."""
    if not draft.helpers:
        return some_call(draft)
    function = draft.random.choice(draft.helpers)
    names = draft.names("int")
    memory = tuple(draft.random.choice(names) for _ in function.memory)
    numbers = tuple(draft.number() for _ in function.numbers)
    return [m.Call(function.name, memory, numbers)]


def region(draft: Draft) -> list[m.Statement]:
    """A region whose first statements are calls that may be fused."""
    pieces = draft.random.choice([0, 0, 1, 1, 2])
    return region_of(draft, chain if draft.chance(0.8) else composed, pieces)


def region_of(
    draft: Draft, first: Phrase, pieces: int = 0, lists: str = "", intermediate: str = ""
) -> list[m.Statement]:
    """`first` with so many other pieces among it. `lists`: "none" or "out", which does not name
    an `intermediate` result."""
    outer, draft.in_region = draft.in_region, True
    before = len(draft.recent)
    body = first(draft)
    for _ in range(pieces):
        place = draft.random.randrange(len(body) + 1) if draft.chance(0.6) else len(body)
        body[place:place] = phrase(draft)
    if draft.chance(0.3):
        body += chain(draft)
    draft.in_region = outer
    written = list(dict.fromkeys(n for n in draft.recent[before:] if n in draft.vectors))
    others = [n for n in draft.vectors if draft.chance(0.3)]
    out: list[str] = []
    temporary: list[str] = []
    lists = lists or draft.random.choices(["none", "out", "temp"], [6, 4, 1])[0]
    if intermediate:
        out = [n for n in written if n != intermediate]
    elif written and lists == "out":
        out = [n for n in written if draft.chance(0.5)] or written[-1:]
    elif written and lists == "temp":
        temporary = written[:1]
    names = [n for n in dict.fromkeys([*written, *others]) if n not in (*out, *temporary)]
    return [m.Region(tuple(names), tuple(out), tuple(temporary), tuple(body))]


def nested(draft: Draft) -> list[m.Statement]:
    """A region; inside of another one only by a call, for kfusion takes no other ones."""
    if draft.in_region:
        return helper(draft)
    return region(draft) if draft.depth < 3 else some_call(draft)


def rebuild(draft: Draft) -> list[m.Statement]:
    return [m.Rebuild(same=draft.chance(0.5))]


PHRASES: Final[tuple[tuple[Phrase, float], ...]] = (
    (chain, 8),
    (some_call, 8),
    (composed, 5),
    (reduction, 2),
    (inline, 3),
    (sticky, 2),
    (setting, 2),
    (own_kernel, 2),
    (events, 2),
    (second_queue, 2),
    (show, 5),
    (read, 3),
    (write, 4),
    (fill, 2),
    (copy, 3),
    (mapped, 3),
    (swap, 3),
    (alias, 3),
    (made_again, 3),
    (scratch, 5),
    (synchronise, 5),
    (kernel_again, 1),
    (compute, 3),
    (conditional, 4),
    (loop, 4),
    (leave, 3),
    (helper, 4),
    (nested, 2),
    (rebuild, 0.3),
)


def phrase(draft: Draft) -> list[m.Statement]:
    draft.depth += 1
    choices, weights = zip(*PHRASES, strict=True)
    chosen = draft.random.choices(choices, weights)[0] if draft.depth < 5 else some_call
    found: list[m.Statement] = chosen(draft)
    draft.depth -= 1
    return found
