"""Random host programs whose behaviour is defined."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from tests.random.hosts import aimed, phrases
from tests.random.hosts import model as m
from tests.random.hosts.draft import Draft
from tests.random.hosts.helpers import stepping
from tests.random.hosts.interpret import Fault, Interpreter
from tests.random.hosts.kernels import GROUP

SIZES = (6, 17, 32)
MOST_REPAIRS = 60


def generate(number: int) -> m.Program:
    """The program of this number, always the same one."""
    random = Random(number)
    while True:
        program = repaired(_draft(number, random))
        if program is not None:
            return program


def repaired(program: m.Program) -> m.Program | None:
    """Without the statements that make it undefined; None if little is left."""
    for _ in range(MOST_REPAIRS):
        program = _with_fitting_lists(program)
        try:
            done = Interpreter(program).run()
        except Fault as fault:
            function = program.function(fault.function)
            body = m.replaced(function.body, fault.path, ())
            program = program.with_function(replace(function, body=body))
        else:
            if done.region_launches < 2:
                return None
            return used_only(_without_vain_promises(program, done.ended))
    return None


def _without_vain_promises(program: m.Program, ended: set[tuple[str, m.Path]]) -> m.Program:
    """A promise is about the statements behind a region: none where these are never reached."""
    for function in program.functions:
        body = function.body
        for path in m.paths(body):
            region = m.at(body, path)
            if isinstance(region, m.Region) and (function.name, path) not in ended:
                names = (*region.names, *region.out, *region.temporary)
                plain = replace(region, names=names, out=(), temporary=())
                body = m.replaced(body, path, (plain,))
        program = program.with_function(replace(function, body=body))
    return program


def _with_fitting_lists(program: m.Program) -> m.Program:
    functions = (replace(f, body=m.with_fitting_lists(f.body)) for f in program.functions)
    return replace(program, functions=tuple(functions))


def used_only(program: m.Program) -> m.Program:
    """Without functions that nothing calls; the main function declares what it uses."""
    wanted = {program.main.name}
    for function in reversed(program.functions):
        if function.name in wanted:
            for path in m.paths(function.body):
                statement = m.at(function.body, path)
                if isinstance(statement, m.Call):
                    wanted.add(statement.function)
    kept = tuple(f for f in program.functions if f.name in wanted)
    return _with_fitting_lists(replace(program, functions=kept))


def _draft(number: int, random: Random) -> m.Program:
    size = random.choice(SIZES)
    vectors = dict.fromkeys("abcde", ("int", size))
    vectors.update(dict.fromkeys("fgh", ("float", size)))
    vectors.update({"v": ("int", 1), "w": ("int", -(-size // GROUP))})
    draft = Draft(number, random, size, dict(vectors))
    draft.style = random.choice([None, *phrases.LIBRARY_ERRORS])
    file_scope = random.random() < 0.4
    for index in range(random.choice([0, 1, 2])):
        draft.helpers.append(stepping(draft, f"step_{number}_{index}"))
    errors = random.choice([e for e in m.Errors if e is not m.Errors.POINTER])
    body = _main(draft, vectors)
    names = tuple(dict.fromkeys([*vectors, *_named(body)]))
    main = _with_locals(m.Function(f"program_{number}", (), (), body, errors, m.Place.APPLICATION))
    functions = (*draft.functions.values(), *draft.helpers, main)
    return m.Program(number, functions, names, file_scope)


def _main(draft: Draft, vectors: dict[str, tuple[str, int]]) -> m.Block:
    random = draft.random
    body: list[m.Statement] = []
    for index, (name, (kind, count)) in enumerate(vectors.items()):
        storages = [m.Storage.COPIED, m.Storage.DEVICE, m.Storage.HOST, m.Storage.PLAIN]
        storage = random.choices(storages, [10, 5, 1, 5])[0]
        body.append(m.Create(name, kind, count, storage, index))
        if storage is m.Storage.HOST:
            draft.over_host.append(name)
    if random.random() < 0.3:
        body += _parts(draft)
    body += [m.Compute("v1", random.randrange(4), hidden=True), m.Compute("v2", 2, "+", 0)]
    body += phrases.sticky(draft)[:-1] if random.random() < 0.4 else []
    for _ in range(random.choice([1, 1, 2, 3])):
        way = random.choices(["plain", "loop", "condition"], [6, 3, 1])[0]
        draft.loops += way == "loop"
        section = aimed.section(draft) if draft.chance(0.6) else phrases.region(draft)
        if way == "loop":
            between = phrases.phrase(draft) if random.random() < 0.4 else []
            draft.loops -= 1
            section = [m.Loop("i1", random.choice([2, 3]), (*section, *between))]
        elif way == "condition":
            section = [phrases.condition(draft, tuple(section))]
        body += section
        for _ in range(random.choice([0, 1, 2])):
            body += phrases.phrase(draft)
    return (*body, *_shows(draft))


def _parts(draft: Draft) -> list[m.Statement]:
    """Parts of one buffer, which overlap or do not, among the vectors."""
    kind = draft.random.choice(["int", "float"])
    draft.vectors["all"] = (kind, 64)
    found: list[m.Statement] = [m.Create("all", kind, 64, m.Storage.COPIED, 3)]
    for name, offset in (("p", 0), ("q", draft.random.choice([0, 32]))):
        draft.vectors[name] = (kind, draft.size)
        found.append(m.CreatePart(name, "all", offset, draft.size))
    return found


def _shows(draft: Draft) -> list[m.Statement]:
    found: list[m.Statement] = [m.Finish(0), m.Finish(1)]
    for name, (_, count) in draft.vectors.items():
        found.append(m.Show(name, 0, min(count, 64)))
    found += [m.ShowVariable("v1"), m.ShowVariable("v2")]
    return [*found, m.Show("a", 0, draft.size // 2), m.Show("f", 0, draft.size // 2)]


def _named(body: m.Block) -> list[str]:
    statements = (m.at(body, path) for path in m.paths(body))
    kinds = (m.Create, m.CreatePart, m.Alias)
    return [s.name for s in statements if isinstance(s, kinds)]


def _with_locals(function: m.Function) -> m.Function:
    numbers: dict[str, None] = {}
    kernels: dict[str, None] = {}
    events: dict[str, None] = {}
    hosts: dict[str, None] = {}
    for path in m.paths(function.body):
        statement = m.at(function.body, path)
        if isinstance(statement, m.Compute | m.ReadElement):
            numbers[statement.variable] = None
        elif isinstance(statement, m.CreateKernel):
            kernels[statement.variable] = None
        elif isinstance(statement, m.Launch) and statement.event:
            events[statement.event] = None
        elif isinstance(statement, m.Write | m.Read | m.HostFill | m.ShowHost):
            hosts[statement.host] = None
    return replace(
        function,
        local_numbers=tuple(numbers),
        local_kernels=tuple(kernels),
        events=tuple(events),
        hosts=tuple(hosts),
    )
