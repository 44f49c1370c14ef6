"""Which objects are proved to be read by nothing after a region, though nobody says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.host.observed.observing import dropped

REGION = "{ vec_square(&t, &a); vec_add(&c, &t, &a); }"
DECLARED = "vec t; vec_new(&t, N);"
READ = "vec_get(&t, data);"
HOST = "clCreateBuffer(NULL, CL_MEM_USE_HOST_PTR, 256, data, NULL);"
ROUNDS = "int k; for (k = 0; k < 3; k++) "


def program(
    before: str = "",
    after: str = "",
    region: str = REGION,
    declared: str = DECLARED,
    file: str = "",
) -> str:
    return f"""
#define N 64
{file}
int main(int argc, char **argv)
{{
    float data[N];
    vec a, c;
    (void)argv;
    vec_start();
    vec_new(&a, N);
    vec_new(&c, N);
    {declared}
    {before}
#pragma kfuse(a, t, c)
    {region}
    {after}
    vec_get(&c, data);
    vec_free(&a);
    vec_free(&c);
    return 0;
}}
"""


DEAD = {
    "nothing": program(),
    "it is released": program(after="vec_free(&t);"),
    "it is filled before": program(before="vec_scale(&t, &a, 2.0f);"),
    "it is read before": program(before=READ),
    "it is overwritten": program(after="vec_scale(&t, &a, 2.0f); vec_free(&t);"),
    "its number is read": program(after='printf("%u\\n", t.n); size_t b = t.n * 4u; (void)b;'),
    "its handle is compared": program(before="int made = t.mem != NULL; (void)made;"),
    "a block of its own": program(before="{", after="vec_free(&t); }"),
    "another variable has its name": program(
        declared="{" + DECLARED, after="} { vec t; vec_new(&t, N); vec_get(&t, data); }"
    ),
    "it is zero at first": program(declared="vec t = {0}; vec_new(&t, N);"),
    "a null pointer at first": program(declared="int n = N; vec t = {NULL, n}; vec_new(&t, N);"),
    "it is returned by value": program(
        declared="vec t = make(N);",
        file="static vec make(cl_uint n) { vec v; vec_new(&v, n); return v; }",
    ),
    "it is a handle": program(
        declared="cl_mem t = clCreateBuffer(NULL, CL_MEM_READ_WRITE, 256, NULL, NULL);",
        region="{ one(t, a.mem); two(c.mem, t, a.mem); }",
        after="clReleaseMemObject(t);",
        file="""
