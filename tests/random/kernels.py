"""Strategies of kernels: element-wise, neighbours, copies, reductions, local memory."""

from __future__ import annotations

import re
from dataclasses import replace

from hypothesis import strategies as st

from tests.random.frames import Frame, World, frames
from tests.random.model import Bound, Feature, Item, Kernel, Parameter, Shape, Touch

TYPES = ["float", "float", "float", "float", "int", "uchar"]
HEAD = """\
#define SQUARE(x) ((x) * (x))
#define HALF(p, k) (p[k] * 0.5f)
float mix_in(float x, float y) { return 0.5f * x + 0.25f * y; }
float get(__global const float *p, size_t i) { return 0.5f * p[i]; }
void put(__global float *p, float x) { if (x > 900.0f) return; *p = x; }
void add(__global float *p, size_t i, float x) { __global float *q = p + i; q[0] += 0.25f * x; }
"""
INPUTS = [Feature.ONE_INPUT, Feature.TWO_INPUTS, Feature.THREE_INPUTS, Feature.FOUR_INPUTS]
OUTPUTS = [Feature.ONE_OUTPUT, Feature.TWO_OUTPUTS, Feature.THREE_OUTPUTS, Feature.FOUR_OUTPUTS]
_CONDITIONAL = re.compile(r"[{ ]*(if|for|switch|put|int)\b")
ALPHA = Parameter("alpha", "float", "scalar")


def kept(type_: str, value: str) -> str:
    """A value that the type can hold, and whose powers a float can."""
    limits = {"float": "-999.0f, 999.0f", "int": "-1e4f, 1e4f", "uchar": "0.0f, 255.0f"}
    return f"clamp((float)({value}), {limits[type_]})"


def kernel_text(name: str, parameters: list[str], body: str) -> str:
    return f"__kernel void {name}({', '.join(parameters)})\n{{\n{body}\n}}\n"


def declared(parameters: tuple[Parameter, ...], written: set[str]) -> list[str]:
    found: list[str] = []
    for p in parameters:
        if p.kind == "buffer":
            found.append(f"__global {'' if p.name in written else 'const '}{p.type} *{p.name}")
        elif p.kind == "local":
            found.append(f"__local {p.type} *{p.name}")
        else:
            found.append(f"{p.type} {p.name}")
    return found


@st.composite
def expressions(draw: st.DrawFn, loads: list[str], depth: int = 2) -> str:
    choice = draw(st.integers(0, 8 if depth else 2))
    if choice == 0:
        return draw(st.sampled_from(["alpha", "0.75f", "1.5f"]))
    if choice <= 2:
        return draw(st.sampled_from(loads))
    left = draw(expressions(loads, depth - 1))
    right = draw(expressions(loads, depth - 1))
    if choice == 3:
        return f"SQUARE({left} - {right})"
    if choice == 4:
        return f"({left} > {right} ? {left} : {draw(st.sampled_from(loads))})"
    if choice == 5:
        return f"mix_in({left}, {right})"
    return f"({left} {draw(st.sampled_from('+-*'))} {right})"


