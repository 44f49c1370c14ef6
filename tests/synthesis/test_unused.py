"""Declarations that nothing names any more are left out; whatever else there is stays."""

from __future__ import annotations

import pytest

from kfusion.synthesis.unused import without_unused

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
}


@pytest.mark.parametrize("case", GONE)
def test_what_nothing_names_goes(case: str) -> None:
    declared, rest, left = GONE[case]
    lines = f"{declared}|{rest}".split("|")
    assert without_unused(lines, set()) == left.removeprefix("|").split("|")


@pytest.mark.parametrize("case", STAYS)
def test_the_rest_stays(case: str) -> None:
    lines = "|".join(STAYS[case]).split("|")
    assert without_unused(lines, set()) == lines


def test_what_macros_name_stays() -> None:
    """`#define AT(k) row[k]`: the text around does not show it."""
    lines = ["const int row = y * w;", "a = AT(1);"]
    assert without_unused(lines, {"row"}) == lines
    assert without_unused(lines, set()) == lines[1:]
