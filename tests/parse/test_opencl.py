"""OpenCL C in all its spellings is read; what is taken out is noted by position."""

from __future__ import annotations

from pathlib import Path

import pytest
from pycparser import c_ast

from kfusion.parse.annotations import find_annotations
from kfusion.parse.compiler import Preprocessor
from kfusion.parse.opencl import parse_opencl
from kfusion.parse.sources import preprocess_opencl
from kfusion.parse.unit import Unit
from kfusion.source.diagnostics import KFusionError
from kfusion.source.text import SourceFile


def parse(text: str, *defines: str) -> Unit:
    source = SourceFile(Path("k.cl"), text)
    how = Preprocessor(defines=defines)
    marks = find_annotations(source, kernels=True)
    unit = parse_opencl(source, marks, preprocess_opencl(source, marks, how))
    for token in unit.tokens:
        assert token.start >= 0 or token.macro is not None
    for note in unit.notes:
        if note.start >= 0 and "__attribute" not in note.text:
            assert note.text in text[note.start : note.end] or note.text == "kernel"
    return unit


def parameter_notes(text: str, *defines: str) -> dict[str, list[str]]:
    """For each parameter of the last function: what was taken out of it."""
    unit = parse(text, *defines)
    function = list(unit.functions.values())[-1]
    parameters = function.node.decl.type.args.params
    result: dict[str, list[str]] = {}
    opening = unit.index(function.node.decl) + 1
    ends = [unit.index(_declarator(p)) for p in parameters]
    for parameter, first, last in zip(parameters, [opening, *ends], ends, strict=False):
        result[parameter.name] = [n.text for n in unit.notes_between(first + 1, last)]
    return result


def _declarator(node: c_ast.Node) -> c_ast.Node:
    while not isinstance(node, c_ast.TypeDecl):
        node = node.type
    return node


@pytest.mark.parametrize(
    "statement",
    [
        "float4 v = (float4)(a[0], 1.0f, 2, 3); v.xyz = v.zyx; v.s0 += v.hi.x; a[0] = v.odd.y;",
        "int4 i = (int4)(1, 2, (int2)(3, 4)); float8 w = (float8){1, 2, 3, 4, 5, 6, 7, 8};",
        "float4 v[2] = {(float4)(1), (float4)(2, 3, 4, 5)}; a[0] = ((float4)(1)).x;",
        "a[0] = (float)(1) + ((global float4 *)a)[0].x + sizeof(float4) + vec_step(int3);",
        "local float t[16]; __local float u[2][3]; barrier(CLK_LOCAL_MEM_FENCE);",
        "float __global *p = a; __global float * __private q = a; global float *const r = a;",
        "global float * global *pp; __private int x = 3; constant float *c = 0;",
        "half h = 1.0h + .5H; a[0] = vload_half(0, (global half *)a) + 0x1.8p3f + 1e-3F;",
        "uchar c = (uchar)a[0]; a[0] = as_float(as_uint(a[0])) + convert_int_sat_rte(c);",
        "for (int i = 0; i < 3; ++i) __attribute__((opencl_unroll_hint(2))) { a[i] = 0; }",
        "__attribute__((opencl_unroll_hint)) for (int i = 0; i < 3; ++i) a[i] = 0;",
        "\n#pragma unroll 4\nfor (int i = 0; i < 3; ++i) a[i] = 0;",
        "if (a[0] > 0)\n#pragma unroll\nfor (int i = 0; i < 3; ++i) a[i] = 0;",
        "const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP;",
        "event_t e = async_work_group_copy((local float *)0, a, 3, 0); wait_group_events(1, &e);",
        'printf("%f\\n", a[0]); mem_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);',
        "volatile global atomic_int *v; atomic_fetch_add_explicit(v, 1, memory_order_relaxed);",
        "typedef struct { float x; float4 y; } __attribute__((packed)) S; S s; s.y.x = 1;",
        "union { float4 v; float e[4]; } u; u.v = 0; a[0] = u.e[1];",
        "bool b = true; a[0] = b ? NAN : INFINITY; a[1] = isequal(1.0f, 2.0f) ? M_PI_F : FLT_MAX;",
        "switch (get_global_id(0)) { case 0: a[0] = 1; break; default: ; } goto end; end: return;",
        "int kernel_size = 3, global_x = 1; float local_y = kernel_size + global_x;",
        "float x[] = {1, 2}; size_t n = 3; ptrdiff_t d = -1; uintptr_t p = 0; ulong16 u; half4 k;",
    ],
)
def test_bodies(statement: str) -> None:
    unit = parse(f"kernel void f(global float *a) {{ {statement} }}")
    assert list(unit.functions) == ["f"]


