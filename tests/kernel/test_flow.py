"""Which value of a variable reaches an index."""

from __future__ import annotations

import pytest

from kfusion.kernel.model import Mode
from tests.support.kernel_side import kernel_of

HEAD = "__kernel void f(__global float *c, __global const float *a, int w, uint n)\n"
HELPERS = """\
float get(__global const float *p, int i) { return p[i]; }
float total(__global float *p, int w) { float s = 0; while (w--) s += *p++; return s; }
__global float *find(__global float *p, int i) { return p + i; }
float many(__global const float *p, int w) { typedef int number; number n = w; return p[n]; }
void again(__global float *p) { there: if (p[0]++ < 9) goto there; }
float last(__global float *p) { return p[2] = 1; }
void put(__global float *p) { p[0] = 1; }
void hand(__global float *p) { put(p + 1); }
void cast(__global const float *p) { ((__global float *)p)[0] = 1; }
typedef __global float *place;
struct box { place at; };
"""
ITEM = "int i = get_global_id(0);"
ID = "get_global_id(0)"
SUM = f"({ID} < 3 ? {ID} : {ID} - 3) + ({ID} < 3 ? w + 1 : w)"
MOST = f"(0 <= {ID} ? {ID} : 0)"


def written(body: str) -> str:
    """The index of what is stored, wherever that happens."""
    kernel = kernel_of(f"{HELPERS}{HEAD}{{ {body} }}\n")
    (form,) = {str(a.form) for a in kernel.accesses if a.mode.writes and a.parameter == "c"}
    return form


