/*
 * As mdd.c, but in place, as the thesis writes it: the result ends in the first
 * picture.  A convolution reads that picture around each pixel, so nothing in the same
 * kernel may write to it.
 */
#include "app.h"
#include "image.h"

int main(int argc, char **argv)
{
    App app;
    Image first, second, blurred;
    Matrix blur;

    TRY(app_begin(&app, argc, argv));
    TRY(app_picture(&app, &first, 0));
    TRY(app_picture(&app, &second, 1));
    TRY(image_create(&blurred, first.width, first.height));
    TRY(matrix_blur(&blur));

    for (int repeat = 0; repeat < app.repeats; repeat++) {
        app_start(&app);
#pragma kfuse(blur, out(first, second))
        {
            TRY(image_convolve_3(&blurred, &first, &blur));
            TRY(image_to_hsv(&blurred, &blurred));
            TRY(image_to_hsv(&second, &second));
            TRY(image_binary(&first, &blurred, &second, IMAGE_AVG));
            TRY(image_to_rgb(&first, &first));
        }
        TRY(app_stop(&app));
    }
    TRY(app_save(&app, &first));

    image_free(&first);
    image_free(&second);
    image_free(&blurred);
    matrix_free(&blur);
    TRY(app_end(&app));
    return EXIT_SUCCESS;
}
