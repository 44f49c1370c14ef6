#define _POSIX_C_SOURCE 200112L /* getopt, clock_gettime */

#include "app.h"
#include "png_file.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void app_failed(const char *file, int line, cl_int status)
{
    static const char *const messages[] = {
        "no error",
        "the sizes of the pictures do not fit together",
        "the result is also a source",
        "no OpenCL device was found",
        "out of host memory",
        "a file could not be read or written",
    };

    if (status >= 0 && (size_t)status < sizeof messages / sizeof messages[0])
        fprintf(stderr, "%s:%d: %s\n", file, line, messages[status]);
    else
        fprintf(stderr, "%s:%d: OpenCL error %d\n", file, line, (int)status);
    image_finish(); /* drivers have crashed where programs end while kernels run */
}

/* A whole number between 1 and INT_MAX, or 0. */
static long positive(const char *text)
{
    char *end;

    errno = 0;
    long value = strtol(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' && value > 0 && value <= INT_MAX ? value : 0;
}

cl_int app_begin(App *app, int argc, char **argv)
{
    int option;

    memset(app, 0, sizeof *app);
    app->size = 512;
    app->repeats = 1;
    while ((option = getopt(argc, argv, "i:j:n:r:o:d:")) != -1) {
        if (option == 'i' || option == 'j')
            app->paths[option - 'i'] = optarg;
        else if (option == 'n')
            app->size = (cl_uint)positive(optarg);
        else if (option == 'r')
            app->repeats = (int)positive(optarg);
        else if (option == 'o')
            app->picture = optarg;
        else if (option == 'd')
            app->raw = optarg;
        if (option == '?' || app->size == 0 || app->repeats == 0) {
            fprintf(stderr,
                    "usage: %s [-i PNG] [-j PNG] [-n SIZE] [-r REPEATS] [-o PNG] [-d FILE]\n",
                    argv[0]);
            exit(EXIT_FAILURE);
        }
    }

    app->times = calloc((size_t)app->repeats, sizeof *app->times);
    if (app->times == NULL)
        return IMAGE_NO_MEMORY;
    return image_init();
}

/* Rings and a gradient, so that there is something to see; the second one is another one. */
static void make_up(Image *image, int number)
{
    const float middle_x = image->width * (number ? 0.3f : 0.5f);
    const float middle_y = image->height * (number ? 0.7f : 0.5f);

    for (cl_uint y = 0; y < image->height; y++) {
        for (cl_uint x = 0; x < image->width; x++) {
            cl_float4 *pixel = &image->host[(size_t)y * image->width + x];
            const float away = hypotf(x - middle_x, y - middle_y) / image->width;

            pixel->s[0] = 0.5f + 0.5f * sinf(40 * away + number);
            pixel->s[1] = (float)x / image->width;
            pixel->s[2] = (float)y / image->height;
            pixel->s[3] = 1;
        }
    }
}

cl_int app_picture(App *app, Image *image, int number)
{
    unsigned width, height;
    unsigned char *pixels;
    cl_int status;

    if (app->paths[number] == NULL) {
        status = image_create(image, app->size, app->size);
        if (status == IMAGE_OK)
            make_up(image, number);
        return status;
    }
    if (png_file_read(app->paths[number], &width, &height, &pixels) != 0)
        return IMAGE_FILE_ERROR;
    status = image_create(image, width, height);
    for (size_t i = 0; status == IMAGE_OK && i < (size_t)width * height; i++) {
        for (int c = 0; c < 4; c++)
            image->host[i].s[c] = pixels[4 * i + (size_t)c] / 255.0f;
    }
    free(pixels);
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
    cl_int status = image_finish();

    if (app->timed < app->repeats)
        app->times[app->timed++] = now_ms() - app->started;
    return status;
}

static cl_int save_picture(const char *path, const Image *image)
{
    const size_t count = (size_t)image->width * image->height;
    unsigned char *pixels = malloc(4 * count);
    int failed;

    if (pixels == NULL)
        return IMAGE_NO_MEMORY;
    for (size_t i = 0; i < count; i++) {
        for (int c = 0; c < 4; c++) {
            const float value = fminf(fmaxf(image->host[i].s[c], 0), 1);
            pixels[4 * i + (size_t)c] = (unsigned char)(value * 255 + 0.5f);
        }
    }
    failed = png_file_write(path, image->width, image->height, pixels);
    free(pixels);
    return failed ? IMAGE_FILE_ERROR : IMAGE_OK;
}

static cl_int save_raw(const char *path, const Image *image)
{
    const size_t count = (size_t)image->width * image->height;
    FILE *file = fopen(path, "wb");
    int complete;

    if (file == NULL) {
        perror(path);
        return IMAGE_FILE_ERROR;
    }
    complete = fwrite(image->host, sizeof(cl_float4), count, file) == count;
    return fclose(file) == 0 && complete ? IMAGE_OK : IMAGE_FILE_ERROR;
}

cl_int app_save(App *app, Image *image)
{
    cl_int status = image_on_host(image);

    if (status == IMAGE_OK && app->picture != NULL)
        status = save_picture(app->picture, image);
    if (status == IMAGE_OK && app->raw != NULL)
        status = save_raw(app->raw, image);
    return status;
}

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

cl_int app_end(App *app)
{
    if (app->repeats > 1) {
        qsort(app->times, (size_t)app->timed, sizeof *app->times, ascending);
        printf("time_ms: %.6f\n", app->times[app->timed / 2]);
    }
    free(app->times);
    image_shutdown();
    return IMAGE_OK;
}
