/* Scenarios: each prints what the program can see. With -DPLAIN the program is as written. */
#define _POSIX_C_SOURCE 199309L /* nanosleep */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "kernels.h"
#ifdef PLAIN
#define KFUSION_REGION(name) struct kfusion_no_region
#else
#include "kfusion_fused.h"
#endif

enum { N = 64 };
static cl_device_id device;
static cl_context context;
static cl_command_queue queue, other_queue;
static cl_program program;
static cl_kernel square, add, copy, advance;
static cl_mem X, B, T, C, U;
static float host_x[N], host_b[N];
static const size_t items = N;

static void check(cl_int status, int line)
{
    if (status != CL_SUCCESS)
        printf("line %d: status %d\n", line, (int)status);
}
#define TRY(call) check(call, __LINE__)

static cl_mem memory(cl_mem_flags flags, const float *from)
{
    cl_int status;
    cl_mem mem = clCreateBuffer(context, flags | (from != NULL ? CL_MEM_COPY_HOST_PTR : 0),
                                N * sizeof(float), (void *)from, &status);
    TRY(status);
    return mem;
}

static void enqueue(cl_kernel kernel)
{
    TRY(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
}

static void set_square(cl_mem t, cl_mem x, cl_uint n)
{
    TRY(clSetKernelArg(square, 0, sizeof t, &t));
    TRY(clSetKernelArg(square, 1, sizeof x, &x));
    TRY(clSetKernelArg(square, 2, sizeof n, &n));
}

static void set_add(cl_mem c, cl_mem t, cl_mem b, cl_uint n)
{
    TRY(clSetKernelArg(add, 0, sizeof c, &c));
    TRY(clSetKernelArg(add, 1, sizeof t, &t));
    TRY(clSetKernelArg(add, 2, sizeof b, &b));
    TRY(clSetKernelArg(add, 3, sizeof n, &n));
}

static void call_square(cl_mem t, cl_mem x, cl_uint n) { set_square(t, x, n); enqueue(square); }
static void call_add(cl_mem c, cl_mem t, cl_mem b, cl_uint n) { set_add(c, t, b, n); enqueue(add); }
static void pair(cl_mem t, cl_mem x, cl_mem c, cl_mem b) { call_square(t, x, N); call_add(c, t, b, N); }

static void move(cl_kernel kernel, cl_mem to, cl_mem from)
{
    const cl_uint n = N;
    TRY(clSetKernelArg(kernel, 0, sizeof to, &to));
    TRY(clSetKernelArg(kernel, 1, sizeof from, &from));
    TRY(clSetKernelArg(kernel, 2, sizeof n, &n));
    enqueue(kernel);
}

static void show(const char *name, cl_mem mem)
{
    float values[N];
    size_t i;
    TRY(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    printf("%s", name);
    for (i = 0; i < N; i += 7)
        printf(" %a", values[i]);
    printf("\n");
}

static void show_c(void) { show("C", C); }
static void show_all(void) { show("T", T); show("C", C); show("U", U); show("X", X); }

/* ---- Scenarios ---- */

static void plain_pair(void)
{
    { KFUSION_REGION(whole); pair(T, X, C, B); }
    show_all();
}

static void outside(void) { pair(T, X, C, B); show_all(); }

static void seldom(void) /* what is never as predicted is seldom noted, but it is */
{
    int i;
    for (i = 0; i < 100; i++) {
        KFUSION_REGION(whole);
        call_square(T, X, N);
        call_add(C, T, B, i < 50 ? N / 2 : N);
    }
    show_all();
}

static void other_argument(void)
{
    { KFUSION_REGION(whole); call_square(T, X, N); call_add(C, U, B, N); }
    show_all();
}

static void condition_fails(void)
{
    { KFUSION_REGION(whole); call_square(T, X, N); call_add(C, T, B, N / 2); }
    show_all();
}

static void overlap(void)
{
    { KFUSION_REGION(whole); pair(T, X, C, T); }
    show_all();
}

static void read_between(void)
{
    { KFUSION_REGION(whole); call_square(T, X, N); show("T", T); call_add(C, T, B, N); }
    show_all();
}

static void finish_between(void)
{
    { KFUSION_REGION(whole); call_square(T, X, N); TRY(clFinish(queue)); call_add(C, T, B, N); }
    show_all();
}

static void write_apart(void)
{
    {
        KFUSION_REGION(whole);
        call_square(T, X, N);
        TRY(clEnqueueWriteBuffer(queue, U, CL_TRUE, 0, sizeof host_b, host_b, 0, NULL, NULL));
        call_add(C, T, B, N);
    }
    show_all();
}

static void write_source(void)
{
    {
        KFUSION_REGION(whole);
        call_square(T, X, N);
        TRY(clEnqueueWriteBuffer(queue, X, CL_TRUE, 0, sizeof host_b, host_b, 0, NULL, NULL));
        call_add(C, T, B, N);
    }
    show_all();
}

static void arguments_change(void) /* what is noted has its own copy */
{
    {
        KFUSION_REGION(whole);
        call_square(T, X, N);
        set_square(U, B, 3);
        call_add(C, T, B, N);
    }
    enqueue(square);
    show_all();
}

static void arguments_change_and_settle(void)
{
    {
        KFUSION_REGION(whole);
        call_square(T, X, N);
        set_square(U, B, 3);
        TRY(clFinish(queue));
        show("T", T);
        enqueue(square);
    }
    show_all();
}

static void sticky(void) /* arguments that were set before the region */
{
    set_square(T, X, N);
    set_add(C, T, B, N);
    { KFUSION_REGION(whole); enqueue(square); enqueue(add); }
    show_all();
}

static void sticky_in_part(void) /* all are set in the region but a number */
{
    { KFUSION_REGION(whole); call_square(U, B, N / 2); }
    set_square(U, B, N);
    {
        KFUSION_REGION(whole);
        TRY(clSetKernelArg(square, 0, sizeof T, &T));
        TRY(clSetKernelArg(square, 1, sizeof X, &X));
        enqueue(square);
        call_add(C, T, B, N / 2);
    }
    show_all();
}

static void several_regions(void)
{
    int i;
    for (i = 0; i < 3; i++) {
        KFUSION_REGION(whole);
        pair(T, X, C, B);
        if (i == 1)
            continue;
    }
    show_all();
}

static void made_again(void) /* each buffer has the address of the one before */
{
    int i;
    for (i = 0; i < 3; i++) {
        cl_mem t = memory(CL_MEM_READ_WRITE, NULL), c = memory(CL_MEM_READ_WRITE, NULL);
        { KFUSION_REGION(whole); pair(t, X, c, B); }
        call_square(t, X, N / 2);
        show("c", c);
        TRY(clReleaseMemObject(c));
        TRY(clReleaseMemObject(t));
    }
}

static void loop_inside(void)
{
    int i;
    { KFUSION_REGION(whole); for (i = 0; i < 3; i++) pair(T, X, C, B); }
    show_all();
}

static int returns(void) { KFUSION_REGION(whole); pair(T, X, C, B); call_square(U, B, N); return 1; }
static void returning(void) { printf("%d\n", returns()); show_all(); }

static void jumping(void)
{
    { KFUSION_REGION(whole); call_square(U, B, N); if (items) goto out; call_square(T, B, N); }
out:
    show_all();
}

static void nested(void)
{
    {
        KFUSION_REGION(whole);
        call_square(T, X, N);
        { KFUSION_REGION(whole); pair(U, B, C, X); }
        pair(T, X, C, B);
    }
    show_all();
}

static void events(void)
{
    cl_event event;
    {
        KFUSION_REGION(whole);
        set_square(T, X, N);
        TRY(clEnqueueNDRangeKernel(queue, square, 1, NULL, &items, NULL, 0, NULL, &event));
        set_add(C, T, B, N);
        TRY(clEnqueueNDRangeKernel(queue, add, 1, NULL, &items, NULL, 1, &event, NULL));
    }
    TRY(clReleaseEvent(event));
    show_all();
}

static void two_queues(void)
{
    {
        KFUSION_REGION(whole);
        call_square(T, X, N);
        TRY(clFinish(queue));
        set_add(C, T, B, N);
        TRY(clEnqueueNDRangeKernel(other_queue, add, 1, NULL, &items, NULL, 0, NULL, NULL));
        TRY(clFinish(other_queue));
    }
    show_all();
}

static void host_pointer(void)
{
    static float shared[N];
    cl_mem mem = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof shared, shared, NULL);
    { KFUSION_REGION(whole); pair(mem, X, C, B); }
    show("mem", mem);
    TRY(clReleaseMemObject(mem));
    show_c();
}

static void wrong_size(void)
{
    const size_t local = 7;
    {
        KFUSION_REGION(whole);
        set_square(T, X, N);
        printf("%d\n", clEnqueueNDRangeKernel(queue, square, 4, NULL, &items, NULL, 0, NULL, NULL));
        printf("%d\n", clEnqueueNDRangeKernel(queue, square, 1, NULL, NULL, NULL, 0, NULL, NULL) != 0);
        printf("%d\n", clEnqueueNDRangeKernel(queue, square, 1, NULL, &items, &local, 0, NULL, NULL) != 0);
    }
    show_all();
}

/* Drops */

static void scratch(void)
{
    {
        KFUSION_REGION(scratch);
        cl_mem t = memory(0, NULL);
        pair(t, X, C, B);
        TRY(clReleaseMemObject(t));
        move(copy, U, C); /* no step: settles */
    }
    show_all();
}

static void scratch_loop(void)
{
    int i;
    {
        KFUSION_REGION(scratch);
        for (i = 0; i < 5; i++) {
            cl_mem t = memory(0, NULL);
            pair(t, i % 2 ? C : X, i % 2 ? U : C, B);
            TRY(clReleaseMemObject(t));
        }
    }
    show_all();
}

static void scratch_outside(void) /* made before the region */
{
    { KFUSION_REGION(scratch); pair(T, X, C, B); }
    show_all();
}

static void scratch_made_before(void)
{
    cl_mem t = memory(0, NULL);
    { KFUSION_REGION(scratch); pair(t, X, C, B); TRY(clReleaseMemObject(t)); }
    show_all();
}

static void scratch_retained(void)
{
    cl_mem t;
    {
        KFUSION_REGION(scratch);
        t = memory(0, NULL);
        pair(t, X, C, B);
        TRY(clRetainMemObject(t));
        TRY(clReleaseMemObject(t));
    }
    show("t", t);
    TRY(clReleaseMemObject(t));
    show_all();
}

static void scratch_is_read_by_noted(void)
{
    {
        KFUSION_REGION(scratch);
        cl_mem t = memory(0, NULL);
        pair(t, X, C, B);
        call_square(U, t, N);
        TRY(clReleaseMemObject(t));
    }
    show_all();
}

static void scratch_is_read_first(void)
{
    {
        KFUSION_REGION(scratch);
        cl_mem t = memory(0, NULL);
        pair(t, X, C, B);
        move(copy, U, t);
        TRY(clReleaseMemObject(t));
    }
    show_all();
}

static void scratch_has_part(void)
{
    cl_buffer_region region = {0, N * sizeof(float)};
    cl_mem part;
    {
        KFUSION_REGION(scratch);
        cl_mem t = memory(0, NULL);
        part = clCreateSubBuffer(t, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, NULL);
        pair(t, X, C, B);
        TRY(clReleaseMemObject(t));
    }
    show("part", part);
    TRY(clReleaseMemObject(part));
    show_all();
}

static void named(void)
{
    { KFUSION_REGION(named); pair(T, X, C, B); }
    show_c();
}

static void named_is_read(void)
{
    { KFUSION_REGION(named); pair(T, X, C, B); show("T", T); }
    show_all();
}

static void named_loop(void) /* t is not known to be fresh in each repetition */
{
    int i;
    { KFUSION_REGION(named); for (i = 0; i < 3; i++) pair(T, i % 2 ? C : X, i % 2 ? U : C, B); }
    show_c();
}

static void fresh_loop(void)
{
    int i;
    { KFUSION_REGION(fresh); for (i = 0; i < 3; i++) pair(T, i % 2 ? C : X, i % 2 ? U : C, B); }
    show_c();
}

static void fresh_long_loop(void) /* more than are noted at most */
{
    int i;
    { KFUSION_REGION(fresh); for (i = 0; i < 100; i++) pair(T, i % 2 ? C : X, i % 2 ? U : C, B); }
    show_c();
}

static void fresh_condition_fails(void) /* the second reads half of what the first has stored */
{
    {
        KFUSION_REGION(fresh);
        pair(T, X, C, B);
        call_square(T, B, N / 2);
        call_add(U, T, B, N);
    }
    show_c();
    show("U", U);
}

static void fresh_begun(void)
{
    { KFUSION_REGION(fresh); pair(T, X, C, B); call_square(U, T, N); }
    show_c();
    show("U", U);
}

/* Repetitions */

static void advance_times(int times)
{
    int i;
    for (i = 0; i < times; i++)
        move(advance, i % 2 ? X : U, i % 2 ? U : X);
}

static void loop_7(void) { { KFUSION_REGION(loop); advance_times(7); } show_all(); }
static void loop_6(void) { { KFUSION_REGION(loop); advance_times(6); } show_all(); }
static void loop_2(void) { { KFUSION_REGION(loop); advance_times(2); } show_all(); }
static void loop_40(void) { { KFUSION_REGION(loop); advance_times(40); } show_all(); }

static void five_of(int times) { { KFUSION_REGION(five); advance_times(times); } show_all(); }
static void five_6(void) { five_of(6); }
static void five_7(void) { five_of(7); }
static void five_9(void) { five_of(9); }
static void five_10(void) { five_of(10); }
static void five_40(void) { five_of(40); }

static void loop_then_pair(void)
{
    { KFUSION_REGION(loop); advance_times(5); pair(T, X, C, B); }
    show_all();
}

static void loop_without_exchange(void)
{
    { KFUSION_REGION(loop); advance_times(1); advance_times(1); advance_times(1); advance_times(1);
      advance_times(1); }
    show_all();
}

/* Objects */

static void references(void)
{
    cl_uint count[4] = {0, 0, 0, 0};
    {
        KFUSION_REGION(whole);
        call_square(T, X, N);
        TRY(clFinish(queue)); /* commands in flight may count */
        TRY(clGetMemObjectInfo(T, CL_MEM_REFERENCE_COUNT, sizeof *count, &count[0], NULL));
        TRY(clGetKernelInfo(square, CL_KERNEL_REFERENCE_COUNT, sizeof *count, &count[1], NULL));
        call_add(C, T, B, N);
        TRY(clFinish(queue));
        TRY(clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof *count, &count[2], NULL));
        TRY(clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT, sizeof *count, &count[3], NULL));
    }
    printf("%u %u %u %u\n", count[0], count[1], count[2], count[3] > 0);
    show_all();
}

