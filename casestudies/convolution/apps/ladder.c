/*
 * A picture under a light, blurred with 17 x 17 weights in one of the ways that the thesis
 * compares: RUNG 1, as written; 2, with a tile in local memory; 3, rows and then columns with
 * tiles.  (Rows and columns without tiles are in separable.c.)
 */
#include "convolution.h"

#ifndef RUNG
#define RUNG 1
#endif

int main(int argc, char **argv)
{
    App app;
    Plane picture, light, lit, result;

    TRY(app_begin(&app, argc, argv));
    TRY(convolution_init());
    TRY(app_plane(&app, &picture, sizeof(cl_float)));
    TRY(app_plane(&app, &light, sizeof(cl_float)));
    TRY(app_plane(&app, &lit, sizeof(cl_float)));
    TRY(app_plane(&app, &result, sizeof(cl_float)));
    TRY(app_make_up(&picture, 1, 0, 1));
    TRY(app_make_up(&light, 2, 0, 1));
#if RUNG < 3
    Plane weights_2d;
    TRY(convolution_bell_2d(&weights_2d));
#else
    Plane weights, rows;
    TRY(app_plane(&app, &rows, sizeof(cl_float)));
    TRY(convolution_bell(&weights));
#endif

    for (int repeat = 0; repeat < app.repeats; repeat++) {
        app_start(&app);
#pragma kfuse(picture, light, out(result))
        {
            TRY(convolution_product(&lit, &picture, &light));
#if RUNG == 1
            TRY(convolution_full(&result, &lit, &weights_2d));
#elif RUNG == 2
            TRY(convolution_full_tile(&result, &lit, &weights_2d));
#else
            TRY(convolution_row_tile(&rows, &lit, &weights));
            TRY(convolution_column_tile(&result, &rows, &weights));
#endif
        }
        TRY(app_stop(&app));
    }
    TRY(app_save(&app, &result, 0));

    convolution_shutdown();
    app_end(&app);
    return EXIT_SUCCESS;
}
