/* What the applications share: options, pictures, timing, output. */
#ifndef APP_H
#define APP_H

#include "image.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    const char *paths[2]; /* -i FILE, -j FILE: PNG files, or NULL for made-up pictures */
    cl_uint size;         /* -n SIZE: the width and height of those */
    int repeats;          /* -r REPEATS: how often the computation is timed */
    const char *picture;  /* -o FILE: where the result goes as PNG, or NULL */
    const char *raw;      /* -d FILE: where its floats go, or NULL */
    double started;       /* when the present repetition began */
    double *times;        /* of the repetitions so far, in ms */
    int timed;            /* how many those are */
} App;

/*
 * Ends the calling function, main as a rule, when a call fails.  Nothing is
 * released then: the program is about to end.
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

/* Reads the options (bad ones end the program) and starts the library. */
cl_int app_begin(App *app, int argc, char **argv);

/* The first or second (0, 1) picture: from its file, or made up. */
cl_int app_picture(App *app, Image *image, int number);

/* Around each repetition; app_stop waits for the device. */
void app_start(App *app);
cl_int app_stop(App *app);

/* Writes the result to the files that were asked for. */
cl_int app_save(App *app, Image *image);

/* Prints the median time if there were repeats; ends the library. */
cl_int app_end(App *app);

#endif
