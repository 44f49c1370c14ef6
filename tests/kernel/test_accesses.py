"""What is read from a kernel: forms of indices, guards, accesses, features."""

from __future__ import annotations

import pytest

from kfusion.kernel.model import Feature, Mode
from tests.support.kernel_side import kernel_of

HEAD = "__kernel void f(__global float *c, __global const float *a, int w, uint n)\n"


def forms(body: str) -> list[str]:
    kernel = kernel_of(f"{HEAD}{{\n{body}\n}}\n")
    return [f"{a.mode.value} {a.parameter}[{a.form}]" for a in kernel.accesses]


@pytest.mark.parametrize(
    ("index", "form"),
    [
        ("get_global_id(0)", "get_global_id(0)"),
        ("get_global_id(0) + 1", "get_global_id(0) + 1"),
        ("1 + get_global_id(0) - 1", "get_global_id(0)"),
        ("2 * get_global_id(0) + 1", "2*get_global_id(0) + 1"),
        ("get_global_id(1) * w + get_global_id(0)", "get_global_id(1)*w + get_global_id(0)"),
        (
            "mad24((int)get_global_id(1), w, (int)get_global_id(0))",
            "get_global_id(1)*w + get_global_id(0)",
        ),
        ("(size_t)(int)get_global_id(0)", "get_global_id(0)"),
        ("get_global_id(0) << 2", "4*get_global_id(0)"),
        ("w * (get_global_id(0) / w) + get_global_id(0) % w", "get_global_id(0)"),
        ("(uchar)get_global_id(0)", "None"),
        # What the help of KF203 names.
        ("get_global_id(0) & 7", "get_global_id(0) - 8*(get_global_id(0))/(8)"),
        ("get_global_id(0) >> 1", "(get_global_id(0))/(2)"),
        ("(get_global_id(0) >> 5 << 5) + (get_global_id(0) & 31)", "get_global_id(0)"),
        ("2 * get_global_id(0) | 1", "2*get_global_id(0) + 1"),
        ("8 * get_global_id(0) | w & 7", "None"),
        ("get_global_id(0) | 1", "None"),
        ("get_global_id(0) & 6", "None"),
        ("w >> 1", "(0 <= w ? (w)/(2) : -(-w - 1)/(2) - 1)"),
        ("w & 7", "-8*(0 <= w ? (w)/(8) : -(-w - 1)/(8) - 1) + w"),
        ("(uint)get_global_id(0) >> 40", "None"),
        ("min((int)get_global_id(0), w)", "(get_global_id(0) <= w ? get_global_id(0) : w)"),
        ("max(w, (int)get_global_id(0))", "(get_global_id(0) <= w ? w : get_global_id(0))"),
        ("abs(w)", "(0 <= w ? w : -w)"),
        (
            "get_global_id(0) > 0 ? get_global_id(0) : 0",
            "(0 < get_global_id(0) ? get_global_id(0) : 0)",
        ),
        ("w < 3 ? 5 : 5", "5"),
        ("w < 3 || w > 5 ? 1 : w", "(3 <= w && w <= 5 ? w : 1)"),
        ("w < 3 && w > 1.5f ? 1 : w", "None"),
        ("w < 3 ? 1 : 1.5f", "None"),
        ("min((char)w, (char)3)", "None"),
        ("(int)a[get_global_id(0)]", "get_global_id(0)"),  # read first
        ("get_global_id(w)", "None"),
    ],
)
def test_index_has_form(index: str, form: str) -> None:
    assert forms(f"c[0] = a[{index}];")[0] == f"read a[{form}]"


def test_intermediate_variables_and_group_arithmetic() -> None:
    body = """
    int tx = get_local_id(0);
    int base = get_group_id(0) * get_local_size(0);
    int i = base + tx;
    c[i] = a[i + 1];"""
    kernel = kernel_of(f"{HEAD}{{{body}\n}}\n")
    raw = "get_group_id(0)*get_local_size(0) + get_local_id(0)"
    assert [str(a.form) for a in kernel.accesses] == [f"{raw} + 1", raw]
    assert kernel.local_ids is None  # they are only parts of a global id


