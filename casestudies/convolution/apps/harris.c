/*
 * Corners (Harris and Stephens): where the picture changes in both directions.  Bright in the
 * picture; edges, where it changes in one, are dark.
 */
#include "convolution.h"

int main(int argc, char **argv)
{
    App app;
    Plane picture, dx, dy, xx, yy, xy, sum_xx, sum_yy, sum_xy, corners;

    TRY(app_begin(&app, argc, argv));
    TRY(convolution_init());
    TRY(app_plane(&app, &picture, sizeof(cl_float)));
    TRY(app_plane(&app, &dx, sizeof(cl_float)));
    TRY(app_plane(&app, &dy, sizeof(cl_float)));
    TRY(app_plane(&app, &xx, sizeof(cl_float)));
    TRY(app_plane(&app, &yy, sizeof(cl_float)));
    TRY(app_plane(&app, &xy, sizeof(cl_float)));
    TRY(app_plane(&app, &sum_xx, sizeof(cl_float)));
    TRY(app_plane(&app, &sum_yy, sizeof(cl_float)));
    TRY(app_plane(&app, &sum_xy, sizeof(cl_float)));
    TRY(app_plane(&app, &corners, sizeof(cl_float)));
    TRY(app_make_up(&picture, 1, 0, 1));

    for (int repeat = 0; repeat < app.repeats; repeat++) {
        app_start(&app);
#pragma kfuse(picture, out(corners))
        {
            TRY(convolution_derivative_x(&dx, &picture));
            TRY(convolution_derivative_y(&dy, &picture));
            TRY(convolution_product(&xx, &dx, &dx));
            TRY(convolution_product(&yy, &dy, &dy));
            TRY(convolution_product(&xy, &dx, &dy));
            TRY(convolution_box(&sum_xx, &xx));
            TRY(convolution_box(&sum_yy, &yy));
            TRY(convolution_box(&sum_xy, &xy));
            TRY(convolution_response(&corners, &sum_xx, &sum_yy, &sum_xy));
        }
        TRY(app_stop(&app));
    }
    TRY(app_save(&app, &corners, 0));

    convolution_shutdown();
    app_end(&app);
    return EXIT_SUCCESS;
}
