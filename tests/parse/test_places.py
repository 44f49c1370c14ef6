"""Every token of a parsed file maps back to the place where it is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kfusion.parse.annotations import find_annotations
from kfusion.parse.compiler import STDIN, Failure, Preprocessor, run
from kfusion.parse.preprocess import PToken, preprocess
from kfusion.source.lexer import tokenize
from kfusion.source.text import SourceFile


def read(text: str, folder: Path = Path()) -> list[PToken]:
    source = SourceFile(folder / "test.c", text)
    blanked = find_annotations(source, kernels=False).blanked(text)
    return preprocess(source, blanked, Preprocessor(), stubs_allowed=True).tokens


def written(text: str, tokens: list[PToken]) -> list[str]:
    """Each token as it stands in the text, or the macro call that it came through."""
    result = []
    for token in tokens:
        if token.file != STDIN:
            continue
        start, end = (token.start, token.end) if token.start >= 0 else token.macro or (-1, -1)
        assert 0 <= start < end <= len(text), token
        result.append(text[start:end])
    return result


def places(text: str, folder: Path = Path()) -> list[str]:
    return written(text, read(text, folder))


def test_plain_tokens() -> None:
    text = "int a[3] = { 1, 0x2fUL, 1.5e-3f }; char *s = \"x\\\"y\", c = '\\''; a->b <<= c..."
    assert places(text) == [t.text for t in tokenize(text)]


def test_object_like_macro() -> None:
    text = "#define N 2 + 3\nint a = N;"
    assert places(text) == ["int", "a", "=", "N", "N", "N", ";"]


def test_arguments_of_a_macro_are_where_they_are_written() -> None:
    text = "#define CHECK(c) do { if (c) return; } while (0)\nCHECK(f(a, b)); x;"
    call = "CHECK(f(a, b))"
    assert places(text) == [
        *[call] * 4,
        *["f", "(", "a", ",", "b", ")"],
        *[call] * 8,
        *[";", "x", ";"],
    ]


def test_a_macro_call_that_starts_with_its_argument() -> None:
    text = "#define THEN(x) x; g()\nTHEN(f); h;"
    assert places(text) == ["f", *["THEN(f)"] * 4, ";", "h", ";"]


def test_a_macro_that_uses_its_argument_twice() -> None:
    text = "#define TWICE(x) x + x\nTWICE(a);"
    assert places(text) == ["a", "TWICE(a)", "a", ";"]


def test_a_macro_named_like_what_it_calls() -> None:
    text = "#define f(x) f(x, 1)\nf(a); f;"
    call = "f(a)"
    assert places(text) == [call, call, "a", call, call, call, ";", "f", ";"]


def test_a_macro_that_is_itself() -> None:
    assert places("#define stdin stdin\nstdin;") == ["stdin", ";"]


def test_a_macro_that_names_another() -> None:
    text = "#define F G\n#define G(x) (x) + 1\nF(a);"
    assert places(text) == ["F(a)", "a", *["F(a)"] * 3, ";"]


def test_pasted_and_stringified_arguments() -> None:
    text = '#define VAR(x) var_##x\n#define NAME(x) "k_" #x\nVAR(a); NAME(b c);'
    tokens = read(text)
    assert [t.text for t in tokens] == ["var_a", ";", '"k_"', '"b c"', ";"]
    assert written(text, tokens) == ["VAR(a)", ";", "NAME(b c)", "NAME(b c)", ";"]


def test_pasting_behind_an_object_like_macro() -> None:
    text = "#define CAT(a, b) a##b\n#define JOIN CAT\nJOIN(x, y); z;"
    tokens = read(text)
    assert [t.text for t in tokens] == ["xy", ";", "z", ";"]
    assert written(text, tokens) == ["JOIN(x, y)", ";", "z", ";"]


def test_pasting_in_a_macro_whose_name_is_pasted(tmp_path: Path) -> None:
    macros = "#define ROWS_1(n, x) put##n(x)\n#define ROWS(m, n, x) ROWS_##m(n, x)\n"
    (tmp_path / "rows.h").write_text(macros)
    call = "ROWS(1, 4,\n     a)"
    for begin in (macros, '#include "rows.h"\n'):
        text = f"{begin}{call}; z;"
        tokens = read(text, tmp_path)
        assert [t.text for t in tokens] == ["put4", "(", "a", ")", ";", "z", ";"]
        assert written(text, tokens) == [*[call] * 4, ";", "z", ";"]


def test_nested_macros() -> None:
    text = "#define A(x) B(x) + 1\n#define B(y) (y)\nA(B(p)); q;"
    call = "A(B(p))"
    assert places(text) == [*[call] * 2, "p", *[call] * 4, ";", "q", ";"]


def test_a_macro_call_over_several_lines() -> None:
    text = "#define ADD(a, b) a + b\nx = ADD(p,\n        q /* c */\n       );\ny;"
    call = "ADD(p,\n        q /* c */\n       )"
    assert places(text) == ["x", "=", "p", call, "q", ";", "y", ";"]


def test_brackets_and_commas_in_arguments() -> None:
    text = "#define ID(x) x\n#define ALL(...) __VA_ARGS__\nID((a, b)); ALL(c, d[e], {f});"
    assert [t.text for t in read(text)] == list("(a,b);c,d[e],{f};")
    assert places(text)[:5] == ["(", "a", ",", "b", ")"]


def test_the_result_of_a_macro_call_is_called() -> None:
    text = "#define PICK(f) f\n#define TWICE(x) x x\nPICK(TWICE)(a); PICK(g)(b);"
    assert [t.text for t in read(text)] == ["a", "a", ";", "g", "(", "b", ")", ";"]


def test_line_continuations() -> None:
    text = 'int \\\n a = vec\\\ntor; \\\n\nchar *s = "a\\\nb";'
    tokens = read(text)
    assert [t.text for t in tokens] == [
        *"int a = vector ;".split(),
        *"char * s =".split(),
        '"ab"',
        ";",
    ]
    assert written(text, tokens)[3] == "vec\\\ntor"
    assert written(text, tokens)[-2] == '"a\\\nb"'


def test_line_ends_of_windows() -> None:
    text = (
        "#define TWO(a) \\\r\n    a + \\\r\n    a\r\nint x; // c\r\nTWO(y);\r\n/* d\r\n */ z;\r\n"
    )
    assert places(text) == ["int", "x", ";", "y", "TWO(y)", "y", ";", "z", ";"]


def test_comments_in_odd_places() -> None:
    text = (
        "int/*a*/b; // c \\\n still a comment\n/* d */ # /* e */ define /* f */ N /* g */ 1\nN/**/;"
    )
    assert places(text) == ["int", "b", ";", "N", ";"]


def test_tabs_form_feeds_and_a_byte_order_mark() -> None:
    assert places("\ufeff#define N\t1\n\tint\fa\v=\tN;") == ["int", "a", "=", "N", ";"]


def test_strings_that_look_like_markers_or_comments() -> None:
    text = '#define ID(x) x\nf("@1@ a", "/* b */", "// c", \'"\', ID("@2@"), L"w", u8"x");'
    tokens = read(text)
    literals = [t.text for t in tokens if t.text[-1] in "\"'"]
    assert literals == ['"@1@ a"', '"/* b */"', '"// c"', "'\"'", '"@2@"', 'L"w"', 'u8"x"']
    assert all(text[t.start : t.end] == t.text for t in tokens if t.text[-1] in "\"'")


def test_text_that_is_left_out() -> None:
    text = "#if 0\nint a; it's not C\n#else\nint b;\n#endif\n#ifdef X\n'\n#endif\nc;"
    assert places(text) == ["int", "b", ";", "c", ";"]


def test_names_that_the_compiler_replaces() -> None:
    text = "a(__LINE__, __FILE__);\n\n\n__LINE__;"
    tokens = read(text)
    assert [t.text for t in tokens] == ["a", "(", "1", ",", f'"{STDIN}"', ")", ";", "4", ";"]
    assert written(text, tokens) == [
        "a",
        "(",
        "__LINE__",
        ",",
        "__FILE__",
        ")",
        ";",
        "__LINE__",
        ";",
    ]


def test_line_directives_do_not_move_anything() -> None:
    text = '#line 100 "other.c"\nint a;\n# 7 "third.c"\nint b;'
    tokens = read(text)
    assert written(text, tokens) == ["int", "a", ";", "int", "b", ";"]
    assert [t.line for t in tokens] == [2, 2, 2, 4, 4, 4]


def test_pragmas() -> None:
    text = 'int a;\n  #  pragma  one \\\n  two\nint b; _Pragma("three") int c;\n#ident "x"\nint d;'
    tokens = read(text)
    pragmas = [t for t in tokens if t.text.startswith("#pragma")]
    assert [t.text for t in pragmas] == ["#pragma one two", "#pragma three"]
    assert text[pragmas[0].start : pragmas[0].end] == "#  pragma  one \\\n  two"
    rest = [t for t in tokens if t not in pragmas]
    assert written(text, rest) == "int a ; int b ; int c ; int d ;".split()
    assert pragmas[1].macro is not None
    assert text[slice(*pragmas[1].macro)] == '_Pragma("three")'


def test_pragmas_of_macros() -> None:
    text = '#define TEAM(x) _Pragma("omp parallel") { x; }\nint a; TEAM(b) TEAM(c)'
    pragmas = [t for t in read(text) if t.text == "#pragma omp parallel"]
    assert [text[slice(*t.macro)] for t in pragmas if t.macro] == ["TEAM(b)", "TEAM(c)"]


def test_a_header_in_the_middle(tmp_path: Path) -> None:
    (tmp_path / "body.inc").write_text("x = 1;\n\n\ny = 2;\n")
    text = 'f {\n\n\n\n\n\n\n\n\n\n\n\n#include "body.inc" // here\nz; }'
    tokens = read(text, tmp_path)
    assert written(text, tokens) == ["f", "{", "z", ";", "}"]
    inner = [t for t in tokens if t.file != STDIN]
    assert [t.text for t in inner] == "x = 1 ; y = 2 ;".split()
    assert {text[slice(*t.macro)] for t in inner if t.macro} == {'#include "body.inc" // here'}
    assert [t.line for t in inner] == [1, 1, 1, 1, 4, 4, 4, 4]


def test_macros_of_headers(tmp_path: Path) -> None:
    (tmp_path / "m.h").write_text("#define CALL(f) f(NULL_)\n#define NULL_ ((void *)0)\n")
    text = '#include "m.h"\nCALL(g); h;'
    assert places(text, tmp_path)[:2] == ["g", "CALL(g)"]
    assert places(text, tmp_path)[-3:] == [";", "h", ";"]


def compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that the compiler gets from now on."""
    texts: list[str] = []

    def counted(source: SourceFile, text: str, *rest: Any) -> str | Failure:
        texts.append(text)
        return run(source, text, *rest)

    monkeypatch.setattr("kfusion.parse.preprocess.run", counted)
    return texts


