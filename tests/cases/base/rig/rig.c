#include "rig.h"

#include <stdio.h>
#include <stdlib.h>

static void check(cl_int status, const char *what)
{
    if (status != CL_SUCCESS) {
        fprintf(stderr, "%s: OpenCL status %d\n", what, (int)status);
        exit(3);
    }
}

static cl_device_id device(void)
{
    static cl_device_id found;
    cl_platform_id platform;

    if (found == NULL) {
        check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
        check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &found, NULL), "clGetDeviceIDs");
    }
    return found;
}

cl_context rig_new_context(void)
{
    cl_device_id id = device();
    cl_int status;
    cl_context context = clCreateContext(NULL, 1, &id, NULL, NULL, &status);

    check(status, "clCreateContext");
    return context;
}

cl_context rig_context(void)
{
    static cl_context context;

    if (context == NULL)
        context = rig_new_context();
    return context;
}

static cl_command_queue new_queue(cl_context context, cl_command_queue_properties properties)
{
    cl_int status;
    cl_command_queue queue = clCreateCommandQueue(context, device(), properties, &status);

    check(status, "clCreateCommandQueue");
    return queue;
}

cl_command_queue rig_new_queue(cl_context context)
{
    return new_queue(context, 0);
}

cl_command_queue rig_queue(void)
{
    static cl_command_queue queue;

    if (queue == NULL)
        queue = rig_new_queue(rig_context());
    return queue;
}

cl_command_queue rig_out_of_order(void)
{
    static cl_command_queue queue;

    if (queue == NULL)
        queue = new_queue(rig_context(), CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    return queue;
}

const char *rig_options(void)
{
    const char *options = getenv("OPTIONS");

    return options != NULL ? options : "";
}

cl_program rig_program_in(cl_context context, const char *options)
{
    static char text[1 << 16];
    const char *source = text;
    const char *path = getenv("KERNELS");
    FILE *file = path != NULL ? fopen(path, "r") : NULL;
    cl_int status;
    cl_program program;

    if (file == NULL) {
        perror("KERNELS");
        exit(3);
    }
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 0, NULL, options, NULL, NULL), "clBuildProgram");
    return program;
}

cl_program rig_program(const char *options)
{
    return rig_program_in(rig_context(), options);
}

void rig_fill(float *x, size_t n, int seed)
{
    size_t i;

    for (i = 0; i < n; i++)
        x[i] = 0.25f + (float)((i * 37 + (size_t)seed * 11) % 101) / 7.0f;
}

void rig_dump(const char *name, const void *data, size_t bytes)
{
    const unsigned char *byte = data;
    size_t i;

    printf("%s ", name);
    for (i = 0; i < bytes; i++)
        printf("%02x", byte[i]);
    printf("\n");
}

/* Functions of a file that kfusion is not given. */
void touch(void *v);
void touch(void *v)
{
    struct { cl_mem mem; unsigned n; } *w = v;
    w->n = 32;
}

unsigned rig_items = 64;
void rig_step(void);
void rig_step(void)
{
    rig_items = 32;
}