@st.composite
def statements(
    draw: st.DrawFn, frame: Frame, output: Parameter, loads: list[str], number: int
) -> str:
    element, type_ = f"{output.name}[{frame.own}]", output.type
    mine = [f"(float){element}"]
    value = kept(type_, f"1.0f * {draw(expressions(loads))}")
    kind = draw(st.integers(0, 20))
    if kind == 0 and type_ == "float":
        return f"{element} {draw(st.sampled_from(['+=', '-=']))} {value};"
    if kind == 1:
        return f"if ({draw(st.sampled_from(loads))} > 0.5f)\n            {element} = {value};"
    if kind == 2:
        first = f"float t{number} = {draw(expressions(loads + mine))}; /* kept */"
        return f"{first}\n        {element} = {kept(type_, f't{number} + 0.5f')};"
    if kind == 3 and type_ == "float":
        return f"for (int j = 0; j < 3; j++) {{ {element} += 0.25f * {value}; }}"
    if kind == 4 and type_ == "int":
        return draw(st.sampled_from([f"{element}++;", f"--{element};"]))
    if kind == 5:
        other = kept(type_, draw(expressions(loads + mine)))
        condition = f"{draw(st.sampled_from(loads))} < 0.25f"
        return f"if ({condition}) {{ {element} = {value}; }} else {element} = {other};"
    if kind == 6:
        above = f"if ({draw(st.sampled_from(loads))} > 0.5f) {element} = {value}; "
        inner = f"const {frame.type} b = {frame.own}; {output.name}[b] = {value};"
        return f"{{ {draw(st.sampled_from(['', above]))}{inner} }}"
    if kind in (7, 14, 15, 16):
        return draw(early_ends(frame, f"{element} = {value};", draw(st.sampled_from(loads)), kind))
    if kind == 8:
        value = kept(type_, f"{draw(expressions(loads + mine))} + alpha")
    if kind == 9:
        again = kept(type_, f"{mine[0]} * {draw(st.sampled_from(loads))}")
        return f"{element} = {value};\n        {element} = {again};"
    if kind == 10:
        sum_ = f"float s{number} = 0;\n        for (int j = 0; j < {draw(st.integers(2, 4))}; j++)"
        return f"{sum_}\n            s{number} += {value};\n        {element} = s{number} / 4;"
    if kind == 11:
        to = f"__global {type_} *q = {output.name}; q += {frame.own};"
        return f"{{ {to} {draw(st.sampled_from(['*q', 'q[0]', '*(q + 0)']))} = {value}; }}"
    if kind == 12 and type_ == "float" and frame.type != "uint":
        return f"put({output.name} + ({frame.own}), {value});"
    if kind == 13 and type_ == "float" and frame.type != "uint":
        return f"{{ int j = 3; while (j--) add({output.name}, {frame.own}, {value}); }}"
    return f"{element} = {value};"


@st.composite
def early_ends(draw: st.DrawFn, frame: Frame, store: str, load: str, kind: int) -> str:
    """The item ends its work, if something holds."""
    leave = "continue" if frame.strided and draw(st.booleans()) and not frame.step else "return"
    if kind == 14:
        return f"if ({load} < 0.25f) {{ {store} {leave}; }}"
    if kind == 15 and not frame.strided:
        return f"for (int j = 0; j < 3; j++) {{ if ({load} > j) {{ {store} return; }} }}"
    if kind == 16:
        cases = f"case 1: {store} {leave}; case 2: break; default: {store}"
        return f"switch ((int)({load}) & 3) {{ {cases} }}"
    return f"if ({frame.own} == 3 || ({frame.own} == 5)) {leave};"


@st.composite
def element_wise(draw: st.DrawFn, world: World, name: str, *, pure: bool = True) -> Kernel:
    frame = draw(frames(world, loops=10 if pure else 5))
    inputs = draw(st.integers(1, 4))
    outputs = draw(st.sampled_from([1, 1, 1, 2, 2, 3, 4]))
    types = st.sampled_from(TYPES)
    read = [Parameter(f"a{k}", draw(types)) for k in range(inputs)]
    written = [Parameter(f"c{k}", draw(types)) for k in range(outputs)]
    forms = ["(float){0}[{1}]", "HALF({0}, {1})", "1.0f * *({0} + ({1}))"]
    of_floats = [*forms, "get({0}, {1})", "get({0} + ({1}), 0)"]
    loads = [
        draw(st.sampled_from(of_floats if p.type == "float" else forms)).format(p.name, frame.own)
        for p in read
    ]
    body = [draw(statements(frame, p, loads, k)) for k, p in enumerate(written)]
    parameters = (*written, *read, ALPHA, *frame.scalars)
    text = frame.body("\n".join(f"        {line}" for line in body))
    own = frame.elements()
    # Not every expression needs every input, and some outputs stay as they are.
    used = [p for p in read if re.search(rf"\b{p.name}\b", text)]
    touches = [Touch(p.name, own) for p in used]
    for p, line in zip(written, body, strict=True):
        if re.search(rf"\b{p.name}\b", line):
            again = _reads_itself(f"{p.name}[{frame.own}]", line)
            touches.append(Touch(p.name, own, again, writes=True))
    features = {INPUTS[inputs - 1], OUTPUTS[outputs - 1]}
    if frame.guard:
        features.add(Feature.STRIDE if frame.strided else Feature.GUARDED)
    if len({p.type for p in (*read, *written)}) > 1:
        features.add(Feature.CONVERTING)
    if frame.groups:
        features.add(Feature.GROUP_INDEX)
    return Kernel(
        name,
        kernel_text(name, declared(parameters, {p.name for p in written}), text),
        parameters,
        tuple(touches),
        frozenset(features),
        element_wise=frame.strided == world.strided
        and not (frame.strided and _is_doubtful(frame, body)),
    )


