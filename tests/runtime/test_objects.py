"""What the run time asks of memory objects and images, asked of those of Oclgrind.

PoCL makes no images over parts of buffers.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from casestudies.measure import build, run_counted
from kfusion.device.oclgrind import has_oclgrind
from kfusion.runtime import HEADER_NAME, runtime_text

PROGRAM = r"""
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>
#include "kfusion_fused.h"

static cl_context context;

static cl_mem buffer_of(size_t bytes)
{
    return clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, NULL);
}

static cl_mem part_of(cl_mem buffer, size_t from, size_t size)
{
    const cl_buffer_region region = {from, size};

    return clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, NULL);
}

static cl_mem image_of(cl_mem_object_type type, size_t width, size_t height, cl_mem buffer,
                       cl_channel_order order, cl_channel_type channels, void *host)
{
    const cl_image_format format = {order, channels};
    const cl_mem_flags over = host != NULL ? CL_MEM_USE_HOST_PTR : 0;
    cl_image_desc shape;

    memset(&shape, 0, sizeof shape);
    shape.image_type = type;
    shape.image_width = width;
    shape.image_height = height;
    shape.buffer = buffer;
    return clCreateImage(context, CL_MEM_READ_WRITE | over, &format, &shape, host, NULL);
}

static cl_mem view_of(cl_mem buffer, size_t width)
{
    return image_of(CL_MEM_OBJECT_IMAGE1D_BUFFER, width, 0, buffer, CL_R, CL_FLOAT, NULL);
}

static cl_mem picture(cl_channel_order order, cl_channel_type channels, void *host)
{
    return image_of(CL_MEM_OBJECT_IMAGE2D, 8, 4, NULL, order, channels, host);
}

static void tell(const char *what, cl_mem a, cl_mem b)
{
    printf("%s: %s\n", what, kfusion_apart(a, b) ? "apart" : "not apart");
}

int main(void)
{
    static float memory[2][128];
    cl_platform_id platform;
    cl_device_id device;

    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);

    cl_mem whole = buffer_of(4096), other = buffer_of(4096);
    cl_mem first = part_of(whole, 0, 2048), second = part_of(whole, 2048, 2048);
    cl_mem floats = picture(CL_RGBA, CL_FLOAT, NULL);

    tell("two buffers", whole, other);
    tell("two parts of a buffer", first, second);
    tell("a part and the buffer", first, whole);
    tell("an image over a buffer", view_of(whole, 64), whole);
    tell("an image over another buffer", view_of(other, 64), whole);
    tell("an image over a part, and the buffer", view_of(first, 64), whole);
    tell("an image over a part, and the part", view_of(second, 64), second);
    tell("an image over a part, and the other part", view_of(second, 64), first);
    tell("two images over a buffer", view_of(whole, 64), view_of(whole, 64));
    tell("two images", floats, picture(CL_RGBA, CL_FLOAT, NULL));
    tell("an image and itself", floats, floats);
    tell("two images over host memory", picture(CL_RGBA, CL_FLOAT, memory[0]),
         picture(CL_RGBA, CL_FLOAT, memory[0]));
    tell("two images over other host memory", picture(CL_RGBA, CL_FLOAT, memory[0]),
         picture(CL_RGBA, CL_FLOAT, memory[1]));

    printf("keeps: %d %d %d %d %d %d %d\n", kfusion_keeps_floats(floats),
           kfusion_keeps_ints(picture(CL_RGBA, CL_SIGNED_INT32, NULL)),
           kfusion_keeps_ints(floats),
           kfusion_keeps_floats(picture(CL_RGBA, CL_UNORM_INT8, NULL)),
           kfusion_keeps_floats(picture(CL_R, CL_FLOAT, NULL)), kfusion_keeps_uints(NULL),
           kfusion_keeps_floats(whole));
    printf("size: %d %d\n", (int)kfusion_width(floats), (int)kfusion_height(floats));
    return 0;
}
"""


@pytest.mark.skipif(not has_oclgrind(), reason="no oclgrind here")
def test_what_memory_objects_share_and_what_images_keep(tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text(PROGRAM)
    (tmp_path / HEADER_NAME).write_text(runtime_text("tested", ""), encoding="utf-8")
    flags = ("-O1", "-Wall", "-Wextra", "-Werror")
    program = build([tmp_path / "main.c"], tmp_path / "main", flags=flags)
    done = run_counted([program], simulated=True)
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "two buffers: apart",
        "two parts of a buffer: apart",
        "a part and the buffer: not apart",
        "an image over a buffer: not apart",
        "an image over another buffer: apart",
        "an image over a part, and the buffer: not apart",
        "an image over a part, and the part: not apart",
        "an image over a part, and the other part: apart",
        "two images over a buffer: not apart",
        "two images: apart",
        "an image and itself: not apart",
        "two images over host memory: not apart",
        "two images over other host memory: not apart",
        "keeps: 1 1 0 0 0 0 0",
        "size: 8 4",
    ]
