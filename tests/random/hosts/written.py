"""What the text of a block writes, carried out or not: as a reader of the program sees it."""

from __future__ import annotations

from tests.random.hosts import model as m
from tests.random.hosts.kernels import KERNELS


def written_in(block: m.Block, functions: dict[str, m.Function]) -> set[str]:
    """The names of memory that a launch in the block may write."""
    statements = [m.at(block, path) for path in m.paths(block)]
    own = {s.variable: s.kernel for s in statements if isinstance(s, m.CreateKernel)}
    found: set[str] = set()
    for statement in statements:
        if isinstance(statement, m.SetArgument):
            name = own.get(statement.variable, statement.variable.removeprefix("k_"))
            parameters = KERNELS[name].parameters if name in KERNELS else ()
            if any(p.written for p in parameters[statement.index :][:1]):
                found.add(statement.argument.memory)
        elif isinstance(statement, m.Call) and statement.function in functions:
            called = functions[statement.function]
            inner = written_in(called.body, functions)
            pairs = zip(called.memory, statement.memory, strict=True)
            found |= {given for parameter, given in pairs if parameter in inner}
    return found
