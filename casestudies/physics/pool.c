/* The host side of the pool library: see pool.h for what it promises. */
#include "pool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef POOL_CL
#define POOL_CL "pool.cl"
#endif

/* Up to so many balls are done by one work-group: what devices can do, as a rule. */
#define GROUP_MAX 256

/* Its size is a multiple of this. */
#define GROUP_UNIT 16

/* The first failing call ends the function that made it. */
#define CHECK(call)                    \
    do {                               \
        cl_int status_ = (call);       \
        if (status_ != CL_SUCCESS)     \
            return status_;            \
    } while (0)

static cl_context context;
static cl_command_queue queue; /* in order: operations see each other's results */
static cl_program program;

static cl_kernel impulse_kernel;
static cl_kernel move_kernel;
static cl_kernel balls_kernel;
static cl_kernel pockets_kernel;
static cl_kernel walls_kernel;

/* ---- Start and end ---- */

static cl_int read_file(char **text, const char *path)
{
    FILE *file = fopen(path, "rb");
    long size = -1;

    *text = NULL;
    if (file == NULL)
        return POOL_FILE_ERROR;
    if (fseek(file, 0, SEEK_END) == 0)
        size = ftell(file);
    if (size >= 0 && fseek(file, 0, SEEK_SET) == 0)
        *text = calloc((size_t)size + 1, 1);
    if (*text != NULL && fread(*text, 1, (size_t)size, file) != (size_t)size) {
        free(*text);
        *text = NULL;
    }
    fclose(file);
    return *text != NULL ? POOL_OK : POOL_FILE_ERROR;
}

/* The first device of the first platform that has one. */
static cl_int find_device(cl_device_id *device)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;

    CHECK(clGetPlatformIDs(16, platforms, &count));
    for (cl_uint i = 0; i < count && i < 16; i++) {
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, device, NULL) == CL_SUCCESS)
            return POOL_OK;
    }
    return POOL_NO_DEVICE;
}

static void print_build_log(cl_device_id device)
{
    char log[8192];
    cl_int status = clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG,
                                          sizeof log - 1, log, NULL);

    log[sizeof log - 1] = '\0';
    if (status == CL_SUCCESS)
        fprintf(stderr, "pool: the kernels do not build:\n%s\n", log);
}

static cl_int build_program(cl_device_id device)
{
    const char *path = getenv("POOL_CL");
    char *source;
    cl_int status;

    if (path == NULL)
        path = POOL_CL;
    status = read_file(&source, path);
    if (status != POOL_OK)
        fprintf(stderr, "pool: cannot read %s\n", path);
    CHECK(status);

    program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &status);
    free(source);
    CHECK(status);

    status = clBuildProgram(program, 1, &device, "", NULL, NULL);
    if (status != CL_SUCCESS)
        print_build_log(device);
    return status;
}

static cl_int create_kernels(void)
{
    cl_int status;

    impulse_kernel = clCreateKernel(program, "pool_impulse", &status);
    CHECK(status);
    move_kernel = clCreateKernel(program, "pool_move", &status);
    CHECK(status);
    balls_kernel = clCreateKernel(program, "pool_collide_balls", &status);
    CHECK(status);
    pockets_kernel = clCreateKernel(program, "pool_collide_pockets", &status);
    CHECK(status);
    walls_kernel = clCreateKernel(program, "pool_collide_walls", &status);
    return status;
}

static cl_int start(void)
{
    cl_device_id device;
    cl_int status;

    CHECK(find_device(&device));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    CHECK(status);
    queue = clCreateCommandQueue(context, device, 0, &status);
    CHECK(status);
    CHECK(build_program(device));
    return create_kernels();
}

cl_int pool_init(void)
{
    cl_int status = start();

    if (status != POOL_OK)
        pool_shutdown(); /* releases what start() had got */
    return status;
}

static void release_kernel(cl_kernel *kernel)
{
    if (*kernel != NULL)
        clReleaseKernel(*kernel);
    *kernel = NULL;
}

static void release_buffer(cl_mem *buffer)
{
    if (*buffer != NULL)
        clReleaseMemObject(*buffer);
    *buffer = NULL;
}

void pool_shutdown(void)
{
    release_kernel(&impulse_kernel);
    release_kernel(&move_kernel);
    release_kernel(&balls_kernel);
    release_kernel(&pockets_kernel);
    release_kernel(&walls_kernel);

    if (program != NULL)
        clReleaseProgram(program);
    if (queue != NULL)
        clReleaseCommandQueue(queue);
    if (context != NULL)
        clReleaseContext(context);
    program = NULL;
    queue = NULL;
    context = NULL;
}

