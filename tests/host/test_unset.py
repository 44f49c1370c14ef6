"""Arguments that no call sets, where all files are given: a plan would promise too much."""

from __future__ import annotations

from pathlib import Path

from tests.support.called import kfusion

PROGRAM = """\
#include <CL/cl.h>
#include <stdarg.h>
#include <string.h>
static const char *text =
    "kernel void square(global float *y, global const float *x)"
    "{ size_t i = get_global_id(0); y[i] = x[i] * x[i]; }";
static cl_command_queue queue;
static void launch(cl_kernel kernel, const char *kinds, ...)
{
    size_t items = 64;
    va_list list;
    va_start(list, kinds);
    for (cl_uint next = 0; next < strlen(kinds); next++) {
        cl_mem mem = va_arg(list, cl_mem);
        clSetKernelArg(kernel, next, sizeof mem, &mem);
    }
    va_end(list);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}
int main(void)
{
    cl_device_id device;
    clGetDeviceIDs(NULL, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    clBuildProgram(program, 1, &device, NULL, NULL, NULL);
    cl_kernel square = clCreateKernel(program, "square", NULL);
    cl_mem x = clCreateBuffer(context, CL_MEM_READ_WRITE, 256, NULL, NULL);
    cl_mem y = clCreateBuffer(context, CL_MEM_READ_WRITE, 256, NULL, NULL);
#pragma kfuse(x, y)
    {
        LAUNCHES
    }
    return 0;
}
"""


def told(launches: str, folder: Path) -> list[str]:
    (folder / "app.c").write_text(PROGRAM.replace("LAUNCHES", launches))
    done = kfusion(["app.c", "-o", "out"], folder)
    assert done.returncode == 0
    return [line for line in done.stderr.splitlines() if "KF243" in line]


def test_arguments_from_a_list_that_is_not_followed(tmp_path: Path) -> None:
    found = told('launch(square, "mm", y, x); launch(square, "mm", x, y);', tmp_path)
    text = "no call that kfusion can follow sets 'x' of square"
    assert found == [f"app.c:33:9: warning[KF243]: {text}"]


def test_an_argument_that_is_forgotten(tmp_path: Path) -> None:
    once = (
        "size_t n = 64; clSetKernelArg(square, 0, sizeof x, &x);"
        "clEnqueueNDRangeKernel(queue, square, 1, NULL, &n, NULL, 0, NULL, NULL);"
    )
    (line,) = told(once + once.replace("size_t n = 64;", ""), tmp_path)
    assert line.endswith("warning[KF243]: no call that kfusion can follow sets 'x' of square")


def test_arguments_that_are_set_in_front_of_the_region(tmp_path: Path) -> None:
    program = PROGRAM.replace(
        "#pragma kfuse", "clSetKernelArg(square, 1, sizeof x, &x);\n#pragma kfuse"
    )
    once = (
        "size_t n = 64; clSetKernelArg(square, 0, sizeof y, &y);"
        "clEnqueueNDRangeKernel(queue, square, 1, NULL, &n, NULL, 0, NULL, NULL);"
    )
    (tmp_path / "app.c").write_text(program.replace("LAUNCHES", once))
    assert "KF243" not in kfusion(["app.c", "-o", "out"], tmp_path).stderr