def test_the_compiler_runs_once_if_all_macros_are_in_sight(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.h").write_text('#include "b.h"\n')
    (tmp_path / "b.h").write_text("#define TRY(x) \\\n  if (x) return\n")
    text = '#include "a.h"\n#define PLUS(a, b) a + b\nvoid f(void) { TRY(g(PLUS(1, 2))); }\n'
    texts = compilations(monkeypatch)
    assert places(text, tmp_path)[-3:] == ["TRY(g(PLUS(1, 2)))", ";", "}"]
    assert len(texts) == 1


@pytest.mark.parametrize("header", ["<x.h>", "NAME", '"x.h"'])
def test_macros_that_come_as_a_surprise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, header: str
) -> None:
    """A header that is not in sight; a definition that an `#if` leaves out."""
    (tmp_path / "x.h").write_text(
        "#ifdef _NOWHERE\n#define PASTE(a, b) a ## b\n#else\n#define PASTE(a, b) a\n#endif\n"
    )
    text = f'#define NAME "x.h"\n#include {header}\nint PASTE(c, d);\n'
    source = SourceFile(tmp_path / "test.c", text)
    texts = compilations(monkeypatch)
    how = Preprocessor(include_dirs=(tmp_path,))
    tokens = preprocess(source, text, how, stubs_allowed=True).tokens
    assert written(text, tokens)[-3:] == ["int", "c", ";"]
    assert len(texts) == 3


