"""Items that end their work early: what follows in the fused kernel is reached, on PoCL."""

from __future__ import annotations

import numpy as np
import pytest

from kfusion.api import fuse
from tests.stencils.running import EAGER
from tests.support.kernel_side import fused_and_same

ITEM = "const int i = get_global_id(0);"
GUARDED = f"{ITEM} if (i >= n) return;"
RANGE = "for (int i = get_global_id(0); i < n; i += get_global_size(0))"
CALLS = ["first(b, a, n)", "second(c, b, n)"]
BEHIND = f"{ITEM} if (i < n) c[i] = b[i] + 1;"


def program(first: str, second: str) -> str:
    def kernel(name: str, to: str, of: str, body: str) -> str:
        head = f"kernel void {name}(global float *{to}, global const float *{of}, int n)"
        return f"{head}\n{{ {body} }}\n"

    return kernel("first", "b", "a", first) + kernel("second", "c", "b", second)


@pytest.mark.parametrize(
    "first",
    [
        pytest.param(
            f"{GUARDED} if (a[i] < 0) {{ b[i] = 5; return; }} b[i] = a[i];",
            id="work-before",
        ),
        f"{GUARDED} if (a[i] < 0) b[i] = 5; else {{ b[i]--; return; }} b[i]++;",
        f"{ITEM} if (i < n) {{ b[i] = a[i]; if (a[i] < 0) return; b[i] *= 3; }} else return;",
        f"{ITEM} if (i < n) {{ if (a[i] < 0) {{ if (a[i] < -1) return; b[i] = 7; }} b[i]--; }}",
        # In a loop, and in one in a loop
        (
            f"{GUARDED} for (int k = 0; k < 4; k++) {{ b[i] = k; if (a[i] < k - 1) return; }}"
            " b[i] = -1;"
        ),
        (
            f"{GUARDED} int k = 3; while (k--) do if (b[i] > k * a[i]) {{ b[i] = k; return; }}"
            " while (k-- > 1); b[i] = a[i];"
        ),
        (
            f"{GUARDED} switch ((int)a[i] & 3) {{ case 0: b[i] = 1; return; case 1: break;"
            " case 2: b[i] = 2; if (a[i] > 1) return; default: b[i] = 3; } b[i] -= a[i];"
        ),
        # From a macro
        (
            "\n#define LEAVE return\n#define IF(x) if (x) { b[i] = 9; LEAVE; }\n"
            f"{GUARDED} IF(a[i] < 0) b[i] = a[i];"
        ),
    ],
)
def test_return_among_the_work(first: str) -> None:
    scalars = {"n": np.int32(50)}
    fused_and_same(program(first, BEHIND), CALLS, launches=1, scalars=scalars)
    # ... and where it is the last one
    second = first.replace("b[", "c[").replace("a[", "b[")
    before = f"{ITEM} if (i < n) b[i] = 2 * a[i];"
    fused_and_same(program(before, second), CALLS, launches=1, scalars=scalars)


@pytest.mark.parametrize(
    ("first", "launches"),
    [
        (f"{RANGE} {{ if (a[i] < 0) continue; b[i] = a[i]; }}", 1),
        (f"{RANGE} {{ b[i] = 1; if (a[i] < 0) {{ b[i]--; continue; }} b[i] = 5; }}", 1),
        (
            f"{RANGE} {{ switch ((int)a[i]) {{ case 0: continue; default: b[i] = 2; }} b[i]--; }}",
            1,
        ),
        (
            f"{RANGE} {{ for (int k = 0; k < 3; k++) {{ if (a[i] < k) continue; b[i] += k; }} }}",
            1,
        ),
        (f"{RANGE} {{ for (int k = 0; k < 3; k++) {{ if (a[i] < k) break; b[i] += k; }} }}", 1),
        # No item of the range is like an item of the launch: the next ones are left out, too.
        (f"{RANGE} {{ if (a[i] < 0) return; b[i] = a[i]; }}", 2),
        (f"{RANGE} {{ if (a[i] < 0) break; b[i] = a[i]; }}", 2),
    ],
)
def test_continue_in_a_loop_over_the_range(first: str, launches: int) -> None:
    second = f"{RANGE} c[i] = b[i] + 1;"
    fused_and_same(
        program(first, second), CALLS, launches=launches, scalars={"n": np.int32(50)}, size=(16,)
    )


def test_text() -> None:
    first = f"""
    {ITEM}
    if (i >= n)
        return;
    if (a[i] < 0) {{
        b[i] = 0;
        return;
    }}
    b[i] = a[i];
"""
    fused = fuse(program(first, BEHIND), CALLS)
    assert (
        fused.fused[0].text
        == """\
/* first and second in one kernel */
kernel void first_second(global const float *a, global float *b, global float *c, int n)
{
    const int i = get_global_id(0);
    float b_i;
    if (i >= n)
        return;

    /* first(b, a, n) */
    const float a_i = a[i];
    if (a_i < 0) {
        b[i] = b_i = 0;
        goto first_done;
    }
    b_i = a_i;
    b[i] = b_i;
    first_done:;

    /* second(c, b, n) */
    c[i] = b_i + 1;
}"""
    )


