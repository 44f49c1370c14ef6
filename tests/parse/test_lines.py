"""The parser's tokens, line by line, are those of pycparser's own lexer."""

from __future__ import annotations

import pytest
from pycparser.c_lexer import CLexer, Token
from pycparser.c_parser import CParser, ParseError

from kfusion.parse.lines import LineLexer

LINES = """typedef int size_t; typedef float real;
int
f
(
x
[
0
]
)
"a ( string"
'c'
L"wide"
0x1FuL
1.5e-3f
->
<<=
...
#pragma omp parallel for
_Pragma
sizeof
x
f
"""


def tokens(lexer: CLexer, text: str) -> list[tuple[str, str, int, int, str]]:
    lexer.input(text, "file")
    found: list[Token] = []
    while (token := lexer.token()) is not None:
        found.append(token)
    return [(t.type, t.value, t.lineno, t.column, t.filename) for t in found]


@pytest.mark.parametrize("text", [LINES, f"{LINES}[\n[\nnodiscard\n]\n]\nint\ng\n"])
def test_all_kinds_of_tokens(text: str) -> None:
    def fail(message: str, line: int, column: int) -> None:
        raise AssertionError((message, line, column))

    assert tokens(LineLexer(fail), text) == tokens(CLexer(fail), text)


def test_bad_tokens_are_placed() -> None:
    text = "int\nx\n=\n'unfinished\n;\n"
    messages = []
    for lexer in (CLexer, LineLexer):
        with pytest.raises(ParseError) as raised:
            CParser(lexer=lexer).parse(text, "file")
        messages.append(str(raised.value))
    assert messages[0] == messages[1]
    assert messages[0].startswith("file:4:1: ")