def test_local_ids_of_their_own_are_seen() -> None:
    kernel = kernel_of(f"{HEAD}{{ c[get_global_id(0)] = get_local_id(0); }}\n")
    assert kernel.local_ids is not None


def test_late_initialisation() -> None:
    assert forms("int i; i = get_global_id(0); c[i] = 0;") == ["write c[get_global_id(0)]"]


def test_loop_bounds_are_facts() -> None:
    kernel = kernel_of(HEAD + "{ for (int j = 0; j < w; j++) c[get_global_id(0) * w + j] = 1; }\n")
    access = kernel.accesses[0]
    assert str(access.form) == "get_global_id(0)*w + j"
    assert [str(fact) for fact in access.facts] == ["0 <= j", "j < w"]
    assert access.looped
    assert access.conditional


def test_grid_stride_loop() -> None:
    body = "for (size_t i = get_global_id(0); i < n; i += get_global_size(0)) c[i] = 1;"
    assert forms(body) == ["write c[<from get_global_id(0) on>]"]


LOOP = "for (size_t i = get_global_id(0); i < n; i += get_global_size(0))"


@pytest.mark.parametrize(
    "body",
    [
        f"{LOOP} {{ c[i] = 1; if (i == 3) break; }}",
        f"int g = get_global_id(0); {LOOP} c[i] = c[g];",
        f"float s[2]; {LOOP} c[i] = s[i % 2]++;",
        f"float s = 0; {LOOP} c[i] = s++;",
        f"{LOOP} c[i] = 1; c[0] = 2;",
        f"__local float t[4]; {LOOP} c[i] = t[0];",
    ],
)
def test_loop_whose_iterations_are_no_items(body: str) -> None:
    own = "write c[get_global_size(0)*<rounds> + get_global_id(0)]"
    assert own in forms(body)


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("c[i] = a[i];", ["read a", "write c"]),
        ("c[i] += a[i];", ["read a", "update c"]),
        ("c[i]++;", ["update c"]),
        ("*(c + i) = *(a + i);", ["read a", "write c"]),
        ("*c = (a)[i];", ["read a", "write c"]),
        ("c[i] = sizeof(a[i]);", ["write c"]),
        ("c[i] = c[i + 1] = 0;", ["write c", "write c"]),
        ("if (a[i] > 0) c[i] = a[w];", ["read a", "read a", "write c"]),
    ],
)
def test_accesses_in_order(statement: str, expected: list[str]) -> None:
    kernel = kernel_of(f"{HEAD}{{ size_t i = get_global_id(0); {statement} }}\n")
    assert [f"{a.mode.value} {a.parameter}" for a in kernel.accesses] == expected


def test_conditional_parts_of_expressions() -> None:
    body = "size_t i = get_global_id(0); c[i] = a[i] > 0 && a[i + 1] > 0 ? a[i + 2] : a[i + 3];"
    kernel = kernel_of(f"{HEAD}{{ {body} }}\n")
    assert [a.conditional for a in kernel.accesses] == [False, True, True, True, False]


def test_store_that_is_part_of_an_expression_is_not_plain() -> None:
    kernel = kernel_of(
        f"{HEAD}{{ size_t i = get_global_id(0); float x = (c[i] = 2); c[i] = x; }}\n"
    )
    assert [a.plain for a in kernel.accesses] == [False, True]


def test_pointer_variable_is_followed() -> None:
    body = "__global const float *row = a + get_global_id(0) * w; c[get_global_id(0)] = row[3];"
    kernel = kernel_of(f"{HEAD}{{ {body} }}\n")
    assert str(kernel.accesses[0].form) == "get_global_id(0)*w + 3"
    assert kernel.accesses[0].plain
    assert not kernel.features


