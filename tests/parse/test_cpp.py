"""C++ hosts are read by their tokens: regions, names, and kernels in strings."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kfusion.parse.compiler import STDIN, Preprocessor
from kfusion.parse.cpp import CppUnit, parse_cpp, without_raw_strings
from kfusion.parse.embedded import embedded_sources, embedded_units
from kfusion.paths import fake_libc_dir
from kfusion.source.diagnostics import KFusionError
from kfusion.source.text import SourceFile

HOW = Preprocessor(system_dirs=(fake_libc_dir(),))
KERNEL = "kernel void f(global int *a)\n{\n#pragma unroll\n    a[0] = '\"'; // )\" {\n}\n"


def parse(text: str, folder: Path = Path()) -> CppUnit:
    return parse_cpp(SourceFile(folder / "a.cpp", text), HOW)


def test_tokens_know_their_lines_and_those_of_system_headers_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "own.h").write_text("#pragma once\nint\nown;\n")
    unit = parse('#include <vector>\n#include "own.h"\n#define N 4\n\nint n = N; // n\n', tmp_path)
    listed = [(t.text, t.line) for t in unit.tokens if t.file == STDIN]
    assert listed == [("int", 5), ("n", 5), ("=", 5), ("4", 5), (";", 5)]
    assert [(t.text, t.line) for t in unit.tokens if t.file != STDIN] == [
        ("int", 2),
        ("own", 3),
        (";", 3),
    ]


def test_regions_are_found_and_raw_strings_are_none() -> None:
    text = (
        f'auto s = R"x({KERNEL}#pragma kfuse(q) {{)x";\nvoid g()\n{{\n#pragma kfuse(a)\n{{ }}\n}}'
    )
    (region,) = parse(text).annotations.regions
    assert text[region.block.start] == "{"
    assert text[: region.block.start].endswith("#pragma kfuse(a)\n")


def test_blanks_for_raw_strings_keep_the_places() -> None:
    text = 'a = "R\\"(" /* R"( */ + R"(x\n)" // R"(\n + R"a()")a" + b;'
    expected = 'a = "R\\"(" /* R"( */ +     \n   // R"(\n +           + b;'
    assert without_raw_strings(text) == expected


STRINGS = {
    "raw": f'R"CLC({KERNEL})CLC" u8R"(// more\\n)" "\\n"',
    "stringified": "STR(kernel void f(global int *a) { a[0] = 1'000; })",
    "lines": '"kernel void f(global int *a)\\n" /* and */\n  "{ }\\x0a"',
}


@pytest.mark.parametrize("kind", STRINGS)
def test_a_text_is_the_compiler_s_to_the_byte(kind: str, tmp_path: Path) -> None:
    text = f"""#include <cstdio>
#define STR(...) #__VA_ARGS__
static const char *text = {STRINGS[kind]};
int main() {{ return std::fputs(text, stdout) < 0; }}
"""
    (tmp_path / "a.cpp").write_text(text)
    subprocess.run(["g++", "-w", "-o", "a", "a.cpp"], cwd=tmp_path, check=True)
    said = subprocess.run(["./a"], cwd=tmp_path, check=True, capture_output=True).stdout
    (source,) = embedded_sources([parse(text, tmp_path)])
    assert source.data == said
    assert source.place == f"{tmp_path / 'a.cpp'}:3"


def test_arrays_of_lines_and_of_bytes_are_strings_too() -> None:
    listed = ", ".join(map(hex, KERNEL.replace("f", "g", 1).encode()))
    text = (
        'const char *lines[] = {"kernel void f(global int *a)\\n",\n "{ }\\n"};\n'
        f"unsigned char g_cl[] {{ {listed}, 0 }};\n"
    )
    sources = embedded_sources([parse(text)])
    assert {s.data.decode() for s in sources} == {
        "kernel void f(global int *a)\n{ }\n",
        KERNEL.replace("f", "g", 1),
    }


def test_kernels_of_cpp_files_are_kernel_units() -> None:
    (unit,) = embedded_units([parse(f'auto s = R"x({KERNEL})x";')], HOW).units
    assert unit.kernels == {"f"}
    assert unit.told == "the string at a.cpp:1"


def test_a_header_that_is_missing_is_told() -> None:
    with pytest.raises(KFusionError, match=r"a\.cpp:2:11: error\[KF105\]: header 'none\.hpp'"):
        parse("\n#include <none.hpp>\n")


def test_functions_that_a_file_declares(tmp_path: Path) -> None:
    text = """
    #include <math.h>
    void gamma(int n); const float *j0(float *x);
    namespace a { extern "C" double y1(void); }
    double f(double x) { double y = 2 * sqrt(x); y += pow(x, y) * cos(y); return exp(y); }
    """
    assert parse(text, tmp_path).declared_functions == {"gamma", "j0", "y1", "f"}
