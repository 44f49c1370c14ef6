"""A host program as a value: functions, and the statements in them.

Names of memory are variables that hold a handle; two names may hold the same one. Integers
are written as numbers or as names of integer variables, `n` among them: the number of
elements that a library function works on.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from enum import Enum

Int = int | str


class Errors(Enum):
    """What a function does with the statuses of its calls."""

    EACH = "if (err) return err;"
    OR = "err |= call;"
    CHECK = "a macro that returns"
    GOTO = "a macro that jumps to the end"
    ABORT = "a macro that ends the program"
    GLOBAL = "a global variable"
    POINTER = "a parameter"

    @property
    def returns(self) -> bool:
        return self in (Errors.EACH, Errors.OR, Errors.CHECK, Errors.GOTO)


class Place(Enum):
    APPLICATION = "app"
    LIBRARY = "lib"
    OTHER = "other"  # a library file that kfusion is not given in some batches


class Storage(Enum):
    PLAIN = "read and write"
    COPIED = "filled from host memory when made"
    HOST = "over host memory"
    DEVICE = "made empty, written afterwards"
    EMPTY = "made empty"


@dataclass(frozen=True)
class Statement:
    """Blocks of statements are the fields that are tuples of statements."""


Block = tuple[Statement, ...]

# ---- Memory ----


@dataclass(frozen=True)
class Create(Statement):
    name: str
    kind: str  # "int" or "float"
    count: Int
    storage: Storage = Storage.COPIED
    seed: int = 0


@dataclass(frozen=True)
class CreatePart(Statement):
    name: str
    of: str
    offset: int
    count: Int


@dataclass(frozen=True)
class Alias(Statement):
    """`name = of`, perhaps with a reference of its own."""

    name: str
    of: str
    retained: bool


@dataclass(frozen=True)
class Release(Statement):
    name: str


@dataclass(frozen=True)
class Swap(Statement):
    first: str
    second: str


@dataclass(frozen=True)
class Write(Statement):
    name: str
    host: str
    offset: int
    count: Int
    blocking: bool = True
    queue: int = 0


@dataclass(frozen=True)
class Fill(Statement):
    name: str
    kind: str
    value: int
    offset: int
    count: Int
    queue: int = 0


@dataclass(frozen=True)
class Copy(Statement):
    to: str
    of: str
    count: Int
    queue: int = 0


@dataclass(frozen=True)
class Read(Statement):
    name: str
    host: str
    count: int
    blocking: bool = True
    queue: int = 0


@dataclass(frozen=True)
class Map(Statement):
    """The elements are printed, or each gets `add` added, between mapping and unmapping."""

    name: str
    count: int
    add: int = 0
    blocking: bool = True
    queue: int = 0


# ---- Kernels and launches ----


@dataclass(frozen=True)
class Argument:
    """One of: memory by name, a scalar, local memory for so many integers."""

    memory: str = ""
    number: Int = 0
    quarters: bool = False
    local: int = 0


@dataclass(frozen=True)
class CreateKernel(Statement):
    variable: str
    kernel: str


@dataclass(frozen=True)
class ReleaseKernel(Statement):
    """A kernel of the whole program is released and made again, one of a function released."""

    variable: str


@dataclass(frozen=True)
class SetArgument(Statement):
    variable: str
    index: int
    argument: Argument


@dataclass(frozen=True)
class Launch(Statement):
    variable: str
    items: Int
    local: int = 0  # 0: left to OpenCL; else items are rounded up
    queue: int = 0  # 1: another one; 2: one that is out of order
    waits: tuple[str, ...] = ()
    event: str = ""


@dataclass(frozen=True)
class Finish(Statement):
    queue: int = 0


@dataclass(frozen=True)
class Flush(Statement):
    queue: int = 0


@dataclass(frozen=True)
class Barrier(Statement):
    queue: int = 0


@dataclass(frozen=True)
class Marker(Statement):
    queue: int = 0


@dataclass(frozen=True)
class WaitFor(Statement):
    """clWaitForEvents, and the event is released."""

    event: str


@dataclass(frozen=True)
class Rebuild(Statement):
    """The program of all kernels is released with its kernels, and made again; `same`: it is
    kept, and built once more without kernels."""

    same: bool = False


# ---- Host ----


@dataclass(frozen=True)
class Compute(Statement):
    """variable = left operator right; with `hidden`, in a way that no compiler sees through."""

    variable: str
    left: Int
    operator: str = "+"
    right: Int = 0
    hidden: bool = False


@dataclass(frozen=True)
class ReadElement(Statement):
    """An integer of a buffer, read into a host variable."""

    variable: str
    name: str
    index: int
    queue: int = 0


@dataclass(frozen=True)
class HostFill(Statement):
    host: str
    kind: str
    seed: int


@dataclass(frozen=True)
class Show(Statement):
    name: str
    offset: int
    count: int
    queue: int = 0


@dataclass(frozen=True)
class ShowHost(Statement):
    host: str
    count: int


@dataclass(frozen=True)
class ShowHostPointer(Statement):
    """The host memory under a buffer, read as memory."""

    name: str


@dataclass(frozen=True)
class ShowVariable(Statement):
    variable: str


@dataclass(frozen=True)
class ShowSize(Statement):
    """A query: the size of a buffer."""

    name: str


@dataclass(frozen=True)
class ShowReferences(Statement):
    """A query: how often a buffer is held, by the program or by others that are part of it."""

    name: str


# ---- Control ----


@dataclass(frozen=True)
class If(Statement):
    left: Int
    operator: str
    right: Int
    then: Block
    otherwise: Block = ()


@dataclass(frozen=True)
class Loop(Statement):
    variable: str
    count: Int
    body: Block
    form: str = "for"  # while, do


@dataclass(frozen=True)
class Break(Statement):
    pass


@dataclass(frozen=True)
class Continue(Statement):
    pass


@dataclass(frozen=True)
class Return(Statement):
    pass


@dataclass(frozen=True)
class GotoEnd(Statement):
    pass


@dataclass(frozen=True)
class Region(Statement):
    names: tuple[str, ...]
    out: tuple[str, ...]  # nothing and no temporary: no promise
    temporary: tuple[str, ...]
    body: Block


@dataclass(frozen=True)
class Call(Statement):
    function: str
    memory: tuple[str, ...]
    numbers: tuple[Int, ...] = ()
    through: str = ""  # "pointer": a variable; "table": an entry of a table


# ---- Functions and programs ----


@dataclass(frozen=True)
class Function:
    """`bare` functions take handles and sizes, the others take vectors by pointer."""

    name: str
    memory: tuple[str, ...]
    numbers: tuple[str, ...]
    body: Block
    errors: Errors
    place: Place
    bare: bool = False
    sized: str = ""  # the vector whose number of elements is `n`
    counting: bool = False  # indices of arguments are counted up
    local_vectors: tuple[str, ...] = ()
    local_kernels: tuple[str, ...] = ()
    local_numbers: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()

    @property
    def signature(self) -> tuple[object, ...]:
        return (len(self.memory), len(self.numbers), self.errors, self.bare)


@dataclass(frozen=True)
class Program:
    number: int
    functions: tuple[Function, ...]  # those that it needs from libraries, then its own; main last
    vectors: tuple[str, ...]  # the main function's variables
    file_scope: bool  # whether these are variables of the file

    @property
    def main(self) -> Function:
        return self.functions[-1]

    def function(self, name: str) -> Function:
        return next(f for f in self.functions if f.name == name)

    def with_function(self, changed: Function) -> Program:
        functions = tuple(changed if f.name == changed.name else f for f in self.functions)
        return replace(self, functions=functions)


# ---- What statements name ----


def given_to_calls(block: Block) -> set[str]:
    """The memory that functions and kernels get."""
    found: set[str] = set()
    for path in paths(block):
        statement = at(block, path)
        if isinstance(statement, Call):
            found |= {*statement.memory}
        elif isinstance(statement, SetArgument) and statement.argument.memory:
            found.add(statement.argument.memory)
    return found


def named(block: Block) -> set[str]:
    """The memory that statements name in any way, lists of inner regions included."""
    found = given_to_calls(block)
    for path in paths(block):
        statement = at(block, path)
        for field in ("name", "of", "to", "first", "second"):
            if hasattr(statement, field):
                found.add(getattr(statement, field))
        if isinstance(statement, Region):
            found |= {*statement.names, *statement.out, *statement.temporary}
    return found


def with_fitting_lists(block: Block) -> Block:
    """Each region's list has names of the region only; `out` and `temp` what calls get."""
    found: list[Statement] = []
    for statement in block:
        inner = {name: with_fitting_lists(b) for name, b in blocks(statement).items()}
        changed = replace(statement, **inner)
        if isinstance(changed, Region):
            used, given = named(changed.body), given_to_calls(changed.body)
            changed = replace(
                changed,
                names=tuple(n for n in changed.names if n in used),
                out=tuple(n for n in changed.out if n in given),
                temporary=tuple(n for n in changed.temporary if n in given),
            )
        found.append(changed)
    return tuple(found)


