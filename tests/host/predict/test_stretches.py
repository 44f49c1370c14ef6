"""Which launches of a region are likely to be noted together, and why others are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from kfusion.host.predict import Prediction
from tests.host.predict.predicted_programs import KERNELS, PRELUDE
from tests.host.predict.test_predict import predicted

LAUNCHES = "square(b, a); {} add(c, a, b);"
TWO_LIBRARIES = """
static cl_program other;
static cl_kernel other_add;
static inline void start_other(void) { other_add = clCreateKernel(other, "add", NULL); }
static inline cl_int add_by_other(cl_mem z, cl_mem x, cl_mem y)
{
    clSetKernelArg(other_add, 0, sizeof z, &z);
    clSetKernelArg(other_add, 1, sizeof x, &x);
    clSetKernelArg(other_add, 2, sizeof y, &y);
    clSetKernelArg(other_add, 3, sizeof n, &n);
    return go(other_add, n);
}
"""


def prediction(region: str, folder: Path, more: str = "") -> Prediction:
    """The default path of a region in a program that makes its kernels and has some data."""
    main = f"""
    cl_command_queue second;
    int main(int argc, char **argv) {{
        static cl_float data[8];
        cl_event event;
        (void)argv;
        start();
        {"start_other();" if more else ""}
    #pragma kfuse(a, b, c)
        {{ {region} }}
        return data[0] > argc && event != NULL;
    }}"""
    found = predicted({"kernels.cl": KERNELS, "app.c": PRELUDE + more + main}, folder)
    return found.likely[0]


def names(path: Prediction) -> list[str]:
    return [" ".join(x.invocation.kernel.name for x in row) for row in path.stretches]


@pytest.mark.parametrize(
    ("between", "stretches"),
    [
        ("", ["square add"]),
        ("clFinish(queue);", ["square add"]),
        ("clReleaseMemObject(d);", ["square add"]),
        (
            "clEnqueueWriteBuffer(queue, d, CL_TRUE, 0, 32, data, 0, NULL, NULL);",
            ["square add"],
        ),
        (
            "clEnqueueWriteBuffer(queue, b, CL_TRUE, 0, 32, data, 0, NULL, NULL);",
            ["square", "add"],
        ),
        (
            "clEnqueueReadBuffer(queue, d, CL_TRUE, 0, 32, data, 0, NULL, NULL);",
            ["square", "add"],
        ),
        ("clWaitForEvents(1, &event);", ["square", "add"]),
        ("exit(argc);", ["square"]),
        (
            "if (argc > 3) clEnqueueReadBuffer(queue, d, CL_TRUE, 0, 32, data, 0, NULL, NULL);",
            ["square add"],
        ),
    ],
    ids=[
        "nothing",
        "a finish",
        "a release",
        "a write to other memory",
        "a write to memory of a launch",
        "a read",
        "a wait",
        "the end",
        "a read under a condition",
    ],
)
def test_what_settles_parts_launches(between: str, stretches: list[str], tmp_path: Path) -> None:
    assert names(prediction(LAUNCHES.format(between), tmp_path)) == stretches


def test_a_launch_with_an_event_is_alone(tmp_path: Path) -> None:
    launch = (
        "{ size_t items = n; "
        "clEnqueueNDRangeKernel(queue, add_kernel, 1, NULL, &items, NULL, 0, NULL, &event); }"
    )
    path = prediction(f"square(b, a); add(c, a, b); {launch} square(d, c);", tmp_path)

    assert names(path) == ["square add", "add", "square"]
    reasons = [row[0].apart for row in path.stretches[1:]]
    assert [reason.code for reason in reasons if reason is not None] == ["KF215", "KF215"]


def test_launches_on_queues_of_two_names_may_be_noted_together_or_not(tmp_path: Path) -> None:
    launch = (
        "{ size_t items = n; "
        "clEnqueueNDRangeKernel(second, add_kernel, 1, NULL, &items, NULL, 0, NULL, NULL); }"
    )
    path = prediction(f"square(b, a); add(c, a, b); {launch}", tmp_path)

    assert names(path) == ["square add add", "square add", "add"]


def test_kernels_made_from_two_programs_are_kept_apart(tmp_path: Path) -> None:
    path = prediction("square(b, a); add(c, a, b); add_by_other(d, c, b);", tmp_path, TWO_LIBRARIES)

    apart = path.of_several_programs()
    assert set(apart) == {(0, 2), (1, 2)}
    assert {reason.code for reason in apart.values()} == {"KF208"}
    alike = {launch.invocation.kernel.unit for launch in path.launches}
    assert not path.of_several_programs(alike)


def test_an_argument_from_before_the_region_counts_in_a_program_that_is_given_as_a_whole(
    tmp_path: Path,
) -> None:
    launch = "go(scale_kernel, n); square(b, a); add(c, a, b);"
    whole = prediction(launch, tmp_path)
    assert names(whole) == ["scale square add"]

    part = prediction("unknown(); " + launch, tmp_path, "void unknown(void);\n" + TWO_LIBRARIES)
    assert names(part) == ["scale", "square add"]
    assert part.stretches[1][0].apart is not None
    assert part.stretches[1][0].apart.code == "KF243"


@pytest.mark.parametrize(
    ("leaving", "likely"),
    [("return 0;", True), ("return CL_SUCCESS;", True), ("return -1;", False)],
)
def test_a_function_that_has_nothing_to_do_has_not_failed(
    leaving: str, likely: bool, tmp_path: Path
) -> None:
    more = TWO_LIBRARIES + (
        "static int more(cl_mem y, cl_mem x) "
        f'{{ if (getenv("LESS") != NULL) {{ {leaving} }} return square(y, x); }}'
    )
    files = {
        "kernels.cl": KERNELS,
        "app.c": PRELUDE
        + more
        + """
        int main(void) {
            start();
            start_other();
        #pragma kfuse(a, b, c)
            { square(b, a); add(c, a, b); more(d, c); }
            return 0;
        }""",
    }
    found = predicted(files, tmp_path)
    rows = {names(path)[0] for path in found.likely}

    assert rows == {"square add square", *(["square add"] if likely else [])}
