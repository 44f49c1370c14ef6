/*
 * HDDLF, high data dependency and low fusion: two convolutions, and their difference.
 */
#include "app.h"
#include "image.h"

int main(int argc, char **argv)
{
    App app;
    Image first, second, blurred, sharpened, result;
    Matrix blur, sharpen;

    TRY(app_begin(&app, argc, argv));
    TRY(app_picture(&app, &first, 0));
    TRY(app_picture(&app, &second, 1));
    TRY(image_create(&blurred, first.width, first.height));
    TRY(image_create(&sharpened, first.width, first.height));
    TRY(image_create(&result, first.width, first.height));
    TRY(matrix_blur(&blur));
    TRY(matrix_sharpen(&sharpen));

    for (int repeat = 0; repeat < app.repeats; repeat++) {
        app_start(&app);
#pragma kfuse(first, second, blur, sharpen, out(result))
        {
            TRY(image_convolve_3(&blurred, &first, &blur));
            TRY(image_convolve_3(&sharpened, &second, &sharpen));
            TRY(image_binary(&result, &blurred, &sharpened, IMAGE_SUB));
        }
        TRY(app_stop(&app));
    }
    TRY(app_save(&app, &result));

    image_free(&first);
    image_free(&second);
    image_free(&blurred);
    image_free(&sharpened);
    image_free(&result);
    matrix_free(&blur);
    matrix_free(&sharpen);
    TRY(app_end(&app));
    return EXIT_SUCCESS;
}
