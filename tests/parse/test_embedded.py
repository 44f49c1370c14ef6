"""Kernels in strings of host files are found, to the byte that the compiler makes of them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kfusion.parse.annotations import find_annotations
from kfusion.parse.compiler import Preprocessor
from kfusion.parse.embedded import (
    EmbeddedSource,
    build_options,
    embedded_sources,
    embedded_units,
    source_hash,
)
from kfusion.parse.files import Inputs, parse_sources
from kfusion.parse.host import parse_host
from kfusion.parse.sources import preprocess_host, read_sources
from kfusion.parse.unit import Unit
from kfusion.paths import fake_libc_dir
from kfusion.source.text import SourceFile

HOW = Preprocessor(system_dirs=(fake_libc_dir(),))
SCALE = "__kernel void scale(__global float *a)\n{\n    a[get_global_id(0)] *= 2;\n}\n"
LINES = "".join(
    '    "{}"\n'.format(line.replace("\n", "\\n")) for line in SCALE.splitlines(keepends=True)
)
CREATE = """
#include <CL/cl.h>
cl_program made(cl_context context)
{
    return clCreateProgramWithSource(context, 1, %s, NULL, NULL);
}
"""


def parse(text: str, folder: Path = Path(), name: str = "lib.c") -> Unit:
    source = SourceFile(folder / name, text)
    marks = find_annotations(source, kernels=False)
    return parse_host(source, marks, preprocess_host(source, marks, HOW))


def found(*texts: str, folder: Path = Path()) -> tuple[EmbeddedSource, ...]:
    units = [parse(text, folder, f"{'abc'[number]}.c") for number, text in enumerate(texts)]
    return embedded_sources(units)


def bytes_of(data: bytes) -> str:
    return ", ".join(f"0x{byte:02x}" for byte in data)


def one(*texts: str, folder: Path = Path()) -> EmbeddedSource:
    sources = found(*texts, folder=folder)
    assert len(sources) == 1, [s.data for s in sources]
    return sources[0]


VARIABLES = {
    "a pointer": f"static const char *source =\n{LINES};" + CREATE % "&source",
    "a cast": f"const char *const source =\n{LINES};" + CREATE % "(const char **)&source",
    "an array": f"const char source[] =\n{LINES};\nconst char *pointer = source;"
    + CREATE % "&pointer",
    "an array behind the call": "extern const char *source;"
    + CREATE % "&source"
    + f"const char *source = {LINES};",
    "written in place": CREATE % f"(const char *[]){{{LINES}}}",
    "bytes": f"unsigned char source[] = {{{bytes_of(SCALE.encode())}}};\n"
    "unsigned int source_len = 3;\nconst char *pointer = (const char *)source;"
    + CREATE
    % "&pointer",
    "bytes with a NUL": f"char source[] = {{{bytes_of(SCALE.encode())}, 0, 7}};\n"
    "const char *pointer = source;" + CREATE % "&pointer",
}


@pytest.mark.parametrize("kind", VARIABLES)
def test_a_program_in_a_variable_is_known_as_a_whole(kind: str) -> None:
    source = one(VARIABLES[kind])
    assert source.data == SCALE.encode()
    assert source.whole


COMPOSED = {
    "an array of lines": f"const char *const lines[] = {{{LINES.replace(chr(10), ',')}}};"
    + CREATE.replace("1,", "4,") % "(const char **)lines",
    "all lines of an array": f"const char *lines[] = {{{LINES.replace(chr(10), ',')}}};"
    + CREATE.replace("1,", "sizeof(lines) / sizeof(lines[0]),") % "lines",
    "a parameter": """
#include <CL/cl.h>
static cl_program built(cl_context context, const char *text)
{
    const char *again = text;
    return clCreateProgramWithSource(context, 1, &again, NULL, NULL);
}
static const char *head = "__kernel void ";
const char *source(void) { return SOURCE; }
cl_program first(cl_context context) { return built(context, source()); }
""".replace("SOURCE", LINES),
    "elements": """