static void one(cl_mem y, cl_mem x) { vec v = {y, N}, w = {x, N}; vec_square(&v, &w); }
static void two(cl_mem z, cl_mem x, cl_mem y)
{
    vec v = {z, N}, w = {x, N}, u = {y, N};
    vec_add(&v, &w, &u);
}
""",
    ),
    "it is made when missing": program(
        declared="vec t = {0};",
        region="{ if (!t.mem) vec_new(&t, N); vec_square(&t, &a); vec_add(&c, &t, &a); }",
    ),
    "a loop": program(before=ROUNDS),
    "a loop with another factor each time": program(
        before=ROUNDS,
        region="{ vec_scale(&t, &a, 1.0f * k); vec_add(&c, &t, &a); }",
    ),
    "a loop that is left before the second launch": program(
        before=ROUNDS,
        region="{ vec_square(&t, &a); if (argc > k) break; vec_add(&c, &t, &a); }",
    ),
    "a loop around the object": program(declared=ROUNDS + "{" + DECLARED, after="vec_free(&t); }"),
    "a jump to the end": program(after="if (argc > 3) goto done; data[0] = 1; done:"),
}


@pytest.mark.parametrize("name", DEAD)
def test_what_nothing_reads_is_left_out(name: str, tmp_path: Path) -> None:
    assert "t" in {label.split(".")[0] for label in dropped(DEAD[name], tmp_path).split()}


def kept(function: str) -> tuple[str, str]:
    return program(before="vec_keep(&t);", file="void vec_keep(vec *v);"), function


SHARE = """
void vec_share(vec *v, vec *w)
{
    v->n = w->n;
    v->mem = clCreateSubBuffer(w->mem, 0, 0, NULL, NULL);
}
"""
PEEK = """
void vec_peek(void)
{
    size_t n = 64;
    clEnqueueNDRangeKernel(queue, square_kernel, 1, NULL, &n, NULL, 0, NULL, NULL);
}
"""
BIND = """
static cl_kernel other;
void vec_bind(vec *v)
{
    other = clCreateKernel(program, "scale", NULL);
    clSetKernelArg(other, 1, sizeof(cl_mem), &v->mem);
}
void vec_run(void)
{
    size_t n = 64;
    clEnqueueNDRangeKernel(queue, other, 1, NULL, &n, NULL, 0, NULL, NULL);
}
"""
KNOWN = """
cl_kernel known;
void other(void);
void vec_tell(void)
{
    other();
    known = square_kernel;
}
"""
# the program, and what is added to the library
ALIVE: dict[str, tuple[str, str]] = {
    "it is read": (program(after=READ), ""),
    "a launch reads it": (program(after="vec_add(&c, &t, &a);"), ""),
    "it is read under a condition": (program(after=f"if (argc > 1) {READ}"), ""),
    "a macro reads it": (program(after="GET(t)", file="#define GET(v) vec_get(&v, data);"), ""),
    "the next iteration reads it": (program(ROUNDS + "{" + READ, "}"), ""),
    "the region reads it in the next iteration": (
        program(
            ROUNDS,
            region="{ vec_get(&t, data); vec_square(&t, &a); vec_add(&c, &t, &a); }",
        ),
        "",
    ),
    "the next iteration does not write all": (
        program(ROUNDS + "{ t.n = N - k; c.n = N - k;", "}"),
        "",
    ),
    "the next iteration may take another path": (
        program(ROUNDS, region="{ if (k == 0) vec_square(&t, &a); vec_add(&c, &t, &a); }"),
        "",
    ),
    "a jump back to where it is read": (program("again: " + READ, "if (argc--) goto again;"), ""),
    "a jump back to another size": (
        program("again: t.n--; c.n--;", "if (argc--) goto again;"),
        "",
    ),
    "setjmp": (
        program("char e[200]; if (setjmp(e)) return 1;", file="int setjmp(void *);"),
        "",
    ),
    "it began as a copy": (program(declared="vec t = a;", after="vec_get(&a, data);"), ""),
    "it began with another handle": (
        program(declared="vec t = {a.mem, N};", after="vec_get(&a, data);"),
        "",
    ),
    "it became a copy": (program(declared="vec t; t = a;", after="vec_get(&a, data);"), ""),
    "it got another handle": (
        program(declared="vec t; t.n = N; t.mem = a.mem;", after="vec_get(&a, data);"),
        "",
    ),
    "bytes of another object": (
        program(declared="vec t; memcpy(&t, &a, sizeof t);", after="vec_get(&a, data);"),
        "",
    ),
    "another object is a copy": (program("vec u = t;", "vec_get(&u, data);"), ""),
    "another object has the handle": (program("vec u; u.mem = t.mem;"), ""),
    "handles are exchanged": (
        program(
            "vec u; vec_new(&u, N);",
            region=REGION.replace("}", "cl_mem m = t.mem; t.mem = u.mem; u.mem = m; }"),
            after="vec_get(&u, data);",
        ),
        "",
    ),
    "two objects get one handle": (
        program(
            declared="vec t, u; vec_pair(&u, &t);",
            after="vec_get(&u, data);",
            file="void vec_pair(vec *, vec *);",
        ),
        "void vec_pair(vec *v, vec *w) { vec_new(v, 64); *w = *v; }",
    ),
    "a pointer": (program("vec *p = &t;", "vec_get(p, data);"), ""),
    "a pointer that a function returns": (
        program("vec *p = vec_self(&t);", "vec_get(p, data);", file="vec *vec_self(vec *);"),
        "vec *vec_self(vec *v) { return v; }",
    ),
    "a handle that a function returns": (
        program("cl_mem m = vec_handle(t);", file="cl_mem vec_handle(vec);"),
        "cl_mem vec_handle(vec v) { return v.mem; }",
    ),
    "a number": (
        program("size_t m = vec_number(&t);", file="size_t vec_number(vec *);"),
        "size_t vec_number(vec *v) { return (size_t)v->mem; }",
    ),
    "a function keeps the handle": kept("static cl_mem m; void vec_keep(vec *v) { m = v->mem; }"),
    "a function keeps the object": kept("static vec m; void vec_keep(vec *v) { m = *v; }"),
    "a function keeps the pointer": kept("static vec *m; void vec_keep(vec *v) { m = v; }"),
    "a function keeps it in a table": kept(
        "static cl_mem m[4]; static int n; void vec_keep(vec *v) { m[n++] = v->mem; }"
    ),
    "a function copies the bytes": kept(
        "static cl_mem m[3]; void vec_keep(vec *v) { memcpy(m, &v->mem, sizeof *m); }"
    ),
    "a function writes the bytes": kept(
        'static char m[99]; void vec_keep(vec *v) { sprintf(m, "%p", (void *)v->mem); }'
    ),
    "a function reads the bytes": kept(
        "static void *m; void vec_keep(vec *v) { m = *(void **)(char *)v; }"
    ),
    "a function holds it": kept("void vec_keep(vec *v) { clRetainMemObject(v->mem); }"),
    "unknown code gets it": (program(after="other(&t);", file="void other(vec *);"), ""),
    "a part of it": (
        program("cl_mem s = clCreateSubBuffer(t.mem, 0, 0, NULL, NULL); (void)s;"),
        "",
    ),
    "memory of the host": (
        program(
            declared="vec t; t.n = N; t.mem = " + HOST,
        ),
        "",
    ),
    "memory of another object": (
        program(
            declared="vec t; vec_share(&t, &a);",
            file="void vec_share(vec *, vec *);",
            after="vec_get(&a, data);",
        ),
        SHARE,
    ),
    "it outlives the function": (program(declared="static vec t; vec_new(&t, N);"), ""),
    "it is of the file": (program(declared="vec_new(&t, N);", file="static vec t;"), ""),
    "it is cleaned up": (
        program(
            declared="__attribute__((cleanup(vec_done))) vec t; vec_new(&t, N);",
            file="void vec_done(vec *);",
        ),
        "void vec_done(vec *v) { float x[64]; vec_get(v, x); }",
    ),
    "a variable is named like a function": (
        program("void (*memset)(const vec *, float *) = vec_get;", "memset(&t, data);"),
        "",
    ),
    "a later launch relies on its arguments": (
        program(after="vec_peek();", file="void vec_peek(void);"),
        PEEK,
    ),
    "an argument of a kernel that is launched later": (
        program("vec_bind(&t);", file="void vec_bind(vec *);"),
        BIND,
    ),
    "a kernel is given away": (
        program("vec_tell();", file="void vec_tell(void);"),
        "void other(cl_kernel k); void vec_tell(void) { other(square_kernel); }",
    ),
    "other files can name a kernel": (
        program("vec_tell();", file="void vec_tell(void);"),
        KNOWN,
    ),
}


@pytest.mark.parametrize("name", ALIVE)
def test_what_may_be_read_is_stored(name: str, tmp_path: Path) -> None:
    text, library = ALIVE[name]
    assert "t.mem" not in dropped(text, tmp_path, library).split()
