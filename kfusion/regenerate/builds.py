"""Conditional compilation inside library functions: what holds for this build only.

A fused function joins statements as one build sees them. Built otherwise, the original
functions run.
"""

from __future__ import annotations

from kfusion.host.program import HostFunction, HostProgram
from kfusion.kernel.conditions import Block, Conditions
from kfusion.kernel.pins import pin_of
from kfusion.kernel.surroundings import definition_span
from kfusion.regenerate.parts import Part
from kfusion.regenerate.pieces import CannotWriteError
from kfusion.source.protections import is_on, protection

BUILDS = protection("host-builds", "the library is always built as kfusion sees it")


def build_conditions(parts: list[Part], program: HostProgram) -> list[str]:
    """What `#if` must find true for the functions to be what kfusion has read."""
    functions = {part.run.function: None for part in parts}
    for function in tuple(functions):
        names = program.calls(function)
        functions |= dict.fromkeys(f for n in names if (f := program.lookup(n, function.unit)))
    found: dict[str, None] = {}
    for function in functions if is_on(BUILDS) else ():
        for block in _blocks(function, program):
            pin = pin_of(_conditions(function, program), block)
            if pin is None:
                raise CannotWriteError(
                    f"an #if in {function.name} cannot be repeated in another function"
                )
            found |= dict.fromkeys(pin)
    return list(found)


def _conditions(function: HostFunction, program: HostProgram) -> Conditions:
    known = program.remembered
    key = ("conditions", function.unit)
    if key not in known:
        known[key] = Conditions(function.unit)
    conditions: Conditions = known[key]
    return conditions


def _blocks(function: HostFunction, program: HostProgram) -> list[Block]:
    """Those inside the function."""
    if not function.in_main_file:
        return []
    span = definition_span(function.unit, function.function)
    blocks = _conditions(function, program).blocks
    return [block for block in blocks if span.start <= block.start < span.end]