cl_int pool_finish(void)
{
    return clFinish(queue);
}

/* ---- Objects ---- */

/* Host memory, zeroed, and device memory of the same size. */
static cl_int create_pair(void **host, cl_mem *device, size_t count, size_t size)
{
    cl_int status;

    *host = calloc(count, size);
    if (*host == NULL)
        return POOL_NO_MEMORY;
    *device = clCreateBuffer(context, CL_MEM_READ_WRITE, count * size, NULL, &status);
    return status;
}

cl_int pool_create(Balls *balls, cl_uint n)
{
    void *position = NULL, *velocity = NULL, *in_play = NULL;
    cl_int status;

    memset(balls, 0, sizeof *balls);
    if (n == 0)
        return POOL_BAD_SIZE;
    status = create_pair(&position, &balls->position_device, n, sizeof(cl_float2));
    if (status == POOL_OK)
        status = create_pair(&velocity, &balls->velocity_device, n, sizeof(cl_float2));
    if (status == POOL_OK)
        status = create_pair(&in_play, &balls->in_play_device, n, sizeof(cl_int));
    balls->n = n;
    balls->position = position;
    balls->velocity = velocity;
    balls->in_play = in_play;
    balls->newer = POOL_HOST;
    balls->radius = 0.0286f;
    balls->slowing = 0.2f;
    balls->restitution = 0.95f;
    if (status != POOL_OK) {
        pool_free(balls);
        return status;
    }
    for (cl_uint i = 0; i < n; i++)
        balls->in_play[i] = 1;
    return POOL_OK;
}

/* Pockets in the corners, and smaller ones in the middle of the long sides. */
static void place_pockets(Table *table)
{
    for (int i = 0; i < POOL_POCKETS; i++) {
        const int column = i % 3 - 1, row = i / 3 * 2 - 1;
        table->pocket[i].s[0] = column * table->half.s[0];
        table->pocket[i].s[1] = row * (table->half.s[1] + (column == 0 ? 0.01f : 0));
        table->pocket_radius[i] = column == 0 ? 0.058f : 0.065f;
    }
}

cl_int pool_create_table(Table *table, float scale)
{
    void *pocket = NULL, *pocket_radius = NULL;
    cl_int status;

    memset(table, 0, sizeof *table);
    status = create_pair(&pocket, &table->pocket_device, POOL_POCKETS, sizeof(cl_float2));
    if (status == POOL_OK)
        status = create_pair(&pocket_radius, &table->pocket_radius_device, POOL_POCKETS,
                             sizeof(cl_float));
    table->half.s[0] = 1.12f * scale;
    table->half.s[1] = 0.56f * scale;
    table->pocket = pocket;
    table->pocket_radius = pocket_radius;
    table->newer = POOL_HOST;
    table->restitution = 0.8f;
    if (status != POOL_OK) {
        pool_free_table(table);
        return status;
    }
    place_pockets(table);
    return POOL_OK;
}

void pool_free(Balls *balls)
{
    release_buffer(&balls->position_device);
    release_buffer(&balls->velocity_device);
    release_buffer(&balls->in_play_device);
    free(balls->position);
    free(balls->velocity);
    free(balls->in_play);
    memset(balls, 0, sizeof *balls);
}

void pool_free_table(Table *table)
{
    release_buffer(&table->pocket_device);
    release_buffer(&table->pocket_radius_device);
    free(table->pocket);
    free(table->pocket_radius);
    memset(table, 0, sizeof *table);
}

/* ---- Mirroring ---- */