@pytest.mark.parametrize(
    ("body", "form"),
    [
        (f"{ITEM} i += w; c[i] = 0;", "get_global_id(0) + w"),
        (f"{ITEM} i = i * 2 + 1; i -= w; c[i] = 0;", "2*get_global_id(0) - w + 1"),
        (f"{ITEM} i /= w; c[i] = 0;", "(get_global_id(0))/(w)"),
        (f"{ITEM} i++; --i; i--; c[i] = 0;", "get_global_id(0) - 1"),
        (f"{ITEM} if (w) i += 1; else i++; c[i] = 0;", "get_global_id(0) + 1"),
        (
            f"{ITEM} int k = 7; if (w) k = i; else {{ k = 3; return; }} c[k] = 0;",
            "get_global_id(0)",
        ),
        (f"{ITEM} if (w) c[i + 1] = 0; i = 9;", "get_global_id(0) + 1"),
        (f"{ITEM} int2 v = (int2)(i, 3); i = 5; c[v.x] = 0;", "get_global_id(0)"),
        (f"{ITEM} w += 2; c[i + w] = 0;", "get_global_id(0) + w + 2"),
        # One of several
        (f"{ITEM} if (w) i += 1; c[i] = 0;", f"(0 != w ? {ID} + 1 : {ID})"),
        (f"{ITEM} w ? i++ : 0; c[i] = 0;", f"(0 != w ? {ID} + 1 : {ID})"),
        (f"{ITEM} if (i >= w) i = w - 1; c[i] = 0;", f"(w <= {ID} ? w - 1 : {ID})"),
        (f"{ITEM} if (i < 3) {{ w++; }} else i -= 3; c[i + w] = 0;", SUM),
        (f"{ITEM} if (i < 0 || i > w) i = 5; c[i] = 0;", f"(0 <= {ID} && {ID} <= w ? {ID} : 5)"),
        (
            f"{ITEM} if (i > w) i = 5; else if (i == w) return; c[i] = 0;",
            f"(w < {ID} ? 5 : {ID})",
        ),
        (
            f"{ITEM} for (int j = 0; j < w; j++) {{ int k = j; if (k > 9) k = 9; c[k] = 0; }}",
            "(9 < j ? 9 : j)",
        ),
        (
            f"uint k = {ID}; ulong m = k < n ? k - 1 : 3; c[m] = 0;",  # k - 1 may wrap around
            f"({ID} < n ? (ulong from uint)({ID} - 1) : 3)",
        ),
        (f"{ITEM} c[clamp(i, 0, 7)] = 0;", f"({MOST} <= 7 ? {MOST} : 7)"),
        # Rounds of a loop
        (
            f"{ITEM} while (i < w) {{ c[i] = 0; i += get_global_size(0); }} w = i;",
            "get_global_size(0)*<rounds> + get_global_id(0)",
        ),
        (
            f"{ITEM} for (; i < w; i += 64) c[i] = 0;",
            "get_global_id(0) + 64*<rounds>",
        ),
        (f"{ITEM} int k = 0; for (int j = 0; j < w; j++, k += 4) c[k + j] = 0;", "5*<rounds>"),
        (f"{ITEM} do {{ i += 3; c[i] = 0; }} while (i < w);", "get_global_id(0) + 3*<rounds> + 3"),
        (f"{ITEM} while (w) {{ int k = i; k += 2; c[k] = 0; }}", "get_global_id(0) + 2"),
        # Pointers
        ("__global float *p; p = c + 4; p += 2; p[get_global_id(0)] = 0;", "get_global_id(0) + 6"),
        ("__global float *p = c; while (w--) { p[0] = 0; p += 5; }", "5*<rounds>"),
        ("__global float *p = c + 3; while (w--) *p++ = 0;", "<rounds> + 3"),
        ("__global float *p = c + 3; while (w--) *++p = 0;", "<rounds> + 4"),
        ("__global float *p = c + w; if (n) p = p - 2; else p -= 2; p[0] = 0;", "w - 2"),
        # What functions do
        (f"{ITEM} put(c + i);", "get_global_id(0)"),
        (f"{ITEM} hand(c + i);", "get_global_id(0) + 1"),
        (f"{ITEM} cast(&c[2 * i]);", "2*get_global_id(0)"),
        (f"{ITEM} a == 0 ? 0 : last(c + i);", "get_global_id(0) + 2"),
        ("cast(w ? c : c + 1);", "None"),
        ("__global float *p = w ? c : c + 1; put(p);", "None"),
        # In other types
        (f"{ITEM} ((__global float4 *)c)[i] = 0;", "get_global_id(0)"),
        (f"{ITEM} ((__global float4 *)(c + 8 * i))[1] = 0;", "2*get_global_id(0) + 1"),
        (f"{ITEM} ((__global float4 *)(c + i))[0] = 0;", "get_global_id(0)"),  # in floats
        (f"{ITEM} vstore4((float4)(0), 0, c + i);", "get_global_id(0) + <lane>"),
        (f"{ITEM} vstore4((float4)(0), i, c + 8);", "4*get_global_id(0) + <lane> + 8"),
        (f"{ITEM} vstore3((float3)(0), 0, c + 3 * i);", "3*get_global_id(0) + <lane>"),
        (
            f"{ITEM} c = (__global float *)((__global char *)c + w); c[i] = 0;",
            "4*get_global_id(0) + w",  # bytes
        ),
        (
            "uint k = get_global_id(0); while (w--) { c[k] = 0; k += 2; }",
            "get_global_id(0) + 2*<rounds>",
        ),
    ],
)
def test_value_that_reaches_the_index(body: str, form: str) -> None:
    assert written(body) == form