# ---- Places of statements ----

# A way into nested blocks: position, then (field, position) for each block inside.
Path = tuple[int | str, ...]


def blocks(statement: Statement) -> dict[str, Block]:
    found = {}
    for field in fields(statement):
        value = getattr(statement, field.name)
        if isinstance(value, tuple) and field.name in ("then", "otherwise", "body"):
            found[field.name] = value
    return found


def paths(block: Block, before: Path = ()) -> list[Path]:
    """All statements, outer ones first."""
    found: list[Path] = []
    for position, statement in enumerate(block):
        here = (*before, position)
        found.append(here)
        for name, inner in blocks(statement).items():
            found += paths(inner, (*here, name))
    return found


def replaced(block: Block, path: Path, new: Block) -> Block:
    """The block with the statement at the path replaced by others."""
    position, *rest = path
    assert isinstance(position, int)
    if not rest:
        return (*block[:position], *new, *block[position + 1 :])
    name, *inner = rest
    assert isinstance(name, str)
    statement = block[position]
    changed = replaced(blocks(statement)[name], tuple(inner), new)
    return replaced(block, (position,), (replace(statement, **{name: changed}),))


def at(block: Block, path: Path) -> Statement:
    position, *rest = path
    assert isinstance(position, int)
    statement = block[position]
    if not rest:
        return statement
    name, *inner = rest
    assert isinstance(name, str)
    return at(blocks(statement)[name], tuple(inner))


def without(block: Block, path: Path, size: int) -> list[Block]:
    """The block without `size` neighbours from the path on; for one, also with what is inside
    of it in its place."""
    *outer, position = path
    assert isinstance(position, int)
    if outer:
        *before, name = outer
        inner = blocks(at(block, tuple(before)))[str(name)]
    else:
        inner = block
    if size > 1 and position % size:
        return []
    shorter = [(*inner[:position], *inner[position + size :])]
    if size == 1:
        here = inner[position]
        shorter += [replaced(inner, (position,), new) for new in blocks(here).values()]
    if not outer:
        return list(shorter)
    statement = at(block, tuple(before))
    return [
        replaced(block, tuple(before), (replace(statement, **{str(name): new}),)) for new in shorter
    ]
