/*
 * LDD, low data dependency: a picture is made a tenth larger, given one colour, and
 * inverted.  Each pixel of the result needs one pixel of the picture.
 */
#include "app.h"
#include "image.h"

int main(int argc, char **argv)
{
    App app;
    Image picture, larger, hsv, coloured, rgb, result;

    TRY(app_begin(&app, argc, argv));
    TRY(app_picture(&app, &picture, 0));

    const cl_uint width = picture.width + picture.width / 10;
    const cl_uint height = picture.height + picture.height / 10;
    TRY(image_create(&larger, width, height));
    TRY(image_create(&hsv, width, height));
    TRY(image_create(&coloured, width, height));
    TRY(image_create(&rgb, width, height));
    TRY(image_create(&result, width, height));

    for (int repeat = 0; repeat < app.repeats; repeat++) {
        app_start(&app);
#pragma kfuse(picture, out(result))
        {
            TRY(image_resize(&larger, &picture));
            TRY(image_to_hsv(&hsv, &larger));
            TRY(image_colorize(&coloured, &hsv, 0.6f));
            TRY(image_to_rgb(&rgb, &coloured));
            TRY(image_invert(&result, &rgb));
        }
        TRY(app_stop(&app));
    }
    TRY(app_save(&app, &result));

    image_free(&picture);
    image_free(&larger);
    image_free(&hsv);
    image_free(&coloured);
    image_free(&rgb);
    image_free(&result);
    TRY(app_end(&app));
    return EXIT_SUCCESS;
}
