/*
 * HDD, high data dependency: what blurring leaves out of one picture, and sharpening
 * adds to another, as grey.  Each pixel of the result needs nine pixels of both.
 */
#include "app.h"
#include "image.h"

int main(int argc, char **argv)
{
    App app;
    Image first, second, blurred, sharpened, grey, other, result;
    Matrix blur, sharpen;

    TRY(app_begin(&app, argc, argv));
    TRY(app_picture(&app, &first, 0));
    TRY(app_picture(&app, &second, 1));
    TRY(image_create(&blurred, first.width, first.height));
    TRY(image_create(&sharpened, first.width, first.height));
    TRY(image_create(&grey, first.width, first.height));
    TRY(image_create(&other, first.width, first.height));
    TRY(image_create(&result, first.width, first.height));
    TRY(matrix_blur(&blur));
    TRY(matrix_sharpen(&sharpen));

    for (int repeat = 0; repeat < app.repeats; repeat++) {
        app_start(&app);
#pragma kfuse(first, second, blur, sharpen, out(result))
        {
            TRY(image_convolve_3(&blurred, &first, &blur));
            TRY(image_convolve_3(&sharpened, &second, &sharpen));
            TRY(image_greyscale(&grey, &blurred));
            TRY(image_greyscale(&other, &sharpened));
            TRY(image_binary(&result, &grey, &other, IMAGE_SUB));
        }
        TRY(app_stop(&app));
    }
    TRY(app_save(&app, &result));

    image_free(&first);
    image_free(&second);
    image_free(&blurred);
    image_free(&sharpened);
    image_free(&grey);
    image_free(&other);
    image_free(&result);
    matrix_free(&blur);
    matrix_free(&sharpen);
    TRY(app_end(&app));
    return EXIT_SUCCESS;
}
