"""Integers with names of the file: `enum { REACH = 2 };`, `constant int BINS = 16;`."""

from __future__ import annotations

import numpy as np
import pytest

from kfusion.api import fuse
from tests.stencils.running import EAGER
from tests.support.kernel_side import OWN_ELEMENTS, fused_and_same, random_data, refusal
from tests.support.pyopencl_run import Case, assert_same

NUMBERS = {"n": np.int32(64)}
CALLS = ["shift(t, a, n)", "back(c, t, n)"]


def source(before: str, index: str, inside: str = "", store: str = "") -> str:
    store = store or index
    return f"""
{before}
kernel void shift(global float *t, global const float *a, const int n)
{{
    const int i = get_global_id(0);
    if (i < n - 16)
        t[{store}] = a[i] * 2.0f;
}}
kernel void back(global float *c, global const float *t, const int n)
{{
    const int i = get_global_id(0);
    {inside}
    if (i < n - 16)
        c[i] = t[{index}] + 1.0f;
}}
"""


ENUMERATORS = "enum { NEAR = 2, FAR = (1 << NEAR) + 3, NEXT, LAST = -NEAR };"
OF_NUMBERS = {
    "enumerator": source(ENUMERATORS, "i + FAR", store="i + 7"),
    "the next one": source(ENUMERATORS, "i + NEXT", store="i + 8"),
    "negative": source(ENUMERATORS, "i - LAST", store="i + 2"),
    "first": source("enum Kind { ZERO, ONE, TWO };", "i + TWO + ZERO", store="2 + i"),
    "typedef": source("typedef enum Kind { ZERO, ONE } kind;", "i + ONE", store="i + 1"),
    "constant": source("constant int far = 3;", "i + far", store="i + 3"),
    "of another one": source(
        "constant int near = 3;\nconstant char far = near * 10 + 1;", "i + far - 30", store="i + 1"
    ),
    "of a macro": source("#define THREE 3\nconstant uint far = THREE;", "i + far", store="3 + i"),
    "of a table": source(f"{ENUMERATORS}\nconstant int at[2] = {{NEAR, FAR}};", "i + at[1]"),
    "in a helper": source(
        f"{ENUMERATORS}\nint far(int i) {{ return i + FAR; }}", "far(i)", store="i + 7"
    ),
    "a variable hides it elsewhere": source(
        ENUMERATORS, "i + NEAR", "{ const int NEAR = 5; c[i] = NEAR; }", "i + 2"
    ),
    "a parameter hides it elsewhere": source(
        f"{ENUMERATORS}\nint far(int FAR) {{ return FAR + NEAR; }}", "far(i)", store="i + NEAR"
    ),
}


@pytest.mark.parametrize("text", OF_NUMBERS.values(), ids=list(OF_NUMBERS))
def test_integers(text: str) -> None:
    fused_and_same(text, CALLS, ["c"], launches=1, scalars=NUMBERS)


def test_rounds_of_a_loop_up_to_one() -> None:
    text = source("enum { REACH = 2 };", "i", "float s = 0; const int w = n;").replace(
        "c[i] = t[i] + 1.0f;",
        "{ for (int k = -REACH; k <= REACH; k++) s += t[clamp(i + k, 0, n - 17)]; c[i] = s; }",
    )
    fused_and_same(text, CALLS, ["c"], launches=1, scalars=NUMBERS, target=EAGER)


OTHERS = {
    "of a build option": "#ifndef FAR\n#define FAR 3\n#endif\nenum { AT = FAR };",
    "of the compiler": "enum { AT = __OPENCL_VERSION__ - 117 };",
    "of a macro of the compiler": "#define SINCE (__OPENCL_C_VERSION__ / 40)\n"
    "constant int AT = SINCE;",
    "under a condition": "#ifdef OTHER\nenum { AT = 1 };\n#else\nenum { AT = 3 };\n#endif",
    "under a condition within": "enum {\n#ifndef OTHER\nNONE = 2,\n#endif\nAT };",
    "behind one that is not known": "enum { FIRST = (int)1.5f, AT };",
    "the type under a condition": "#ifdef OTHER\ntypedef char number;\n#else\n"
    "typedef int number;\n#endif\nconstant number AT = 3;",
    "no integer": "constant int AT = (int)1.5f;",
    "of a macro that is another thing later": "enum { AT = 3 };\n#define AT 4\n#undef AT",
}


@pytest.mark.parametrize("before", OTHERS.values(), ids=list(OTHERS))
def test_integers_that_are_not_known(before: str) -> None:
    message = refusal(source(before, "i + AT", store="i + 3"), CALLS, ["c"])
    assert message.code in ("KF203", "KF201")


def test_a_variable_with_the_name() -> None:
    """What the variable holds is meant, not the enumerator."""
    inside = "const int NEAR = 3;"
    text = source(ENUMERATORS, "i + NEAR", inside, "i + 2")
    assert refusal(text, CALLS, ["c"]).code.startswith("KF2")
    fused_and_same(
        source(ENUMERATORS, "i + NEAR", inside, "i + 3"), CALLS, ["c"], launches=1, scalars=NUMBERS
    )


@pytest.mark.parametrize("value", ["1u", "sizeof(char)", "1 ? 1 : 0u"])
def test_an_enumerator_is_an_int(value: str) -> None:
    """So `i - AT < n` holds for item 0, and `i - 1u < n` does not."""
    text = f"""
enum {{ AT = {value} }};
kernel void shift(global float *t, global const float *a, const int n)
{{
    const int i = get_global_id(0);
    if (i - AT < n)
        t[i] = a[i] * 2;
}}
kernel void back(global float *c, global float *t, const int n)
{{
    const int i = get_global_id(0);
    if (i - 1u < n) {{
        t[i] = t[i] * 2;
        c[i] = t[i] + 1;
    }}
}}
"""
    fused = fuse(text, CALLS, ["c", "t"], target=OWN_ELEMENTS)
    assert_same(fused, text, Case(random_data("act"), {"n": np.int32(20)}, (64,)), ["c", "t"])
