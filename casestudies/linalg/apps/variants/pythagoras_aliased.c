/*
 * As pythagoras.c, but the region is in a function, whose arguments may be the
 * same vector under two names.  The operations work in place, so all three calls
 * below have one defined result, and everything that they write is read later.
 */
#include "app.h"
#include "linalg.h"

#include <math.h>

static int hypotenuse(Vector *a, Vector *b, Vector *a2, Vector *b2, Vector *c2, Vector *c)
{
#pragma kfuse(a, b, a2, b2, c2, c)
    {
        TRY(vector_mult(a2, a, a));
        TRY(vector_mult(b2, b, b));
        TRY(vector_add(c2, 1, a2, 1, b2));
        TRY(vector_sqrt(c, c2));
    }
    return EXIT_SUCCESS;
}

/* Whether c^2 is twice b^2, for same, else a^2 + b^2. */
static int correct(const Vector *a, const Vector *b, const Vector *c, int same)
{
    for (cl_uint i = 0; i < c->n; i++) {
        const double other = same ? b->host[i] : a->host[i];
        if (!app_close("c", i, c->host[i], hypot(other, b->host[i])))
            return 0;
    }
    return 1;
}

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

    /* All distinct; this is the call that is timed. */
    for (int repeat = 0; repeat < app.repeats; repeat++) {
        app_start(&app);
        if (hypotenuse(&a, &b, &a2, &b2, &c2, &c) != EXIT_SUCCESS)
            return EXIT_FAILURE;
        TRY(app_stop(&app));
    }
    TRY(app_save(&app, &a2));
    TRY(app_save(&app, &b2));
    TRY(app_save(&app, &c2));
    TRY(app_save(&app, &c));
    if (!correct(&a, &b, &c, 0))
        return EXIT_FAILURE;

    /* The sum replaces a2. */
    if (hypotenuse(&a, &b, &a2, &b2, &a2, &c) != EXIT_SUCCESS)
        return EXIT_FAILURE;
    TRY(app_save(&app, &a2));
    TRY(app_save(&app, &b2));
    TRY(app_save(&app, &c));
    if (!correct(&a, &b, &c, 0))
        return EXIT_FAILURE;

    /* The second square replaces the first before it is read. */
    if (hypotenuse(&a, &b, &a2, &a2, &c2, &c) != EXIT_SUCCESS)
        return EXIT_FAILURE;
    TRY(app_save(&app, &a2));
    TRY(app_save(&app, &c2));
    TRY(app_save(&app, &c));
    if (!correct(&a, &b, &c, 1))
        return EXIT_FAILURE;

    vector_free(&a);
    vector_free(&b);
    vector_free(&a2);
    vector_free(&b2);
    vector_free(&c2);
    vector_free(&c);
    TRY(app_end(&app));
    return EXIT_SUCCESS;
}
