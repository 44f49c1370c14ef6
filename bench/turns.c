/* Times the kernels of several programs that take turns. Preloaded (LD_PRELOAD), it stands
 * before the OpenCL loader; the environment says what it does:
 *
 *     KFUSION_DEVICE=TEXT   programs see only devices whose name, or whose platform's, has TEXT
 *     KFUSION_TIMES=FILE    at exit, a line "REPETITION KERNEL NANOSECONDS" for each launch
 *     KFUSION_TURN=IN,OUT,N file descriptors: before each N repetitions a byte is read from IN,
 *                           and after them one is written to OUT
 *     KFUSION_SENT=PREFIX   what is written to buffers goes to PREFIX0, PREFIX1, ... too
 *
 * A repetition ends with clFinish and begins with the first launch after it; a clFinish without a
 * launch before it ends none (where a blocking write passed noted launches, two follow them). IN
 * that is at its end means that nobody else is left: from then on no turn is waited for.
 */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct launch {
    cl_event event; /* NULL: finished, and the time is known */
    cl_ulong nanoseconds;
    int repetition;
    char name[128];
};

static struct launch *launches;
static size_t launched, finished, room;
static int repetition, timing;
static int turn_in = -1, turn_out = -1, turn_length = 1;
static int mine, done; /* is it this program's turn, and how many repetitions of it are over */
static int begun;      /* has a repetition begun? */

static void *the_real(const char *symbol)
{
    void *found = dlsym(RTLD_NEXT, symbol);
    if (!found) {
        fprintf(stderr, "turns: the program has no %s\n", symbol);
        abort();
    }
    return found;
}

/* Looked up once: what is added to a launch must not be seen in its wall time. */
#define THE_REAL(name)                     \
    static __typeof__(name) *real_##name;  \
    if (!real_##name)                      \
        real_##name = the_real(#name)

__attribute__((constructor)) static void start(void)
{
    const char *turn = getenv("KFUSION_TURN");
    timing = getenv("KFUSION_TIMES") != NULL;
    if (turn && sscanf(turn, "%d,%d,%d", &turn_in, &turn_out, &turn_length) == 3)
        signal(SIGPIPE, SIG_IGN); /* the next one may have ended */
}

static void take_turn(void)
{
    char byte;
    if (turn_in >= 0 && !mine && read(turn_in, &byte, 1) <= 0)
        turn_in = -1;
    mine = begun = 1;
}

static void pass_turn(void)
{
    if (turn_out >= 0 && mine && write(turn_out, "", 1) != 1)
        turn_out = -1;
    mine = done = 0;
}

/* ---- Devices ---- */

static int is_wanted(cl_platform_id platform, cl_device_id device, const char *text)
{
    THE_REAL(clGetPlatformInfo);
    THE_REAL(clGetDeviceInfo);
    char name[512] = "";
    real_clGetPlatformInfo(platform, CL_PLATFORM_NAME, 255, name, NULL);
    strcat(name, " ");
    real_clGetDeviceInfo(device, CL_DEVICE_NAME, 255, name + strlen(name), NULL);
    return strcasestr(name, text) != NULL;
}

cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint entries,
                      cl_device_id *devices, cl_uint *count)
{
    THE_REAL(clGetDeviceIDs);
    const char *text = getenv("KFUSION_DEVICE");
    cl_device_id all[64];
    cl_uint there = 0, kept = 0;

    if (!text)
        return real_clGetDeviceIDs(platform, type, entries, devices, count);
    cl_int status = real_clGetDeviceIDs(platform, type, 64, all, &there);
    if (status != CL_SUCCESS)
        return status;
    for (cl_uint i = 0; i < there && i < 64; i++) {
        if (!is_wanted(platform, all[i], text))
            continue;
        if (devices && kept < entries)
            devices[kept] = all[i];
        kept++;
    }
    if (count)
        *count = kept;
    return kept ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device,
                                      cl_command_queue_properties properties, cl_int *status)
{
    THE_REAL(clCreateCommandQueue);
    if (timing)
        properties |= CL_QUEUE_PROFILING_ENABLE;
    return real_clCreateCommandQueue(context, device, properties, status);
}

/* ---- Launches ---- */

static struct launch *new_launch(cl_kernel kernel)
{
    THE_REAL(clGetKernelInfo);
    if (launched == room) {
        room = room ? 2 * room : 1024;
        launches = realloc(launches, room * sizeof *launches);
        if (!launches)
            abort();
    }
    struct launch *launch = &launches[launched++];
    memset(launch, 0, sizeof *launch);
    strcpy(launch->name, "?");
    real_clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof launch->name, launch->name,
                         NULL);
    launch->repetition = repetition;
    return launch;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t *offset, const size_t *global, const size_t *local,
                              cl_uint waits, const cl_event *wait_list, cl_event *event)
{
    THE_REAL(clEnqueueNDRangeKernel);
    THE_REAL(clRetainEvent);
    cl_event ours = NULL;

    take_turn();
    if (!timing)
        return real_clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local,
                                           waits, wait_list, event);
    cl_int status = real_clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local,
                                                waits, wait_list, &ours);
    if (status != CL_SUCCESS)
        return status;
    new_launch(kernel)->event = ours;
    if (event) {
        real_clRetainEvent(ours);
        *event = ours;
    }
    return status;
}

static void settle(void)
{
    THE_REAL(clGetEventProfilingInfo);
    THE_REAL(clReleaseEvent);
    for (; finished < launched; finished++) {
        struct launch *launch = &launches[finished];
        cl_ulong began = 0, ended = 0;
        real_clGetEventProfilingInfo(launch->event, CL_PROFILING_COMMAND_START, sizeof began,
                                     &began, NULL);
        real_clGetEventProfilingInfo(launch->event, CL_PROFILING_COMMAND_END, sizeof ended,
                                     &ended, NULL);
        launch->nanoseconds = ended - began;
        real_clReleaseEvent(launch->event);
        launch->event = NULL;
    }
}

cl_int clFinish(cl_command_queue queue)
{
    THE_REAL(clFinish);
    cl_int status = real_clFinish(queue);
    settle();
    if (begun) {
        begun = 0;
        repetition++;
        if (++done == turn_length)
            pass_turn();
    }
    return status;
}

/* ---- Data ---- */

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                            size_t offset, size_t size, const void *data, cl_uint waits,
                            const cl_event *wait_list, cl_event *event)
{
    THE_REAL(clEnqueueWriteBuffer);
    static int number;
    const char *prefix = getenv("KFUSION_SENT");

    if (prefix) {
        char path[4096];
        snprintf(path, sizeof path, "%s%d", prefix, number++);
        FILE *out = fopen(path, "wb");
        if (!out || fwrite(data, 1, size, out) != size || fclose(out) != 0) {
            perror(path);
            abort();
        }
    }
    return real_clEnqueueWriteBuffer(queue, buffer, blocking, offset, size, data, waits,
                                     wait_list, event);
}

__attribute__((destructor)) static void write_times(void)
{
    const char *path = getenv("KFUSION_TIMES");
    FILE *out = path && finished ? fopen(path, "w") : NULL;
    if (!out)
        return;
    for (size_t i = 0; i < finished; i++)
        fprintf(out, "%d %s %llu\n", launches[i].repetition, launches[i].name,
                (unsigned long long)launches[i].nanoseconds);
    fclose(out);
}