def _is_doubtful(frame: Frame, body: list[str]) -> bool:
    """A loop over the range that is left early on, or may count from 0 again, and no store that
    comes in each iteration says that the program would have a race then."""
    sure = next((k for k, line in enumerate(body) if not _CONDITIONAL.match(line)), len(body))
    first = "".join(body[: sure + 1])
    return "return" in "".join(body) or (
        frame.type == "uint" and (sure == len(body) or "continue" in first)
    )


def _reads_itself(element: str, line: str) -> bool:
    again = ("++", "--", "+=", "-=", "put(", "add(")
    return f"(float){element}" in line or any(o in line for o in again)


@st.composite
def stencils(draw: st.DrawFn, world: World, name: str) -> Kernel:
    """c[own] from the neighbours of a[own]."""
    frame = draw(frames(world))
    shifts = draw(st.sampled_from([(1,), (1, 2), (-1,), (-1, 1)]))
    # Below the first element stands none: the index is clamped.
    terms = [
        f"a[{frame.own} + {s}]" if s > 0 else f"a[{frame.own} > 0 ? {frame.own} - 1 : 0]"
        for s in shifts
    ]
    work = f"        c[{frame.own}] = 0.5f * a[{frame.own}] + 0.25f * ({' + '.join(terms)});"
    parameters = (Parameter("c", "float"), Parameter("a", "float"), *frame.scalars)

    def around(item: Item, shape: Shape, bound: Bound) -> list[int]:
        own = frame.elements()(item, shape, bound)
        return [max(0, i + s) for i in own for s in (0, *shifts)]

    return Kernel(
        name,
        kernel_text(name, declared(parameters, {"c"}), frame.body(work)),
        parameters,
        (Touch("c", frame.elements(), reads=False, writes=True), Touch("a", around)),
        frozenset({Feature.NEIGHBOUR}),
    )


@st.composite
def copies(draw: st.DrawFn, world: World, name: str) -> Kernel:
    frame = draw(frames(world))
    parameters = (Parameter("c", "float"), Parameter("a", "float"), *frame.scalars)
    work = f"        c[{frame.own}] = a[{frame.own}];"
    own = frame.elements()
    return Kernel(
        name,
        kernel_text(name, declared(parameters, {"c"}), frame.body(work)),
        parameters,
        (Touch("c", own, reads=False, writes=True), Touch("a", own)),
        element_wise=frame.strided == world.strided,
    )


@st.composite
def reductions(draw: st.DrawFn, world: World, name: str) -> Kernel:
    """One item adds up the first elements and writes c[0]."""
    frame = draw(frames(world))
    count = draw(st.sampled_from([2, 5, 9]))
    parameters = (Parameter("c", "float"), Parameter("a", "float"), *frame.scalars)
    work = f"""\
        if ({frame.own} == 0) {{
            float sum = 0.0f;
            for (int j = 0; j < {count}; j++)
                sum += a[j] * 0.125f;
            c[0] = sum;
        }}"""

    def first(item: Item, number: int) -> list[int]:
        return list(range(number)) if not any(item) else []

    return Kernel(
        name,
        kernel_text(name, declared(parameters, {"c"}), frame.body(work)),
        parameters,
        (
            Touch("c", lambda item, _shape, _bound: first(item, 1), reads=False, writes=True),
            Touch("a", lambda item, _shape, _bound: first(item, count)),
        ),
    )


