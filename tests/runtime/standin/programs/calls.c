/* Makes one launch inside a region, then one call of OpenCL (cases.h, named on the command line),
   then ends the region and shows what is in memory. */
#include "opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 16 };

static const char *source =
    "kernel void first(global float *t, global const float *a, uint n)\n"
    "{ size_t i = get_global_id(0); if (i < n) t[i] = 2.0f * a[i] + 1.0f; }\n"
    "kernel void second(global float *c, global const float *t, global const float *b, uint n)\n"
    "{ size_t i = get_global_id(0); if (i < n) c[i] = t[i] * b[i]; }\n"
    "kernel void first_second(global float *t, global const float *a, global float *c,\n"
    "                         global const float *b, uint n)\n"
    "{ size_t i = get_global_id(0);\n"
    "  if (i < n) { float x = 2.0f * a[i] + 1.0f; t[i] = x; c[i] = x * b[i]; } }\n"
    "kernel void other(global float *u)\n"
    "{ size_t i = get_global_id(0); u[i] = u[i] + 1.0f; }\n";
static const char *single_source = "kernel void lonely(global float *u) { u[0] = 1.0f; }\n";

static cl_platform_id platform;
static cl_device_id device, half, other_half, extra_half, new_devices[2];
static cl_context context, new_context;
static cl_command_queue queue, behind, unordered, new_queue;
static cl_mem a, b, c, t, u, v, sub_t, image, image_t, pipe_of_4, new_mem;
static cl_mem over_host, part_of_host;
static cl_sampler sampler, new_sampler;
static cl_program program, single, il_program, new_program;
static cl_kernel first, second, other, new_kernel;
static cl_event event, user_event, new_event;
static void *shared, *mapped_v;
static void *shared_list[1];
static size_t source_size, pitch;
static const unsigned char *source_bytes;
static cl_int status;
static cl_uint count;
static cl_ulong time_stamp;
static float host[ITEMS], seen_memory[ITEMS];
static unsigned char room[4096];
static const cl_uint four = 4, n = ITEMS;
static const size_t items = ITEMS, fewer_items = ITEMS / 2, too_many_items = 4096;
static const size_t three_items = 3, four_items = 4;
static const size_t origin[3], row_of_16[3] = {16, 1, 1}, texel[3] = {1, 1, 1};
static const cl_buffer_region part = {0, 32};
static const cl_image_format format = {CL_RGBA, CL_FLOAT};
static const cl_image_desc shape = {
    .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
static const cl_device_partition_property halves[3] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};

static void CL_CALLBACK mem_gone(cl_mem mem, void *data) { (void)mem; (void)data; }
static void CL_CALLBACK program_gone(cl_program gone, void *data) { (void)gone; (void)data; }
static void CL_CALLBACK context_gone(cl_context gone, void *data) { (void)gone; (void)data; }
static void CL_CALLBACK event_done(cl_event done, cl_int state, void *data)
{
    (void)done;
    (void)state;
    (void)data;
}
static void CL_CALLBACK native(void *data) { (void)data; }
static void CL_CALLBACK keep_shared(cl_command_queue q, cl_uint number, void *list[], void *data)
{
    (void)q;
    (void)number;
    (void)list;
    (void)data;
}

static void set_first(void)
{
    status |= clSetKernelArg(first, 0, sizeof t, &t);
    status |= clSetKernelArg(first, 1, sizeof a, &a);
    status |= clSetKernelArg(first, 2, sizeof n, &n);
}

static void set_second(void)
{
    clSetKernelArg(second, 0, sizeof c, &c);
    clSetKernelArg(second, 1, sizeof t, &t);
    clSetKernelArg(second, 2, sizeof b, &b);
    clSetKernelArg(second, 3, sizeof n, &n);
}

static void set_other(void)
{
    clSetKernelArg(other, 0, sizeof u, &u);
}

typedef struct test_case {
    const char *name;
    void (*before)(void), (*run)(void);
} test_case;

#include "cases.h"

static cl_mem new_buffer(float step)
{
    for (int i = 0; i < ITEMS; i++)
        host[i] = step * (float)i;
    return clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof host, host, NULL);
}