@pytest.mark.parametrize(
    ("head", "notes"),
    [
        ("kernel void f(global float *a", {"a": ["global"]}),
        ("__kernel void f(const __global float *a", {"a": ["global"]}),
        ("__kernel void f(float const __global *restrict a", {"a": ["global"]}),
        ("kernel void f(float __global * __restrict a", {"a": ["global"]}),
        ("void kernel f(__constant float *a, local int *b", {"a": ["constant"], "b": ["local"]}),
        ("kernel void f(private int a, float4 b", {"a": ["private"], "b": []}),
        ("kernel void f(global float * global *a", {"a": ["global", "global"]}),
        ("kernel void f(global float a[], __generic int *b", {"a": ["global"], "b": ["generic"]}),
        ("kernel void f(read_only image2d_t a", {"a": ["read_only"]}),
        ("kernel void f(__write_only image3d_t a", {"a": ["write_only"]}),
        ("kernel void f(image1d_buffer_t a, sampler_t b", {"a": [], "b": []}),
        ("kernel void f(read_write image2d_array_t a", {"a": ["read_write"]}),
        ("kernel void f(global unsigned char *a", {"a": ["global"]}),
        ("kernel void f(global float (*a)[3]", {"a": ["global"]}),
    ],
)
def test_parameters(head: str, notes: dict[str, list[str]]) -> None:
    assert parameter_notes(f"{head}) {{ }}") == notes


@pytest.mark.parametrize(
    "head",
    [
        "kernel __attribute__((reqd_work_group_size(16, 8, 1))) void f(void)",
        "__attribute__((reqd_work_group_size(16, 8, 1))) kernel void f(void)",
        "__attribute__((x)) __kernel\n__attribute((reqd_work_group_size(16, 8, 1)))\nvoid f(void)",
    ],
)
def test_attributes_are_noted(head: str) -> None:
    unit = parse(f"int before;\n{head} {{ }}")
    function = unit.functions["f"]
    notes = unit.notes_between(function.first, function.body.first)
    assert "kernel" in [n.text for n in notes]
    (attribute,) = [n for n in notes if "reqd" in n.text]
    assert attribute.text.split("reqd_work_group_size")[1].startswith(" ( 16 , 8 , 1 )")
    written = unit.source.text[attribute.start : attribute.end]
    assert written.startswith("__attribute")
    assert written.endswith("((reqd_work_group_size(16, 8, 1)))")


@pytest.mark.parametrize("word", ["inline", "__inline", "__inline__", "static __inline"])
def test_words_for_inline_functions(word: str) -> None:
    unit = parse(f"{word} float twice(float x) {{ return 2 * x; }}\nkernel void f(void) {{ }}")
    assert sorted(unit.functions) == ["f", "twice"]


def test_macros_for_address_spaces_and_kernels() -> None:
    text = "KERNEL void f(GLOBAL T *a, GLOBAL REAL4 *b, const REAL c) { a[0] = (REAL)c; }"
    unit = parse(text, "KERNEL=__kernel", "GLOBAL=__global const", "T=float")
    assert [n.text for n in unit.notes] == ["kernel", "global", "global"]
    assert unit.opaque_types == {"REAL", "REAL4"}