@st.composite
def users(draw: st.DrawFn, world: World, name: str) -> Kernel:
    """Every item needs s[0]."""
    frame = draw(frames(world))
    parameters = (
        Parameter("c", "float"),
        Parameter("a", "float"),
        Parameter("s", "float"),
        *frame.scalars,
    )
    work = f"        c[{frame.own}] = {kept('float', f'a[{frame.own}] * s[0]')};"

    def first(item: Item, shape: Shape, bound: Bound) -> list[int]:
        return [0] if frame.items(item, shape, bound) else []

    own = frame.elements()
    return Kernel(
        name,
        kernel_text(name, declared(parameters, {"c"}), frame.body(work)),
        parameters,
        (Touch("c", own, reads=False, writes=True), Touch("a", own), Touch("s", first)),
    )


@st.composite
def tiles(draw: st.DrawFn, world: World, name: str) -> Kernel:
    """Each item takes the value of another one of its group, through local memory."""
    frame = replace(draw(frames(replace(world, width=False), loops=0)), guard="")
    outside = draw(st.booleans())
    group = 1
    for size in world.shape.local:
        group *= size
    local = "get_local_id(0)"
    for d in range(1, world.dimensions):
        local += f" + get_local_id({d}) * {' * '.join(f'get_local_size({e})' for e in range(d))}"
    work = f"""\
        const int l = {local};
{"" if outside else f"        __local float tile[{group}];"}
        tile[l] = a[{frame.own}];
        barrier(CLK_LOCAL_MEM_FENCE);
        c[{frame.own}] = tile[{group - 1} - l] + 0.5f;"""
    tile = (Parameter("tile", "float", "local"),) if outside else ()
    parameters = (Parameter("c", "float"), Parameter("a", "float"), *tile, *frame.scalars)
    own = frame.elements()
    return Kernel(
        name,
        kernel_text(name, declared(parameters, {"c"}), frame.body(work)),
        parameters,
        (Touch("c", own, reads=False, writes=True), Touch("a", own)),
        frozenset({Feature.LOCAL_MEMORY}),
    )


@st.composite
def weighed(draw: st.DrawFn, world: World, name: str) -> Kernel:
    """Sums with weights that the group has copied into local memory, under a guard."""
    frame = draw(frames(world, loops=0).filter(lambda each: each.guard and each.at_once))
    opening = (
        "local float weights[3];",
        "event_t copied = async_work_group_copy(weights, w3, 3, 0);",
        "wait_group_events(1, &copied);",
    )
    place = draw(st.sampled_from([0, len(frame.lines)]))
    lines = (*frame.lines[:place], *opening, *frame.lines[place:])
    work = f"        c[{frame.own}] = weights[0] * a[{frame.own}] + weights[2];"
    if draw(st.booleans()):
        work = f"""\
        float sum = 0;
        for (int k = 0; k < 3; k++)
            sum += weights[k] * a[{frame.own}];
        c[{frame.own}] = sum;"""
    parameters = (*(Parameter(n, "float") for n in ("c", "a", "w3")), *frame.scalars)

    def all_of_them(item: Item, shape: Shape, bound: Bound) -> list[int]:
        return [0, 1, 2]

    own = frame.elements()
    return Kernel(
        name,
        kernel_text(name, declared(parameters, {"c"}), replace(frame, lines=lines).body(work)),
        parameters,
        (Touch("c", own, reads=False, writes=True), Touch("a", own), Touch("w3", all_of_them)),
        frozenset({Feature.LOCAL_MEMORY}),
    )
