#include "rig.h"
#include "lib.h"

#include <string.h>

#define W 37
#define H 11

static float memory[4 * W * H];

static cl_mem image_over(float *data, size_t w, size_t h)
{
    const cl_image_format format = {CL_RGBA, CL_FLOAT};
    cl_image_desc shape;

    memset(&shape, 0, sizeof shape);
    shape.image_type = CL_MEM_OBJECT_IMAGE2D;
    shape.image_width = w;
    shape.image_height = h;
    return clCreateImage(rig_context(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, &format, &shape,
                         data, NULL);
}

int main(int argc, char *argv[])
{
    pic a, b, t, c;

    (void)argv;
    pic_start();
    pic_new(&a, W, H, 1);
    pic_new(&b, W, H, 2);
    pic_new(&t, W, H, 3);
    pic_new(&c, W, H, 4);
    if (argc > 1) {
        pic_free(&t);
        pic_free(&c);
        t.mem = image_over(memory, W, H);
        c.mem = image_over(memory, W, H);
    }

#pragma kfuse(a, b, t, c)
    {
        pic_invert(&t, &a);
        pic_half(&c, &b);
    }

    pic_show("t", &t);
    pic_show("c", &c);
    pic_free(&a);
    pic_free(&b);
    pic_free(&t);
    pic_free(&c);
    pic_stop();
    return 0;
}
