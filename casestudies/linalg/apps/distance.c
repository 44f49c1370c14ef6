/* The distances between the points (x1, y1) and (x2, y2), pair by pair. */
#include "app.h"
#include "linalg.h"

#include <math.h>

int main(int argc, char **argv)
{
    App app;
    TRY(app_begin(&app, argc, argv, 100000));

    Vector x1, y1, x2, y2, dx, dy, dx2, dy2, c2, c;
    TRY(vector_create(&x1, app.n));
    TRY(vector_create(&y1, app.n));
    TRY(vector_create(&x2, app.n));
    TRY(vector_create(&y2, app.n));
    TRY(vector_create(&dx, app.n));
    TRY(vector_create(&dy, app.n));
    TRY(vector_create(&dx2, app.n));
    TRY(vector_create(&dy2, app.n));
    TRY(vector_create(&c2, app.n));
    TRY(vector_create(&c, app.n));
    app_random(x1.host, app.n, 1, -10, 10);
    app_random(y1.host, app.n, 2, -10, 10);
    app_random(x2.host, app.n, 3, -10, 10);
    app_random(y2.host, app.n, 4, -10, 10);

    for (int repeat = 0; repeat < app.repeats; repeat++) {
        app_start(&app);
        /* No status is looked at here: the comparison below would tell. */
#pragma kfuse(x1, y1, x2, y2, out(c))
        {
            vector_add(&dx, 1, &x1, -1, &x2);
            vector_add(&dy, 1, &y1, -1, &y2);
            vector_mult(&dx2, &dx, &dx);
            vector_mult(&dy2, &dy, &dy);
            vector_add(&c2, 1, &dx2, 1, &dy2);
            vector_sqrt(&c, &c2);
        }
        TRY(app_stop(&app));
    }

    TRY(vector_on_host(&c));
    for (cl_uint i = 0; i < app.n; i++) {
        const double expected = hypot((double)x1.host[i] - x2.host[i],
                                      (double)y1.host[i] - y2.host[i]);
        if (!app_close("c", i, c.host[i], expected))
            return EXIT_FAILURE;
    }
    TRY(app_save(&app, &c));

    vector_free(&x1);
    vector_free(&y1);
    vector_free(&x2);
    vector_free(&y2);
    vector_free(&dx);
    vector_free(&dy);
    vector_free(&dx2);
    vector_free(&dy2);
    vector_free(&c2);
    vector_free(&c);
    TRY(app_end(&app));
    return EXIT_SUCCESS;
}
