/*
 * The host side of the image library over images of OpenCL (image2d_t): see image.h for
 * what it promises.
 *
 * With IMAGE_CHANNELS=8 in the environment the device keeps pictures in bytes: a quarter
 * of the memory, and every operation's result is rounded to 1/255.
 */
#include "image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef IMAGE_CL
#define IMAGE_CL "texture.cl"
#endif

/* Items of a work-group: rows are long, so that neighbours read neighbours. */
#define GROUP_WIDTH 32
#define GROUP_HEIGHT 8

/* Width and height of what a picture may be resized to: see step_of. */
#define LONGEST 32768

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

/* Of all pictures on the device. */
static cl_image_format format = {CL_RGBA, CL_FLOAT};

static cl_kernel to_hsv_kernel;
static cl_kernel to_rgb_kernel;
static cl_kernel colorize_kernel;
static cl_kernel greyscale_kernel;
static cl_kernel threshold_kernel;
static cl_kernel levels_kernel;
static cl_kernel invert_kernel;
static cl_kernel binary_kernel;
static cl_kernel resize_kernel;
static cl_kernel crop_kernel;
static cl_kernel convolve_3_kernel;
static cl_kernel convolve_5_kernel;

/* ---- Start and end ---- */

static cl_int read_file(char **text, const char *path)
{
    FILE *file = fopen(path, "rb");
    long size = -1;

    *text = NULL;
    if (file == NULL)
        return IMAGE_FILE_ERROR;
    if (fseek(file, 0, SEEK_END) == 0)
        size = ftell(file);
    if (size >= 0 && fseek(file, 0, SEEK_SET) == 0)
        *text = calloc((size_t)size + 1, 1);
    if (*text != NULL && fread(*text, 1, (size_t)size, file) != (size_t)size) {
        free(*text);
        *text = NULL;
    }
    fclose(file);
    return *text != NULL ? IMAGE_OK : IMAGE_FILE_ERROR;
}

/* The first device of the first platform that has one. */
static cl_int find_device(cl_device_id *device)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;

    CHECK(clGetPlatformIDs(16, platforms, &count));
    for (cl_uint i = 0; i < count && i < 16; i++) {
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, device, NULL) == CL_SUCCESS)
            return IMAGE_OK;
    }
    return IMAGE_NO_DEVICE;
}

static void print_build_log(cl_device_id device)
{
    char log[8192];
    cl_int status = clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG,
                                          sizeof log - 1, log, NULL);

    log[sizeof log - 1] = '\0';
    if (status == CL_SUCCESS)
        fprintf(stderr, "image: the kernels do not build:\n%s\n", log);
}

static cl_int build_program(cl_device_id device)
{
    const char *path = getenv("IMAGE_CL");
    char *source;
    cl_int status;

    if (path == NULL)
        path = IMAGE_CL;
    status = read_file(&source, path);
    if (status != IMAGE_OK)
        fprintf(stderr, "image: cannot read %s\n", path);
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

    to_hsv_kernel = clCreateKernel(program, "to_hsv", &status);
    CHECK(status);
    to_rgb_kernel = clCreateKernel(program, "to_rgb", &status);
    CHECK(status);
    colorize_kernel = clCreateKernel(program, "colorize", &status);
    CHECK(status);
    greyscale_kernel = clCreateKernel(program, "greyscale", &status);
    CHECK(status);
    threshold_kernel = clCreateKernel(program, "threshold", &status);
    CHECK(status);
    levels_kernel = clCreateKernel(program, "levels", &status);
    CHECK(status);
    invert_kernel = clCreateKernel(program, "invert", &status);
    CHECK(status);
    binary_kernel = clCreateKernel(program, "binary", &status);
    CHECK(status);
    resize_kernel = clCreateKernel(program, "resize", &status);
    CHECK(status);
    crop_kernel = clCreateKernel(program, "crop", &status);
    CHECK(status);
    convolve_3_kernel = clCreateKernel(program, "convolve_3", &status);
    CHECK(status);
    convolve_5_kernel = clCreateKernel(program, "convolve_5", &status);
    return status;
}