def test_a_header_beside_the_file_is_taken_wherever_kfusion_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "m.h").write_text("wrong;")
    (tmp_path / "m.h").write_text("right;")
    monkeypatch.chdir(tmp_path / "here")
    assert [t.text for t in read('#include "m.h"', Path(".."))] == ["right", ";"]


def test_annotations_leave_no_trace() -> None:
    text = "kfuse(x, out(y)) {\n f(x); }\n#pragma sync in(a) /* c\n */ out(b)\nint g(int a, int b);"
    assert places(text) == [t.text for t in tokenize(text) if t.kind.value != "directive"][9:]


WORDS = st.sampled_from(
    [
        *"a x1 0x1F 1.5e+3 'c' EMPTY OBJ SELF ID( TWO( ) , + ++ -> { } ; [ ] (".split(),
        *('"s @3@"', "/* c */", "// d\n", "\\\n", "\n", "\t"),
    ]
)
MACROS = """\
#define EMPTY
#define OBJ (a + 1)
#define ID(x) x
#define TWO(x, y) y SELF x
#define SELF SELF
"""


def is_balanced(words: list[str]) -> bool:
    """Round brackets close, and each call of TWO has two arguments."""
    opened: list[str] = []
    commas: list[int] = []
    for word in words:
        if word.endswith("("):
            opened.append(word)
            commas.append(0)
        elif word == "," and opened:
            commas[-1] += 1
        elif word == ")":
            if not opened:
                return False
            wanted = {"TWO(": 1, "ID(": 0}.get(opened.pop())
            if commas.pop() != wanted and wanted is not None:
                return False
    return not opened


@settings(max_examples=60, deadline=None)
@given(st.lists(WORDS, max_size=25))
def test_every_written_token_is_found_in_order(words: list[str]) -> None:
    if not is_balanced(words):
        words = [w for w in words if w not in (")", "(", "ID(", "TWO(")]
    text = MACROS + " ".join(words) + "\nend"
    tokens = read(text)
    for token in tokens:
        if token.start >= 0:
            assert text[token.start : token.end] == token.text
        else:
            assert token.macro is not None
            assert text[slice(*token.macro)].startswith(("OBJ", "TWO", "ID", "SELF"))
    outside = [t for t in tokens if t.macro is None]
    assert [t.start for t in outside] == sorted(t.start for t in outside)
    assert tokens[-1].text == "end"
    assert tokens[-1].start == len(text) - 3