static void prepare_memory(void)
{
    a = new_buffer(1);
    b = new_buffer(2);
    c = new_buffer(3);
    t = new_buffer(4);
    u = new_buffer(5);
    v = new_buffer(6);
    sub_t = clCreateSubBuffer(t, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, NULL);
    image = clCreateImage(context, 0, &format, &shape, NULL, NULL);
    const cl_image_desc over = {
        .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 4, .mem_object = t};
    image_t = clCreateImage(context, 0, &format, &over, NULL, NULL);
    pipe_of_4 = clCreatePipe(context, 0, 4, 4, NULL, NULL);
    over_host = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof seen_memory, seen_memory, NULL);
    const cl_buffer_region whole = {0, sizeof seen_memory};
    part_of_host =
        clCreateSubBuffer(over_host, 0, CL_BUFFER_CREATE_TYPE_REGION, &whole, NULL);
    shared = shared_list[0] = clSVMAlloc(context, 0, 64, 0);
    mapped_v = clEnqueueMapBuffer(queue, v, CL_TRUE, CL_MAP_READ, 0, 16, 0, NULL, NULL, NULL);
    for (int i = 0; i < ITEMS; i++)
        host[i] = 100 + (float)i;
}

static void prepare(void)
{
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_device_id devices[2];
    clCreateSubDevices(device, halves, 2, devices, NULL);
    half = devices[0];
    other_half = devices[1];
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, NULL);
    behind = clCreateCommandQueue(context, device, 0, NULL);
    unordered = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, NULL);
    source_size = strlen(source);
    source_bytes = (const unsigned char *)source;
    program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    single = clCreateProgramWithSource(context, 1, &single_source, NULL, NULL);
    il_program = clCreateProgramWithIL(context, source, source_size, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    clBuildProgram(single, 1, &device, "", NULL, NULL);
    first = clCreateKernel(program, "first", NULL);
    second = clCreateKernel(program, "second", NULL);
    other = clCreateKernel(program, "other", NULL);
    sampler = clCreateSampler(context, 0, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, NULL);
    clEnqueueMarkerWithWaitList(queue, 0, NULL, &event);
    user_event = clCreateUserEvent(context, NULL);
    prepare_memory();
}

static void in_region(const void *data)
{
    const test_case *chosen = data;
    set_first();
    status |= clEnqueueNDRangeKernel(queue, first, 1, NULL, &items, NULL, 0, NULL, NULL);
    printf("first %d\n", status);
    standin_mark("call");
    chosen->run();
    standin_mark("called");
    printf("call %d\n", status);
}

#ifdef APART
void call_in_region(void (*function)(const void *), const void *data);
#else
#include "region.c"
#endif

static void show(const char *name, cl_mem mem)
{
    printf("%s", name);
    if (mem != NULL && clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof host, host, 0, NULL,
                                           NULL) == CL_SUCCESS)
        for (int i = 0; i < ITEMS; i++)
            printf(" %g", host[i]);
    printf("\n");
}

#define LET_GO(release, handle)                                                                    \
    if ((handle) != NULL)                                                                          \
    release(handle)

static void clean_up(void)
{
    cl_mem memory[] = {a, b, c, t, u, v, sub_t, image, image_t, pipe_of_4,
                       new_mem, over_host, part_of_host};
    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++)
        LET_GO(clReleaseMemObject, memory[i]);
    cl_kernel kernels[] = {first, second, other, new_kernel};
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        LET_GO(clReleaseKernel, kernels[i]);
    cl_program programs[] = {program, single, il_program, new_program};
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
        LET_GO(clReleaseProgram, programs[i]);
    cl_event events[] = {event, user_event, new_event};
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++)
        LET_GO(clReleaseEvent, events[i]);
    cl_command_queue queues[] = {queue, behind, unordered, new_queue};
    for (size_t i = 0; i < sizeof queues / sizeof queues[0]; i++)
        LET_GO(clReleaseCommandQueue, queues[i]);
    LET_GO(clReleaseSampler, sampler);
    LET_GO(clReleaseSampler, new_sampler);
    if (shared != NULL)
        clSVMFree(context, shared);
    cl_device_id devices[] = {half, other_half, extra_half, new_devices[0], new_devices[1]};
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++)
        LET_GO(clReleaseDevice, devices[i]);
    LET_GO(clReleaseContext, context);
    LET_GO(clReleaseContext, new_context);
}

int main(int argc, char **argv)
{
    const test_case *chosen = NULL;
    for (size_t i = 0; argc > 1 && i < sizeof test_cases / sizeof test_cases[0]; i++)
        if (strcmp(argv[1], test_cases[i].name) == 0)
            chosen = &test_cases[i];
    if (chosen == NULL)
        return 2;
    prepare();
    chosen->before();
    standin_mark("region");
    call_in_region(in_region, chosen);
    standin_mark("end");
    show("a", a);
    show("b", b);
    show("c", c);
    show("t", t);
    show("u", u);
    for (int i = 0; i < ITEMS; i++)
        printf("%g%s", seen_memory[i], i + 1 < ITEMS ? " " : "\n");
    clean_up();
    return 0;
}