#include <CL/cl.h>
cl_program made(cl_context context)
{
    const char *parts[2];
    parts[0] = "__kernel void scale(__global float *a)\\n";
    parts[1] = "{\\n    a[get_global_id(0)] *= 2;\\n}\\n";
    return clCreateProgramWithSource(context, 2, parts, NULL, NULL);
}
""",
}


@pytest.mark.parametrize("kind", COMPOSED)
def test_a_program_in_parts_is_known_as_a_whole(kind: str) -> None:
    source = one(COMPOSED[kind])
    assert source.data == SCALE.encode()
    assert source.whole


def test_each_value_of_a_variable_is_a_program() -> None:
    texts = [f"kernel void k{n}(global int *a) {{ a[0] = {n}; }}" for n in range(3)]
    sources = found(
        f'const char *source = "{texts[0]}";\n'
        f'void other(int n) {{ source = n ? "{texts[1]}" : "{texts[2]}"; }}' + CREATE % "&source"
    )
    assert {s.data.decode() for s in sources if s.whole} == set(texts)


def test_a_variable_of_another_file_is_followed() -> None:
    user = 'extern const char *source;\nstatic const char *other = "kernel";' + CREATE % "&source"
    source = one(user, f"const char *source = {LINES};")
    assert (source.place, source.whole) == ("b.c:1", True)


def test_a_local_variable_hides_that_of_the_file() -> None:
    text = f"""
#include <CL/cl.h>
static const char *source = {LINES};
cl_program made(cl_context context, const char *given)
{{
    const char *source = given;
    return clCreateProgramWithSource(context, 1, &source, NULL, NULL);
}}
"""
    assert not one(text).whole


def test_a_variable_that_leads_to_itself_ends() -> None:
    text = f"""
#include <CL/cl.h>
cl_program made(cl_context context, const char *given, int n)
{{
    given = given + 1;
    given = n ? given : {LINES};
    return n ? made(context, given, n - 1)
             : clCreateProgramWithSource(context, 1, &given, NULL, NULL);
}}
"""
    assert one(text).data == SCALE.encode()


def test_a_string_that_no_call_is_seen_to_get_may_be_a_program() -> None:
    source = one(f'struct {{ const char *name, *text; }} all[] = {{{{"scale", {LINES}}}}};')
    assert source.data == SCALE.encode()
    assert not source.whole


def test_messages_that_speak_of_kernels_are_no_programs() -> None:
    assert not found('const char *help = "kernel void: see kernels.cl"; char *k = "kernel";')


def test_a_generated_header_has_the_bytes_of_a_file(tmp_path: Path) -> None:
    header = f"unsigned char kernels_cl[] = {{\n  {bytes_of(SCALE.encode())}\n}};\n"
    (tmp_path / "kernels.h").write_text("#pragma once\n" + header)
    user = '#include "kernels.h"\nconst char *text = (const char *)kernels_cl;'
    source = one(user + CREATE % "&text", folder=tmp_path)
    assert source.data == SCALE.encode()
    assert source.place == f"{tmp_path / 'kernels.h'}:2"


TEXTS = {
    "escapes": r'"kernel void f(global int *a)\t{ /* \x41" "1\101\60z\?\a\e\\\"\' */ }\r\n"',
    "lines that go on": '"kernel void f(global int *a) \\\n  { }\\n" /* and */ "// \u00e9 \\u00e9"',
    "stringified": "STR(kernel void f(global int *a,   int n)\n"
    "{\n  a[n ] = '\\n' ; g(\"a\\n\");\n})",
    "a body": "BODY(f, for (int i = 0; i < N; i++) { a[i] = i, i; } /* x */)",
    "wide characters": 'STR(kernel void f(global int *a) { }) u8"//"',
    "trigraphs, which compilers leave": '"kernel void f(global int *a) { ??( }"',
}


@pytest.mark.parametrize("kind", TEXTS)
def test_a_text_is_the_compiler_s_to_the_byte(kind: str, tmp_path: Path) -> None:
    text = f"""#include <stdio.h>
