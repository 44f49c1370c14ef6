"""What the run time looks at when a region ends, and what may be left out because of that.

Whether it is left out in the end, the run time decides: tests/runtime, and the cases.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.host.observed.observing import dropped, observed

LAUNCHES = "vec_square(t, a); vec_add(c, t, a);"
BY_VALUE = "vec_square(&t, &a); vec_add(&c, &t, &a);"
OUT, TEMP = "a, t, out(c)", "a, c, temp(t)"
POINTERS = "vec *a, vec *t, vec *c"
VALUES = "vec a, vec t, vec c"
TYPES = """
typedef struct { vec v; vec w; } two;
typedef struct { vec *v; } far;
typedef struct { cl_mem all[2]; } row;
typedef struct { vec v; cl_mem all[2]; far other; union { cl_mem mem; int n; } u; } mixed;
typedef struct { vec v; int id; cl_context x; float *host; cl_event e; char name[8]; } rich;
typedef struct { vec v; union { cl_mem mem; int n; } u; } either;
typedef struct { cl_mem first; cl_mem second; } cl_pair;
typedef struct { vec v; cl_pair pair; } own_name;
typedef struct { vec v; uintptr_t handle; } numbered;
typedef struct hidden hidden;
union both { cl_mem mem; int number; };
"""
FILE = """
static void one(cl_mem y, cl_mem x)
{
    vec v = {y, 4}, w = {x, 4};
    vec_square(&v, &w);
}
static void swap(vec **x, vec **y) { vec *z = *x; *x = *y; *y = z; }
"""
HEADER = TYPES + "void vec_drop(vec *v);\nvoid hide(hidden *y, const vec *x);\n"
LIBRARY = """
struct hidden { vec v; int id; cl_mem spare; };
void vec_drop(vec *v) { free(v); }
void hide(hidden *y, const vec *x) { vec_square(&y->v, x); }
"""


def program(region: str, data: str, parameters: str = POINTERS, file: str = "") -> str:
    return f"""
{file}
void work({parameters}, int flag)
{{
#pragma kfuse({data})
    {{ {region} }}
}}
"""


# what stands in the region's line; the region, the annotation, the parameters
LINES = {
    "handles": ("c", "one(t, a); one(c, t);", OUT, "cl_mem a, cl_mem t, cl_mem c"),
    "structures": ("c.mem", BY_VALUE, OUT, VALUES),
    "a temporary, and what must be apart from it": (
        "1, t.mem, a.mem, c.mem",
        BY_VALUE,
        TEMP,
        VALUES,
    ),
    "pointers": ("KFUSION_OF(c, mem)", LAUNCHES, OUT, POINTERS),
    "pointers that the region changes": ("KFUSION_OF(c, mem)", LAUNCHES + "c = t;", OUT, POINTERS),
    "pointers that others may change": (
        "KFUSION_OF(c, mem)",
        LAUNCHES + "swap(&c, &t);",
        OUT,
        POINTERS,
    ),
    "all handles of a structure": (
        "c.v.mem, c.w.mem",
        "vec_square(&t, &a); vec_add(&c.v, &t, &a);",
        OUT,
        "vec a, vec t, two c",
    ),
    "all handles behind a pointer": (
        "KFUSION_OF(c, v.mem), KFUSION_OF(c, w.mem)",
        "vec_square(t, a); vec_add(&c->v, t, a);",
        OUT,
        "vec *a, vec *t, two *c",
    ),
    "all handles of a structure that only the library knows": (
        "KFUSION_READ(hidden_v_mem, c), KFUSION_READ(hidden_spare, c)",
        "vec_square(t, a); hide(c, t);",
        OUT,
        "vec *a, vec *t, hidden *c",
    ),
    "a member of a structure that only the library knows": (
        "KFUSION_READ(hidden_v_mem, c)",
        "vec_square(t, a); hide(c, t);",
        "a, t, out(c->v)",
        "vec *a, vec *t, hidden *c",
    ),
    "a temporary member, and what is beside it": (
        "1, KFUSION_OF(c, v.mem), KFUSION_BESIDE(KFUSION_OF(c, w.mem))",
        "vec_square(&c->v, a); vec_add(&c->w, &c->v, a);",
        "c, temp(c->v)",
        "vec *a, two *c",
    ),
    "a member that is listed beside a temporary structure": (
        "1, KFUSION_OF(c, v.mem), KFUSION_OF(c, w.mem)",
        "vec_square(&c->v, a); vec_add(&c->w, &c->v, a);",
        "c->w, temp(c)",
        "vec *a, two *c",
    ),
    "all of a structure but a member": (
        "c.w.mem",
        "vec_square(&c.v, &a); vec_add(&c.w, &c.v, &a);",
        "out(c), temp(c.v)",
        "vec a, two c",
    ),
    "a table": (
        "c.all[0], c.all[1]",
        "one(t->mem, a->mem); one(c.all[0], t->mem);",
        OUT,
        "vec *a, vec *t, row c",
    ),
    "entries of a table behind a pointer": (
        "1, KFUSION_OF(c, all[1]), KFUSION_OF(c, all[0])",
        "one(c->all[1], a->mem); one(c->all[0], c->all[1]);",
        "c->all[0], temp(c->all[1])",
        "vec *a, row *c",
    ),
    "a structure with much else in it": (
        "c.v.mem",
        "vec_square(&t, &a); vec_add(&c.v, &t, &a);",
        OUT,
        "vec a, vec t, rich c",
    ),
    "a structure whose name begins like those of OpenCL": (
        "c.v.mem, c.pair.first, c.pair.second",
        "vec_square(&t, &a); vec_add(&c.v, &t, &a);",
        OUT,
        "vec a, vec t, own_name c",
    ),
}


@pytest.mark.parametrize("name", LINES)
def test_what_the_line_of_the_region_names(name: str, tmp_path: Path) -> None:
    expected, region, data, parameters = LINES[name]
    _, names = observed(program(region, data, parameters, FILE), tmp_path, LIBRARY, HEADER)
    assert names is not None
    assert names.line[1] == expected


UNSEEN = {
    "a pointer in a structure": ("vec_add(c.v, t, a);", OUT, "vec *a, vec *t, far c"),
    "a table of unknown length": (
        "one(t->mem, a->mem); one(c[0], t->mem);",
        OUT,
        "vec *a, vec *t, cl_mem c[]",
    ),
    "a table of the caller": (
        "one(t->mem, a->mem); one(c[0], t->mem);",
        OUT,
        "vec *a, vec *t, cl_mem c[2]",
    ),
    "a union that a call gets": (
        "vec_square(t, a); one(c.mem, t->mem);",
        OUT,
        "vec *a, vec *t, union both c",
    ),
    "a member behind another pointer": (
        "vec_add(c->v, t, a);",
        "a, t, out(c->v->mem)",
        "vec *a, vec *t, far *c",
    ),
    "a temporary beside what cannot be looked at": (
        "vec_square(&c.v, a); vec_add(t, &c.v, a);",
        "temp(c.v.mem)",
        "vec *a, vec *t, mixed c",
    ),
    "a handle as a number": ("vec_add(&c.v, t, a);", OUT, "vec *a, vec *t, numbered c"),
    "a union": ("vec_add(&c.v, t, a);", OUT, "vec *a, vec *t, either c"),
    "a pointer to a pointer": ("vec_add(*c, t, a);", OUT, "vec *a, vec *t, vec **c"),
    "a pointer that changes unseen": (LAUNCHES, OUT, "vec *a, vec *t, vec *volatile c"),
    "a pointer of the file": (LAUNCHES, OUT, "vec *a, vec *t", "static vec *c;"),
    "a temporary that is freed": (LAUNCHES + "vec_drop(t);", TEMP, POINTERS),
    "a temporary that may be freed by a pointer": (
        LAUNCHES + "let_go(t);",
        TEMP,
        POINTERS,
        "static void (*let_go)(void *) = free;",
    ),
    "a pointer to what changes unseen": (LAUNCHES, OUT, "vec *a, vec *t, volatile vec *c"),
    "a temporary that is freed by the compiler's name": (
        LAUNCHES + "__builtin_free(t);",
        TEMP,
        POINTERS,
    ),
    "a name that a block declares anew": (LAUNCHES + "{ vec *c = a; (void)c; }", OUT, POINTERS),
    "what is copied in the region": (LAUNCHES + "a->mem = t->mem;", TEMP, POINTERS),
}


@pytest.mark.parametrize("name", UNSEEN)
def test_what_cannot_be_looked_at(name: str, tmp_path: Path) -> None:
    region, data, parameters, *file = UNSEEN[name]
    text = program(region, data, parameters, FILE + "".join(file))
    _, names = observed(text, tmp_path, LIBRARY, HEADER)
    assert names is None


SET_BEFORE = {
    "if (flag) t = d;": False,
    "while (flag--) t = d;": False,
    "if (flag) goto in; t = d; in:;": False,
    "t = d; if (flag) goto end;": True,
    "t = d;": True,
    "swap(&t, &d);": True,
    "if (made(&t)) return;": True,
    "do { if (made(&t)) return; } while (0);": True,
}


@pytest.mark.parametrize("before", SET_BEFORE)
def test_a_temporary_is_set_before_the_region(before: str, tmp_path: Path) -> None:
    """What else the pointer leads to, by chance, may be read later."""
    text = f"""
    {FILE}
    static int made(vec **t) {{ static vec own; *t = &own; return own.flag; }}
    void work(vec *a, vec *c, vec *d, int flag)
    {{
        vec *t;
        {before}
    #pragma kfuse(a, c, temp(t))
        {{ if (flag) {{ vec_square(t, a); vec_add(c, t, a); }} }}
        end:;
    }}
    """
    _, names = observed(text, tmp_path)
    assert (names is not None) == SET_BEFORE[before]


# what may be left out; the region, the annotation, the parameters
DROPPED = {
    "an intermediate, by out": ({"*t.mem": "AT_END"}, LAUNCHES, OUT, POINTERS),
    "a temporary": ({"*t.mem": "AT_END"}, LAUNCHES, TEMP, POINTERS),
    "what is made and released": (
        {"<buffer 5>": "SCRATCH"},
        "vec u; vec_new(&u, 4); vec_square(&u, a); vec_add(c, &u, a); vec_free(&u);",
        "a, c",
        "vec *a, vec *c",
    ),
    "nothing without out and temp": ({}, LAUNCHES, "a, t, c", POINTERS),
    "not what out has got": ({"c.mem": "AT_END"}, BY_VALUE + "c.mem = t.mem;", OUT, VALUES),
    "what was in out before an exchange": (
        {"c.mem": "AT_END"},
        BY_VALUE + "cl_mem m = t.mem; t.mem = c.mem; c.mem = m;",
        OUT,
        VALUES,
    ),
    "a temporary member": (
        {"*c.v.mem": "AT_END"},
        "vec_square(&c->v, a); vec_add(&c->w, &c->v, a);",
        "c, temp(c->v)",
        "vec *a, two *c",
    ),
    "all members but one": (
        {"*c.v.mem": "AT_END"},
        "vec_square(&c->v, a); vec_add(&c->w, &c->v, a);",
        "c->w, temp(c)",
        "vec *a, two *c",
    ),
    "an entry of a table, by temp": (
        {"*c.all[1]": "AT_END"},
        "one(c->all[1], a->mem); one(c->all[0], c->all[1]);",
        "c->all[0], temp(c->all[1])",
        "vec *a, row *c",
    ),
    "a table, by temp": (
        {"*c.all[1]": "AT_END"},
        "one(c->all[1], a->mem); one(d, c->all[1]);",
        "out(d), temp(c->all)",
        "vec *a, row *c, cl_mem d",
    ),
    "no entry of a table that only out does not name": (
        {},
        "one(c->all[1], a->mem); one(d, c->all[1]);",
        "out(d)",
        "vec *a, row *c, cl_mem d",
    ),
    "nothing where members change places": (
        {},
        "vec_square(&c->v, a); vec_add(&c->w, &c->v, a); c->v.mem = c->w.mem;",
        "c, temp(c->v)",
        "vec *a, two *c",
    ),
    "nothing where pointers change places": (
        {},
        LAUNCHES + "vec *m = c; c = t; t = m;",
        OUT,
        POINTERS,
    ),
}


@pytest.mark.parametrize("name", DROPPED)
def test_what_may_be_left_out(name: str, tmp_path: Path) -> None:
    expected, region, data, parameters = DROPPED[name]
    assert dropped(program(region, data, parameters, FILE), tmp_path, header=TYPES) == expected
