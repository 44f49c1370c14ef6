/*
 * planes: what the case studies `convolution` and `stencil` share.  A device and its kernels,
 * arrays of one, two or three dimensions in its memory, and what a program with a region
 * needs besides: options, made-up data, times, results as numbers and as a picture.
 *
 * All functions return PLANES_OK, one of the codes below (positive), or the OpenCL error
 * (negative) of the call that failed.
 */
#ifndef PLANES_H
#define PLANES_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    PLANES_OK = CL_SUCCESS,
    PLANES_BAD_SIZE = 1, /* the sizes of the arrays do not fit together */
    PLANES_ALIASED,      /* the result may not be this array */
    PLANES_NO_DEVICE,    /* no OpenCL device was found */
    PLANES_NO_MEMORY,    /* host memory is exhausted */
    PLANES_FILE_ERROR    /* a file could not be read or written */
};

/* The first failing call ends the function that made it. */
#define CHECK(call)                \
    do {                           \
        cl_int status_ = (call);   \
        if (status_ != CL_SUCCESS) \
            return status_;        \
    } while (0)

/* Element (x, y, z) is at (z * height + y) * width + x. */
typedef struct {
    cl_int width, height, depth;
    size_t element; /* bytes of one: a float, a float4 or a uchar */
    cl_mem device;
} Plane;

/* One device; the queue is in order. */
extern cl_context planes_context;
extern cl_command_queue planes_queue;
extern cl_program planes_program;

/*
 * Before and after everything else.  The kernels are read from the file that the environment
 * variable names, else from the path.
 */
cl_int planes_init(const char *variable, const char *path);
void planes_shutdown(void);

/* Filled with zeros; a size below one is PLANES_BAD_SIZE.  planes_shutdown releases all. */
cl_int plane_create(Plane *plane, cl_int width, cl_int height, cl_int depth, size_t element);

/* All elements at once. */
cl_int plane_write(Plane *plane, const void *elements);
cl_int plane_read(const Plane *plane, void *elements);

/* ---- Programs ---- */

typedef struct {
    cl_int width, height, depth; /* -n SIZE: all three; -y HEIGHT, -z DEPTH: another one */
    int steps;                   /* -s STEPS: for programs that ask for it */
    int repeats;                 /* -r REPEATS: how often the computation is timed */
    const char *picture;         /* -o FILE: where the result goes as PNG, or NULL */
    const char *raw;             /* -d FILE: where its numbers go, or NULL */
    double started;              /* when the present repetition began */
    double *times;               /* of the repetitions so far, in ms */
    int timed;                   /* how many those are */
} App;

/*
 * Ends the calling function, main as a rule, when a call fails.  Nothing is released then:
 * the program is about to end.
 */
#define TRY(call)                                    \
    do {                                             \
        cl_int status_ = (call);                     \
        if (status_ != CL_SUCCESS) {                 \
            app_failed(__FILE__, __LINE__, status_); \
            return EXIT_FAILURE;                     \
        }                                            \
    } while (0)

void app_failed(const char *file, int line, cl_int status);

/* Reads the options; bad ones end the program. */
cl_int app_begin(App *app, int argc, char **argv);

/* Arrays of two dimensions, and of three. */
cl_int app_plane(const App *app, Plane *plane, size_t element);
cl_int app_volume(const App *app, Plane *plane, size_t element);

/* Squares with noise, the same for the same seed: numbers in a range, or cells of 0 and 1. */
cl_int app_make_up(Plane *plane, unsigned seed, float low, float high);

/* Around each repetition; app_stop waits for the device. */
void app_start(App *app);
cl_int app_stop(App *app);

/*
 * Writes the result to the files that were asked for.  In the picture the middle layer goes from
 * the lowest to the highest number: as grey or, if it is warm, over red and yellow.
 */
cl_int app_save(const App *app, const Plane *plane, int warm);

/* Prints the median time if there were repeats. */
void app_end(App *app);

#endif
