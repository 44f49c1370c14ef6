/* A host as they are found: it asks for a device, builds a program from a file,
 * shows the build log, moves data, times commands and cleans up. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#ifdef __APPLE__
#include <OpenCL/opencl.h>
#else
#include <CL/cl.h>
#include <CL/cl_ext.h>
#endif

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CHECK(call) \
    do { \
        cl_int status_ = (call); \
        if (status_ != CL_SUCCESS) \
            fail("%s:%d: %s: %d", __FILE__, __LINE__, #call, status_); \
    } while (0)

#ifdef CL_VERSION_2_0
#define HAS_QUEUE_PROPERTIES 1
#else
#define HAS_QUEUE_PROPERTIES 0
#endif

typedef struct options {
    cl_device_type type;
    uint32_t n;
    int repeats;
    bool verbose;
    const char *build_options, *kernels;
} options_t;

typedef union { cl_float4 vector; float lanes[4]; } lanes_t;

enum stage { STAGE_ADD, STAGE_SCALE, STAGE_COUNT };
static const char *const stage_names[STAGE_COUNT] = { [STAGE_ADD] = "add", [STAGE_SCALE] = "scale" };

static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_kernel kernels[STAGE_COUNT];

static _Noreturn void fail(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    exit(EXIT_FAILURE);
}

static void CL_CALLBACK on_error(const char *what, const void *data, size_t size, void *user)
{
    (void)data, (void)size, (void)user;
    fprintf(stderr, "context: %s\n", what);
}

static double seconds(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        fail("clock_gettime: %s", strerror(errno));
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static char *read_file(const char *name, size_t *size)
{
    struct stat about;
    FILE *file = fopen(name, "rb");
    if (!file || stat(name, &about) < 0 || !S_ISREG(about.st_mode))
        fail("%s: %s", name, strerror(errno));
    fseek(file, 0L, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*size + 1);
    if (text == NULL || fread(text, 1, *size, file) != *size)
        fail("%s cannot be read", name);
    text[*size] = '\0';
    fclose(file);
    return text;
}

static cl_device_id choose_device(const options_t *options)
{
    cl_uint count = 0, devices = 0;
    CHECK(clGetPlatformIDs(0, NULL, &count));
    cl_platform_id *platforms = calloc(count, sizeof *platforms);
    CHECK(clGetPlatformIDs(count, platforms, NULL));
    for (cl_uint p = 0; p < count; p++) {
        char name[128] = "";
        cl_device_id device = NULL;
        CHECK(clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, sizeof(name), name, NULL));
        cl_int status = clGetDeviceIDs(platforms[p], options->type, 1, &device, &devices);
        if (status == CL_DEVICE_NOT_FOUND || devices == 0)
            continue;
        CHECK(status);
        cl_ulong memory;
        size_t items[3];
        cl_device_fp_config fp = 0;
        CHECK(clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, 0));
        CHECK(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof items, items, 0));
        CHECK(clGetDeviceInfo(device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof fp, &fp, 0));
        if (options->verbose)
            printf("%s: %llu MiB, %zu items, %s\n", name, (unsigned long long)memory >> 20, items[0],
                   fp & CL_FP_FMA ? "fma" : "no fma");
        free(platforms);
        return device;
    }
    fail("no device among %u platforms", count);
}

static void build(cl_device_id device, const options_t *options)
{
    size_t size, log_size;
    char *source = read_file(options->kernels, &size);
    const char *strings[] = { source };
    cl_int status;
    program = clCreateProgramWithSource(context, 1, strings, &size, &status);
    CHECK(status);
    status = clBuildProgram(program, 1, &device, options->build_options, NULL, NULL);
    if (status == CL_BUILD_PROGRAM_FAILURE) {
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &log_size);
        char *log = (char *)malloc(log_size);
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, log_size, log, NULL);
        fail("%s", log);
    }
    CHECK(status);
    for (int k = 0; k < STAGE_COUNT; k++) {
        kernels[k] = clCreateKernel(program, stage_names[k], &status);
        CHECK(status);
    }
    free(source);
}

static double launch(enum stage stage, cl_uint n, cl_mem to, cl_mem from, cl_float4 factors)
{
    cl_int err = CL_SUCCESS;
    cl_uint arg = 0;
    cl_event event;
    cl_ulong start, end;
    size_t local = 64, global = (n + local - 1) / local * local;
    err |= clSetKernelArg(kernels[stage], arg++, sizeof(cl_mem), &to);
    err |= clSetKernelArg(kernels[stage], arg++, sizeof(cl_mem), &from);
    err |= clSetKernelArg(kernels[stage], arg++, sizeof factors, &factors);
    err |= clSetKernelArg(kernels[stage], arg++, sizeof n, &n);
    CHECK(err);
    CHECK(clEnqueueNDRangeKernel(queue, kernels[stage], 1, NULL, &global, &local, 0, NULL, &event));
    CHECK(clWaitForEvents(1, &event));
    CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL));
    CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
    CHECK(clReleaseEvent(event));
    return 1e-9 * (double)(end - start);
}

static void parse(int argc, char *argv[], options_t *options)
{
    static const struct option names[] = {
        { "device", required_argument, NULL, 'd' },
        { "verbose", no_argument, NULL, 'v' },
        { 0, 0, 0, 0 },
    };
    int c;
    while ((c = getopt_long(argc, argv, "d:n:r:v", names, NULL)) != -1)
        switch (c) {
        case 'd':
            options->type = strcmp(optarg, "gpu") ? CL_DEVICE_TYPE_CPU : CL_DEVICE_TYPE_GPU;
            break;
        case 'n': options->n = (uint32_t)strtoul(optarg, NULL, 0); break;
        case 'r': options->repeats = atoi(optarg); break;
        case 'v': options->verbose = true; break;
        default:
            fprintf(stderr, "usage: %s [-d cpu|gpu] [-n size] [-r repeats] [-v] [kernels.cl]\n", argv[0]);
            exit(2);
        }
    if (optind < argc)
        options->kernels = argv[optind];
}

int main(int argc, char *argv[])
{
    options_t options = { .type = CL_DEVICE_TYPE_ALL, .n = 1u << 20, .repeats = 10, .kernels = "kernels.cl" };
    lanes_t factors = { .lanes = { 1.f, 2.f, 3.f, 4.f } };
    cl_int status;

    parse(argc, argv, &options);
    cl_device_id device = choose_device(&options);
    context = clCreateContext(NULL, 1, &device, on_error, NULL, &status);
    CHECK(status);
#if HAS_QUEUE_PROPERTIES
    const cl_queue_properties properties[] = { CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0 };
    queue = clCreateCommandQueueWithProperties(context, device, properties, &status);
#else
    queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
#endif
    CHECK(status);
    build(device, &options);

    const size_t bytes = options.n * sizeof(cl_float);
    float *values = malloc(bytes);
    assert(values != NULL);
    for (uint32_t i = 0; i < options.n; i++)
        values[i] = sinf((float)i) * (float)(rand() / (RAND_MAX + 1.0));
    cl_mem from = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, values, &status);
    CHECK(status);
    cl_mem to = clCreateBuffer(context, CL_MEM_WRITE_ONLY, bytes, NULL, &status);
    CHECK(status);

    double began = seconds(), device_time = 0;
    for (int r = 0; r < options.repeats; r++) {
        device_time += launch(STAGE_ADD, options.n, to, from, factors.vector);
        device_time += launch(STAGE_SCALE, options.n, to, to, factors.vector);
    }
    CHECK(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, bytes, values, 0, NULL, NULL));
    CHECK(clFinish(queue));
    printf("%d repeats: %.3f ms on the device, %.3f ms in all, %g\n", options.repeats,
           1e3 * device_time, 1e3 * (seconds() - began), fabs(values[options.n - 1]));

    cl_mem objects[] = { from, to };
    for (size_t i = 0; i < sizeof objects / sizeof *objects; ++i)
        CHECK(clReleaseMemObject(objects[i]));
    for (int k = 0; k < STAGE_COUNT; k++)
        clReleaseKernel(kernels[k]);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    free(values);
    return isatty(STDOUT_FILENO) ? EXIT_SUCCESS : fflush(stdout);
}