static void release_kernels(void)
{
    clReleaseKernel(square), clReleaseKernel(add), clReleaseKernel(copy), clReleaseKernel(advance);
}

static void create_kernels(void)
{
    square = clCreateKernel(program, "square", NULL);
    add = clCreateKernel(program, "add", NULL);
    copy = clCreateKernel(program, "copy", NULL);
    advance = clCreateKernel(program, "advance", NULL);
}

static void release_while_noted(void)
{
    {
        KFUSION_REGION(whole);
        cl_mem t = memory(0, NULL);
        call_square(t, X, N);
        TRY(clReleaseKernel(square));
        square = clCreateKernel(program, "square", NULL);
        call_add(C, t, B, N);
        TRY(clReleaseMemObject(t));
        call_square(T, X, N);
        TRY(clReleaseKernel(square));
        square = clCreateKernel(program, "square", NULL);
    }
    show_all();
}

/* OpenCL refuses to build a program that has kernels, and a device may keep those of commands
   that have just ended for a moment. */
static void build_program_again(void)
{
    const struct timespec moment = {0, 10000000};
    cl_int status = CL_INVALID_OPERATION;
    int tries;

    for (tries = 0; tries < 500 && status == CL_INVALID_OPERATION; tries++) {
        if (tries > 0)
            nanosleep(&moment, NULL);
        status = clBuildProgram(program, 1, &device, "", NULL, NULL);
    }
    TRY(status);
}