#define N 4
#define STR(...) #__VA_ARGS__
#define STRING(x) STR(x)
#define BODY(name, ...) STRING(kernel void name(global int *a) {{) #__VA_ARGS__ "}}"
const char *text = {TEXTS[kind]};
int main(void) {{ return fputs(text, stdout) < 0; }}
"""
    (tmp_path / "a.c").write_text(text)
    subprocess.run(["gcc", "-w", "-o", "a", "a.c"], cwd=tmp_path, check=True)
    said = subprocess.run(["./a"], cwd=tmp_path, check=True, capture_output=True).stdout
    assert one(text, folder=tmp_path).data == said


def test_the_hash_is_fnv_1a_of_64_bits() -> None:
    assert source_hash(b"") == 0xCBF29CE484222325
    assert source_hash(b"foobar") == 0x85944171F73967E8


def test_a_string_is_a_kernel_unit() -> None:
    units = [parse(VARIABLES["a pointer"])]
    (embedded,) = embedded_units(units, HOW).units
    assert embedded.kernels == {"scale"}
    assert embedded.told == "the string at lib.c:2"
    assert embedded.unit.source.text == SCALE
    assert not embedded_units(units, HOW, taken={"scale"}).units


def test_of_two_programs_with_one_kernel_the_first_is_read() -> None:
    other = SCALE.replace("2", "3").replace("\n", "\\n")
    units = [parse(VARIABLES["a pointer"] + f'const char *other = "{other}";')]
    assert [each.unit.source.text for each in embedded_units(units, HOW).units] == [SCALE]


def test_a_string_that_cannot_be_read_is_told_and_no_error() -> None:
    embedded = embedded_units([parse('char *a = "kernel void f(global int *a) { %s }";')], HOW)
    assert not embedded.units
    assert [d.headline for d in embedded.unread] == [
        "lib.c:1:1:32: note[KF104]: syntax error before '%'"
    ]


OPTIONS = {
    'clBuildProgram(p, 0, NULL, "-DN=4   -cl-mad-enable ", NULL, NULL);': ("-DN=4 -cl-mad-enable",),
    "clBuildProgram(p, 0, NULL, NULL, NULL, NULL);": ("",),
    'clBuildProgram(p, 0, 0, n ? OPTIONS " -DA" : given, 0, 0);': ("-DN=3 -DA", "-DB"),
    "clBuildProgram(p, 0, 0, text, 0, 0);": None,
    "": None,
}


@pytest.mark.parametrize("call", OPTIONS)
def test_build_options_are_known_or_not(call: str) -> None:
    text = """
#include <CL/cl.h>
#include <stdio.h>
#define OPTIONS "-DN=3"
static const char *given = "-DB";
void build(cl_program p, int n)
{
    char text[80] = "";
    sprintf(text, "-DN=%d", n);
    CALL
}
"""
    assert build_options([parse(text.replace("CALL", call))]) == OPTIONS[call]


def inputs(folder: Path, files: dict[str, str]) -> Inputs:
    for name, text in files.items():
        (folder / name).write_text(text)
    return parse_sources(read_sources([folder / name for name in files], HOW), strings=True)


def test_a_kernel_file_goes_before_a_string(tmp_path: Path) -> None:
    host = VARIABLES["a pointer"]
    alone = inputs(tmp_path, {"lib.c": host})
    assert [unit.source.path.name for unit in alone.kernels] == ["lib.c:2"]
    assert [unit.source.path.name for unit in alone.files] == ["lib.c"]
    both = inputs(tmp_path, {"lib.c": host, "k.cl": SCALE})
    assert [unit.source.path.name for unit in both.kernels] == ["k.cl"]
    assert not both.embedded