static cl_int start(void)
{
    const char *channels = getenv("IMAGE_CHANNELS");
    cl_device_id device;
    cl_int status;

    format.image_channel_data_type =
        channels != NULL && strcmp(channels, "8") == 0 ? CL_UNORM_INT8 : CL_FLOAT;
    CHECK(find_device(&device));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    CHECK(status);
    queue = clCreateCommandQueue(context, device, 0, &status);
    CHECK(status);
    CHECK(build_program(device));
    return create_kernels();
}

cl_int image_init(void)
{
    cl_int status = start();

    if (status != IMAGE_OK)
        image_shutdown(); /* releases what start() had got */
    return status;
}

static void release_kernel(cl_kernel *kernel)
{
    if (*kernel != NULL)
        clReleaseKernel(*kernel);
    *kernel = NULL;
}

static void release_memory(cl_mem *memory)
{
    if (*memory != NULL)
        clReleaseMemObject(*memory);
    *memory = NULL;
}

void image_shutdown(void)
{
    release_kernel(&to_hsv_kernel);
    release_kernel(&to_rgb_kernel);
    release_kernel(&colorize_kernel);
    release_kernel(&greyscale_kernel);
    release_kernel(&threshold_kernel);
    release_kernel(&levels_kernel);
    release_kernel(&invert_kernel);
    release_kernel(&binary_kernel);
    release_kernel(&resize_kernel);
    release_kernel(&crop_kernel);
    release_kernel(&convolve_3_kernel);
    release_kernel(&convolve_5_kernel);

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

cl_int image_finish(void)
{
    return clFinish(queue);
}

/* ---- Objects ---- */

cl_int image_create(Image *image, cl_uint width, cl_uint height)
{
    const size_t count = (size_t)width * height;
    cl_image_desc shape = {0};
    cl_int status = IMAGE_NO_MEMORY;

    shape.image_type = CL_MEM_OBJECT_IMAGE2D;
    shape.image_width = width;
    shape.image_height = height;
    memset(image, 0, sizeof *image);
    if (count == 0)
        return IMAGE_BAD_SIZE;
    image->width = width;
    image->height = height;
    image->newer = IMAGE_HOST;
    image->host = calloc(count, sizeof(cl_float4));
    if (image->host != NULL)
        image->device =
            clCreateImage(context, CL_MEM_READ_WRITE, &format, &shape, NULL, &status);
    if (status != IMAGE_OK)
        image_free(image);
    return status;
}

void image_free(Image *image)
{
    release_memory(&image->device);
    free(image->host);
    memset(image, 0, sizeof *image);
}

cl_int matrix_create(Matrix *matrix, cl_uint size, const cl_float *weights)
{
    const size_t bytes = (size_t)size * size * sizeof(cl_float);
    cl_int status = IMAGE_NO_MEMORY;

    memset(matrix, 0, sizeof *matrix);
    if (size != 3 && size != 5)
        return IMAGE_BAD_SIZE;
    matrix->size = size;
    matrix->newer = IMAGE_HOST;
    matrix->host = malloc(bytes);
    if (matrix->host != NULL) {
        memcpy(matrix->host, weights, bytes);
        matrix->device = clCreateBuffer(context, CL_MEM_READ_ONLY, bytes, NULL, &status);
    }
    if (status != IMAGE_OK)
        matrix_free(matrix);
    return status;
}

void matrix_free(Matrix *matrix)
{
    release_memory(&matrix->device);
    free(matrix->host);
    memset(matrix, 0, sizeof *matrix);
}

cl_int matrix_blur(Matrix *matrix)
{
    static const cl_float weights[] = {
        1 / 16.0f, 2 / 16.0f, 1 / 16.0f,
        2 / 16.0f, 4 / 16.0f, 2 / 16.0f,
        1 / 16.0f, 2 / 16.0f, 1 / 16.0f,
    };

    return matrix_create(matrix, 3, weights);
}

cl_int matrix_soften(Matrix *matrix)
{
    static const cl_float row[] = {1 / 16.0f, 4 / 16.0f, 6 / 16.0f, 4 / 16.0f, 1 / 16.0f};
    cl_float weights[25];

    for (int i = 0; i < 25; i++)
        weights[i] = row[i / 5] * row[i % 5];
    return matrix_create(matrix, 5, weights);
}

cl_int matrix_sharpen(Matrix *matrix)
{
    static const cl_float weights[] = {0, -1, 0, -1, 5, -1, 0, -1, 0};

    return matrix_create(matrix, 3, weights);
}

cl_int matrix_edges(Matrix *matrix)
{
    static const cl_float weights[] = {-1, -1, -1, -1, 8, -1, -1, -1, -1};

    return matrix_create(matrix, 3, weights);
}

/* ---- Mirroring ---- */

static unsigned char byte_of(cl_float value)
{
    return (unsigned char)(value <= 0 ? 0 : value >= 1 ? 255 : value * 255 + 0.5f);
}

/* Between the host's pixels and the device's, if those are bytes: in a copy. */
static cl_int move_bytes(Image *image, int to_device)
{
    const size_t origin[3] = {0, 0, 0}, region[3] = {image->width, image->height, 1};
    const size_t count = (size_t)image->width * image->height;
    unsigned char *bytes = malloc(4 * count);
    cl_int status;

    if (bytes == NULL)
        return IMAGE_NO_MEMORY;
    for (size_t i = 0; to_device && i < 4 * count; i++)
        bytes[i] = byte_of(image->host[i / 4].s[i % 4]);
    if (to_device)
        status = clEnqueueWriteImage(queue, image->device, CL_TRUE, origin, region, 0, 0, bytes,
                                     0, NULL, NULL);
    else
        status = clEnqueueReadImage(queue, image->device, CL_TRUE, origin, region, 0, 0, bytes,
                                    0, NULL, NULL);
    for (size_t i = 0; status == CL_SUCCESS && !to_device && i < 4 * count; i++)
        image->host[i / 4].s[i % 4] = bytes[i] / 255.0f;
    free(bytes);
    return status;
}

cl_int image_on_host(Image *image)
{
    const size_t origin[3] = {0, 0, 0}, region[3] = {image->width, image->height, 1};

    if (image->newer == IMAGE_DEVICE) {
        if (format.image_channel_data_type != CL_FLOAT)
            CHECK(move_bytes(image, 0));
        else
            CHECK(clEnqueueReadImage(queue, image->device, CL_TRUE, origin, region, 0, 0,
                                     image->host, 0, NULL, NULL));
        image->newer = IMAGE_NEITHER;
    }
    return IMAGE_OK;
}

void image_changed(Image *image)
{
    image->newer = IMAGE_HOST;
}

static cl_int image_to_device(Image *image)
{
    const size_t origin[3] = {0, 0, 0}, region[3] = {image->width, image->height, 1};

    if (image->newer == IMAGE_HOST) {
        if (format.image_channel_data_type != CL_FLOAT)
            CHECK(move_bytes(image, 1));
        else
            CHECK(clEnqueueWriteImage(queue, image->device, CL_TRUE, origin, region, 0, 0,
                                      image->host, 0, NULL, NULL));
        image->newer = IMAGE_NEITHER;
    }
    return IMAGE_OK;
}

static cl_int matrix_to_device(Matrix *matrix)
{
    if (matrix->newer == IMAGE_HOST) {
        CHECK(clEnqueueWriteBuffer(queue, matrix->device, CL_TRUE, 0,
                                   (size_t)matrix->size * matrix->size * sizeof(cl_float),
                                   matrix->host, 0, NULL, NULL));
        matrix->newer = IMAGE_NEITHER;
    }
    return IMAGE_OK;
}

/* ---- Operations ---- */

/* The least multiple of the group's size that covers n items. */
static size_t whole_groups(cl_uint n, size_t group)
{
    return ((size_t)n + group - 1) / group * group;
}

/* One item for each pixel of the result. */
static cl_int launch(cl_kernel kernel, const Image *result)
{
    const size_t local[2] = {GROUP_WIDTH, GROUP_HEIGHT};
    const size_t global[2] = {
        whole_groups(result->width, GROUP_WIDTH),
        whole_groups(result->height, GROUP_HEIGHT),
    };

    return clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL);
}

