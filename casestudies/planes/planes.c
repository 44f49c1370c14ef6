#define _POSIX_C_SOURCE 200112L /* getopt, clock_gettime */

#include "planes.h"
#include "png_file.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MOST 64           /* arrays of a program */
#define LONGEST (1 << 20) /* text of its kernels */

cl_context planes_context;
cl_command_queue planes_queue;
cl_program planes_program;

static cl_mem made[MOST];
static size_t made_count;

/* ---- The device ---- */

static cl_int read_file(char **text, const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t length;

    if (file == NULL)
        return PLANES_FILE_ERROR;
    *text = calloc(LONGEST + 1, 1);
    length = *text != NULL ? fread(*text, 1, LONGEST, file) : 0;
    fclose(file);
    return length > 0 ? PLANES_OK : PLANES_FILE_ERROR;
}

/* The first device of the first platform that has one. */
static cl_int find_device(cl_device_id *device)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;

    CHECK(clGetPlatformIDs(16, platforms, &count));
    for (cl_uint i = 0; i < count && i < 16; i++) {
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, device, NULL) == CL_SUCCESS)
            return PLANES_OK;
    }
    return PLANES_NO_DEVICE;
}

static cl_int build_program(cl_device_id device, const char *path)
{
    char *source, log[8192] = "";
    cl_int status = read_file(&source, path);

    if (status != PLANES_OK) {
        fprintf(stderr, "planes: cannot read %s\n", path);
        return status;
    }
    planes_program =
        clCreateProgramWithSource(planes_context, 1, (const char **)&source, NULL, &status);
    free(source);
    CHECK(status);
    status = clBuildProgram(planes_program, 1, &device, "", NULL, NULL);
    if (status != CL_SUCCESS) {
        clGetProgramBuildInfo(planes_program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log,
                              NULL);
        fprintf(stderr, "planes: %s does not build:\n%s\n", path, log);
    }
    return status;
}

cl_int planes_init(const char *variable, const char *path)
{
    const char *other = getenv(variable);
    cl_device_id device;
    cl_int status;

    CHECK(find_device(&device));
    planes_context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    CHECK(status);
    planes_queue = clCreateCommandQueue(planes_context, device, 0, &status);
    CHECK(status);
    return build_program(device, other != NULL ? other : path);
}

void planes_shutdown(void)
{
    while (made_count > 0)
        clReleaseMemObject(made[--made_count]);
    clReleaseProgram(planes_program);
    clReleaseCommandQueue(planes_queue);
    clReleaseContext(planes_context);
}

/* ---- Arrays ---- */

static size_t count_of(const Plane *plane)
{
    return (size_t)plane->width * (size_t)plane->height * (size_t)plane->depth;
}

cl_int plane_create(Plane *plane, cl_int width, cl_int height, cl_int depth, size_t element)
{
    cl_int status;
    void *zeros;

    if (width < 1 || height < 1 || depth < 1 || made_count == MOST)
        return PLANES_BAD_SIZE;
    plane->width = width;
    plane->height = height;
    plane->depth = depth;
    plane->element = element;
    zeros = calloc(count_of(plane), element);
    if (zeros == NULL)
        return PLANES_NO_MEMORY;
    plane->device = clCreateBuffer(planes_context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   count_of(plane) * element, zeros, &status);
    free(zeros);
    CHECK(status);
    made[made_count++] = plane->device;
    return PLANES_OK;
}

cl_int plane_write(Plane *plane, const void *elements)
{
    return clEnqueueWriteBuffer(planes_queue, plane->device, CL_TRUE, 0,
                                count_of(plane) * plane->element, elements, 0, NULL, NULL);
}

cl_int plane_read(const Plane *plane, void *elements)
{
    return clEnqueueReadBuffer(planes_queue, plane->device, CL_TRUE, 0,
                               count_of(plane) * plane->element, elements, 0, NULL, NULL);
}

/* ---- Programs ---- */

void app_failed(const char *file, int line, cl_int status)
{
    static const char *const messages[] = {
        "no error",
        "the sizes of the arrays do not fit together",
        "the result is also a source",
        "no OpenCL device was found",
        "out of host memory",
        "a file could not be read or written",
    };

    if (status >= 0 && (size_t)status < sizeof messages / sizeof messages[0])
        fprintf(stderr, "%s:%d: %s\n", file, line, messages[status]);
    else
        fprintf(stderr, "%s:%d: OpenCL error %d\n", file, line, (int)status);
    if (planes_queue != NULL)
        clFinish(planes_queue); /* drivers have crashed where programs end while kernels run */
}

/* A whole number between 1 and INT_MAX, or 0. */
static int positive(const char *text)
{
    char *end;

    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || value < 1 || value > INT_MAX)
        return 0;
    return (int)value;
}

