"""The stand-in alone: results, counts, failures on demand, and misuse that it must notice."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.runtime.standin.library import (
    compile_program,
    functions_of_header,
    library_folder,
    run_program,
)

PROGRAM = r"""
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *source =
    "#define unused 1\n"
    "/* kernel void not_there(int a) */\n"
    "__kernel void add(global float *c, global const float *a, global const float *b, uint n)\n"
    "{\n"
    "    const size_t i = get_global_id(0);\n"
    "    if (i >= n)\n"
    "        return;\n"
    "    c[i] = a[i] + b[i];\n"
    "}\n"
    "kernel void blur(global float *to, global const float *from, int n)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    float sum = 0.0f;\n"
    "    for (int k = -1; k <= 1; k++)\n"
    "        sum += from[i + k < 0 ? 0 : i + k > n - 1 ? n - 1 : i + k];\n"
    "    if (i == 2) { sum = 0.1f; } else sum = sum / 3;\n"
    "    to[i] = sum;\n"
    "}\n";

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    setvbuf(stdout, NULL, _IONBF, 0);
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel add = clCreateKernel(program, "add", &status);
    clReleaseProgram(program);
    float host[4] = {0.1f, 0.2f, 0.3f, 4};
    cl_mem a = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof host, host, &status);
    cl_mem c = clCreateBuffer(context, 0, sizeof host, NULL, &status);
    cl_uint n = 3, references;
    size_t size = 4, local = 2;
    clSetKernelArg(add, 0, sizeof c, &c);
    clSetKernelArg(add, 1, sizeof a, &a);
    clSetKernelArg(add, 2, sizeof a, &a);
    clSetKernelArg(add, 3, sizeof n, &n);
    if (strcmp(what, "gone") == 0) {
        clReleaseMemObject(a);
        clRetainMemObject(a);
    } else if (strcmp(what, "again") == 0) {
        clReleaseMemObject(a);
        cl_mem other = clCreateBuffer(context, 0, sizeof host, NULL, &status);
        printf("%s\n", other == a ? "same address" : "other address");
    } else if (strcmp(what, "outside") == 0) {
        n = 9;
        size = 8;
        clSetKernelArg(add, 3, sizeof n, &n);
    }
    status = clEnqueueNDRangeKernel(queue, add, 1, NULL, &size, &local, 0, NULL, NULL);
    printf("launch %d\n", status);
    cl_kernel blur = clCreateKernel(clRetainProgram(program) == 0 ? program : NULL, "blur", NULL);
    int m = 4;
    clSetKernelArg(blur, 0, sizeof c, &a);
    clSetKernelArg(blur, 1, sizeof a, &c);
    clSetKernelArg(blur, 2, sizeof m, &m);
    status = clEnqueueReadBuffer(queue, c, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL);
    printf("%d: %a %a %a\n", status, host[0], host[1], host[2]);
    host[3] = 1;
    clEnqueueWriteBuffer(queue, c, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL);
    clEnqueueNDRangeKernel(queue, blur, 1, NULL, &size, NULL, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, a, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL);
    printf("%a %a %a %a\n", host[0], host[1], host[2], host[3]);
    clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT, sizeof references, &references, NULL);
    printf("references %u\n", references);
    clReleaseKernel(add);
    clReleaseKernel(blur);
    clReleaseProgram(program);
    if (strcmp(what, "leak") != 0)
        clReleaseMemObject(a);
    clReleaseMemObject(c);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_program(tmp_path_factory.mktemp("standin"), {"program.c": PROGRAM})


def test_every_function_of_the_header_is_there() -> None:
    command = ["nm", "-D", "--defined-only", str(library_folder() / "libOpenCL.so.1")]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    names = {line.split()[-1] for line in lines}
    assert names == functions_of_header() | {"standin_mark"}


def test_kernels_compute_as_opencl_does(program: Path) -> None:
    run = run_program(program)
    assert run.status == 0, run.errors
    # float32: 0.1+0.1, 0.2+0.2, 0.3+0.3; then thirds of the sums of neighbours.
    assert run.output.splitlines() == [
        "launch 0",
        "0: 0x1.99999ap-3 0x1.99999ap-2 0x1.333334p-1",
        "0x1.111112p-2 0x1.99999ap-2 0x1.99999ap-4 0x1.bbbbbap-1",
        "references 1",
    ]
    assert run.launches == ("add", "blur")
    assert run.log[-1] == "leaks: 0"


def test_the_log_has_a_line_for_each_call(program: Path) -> None:
    run = run_program(program)
    assert "clEnqueueNDRangeKernel q1 k1(add) 4 local 2 -> 0" in run.log
    assert "clSetKernelArg k1(add) 1 8 m1 -> 0" in run.log
    assert "clSetKernelArg k1(add) 3 4 03000000 -> 0" in run.log
    assert "clReleaseKernel k1(add) (gone) -> 0" in run.log
    assert "clReleaseProgram p1 -> 0" in run.log  # its kernels hold it


def test_a_call_fails_on_demand(program: Path) -> None:
    run = run_program(program, environment={"STANDIN_FAIL": "clEnqueueNDRangeKernel:1:-5"})
    assert run.output.splitlines()[0] == "launch -5"
    assert run.launches == ("blur",)
    assert run.log[-1] == "leaks: 0"


def test_limits_come_from_the_environment(program: Path) -> None:
    run = run_program(program, environment={"STANDIN_MAX_GROUP": "1"})
    assert run.output.splitlines()[0] == "launch -54"


def test_a_handle_that_is_gone_is_noticed(program: Path) -> None:
    run = run_program(program, ["gone"])
    assert run.status == -6
    assert "m1 is used after its last release" in run.errors


def test_an_address_that_came_back_is_noticed(program: Path) -> None:
    run = run_program(program, ["again"])
    assert (run.status, run.output) == (-6, "same address\n")
    assert "argument 1 of k1(add) was set to an object that is gone; m3 has its address" in (
        run.errors
    )


def test_an_index_outside_memory_is_noticed(program: Path) -> None:
    run = run_program(program, ["outside"])
    assert run.status == -6
    assert "kernel add reaches c[4] of 16 bytes" in run.errors


def test_leaks_are_listed(program: Path) -> None:
    run = run_program(program, ["leak"])
    assert [line for line in run.leaks if "m1" in line] == ["leak: m1, 1 references, 0 holds"]
    assert run.log[-1] == "leaks: 2"  # the buffer, and the context that it holds
