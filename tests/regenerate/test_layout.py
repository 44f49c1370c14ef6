"""The layout of generated C is that of the library."""

from __future__ import annotations

import pytest

from kfusion.regenerate.layout import style_of

FUNCTION = "int f(int n)\n{"
BESIDE = """
#define CHECK(call)        \\
    do {                   \\
        if (call)          \\
        {                  \\
            return 1;      \\
        }                  \\
    } while (0)

static int
f(void)
{
    int i;
    for (i = 0; i < 3; i++) {
    }
    if (i)
        return 1;
}
"""
BELOW = """
void f(void) {
    for (int i = 0; i < (3); i++)
    {
    }
    if (g("{", h()))  /* always */
    {
    }
}
/* if (it were so) { */
"""


@pytest.mark.parametrize(("source", "below"), [(BESIDE, False), (BELOW, True), ("", False)])
def test_blocks_open_where_those_of_the_library_do(source: str, below: bool) -> None:
    assert style_of(source, FUNCTION, "    ").block_brace_below is below


def test_a_head_above_the_brace_of_a_function_is_no_block() -> None:
    """`while (0)` in a macro's body, and the next function."""
    assert not style_of(
        "#define X do { } while (0)\n\nint f(int n)\n{\n}\n", "", ""
    ).block_brace_below


@pytest.mark.parametrize(("head", "below"), [(FUNCTION, True), ("int f(int n) {", False)])
def test_functions_open_where_those_of_the_library_do(head: str, below: bool) -> None:
    assert style_of("", head, "").function_brace_below is below