@pytest.mark.parametrize(
    "body",
    [
        f"{ITEM} if (a[i] > 0) i += 1; c[i] = 0;",
        f"{ITEM} if (w && a[i] > 0) i += 1; c[i] = 0;",
        f"{ITEM} if (w && a[i] > 0) w = 1; else i++; c[i] = 0;",
        f"{ITEM} if (w++ < 3) i += 1; c[i] = 0;",
        f"{ITEM} if (i < 4) {{ i++; if (w) i = a[0]; }} c[i] = 0;",
        f"{ITEM} a[i] > 0 ? i++ : 0; c[i] = 0;",
        f"{ITEM} for (int j = 0; j < 3; j++) {{ if (j < w) i++; }} c[i] = 0;",
        f"{ITEM} int k = 0; while (w--) {{ c[k] = 0; k += i < 3 ? 1 : 2; }}",
        f"{ITEM} {'i = i < w ? i + 1 : i; ' * 5} c[i] = 0;",
        f"{ITEM} w && i++; c[i] = 0;",
        f"{ITEM} int k = 0; while (w--) {{ c[k] = 0; if (w == 3) continue; k += 2; }}",
        f"{ITEM} int k = 0; while (w--) {{ c[k] = 0; k += 2; if (w == 3) k += 2; }}",
        f"{ITEM} int k = 0; while (w--) {{ c[k] = 0; k += i; i++; }}",
        f"{ITEM} int k = 0; while (w--) {{ c[k] = 0; if (w == 3) k += 2; }}",
        f"{ITEM} int k = 0; while (w--) k += 2; c[k] = 0;",
        f"{ITEM} int k = 0; while (w--) {{ if (w == 3) {{ k = 1; break; }} }} c[k] = 0;",
        f"{ITEM} switch (w) {{ case 1: i = 3; break; case 2: c[i] = 0; }}",
        f"{ITEM} switch (w) {{ case 1: i = 3; default: c[i] = 0; }}",
        f"{ITEM} switch (w) {{ case 1: i = 3; }} c[i] = 0;",
        f"{ITEM} int *p = &i; *p = 3; c[i] = 0;",
        "int2 v = (int2)(1, 2); int *p = (int *)&v.x; *p = 3; c[v.x] = 0;",
        f"{ITEM} int2 v = (int2)(i, i); v.x = 3; c[v.x] = 0;",
        "ulong k = get_global_id(0); while (w--) { c[k] = 0; k -= 2; }",
        f"{ITEM} c[i = 3] = 0;",
        "__global float *p = c; while (w--) { if (w & 1) p++; *p = 0; }",
        "__global float *p = c; while (w--) *(w & 1 ? p++ : p) = 0;",
    ],
)
def test_value_that_is_not_told(body: str) -> None:
    found = written(body)
    assert found == "None" or found == "(get_global_id(0))/(4)"


@pytest.mark.parametrize(
    ("body", "mode"),
    [
        ("c[0] = many(c + 1, 3);", Mode.READ),
        ("c[0] = many(c, w);", Mode.READ),
        ("__global float *p = w ? c : c + 1; float x = p[2];", Mode.READ),
        ("float x = c == 0;", Mode.READ),
        ("*find(c, 3) = 1;", Mode.UPDATE),
        ("again(c);", Mode.UPDATE),
        ("__global float *p = w ? c : c + 1; p[2] = 0;", Mode.UPDATE),
        ("__global float *p = c, **q = &p; (*q)[1] = 0;", Mode.UPDATE),
        ("struct box b; b.at = c; b.at[0] = 1;", Mode.UPDATE),
        ("size_t at = (size_t)c; *(__global float *)at = 1;", Mode.UPDATE),
        ("__global float *p[2] = {c, c}; p[0][0] = 1;", Mode.UPDATE),
    ],
)
def test_pointer_that_is_passed_on(body: str, mode: Mode) -> None:
    kernel = kernel_of(f"{HELPERS}{HEAD}{{ {body} }}\n")
    anywhere = {access.mode for access in kernel.accesses if access.anywhere}
    assert anywhere == {mode}
    assert not kernel.features


def test_group_ids_in_a_value_that_is_lost_count() -> None:
    body = "int k = get_local_id(0); if (w) k = 3; c[k] = 0;"
    assert kernel_of(f"{HEAD}{{ {body} }}\n").local_ids is not None
    sum_ = "int k = get_group_id(0) * get_local_size(0); k += get_local_id(0); c[k] = 0;"
    assert kernel_of(f"{HEAD}{{ {sum_} }}\n").local_ids is None