static int same_size(const Image *a, const Image *b)
{
    return a->width == b->width && a->height == b->height;
}

cl_int image_to_hsv(Image *result, Image *source)
{
    if (!same_size(result, source))
        return IMAGE_BAD_SIZE;
    if (result->device == source->device)
        return IMAGE_ALIASED;
    CHECK(image_to_device(source));
    CHECK(clSetKernelArg(to_hsv_kernel, 0, sizeof(cl_mem), &result->device));
    CHECK(clSetKernelArg(to_hsv_kernel, 1, sizeof(cl_mem), &source->device));
    CHECK(clSetKernelArg(to_hsv_kernel, 2, sizeof(cl_uint), &result->width));
    CHECK(clSetKernelArg(to_hsv_kernel, 3, sizeof(cl_uint), &result->height));
    CHECK(launch(to_hsv_kernel, result));
    result->newer = IMAGE_DEVICE;
    return IMAGE_OK;
}

cl_int image_to_rgb(Image *result, Image *source)
{
    if (!same_size(result, source))
        return IMAGE_BAD_SIZE;
    if (result->device == source->device)
        return IMAGE_ALIASED;
    CHECK(image_to_device(source));
    CHECK(clSetKernelArg(to_rgb_kernel, 0, sizeof(cl_mem), &result->device));
    CHECK(clSetKernelArg(to_rgb_kernel, 1, sizeof(cl_mem), &source->device));
    CHECK(clSetKernelArg(to_rgb_kernel, 2, sizeof(cl_uint), &result->width));
    CHECK(clSetKernelArg(to_rgb_kernel, 3, sizeof(cl_uint), &result->height));
    CHECK(launch(to_rgb_kernel, result));
    result->newer = IMAGE_DEVICE;
    return IMAGE_OK;
}

