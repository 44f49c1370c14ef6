"""Lines of generated text: none is too long, and what goes on stands below what it belongs to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kfusion.source.lexer import tokenize
from kfusion.synthesis.layout import broken, realigned

NAMES = st.sampled_from(["x", "left", "source_rows", "width", "a_temperature_of_the_plate"])
OPERATORS = st.sampled_from(["+", "-", "*", "/", "&", "<", "&&", "||"])
EXPRESSIONS = st.recursive(
    NAMES,
    lambda inner: st.one_of(
        st.tuples(inner, OPERATORS, inner).map(" ".join),
        st.tuples(inner, inner).map(lambda p: f"max({p[0]}, {p[1]})"),
        st.tuples(inner, inner, inner).map(lambda p: f"({p[0]} ? {p[1]} : {p[2]})"),
        st.tuples(NAMES, inner).map(lambda p: f"{p[0]}[{p[1]}]"),
    ),
    max_leaves=40,
)


def words(text: str) -> list[str]:
    return [token.text for token in tokenize(text)]


@given(st.lists(EXPRESSIONS, min_size=1, max_size=3), st.integers(0, 40))
def test_lines_are_broken_between_words(values: list[str], indent: int) -> None:
    text = "\n".join(f"{' ' * indent}out[i] = {value};" for value in values)
    new = broken(text)
    assert words(new) == words(text)
    assert broken(new) == new
    # `max(a_temperature_of_the_plate[x], ...` goes on below its bracket, wherever that stands.
    assert all(len(line) <= 100 or len(line.lstrip()) <= 80 for line in new.split("\n"))


LONG = "source_rows[min(y + 1, height - 1) & 7][x - left]"
TARGET = "even_rows[y & 3][x - left_2]"
TOP = "const int top = flat ? (piece < over ? 0 : lower) + n / across * 8"
BROKEN = {
    "sum": (
        f"    even[i] = 0.2f * ({LONG} + {LONG});",
        f"""\
    even[i] = 0.2f * ({LONG}
                      + {LONG});""",
    ),
    "call": (
        f"{' ' * 12}{TARGET} = jacobi_at_3(x, y, odd_rows, even_rows, left_2, width, height);",
        """\
            even_rows[y & 3][x - left_2] =
                    jacobi_at_3(x, y, odd_rows, even_rows, left_2, width, height);""",
    ),
    "choice": (
        f"{' ' * 12}{TOP} : upper + n % along * 64;",
        """\
            const int top = flat ? (piece < over ? 0 : lower) + n / across * 8
                            : upper + n % along * 64;""",
    ),
    "several lines": (
        f"""\
    const float s = {LONG} + 2.0f * {LONG}
                    + {LONG}
                    + shorter(a,
                              b);
    next = 1;""",
        f"""\
    const float s = {LONG}
                    + 2.0f * {LONG}
                    + {LONG}
                    + shorter(a,
                              b);
    next = 1;""",
    ),
}
LEFT = {
    "comment": f"    a = b; // {'a comment, ' * 12}",
    "string": f'    printf("{"x, " * 40}");',
    "directive": f"#define F(x) ({'x + ' * 40}0)",
    "directive of two lines": f"#define F(x) \\\n    ({'x + ' * 40}0)",
    "within a comment": f"/* one\n   {'two, ' * 30}\n   three */",
    "one word": f"    {'a' * 120};",
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_long_line_is_broken_where_the_fewest_brackets_are_open(case: str) -> None:
    text, new = BROKEN[case]
    assert broken(text) == new


@pytest.mark.parametrize("case", LEFT)
def test_lines_that_are_not_plain_stay(case: str) -> None:
    assert broken(LEFT[case]) == LEFT[case]


BEFORE = """\
result[y * width + x] = 0.2f * (source[above * width + x]
                                + source[below * width + x]);"""


def test_lines_that_go_on_are_moved_with_their_bracket() -> None:
    new = BEFORE.replace("result[y * width + x]", "const float t").replace("below", "under")
    assert realigned(new, BEFORE) == (
        "const float t = 0.2f * (source[above * width + x]\n"
        "                        + source[under * width + x]);"
    )


def test_lines_that_hang_stay() -> None:
    before = "result[i] = f(a,\n    b);"
    assert realigned("t = f(a,\n    b);", before) == "t = f(a,\n    b);"


def test_lines_of_the_next_statement_stay() -> None:
    before = "for (;;) {\n            a = 1;\n            b = f(2,\n                  3);\n}"
    new = before.replace("b =", "const float b_of_t =")
    assert realigned(new, before) == (
        "for (;;) {\n            a = 1;\n            const float b_of_t = f(2,\n"
        "                                   3);\n}"
    )