static void build_again(void)
{
    int i;
    for (i = 0; i < 2; i++) {
        { KFUSION_REGION(whole); pair(T, X, C, B); }
        show_all();
        release_kernels();
        build_program_again();
        create_kernels();
    }
    { KFUSION_REGION(whole); pair(U, X, C, B); }
    show_all();
}

static void build_again_inside(void)
{
    {
        KFUSION_REGION(whole);
        pair(T, X, C, B);
        TRY(clFinish(queue));
        release_kernels();
        build_program_again();
        create_kernels();
        pair(T, X, U, B);
    }
    show_all();
}

static void in_tiles(cl_uint dimensions, const size_t *offset, const size_t *global,
                     const size_t *local)
{
    const cl_kernel kernels[] = {clCreateKernel(program, "paint", NULL),
                                 clCreateKernel(program, "tint", NULL)};
    const cl_mem memory_of[] = {T, X, C, T};
    const cl_uint w = 9;
    int i;
    {
        KFUSION_REGION(tiled);
        for (i = 0; i < 2; i++) {
            TRY(clSetKernelArg(kernels[i], 0, sizeof(cl_mem), &memory_of[2 * i]));
            TRY(clSetKernelArg(kernels[i], 1, sizeof(cl_mem), &memory_of[2 * i + 1]));
            TRY(clSetKernelArg(kernels[i], 2, sizeof w, &w));
            TRY(clEnqueueNDRangeKernel(queue, kernels[i], dimensions, offset, global, local, 0,
                                       NULL, NULL));
        }
    }
    show_all();
    for (i = 0; i < 2; i++)
        clReleaseKernel(kernels[i]);
}