cl_int image_colorize(Image *result, Image *source, cl_float hue)
{
    if (!same_size(result, source))
        return IMAGE_BAD_SIZE;
    if (result->device == source->device)
        return IMAGE_ALIASED;
    CHECK(image_to_device(source));
    CHECK(clSetKernelArg(colorize_kernel, 0, sizeof(cl_mem), &result->device));
    CHECK(clSetKernelArg(colorize_kernel, 1, sizeof(cl_mem), &source->device));
    CHECK(clSetKernelArg(colorize_kernel, 2, sizeof(cl_float), &hue));
    CHECK(clSetKernelArg(colorize_kernel, 3, sizeof(cl_uint), &result->width));
    CHECK(clSetKernelArg(colorize_kernel, 4, sizeof(cl_uint), &result->height));
    CHECK(launch(colorize_kernel, result));
    result->newer = IMAGE_DEVICE;
    return IMAGE_OK;
}

cl_int image_greyscale(Image *result, Image *source)
{
    if (!same_size(result, source))
        return IMAGE_BAD_SIZE;
    if (result->device == source->device)
        return IMAGE_ALIASED;
    CHECK(image_to_device(source));
    CHECK(clSetKernelArg(greyscale_kernel, 0, sizeof(cl_mem), &result->device));
    CHECK(clSetKernelArg(greyscale_kernel, 1, sizeof(cl_mem), &source->device));
    CHECK(clSetKernelArg(greyscale_kernel, 2, sizeof(cl_uint), &result->width));
    CHECK(clSetKernelArg(greyscale_kernel, 3, sizeof(cl_uint), &result->height));
    CHECK(launch(greyscale_kernel, result));
    result->newer = IMAGE_DEVICE;
    return IMAGE_OK;
}

