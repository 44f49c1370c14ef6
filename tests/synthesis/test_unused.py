"""Declarations that nothing names any more are left out; whatever else there is stays."""

from __future__ import annotations

from time import perf_counter

import pytest

from kfusion.synthesis.unused import without_unused

DEFINED = {"SET", "OTHERWISE", "ALSO", "INC", "SCALE", "select"}
GONE = {
    "a number": ("const int xx = clamp(x + 1, 0, w - 1);", "a = b;", "|a = b;"),
    "one of two": ("int xx = x + 1, yy = y * w;", "a = xx;", "int xx = x + 1;|a = xx;"),
    "one after another": ("int k = w * 4;|int row = k + 1;", "a = b;", "|a = b;"),
    "a pointer": ("__global const float *row = src + y * w;", "a = b;", "|a = b;"),
    "in its block": (
        "for (;;) {|    int row = y * w;|    a = b;|}|for (;;) {|    int row = y * h;",
        "    a = row;|}",
        "for (;;) {|    a = b;|}|for (;;) {|    int row = y * h;|    a = row;|}",
    ),
}
STAYS = {
    "named": ("int xx = x + 1;", "a = s[xx];"),
    "named in a directive": ("int n = 4;", "#pragma unroll n"),
    "an effect": ("int xx = i++;", "a = b;"),
    "a call of the program's own": ("int xx = count(x);", "a = b;"),
    "an assignment": ("int xx = (y = 3);", "a = y;"),
    "volatile": ("volatile int xx = *p;", "a = b;"),
    "an assignment only": ("xx = x + 1;", "a = b;"),
    "a comparison": ("return x == 1;", ""),
    "several lines": ("int xx = max(x,|             y);", "a = b;"),
    "a function of the file that OpenCL has, too": ("int xx = select(x, y, z);", "a = b;"),
    "a macro in front": ("SET int last = 3;", "a = b;"),
    "a macro as a type": ("OTHERWISE m = k;", "a = b;"),
    "a macro within": ("int xx = 1 ALSO yy;", "a = b;"),
    "a macro that changes": ("int xx = k INC;", "a = b;"),
    "a comment behind": ("int xx = 3 // was 4;", ", yy = 3;|a = yy;"),
    "a comment that goes on": ("/* the ratio|int xx = b */ + 3;", "a = b;"),
    "within a comment": ("/* one|int xx = 2;|*/", "a = b;"),
    "behind a comment that goes on": ("// C:\\|int xx = 3;", "a = b;"),
    "within the head of a loop": ("for (|int unused = 0;", "a < 3; a++)|a = b;"),
    "behind a qualifier on its own line": ("unsigned|int xx = -4;", "a = b;"),
    "behind a condition": ("else|int xx = 4;", "a = b;"),
    "a list": ("int xx = (int){3};", "a = b;"),
    "no statement": ("SCALE // was: 2.0f * a[i];", "a = b;"),
}


@pytest.mark.parametrize("case", GONE)
def test_what_nothing_names_goes(case: str) -> None:
    declared, rest, left = GONE[case]
    lines = f"{declared}|{rest}".split("|")
    assert without_unused(lines, set(), DEFINED) == left.removeprefix("|").split("|")


@pytest.mark.parametrize("case", STAYS)
def test_the_rest_stays(case: str) -> None:
    lines = "|".join(STAYS[case]).split("|")
    assert without_unused(lines, set(), DEFINED) == lines


def test_what_macros_name_stays() -> None:
    """`#define AT(k) row[k]`: the text around does not show it."""
    lines = ["{", "const int row = y * w;", "a = b;", "}"]
    assert without_unused(lines, {"row"}, DEFINED) == lines
    assert without_unused(lines, set(), DEFINED) == ["{", "a = b;", "}"]


def test_many_declarations_take_no_time() -> None:
    lines = ["int v0 = x;", *(f"int v{n} = v{n - 1} + 1;" for n in range(1, 3000)), "a = b;"]
    started = perf_counter()
    assert without_unused(lines, set(), DEFINED) == ["a = b;"]
    used = [*lines, "a = v2999;"]
    assert without_unused(used, set(), DEFINED) == used
    assert perf_counter() - started < 20