static const size_t plane[3] = {9, 7, 1}, below[2] = {9, 5}, two_down[2] = {0, 2};
static const size_t two_planes[3] = {9, 7, 2}, three_wide[3] = {3, 7, 1};
static void tiled(void) { in_tiles(2, NULL, plane, NULL); }
static void tiled_groups(void) { in_tiles(2, NULL, plane, three_wide); }
static void tiled_offset(void) { in_tiles(2, two_down, below, NULL); }
static void tiled_line(void) { in_tiles(1, NULL, plane, NULL); }
static void tiled_sheet(void) { in_tiles(3, NULL, plane, NULL); }
static void tiled_space(void) { in_tiles(3, NULL, two_planes, NULL); }

#define SCENARIO(name) {#name, name}
static const struct scenario {
    const char *name;
    void (*run)(void);
} scenarios[] = {
    SCENARIO(plain_pair), SCENARIO(outside), SCENARIO(seldom), SCENARIO(other_argument),
    SCENARIO(condition_fails),
    SCENARIO(overlap), SCENARIO(read_between), SCENARIO(finish_between), SCENARIO(write_apart),
    SCENARIO(write_source), SCENARIO(arguments_change), SCENARIO(arguments_change_and_settle),
    SCENARIO(sticky), SCENARIO(sticky_in_part), SCENARIO(several_regions), SCENARIO(made_again),
    SCENARIO(loop_inside), SCENARIO(returning),
    SCENARIO(jumping), SCENARIO(nested), SCENARIO(events), SCENARIO(two_queues),
    SCENARIO(host_pointer), SCENARIO(wrong_size), SCENARIO(scratch), SCENARIO(scratch_loop),
    SCENARIO(scratch_outside), SCENARIO(scratch_made_before), SCENARIO(scratch_retained), SCENARIO(scratch_is_read_by_noted),
    SCENARIO(scratch_is_read_first), SCENARIO(scratch_has_part), SCENARIO(named),
    SCENARIO(named_is_read), SCENARIO(named_loop), SCENARIO(fresh_loop), SCENARIO(fresh_long_loop),
    SCENARIO(fresh_condition_fails), SCENARIO(fresh_begun), SCENARIO(loop_7), SCENARIO(loop_6),
    SCENARIO(loop_2), SCENARIO(five_6), SCENARIO(five_7), SCENARIO(five_9), SCENARIO(five_10),
    SCENARIO(five_40), SCENARIO(loop_40), SCENARIO(loop_then_pair), SCENARIO(loop_without_exchange),
    SCENARIO(references), SCENARIO(release_while_noted), SCENARIO(build_again),
    SCENARIO(build_again_inside), SCENARIO(tiled), SCENARIO(tiled_groups), SCENARIO(tiled_offset),
    SCENARIO(tiled_line), SCENARIO(tiled_sheet), SCENARIO(tiled_space),
};