def test_program_scope() -> None:
    unit = parse(
        """\
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__constant float K[3] = { 1, 2, 3 };
constant sampler_t S = CLK_FILTER_NEAREST;
global int counter = 0;
typedef struct node { int l; struct node *next; } node_t;
enum { A, B };
float4 twice(float4 x);
float4 twice(float4 x) { return 2 * x; }
float __attribute__((overloadable)) thrice(float x) { return 3 * x; }
float2 __attribute__((overloadable)) thrice(float2 x) { return 3 * x; }
static inline float g(global const float *p, private int i) { return p[i] + K[A]; }
kernel void f(global double *a, global struct node *b, global node_t *c) { a[B] = b->l; }
"""
    )
    assert list(unit.functions) == ["twice", "thrice", "g", "f"]
    assert unit.opaque_types == frozenset()


def test_what_a_compiler_defines() -> None:
    text = """\
#if __OPENCL_VERSION__ >= 110 && defined(cl_khr_fp64) && defined(CL_VERSION_1_2) && FAST
kernel void f(void) { }
#endif
"""
    assert list(parse(text, "FAST=1").functions) == ["f"]
    assert list(parse(text, "FAST=1", "__OPENCL_VERSION__=100").functions) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kernel void f(pipe int p) { }", "k.cl:1:15: error[KF118]: pipes are not supported"),
        (
            "kernel void f(int n) { run(^{ g(n); }); }",
            "k.cl:1:28: error[KF118]: blocks and kernels that enqueue kernels are not supported",
        ),
        (
            "kernel void f(int n) { }\nkernel void f(int m) { }",
            "k.cl:2:13: error[KF128]: 'f' is defined twice",
        ),
        ("kernel void f(real n) { }", "k.cl:1:20: error[KF104]: syntax error before 'n'"),
        ("kernel void f(global real *n) { }", "k.cl:1:27: error[KF104]: syntax error before '*'"),
    ],
)
def test_refusals(text: str, message: str) -> None:
    with pytest.raises(KFusionError) as refusal:
        parse(text)
    assert str(refusal.value).split("\n", maxsplit=1)[0] == message


@pytest.mark.parametrize("word", ["elifdef", "elifndef"])
def test_conditions_of_later_versions_of_c(word: str) -> None:
    with pytest.raises(KFusionError, match=r"k.cl:3:1: error\[KF118\]: '#elifdef' is no OpenCL C"):
        parse(f"#ifdef A\nint a;\n#{word} B\nint b;\n#endif\n")


@pytest.mark.parametrize(
    "value", ["_Generic(n, int: 3, default: (n = 2))", "({ if (n > 0) return; 3; })"]
)
def test_expressions_that_hold_statements_or_choose_are_refused(value: str) -> None:
    with pytest.raises(KFusionError, match=r"k.cl:1:32: error\[KF118\]: '_Generic' and statements"):
        parse(f"kernel void f(int n) {{ int m = {value}; }}")


@pytest.mark.parametrize("end", [" \n", "\t \r\n"])
def test_blanks_between_a_backslash_and_the_end_of_its_line_are_refused(end: str) -> None:
    text = f"kernel void f(int n) {{ }}\n#ifdef OTHER\n#define fm\\{end}in fmax\n#endif\n"
    with pytest.raises(KFusionError, match=r"k.cl:3:11: error\[KF118\]: a line that ends with a"):
        parse(text)


def test_exclusive_or_is_no_block() -> None:
    assert "f" in parse("kernel void f(int n) { int m = n ^ (n + 1), k = (n) ^ n; }").functions


def test_brackets_are_paired_and_a_name_in_brackets_is_refused_where_it_is_followed() -> None:
    unit = parse("kernel void f(int n) { int m = (n) + h(n, (n)); int k = (h)(n); }")
    plain, bracketed = unit.nodes[c_ast.FuncCall]
    opening = unit.index(plain.name) + 1
    assert [t.text for t in unit.tokens[opening : unit.match(opening) + 1]] == list("(n,(n))")
    with pytest.raises(KFusionError, match=r"k.cl:1:59: error\[KF118\]: a function's name in brac"):
        unit.match(unit.index(bracketed.name) + 1)
