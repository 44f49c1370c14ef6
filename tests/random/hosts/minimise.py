"""Make a program that differs smaller: drop statements while the difference stays."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from tests.random.hosts import model as m
from tests.random.hosts.campaign import BATCH
from tests.random.hosts.flavour import flavour_of
from tests.random.hosts.generate import generate, used_only
from tests.random.hosts.interpret import Fault, Interpreter
from tests.random.hosts.running import MODES, BuildError, Difference, compare

Differs = Callable[[m.Program], bool]


def minimised(program: m.Program, differs: Differs) -> m.Program:
    """Greedy: what can go goes, many statements at once first, until nothing can."""
    while True:
        smaller = program
        for size in (16, 8, 4, 2, 1):
            smaller = _once(smaller, size, differs)
        if smaller == program:
            return program
        program = smaller


def _once(program: m.Program, size: int, differs: Differs) -> m.Program:
    """Try to drop `size` neighbours at each place, the last ones first."""
    names = [f.name for f in program.functions if f.place is m.Place.APPLICATION]
    for name in reversed(names):
        for path in reversed(m.paths(_body(program, name))):
            for candidate in _smaller(program, name, path, size):
                if _valid(candidate) and differs(candidate):
                    program = candidate
                    break
    return program


def _body(program: m.Program, name: str) -> m.Block:
    """Nothing for a function that went with its last call."""
    return next((f.body for f in program.functions if f.name == name), ())


def _smaller(program: m.Program, name: str, path: m.Path, size: int) -> Iterator[m.Program]:
    """Without statements from a place on, or with those inside of one in its place."""
    body = _body(program, name)
    if path not in m.paths(body):
        return
    for new in m.without(body, path, size):
        changed = replace(program.function(name), body=new)
        yield used_only(program.with_function(changed))


def _valid(program: m.Program) -> bool:
    try:
        Interpreter(program).run()
    except Fault:
        return False
    return True


def keep(number: int, folder: Path, without: tuple[str, ...] = ()) -> str:
    """Keep a program that differs, and what is left of it when it is made smaller."""
    program = generate(number)
    kept = folder / str(number)
    found = _alone(program, kept / "whole", without)
    if found is None:
        return f"{kept}: program {number} alone does not differ"
    with tempfile.TemporaryDirectory(prefix="hosts-") as scratch:
        modes = (found.mode,) if found.mode in MODES else MODES

        def differs(candidate: m.Program) -> bool:
            other = _alone(candidate, Path(scratch), without, modes)
            return other is not None and other.kind == found.kind

        small = minimised(program, differs)
    left = _alone(small, kept / "small", without)
    (kept / "difference.txt").write_text(f"{left.run}:\n{left.text}\n" if left else "")
    count = len(m.paths(small.main.body))
    return f"{kept}: {count} statements are left; {left.run if left else 'nothing'} differs"


def _alone(
    program: m.Program,
    folder: Path,
    without: tuple[str, ...],
    modes: tuple[str, ...] = MODES,
) -> Difference | None:
    flavour = flavour_of(program.number // BATCH)
    try:
        found = compare([program], flavour, folder, without, modes).differences
    except BuildError:
        return None
    return found[0] if found else None
