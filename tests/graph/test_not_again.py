"""Why a call that reads neighbouring elements stays apart: one reason, and the same results."""

from __future__ import annotations

import numpy as np
import pytest

from kfusion.graph.target import Target
from kfusion.source.codes import ADVICE
from tests.support.kernel_side import ITEMS, fused_and_same, random_data

EAGER = Target(near=1 << 20)  # whatever it costs to compute again
SCALARS = {"n": np.int32(ITEMS), "w": np.int32(8), "h": np.int32(8)}
ITEM = "const int i = get_global_id(0);"
ROWS = "const int x = get_global_id(0), y = get_global_id(1); if (x >= w || y >= h) return;"
OWN = f"{ITEM} if (i < n) t[i] = a[i] + 1.0f;"
AROUND = f"{ITEM} if (i < n) o[i] = t[max(i - 1, 0)] + t[min(i + 1, n - 1)];"
CLAMPED = "'t[max(i - 1, 0)]' in g()"
NOT_AGAIN = f"{CLAMPED} cannot be computed again for neighbouring items: f()"


def program(first: str, second: str, third: str = "") -> str:
    stages = [("f", "t", "a", first), ("g", "o", "t", second), ("h", "o", "t", third)]
    return "int item(void) { return get_global_id(0); }\n" + "".join(
        f"kernel void {name}(global float *{to}, global float *{of}, int w, int h, int n)\n"
        f"{{ {body} }}\n"
        for name, to, of, body in stages
        if body
    )


def told(source: str, *calls: str, size: tuple[int, ...] = (ITEMS,)) -> list[str]:
    """The only cut of calls that give what they should."""
    given = [f"{call[:-1]}, w, h, n)" for call in calls]
    fused = fused_and_same(
        source,
        given,
        launches=2,
        scalars=SCALARS,
        buffers=random_data(["t"], ITEMS + 1),
        size=size,
        local=(8,) * len(size),
        target=EAGER,
    )
    cuts = [d for d in fused.diagnostics if d.code.startswith("KF2")]
    assert all(cut.help == ADVICE[cut.code] for cut in cuts)
    return [f"{cut.code}: {cut.message}" for cut in cuts]


def test_with_a_result_elsewhere_it_is_computed_again() -> None:
    calls = ["f(t, a, w, h, n)", "g(o, t, w, h, n)"]
    fused_and_same(program(OWN, AROUND), calls, launches=1, scalars=SCALARS, target=EAGER)


@pytest.mark.parametrize(
    ("first", "calls", "reader", "writer"),
    [
        (OWN, ["f(t, a)", "g(a, t)"], "f() reads 'a'", "g()"),
        (
            AROUND.replace("o[", "T[").replace("t[", "a[").replace("T[", "t["),
            ["f(t, a)", "g(a, t)"],
            "f() reads 'a'",
            "g()",
        ),
        (f"{ITEM} if (i < n) t[i] += 1.0f;", ["f(t, a)", "g(o, t)"], "f() reads 't'", "f()"),
    ],
)
def test_in_place(first: str, calls: list[str], reader: str, writer: str) -> None:
    message = f"to compute 't' again for neighbouring items, {reader}, which {writer} writes"
    assert told(program(first, AROUND), *calls) == [f"KF235: {message}"]


def test_in_place_by_a_third_call() -> None:
    source = program(OWN, AROUND, f"{ITEM} if (i < n) o[i] = t[i];")
    message = "to compute 't' again for neighbouring items, f() reads 'a', which h() writes"
    assert told(source, "f(t, a)", "g(u, t)", "h(a, u)") == [f"KF235: {message}"]


STEP = f"{ITEM} if (i < n) t[i] = a[max(i - 1, 0)] - BEFORE;"


@pytest.mark.parametrize(
    ("before", "calls", "states"),
    [
        ("b[i]", ["s(c, b, a)", "s(a, c, b)"], "two earlier states"),
        ("t[i]", ["s(c, a, b)", "s(a, c, b)"], "the buffer that it writes"),
        ("b[i]", ["s(c, a, c)", "s(a, c, a)"], "the buffer that it writes"),
    ],
)
def test_steps_of_several_states(before: str, calls: list[str], states: str) -> None:
    head = "kernel void s(global float *t, global float *a, global float *b, int w, int h, int n)"
    message = "to compute 'c' again for neighbouring items, s() reads 'a', which s() writes"
    source = f"{head} {{ {STEP.replace('BEFORE', before)} }}\n"
    assert told(source, *calls) == [f"KF240: {message}: each of its steps reads {states}"]


