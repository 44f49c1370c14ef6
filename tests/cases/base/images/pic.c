#include "rig.h"
#include "lib.h"

#include <stdlib.h>
#include <string.h>

cl_mem image_of(unsigned w, unsigned h, cl_channel_type type)
{
    cl_image_format format;
    cl_image_desc shape;

    format.image_channel_order = CL_RGBA;
    format.image_channel_data_type = type;
    memset(&shape, 0, sizeof shape);
    shape.image_type = CL_MEM_OBJECT_IMAGE2D;
    shape.image_width = w;
    shape.image_height = h;
    return clCreateImage(rig_context(), CL_MEM_READ_WRITE, &format, &shape, NULL, NULL);
}

void pic_new(pic *p, unsigned w, unsigned h, int seed)
{
    const size_t origin[3] = {0, 0, 0}, region[3] = {w, h, 1};
    float *data = malloc(16 * w * h);

    rig_fill(data, 4 * w * h, seed);
    p->w = w;
    p->h = h;
    p->mem = image_of(w, h, CL_FLOAT);
    clEnqueueWriteImage(rig_queue(), p->mem, CL_TRUE, origin, region, 0, 0, data, 0, NULL, NULL);
    free(data);
}

void pic_show(const char *name, const pic *p)
{
    const size_t origin[3] = {0, 0, 0}, region[3] = {p->w, p->h, 1};
    size_t texel;
    void *data;

    clGetImageInfo(p->mem, CL_IMAGE_ELEMENT_SIZE, sizeof texel, &texel, NULL);
    data = malloc(texel * p->w * p->h);
    clEnqueueReadImage(rig_queue(), p->mem, CL_TRUE, origin, region, 0, 0, data, 0, NULL, NULL);
    rig_dump(name, data, texel * p->w * p->h);
    free(data);
}

void pic_free(pic *p)
{
    clReleaseMemObject(p->mem);
}
