/*
 * MDD, medium data dependency: a blurred picture and another one are mixed in HSV.
 * Each pixel of the result needs nine pixels of the one and one of the other.
 */
#include "app.h"
#include "image.h"

int main(int argc, char **argv)
{
    App app;
    Image first, second, blurred, hsv, other, mixed, result;
    Matrix blur;

    TRY(app_begin(&app, argc, argv));
    TRY(app_picture(&app, &first, 0));
    TRY(app_picture(&app, &second, 1));
    TRY(image_create(&blurred, first.width, first.height));
    TRY(image_create(&hsv, first.width, first.height));
    TRY(image_create(&other, first.width, first.height));
    TRY(image_create(&mixed, first.width, first.height));
    TRY(image_create(&result, first.width, first.height));
    TRY(matrix_blur(&blur));

    for (int repeat = 0; repeat < app.repeats; repeat++) {
        app_start(&app);
#pragma kfuse(first, second, blur, out(result))
        {
            TRY(image_convolve_3(&blurred, &first, &blur));
            TRY(image_to_hsv(&hsv, &blurred));
            TRY(image_to_hsv(&other, &second));
            TRY(image_binary(&mixed, &hsv, &other, IMAGE_AVG));
            TRY(image_to_rgb(&result, &mixed));
        }
        TRY(app_stop(&app));
    }
    TRY(app_save(&app, &result));

    image_free(&first);
    image_free(&second);
    image_free(&blurred);
    image_free(&hsv);
    image_free(&other);
    image_free(&mixed);
    image_free(&result);
    matrix_free(&blur);
    TRY(app_end(&app));
    return EXIT_SUCCESS;
}
