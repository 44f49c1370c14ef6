"""KFUSION=check tells of reads of what fused kernels have not stored."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kfusion.runtime import HEADER_NAME
from tests.runtime.builds import PROGRAMS, header
from tests.runtime.standin.library import library_folder, run_program

N = "0, NULL, NULL"
REGION = "{ KFUSION_REGION(named); pair(T, X, C, B); }"
READ = f"clEnqueueReadBuffer(queue, T, CL_TRUE, 0, sizeof out, out, {N});"
SQUARE = "call_square(T, X, N);"
SET_COPY = (
    "clSetKernelArg(copy, 0, sizeof U, &U); clSetKernelArg(copy, 1, sizeof T, &T); "
    "clSetKernelArg(copy, 2, sizeof n, &n);"
)
COPY = f"{SET_COPY} enqueue(copy);"
PART = "part = clCreateSubBuffer(T, 0, CL_BUFFER_CREATE_TYPE_REGION, &half, NULL);"

# What follows the region, and what is told.
TOLD = {
    "read": (READ, "clEnqueueReadBuffer"),
    "read twice": (READ + READ, "clEnqueueReadBuffer"),
    "read in a region": (f"{{ KFUSION_REGION(whole); {READ} }}", "clEnqueueReadBuffer"),
    "copied": (
        f"clEnqueueCopyBuffer(queue, T, U, 0, 0, sizeof out, {N});",
        "clEnqueueCopyBuffer",
    ),
    "mapped": (
        (
            f"mapped = clEnqueueMapBuffer(queue, T, CL_TRUE, CL_MAP_READ, 0, 4, {N}, NULL);"
            f"clEnqueueUnmapMemObject(queue, T, mapped, {N});"
        ),
        "clEnqueueMapBuffer",
    ),
    "an argument of a kernel in a pattern": (
        "set_add(U, T, B, N); enqueue(add);",
        "a launch of add",
    ),
    "an argument of a kernel in no pattern": (COPY, "a launch of copy"),
    "an argument of a launch in a region": (
        "{ KFUSION_REGION(whole); set_add(U, T, B, N); enqueue(add); }",
        "a launch of add",
    ),
    "a part is read": (
        (
            f"{PART} clEnqueueReadBuffer(queue, part, CL_TRUE, 0, half.size, out, {N});"
            "clReleaseMemObject(part);"
        ),
        "clEnqueueReadBuffer",
    ),
    "half is written": (
        f"clEnqueueWriteBuffer(queue, T, CL_TRUE, 0, sizeof out / 2, out, {N}); {READ}",
        "clEnqueueReadBuffer",
    ),
    "read after another read of another object": (
        f"clEnqueueReadBuffer(queue, C, CL_TRUE, 0, sizeof out, out, {N}); {READ}",
        "clEnqueueReadBuffer",
    ),
}
QUIET = {
    "nothing": "",
    "another object": f"clEnqueueReadBuffer(queue, C, CL_TRUE, 0, sizeof out, out, {N});",
    "written": f"clEnqueueWriteBuffer(queue, T, CL_TRUE, 0, sizeof out, out, {N}); {READ}",
    "filled": f"clEnqueueFillBuffer(queue, T, out, 4, 0, sizeof out, {N}); {READ}",
    "copied to": f"clEnqueueCopyBuffer(queue, U, T, 0, 0, sizeof out, {N}); {READ}",
    "stored by a launch": SQUARE + READ,
    "stored by a launch in a region": f"{{ KFUSION_REGION(whole); {SQUARE} }} {READ}",
    "stored by the same pattern in another region": (
        f"{{ KFUSION_REGION(whole); pair(T, X, C, B); }} {READ}"
    ),
    "mapped to be written anew": (
        "mapped = clEnqueueMapBuffer(queue, T, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, "
        f"sizeof out, {N}, NULL); clEnqueueUnmapMemObject(queue, T, mapped, {N}); {READ}"
    ),
    "released, and another one made": f"clReleaseMemObject(T); T = memory(0, host_x); {READ}",
}


def c_text(cases: dict[str, str]) -> str:
    bodies = [
        f'    if (strcmp(argv[1], "{name}") == 0) {{ {REGION} {code} }}\n'
        for name, code in cases.items()
    ]
    return (
        "#define main main_of_scenarios\n"
        f'#include "{PROGRAMS / "host.c"}"\n'
        "#undef main\n"
        "int main(int argc, char **argv)\n"
        "{\n"
        "    const cl_buffer_region half = {0, N * sizeof(float) / 2};\n"
        "    float out[N] = {0};\n"
        "    void *mapped = NULL;\n"
        "    cl_mem part = NULL;\n"
        "    const cl_uint n = N;\n"
        "    (void)argc, (void)half, (void)mapped, (void)part;\n"
        "    set_up(1);\n"
        f"{''.join(bodies)}"
        "    tear_down();\n"
        "    return 0;\n"
        "}\n"
    )


@pytest.fixture(scope="module", params=[False, True], ids=["open", "closed"])
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reads")
    (folder / HEADER_NAME).write_text(header(closed=request.param), encoding="utf-8")
    cases = {name: code for name, (code, _) in TOLD.items()} | QUIET
    (folder / "reads.c").write_text(c_text(cases), encoding="utf-8")
    command = ["gcc", f"-I{folder}", f"-I{PROGRAMS}", "-w", str(folder / "reads.c")]
    command += ["-o", str(folder / "reads"), f"-L{library_folder()}", "-lOpenCL"]
    subprocess.run(command, check=True)
    return folder / "reads"


def told(program: Path, name: str, mode: str = "check") -> list[str]:
    run = run_program(program, [name], {"KFUSION": mode})
    assert run.status == 0, run.errors
    assert run.leaks == ()
    return [line for line in run.errors.splitlines() if "READ" in line or "DIFFERENT" in line]


@pytest.mark.parametrize("name", TOLD)
def test_a_read_is_told_once(name: str, program: Path) -> None:
    what = "argument 0 of square, which was not stored"
    assert told(program, name) == [
        f"kfusion: host.c:3 (named): check of named: READ: {TOLD[name][1]} reads {what}"
    ]


@pytest.mark.parametrize("name", QUIET)
def test_what_is_stored_again_may_be_read(name: str, program: Path) -> None:
    assert told(program, name) == []


def test_nothing_is_told_where_nothing_is_checked(program: Path) -> None:
    assert told(program, "read", mode="trace") == []
