"""Text that is moved to other lines: its tokens stay what they are."""

from __future__ import annotations

import pytest

from kfusion.source.lexer import joined, one_line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a  +\n\tb", "a + b"),
        ("3 // three\n + 1", "3 + 1"),
        ("const /* in */ vec\n*", "const vec *"),
        ('"two  blanks // and */"', '"two  blanks // and */"'),
        ('"one\\\n  two"', '"one  two"'),
        ("f(x)[1]", "f(x)[1]"),
    ],
)
def test_one_line(text: str, line: str) -> None:
    assert one_line(text) == line


def test_literals_of_several_lines_are_joined() -> None:
    assert joined('puts("one\\\n  two",\n     x);') == 'puts("one  two",\n     x);'


def test_other_lines_that_go_on_stay() -> None:
    assert joined("a + \\\n  b") == "a + \\\n  b"