def test_components_of_vectors() -> None:
    text = "__kernel void f(__global float4 *c) { size_t i = get_global_id(0); c[i].x = c[i].y; }\n"
    kernel = kernel_of(text)
    assert [(a.mode, a.whole) for a in kernel.accesses] == [
        (Mode.READ, False),
        (Mode.WRITE, False),
    ]


def test_store_to_an_array_within_an_element() -> None:
    text = """
typedef struct { float v[3]; } Body;
__kernel void f(__global Body *b)
{
    size_t i = get_global_id(0);
    b[i].v[1] = b[i].v[0];
    (b + i)->v[2] = 1;
    (*b).v[0] += 1;
}
"""
    found = [(a.mode, str(a.form), a.whole) for a in kernel_of(text).accesses]
    assert found == [
        (Mode.READ, "get_global_id(0)", False),
        (Mode.WRITE, "get_global_id(0)", False),
        (Mode.WRITE, "get_global_id(0)", False),
        (Mode.UPDATE, "0", False),
    ]


# Guards


@pytest.mark.parametrize(
    ("body", "guards"),
    [
        ("if (i >= n) return; c[i] = 0;", ["get_global_id(0) < n ulong"]),
        ("if (!(i < n)) { return; } c[i] = 0;", ["get_global_id(0) < n ulong"]),
        ("if (n > i) c[i] = 0;", ["get_global_id(0) < n ulong"]),
        (
            "if (i < n) { if (i != 3) { c[i] = 0; } }",
            ["get_global_id(0) < n ulong", "3 != get_global_id(0) ulong"],
        ),
        ("if (i >= n || w < 0) return; c[i] = 0;", ["get_global_id(0) < n ulong", "0 <= w int"]),
        ("if (w) c[i] = 0;", ["0 != w int"]),
        ("if (i < n) c[i] = 0; else c[i] = 1;", []),
        ("if (i < n) c[i] = 0; c[0] = 1;", []),
        ("if (a[i] > 0) c[i] = 0;", []),
        ("c[i] = 0; if (i >= n) return; c[i] = 1;", []),
    ],
)
def test_guards(body: str, guards: list[str]) -> None:
    kernel = kernel_of(f"{HEAD}{{ size_t i = get_global_id(0); {body} }}\n")
    assert [f"{g} {g.type}" for g in kernel.body.guards] == guards


def test_type_of_a_comparison_is_part_of_the_guard() -> None:
    kernel = kernel_of(f"{HEAD}{{ int i = get_global_id(0); if (i < w) c[i] = 0; }}\n")
    assert [g.type for g in kernel.body.guards] == ["int"]


def test_early_return_among_the_work_makes_the_rest_conditional() -> None:
    body = "size_t i = get_global_id(0); c[i] = 1; if (i >= n) return; c[i] = 2;"
    kernel = kernel_of(f"{HEAD}{{ {body} }}\n")
    assert [a.conditional for a in kernel.accesses] == [False, True]
    assert not kernel.features


# Features


@pytest.mark.parametrize(
    ("body", "feature"),
    [
        ("{ __local float t[4]; t[0] = 1; }", Feature.LOCAL_MEMORY),
        ("__local float t; t = 1;", Feature.LOCAL_MEMORY),
        ("if (w) return; __local float t[4]; c[0] = 1;", Feature.LOCAL_MEMORY),
        ("if (c[0]) return; barrier(CLK_GLOBAL_MEM_FENCE);", Feature.BARRIER),
        ("mem_fence(CLK_GLOBAL_MEM_FENCE);", Feature.BARRIER),
        ("prefetch(a, 4);", Feature.ASYNC_COPY),
        ("c[0] = work_group_reduce_add(1);", Feature.WORK_GROUP),
        ("atomic_fetch_add((volatile __global int *)c, 1);", Feature.ATOMIC),
        ("NEXT;", Feature.POINTER_ARITHMETIC),
        ('printf("%f", a[0]);', Feature.PRINTF),
        ("c[0] = strange(w);", Feature.UNKNOWN_CALL),
        ("c[0] = noisy(w);", Feature.PRINTF),
        ("c[0] = table[w]; counter[0] = 1;", Feature.ESCAPE),
        ("goto end; end: c[0] = 1;", Feature.CONTROL_FLOW),
        ("MORE; c[w] = 0;", Feature.ASSIGNED_PARAMETER),
    ],
)
def test_features(body: str, feature: Feature) -> None:
    helpers = """\
#define NEXT c++
#define MORE w += 1
__constant float table[3] = {1, 2, 3};
__global int counter[1];
float helper(__global const float *p) { return p[1]; }
float noisy(int x) { printf("%d", x); return x; }
"""
    kernel = kernel_of(f"{helpers}{HEAD}{{ {body} }}\n")
    assert feature in [use.feature for use in kernel.features]


