/*
 * The middle of a picture as a drawing: even light, and lines where it has edges.  This
 * has what the other applications leave out; two convolutions stand in the middle of it.
 */
#include "app.h"
#include "image.h"

int main(int argc, char **argv)
{
    App app;
    Image picture, part, bright, soft, even, lines, grey, strong, paper, drawn, result;
    Matrix soften, edges;

    TRY(app_begin(&app, argc, argv));
    TRY(app_picture(&app, &picture, 0));

    const cl_uint left = picture.width / 8, top = picture.height / 8;
    const cl_uint width = picture.width - 2 * left, height = picture.height - 2 * top;
    TRY(image_create(&part, width, height));
    TRY(image_create(&bright, width, height));
    TRY(image_create(&soft, width, height));
    TRY(image_create(&even, width, height));
    TRY(image_create(&lines, width, height));
    TRY(image_create(&grey, width, height));
    TRY(image_create(&strong, width, height));
    TRY(image_create(&paper, width, height));
    TRY(image_create(&drawn, width, height));
    TRY(image_create(&result, width, height));
    TRY(matrix_soften(&soften));
    TRY(matrix_edges(&edges));

    for (int repeat = 0; repeat < app.repeats; repeat++) {
        app_start(&app);
#pragma kfuse(picture, soften, edges, out(result))
        {
            TRY(image_crop(&part, &picture, left, top));
            TRY(image_levels(&bright, &part, 0.05f, 0.95f, 1.5f));

            TRY(image_convolve_5(&soft, &bright, &soften));
            TRY(image_binary(&even, &bright, &soft, IMAGE_DIV));

            TRY(image_convolve_3(&lines, &soft, &edges));
            TRY(image_greyscale(&grey, &lines));
            TRY(image_threshold(&strong, &grey, 0.05f));
            TRY(image_invert(&paper, &strong));
            TRY(image_binary(&drawn, &even, &paper, IMAGE_MUL));
            TRY(image_binary(&result, &drawn, &lines, IMAGE_ADD));
        }
        TRY(app_stop(&app));
    }
    TRY(app_save(&app, &result));

    image_free(&picture);
    image_free(&part);
    image_free(&bright);
    image_free(&soft);
    image_free(&even);
    image_free(&lines);
    image_free(&grey);
    image_free(&strong);
    image_free(&paper);
    image_free(&drawn);
    image_free(&result);
    matrix_free(&soften);
    matrix_free(&edges);
    TRY(app_end(&app));
    return EXIT_SUCCESS;
}
