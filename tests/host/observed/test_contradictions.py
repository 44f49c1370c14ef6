"""Annotations against the code around them: errors, notes, and names that mean nothing there."""

from __future__ import annotations

from pathlib import Path

import pytest

from kfusion.source.diagnostics import KFusionError
from tests.host.observed.observing import observed

REGION = "{ vec_square(&t, &a); vec_add(&c, &t, &a); }"


def program(data: str, before: str = "", after: str = "", region: str = REGION) -> str:
    return f"""
int main(int argc, char **argv)
{{
    float data[64];
    vec a, t, c;
    vec_start(); vec_new(&a, 64); vec_new(&t, 64); vec_new(&c, 64);
    {before}
#pragma kfuse({data})
    {region}
    {after}
    return argc > 9 && argv != NULL;
}}
"""


OUT, TEMP = "a, t, out(c)", "a, c, temp(t)"
ROUNDS = "int k; for (k = 0; k < 3; k++)"
CARRIED = "{ vec_add(&c, &t, &a); vec_square(&t, &c); }"
ERRORS = {
    "out, read after": (program(OUT, after="vec_get(&t, data);"), "after the region"),
    "temp, read after": (program(TEMP, after="vec_get(&t, data);"), "after the region"),
    "temp, read by a launch": (program(TEMP, after="vec_scale(&c, &t, 2);"), "after the region"),
    "temp, read directly": (
        program(
            TEMP,
            after="clEnqueueReadBuffer(NULL, t.mem, CL_TRUE, 0, 4, data, 0, NULL, NULL);",
        ),
        "after the region",
    ),
    "temp, read in the next iteration": (
        program(TEMP, ROUNDS, region=CARRIED),
        "in the next iteration",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_a_certain_read_is_an_error(name: str, tmp_path: Path) -> None:
    text, when = ERRORS[name]
    with pytest.raises(KFusionError) as raised:
        observed(text, tmp_path)
    (found,) = raised.value.diagnostics
    assert found.code == "KF303"
    assert found.message == f"'t' is temporary here, but it is read {when}"
    assert found.related


NOTES = {
    "read if a number wraps around": program(TEMP, after="if (0u - 1 < 0) vec_get(&t, data);"),
    "read under a condition": program(TEMP, after="if (argc > 1) vec_get(&t, data);"),
    "read in a loop": program(OUT, after="while (argc--) vec_get(&t, data);"),
    "read behind a way out": program(TEMP, after="if (argc > 4) return 1; vec_get(&t, data);"),
}


@pytest.mark.parametrize("name", NOTES)
def test_a_possible_read_is_noted(name: str, tmp_path: Path) -> None:
    (note,) = observed(NOTES[name], tmp_path)[0].notes
    assert note.code == "KF403"
    assert note.message == "'t' is temporary here, and may be read after the region"


SILENT = {
    "released": program(TEMP, after="vec_free(&t);"),
    "overwritten first": program(TEMP, after="vec_scale(&t, &a, 2); vec_get(&t, data);"),
    "only the result is read": program(OUT, after="vec_get(&c, data);"),
    "what the region only reads": program(OUT, after="vec_get(&a, data);"),
    "the next iteration writes first": program(TEMP, ROUNDS),
}


@pytest.mark.parametrize("name", SILENT)
def test_what_is_not_read_is_not_noted(name: str, tmp_path: Path) -> None:
    assert observed(SILENT[name], tmp_path)[0].notes == []


def test_a_caller_that_reads_contradicts(tmp_path: Path) -> None:
    text = """
static void work(vec *a, vec *t, vec *c)
{
#pragma kfuse(a, c, temp(t))
    { vec_square(t, a); vec_add(c, t, a); }
}
void run(vec *a, vec *c, float *data)
{
    vec t;
    vec_new(&t, 64);
    work(a, &t, c);
    vec_get(&t, data);
}
"""
    with pytest.raises(KFusionError, match="it is read after work returns"):
        observed(text, tmp_path)


def test_a_name_that_the_region_does_not_use(tmp_path: Path) -> None:
    with pytest.raises(KFusionError, match="'q' is not used in this region"):
        observed(program("a, t, c, q"), tmp_path)


def test_a_name_that_the_region_uses_through_a_pointer(tmp_path: Path) -> None:
    region = REGION.replace("&c", "p").replace("}", "c.flag = 3; }")
    assert observed(program(OUT, "vec *p = &c;", region=region), tmp_path)[0].notes == []


def test_a_name_of_which_no_launch_gets_anything(tmp_path: Path) -> None:
    region = REGION.replace("}", "b.flag = 3; }")
    with pytest.raises(KFusionError, match=r"no call of this region gives 'b' to a kernel"):
        observed(program("a, t, out(b)", "vec b;", region=region), tmp_path)