def test_features_of_parameters() -> None:
    kernel = kernel_of(
        "typedef __local int *vector;\n"
        "__kernel void f(__read_write image3d_t i, sampler_t s, volatile __global int *v, "
        "vector l) { v[0] = 1; }\n"
    )
    assert [(use.feature, use.what) for use in kernel.features] == [
        (Feature.IMAGE, "i"),
        (Feature.VOLATILE, "v"),
        (Feature.HIDDEN_POINTER, "l"),
    ]


def test_ordinary_kernels_have_no_features() -> None:
    body = """
    size_t i = get_global_id(0);
    float t[3], m;
    float f = fract(a[i], &m);
    int2 v = (int2)(1, 2);
    for (int j = 0; j < 3; j++) t[j] = f * table[j] + M_PI_F + v.x;
    switch (w) { case 1: c[i] = t[0]; break; default: c[i] = pure(t[1]); }
    while (w > 3) { c[i] = 0; break; }"""
    text = "__constant float table[3] = {1, 2, 3};\nfloat pure(float x) { return sqrt(x); }\n"
    assert not kernel_of(f"{text}{HEAD}{{{body}\n}}\n").features


def test_parameters() -> None:
    kernel = kernel_of(
        "typedef float real;\n__kernel void f(global real * restrict a, constant int *k, "
        "const unsigned int n, float4 v, __global const unsigned char *b) { a[n] = k[0]; }\n"
    )
    found = [(p.name, p.space, p.type, p.canonical, p.const) for p in kernel.parameters]
    assert found == [
        ("a", "global", "real", "float", False),
        ("k", "constant", "int", "int", False),
        ("n", "private", "unsigned int", "uint", True),
        ("v", "private", "float4", "float4", False),
        ("b", "global", "unsigned char", "uchar", True),
    ]
    assert kernel.parameters[0].restrict


def test_required_work_group_size() -> None:
    kernel = kernel_of(
        "__kernel __attribute__((reqd_work_group_size(16, 2, 1))) void f(__global int *a)"
        " { a[0] = 1; }\n"
    )
    assert kernel.required_size == ("16", "2", "1")


def test_macros_are_seen_through() -> None:
    text = "#define GID get_global_id(0)\n#define AT(p, k) p[k]\n#define SET(p, v) AT(p, GID) = v\n"
    kernel = kernel_of(f"{text}{HEAD}{{ SET(c, AT(a, GID + 1)); }}\n")
    assert [f"{a.mode.value} {a.parameter}[{a.form}]" for a in kernel.accesses] == [
        "read a[get_global_id(0) + 1]",
        "write c[get_global_id(0)]",
    ]


@pytest.mark.parametrize(("asked", "dimensions"), [("0", 1), ("1", 2), ("0 + 1", 3), ("w", 3)])
def test_dimension_that_is_computed_may_be_any(asked: str, dimensions: int) -> None:
    assert kernel_of(f"{HEAD}{{ c[get_global_id({asked})] = 1; }}\n").dimensions == dimensions
