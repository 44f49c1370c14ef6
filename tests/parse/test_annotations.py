"""Annotations in both forms: what is found, and that nothing but them is blanked."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kfusion.parse.annotations import Annotations, find_annotations
from kfusion.source.text import SourceFile


def host(text: str) -> Annotations:
    return find_annotations(SourceFile(Path("a.c"), text), kernels=False)


def kernel(text: str) -> Annotations:
    return find_annotations(SourceFile(Path("a.cl"), text), kernels=True)


@pytest.mark.parametrize(
    "annotation",
    [
        "kfuse(a, &b, out(c, d), temp(&t))",
        "kfuse ( a,b ,out(c,d),temp(t) )",
        "kfuse(a, /* in */ b, // more\n out(c,\n d), temp(t))",
        "#pragma kfuse(a, b, out(c, d), temp(t))\n",
        "#  pragma kfuse ( a, &b, out(&c, d), temp(t) ) // why\n",
        "#pragma kfuse(a, b, \\\n    out(c, d), /* and\n  */ temp(t))\n",
        "#pragma kfuse(a, b, out(c, d), temp(t))\r\n",
    ],
)
def test_regions(annotation: str) -> None:
    text = f"int f(void) {{\n{annotation} {{ g(a); {{ h(); }} }} return 0; }}"
    (region,) = host(text).regions
    assert [(d.name, d.role) for d in region.data] == [
        ("a", ""),
        ("b", ""),
        ("c", "out"),
        ("d", "out"),
        ("t", "temp"),
    ]
    assert all(d.span.text == d.name for d in region.data)
    assert region.block.text == "{ g(a); { h(); } }"
    assert annotation.startswith(region.annotation.text)


def test_members() -> None:
    text = "kfuse(s, out(s->p, d . in . mem), temp(&s -> field.t[ 10 ])) {}"
    (region,) = host(text).regions
    assert [(d.text, d.path, d.role) for d in region.data] == [
        ("s", ("s",), ""),
        ("s->p", ("s", "p"), "out"),
        ("d.in.mem", ("d", "in", "mem"), "out"),
        ("s->field.t[10]", ("s", "field", "t", "[10]"), "temp"),
    ]


@pytest.mark.parametrize(
    "item", ["s->", "s[²]", "s[010]", "s->3", "s.", "->p", "s[i]", "s[", "out(s->t), temp(s->t)"]
)
def test_what_is_no_member(item: str) -> None:
    (region,) = host(f"kfuse({item}) {{}}").regions
    assert region.refused is not None
    assert region.refused.code == "KF112"


@pytest.mark.parametrize("annotation", ["kfuse()", "#pragma kfuse\n", "#pragma kfuse()\n"])
def test_a_region_may_list_nothing(annotation: str) -> None:
    (region,) = host(f"{annotation} {{ }}").regions
    assert region.data == ()


def test_names_that_are_roles_elsewhere() -> None:
    (region,) = host("kfuse(out, temp, out(out2)) {}").regions
    assert [(d.name, d.role) for d in region.data] == [("out", ""), ("temp", ""), ("out2", "out")]


def test_several_regions() -> None:
    text = "void f() { kfuse(a) {} \n#pragma kfuse(b)\n{} }"
    assert [r.data[0].name for r in host(text).regions] == ["a", "b"]


def test_words_in_strings_and_comments_are_no_annotations() -> None:
    text = '/* kfuse(a) { */ char *s = "kfuse(b) {"; // #pragma sync in\n#define kfuse(...)\n'
    assert host(text) == Annotations()


@pytest.mark.parametrize(
    ("pragma", "expected"),
    [
        ("#pragma sync in", [("in", None)]),
        ("#pragma sync out", [("out", None)]),
        ("#pragma sync in out", [("in", None), ("out", None)]),
        ("#pragma sync in(x) out(y)", [("in", ("x",)), ("out", ("y",))]),
        ("#  pragma sync out ( x , y ) /* so */", [("out", ("x", "y"))]),
        ("#pragma sync in(x) \\\n out", [("in", ("x",)), ("out", None)]),
    ],
)
def test_synchronisation(pragma: str, expected: list[tuple[str, tuple[str, ...] | None]]) -> None:
    found = host(f"{pragma}\nstatic int f(int x, int y) {{ }}").syncs
    assert [(s.direction, s.names) for s in found] == expected
    assert all(pragma.startswith(s.span.text) for s in found)


def test_synchronisation_behind_alternative_beginnings() -> None:
    text = (
        "#ifdef A\nint f(int a) {\n#else\nint f(void) {\n#endif\n}\n#pragma sync in\nint g(int x);"
    )
    assert [s.direction for s in host(text).syncs] == ["in"]


def test_thesis_sections() -> None:
    text = "kernel void f() { kload { x; } y; kload(a, b)\n{ z; } kstore(c) { { w; } } }"
    found = kernel(text).sections
    assert [(s.kind, s.names, text[s.start : s.end]) for s in found] == [
        ("kload", (), " x; "),
        ("kload", ("a", "b"), " z; "),
        ("kstore", ("c",), " { w; } "),
    ]
    assert [s.annotation.text for s in found] == ["kload", "kload(a, b)", "kstore(c)"]
    assert [s.braces and (text[s.braces[0]], text[s.braces[1]]) for s in found] == [("{", "}")] * 3


def test_pragma_sections_run_to_the_next_one_or_the_end_of_the_kernel() -> None:
    text = """\
kernel void f() {
#pragma kload(a)
    x;
#pragma kcore // then
    { y; }
#pragma kstore
    z;
}
kernel void g() {
#pragma kstore(b, c)
    w;
}
"""
    found = kernel(text).sections
    assert [(s.kind, s.names, text[s.start : s.end].strip()) for s in found] == [
        ("kload", ("a",), "x;"),
        ("kcore", (), "// then\n    { y; }"),
        ("kstore", (), "z;"),
        ("kstore", ("b", "c"), "w;"),
    ]


def test_immovable() -> None:
    (span,) = kernel("kernel void f() {\n  #pragma immovable\n  prefetch(a, 1);\n}").immovable
    assert span.text == "#pragma immovable"


def test_own_names_are_no_sections() -> None:
    assert (
        kernel("void kload(int x); kernel void f() { kload(3); int kstore = 1; }") == Annotations()
    )
    assert host("void f() { kload { x; } }") == Annotations()


@pytest.mark.parametrize(
    "text",
    [
        "void f() { kfuse(a,\n  out(b)) {} }\n#pragma sync in(a) out(b)\nint g(int a, int b);",
        "#pragma sync in \\\n out\r\nint g(int a); /* kfuse */",
        "void f() {\n#pragma kfuse(a, /* \n */ b) // c\n{ g(a); } }",
    ],
)
def test_blanking_keeps_the_place_of_everything_else(text: str) -> None:
    blanked = host(text).blanked(text)
    assert len(blanked) == len(text)
    assert not re.search(r"kfuse\(|pragma", blanked)
    for position, (old, new) in enumerate(zip(text, blanked, strict=True)):
        assert new in (old, " "), position
    assert [i for i, c in enumerate(text) if c == "\n"] == [
        i for i, c in enumerate(blanked) if c == "\n"
    ]


def test_blanking_of_kernels() -> None:
    text = "kernel void f() {\n#pragma immovable\n x; kload(a) { y; } \n#pragma kstore\n z; }"
    assert kernel(text).blanked(text) == (
        "kernel void f() {\n                 \n x;            y;   \n              \n z; }"
    )