cl_int image_threshold(Image *result, Image *source, cl_float level)
{
    if (!same_size(result, source))
        return IMAGE_BAD_SIZE;
    if (result->device == source->device)
        return IMAGE_ALIASED;
    CHECK(image_to_device(source));
    CHECK(clSetKernelArg(threshold_kernel, 0, sizeof(cl_mem), &result->device));
    CHECK(clSetKernelArg(threshold_kernel, 1, sizeof(cl_mem), &source->device));
    CHECK(clSetKernelArg(threshold_kernel, 2, sizeof(cl_float), &level));
    CHECK(clSetKernelArg(threshold_kernel, 3, sizeof(cl_uint), &result->width));
    CHECK(clSetKernelArg(threshold_kernel, 4, sizeof(cl_uint), &result->height));
    CHECK(launch(threshold_kernel, result));
    result->newer = IMAGE_DEVICE;
    return IMAGE_OK;
}

cl_int image_levels(Image *result, Image *source, cl_float black, cl_float white, cl_float gamma)
{
    if (!same_size(result, source))
        return IMAGE_BAD_SIZE;
    if (result->device == source->device)
        return IMAGE_ALIASED;
    CHECK(image_to_device(source));
    CHECK(clSetKernelArg(levels_kernel, 0, sizeof(cl_mem), &result->device));
    CHECK(clSetKernelArg(levels_kernel, 1, sizeof(cl_mem), &source->device));
    CHECK(clSetKernelArg(levels_kernel, 2, sizeof(cl_float), &black));
    CHECK(clSetKernelArg(levels_kernel, 3, sizeof(cl_float), &white));
    CHECK(clSetKernelArg(levels_kernel, 4, sizeof(cl_float), &gamma));
    CHECK(clSetKernelArg(levels_kernel, 5, sizeof(cl_uint), &result->width));
    CHECK(clSetKernelArg(levels_kernel, 6, sizeof(cl_uint), &result->height));
    CHECK(launch(levels_kernel, result));
    result->newer = IMAGE_DEVICE;
    return IMAGE_OK;
}

cl_int image_invert(Image *result, Image *source)
{
    if (!same_size(result, source))
        return IMAGE_BAD_SIZE;
    if (result->device == source->device)
        return IMAGE_ALIASED;
    CHECK(image_to_device(source));
    CHECK(clSetKernelArg(invert_kernel, 0, sizeof(cl_mem), &result->device));
    CHECK(clSetKernelArg(invert_kernel, 1, sizeof(cl_mem), &source->device));
    CHECK(clSetKernelArg(invert_kernel, 2, sizeof(cl_uint), &result->width));
    CHECK(clSetKernelArg(invert_kernel, 3, sizeof(cl_uint), &result->height));
    CHECK(launch(invert_kernel, result));
    result->newer = IMAGE_DEVICE;
    return IMAGE_OK;
}

cl_int image_binary(Image *result, Image *left, Image *right, ImageOperator operator)
{
    const cl_int number = (cl_int)operator;

    if (!same_size(result, left) || !same_size(result, right))
        return IMAGE_BAD_SIZE;
    if (result->device == left->device || result->device == right->device)
        return IMAGE_ALIASED;
    CHECK(image_to_device(left));
    CHECK(image_to_device(right));
    CHECK(clSetKernelArg(binary_kernel, 0, sizeof(cl_mem), &result->device));
    CHECK(clSetKernelArg(binary_kernel, 1, sizeof(cl_mem), &left->device));
    CHECK(clSetKernelArg(binary_kernel, 2, sizeof(cl_mem), &right->device));
    CHECK(clSetKernelArg(binary_kernel, 3, sizeof(cl_int), &number));
    CHECK(clSetKernelArg(binary_kernel, 4, sizeof(cl_uint), &result->width));
    CHECK(clSetKernelArg(binary_kernel, 5, sizeof(cl_uint), &result->height));
    CHECK(launch(binary_kernel, result));
    result->newer = IMAGE_DEVICE;
    return IMAGE_OK;
}

/* Half of source over result, times 2^32, rounded up: exact for results up to LONGEST. */
static cl_ulong step_of(cl_uint source, cl_uint result)
{
    const cl_ulong twice = 2 * (cl_ulong)result;

    return (((cl_ulong)source << 32) + twice - 1) / twice;
}