cl_int pool_on_host(Balls *balls)
{
    if (balls->newer == POOL_DEVICE) {
        CHECK(clEnqueueReadBuffer(queue, balls->position_device, CL_TRUE, 0,
                                  balls->n * sizeof(cl_float2), balls->position, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(queue, balls->velocity_device, CL_TRUE, 0,
                                  balls->n * sizeof(cl_float2), balls->velocity, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(queue, balls->in_play_device, CL_TRUE, 0,
                                  balls->n * sizeof(cl_int), balls->in_play, 0, NULL, NULL));
        balls->newer = POOL_NEITHER;
    }
    return POOL_OK;
}

void pool_changed(Balls *balls)
{
    balls->newer = POOL_HOST;
}

static cl_int balls_to_device(Balls *balls)
{
    if (balls->newer == POOL_HOST) {
        CHECK(clEnqueueWriteBuffer(queue, balls->position_device, CL_TRUE, 0,
                                   balls->n * sizeof(cl_float2), balls->position, 0, NULL, NULL));
        CHECK(clEnqueueWriteBuffer(queue, balls->velocity_device, CL_TRUE, 0,
                                   balls->n * sizeof(cl_float2), balls->velocity, 0, NULL, NULL));
        CHECK(clEnqueueWriteBuffer(queue, balls->in_play_device, CL_TRUE, 0,
                                   balls->n * sizeof(cl_int), balls->in_play, 0, NULL, NULL));
        balls->newer = POOL_NEITHER;
    }
    return POOL_OK;
}

static cl_int table_to_device(Table *table)
{
    if (table->newer == POOL_HOST) {
        CHECK(clEnqueueWriteBuffer(queue, table->pocket_device, CL_TRUE, 0,
                                   POOL_POCKETS * sizeof(cl_float2), table->pocket,
                                   0, NULL, NULL));
        CHECK(clEnqueueWriteBuffer(queue, table->pocket_radius_device, CL_TRUE, 0,
                                   POOL_POCKETS * sizeof(cl_float), table->pocket_radius,
                                   0, NULL, NULL));
        table->newer = POOL_NEITHER;
    }
    return POOL_OK;
}

/* ---- Operations ---- */

/* One item for each ball, and some more to make the group whole. */
static size_t one_group(cl_uint n)
{
    return ((size_t)n + GROUP_UNIT - 1) / GROUP_UNIT * GROUP_UNIT;
}

/* The launch of an operation on more balls than one group can hold. */
static cl_int launch_groups(cl_kernel kernel, Balls *result)
{
    const size_t local = GROUP_MAX;
    const size_t global = ((size_t)result->n + GROUP_MAX - 1) / GROUP_MAX * GROUP_MAX;

    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    result->newer = POOL_DEVICE;
    return POOL_OK;
}

cl_int pool_impulse(Balls *balls, float angle, float power)
{
    const cl_float2 stroke = {{power * cosf(angle), power * sinf(angle)}};

    CHECK(balls_to_device(balls));

    CHECK(clSetKernelArg(impulse_kernel, 0, sizeof(cl_mem), &balls->velocity_device));
    CHECK(clSetKernelArg(impulse_kernel, 1, sizeof(cl_mem), &balls->in_play_device));
    CHECK(clSetKernelArg(impulse_kernel, 2, sizeof(cl_float2), &stroke));

    const size_t one = 1;
    CHECK(clEnqueueNDRangeKernel(queue, impulse_kernel, 1, NULL, &one, &one, 0, NULL, NULL));
    balls->newer = POOL_DEVICE;
    return POOL_OK;
}

cl_int pool_move(Balls *moved, Balls *balls, float dt)
{
    if (moved->n != balls->n)
        return POOL_BAD_SIZE;

    CHECK(balls_to_device(balls));

    CHECK(clSetKernelArg(move_kernel, 0, sizeof(cl_mem), &moved->position_device));
    CHECK(clSetKernelArg(move_kernel, 1, sizeof(cl_mem), &moved->velocity_device));
    CHECK(clSetKernelArg(move_kernel, 2, sizeof(cl_mem), &moved->in_play_device));
    CHECK(clSetKernelArg(move_kernel, 3, sizeof(cl_mem), &balls->position_device));
    CHECK(clSetKernelArg(move_kernel, 4, sizeof(cl_mem), &balls->velocity_device));
    CHECK(clSetKernelArg(move_kernel, 5, sizeof(cl_mem), &balls->in_play_device));
    CHECK(clSetKernelArg(move_kernel, 6, sizeof(cl_uint), &balls->n));
    CHECK(clSetKernelArg(move_kernel, 7, sizeof(cl_float), &balls->slowing));
    CHECK(clSetKernelArg(move_kernel, 8, sizeof(cl_float), &dt));

    if (balls->n > GROUP_MAX)
        return launch_groups(move_kernel, moved);

    const size_t items = one_group(balls->n);
    CHECK(clEnqueueNDRangeKernel(queue, move_kernel, 1, NULL, &items, &items, 0, NULL, NULL));
    moved->newer = POOL_DEVICE;
    return POOL_OK;
}

cl_int pool_collide_balls(Balls *next, Balls *balls, float dt)
{
    if (next->n != balls->n)
        return POOL_BAD_SIZE;
    if (next == balls) /* every ball needs all the others as they were */
        return POOL_ALIASED;

    CHECK(balls_to_device(balls));

    const cl_float diameter = 2 * balls->radius;
    CHECK(clSetKernelArg(balls_kernel, 0, sizeof(cl_mem), &next->position_device));
    CHECK(clSetKernelArg(balls_kernel, 1, sizeof(cl_mem), &next->velocity_device));
    CHECK(clSetKernelArg(balls_kernel, 2, sizeof(cl_mem), &next->in_play_device));
    CHECK(clSetKernelArg(balls_kernel, 3, sizeof(cl_mem), &balls->position_device));
    CHECK(clSetKernelArg(balls_kernel, 4, sizeof(cl_mem), &balls->velocity_device));
    CHECK(clSetKernelArg(balls_kernel, 5, sizeof(cl_mem), &balls->in_play_device));
    CHECK(clSetKernelArg(balls_kernel, 6, sizeof(cl_uint), &balls->n));
    CHECK(clSetKernelArg(balls_kernel, 7, sizeof(cl_float), &diameter));
    CHECK(clSetKernelArg(balls_kernel, 8, sizeof(cl_float), &balls->restitution));
    CHECK(clSetKernelArg(balls_kernel, 9, sizeof(cl_float), &dt));

    if (balls->n > GROUP_MAX)
        return launch_groups(balls_kernel, next);

    const size_t items = one_group(balls->n);
    CHECK(clEnqueueNDRangeKernel(queue, balls_kernel, 1, NULL, &items, &items, 0, NULL, NULL));
    next->newer = POOL_DEVICE;
    return POOL_OK;
}

cl_int pool_collide_pockets(Balls *balls, Table *table)
{
    const cl_uint pockets = POOL_POCKETS;

    CHECK(balls_to_device(balls));
    CHECK(table_to_device(table));

    CHECK(clSetKernelArg(pockets_kernel, 0, sizeof(cl_mem), &balls->position_device));
    CHECK(clSetKernelArg(pockets_kernel, 1, sizeof(cl_mem), &balls->velocity_device));
    CHECK(clSetKernelArg(pockets_kernel, 2, sizeof(cl_mem), &balls->in_play_device));
    CHECK(clSetKernelArg(pockets_kernel, 3, sizeof(cl_uint), &balls->n));
    CHECK(clSetKernelArg(pockets_kernel, 4, sizeof(cl_mem), &table->pocket_device));
    CHECK(clSetKernelArg(pockets_kernel, 5, sizeof(cl_mem), &table->pocket_radius_device));
    CHECK(clSetKernelArg(pockets_kernel, 6, sizeof(cl_uint), &pockets));

    if (balls->n > GROUP_MAX)
        return launch_groups(pockets_kernel, balls);

    const size_t items = one_group(balls->n);
    CHECK(clEnqueueNDRangeKernel(queue, pockets_kernel, 1, NULL, &items, &items, 0, NULL, NULL));
    balls->newer = POOL_DEVICE;
    return POOL_OK;
}

cl_int pool_collide_walls(Balls *balls, Table *table)
{
    const cl_float2 limit = {{table->half.s[0] - balls->radius, table->half.s[1] - balls->radius}};

    CHECK(balls_to_device(balls));

    CHECK(clSetKernelArg(walls_kernel, 0, sizeof(cl_mem), &balls->position_device));
    CHECK(clSetKernelArg(walls_kernel, 1, sizeof(cl_mem), &balls->velocity_device));
    CHECK(clSetKernelArg(walls_kernel, 2, sizeof(cl_uint), &balls->n));
    CHECK(clSetKernelArg(walls_kernel, 3, sizeof(cl_float2), &limit));
    CHECK(clSetKernelArg(walls_kernel, 4, sizeof(cl_float), &table->restitution));

    if (balls->n > GROUP_MAX)
        return launch_groups(walls_kernel, balls);

    const size_t items = one_group(balls->n);
    CHECK(clEnqueueNDRangeKernel(queue, walls_kernel, 1, NULL, &items, &items, 0, NULL, NULL));
    balls->newer = POOL_DEVICE;
    return POOL_OK;
}

cl_int pool_copy(Balls *copy, Balls *balls)
{
    if (copy->n != balls->n)
        return POOL_BAD_SIZE;
    if (copy == balls)
        return POOL_OK;

    CHECK(balls_to_device(balls));
    CHECK(clEnqueueCopyBuffer(queue, balls->position_device, copy->position_device, 0, 0,
                              balls->n * sizeof(cl_float2), 0, NULL, NULL));
    CHECK(clEnqueueCopyBuffer(queue, balls->velocity_device, copy->velocity_device, 0, 0,
                              balls->n * sizeof(cl_float2), 0, NULL, NULL));
    CHECK(clEnqueueCopyBuffer(queue, balls->in_play_device, copy->in_play_device, 0, 0,
                              balls->n * sizeof(cl_int), 0, NULL, NULL));
    copy->radius = balls->radius;
    copy->slowing = balls->slowing;
    copy->restitution = balls->restitution;
    copy->newer = POOL_DEVICE;
    return POOL_OK;
}
