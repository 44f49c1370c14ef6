"""Tokens, places, edits and how diagnostics are drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

from kfusion.source.codes import CODES
from kfusion.source.diagnostics import Diagnostic, Reason, Severity, error, render
from kfusion.source.lexer import Kind, matching, plain_directive, tokenize
from kfusion.source.text import Edit, Location, SourceFile, Span, Spliced, apply_edits


def source(text: str) -> SourceFile:
    return SourceFile(Path("a.c"), text)


def span(text: str, part: str) -> Span:
    start = text.index(part)
    return Span(source(text), start, start + len(part))


def texts(text: str) -> list[str]:
    return [t.text for t in tokenize(text)]


def test_tokens() -> None:
    assert texts("a->b<<=1.5e-3f+0x1Fu ...x##y") == [
        *("a", "->", "b", "<<=", "1.5e-3f", "+", "0x1Fu", "...", "x", "##", "y")
    ]
    assert texts('\'\\\'\' L\'x\' u8"a\\"b" U"" R"x"') == [
        *("'\\''", "L'x'", 'u8"a\\"b"', 'U""', "R", '"x"')
    ]


def test_comments_and_joined_lines() -> None:
    assert texts("a/* b */c // d \\\n e\nf\\\ng \\\r\n h") == ["a", "c", "fg", "h"]


def test_what_is_not_finished_is_taken_character_by_character() -> None:
    assert texts('a "b\n/* c') == ["a", '"', "b", "/", "*", "c"]


@pytest.mark.parametrize(
    "line",
    [
        '#define GLOB "dir/*" \'"\'',
        "#define A /* b\n c */ d",
        "#define A b \\\r\n c",
        "# // d \\\n e",
        "#error don't",
    ],
)
def test_directives_are_one_token(line: str) -> None:
    first, second = tokenize(f"  {line}\nnext")
    assert (first.kind, first.text, second.text) == (Kind.DIRECTIVE, line, "next")


def test_a_hash_inside_a_line_is_no_directive() -> None:
    assert texts("a # b") == ["a", "#", "b"]


def test_plain_directives_keep_their_offsets() -> None:
    (token,) = tokenize('#pragma a /* b\n */ "//" \\\n c // d')
    assert plain_directive(token) == '#pragma a          "//"    c     '


def test_matching_counts_one_kind_of_bracket() -> None:
    tokens = tokenize("f(a[1), {x}] )")
    assert matching(tokens, 1) == 5
    assert matching(tokens, 7) == 9
    assert matching(tokens, 0) is None
    assert matching(tokenize("(()"), 0) is None


def test_places_count_from_one() -> None:
    file = source("ab\n\tc\r\n\nd")
    assert [file.location(at) for at in (0, 2, 4, 8)] == [
        Location(1, 1),
        Location(1, 3),
        Location(2, 2),
        Location(4, 1),
    ]
    assert file.line_text(2) == "\tc\r"
    assert file.line_span(2).text == "c\r"
    assert str(file.line_span(4)) == "a.c:4:1"


def test_edits() -> None:
    assert apply_edits("abcdef", [Edit(4, 5, "X"), Edit(1, 1, "1"), Edit(1, 1, "2")]) == "a12bcdXf"
    assert apply_edits("cd", [Edit(3, 4, "")], base=2) == "c"
    with pytest.raises(ValueError, match="overlapping"):
        apply_edits("abc", [Edit(0, 2, ""), Edit(1, 3, "")])


def test_what_is_spliced_knows_where_it_comes_from() -> None:
    first, second, cut = Edit(1, 1, "12"), Edit(1, 1, "3"), Edit(3, 5, "X")
    text = Spliced(source("abcdef"), (cut, first, second))
    assert text.text == "a123bcXf"
    assert [text.origin(at) for at in range(8)] == [0, first, first, second, 1, 2, cut, 5]
    assert text.origin(8) == 6


def test_a_diagnostic_shows_its_places() -> None:
    text = "int\tx = f(a,\n          b);"
    diagnostic = Diagnostic(
        "KF104",
        Severity.ERROR,
        "no",
        span(text, "f(a,\n          b)"),
        help="yes",
        related=(("it is here", span(text, "x")),),
    )
    assert (
        render(diagnostic)
        == """\
a.c:1:9: error[KF104]: no
    1 | int x = f(a,
      |         ^~~~
a.c:1:5: it is here
    1 | int x = f(a,
      |     ^
  help: yes"""
    )


def test_a_diagnostic_without_a_line_to_show() -> None:
    assert render(Diagnostic("KF401", Severity.NOTE, "so")) == "note[KF401]: so"
    assert render(Diagnostic("KF401", Severity.NOTE, "so", Span(source("\n"), 0, 0))) == (
        "a.c:1:1: note[KF401]: so"
    )


def test_a_caret_stays_on_the_line() -> None:
    text = "ab  \r\n"
    assert render(Diagnostic("KF104", Severity.ERROR, "no", Span(source(text), 3, 5))).endswith(
        "    1 | ab\n      |    ^"
    )


def test_codes_are_registered() -> None:
    with pytest.raises(KeyError, match="KF999"):
        Diagnostic("KF999", Severity.NOTE, "so")
    assert all(len(code) == 5 and meaning for code, meaning in CODES.items())


def test_errors_are_drawn_and_reasons_are_cuts() -> None:
    assert str(error("KF104", "no", span("ab", "b"))) == (
        "a.c:1:2: error[KF104]: no\n    1 | ab\n      |  ^"
    )
    assert Reason("KF202", "differs").as_cut().headline == "cut[KF202]: differs"
