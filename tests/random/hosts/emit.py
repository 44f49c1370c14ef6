"""The C text of a function of a random host program."""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatchmethod

from tests.random.hosts import model as m
from tests.random.hosts.flavour import Flavour

_CHECKED = {
    m.Errors.EACH: "err = {0};\nif (err != CL_SUCCESS)\n    return err;",
    m.Errors.OR: "err |= {0};",
    m.Errors.CHECK: "CHECK({0});",
    m.Errors.GOTO: "TRY({0});",
    m.Errors.ABORT: "OK({0});",
    m.Errors.GLOBAL: "lib_status |= {0};",
    m.Errors.POINTER: "*status |= {0};",
}
# A called function has put its status where these look for it.
_KEEPS = (m.Errors.OR, m.Errors.POINTER)
_FLAGS = {
    m.Storage.PLAIN: "CL_MEM_READ_WRITE",
    m.Storage.COPIED: "CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR",
    m.Storage.HOST: "CL_MEM_USE_HOST_PTR",
    m.Storage.DEVICE: "0",
    m.Storage.EMPTY: "CL_MEM_READ_WRITE",
}


def signature(function: m.Function, name: str = "", types_only: bool = False) -> str:
    """`name`: what stands in place of the function's name, as `(*p)`."""
    vector = "cl_mem " if function.bare else "vec *"
    given = [vector + n for n in function.memory] + [f"int {n}" for n in function.numbers]
    if function.errors is m.Errors.POINTER:
        given.append("cl_int *status")
    if types_only:
        given = [text.rsplit("*", 1)[0] + "*" if "*" in text else text.split()[0] for text in given]
    result = "cl_int" if function.errors.returns else "void"
    return f"{result} {name or function.name}({', '.join(given) or 'void'})"


