/* As pythagoras.c, but c2 is read too, and nothing is said about what is temporary. */
#include "app.h"
#include "linalg.h"

#include <math.h>

int main(int argc, char **argv)
{
    App app;
    TRY(app_begin(&app, argc, argv, 100000));

    Vector a, b, a2, b2, c2, c;
    TRY(vector_create(&a, app.n));
    TRY(vector_create(&b, app.n));
    TRY(vector_create(&a2, app.n));
    TRY(vector_create(&b2, app.n));
    TRY(vector_create(&c2, app.n));
    TRY(vector_create(&c, app.n));
    app_random(a.host, app.n, 1, -10, 10);
    app_random(b.host, app.n, 2, -10, 10);

    for (int repeat = 0; repeat < app.repeats; repeat++) {
        app_start(&app);
#pragma kfuse(a, b, a2, b2, out(c2, c))
        {
            TRY(vector_mult(&a2, &a, &a));
            TRY(vector_mult(&b2, &b, &b));
            TRY(vector_add(&c2, 1, &a2, 1, &b2));
            TRY(vector_sqrt(&c, &c2));
        }
        TRY(app_stop(&app));
    }

    TRY(vector_on_host(&c2));
    TRY(vector_on_host(&c));
    for (cl_uint i = 0; i < app.n; i++) {
        const double expected = pow(a.host[i], 2) + pow(b.host[i], 2);
        if (!app_close("c2", i, c2.host[i], expected)
            || !app_close("c", i, c.host[i], sqrt(expected)))
            return EXIT_FAILURE;
    }
    TRY(app_save(&app, &c2));
    TRY(app_save(&app, &c));

    vector_free(&a);
    vector_free(&b);
    vector_free(&a2);
    vector_free(&b2);
    vector_free(&c2);
    vector_free(&c);
    TRY(app_end(&app));
    return EXIT_SUCCESS;
}
