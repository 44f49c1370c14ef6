"""Host C as compilers take it."""

from __future__ import annotations

from pathlib import Path

import pytest
from pycparser import c_ast

from kfusion.parse.annotations import find_annotations
from kfusion.parse.compiler import Preprocessor
from kfusion.parse.host import parse_host
from kfusion.parse.sources import preprocess_host
from kfusion.parse.unit import UNREAD, Unit
from kfusion.paths import fake_libc_dir
from kfusion.source.diagnostics import KFusionError
from kfusion.source.text import SourceFile


def parse(text: str, folder: Path = Path()) -> Unit:
    source = SourceFile(folder / "a.c", text)
    how = Preprocessor(system_dirs=(fake_libc_dir(),))
    marks = find_annotations(source, kernels=False)
    return parse_host(source, marks, preprocess_host(source, marks, how))


@pytest.mark.parametrize(
    "text",
    [
        "#include <sys/stat.h>\nstruct stat s; ino_t i; void f(void) { off_t o = s.st_size; }",
        "#include <stdio.h>\n#include <errno.h>\nvoid f(FILE *o) { if (errno) fputs(NULL, o); }",
        "#include <CL/cl.h>\nvoid f(void) { cl_image_desc d; cl_mem_info i = CL_MEM_SIZE; }",
        "#include <signal.h>\nvoid f(int n) { struct sigaction a; sigset_t s; }",
        "static __inline__ __attribute__((unused)) int f(int *__restrict p) { return *p; }",
        "__extension__ typedef long long big; __thread int t; _Thread_local int u;",
        'int f(void) __attribute__((noreturn)); int g(void) __asm__("h");',
        "_Noreturn void f(void); struct __attribute__((packed)) s { __const char *c; };",
        'void f(int a) { __typeof__(a) b = a; __asm__ volatile("" : : "r"(b)); }',
        "int f(int a) { __auto_type b = a; return b; } __float128 g; _Float16 h;",
        '_Static_assert(sizeof(int) == 4, "int"); enum e { A, B = 1 << 3, };',
        "void f(void) { int a[] = { [3] = 1, [0] = 2 }; struct { int x; } s = { .x = a[0] }; }",
        "void f(int n, int a[n]) { for (int i = 0; i < n;) { x: if (a[i]--) goto x; } }",
        "int f(a, b) int a; char b; { return a + b; }",
        "wchar_t *w; void f(void) { w = L\"wide\"; char c = L'x' + U'y' + u'z'; }\n#line 3 \"b.c\"",
        "#pragma once\n#pragma omp parallel\nvoid f(void) {\n#pragma omp for\n for (;;) ; }",
    ],
)
def test_accepted(text: str) -> None:
    if "wchar_t" in text:
        text = f"#include <stddef.h>\n{text}"
    unit = parse(text)
    assert all(t.start >= 0 or t.macro is not None for t in unit.tokens)


def test_system_types_that_nothing_mentions_are_left_out() -> None:
    used = parse("#include <sys/stat.h>\nino_t i;")
    texts = [t.text for t in used.tokens]
    assert "ino_t" in texts
    assert "stat" not in texts


def test_what_is_taken_out_is_noted() -> None:
    text = "static __inline__ int f(void) __attribute__((cold));"
    unit = parse(text)
    assert [text[n.start : n.end] for n in unit.notes] == ["__inline__", "__attribute__((cold))"]


def test_assembler_statements_stay_as_something_unknown() -> None:
    text = 'register int r __asm__("r1"); void f(int a) { asm volatile("nop" : : "r"(a)); a++; }'
    unit = parse(text)
    texts = " ".join(t.text for t in unit.tokens)
    assert texts == "register int r ; void f ( int a ) { __asm__ ( ) ; a ++ ; }"


@pytest.mark.parametrize("word", ["__attribute__((", "__typeof__(", "__asm__("])
def test_what_is_taken_out_may_be_broken(word: str) -> None:
    with pytest.raises(KFusionError, match="KF104"):
        parse(f"int f(void);\nint g(void) {{ {word}; }}")


def test_functions_and_statements_have_exact_ends() -> None:
    text = """\
#define CHECK(x) do { if (x) return 1; } while (0)
static int f(int a)
{
    if (a) CHECK(a); else { a = 3; }
    do a--; while (a > 0);
    switch (a) { case 1: default: break; }
    return a;
}
"""
    unit = parse(text)
    body = unit.functions["f"].body
    shown = [" ".join(unit.span(s.first, s.last).text.split()) for s in body.children]
    assert shown == [
        "if (a) CHECK(a); else { a = 3; }",
        "do a--; while (a > 0);",
        "switch (a) { case 1: default: break; }",
        "return a;",
    ]
    whole = unit.span(unit.functions["f"].first, body.last)
    assert whole.text == text[text.index("static") :].rstrip()


def test_headers_are_read_but_not_taken_for_the_file(tmp_path: Path) -> None:
    (tmp_path / "h.h").write_text("typedef int number;\nstatic number g(void) { return 1; }\n")
    unit = parse('#include "h.h"\nnumber f(void) { return g(); }', tmp_path)
    assert list(unit.functions) == ["g", "f"]
    assert [unit.in_main_file(f.node.decl) for f in unit.functions.values()] == [False, True]


@pytest.mark.parametrize(
    "body",
    [
        "int g(int x) { return x + a; } return g(b);",
        "switch (a) { case 1 ... 5 + 1: return b; default: return a ?: 3; }",
        "void *t[] = { &&one, &&two }; goto *t[a + b]; one: return 1; two: return 2;",
        "double _Complex c = a + 2.0i * b; return c == 0;",
    ],
)
def test_a_body_of_gnu_c_is_left_out_with_what_it_names(body: str) -> None:
    unit = parse(f"int b;\nint f(int a) {{ {body} }}\nint last(void) {{ return b; }}")
    assert unit.unread == {unit.functions["f"].body.first}
    (call,) = unit.functions["f"].node.body.block_items
    assert call.name.name == UNREAD
    assert {"a", "b"} <= {argument.expr.name for argument in call.args.exprs}
    last = unit.functions["last"]
    assert unit.span(last.first, last.body.last).text == "int last(void) { return b; }"


def test_cases_of_gnu_c() -> None:
    unit = parse("int f(int a) { switch (a) { case 1 ... 3: return 2; case 7: a++; } return a; }")
    assert not unit.unread
    assert [node.expr.value for node in unit.nodes[c_ast.Case]] == ["1", "2", "3", "7"]


def test_a_condition_that_is_its_own_value() -> None:
    (node,) = parse("int f(int a) { return a + 1 ?: 3; }").nodes[c_ast.TernaryOp]
    assert node.iftrue is node.cond


def test_a_mistake_in_a_body_is_told() -> None:
    with pytest.raises(KFusionError, match="syntax error before '}'"):
        parse("int f(int a) { return a + }")
