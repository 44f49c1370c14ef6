"""Random element-wise kernels and call sequences: fused leaves what unfused leaves, to the bit."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kfusion.api import fuse
from tests.support.pyopencl_run import Case, assert_same

EXAMPLES = int(os.environ.get("KFUSION_TEST_EXAMPLES", "30"))
ITEMS = 48
BUFFERS = {"f0": "float", "f1": "float", "f2": "float", "i0": "int", "i1": "int", "u0": "uchar"}
INDICES = [
    "const size_t i = get_global_id(0);",
    "size_t gid = get_global_id(0);",
    "int i = get_global_id(0);",
    "const int i = get_group_id(0) * get_local_size(0) + get_local_id(0);",
    "const uint t = get_local_id(0); const uint i = get_group_id(0) * get_local_size(0) + t;",
]
GUARDS = ["", "", "if ({i} >= n) return;", "if ({i} < n)", "if ({i} >= m)\n        return;"]
CONDITIONS = ["{i} == 3", "{i} > 7 | 0", "({i} == 3) & ({i} < 9)", "{i} == 3 || ({i} == 5) + (0)"]
MACROS = "#define SQUARE(x) ((x) * (x))\n#define HALF(p, k) (p[k] * 0.5f)\n"


@dataclass(frozen=True)
class Kernel:
    text: str
    types: tuple[str, ...]  # of its buffer parameters


def store(type_: str, value: str) -> str:
    """A value that the type can hold: other conversions are undefined."""
    limits = {"int": "-1e6f, 1e6f", "uchar": "0.0f, 255.0f"}
    return f"clamp((float)({value}), {limits[type_]})" if type_ in limits else value


@st.composite
def expressions(draw: st.DrawFn, loads: list[str], depth: int = 2) -> str:
    choice = draw(st.integers(0, 7 if depth else 2))
    if choice == 0:
        return draw(st.sampled_from(["alpha", "0.75f", "1.5f"]))
    if choice <= 2:
        return draw(st.sampled_from(loads))
    left = draw(expressions(loads, depth - 1))
    right = draw(expressions(loads, depth - 1))
    if choice == 3:
        return f"SQUARE({left} - {right})"
    if choice == 4:
        return f"({left} > {right} ? {left} : {draw(expressions(loads, depth - 1))})"
    return f"({left} {draw(st.sampled_from('+-*'))} {right})"


@st.composite
def statements(draw: st.DrawFn, index: str, types: tuple[str, ...], number: int) -> str:
    names = [f"p{k}" for k in range(len(types))]
    loads = [f"(float){n}[{index}]" for n in names] + [f"HALF({n}, {index})" for n in names]
    loads += [f"*({names[0]} + {index})"]
    target = draw(st.integers(0, len(types) - 1))
    element, type_ = f"{names[target]}[{index}]", types[target]
    value = store(type_, "1.0f * " + draw(expressions(loads)))
    kind = draw(st.integers(0, 11))
    if kind == 0 and type_ == "float":
        return f"{element} {draw(st.sampled_from(['+=', '-=', '*=']))} {value};"
    if kind == 1:
        return f"if ({draw(st.sampled_from(loads))} > 0.5f)\n            {element} = {value};"
    if kind == 2:
        sum_ = store(type_, f"t{number} + 0.5f")
        first = f"float t{number} = {draw(expressions(loads))}; /* kept */"
        return f"{first}\n        {element} = {sum_};"
    if kind == 3 and type_ == "float":
        return f"for (int j = 0; j < 3; j++) {{ {element} += 0.25f * {draw(expressions(loads))}; }}"
    if kind == 4 and type_ != "uchar":
        return draw(st.sampled_from([f"{element}++;", f"--{element};"]))
    if kind == 5:
        other = store(type_, draw(expressions(loads)))
        condition = f"{draw(st.sampled_from(loads))} < 0.25f"
        return f"if ({condition}) {{ {element} = {value}; }} else {element} = {other};"
    if kind == 6:
        above = f"if ({draw(st.sampled_from(loads))} > 0.5f) {element} = {value}; "
        inner = f"int b = {index}; {names[target]}[b] = {value};"
        return f"{{ {draw(st.sampled_from(['', above]))}{inner} }}"
    if kind == 7:
        inner = f"{names[target]}[b] = {value};"
        return f"for (int j = 0; j < 2; j++) {{ const size_t b = {index}; {inner} }}"
    if kind == 8:
        condition = draw(st.sampled_from(CONDITIONS)).format(i=index)
        return f"if ({condition}) return;"
    return f"{element} = {value};"


@st.composite
def kernels(draw: st.DrawFn, number: int) -> Kernel:
    types = tuple(
        draw(st.lists(st.sampled_from(["float", "int", "uchar"]), min_size=1, max_size=3))
    )
    line = draw(st.sampled_from(INDICES))
    index = "gid" if "gid" in line.split("=")[0] else "i"
    guard = draw(st.sampled_from(GUARDS)).format(i=index)
    body = [draw(statements(index, types, k)) for k in range(draw(st.integers(1, 3)))]
    parameters = [f"__global {t} *p{k}" for k, t in enumerate(types)]
    parameters += ["float alpha", "uint n", "uint m"]
    work = "\n        ".join(body)
    if guard.endswith("return;") or not guard:
        work = f"    {guard}\n        {work}"
    else:
        work = f"    {guard} {{\n        {work}\n    }}"
    text = f"__kernel void k{number}({', '.join(parameters)})\n{{\n    {line}\n{work}\n}}\n"
    return Kernel(text, types)


@st.composite
def programs(draw: st.DrawFn) -> tuple[str, list[str], list[str] | None]:
    made = [draw(kernels(k)) for k in range(draw(st.integers(1, 4)))]
    calls: list[str] = []
    for _ in range(draw(st.integers(2, 5))):
        number = draw(st.integers(0, len(made) - 1))
        arguments = [
            draw(st.sampled_from([b for b, t in BUFFERS.items() if t == type_]))
            for type_ in made[number].types
        ]
        scalars = [draw(st.sampled_from(["half", "third"])), "n", "m"]
        calls.append(f"k{number}({', '.join([*arguments, *scalars])})")
    out = draw(st.none() | st.lists(st.sampled_from(sorted(BUFFERS)), unique=True))
    used = {b for b in BUFFERS if any(b in call for call in calls)}
    return MACROS + "\n".join(k.text for k in made), calls, out and [b for b in out if b in used]


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(programs(), st.integers(0, 3))
def test_random_pipeline_is_bit_identical(
    program: tuple[str, list[str], list[str] | None], seed: int
) -> None:
    source, calls, out = program
    fused = fuse(source, calls, out)
    data = np.random.default_rng(seed)
    buffers = {
        name: (data.random(ITEMS) * {"float": 2, "int": 9, "uchar": 200}[type_]).astype(
            {"float": np.float32, "int": np.int32, "uchar": np.uint8}[type_]
        )
        for name, type_ in BUFFERS.items()
    }
    case = Case(
        buffers,
        {
            "half": np.float32(0.5),
            "third": np.float32(1 / 3),
            "n": np.uint32(40),
            "m": np.uint32(33),
        },
        (ITEMS,),
        (16,),
    )
    assert_same(fused, source, case, list(BUFFERS) if out is None else out)