cl_int image_resize(Image *result, Image *source)
{
    const cl_ulong x_step = step_of(source->width, result->width);
    const cl_ulong y_step = step_of(source->height, result->height);

    if (result->width > LONGEST || result->height > LONGEST)
        return IMAGE_BAD_SIZE;
    if (result->device == source->device)
        return IMAGE_ALIASED;
    CHECK(image_to_device(source));
    CHECK(clSetKernelArg(resize_kernel, 0, sizeof(cl_mem), &result->device));
    CHECK(clSetKernelArg(resize_kernel, 1, sizeof(cl_mem), &source->device));
    CHECK(clSetKernelArg(resize_kernel, 2, sizeof(cl_ulong), &x_step));
    CHECK(clSetKernelArg(resize_kernel, 3, sizeof(cl_ulong), &y_step));
    CHECK(clSetKernelArg(resize_kernel, 4, sizeof(cl_uint), &result->width));
    CHECK(clSetKernelArg(resize_kernel, 5, sizeof(cl_uint), &result->height));
    CHECK(launch(resize_kernel, result));
    result->newer = IMAGE_DEVICE;
    return IMAGE_OK;
}

cl_int image_crop(Image *result, Image *source, cl_uint left, cl_uint top)
{
    if (left + result->width > source->width || top + result->height > source->height)
        return IMAGE_BAD_SIZE;
    if (result->device == source->device)
        return IMAGE_ALIASED;
    CHECK(image_to_device(source));
    CHECK(clSetKernelArg(crop_kernel, 0, sizeof(cl_mem), &result->device));
    CHECK(clSetKernelArg(crop_kernel, 1, sizeof(cl_mem), &source->device));
    CHECK(clSetKernelArg(crop_kernel, 2, sizeof(cl_uint), &left));
    CHECK(clSetKernelArg(crop_kernel, 3, sizeof(cl_uint), &top));
    CHECK(clSetKernelArg(crop_kernel, 4, sizeof(cl_uint), &result->width));
    CHECK(clSetKernelArg(crop_kernel, 5, sizeof(cl_uint), &result->height));
    CHECK(launch(crop_kernel, result));
    result->newer = IMAGE_DEVICE;
    return IMAGE_OK;
}

cl_int image_convolve_3(Image *result, Image *source, Matrix *matrix)
{
    if (matrix->size != 3 || !same_size(result, source))
        return IMAGE_BAD_SIZE;
    if (result->device == source->device)
        return IMAGE_ALIASED;
    CHECK(image_to_device(source));
    CHECK(matrix_to_device(matrix));
    CHECK(clSetKernelArg(convolve_3_kernel, 0, sizeof(cl_mem), &result->device));
    CHECK(clSetKernelArg(convolve_3_kernel, 1, sizeof(cl_mem), &source->device));
    CHECK(clSetKernelArg(convolve_3_kernel, 2, sizeof(cl_mem), &matrix->device));
    CHECK(clSetKernelArg(convolve_3_kernel, 3, sizeof(cl_uint), &result->width));
    CHECK(clSetKernelArg(convolve_3_kernel, 4, sizeof(cl_uint), &result->height));
    CHECK(launch(convolve_3_kernel, result));
    result->newer = IMAGE_DEVICE;
    return IMAGE_OK;
}

cl_int image_convolve_5(Image *result, Image *source, Matrix *matrix)
{
    if (matrix->size != 5 || !same_size(result, source))
        return IMAGE_BAD_SIZE;
    if (result->device == source->device)
        return IMAGE_ALIASED;
    CHECK(image_to_device(source));
    CHECK(matrix_to_device(matrix));
    CHECK(clSetKernelArg(convolve_5_kernel, 0, sizeof(cl_mem), &result->device));
    CHECK(clSetKernelArg(convolve_5_kernel, 1, sizeof(cl_mem), &source->device));
    CHECK(clSetKernelArg(convolve_5_kernel, 2, sizeof(cl_mem), &matrix->device));
    CHECK(clSetKernelArg(convolve_5_kernel, 3, sizeof(cl_uint), &result->width));
    CHECK(clSetKernelArg(convolve_5_kernel, 4, sizeof(cl_uint), &result->height));
    CHECK(launch(convolve_5_kernel, result));
    result->newer = IMAGE_DEVICE;
    return IMAGE_OK;
}
