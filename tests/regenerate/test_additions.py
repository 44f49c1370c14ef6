"""The table of additions is C that says what it was made from, without a warning."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kfusion.kernel.opened import names_left_open
from kfusion.parse.annotations import find_annotations
from kfusion.parse.compiler import Preprocessor
from kfusion.parse.embedded import source_hash
from kfusion.parse.opencl import parse_opencl
from kfusion.parse.sources import preprocess_opencl
from kfusion.parse.unit import Unit
from kfusion.regenerate.additions import (
    Addition,
    Additions,
    KnownText,
    addition,
    additions_fields,
    additions_text,
)
from kfusion.source.text import SourceFile
from kfusion.synthesis.model import FusedKernel

PRELUDE = """#include <stddef.h>
#include <stdio.h>
#define KFUSION_UNUSED __attribute__((unused))
typedef struct kfusion_addition {
    __extension__ unsigned long long source;
    const char *const *options;
    const char *head;
    const char *text;
} kfusion_addition;
"""
PRINT = """
int main(void)
{
    for (size_t i = 0; i < sizeof kfusion_additions / sizeof *kfusion_additions; i++) {
        const kfusion_addition *each = &kfusion_additions[i];
        printf("%llx", each->source);
        for (const char *const *o = each->options; o && *o; o++)
            printf(" <%s>", *o);
        printf("%s\\n%s%s", each->options ? "" : " any", each->head, each->text);
    }
    return 0;
}
"""
SOURCE = b"kernel void f(global int *a) { }\n"
ANY = ("", "-DA=3", "-DVALUE=-3.0e+5f", "-DVALUE", "-DVALUE=a[i+1]", "-D VALUE=(4)", '-DVALUE="4"')
STRANGE = '\n// ??/ ??? ???= \u00e9 "\\n" \\\n\tx\r\x01' + "1\n" * 3000


def kernel(text: str) -> FusedKernel:
    return FusedKernel("f", text, (), ())


def additions_of(*texts: Addition) -> Additions:
    return Additions(texts, ())


def unit_of(text: bytes = SOURCE) -> Unit:
    source = SourceFile(Path("k.cl"), text.decode())
    marks = find_annotations(source, kernels=True)
    return parse_opencl(source, marks, preprocess_opencl(source, marks, Preprocessor()))


def added(text: bytes, options: tuple[str, ...] | None) -> Addition | None:
    return addition(unit_of(text), text, [kernel("a")], options)


def printed(text: str, folder: Path, compiler: str, standard: str) -> str:
    suffix = "cpp" if compiler == "g++" else "c"
    source = folder / f"a.{suffix}"
    source.write_text(PRELUDE + text + PRINT)
    flags = [f"-std={standard}", "-pedantic", "-Wall", "-Wextra", "-Werror", "-Wno-long-long"]
    subprocess.run([compiler, *flags, "-o", "a", source.name], cwd=folder, check=True)
    done = subprocess.run([folder / "a"], check=True, capture_output=True)
    return done.stdout.decode()


@pytest.mark.parametrize(
    ("compiler", "standard"), [("gcc", "c99"), ("gcc", "gnu17"), ("g++", "c++11")]
)
def test_the_table_says_to_the_byte_what_is_added(
    compiler: str, standard: str, tmp_path: Path
) -> None:
    additions = additions_of(
        Addition(0xFEDCBA9876543210, ("", "-DA -DB=2", '-DS="x"'), "", STRANGE),
        Addition(1, None, "head\n", "any\n"),
        Addition(1, None, "", "a program is added to once\n"),
    )
    expected = f'fedcba9876543210 <> <-DA -DB=2> <-DS="x">\n{STRANGE}1 any\nhead\nany\n'
    assert printed(additions_text(additions), tmp_path, compiler, standard) == expected


def test_a_region_s_row_has_as_many_as_the_table() -> None:
    additions = additions_of(*(Addition(source, None, "", "a") for source in (1, 1, 2)))
    assert additions_fields(additions) == "2, kfusion_additions, 0, NULL"
    assert additions_fields(additions_of()) == "0, NULL, 0, NULL"
    known = Additions((), (KnownText("a.cl", 1),))
    assert additions_fields(known) == "0, NULL, 1, kfusion_known_texts"


def test_without_additions_there_is_no_table() -> None:
    assert additions_text(additions_of()) == ""


def test_known_texts_are_told_by_their_names() -> None:
    known = Additions((), (KnownText("a.cl", 0x1F), KnownText('"b".cl', 2)))
    assert (
        additions_text(known)
        == r"""static const kfusion_known_text kfusion_known_texts[] KFUSION_UNUSED = {
    {"a.cl", 0x000000000000001fULL},
    {"\"b\".cl", 0x0000000000000002ULL},
};"""
    )


def test_the_text_reads_line_by_line() -> None:
    text = additions_text(additions_of(Addition(7, ("",), "", "\nkernel void g()\n{\n}\n")))
    assert (
        text
        == r"""static const char kfusion_added_text_0[] KFUSION_UNUSED =
    __extension__
    "\n"
    "kernel void g()\n"
    "{\n"
    "}\n";

static const char *const kfusion_added_options_0[] KFUSION_UNUSED = {"", NULL};

static const kfusion_addition kfusion_additions[] KFUSION_UNUSED = {
    {0x0000000000000007ULL, kfusion_added_options_0, "", kfusion_added_text_0},
};"""
    )


def test_a_program_without_fused_kernels_gets_no_addition() -> None:
    assert addition(unit_of(), SOURCE, [], ("",)) is None


def test_kernels_are_added_behind_a_line_of_their_own() -> None:
    made = addition(unit_of(), SOURCE, [kernel("a\r\nb"), kernel("c\n")], ("",))
    assert made == Addition(source_hash(SOURCE), ("",), "", "\na\nb\n\nc\n")


def test_names_that_a_program_leaves_open_are_those_of_values() -> None:
    text = b"""
#define TWO 2
constant float table[] = {1, 2};
enum { FIRST };
typedef struct { float x; } part;
float half_of(float value) { return value / TWO; }
kernel void f(global REAL *a, global float4 *b, part p)
{
    int i = get_global_id(0);
    b[i].x = half_of(p.x) + table[FIRST] + M_PI_F + FLT_MAX + (float)VALUE;
    a[i] = b[i].s0 + OTHER(i) + other;
}
"""
    assert names_left_open(unit_of(text)) == {"VALUE", "other"}


def test_a_name_that_is_left_open_must_be_known_to_be_a_number() -> None:
    opened = SOURCE.replace(b"{ }", b"{ a[0] = VALUE; }")
    assert added(opened, None) is None
    assert added(opened, ("-DVALUE=a[1]",)) is None
    made = added(opened, ANY)
    assert made is not None
    assert made.options == ("", "-DA=3", "-DVALUE=-3.0e+5f", "-DVALUE", "-D VALUE=(4)")
    made = added(SOURCE, ANY)
    assert made is not None
    assert made.options == ANY
