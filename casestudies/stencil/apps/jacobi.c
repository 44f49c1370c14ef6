/*
 * STEPS steps of Jacobi's method from one plane to another, an even number: heat spreads.  The
 * steps between have two planes of their own, by turns.
 */
#include "stencil.h"

#ifndef STEPS
#define STEPS 4
#endif

int main(int argc, char **argv)
{
    App app;
    Plane source, even, odd, result;

    TRY(app_begin(&app, argc, argv));
    TRY(stencil_init());
    TRY(app_plane(&app, &source, sizeof(cl_float)));
    TRY(app_plane(&app, &even, sizeof(cl_float)));
    TRY(app_plane(&app, &odd, sizeof(cl_float)));
    TRY(app_plane(&app, &result, sizeof(cl_float)));
    TRY(app_make_up(&source, 1, 0, 1));

    for (int repeat = 0; repeat < app.repeats; repeat++) {
        app_start(&app);
#pragma kfuse(source, out(result))
        {
            TRY(stencil_apply(STENCIL_JACOBI, &odd, &source));
            for (int step = 2; step < STEPS; step += 2) {
                TRY(stencil_apply(STENCIL_JACOBI, &even, &odd));
                TRY(stencil_apply(STENCIL_JACOBI, &odd, &even));
            }
            TRY(stencil_apply(STENCIL_JACOBI, &result, &odd));
        }
        TRY(app_stop(&app));
    }
    TRY(app_save(&app, &result, 1));

    stencil_shutdown();
    app_end(&app);
    return EXIT_SUCCESS;
}
