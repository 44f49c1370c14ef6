"""Carry a program out, statement by statement, to see that all it does is defined.

A program that comes to its end here has no access out of bounds, reads nothing that is not
initialised, has no race between work-items, queues or the host, launches with all arguments
set to objects that are alive, and keeps the promises of its regions' lists. What it prints is
known as well, except for floats.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import singledispatchmethod

from tests.random.hosts import model as m
from tests.random.hosts.frames import (
    OPERATORS,
    Frame,
    Items,
    Leave,
    LeaveFunction,
    LeaveLoop,
    NextTurn,
    RegionState,
    added,
    arguments_of,
    forget_temporaries,
    shown,
    uses_of,
)
from tests.random.hosts.kernels import GROUP, KERNELS, UNKNOWN, Unknown, Value
from tests.random.hosts.memory import (
    UNORDERED,
    Buffer,
    Host,
    Invalid,
    KernelObject,
    Queues,
    Root,
    Vector,
    pattern,
)
from tests.random.hosts.written import written_in

MOST_STATEMENTS = 3000
ROOM = 64  # elements of a host array


class Fault(Exception):  # noqa: N818
    """An invalid statement, with the place of it in a function of the program's own."""

    def __init__(self, function: str, path: m.Path, why: str) -> None:
        super().__init__(f"{function} {path}: {why}")
        self.function, self.path, self.why = function, path, why


