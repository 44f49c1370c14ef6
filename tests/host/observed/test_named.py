"""What `out` and `temp` let be left out: on no path through the region anything that is observed.

The function around the region gets its objects from its caller, so nothing is proved of them
but what the annotation says.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.host.observed.observing import dropped, drops, observed

LAUNCHES = "vec_square(t, a); vec_add(c, t, a);"
EXCHANGE = "{ cl_mem m = t->mem; t->mem = c->mem; c->mem = m; }"
OUT, TEMP = "a, t, out(c)", "a, c, temp(t)"
PARAMETERS = "vec *a, vec *t, vec *c, vec *d"
TYPES = """
typedef struct { vec v; vec w; } two;
typedef struct { vec *v; } far;
typedef struct { cl_mem all[2]; } row;
typedef struct { vec v; int id; cl_context x; float *host; cl_event e; char name[8]; } rich;
typedef struct { vec v; void *user; } user;
typedef struct { int id; } number;
typedef struct { vec v; union { cl_mem mem; int n; } u; } either;
"""

BY_HANDLE = """
static void by_one(cl_mem y, cl_mem x)
{
    vec v = {y, 4}, w = {x, 4};
    vec_square(&v, &w);
}
static void by_two(cl_mem z, cl_mem x, cl_mem y)
{
    vec v = {z, 4}, w = {x, 4}, u = {y, 4};
    vec_add(&v, &w, &u);
}
"""


def program(region: str, data: str, parameters: str = PARAMETERS, file: str = "") -> str:
    return f"""
{file}
void work({parameters}, int flag)
{{
#pragma kfuse({data})
    {{ {region} }}
}}
"""


# what is dropped, the region, the annotation, the parameters, and what stands in the file
DROPPED = {
    "an intermediate, by out": ("*t.mem", LAUNCHES, OUT),
    "a temporary": ("*t.mem", LAUNCHES, TEMP),
    "handles as variables": (
        "t",
        "by_one(t, a); by_two(c, t, a);",
        OUT,
        "cl_mem a, cl_mem t, cl_mem c",
        BY_HANDLE,
    ),
    "where another object's number changes": ("*t.mem", LAUNCHES + "d->flag = 3;", OUT),
    "where numbers are written by a pointer": (
        "*t.mem",
        LAUNCHES + "data[flag] = 3;",
        OUT,
        PARAMETERS + ", float *data",
    ),
    "where the region reads": ("*t.mem", "float x[64];" + LAUNCHES + "vec_get(t, x);", OUT),
    "what is released, by out": ("*t.mem", LAUNCHES + "vec_free(t);", OUT),
    "by out where all its handles are in the pattern": (
        "*t.mem",
        "vec_square(t, a); vec_add(&c->v, t, a); vec_add(&c->w, t, a);",
        OUT,
        "vec *a, vec *t, two *c",
    ),
    "by out of an object with much else in it": (
        "*t.mem",
        "vec_square(t, a); vec_add(&c->v, t, a);",
        OUT,
        "vec *a, vec *t, rich *c",
    ),
    "what out names no longer after an exchange": (
        "*c.mem",
        LAUNCHES + "vec *x = t; t = c; c = x;",
        OUT,
    ),
    "an object of the file": (
        "t.mem",
        "vec_square(&t, a); vec_add(c, &t, a);",
        OUT,
        "vec *a, vec *c",
        "static vec t;",
    ),
    "an intermediate of a program that ends": (
        "*t.mem",
        "vec_square(t, a); vec_add(c, t, a); if (flag) exit(1);",
        OUT,
    ),
    "where a name is hidden in the region": (
        "*t.mem",
        LAUNCHES + "{ vec *c = a; c->flag = 1; }",
        OUT,
    ),
}


@pytest.mark.parametrize("name", DROPPED)
def test_what_is_named_is_left_out(name: str, tmp_path: Path) -> None:
    expected, *rest = DROPPED[name]
    assert dropped(program(*rest), tmp_path, header=TYPES) == expected


KEPT = {
    "an exchange under a condition, out": (LAUNCHES + f"if (flag) {EXCHANGE}", OUT),
    "an exchange under a condition, temp": (LAUNCHES + f"if (flag) {EXCHANGE}", TEMP),
    "pointers exchanged under a condition": (
        LAUNCHES + "if (flag) { vec *x = t; t = c; c = x; }",
        OUT,
    ),
    "an exchange by a pointer": (LAUNCHES + "*p = t->mem;", OUT, PARAMETERS + ", cl_mem *p"),
    "an exchange by characters": (LAUNCHES + "p[flag] = 3;", OUT, PARAMETERS + ", char *p"),
    "an exchange by unknown bytes": (
        LAUNCHES + "memcpy(p, a, sizeof *a);",
        OUT,
        PARAMETERS + ", void *p",
    ),
    "another object that may be the same": (LAUNCHES + "d->mem = a->mem;", OUT),
    "a whole object that may be the same": (LAUNCHES + "*d = *a;", OUT),
    "a pointer to a pointer": (LAUNCHES + "(*p)->mem = a->mem;", OUT, PARAMETERS + ", vec **p"),
    "out gets the handle": (LAUNCHES + "c->mem = t->mem;", OUT),
    "out gets the object": (LAUNCHES + "*c = *t;", OUT),
    "a return after out got the handle": (
        LAUNCHES + "if (flag) { c->mem = t->mem; return; }",
        OUT,
    ),
    "a handle copied to another object": (LAUNCHES + "d->mem = t->mem;", TEMP),
    "a handle copied to a variable": (
        LAUNCHES + "last = t->mem;",
        TEMP,
        PARAMETERS,
        "static cl_mem last;",
    ),
    "a handle copied into a table": (
        LAUNCHES + "table[flag] = t->mem;",
        OUT,
        PARAMETERS,
        "static cl_mem table[4];",
    ),
    "a handle copied into a table, temp": (
        LAUNCHES + "table[flag] = t->mem;",
        TEMP,
        PARAMETERS,
        "static cl_mem table[4];",
    ),
    "a pointer that is kept": (LAUNCHES + "last = t;", TEMP, PARAMETERS, "static vec *last;"),
    "an object given to unknown code": (
        LAUNCHES + "other(t);",
        TEMP,
        PARAMETERS,
        "void other(vec *);",
    ),
    "unknown code": (LAUNCHES + "other();", OUT, PARAMETERS, "void other(void);"),
    "a new object after the launches": (LAUNCHES + "vec_new(t, 4);", TEMP),
    "a new object under a condition": (
        "vec x = *t; if (flag) vec_new(&x, 4); vec_square(&x, a); vec_add(c, &x, a);",
        TEMP,
    ),
    "a new object for out under a condition": (
        "vec x = *c; if (flag) vec_new(&x, 4); vec_square(t, a); vec_add(&x, t, a);",
        OUT,
    ),
    "a handle of out that no launch gets": (
        "vec_square(t, a); vec_add(&c->v, t, a);",
        OUT,
        "vec *a, vec *t, two *c",
    ),
    "a handle of out behind a pointer": (
        "vec_square(t, a); vec_add(c->v, t, a);",
        OUT,
        "vec *a, vec *t, far *c",
    ),
    "a handle of out in an array": (
        "vec d = {c->all[0], 4}; vec_square(t, a); vec_add(&d, t, a);",
        OUT,
        "vec *a, vec *t, row *c",
    ),
    "a handle of out in a union": (
        "vec_square(t, a); vec_add(&c->v, t, a);",
        OUT,
        "vec *a, vec *t, either *c",
    ),
    "out leads anywhere": (
        "vec_square(t, a); vec_add(&c->v, t, a);",
        OUT,
        "vec *a, vec *t, user *c",
    ),
    "an object in a table": (
        "vec_square(&pool[t->id], a); vec_add(c, &pool[t->id], a);",
        OUT,
        "vec *a, number *t, vec *c",
        "static vec pool[4];",
    ),
    "the intermediate is what out names on another path": (
        "if (flag) {" + LAUNCHES + "} else { vec_square(c, a); vec_add(t, c, a); }",
        OUT,
    ),
}


@pytest.mark.parametrize("name", KEPT)
def test_what_may_be_observed_is_stored(name: str, tmp_path: Path) -> None:
    observation = observed(program(*KEPT[name]), tmp_path, header=TYPES)
    for path in observation.predicted.paths:
        names = {str(drop.memory) for drop in observation.drops(path)}
        assert not names & {"*t.mem", "*c.mem", "t", "c"}


def test_more_paths_than_one_can_follow_are_looked_at_together(tmp_path: Path) -> None:
    region = "for (int k = 0; k < flag; k++) {" + LAUNCHES + "}"
    observation = observed(program(region, OUT), tmp_path, header=TYPES)
    assert [str(drop.memory) for drop in drops(observation)] == ["*t.mem"]


def test_a_kernel_that_is_given_both_kinds_keeps_its_results(tmp_path: Path) -> None:
    region = "for (int k = 0; k < flag; k++) { vec_square(t, a); vec_square(c, t); }"
    observation = observed(program(region, OUT), tmp_path, header=TYPES)
    assert drops(observation) == ()


def test_every_prediction_of_a_region_is_asked_on_all_paths(tmp_path: Path) -> None:
    region = "vec_square(t, a); vec_add(c, t, a); if (flag) vec_scale(d, t, 2.0f);"
    observation = observed(program(region, "a, t, d, out(c)"), tmp_path)
    found = [{d.memory for d in observation.drops(p)} for p in observation.predicted.paths]
    assert all("*t.mem" in names and "*c.mem" not in names for names in found)


def test_what_is_made_and_released_is_scratch(tmp_path: Path) -> None:
    region = "vec u; vec_new(&u, 4); vec_square(&u, a); vec_add(c, &u, a); vec_free(&u);"
    observation = observed(program(region, "a, c"), tmp_path)
    assert [drop.why.name for drop in drops(observation)] == ["SCRATCH"]


# Calls that the execution does not follow, and before which the run time makes nothing.
UNFOLLOWED = {
    "a known function that calls others": (
        "qsort(list, 4, sizeof *list, order);",
        "#include <stdlib.h>\nstatic int list[4];\nstatic int order(const void *, const void *);",
    ),
    "a pointer to a given function": (
        "hook();",
        "static void nothing(void) {}\nstatic void (*hook)(void) = nothing;",
    ),
    "a function that calls itself": (
        "down(3);",
        "static int down(int n) { return n > 0 ? down(n - 1) : 0; }",
    ),
}


@pytest.mark.parametrize("name", UNFOLLOWED)
def test_objects_change_places_and_the_region_is_left_behind_a_call(
    name: str, tmp_path: Path
) -> None:
    call, file = UNFOLLOWED[name]
    region = f"{LAUNCHES} if (flag) {{ {EXCHANGE} {call} return; }}"
    observation = observed(program(region, OUT, PARAMETERS, file), tmp_path, header=TYPES)
    for path in observation.predicted.paths:
        assert not observation.drops(path)
