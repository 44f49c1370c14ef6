#define _POSIX_C_SOURCE 200112L /* getopt, clock_gettime */

#include "app.h"

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
        "the sizes of the operands do not fit together",
        "an output is also an input",
        "no OpenCL device was found",
        "out of host memory",
        "a file could not be read or written",
    };

    if (status >= 0 && (size_t)status < sizeof messages / sizeof messages[0])
        fprintf(stderr, "%s:%d: %s\n", file, line, messages[status]);
    else
        fprintf(stderr, "%s:%d: OpenCL error %d\n", file, line, (int)status);
}

/* A whole number between 1 and INT_MAX, or 0. */
static long positive(const char *text)
{
    char *end;

    errno = 0;
    long value = strtol(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' && value > 0 && value <= INT_MAX ? value : 0;
}

cl_int app_begin(App *app, int argc, char **argv, cl_uint default_n)
{
    const char *path = NULL;
    int option;

    memset(app, 0, sizeof *app);
    app->n = default_n;
    app->repeats = 1;
    while ((option = getopt(argc, argv, "n:r:o:")) != -1) {
        if (option == 'n')
            app->n = (cl_uint)positive(optarg);
        else if (option == 'r')
            app->repeats = (int)positive(optarg);
        else if (option == 'o')
            path = optarg;
        if (option == '?' || app->n == 0 || app->repeats == 0) {
            fprintf(stderr, "usage: %s [-n SIZE] [-r REPEATS] [-o FILE]\n", argv[0]);
            exit(EXIT_FAILURE);
        }
    }

    app->times = calloc((size_t)app->repeats, sizeof *app->times);
    if (app->times == NULL)
        return LINALG_NO_MEMORY;
    if (path != NULL) {
        app->output = fopen(path, "wb");
        if (app->output == NULL) {
            perror(path);
            return LINALG_FILE_ERROR;
        }
    }
    return linalg_init();
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
    cl_int status = linalg_finish();

    if (app->timed < app->repeats)
        app->times[app->timed++] = now_ms() - app->started;
    return status;
}

void app_random(real *values, size_t count, unsigned seed, double low, double high)
{
    /* A linear congruential generator: 24 good bits are all that a float holds. */
    unsigned long long state = seed;

    for (size_t i = 0; i < count; i++) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        values[i] = (real)(low + (high - low) * ((double)(state >> 40) / 16777216.0));
    }
}

double app_tolerance(void)
{
    return sizeof(real) == sizeof(float) ? 1e-5 : 1e-13;
}

int app_close(const char *name, size_t index, double value, double expected)
{
    /* Negated, so that a NaN is not close to anything. */
    if (!(fabs(value - expected) <= app_tolerance() * (1 + fabs(expected)))) {
        fprintf(stderr, "%s[%lu] is %.17g, not %.17g\n", name, (unsigned long)index, value,
                expected);
        return 0;
    }
    return 1;
}

cl_int app_save(App *app, Vector *v)
{
    cl_int status = vector_on_host(v);

    if (status == LINALG_OK && app->output != NULL
        && fwrite(v->host, sizeof(real), v->n, app->output) != v->n)
        status = LINALG_FILE_ERROR;
    return status;
}

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

cl_int app_end(App *app)
{
    cl_int status = LINALG_OK;

    if (app->repeats > 1) {
        qsort(app->times, (size_t)app->timed, sizeof *app->times, ascending);
        printf("time_ms: %.6f\n", app->times[app->timed / 2]);
    }
    free(app->times);
    if (app->output != NULL && fclose(app->output) != 0)
        status = LINALG_FILE_ERROR;
    linalg_shutdown();
    return status;
}