class Interpreter:
    def __init__(self, program: m.Program) -> None:
        self.program = program
        self.functions = {f.name: f for f in program.functions}
        self.kernels = {f"k_{name}": KernelObject(name) for name in KERNELS}
        self.queues = Queues()
        self.frames: list[Frame] = []
        self.regions: list[RegionState] = []
        self.log: list[str] = []
        self.statements = 0
        self.region_launches = 0
        self.ended: set[tuple[str, m.Path]] = set()  # regions that ended at their closing brace

    def run(self) -> Interpreter:
        main = self.program.main
        self._enter(main, {name: Vector() for name in self.program.vectors}, {})
        return self

    # ---- Functions and blocks ----

    def _enter(
        self, function: m.Function, vectors: dict[str, Vector], numbers: dict[str, Value]
    ) -> None:
        if len(self.frames) > 8:
            raise Invalid("too many calls inside each other")
        own = {name: Vector() for name in function.local_vectors}
        frame = Frame(function, {**vectors, **own}, numbers)
        frame.kernels = dict.fromkeys(function.local_kernels)
        frame.hosts = {name: Host(cells=[0] * ROOM) for name in function.hosts}
        frame.events = dict.fromkeys(function.events)
        self.frames.append(frame)
        depth = len(self.regions)
        with suppress(LeaveFunction):
            self._block(function.body, ())
        assert len(self.regions) == depth
        self.frames.pop()

    def _fault(self, why: str) -> None:
        for frame in reversed(self.frames):
            if frame.function.place is m.Place.APPLICATION:
                raise Fault(frame.function.name, frame.path, why)
        raise AssertionError(why)

    def _block(self, block: m.Block, before: m.Path) -> None:
        frame = self.frames[-1]
        for position, statement in enumerate(block):
            frame.path = (*before, position)
            self.statements += 1
            try:
                if self.statements > MOST_STATEMENTS:
                    raise Invalid("too long")
                self._do(statement)
            except Invalid as why:
                self._fault(str(why))

    def _inner(self, name: str, block: m.Block, path: m.Path) -> None:
        self._block(block, (*path, name))

    @property
    def _frame(self) -> Frame:
        return self.frames[-1]

    # ---- Values ----

    def _value(self, value: m.Int) -> Value:
        if isinstance(value, int):
            return value
        if value.endswith(".n"):
            return self._vector(value.removesuffix(".n")).count
        if value not in self._frame.numbers:
            raise Invalid(f"{value} has no value")
        return self._frame.numbers[value]

    def _known(self, value: m.Int) -> int:
        found = self._value(value)
        if isinstance(found, Unknown):
            raise Invalid(f"the value of {value} is not known")
        return found

    def _vector(self, name: str) -> Vector:
        if name not in self._frame.vectors:
            raise Invalid(f"no variable {name}")
        return self._frame.vectors[name]

    def _buffer(self, name: str) -> Buffer:
        buffer = self._vector(name).buffer
        if buffer is None or not buffer.alive:
            raise Invalid(f"{name} holds no buffer")
        return buffer

    def _host(self, name: str) -> Host:
        if name not in self._frame.hosts:
            raise Invalid(f"no array {name}")
        return self._frame.hosts[name]

    def _compute(self, left: m.Int, sign: str, right: m.Int) -> Value:
        a, b = self._value(left), self._value(right)
        if isinstance(a, Unknown) or isinstance(b, Unknown):
            return UNKNOWN
        if sign == "%" and (b <= 0 or a < 0):
            raise Invalid("a remainder")
        result = int(OPERATORS[sign](a, b))
        if abs(result) >= 1 << 31:
            raise Invalid("an overflow")
        return result

    def _kernel(self, variable: str) -> KernelObject:
        kernel = self._frame.kernels.get(variable) or self.kernels.get(variable)
        if kernel is None or not kernel.alive:
            raise Invalid(f"{variable} is no kernel")
        return kernel

    # ---- Commands ----

    def _command(self, queue: int, *uses: tuple[Root | Host, bool], blocking: bool = False) -> int:
        return self.queues.command(queue, list(uses), blocking)

    def _store(self, buffer: Buffer, index: int, value: Value) -> None:
        buffer.store(index, value)
        self._wrote(buffer.root, buffer.place(index))

    def _wrote(self, root: Root, place: int) -> None:
        for region in self.regions:
            region.written.add((root, place))

    def _print(self, label: str, cells: list[Value]) -> None:
        self.log.append(f"{label}: " + " ".join(shown(cell) for cell in cells))

    @singledispatchmethod
    def _do(self, statement: m.Statement) -> None:
        raise NotImplementedError(type(statement))

    @_do.register
    def _(self, s: m.Create) -> None:
        count = self._known(s.count)
        if not 0 < count <= ROOM:
            raise Invalid("a buffer of no or too many elements")
        cells: list[Value | None] = [None] * count
        if s.storage is not m.Storage.EMPTY:
            cells[:] = pattern(s.kind, s.seed, count)
        root = Root(s.kind, cells, s.storage is m.Storage.HOST)
        self._vector(s.name).buffer = Buffer(root, 0, count)
        self._vector(s.name).count = count

    @_do.register
    def _(self, s: m.CreatePart) -> None:
        whole, count = self._buffer(s.of), self._known(s.count)
        if whole.parent is not None or not 0 < count <= whole.count - s.offset:
            raise Invalid("no part of a buffer")
        whole.references += 1
        vector = self._vector(s.name)
        vector.buffer = Buffer(whole.root, s.offset, count, whole)
        vector.count = count

    @_do.register
    def _(self, s: m.Alias) -> None:
        buffer = self._buffer(s.of)
        buffer.references += s.retained
        vector = self._vector(s.name)
        vector.buffer, vector.count = buffer, self._vector(s.of).count

    @_do.register
    def _(self, s: m.Release) -> None:
        buffer: Buffer | None = self._buffer(s.name)
        self._vector(s.name).buffer = None
        while buffer is not None:
            buffer.references -= 1
            if buffer.alive:
                break
            if buffer.root.over_host and buffer.parent is None:
                # The host memory below it is given back.
                self.queues.host_uses(buffer.root, writes=True)
            buffer = buffer.parent

    @_do.register
    def _(self, s: m.Swap) -> None:
        a, b = self._vector(s.first), self._vector(s.second)
        if self._buffer(s.first).root.kind != self._buffer(s.second).root.kind:
            raise Invalid("an exchange of two types")
        a.buffer, b.buffer, a.count, b.count = b.buffer, a.buffer, b.count, a.count

    @_do.register
    def _(self, s: m.Write) -> None:
        buffer, host, count = self._buffer(s.name), self._host(s.host), self._known(s.count)
        if host.kind != buffer.root.kind or not 0 < count <= ROOM:
            raise Invalid("data of another type, or none")
        self._command(s.queue, (buffer.root, True), (host, False), blocking=s.blocking)
        for i in range(count):
            value = host.cells[i]
            if value is None:
                raise Invalid("the host's data is not initialised")
            self._store(buffer, s.offset + i, value)

    @_do.register
    def _(self, s: m.Fill) -> None:
        buffer, count = self._buffer(s.name), self._known(s.count)
        if buffer.root.kind != s.kind or count <= 0:
            raise Invalid("data of another type, or none")
        self._command(s.queue, (buffer.root, True))
        for i in range(count):
            self._store(buffer, s.offset + i, s.value if s.kind == "int" else UNKNOWN)

    @_do.register
    def _(self, s: m.Copy) -> None:
        to, of, count = self._buffer(s.to), self._buffer(s.of), self._known(s.count)
        if to.root is of.root or to.root.kind != of.root.kind or count <= 0:
            raise Invalid("a copy that overlaps, or of another type")
        self._command(s.queue, (to.root, True), (of.root, False))
        for i in range(count):
            self._store(to, i, of.load(i))

    @_do.register
    def _(self, s: m.Read) -> None:
        buffer, host = self._buffer(s.name), self._host(s.host)
        self.queues.host_uses(host, writes=True)
        self._command(s.queue, (buffer.root, False), (host, True), blocking=s.blocking)
        host.kind = buffer.root.kind
        host.cells[:] = [None] * ROOM
        host.cells[: s.count] = [buffer.load(i) for i in range(s.count)]

    @_do.register
    def _(self, s: m.Map) -> None:
        buffer = self._buffer(s.name)
        self._command(s.queue, (buffer.root, s.add != 0), blocking=True)
        cells = [buffer.load(i) for i in range(s.count)]
        if not s.add:
            self._print(f"mapped {s.name}", cells)
        elif buffer.root.kind != "int":
            raise Invalid("floats are not added to")
        for i in range(s.count if s.add else 0):
            self._store(buffer, i, added(cells[i], s.add))
        self._command(s.queue, (buffer.root, s.add != 0))

    @_do.register
    def _(self, s: m.CreateKernel) -> None:
        if s.variable not in self._frame.kernels:
            raise Invalid(f"no variable {s.variable}")
        self._frame.kernels[s.variable] = KernelObject(s.kernel)

    @_do.register
    def _(self, s: m.ReleaseKernel) -> None:
        self._kernel(s.variable).alive = False
        if s.variable in self.kernels:
            self.kernels[s.variable] = KernelObject(self.kernels[s.variable].name)

    @_do.register
    def _(self, s: m.SetArgument) -> None:
        kernel = self._kernel(s.variable)
        parameter = KERNELS[kernel.name].parameters[s.index]
        argument = s.argument
        if parameter.is_buffer:
            kernel.arguments[s.index] = self._buffer(argument.memory)
        elif parameter.kind == "local":
            kernel.arguments[s.index] = argument.local
        else:
            if argument.quarters != (parameter.kind == "quarters"):
                raise Invalid("a scalar of another type")
            kernel.arguments[s.index] = self._known(argument.number)

    @_do.register
    def _(self, s: m.Launch) -> None:
        kernel = self._kernel(s.variable)
        spec, items = KERNELS[kernel.name], self._known(s.items)
        if items <= 0 or items > ROOM or (spec.one_item and items != 1):
            raise Invalid("a range of no or too many items")
        if spec.groups and s.local != GROUP:
            raise Invalid("a group of another size")
        arguments = arguments_of(spec, kernel)
        if (s.waits or s.event) and s.queue == UNORDERED:
            raise Invalid("an event of one command alone")
        self._wait(s)
        uses = uses_of(spec, arguments)
        if s.local:
            items = -(-items // s.local) * s.local
        work = Items(spec, arguments)
        for i in range(items):
            work.item = i
            spec.meaning(i, work)
        number = self._command(s.queue, *uses)
        for root, place in work.writers:
            self._wrote(root, place)
        self.region_launches += bool(self.regions)
        if s.event:
            if self._frame.events[s.event] is not None:
                raise Invalid("an event that is in use")
            self._frame.events[s.event] = (s.queue, number)

    def _wait(self, s: m.Launch) -> None:
        for name in s.waits:
            event = self._frame.events.get(name)
            if event is None:
                raise Invalid("no such event")
            queue, number = event
            self.queues.wait(s.queue, queue, number)

    @_do.register
    def _(self, s: m.Finish) -> None:
        self.queues.finish(s.queue)

    @_do.register
    def _(self, s: m.Barrier) -> None:
        self.queues.barrier(s.queue)

    @_do.register(m.Flush)
    @_do.register(m.Marker)
    def _(self, s: m.Statement) -> None:
        pass

    @_do.register
    def _(self, s: m.WaitFor) -> None:
        event = self._frame.events.get(s.event)
        if event is None:
            raise Invalid("no such event")
        self.queues.finish_to(*event)
        self._frame.events[s.event] = None

    @_do.register
    def _(self, s: m.Rebuild) -> None:
        for queue in range(len(self.queues.pending)):
            self.queues.finish(queue)
        self.kernels = {f"k_{name}": KernelObject(name) for name in KERNELS}

    # ---- Host ----

    @_do.register
    def _(self, s: m.Compute) -> None:
        self._frame.numbers[s.variable] = self._compute(s.left, s.operator, s.right)

    @_do.register
    def _(self, s: m.ReadElement) -> None:
        buffer = self._buffer(s.name)
        if buffer.root.kind != "int":
            raise Invalid("a number of floats")
        self._command(s.queue, (buffer.root, False), blocking=True)
        self._frame.numbers[s.variable] = buffer.load(s.index)

    @_do.register
    def _(self, s: m.HostFill) -> None:
        host = self._host(s.host)
        self.queues.host_uses(host, writes=True)
        host.kind, host.cells[:] = s.kind, pattern(s.kind, s.seed, ROOM)

    @_do.register
    def _(self, s: m.Show) -> None:
        buffer = self._buffer(s.name)
        self._command(s.queue, (buffer.root, False), blocking=True)
        self._print(s.name, [buffer.load(s.offset + i) for i in range(s.count)])

    @_do.register
    def _(self, s: m.ShowHost) -> None:
        host = self._host(s.host)
        self.queues.host_uses(host, writes=False)
        cells = [c for c in host.cells[: s.count] if c is not None]
        if len(cells) < s.count:
            raise Invalid("an array that is not initialised")
        self._print(f"host {s.host}", cells)

    @_do.register
    def _(self, s: m.ShowHostPointer) -> None:
        buffer = self._buffer(s.name)
        if not buffer.root.over_host or buffer.parent is not None:
            raise Invalid("no host pointer")
        self.queues.host_uses(buffer.root, writes=False)
        self._print(f"below {s.name}", [buffer.load(i) for i in range(buffer.count)])

    @_do.register
    def _(self, s: m.ShowVariable) -> None:
        self._print(f"variable {s.variable}", [self._value(s.variable)])

    @_do.register
    def _(self, s: m.ShowSize) -> None:
        self._print(f"size of {s.name}", [4 * self._buffer(s.name).count])

    @_do.register
    def _(self, s: m.ShowReferences) -> None:
        buffer = self._buffer(s.name)
        if self.queues.is_used(buffer.root):
            raise Invalid("a command that goes on may hold it")
        self._print(f"references of {s.name}", [buffer.references])

    # ---- Control ----

    @_do.register
    def _(self, s: m.If) -> None:
        path, value = self._frame.path, self._compute(s.left, s.operator, s.right)
        if isinstance(value, Unknown):
            raise Invalid("a condition that is not known")
        name = "then" if value else "otherwise"
        self._inner(name, s.then if value else s.otherwise, path)

    @_do.register
    def _(self, s: m.Loop) -> None:
        path, count = self._frame.path, self._known(s.count)
        if count > 6 or (s.form == "do" and count < 1):
            raise Invalid("turns of a loop")
        self._frame.loops += 1
        turn = 0
        try:
            while turn < count:
                self._frame.numbers[s.variable] = turn
                with suppress(NextTurn):
                    self._inner("body", s.body, path)
                turn += 1
        except LeaveLoop:
            pass
        self._frame.numbers.pop(s.variable, None)
        self._frame.loops -= 1

    @_do.register
    def _(self, s: m.Break) -> None:
        if not self._frame.loops:
            raise Invalid("no loop")
        raise LeaveLoop

    @_do.register
    def _(self, s: m.Continue) -> None:
        if not self._frame.loops:
            raise Invalid("no loop")
        raise NextTurn

    @_do.register(m.Return)
    @_do.register(m.GotoEnd)
    def _(self, s: m.Statement) -> None:
        raise LeaveFunction

    @_do.register
    def _(self, s: m.Region) -> None:
        path = self._frame.path
        for name in (*s.names, *s.out, *s.temporary):
            self._vector(name)
        with self._region(s):
            self._inner("body", s.body, path)
        self.ended.add((self._frame.function.name, path))

    @contextmanager
    def _region(self, s: m.Region) -> Iterator[None]:
        state = RegionState()
        self.regions.append(state)
        before = self._written_by(s)
        try:
            yield
        except Leave:
            self._end(s, state, before)
            raise
        except Fault:
            raise
        else:
            self._end(s, state, before)

    def _end(self, s: m.Region, state: RegionState, before: list[Buffer]) -> None:
        self.regions.pop()
        for buffer in (*before, *self._written_by(s)):
            state.written |= {(buffer.root, buffer.offset + i) for i in range(buffer.count)}
        out = [self._vector(name).buffer for name in s.out]
        temporary = [self._vector(name).buffer for name in s.temporary]
        forget_temporaries(state.written, out, temporary)

    def _written_by(self, s: m.Region) -> list[Buffer]:
        """Whatever the region's text writes is temporary, even where no launch wrote it."""
        names = written_in(s.body, self.functions) if s.out else set()
        vectors = (self._frame.vectors.get(name) for name in sorted(names))
        return [v.buffer for v in vectors if v is not None and v.buffer is not None]

    @_do.register
    def _(self, s: m.Call) -> None:
        function = self.functions[s.function]
        given = [self._vector(name) for name in s.memory]
        if function.bare:
            given = [Vector(v.buffer, v.count) for v in given]
        if any(v.buffer is None or not v.buffer.alive for v in given):
            raise Invalid("a variable that holds no buffer")
        vectors = dict(zip(function.memory, given, strict=True))
        values = [self._known(v) for v in s.numbers]
        numbers: dict[str, Value] = dict(zip(function.numbers, values, strict=True))
        if function.sized:
            numbers["n"] = vectors[function.sized].count
        if function.place is m.Place.APPLICATION and self.program.file_scope:
            vectors = {**self.frames[0].vectors, **vectors}
        self._enter(function, vectors, numbers)
