/* Edges (Sobel): how steep the picture is. */
#include "stencil.h"

int main(int argc, char **argv)
{
    App app;
    Plane picture, dx, dy, edges;

    TRY(app_begin(&app, argc, argv));
    TRY(stencil_init());
    TRY(app_plane(&app, &picture, sizeof(cl_float)));
    TRY(app_plane(&app, &dx, sizeof(cl_float)));
    TRY(app_plane(&app, &dy, sizeof(cl_float)));
    TRY(app_plane(&app, &edges, sizeof(cl_float)));
    TRY(app_make_up(&picture, 1, 0, 1));

    for (int repeat = 0; repeat < app.repeats; repeat++) {
        app_start(&app);
#pragma kfuse(picture, out(edges))
        {
            TRY(stencil_apply(STENCIL_SOBEL_X, &dx, &picture));
            TRY(stencil_apply(STENCIL_SOBEL_Y, &dy, &picture));
            TRY(stencil_magnitude(&edges, &dx, &dy));
        }
        TRY(app_stop(&app));
    }
    TRY(app_save(&app, &edges, 0));

    stencil_shutdown();
    app_end(&app);
    return EXIT_SUCCESS;
}
