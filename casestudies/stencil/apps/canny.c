/* Thin edges, as Canny finds them: smoothed, how steep and where to, and the ridges of that. */
#include "stencil.h"

int main(int argc, char **argv)
{
    App app;
    Plane picture, smooth, dx, dy, steep, edges;

    TRY(app_begin(&app, argc, argv));
    TRY(stencil_init());
    TRY(app_plane(&app, &picture, sizeof(cl_float)));
    TRY(app_plane(&app, &smooth, sizeof(cl_float)));
    TRY(app_plane(&app, &dx, sizeof(cl_float)));
    TRY(app_plane(&app, &dy, sizeof(cl_float)));
    TRY(app_plane(&app, &steep, sizeof(cl_float)));
    TRY(app_plane(&app, &edges, sizeof(cl_float)));
    TRY(app_make_up(&picture, 1, 0, 1));

    for (int repeat = 0; repeat < app.repeats; repeat++) {
        app_start(&app);
#pragma kfuse(picture, out(edges))
        {
            TRY(stencil_apply(STENCIL_GAUSSIAN, &smooth, &picture));
            TRY(stencil_apply(STENCIL_SOBEL_X, &dx, &smooth));
            TRY(stencil_apply(STENCIL_SOBEL_Y, &dy, &smooth));
            TRY(stencil_magnitude(&steep, &dx, &dy));
            TRY(stencil_thin(&edges, &steep, &dx, &dy));
        }
        TRY(app_stop(&app));
    }
    TRY(app_save(&app, &edges, 0));

    stencil_shutdown();
    app_end(&app);
    return EXIT_SUCCESS;
}