def test_facts_hold_to_the_end_of_their_block() -> None:
    """Behind `case`, nothing of what another case has found out."""
    first = "const int x = get_global_id(0), y = get_global_id(1); if (y >= n) return;"
    case = "case 0: if (x >= n) return; default: b[y*n + x] = a[y*n + x];"
    second = "const int x = get_global_id(0), y = get_global_id(1); if (x < n) if (y < n)"
    fused_and_same(
        program(f"{first} switch (n) {{ {case} }}", f"{second} c[y*n + x] = b[y*n + x];"),
        CALLS,
        launches=2,
        scalars={"n": np.int32(5)},
        size=(6, 6),
    )


@pytest.mark.parametrize(
    "condition",
    ["(d[i] += v) > 0", "d[i]++ > 0", "(d[i] = v) > 0", "put(d + i, v) > 0", "atomic_inc(k) > 3"],
    ids=["update", "step", "store", "helper", "atomic"],
)
def test_condition_that_changes_something(condition: str) -> None:
    """It is computed, also where nothing is left to be guarded by it."""
    head = "float put(global float *p, float v) { *p = v; return v; }\n"
    second = f"{GUARDED} const float v = b[i]; c[i] = v; if ({condition}) return;"
    more = ", global float *d, global int *k, int n"
    source = head + program(f"{GUARDED} b[i] = a[i];", second).replace(
        ", global const float *b, int n", f", global const float *b{more}"
    )
    count = np.zeros(1, np.int32)
    fused_and_same(
        source,
        ["first(b, a, n)", "second(c, b, d, k, n)"],
        launches=1,
        scalars={"n": np.int32(50)},
        buffers={"k": count},
    )


def test_continue_whose_condition_changes_something() -> None:
    second = f"{RANGE} {{ c[i] = b[i]; if ((c[i] += a[i]) > 0) continue; }}"
    source = program(f"{RANGE} b[i] = 1;", second).replace(
        "float *b, int n)\n{ for (int i = get_global_id(0); i < n; i += get_global_size(0)) { c",
        "float *b, global float *a, int n)\n{ for (int i = get_global_id(0); i < n;"
        " i += get_global_size(0)) { c",
    )
    calls = ["first(b, a, n)", "second(c, b, a, n)"]
    fused_and_same(source, calls, launches=1, scalars={"n": np.int32(50)}, size=(16,))


@pytest.mark.parametrize(
    "switch",
    [
        "switch (n) { case 0: if (x < n) { case 5: c[y*16 + x] = b[y*n + x]; } }",
        "switch (n) { case 0: { if (x >= n) break; case 5: c[y*16 + x] = b[y*n + x]; } }",
        "switch (n) { case 0: if (x < n) { default: c[y*16 + x] = b[y*n + x]; } }",
        "switch (n) { case 0: for (; x < n; ) { case 5: c[y*16 + x] = b[y*n + x]; break; } }",
        "switch (n) { case 0: if (x < n) { case 5: ; c[y*16 + x] = b[y*n + x]; } }",
        (
            "switch (n) { case 0: x += 0; int j = x; if (n < 0) { case 5: j = x + 1; }"
            " c[y*16 + x] = b[y*n + j]; }"
        ),
    ],
    ids=["if", "break", "default", "loop", "behind", "value"],
)
def test_label_in_a_block(switch: str) -> None:
    """What the block stands under says nothing: the label is jumped to."""
    item = "int x = get_global_id(0), y = get_global_id(1);"
    source = program(f"{item} if (x < n && y < 4) b[y*n + x] = a[y*n + x] + 1;", f"{item} {switch}")
    data = {name: np.arange(128, dtype=np.float32) for name in "abc"}
    scalars = {"n": np.int32(5)}
    fused_and_same(
        source, CALLS, launches=2, scalars=scalars, size=(8, 4), local=(8, 4), buffers=data
    )


@pytest.mark.parametrize(
    "body",
    [
        "{item} if (i < n) {{ {work} }};",
        "{item}; if (i < n) {{ {work}; }};; return;;",
        "{item} if (i >= n) return;; {work};",
    ],
)
def test_semicolons_alone_are_no_work(body: str) -> None:
    text = "".join(
        f"kernel void {name}(global float *{to}, global const float *{of}, const int n)\n"
        f"{{ {body.format(item='const int i = get_global_id(0);', work=work)} }}\n"
        for name, to, of, work in (
            ("first", "t", "a", "t[i] = 2.0f * a[i];"),
            ("second", "c", "t", "c[i] = t[i] + t[max(i - 1, 0)];"),
        )
    )
    calls = ["first(t, a, n)", "second(c, t, n)"]
    numbers = {"n": np.int32(60)}
    fused_and_same(text, calls, ["c"], launches=1, scalars=numbers, target=EAGER)
