"""Is what `out` and `temp` call temporary read later, on the likely path of the program?

The program is executed through the region and on, until it ends or nothing more is known. A read on
the way to which nothing is guessed contradicts the annotation: an error. Any other one is noted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pycparser import c_ast

from kfusion.graph.model import Invocation, Memory
from kfusion.host.handles import kernel_names, kernel_of
from kfusion.host.region import Region
from kfusion.host.runs import Before, Passed, Run, Use
from kfusion.host.symbolic import App, Entry, Made, Sym
from kfusion.kernel.model import Kernel, Mode
from kfusion.parse.unit import Unit
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import Diagnostic, Severity, error
from kfusion.source.protections import is_on, protection

CONTRADICTED = protection("host-out-contradicted", "out or temp against a later read is believed")


@dataclass(frozen=True)
class _Read:
    owner: str
    node: c_ast.FuncCall
    unit: Unit
    when: str
    certain: bool


def contradictions(
    region: Region,
    run: Run,
    kernels: Mapping[str, Kernel],
    temporary: Mapping[Sym, str],
    *,
    certain: bool,
) -> list[Diagnostic]:
    """`temporary`: objects that the region writes, and their variables; `certain`: does the region
    do the same on all paths? The notes; a certain contradiction is raised."""
    found: dict[str, _Read] = {}
    for read in _reads_behind(region, run, kernels, temporary) if is_on(CONTRADICTED) else ():
        if certain and read.certain:
            raise _error(read, region)
        found.setdefault(read.owner, read)
    return [_diagnostic(found[owner], region) for owner in sorted(found)]


def _reads_behind(
    region: Region, run: Run, kernels: Mapping[str, Kernel], temporary: Mapping[Sym, str]
) -> Iterator[_Read]:
    """Who reads what the region has left in the objects, before anything overwrites it?"""
    passed = run.passed.get(region.block)
    if passed is None:
        return
    names = kernel_names(run.program)
    before = run.before[region.block]
    watched = {
        before.value(value): owner
        for value, owner in temporary.items()
        if _is_held(value, before, passed)
    }
    for use in run.log[passed.uses :]:
        straight = use.turns == passed.turns
        reads = dict.fromkeys(use.reads, straight)  # and is that certain?
        if use.launch is not None:
            handle = use.launch.kernel
            name = handle.name if isinstance(handle, Made) else kernel_of(handle, names)
            kernel = kernels.get(name)
            if kernel is None or max(use.given, default=0) >= len(kernel.parameters):
                continue
            for at, value in use.given.items():
                if may_read(kernel, at):
                    reads[value] = straight and not may_write(kernel, at)
        for value, is_certain in reads.items():
            if value in watched:
                yield _read(watched[value], use, passed, region, certain=is_certain)
        for value in (*reads, *use.writes, *use.given.values()):
            watched.pop(value, None)


def _is_held(value: Sym, before: Before, passed: Passed) -> bool:
    """Is the object in the end where it was before, and under no other name of the function?"""
    if not isinstance(value, Entry):
        return False
    handle, place = before.value(value), before.place(value.place)
    own = passed.stack[-1][0].number
    if getattr(place.root, "frame", None) == own and not isinstance(value.place.root, App):
        return False  # a pointer leads to a variable of the function, which has another name
    others = (
        p
        for p, _ in passed.state.holding({handle})
        if p != place and getattr(p.root, "frame", own) == own
    )
    return passed.state.read(place) == handle and next(others, None) is None


def _read(owner: str, use: Use, passed: Passed, region: Region, *, certain: bool) -> _Read:
    pairs = enumerate(zip(passed.stack, use.stack, strict=False))
    depth = max((i for i, ((one, _), (other, _)) in pairs if one is other), default=0)
    (frame, led_here), (_, call) = passed.stack[depth], use.stack[depth]
    assert call is not None
    again = call is led_here  # in a loop of a caller
    when = f"after {region.function.name} returns"
    if depth == len(passed.stack) - 1:
        own = region.unit
        again = frame.unit.index(call.name) < own.match(own.index(region.block))
        when = "after the region"
    when = "in the next iteration" if again else when
    return _Read(owner, call, frame.unit, when, certain)


def may_read(kernel: Kernel, position: int) -> bool:
    """The memory that it gets there."""
    return bool(kernel.features) or any(mode.reads for mode in _modes(kernel, position))


def may_write(kernel: Kernel, position: int) -> bool:
    """What it reads may be its own then."""
    return bool(kernel.features) or any(mode.writes for mode in _modes(kernel, position))


def written_by(invocation: Invocation) -> list[str]:
    """The memory that a launch may write: of what is only read nothing is stored."""
    return [
        argument.name
        for position, argument in enumerate(invocation.arguments)
        if isinstance(argument, Memory) and may_write(invocation.kernel, position)
    ]


def _modes(kernel: Kernel, position: int) -> list[Mode]:
    name = kernel.parameters[position].name
    return [access.mode for access in kernel.accesses if access.parameter == name]


def _error(found: _Read, region: Region) -> Exception:
    has_outs = any(item.role == "out" for item in region.mark.data)
    help = f"name it: out({found.owner})" if has_outs else f"take '{found.owner}' out of temp(...)"
    return error(
        "KF303",
        f"'{found.owner}' is temporary here, but it is read {found.when}",
        region.mark.annotation,
        help=help,
        related=(("it is read here", found.unit.node_span(found.node)),),
        exit_code=1,
    )


def _diagnostic(found: _Read, region: Region) -> Diagnostic:
    return Diagnostic(
        "KF403",
        Severity.NOTE,
        f"'{found.owner}' is temporary here, and may be read {found.when}",
        region.mark.annotation,
        related=(("it is read here", found.unit.node_span(found.node)),),
    )