@pytest.mark.parametrize(
    ("first", "second", "read", "missing"),
    [
        (OWN, f"{ITEM} if (i < n && i > w*w - 64) o[i] = t[i - 1];", "t[i - 1]", "0 < i"),
        (
            f"{ITEM} t[i] = a[i];",
            f"{ITEM} o[i] = t[i + 1];",
            "t[i + 1]",
            "i + 1 < get_global_size(0)",
        ),
        (
            f"{ITEM} t[i] = a[i];",
            f"{ITEM} o[i] = 0; for (int k = 0; k < w*w; k++) o[i] += t[k];",
            "t[k]",
            "k < get_global_size(0)",
        ),
    ],
)
def test_no_item_may_make_it(first: str, second: str, read: str, missing: str) -> None:
    message = (
        f"'{read}' in g() may read elements of 't' that no item of f() makes: "
        f"it is not known that '{missing}' in g()"
    )
    assert told(program(first, second), "f(t, a)", "g(o, t)") == [f"KF236: {message}"]


def test_the_next_row_may_begin() -> None:
    source = program(f"{ROWS} t[y*w + x] = a[y*w + x];", f"{ROWS} o[y*w + x] = t[y*w + x + 1];")
    message = (
        "'t[y*w + x + 1]' in g() may read elements of 't' that no item of f() makes: "
        "it is not known that 'x + 1 < w' in g()"
    )
    assert told(source, "f(t, a)", "g(o, t)", size=(8, 8)) == [f"KF236: {message}"]


@pytest.mark.parametrize("index", ["2*i", "i / 2", "n - 1 - i"])
def test_resampling(index: str) -> None:
    source = program(f"{ITEM} if (2*i < n) t[{index}] = a[i];", AROUND)
    message = f"it is not known which item of f() makes what {CLAMPED} reads: it writes "
    assert told(source, "f(t, a)", "g(o, t)") == [f"KF237: {message}'t[{index}]'"]


WAIT = "barrier(CLK_LOCAL_MEM_FENCE);"
SEVERAL = "stores several elements"


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (f"{ITEM} if (4*i < n) for (int k = 0; k < 4; k++) t[4*i + k] = a[i];", SEVERAL),
        (f"{ITEM} if (2*i < n) {{ t[2*i] = a[i]; t[2*i + 1] = 0; }}", SEVERAL),
        ("for (int i = get_global_id(0); i < n; i += get_global_size(0)) t[i] = a[i];", SEVERAL),
        (f"{ITEM} if (i < n) if (a[i] > 0) t[i] = a[i];", "stores 't[i]' under a condition"),
        (
            f"{ITEM} if (i >= n) return; if (a[i] > 0) return; t[i] = a[i];",
            "stores 't[i]' under a condition",
        ),
        (f"{ITEM} if (i < n) t[i] = get_group_id(0);", "asks for local or group ids"),
        (
            f"{ITEM} local float s[64]; s[get_local_id(0)] = a[i]; {WAIT} t[i] = s[0];",
            "lets items wait for each other",
        ),
        (
            f"{ITEM} if (i < n) t[i] = get_global_size(0);",
            "asks for more than its global ids, or in another function",
        ),
        (
            f"{ITEM} if (i < n) t[i] = item();",
            "asks for more than its global ids, or in another function",
        ),
        (f"{ITEM} if (i < n) {{ n++; t[i] = n; }}", "changes a parameter"),
    ],
)
def test_what_an_item_makes_is_no_function(body: str, why: str) -> None:
    assert told(program(body, AROUND), "f(t, a)", "g(o, t)") == [f"KF238: {NOT_AGAIN} {why}"]


def test_an_earlier_call_has_another_guard() -> None:
    first = f"{ITEM} if (i < n && i > 2) t[i] = a[i];"
    source = program(first, f"{ITEM} if (i < n) o[i] = t[i] * 2.0f;", AROUND)
    message = f"{NOT_AGAIN} has a guard that g() has not".replace("in g()", "in h()")
    assert told(source, "f(t, a)", "g(u, t)", "h(o, u)") == [f"KF238: {message}"]


@pytest.mark.parametrize(
    ("read", "value"),
    [
        ("t += max(i - 1, 0);", "*t"),
        ("", "vload2(0, t + min(i, n - 2))"),
    ],
)
def test_what_is_read_has_no_text_of_its_own(read: str, value: str) -> None:
    field = ".x" if "vload" in value else ""
    source = program(OWN, f"{ITEM} {read} if (i < n) o[i] = {value}{field};")
    message = f"'{value}' in g() cannot be replaced by what f() computes for neighbouring items"
    assert told(source, "f(t, a)", "g(o, t)") == [f"KF239: {message}"]


def test_what_a_call_leaves_alone_an_earlier_one_has_made() -> None:
    inner = f"{ITEM} if (i > 0 && i < n - 1) o[i] = t[i];"
    message = (
        "'t[max(i - 1, 0)]' in h() may read elements of 'u' that g() leaves as they are, and "
        "another call of the kernel writes"
    )
    calls = "f(u, a)", "g(u, b)", "h(o, u)"
    assert told(program(OWN, inner, AROUND), *calls) == [f"KF236: {message}"]
