/*
 * Separable convolution: 17 x 17 weights that are products of 17 and 17, first along the rows,
 * then along the columns.
 */
#include "convolution.h"

int main(int argc, char **argv)
{
    App app;
    Plane picture, weights, rows, result;

    TRY(app_begin(&app, argc, argv));
    TRY(convolution_init());
    TRY(app_plane(&app, &picture, sizeof(cl_float)));
    TRY(app_plane(&app, &rows, sizeof(cl_float)));
    TRY(app_plane(&app, &result, sizeof(cl_float)));
    TRY(app_make_up(&picture, 1, 0, 1));
    TRY(convolution_bell(&weights));

    for (int repeat = 0; repeat < app.repeats; repeat++) {
        app_start(&app);
#pragma kfuse(picture, weights, out(result))
        {
            TRY(convolution_row(&rows, &picture, &weights));
            TRY(convolution_column(&result, &rows, &weights));
        }
        TRY(app_stop(&app));
    }
    TRY(app_save(&app, &result, 0));

    convolution_shutdown();
    app_end(&app);
    return EXIT_SUCCESS;
}
