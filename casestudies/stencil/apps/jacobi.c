/*
 * STEPS steps of Jacobi's method from one plane to another, an even number: heat spreads.  The
 * steps between have two planes of their own, by turns.  Or from one volume to another.
 */
#include "stencil.h"

#ifndef STEPS
#define STEPS 4
#endif
#ifndef STENCIL
#define STENCIL STENCIL_JACOBI /* or STENCIL_JACOBI_3D, */
#endif
#ifndef ARRAY
#define ARRAY app_plane /* and app_volume */
#endif

int main(int argc, char **argv)
{
    App app;
    Plane source, even, odd, result;

    TRY(app_begin(&app, argc, argv));
    TRY(stencil_init());
    TRY(ARRAY(&app, &source, sizeof(cl_float)));
    TRY(ARRAY(&app, &even, sizeof(cl_float)));
    TRY(ARRAY(&app, &odd, sizeof(cl_float)));
    TRY(ARRAY(&app, &result, sizeof(cl_float)));
    TRY(app_make_up(&source, 1, 0, 1));

    for (int repeat = 0; repeat < app.repeats; repeat++) {
        app_start(&app);
#pragma kfuse(source, out(result))
        {
            TRY(stencil_apply(STENCIL, &odd, &source));
            for (int step = 2; step < STEPS; step += 2) {
                TRY(stencil_apply(STENCIL, &even, &odd));
                TRY(stencil_apply(STENCIL, &odd, &even));
            }
            TRY(stencil_apply(STENCIL, &result, &odd));
        }
        TRY(app_stop(&app));
    }
    TRY(app_save(&app, &result, 1));

    stencil_shutdown();
    app_end(&app);
    return EXIT_SUCCESS;
}