cl_int app_begin(App *app, int argc, char **argv)
{
    int option, size = 64, height = -1, depth = -1;

    memset(app, 0, sizeof *app);
    app->steps = 8;
    app->repeats = 1;
    while ((option = getopt(argc, argv, "n:y:z:s:r:o:d:")) != -1) {
        if (option == 'n')
            size = positive(optarg);
        else if (option == 'y')
            height = positive(optarg);
        else if (option == 'z')
            depth = positive(optarg);
        else if (option == 's')
            app->steps = positive(optarg);
        else if (option == 'r')
            app->repeats = positive(optarg);
        else if (option == 'o')
            app->picture = optarg;
        else if (option == 'd')
            app->raw = optarg;
        if (option == '?' || !size || !height || !depth || !app->steps || !app->repeats) {
            fprintf(stderr,
                    "usage: %s [-n SIZE] [-y HEIGHT] [-z DEPTH] [-s STEPS] [-r REPEATS]"
                    " [-o PNG] [-d FILE]\n",
                    argv[0]);
            exit(EXIT_FAILURE);
        }
    }
    app->width = size;
    app->height = height < 0 ? size : height;
    app->depth = depth < 0 ? size : depth;
    app->times = calloc((size_t)app->repeats, sizeof *app->times);
    return app->times != NULL ? PLANES_OK : PLANES_NO_MEMORY;
}

cl_int app_plane(const App *app, Plane *plane, size_t element)
{
    return plane_create(plane, app->width, app->height, 1, element);
}

cl_int app_volume(const App *app, Plane *plane, size_t element)
{
    return plane_create(plane, app->width, app->height, app->depth, element);
}

/* Different for numbers that are close to each other. */
static unsigned mixed(unsigned number)
{
    number = (number ^ number >> 16) * 0x7feb352dU;
    number = (number ^ number >> 15) * 0x846ca68bU;
    return number ^ number >> 16;
}

cl_int app_make_up(Plane *plane, unsigned seed, float low, float high)
{
    const size_t count = count_of(plane);
    const size_t channels = plane->element == 1 ? 1 : plane->element / sizeof(float);
    const size_t width = (size_t)plane->width, height = (size_t)plane->height;
    char *elements = malloc(count * plane->element);
    cl_int status;

    if (elements == NULL)
        return PLANES_NO_MEMORY;
    for (size_t i = 0; i < count * channels; i++) {
        const size_t at = i / channels, x = at % width, y = at / width % height;
        const size_t square = (x / 16 + y / 16 + at / width / height / 16) % 2;
        const unsigned noise = mixed((unsigned)i + seed * 0x9e3779b9U) >> 10; /* below 2^22 */

        if (plane->element == 1)
            elements[i] = noise % 3 == 0;
        else
            ((float *)elements)[i] = low + (high - low) * (square * 0.75f + noise / 16777216.0f);
    }
    status = plane_write(plane, elements);
    free(elements);
    return status;
}

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

void app_start(App *app)
{
    app->started = now_ms();
}

cl_int app_stop(App *app)
{
    cl_int status = clFinish(planes_queue);

    if (app->timed < app->repeats)
        app->times[app->timed++] = now_ms() - app->started;
    return status;
}

static float between(float value, float from, float to)
{
    return value < from ? from : value > to ? to : value;
}

static cl_int save_picture(const char *path, const Plane *plane, const void *elements, int warm)
{
    const size_t count = (size_t)plane->width * (size_t)plane->height;
    const size_t channels = plane->element == sizeof(cl_float4) ? 4 : 1;
    const size_t first = count * (size_t)(plane->depth / 2);
    const float *numbers = (const float *)elements + first * channels;
    float low = 0, high = 1;
    unsigned char *pixels = malloc(4 * count);
    int failed;

    if (pixels == NULL)
        return PLANES_NO_MEMORY;
    for (size_t i = 0; plane->element == sizeof(cl_float) && i < count; i++) {
        low = i == 0 || numbers[i] < low ? numbers[i] : low;
        high = i == 0 || numbers[i] > high ? numbers[i] : high;
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t c = 0; c < 4; c++) {
            float value = plane->element == 1 ? ((const cl_uchar *)elements)[first + i]
                                              : numbers[channels * i + c % channels];

            value = (value - low) / (high > low ? high - low : 1);
            value = warm ? 3 * value - (float)c : value;
            pixels[4 * i + c] = c == 3 ? 255 : (unsigned char)(between(value, 0, 1) * 255 + 0.5f);
        }
    }
    failed = png_file_write(path, (unsigned)plane->width, (unsigned)plane->height, pixels);
    free(pixels);
    return failed ? PLANES_FILE_ERROR : PLANES_OK;
}

static cl_int save_raw(const char *path, const Plane *plane, const void *elements)
{
    const size_t count = count_of(plane);
    FILE *file = fopen(path, "wb");
    int complete;

    if (file == NULL) {
        perror(path);
        return PLANES_FILE_ERROR;
    }
    complete = fwrite(elements, plane->element, count, file) == count;
    return fclose(file) == 0 && complete ? PLANES_OK : PLANES_FILE_ERROR;
}

cl_int app_save(const App *app, const Plane *plane, int warm)
{
    void *elements = malloc(count_of(plane) * plane->element);
    cl_int status = PLANES_NO_MEMORY;

    if (elements != NULL)
        status = plane_read(plane, elements);
    if (status == PLANES_OK && app->picture != NULL)
        status = save_picture(app->picture, plane, elements, warm);
    if (status == PLANES_OK && app->raw != NULL)
        status = save_raw(app->raw, plane, elements);
    free(elements);
    return status;
}

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

void app_end(App *app)
{
    if (app->repeats > 1) {
        qsort(app->times, (size_t)app->timed, sizeof *app->times, ascending);
        printf("time_ms: %.6f\n", app->times[app->timed / 2]);
    }
    free(app->times);
}
