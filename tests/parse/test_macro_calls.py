"""Macros of C++ regions: what is read is what the compiler's preprocessor makes."""

from __future__ import annotations

import subprocess

import pytest

from kfusion.parse.macro_calls import expanded
from kfusion.parse.macros import read_macros
from kfusion.source.lexer import tokenize

MACROS = """\
#define ONE 1
#define QUEUE here->queue
#define CHECK(x) do { int e = (x); if (e) { print(#x, e); exit(ONE); } } while (0)
#define TWICE(x) x, x
#define NOTHING()
#define BOTH(a, b) ((a) + (b))
#define LOG(f, ...) print(f, __VA_ARGS__)
#define TOLD(f, ...) print(f, ##__VA_ARGS__)
#define NAMED(f, rest...) print(f, ##rest)
#define again again + 1
#define CALL(f) f(ONE
#define SELF(x) SELF(x + ONE)
#define FIRST(x) SECOND(x)
#define SECOND(x) [x] FIRST(x)
#define LESS(a) BOTH(a)
#define CAT(a, b) a ## b
#define XCAT(a, b) CAT(a, b)
#define THREE(a) x_ ## a ## _y(a)
"""
FOLLOWED = [
    "CHECK(finish(QUEUE));",
    "CHECK(run(a, b, (c, d), f(e, g)));",
    "CHECK(CHECK(1));",
    "x = BOTH(BOTH(1, ONE), TWICE(2));",
    "NOTHING() y; NOTHING (); ONE ONE; BOTH(,) TWICE() LOG(1,) LOG(1, ONE, 3)",
    "TOLD(a); TOLD(a, ONE); TOLD(a, b, c); NAMED(a); NAMED(a, b, ONE)",
    "CAT(x, ONE) XCAT(x, ONE) CAT(fm, in)(3) THREE(b) THREE(ONE) CAT(, c) CAT(a,) CAT(CA, T)(1, 2)",
    "BOTH; z = (TWICE); CALL(g)); CHECK (\n1\n);",
    "again; SELF(2); FIRST(ONE); LESS(TWICE(1))",
]


def _words(text: str) -> list[str]:
    """Without the contents of strings."""
    return ['""' if token.text[0] == '"' else token.text for token in tokenize(text)]


@pytest.mark.parametrize("text", FOLLOWED)
def test_as_the_preprocessor(text: str) -> None:
    table = read_macros(MACROS, "")
    made = expanded(tokenize(text), lambda token: table.at_end(token.text))
    command = ["cc", "-E", "-P", "-x", "c++", "-std=gnu++17", "-"]
    done = subprocess.run(
        command, input=f"{MACROS}behind {text}", capture_output=True, text=True, check=True
    )
    assert [token.text for token in made] == _words(done.stdout)[1:]


@pytest.mark.parametrize(
    "macro", ["M(a, b) f(__VA_OPT__(a) b)", "M(a) a"], ids="optional count".split()
)
def test_what_is_not_followed_stays(macro: str) -> None:
    table = read_macros(f"#define {macro}\n", "")
    made = expanded(tokenize("M(x, y) + 1"), lambda token: table.at_end(token.text))
    assert [token.text for token in made] == ["M", "(", "x", ",", "y", ")", "+", "1"]
