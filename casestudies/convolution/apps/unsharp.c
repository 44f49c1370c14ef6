/* Unsharp mask: what blurring leaves out of a picture is added to it, where it is not noise. */
#include "convolution.h"

int main(int argc, char **argv)
{
    App app;
    Plane picture, rows, blurred, sharp, result;

    TRY(app_begin(&app, argc, argv));
    TRY(convolution_init());
    TRY(app_plane(&app, &picture, sizeof(cl_float4)));
    TRY(app_plane(&app, &rows, sizeof(cl_float4)));
    TRY(app_plane(&app, &blurred, sizeof(cl_float4)));
    TRY(app_plane(&app, &sharp, sizeof(cl_float4)));
    TRY(app_plane(&app, &result, sizeof(cl_float4)));
    TRY(app_make_up(&picture, 1, 0, 1));

    for (int repeat = 0; repeat < app.repeats; repeat++) {
        app_start(&app);
#pragma kfuse(picture, out(result))
        {
            TRY(convolution_blur_x(&rows, &picture));
            TRY(convolution_blur_y(&blurred, &rows));
            TRY(convolution_sharpen(&sharp, &picture, &blurred));
            TRY(convolution_mask(&result, &picture, &blurred, &sharp));
        }
        TRY(app_stop(&app));
    }
    TRY(app_save(&app, &result, 0));

    convolution_shutdown();
    app_end(&app);
    return EXIT_SUCCESS;
}