class Emitter:
    """Writes one function. Names of a program's own file-scope objects end in its number."""

    def __init__(self, program: m.Program, function: m.Function, flavour: Flavour) -> None:
        self.program, self.function, self.flavour = program, function, flavour
        self.functions = {f.name: f for f in program.functions}
        self.is_main = function is program.main
        self.lines: list[str] = []
        self.depth = 1
        self.counter = 0

    def text(self) -> str:
        function = self.function
        own = function.place is m.Place.APPLICATION and not self.is_main
        static = "static " if own else ""
        body = function.body
        self._declare()
        self._block(body)
        if function.errors is m.Errors.GOTO or _jumps(body):
            self.lines.append("end:")
        self._line("return err;" if function.errors.returns else "return;")
        head = static + signature(function)
        return "\n".join([head, "{", *self.lines, "}", ""])

    # ---- Names ----

    def _declare(self) -> None:
        function = self.function
        self._line("cl_int err = CL_SUCCESS;")
        vectors = function.local_vectors
        if self.is_main and not self.program.file_scope:
            vectors = (*self.program.vectors, *vectors)
        for name in vectors:
            self._line(f"vec {name} = {{NULL, 0}};")
        for name in function.local_kernels:
            self._line(f"cl_kernel {name} = NULL;")
        for name in function.local_numbers:
            self._line(f"int {name} = 0;")
        for name in function.events:
            self._line(f"cl_event {name} = NULL;")
        if function.counting:
            self._line("cl_uint arg = 0;")
        if function.sized:
            self._line(f"const int n = {function.sized}->n;")

    def _vector(self, name: str) -> str:
        """The variable as an expression of type vec."""
        return f"*{name}" if name in self.function.memory else self._object(name)

    def _object(self, name: str) -> str:
        if name in self.function.memory or name in self.function.local_vectors:
            return name
        return f"{name}_{self.program.number}" if self.program.file_scope else name

    def _pointer(self, name: str) -> str:
        return name if name in self.function.memory else f"&{self._object(name)}"

    def _mem(self, name: str) -> str:
        if name in self.function.memory:
            return name if self.function.bare else f"{name}->mem"
        return f"{self._object(name)}.mem"

    def _count(self, name: str) -> str:
        return f"{name}->n" if name in self.function.memory else f"{self._object(name)}.n"

    def _host(self, name: str) -> str:
        return f"{name}_{self.program.number}"

    def _int(self, value: m.Int) -> str:
        if isinstance(value, int):
            return str(value)
        return self._count(value.removesuffix(".n")) if value.endswith(".n") else value

    def _bytes(self, value: m.Int) -> str:
        return f"{self._int(value)} * sizeof(cl_int)"

    def _kernel(self, variable: str) -> str:
        return kernel_name(variable, self.flavour)

    @staticmethod
    def _queue(queue: int) -> str:
        return ("queue", "other_queue", "free_queue")[queue]

    # ---- Lines ----

    def _line(self, text: str) -> None:
        for line in text.splitlines():
            self.lines.append(line if line.startswith("#") else "    " * self.depth + line)

    def _check(self, call: str) -> None:
        text = _CHECKED[self.function.errors].format(call)
        self._line(text.removeprefix("err = err;\n"))

    def _block(self, block: Iterable[m.Statement]) -> None:
        for statement in block:
            self._emit(statement)

    def _braces(self, head: str, block: Iterable[m.Statement], tail: str = "") -> None:
        self._line(f"{head} {{".strip())
        self.depth += 1
        self._block(block)
        self.depth -= 1
        self._line("}" + tail)

    @singledispatchmethod
    def _emit(self, statement: m.Statement) -> None:
        raise NotImplementedError(type(statement))

    # ---- Memory ----

    @_emit.register
    def _(self, s: m.Create) -> None:
        data, count = "NULL", self._int(s.count)
        if s.storage in (m.Storage.COPIED, m.Storage.HOST):
            maker = "data" if s.storage is m.Storage.COPIED else "lasting"
            data = f"{maker}_{s.kind}({s.seed}, {count})"
        made = f"clCreateBuffer(context, {_FLAGS[s.storage]}, {self._bytes(s.count)}, {data}, &err)"
        self._made(s.name, made, count)
        if s.storage in (m.Storage.DEVICE, m.Storage.PLAIN):
            self._check(
                f"clEnqueueWriteBuffer(queue, {self._mem(s.name)}, CL_TRUE, 0, "
                f"{self._bytes(s.count)}, data_{s.kind}({s.seed}, {count}), 0, NULL, NULL)"
            )

    def _made(self, name: str, call: str, count: str) -> None:
        """`&err` in the call stands for the place of the status."""
        keeps = self.function.errors is m.Errors.OR
        call = call.replace("&err", "&made" if keeps else "&err")
        if keeps:
            self._braces_of("cl_int made;", f"{self._mem(name)} = {call};", "err |= made;")
        else:
            self._line(f"{self._mem(name)} = {call};")
            self._check("err")
        self._line(f"{self._count(name)} = {count};")

    def _braces_of(self, *lines: str) -> None:
        self._line("{")
        for line in lines:
            self._line("    " + line)
        self._line("}")

    @_emit.register
    def _(self, s: m.CreatePart) -> None:
        count = self._int(s.count)
        region = f"(cl_buffer_region){{{s.offset} * sizeof(cl_int), {self._bytes(s.count)}}}"
        made = f"part_of({self._mem(s.of)}, {region}, &err)"
        self._made(s.name, made, count)

    @_emit.register
    def _(self, s: m.Alias) -> None:
        self._line(f"{self._vector(s.name)} = {self._vector(s.of)};")
        if s.retained:
            self._check(f"clRetainMemObject({self._mem(s.name)})")

    @_emit.register
    def _(self, s: m.Release) -> None:
        self._check(f"clReleaseMemObject({self._mem(s.name)})")
        self._line(f"{self._mem(s.name)} = NULL;")

    @_emit.register
    def _(self, s: m.Swap) -> None:
        first, second = self._vector(s.first), self._vector(s.second)
        self._line(
            f"{{\n    vec held = {first};\n    {first} = {second};\n    {second} = held;\n}}"
        )

    @_emit.register
    def _(self, s: m.Write) -> None:
        self._transfer("Write", s, s.offset, s.count)

    @_emit.register
    def _(self, s: m.Read) -> None:
        self._transfer("Read", s, 0, s.count)

    def _transfer(self, verb: str, s: m.Write | m.Read, offset: int, count: m.Int) -> None:
        wait = "CL_TRUE" if s.blocking else "CL_FALSE"
        self._check(
            f"clEnqueue{verb}Buffer({self._queue(s.queue)}, {self._mem(s.name)}, {wait}, "
            f"{self._bytes(offset)}, {self._bytes(count)}, {self._host(s.host)}, 0, NULL, NULL)"
        )

    @_emit.register
    def _(self, s: m.Fill) -> None:
        type_ = f"cl_{s.kind}"
        self._check(
            f"clEnqueueFillBuffer({self._queue(s.queue)}, {self._mem(s.name)}, "
            f"&({type_}){{{s.value}}}, sizeof({type_}), {self._bytes(s.offset)}, "
            f"{self._bytes(s.count)}, 0, NULL, NULL)"
        )

    @_emit.register
    def _(self, s: m.Copy) -> None:
        self._check(
            f"clEnqueueCopyBuffer({self._queue(s.queue)}, {self._mem(s.of)}, {self._mem(s.to)}, "
            f"0, 0, {self._bytes(s.count)}, 0, NULL, NULL)"
        )

    @_emit.register
    def _(self, s: m.Map) -> None:
        flags = "CL_MAP_READ | CL_MAP_WRITE" if s.add else "CL_MAP_READ"
        wait = "CL_TRUE" if s.blocking else "CL_FALSE"
        queue, mem = self._queue(s.queue), self._mem(s.name)
        status = "made" if self.function.errors is m.Errors.OR else "err"
        self._line("{")
        self.depth += 1
        if status == "made":
            self._line("cl_int made;")
        self._line(
            f"cl_int *mapped = clEnqueueMapBuffer({queue}, {mem}, {wait}, {flags}, 0, "
            f"{s.count} * sizeof(cl_int), 0, NULL, NULL, &{status});"
        )
        self._check(status)
        if not s.blocking:
            self._check(f"clFinish({queue})")
        if s.add:
            self._line(f"for (int k = nothing; k < {s.count}; k++)")
            self._line(f"    mapped[k] = (mapped[k] + {s.add}) & 0xffff;")
        else:
            self._line(f'show_host("mapped {s.name}", mapped, {s.count});')
        self._check(f"clEnqueueUnmapMemObject({queue}, {mem}, mapped, 0, NULL, NULL)")
        self.depth -= 1
        self._line("}")

    # ---- Kernels ----

    @_emit.register
    def _(self, s: m.CreateKernel) -> None:
        status = "made" if self.function.errors is m.Errors.OR else "err"
        call = f'{self._kernel(s.variable)} = clCreateKernel(program, "{s.kernel}", &{status});'
        if status == "made":
            self._braces_of("cl_int made;", call, "err |= made;")
        else:
            self._line(call)
            self._check(status)

    @_emit.register
    def _(self, s: m.ReleaseKernel) -> None:
        self._check(f"clReleaseKernel({self._kernel(s.variable)})")
        if s.variable.startswith("k_"):
            name = s.variable.removeprefix("k_")
            self._emit(m.CreateKernel(s.variable, name))

    @_emit.register
    def _(self, s: m.SetArgument) -> None:
        size, value = self._argument(s.argument)
        index = "arg++" if self.function.counting else str(s.index)
        self._check(f"clSetKernelArg({self._kernel(s.variable)}, {index}, {size}, {value})")

    def _argument(self, argument: m.Argument) -> tuple[str, str]:
        if argument.memory:
            return "sizeof(cl_mem)", f"&{self._mem(argument.memory)}"
        if argument.local:
            return f"{argument.local} * sizeof(cl_int)", "NULL"
        number = self._int(argument.number)
        if argument.quarters:
            return "sizeof(cl_float)", f"&(cl_float){{{number} * 0.25f}}"
        if isinstance(argument.number, str) and argument.number in self.function.numbers:
            return f"sizeof {number}", f"&{number}"
        return "sizeof(cl_int)", f"&(cl_int){{{number}}}"

    @_emit.register
    def _(self, s: m.Launch) -> None:
        items = self._int(s.items)
        total = f"rounded_up({items}, {s.local})" if s.local else items
        local = f"&(size_t){{{s.local}}}" if s.local else "NULL"
        waits = f"(cl_event[]){{{', '.join(s.waits)}}}" if s.waits else "NULL"
        event = f"&{s.event}" if s.event else "NULL"
        self._check(
            f"clEnqueueNDRangeKernel({self._queue(s.queue)}, {self._kernel(s.variable)}, 1, NULL, "
            f"&(size_t){{{total}}}, {local}, {len(s.waits)}, {waits}, {event})"
        )

    @_emit.register
    def _(self, s: m.Finish) -> None:
        self._check(f"clFinish({self._queue(s.queue)})")

    @_emit.register
    def _(self, s: m.Flush) -> None:
        self._check(f"clFlush({self._queue(s.queue)})")

    @_emit.register
    def _(self, s: m.Barrier) -> None:
        self._check(f"clEnqueueBarrierWithWaitList({self._queue(s.queue)}, 0, NULL, NULL)")

    @_emit.register
    def _(self, s: m.Marker) -> None:
        self._check(f"clEnqueueMarkerWithWaitList({self._queue(s.queue)}, 0, NULL, NULL)")

    @_emit.register
    def _(self, s: m.WaitFor) -> None:
        self._check(f"clWaitForEvents(1, &{s.event})")
        self._check(f"clReleaseEvent({s.event})")

    @_emit.register
    def _(self, s: m.Rebuild) -> None:
        self._line("engine_build_again();" if s.same else "engine_rebuild();")

    # ---- Host ----

    @_emit.register
    def _(self, s: m.Compute) -> None:
        text = f"{self._int(s.left)} {s.operator} {self._int(s.right)}"
        self._line(f"{s.variable} = hidden({text});" if s.hidden else f"{s.variable} = {text};")

    @_emit.register
    def _(self, s: m.ReadElement) -> None:
        self._check(
            f"clEnqueueReadBuffer({self._queue(s.queue)}, {self._mem(s.name)}, CL_TRUE, "
            f"{self._bytes(s.index)}, sizeof(cl_int), &{s.variable}, 0, NULL, NULL)"
        )

    @_emit.register
    def _(self, s: m.HostFill) -> None:
        self._line(f"fill_{s.kind}({self._host(s.host)}, {s.seed}, ROOM);")

    @_emit.register
    def _(self, s: m.Show) -> None:
        queue, mem = self._queue(s.queue), self._mem(s.name)
        self._line(f'show("{s.name}", {queue}, {mem}, {s.offset}, {s.count});')

    @_emit.register
    def _(self, s: m.ShowHost) -> None:
        self._line(f'show_host("host {s.host}", {self._host(s.host)}, {s.count});')

    @_emit.register
    def _(self, s: m.ShowHostPointer) -> None:
        self._line(f'show_below("below {s.name}", {self._mem(s.name)});')

    @_emit.register
    def _(self, s: m.ShowVariable) -> None:
        self._line(f'printf("variable {s.variable}: %08x\\n", (unsigned){s.variable});')

    @_emit.register
    def _(self, s: m.ShowSize) -> None:
        self._line(f'show_size("{s.name}", {self._mem(s.name)});')

    @_emit.register
    def _(self, s: m.ShowReferences) -> None:
        self._line(f'show_references("{s.name}", {self._mem(s.name)});')

    # ---- Control ----

    @_emit.register
    def _(self, s: m.If) -> None:
        condition = f"if ({self._int(s.left)} {s.operator} {self._int(s.right)})"
        self._braces(condition, s.then)
        if s.otherwise:
            self._braces("else", s.otherwise)

    @_emit.register
    def _(self, s: m.Loop) -> None:
        i, count = s.variable, self._int(s.count)
        if s.form == "for":
            self._braces(f"for (int {i} = 0; {i} < {count}; {i}++)", s.body)
            return
        self._line("{")
        self.depth += 1
        if s.form == "while":
            self._line(f"int {i} = -1;")
            self._braces(f"while (++{i} < {count})", s.body)
        else:
            self._line(f"int {i} = 0;")
            self._braces("do", s.body, f" while (++{i} < {count});")
        self.depth -= 1
        self._line("}")

    @_emit.register
    def _(self, s: m.Break) -> None:
        self._line("break;")

    @_emit.register
    def _(self, s: m.Continue) -> None:
        self._line("continue;")

    @_emit.register
    def _(self, s: m.Return) -> None:
        self._line("return err;" if self.function.errors.returns else "return;")

    @_emit.register
    def _(self, s: m.GotoEnd) -> None:
        self._line("goto end;")

    @_emit.register
    def _(self, s: m.Region) -> None:
        listed = [self._object(name) for name in s.names]
        for word, names in (("out", s.out), ("temp", s.temporary)):
            if names:
                listed.append(f"{word}({', '.join(self._object(name) for name in names)})")
        self._line(f"#pragma kfuse({', '.join(listed)})")
        self._braces("", s.body)

    @_emit.register
    def _(self, s: m.Call) -> None:
        callee = self.functions[s.function]
        numbers = [self._int(value) for value in s.numbers]
        passed = self._mem if callee.bare else self._pointer
        given = [*(passed(name) for name in s.memory), *numbers]
        if callee.errors is m.Errors.POINTER:
            own = "status" if self.function.errors is m.Errors.POINTER else "&err"
            given.append(own)
        called = s.function
        if s.through == "table":
            called = f"table_{self.program.number}_{s.function}[1].run"
        elif s.through == "pointer":
            self._line("{")
            self.depth += 1
            self._line(f"{signature(callee, '(*operation)', types_only=True)} = {s.function};")
            called = "operation"
        call = f"{called}({', '.join(given)})"
        if callee.errors.returns:
            self._check(call)
        else:
            self._line(call + ";")
        if callee.errors is m.Errors.POINTER and self.function.errors not in _KEEPS:
            self._check("err")
        if s.through == "pointer":
            self.depth -= 1
            self._line("}")


def kernel_name(variable: str, flavour: Flavour) -> str:
    if not variable.startswith("k_"):
        return variable
    name = variable.removeprefix("k_")
    ways = {
        "plain": f"{name}_kernel",
        "struct": f"engine.{name}",
        "array": f"kernels[{name.upper()}]",
    }
    return ways[flavour.kernels]


def tables(program: m.Program) -> list[str]:
    """Tables of functions for the calls that go through one."""
    called: dict[str, None] = {}
    for function in program.functions:
        for path in m.paths(function.body):
            statement = m.at(function.body, path)
            if isinstance(statement, m.Call) and statement.through == "table":
                called[statement.function] = None
    found = []
    for name in called:
        pointer = signature(program.function(name), "(*run)", types_only=True)
        found.append(
            f"static const struct {{\n    const char *name;\n    {pointer};\n}} "
            f'table_{program.number}_{name}[] = {{{{"none", NULL}}, {{"{name}", {name}}}}};\n'
        )
    return found


def _jumps(block: m.Block) -> bool:
    return any(isinstance(m.at(block, path), m.GotoEnd) for path in m.paths(block))