static void set_up(int with_fused)
{
    const char *text[2];
    cl_platform_id platform;
    size_t i;

    text[0] = kernels_text;
    text[1] = fused_text;
    TRY(clGetPlatformIDs(1, &platform, NULL));
    TRY(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    queue = clCreateCommandQueue(context, device, 0, NULL);
    other_queue = clCreateCommandQueue(context, device, 0, NULL);
    program = clCreateProgramWithSource(context, with_fused ? 2 : 1, text, NULL, NULL);
    TRY(clBuildProgram(program, 1, &device, " ", NULL, NULL));
    create_kernels();
    for (i = 0; i < N; i++) {
        host_x[i] = 0.37f * (float)i;
        host_b[i] = 1.0f / (float)(i + 1);
    }
    X = memory(0, host_x);
    B = memory(0, host_b);
    T = memory(0, host_x);
    C = memory(0, host_x);
    U = memory(0, host_x);
}

static void tear_down(void)
{
    release_kernels();
    clReleaseMemObject(X), clReleaseMemObject(B), clReleaseMemObject(T), clReleaseMemObject(C);
    clReleaseMemObject(U);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue), clReleaseCommandQueue(other_queue);
    clReleaseContext(context);
}

int main(int count, char **words)
{
    const int lacks = count > 2 && strcmp(words[count - 1], "lacks") == 0; /* fused kernels */
    size_t i;
    int repeat, word;

    for (word = 1; word < count - lacks; word++)
        for (repeat = 0; repeat < 2; repeat++) /* the second time with other objects */
            for (i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
                if (strcmp(scenarios[i].name, words[word]) == 0) {
                    set_up(!lacks);
                    scenarios[i].run();
                    tear_down();
                }
    return 0;
}
