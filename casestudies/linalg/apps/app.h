/* What the applications share: options, input data, timing, output. */
#ifndef APP_H
#define APP_H

#include "linalg.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    cl_uint n;       /* -n SIZE: the size of the problem */
    int repeats;     /* -r REPEATS: how often the computation is timed */
    FILE *output;    /* -o FILE: where the results go as raw binary, or NULL */
    double started;  /* when the present repetition began */
    double *times;   /* of the repetitions so far, in ms */
    int timed;       /* how many those are */
} App;

/*
 * Ends the calling function, main as a rule, when a call fails.  Nothing is
 * released then: the program is about to end.
 */
#define TRY(call)                                   \
    do {                                            \
        cl_int status_ = (call);                    \
        if (status_ != CL_SUCCESS) {                \
            app_failed(__FILE__, __LINE__, status_); \
            return EXIT_FAILURE;                    \
        }                                           \
    } while (0)

void app_failed(const char *file, int line, cl_int status);

/* Reads the options (bad ones end the program) and starts the library. */
cl_int app_begin(App *app, int argc, char **argv, cl_uint default_n);

/* Around each repetition; app_stop waits for the device. */
void app_start(App *app);
cl_int app_stop(App *app);

/* The same numbers for the same seed, everywhere, in [low, high). */
void app_random(real *values, size_t count, unsigned seed, double low, double high);

/* The largest relative difference that rounding explains in short expressions. */
double app_tolerance(void);

/* Whether value is expected, but for rounding; says so on stderr if it is not. */
int app_close(const char *name, size_t index, double value, double expected);

/* Appends a vector to the output file, if one was asked for. */
cl_int app_save(App *app, Vector *v);

/* Prints the median time if there were repeats; ends the library. */
cl_int app_end(App *app);

#endif
