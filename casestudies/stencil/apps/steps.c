/*
 * Steps of one kind (STENCIL), as many as -s says: two arrays are source and result by turns,
 * and in the end `now` is the newer one.
 */
#include "stencil.h"

#ifndef STENCIL
#define STENCIL JACOBI
#endif
#ifndef ARRAY
#define ARRAY app_plane /* or app_volume */
#endif
#ifndef ELEMENT
#define ELEMENT cl_float /* or cl_uchar */
#endif
#define KIND_OF(name) STENCIL_##name
#define KIND(name) KIND_OF(name)

int main(int argc, char **argv)
{
    App app;
    Plane now, next, spare;

    TRY(app_begin(&app, argc, argv));
    TRY(stencil_init());
    TRY(ARRAY(&app, &now, sizeof(ELEMENT)));
    TRY(ARRAY(&app, &next, sizeof(ELEMENT)));
    TRY(app_make_up(&now, 1, 0, 1));
    TRY(app_make_up(&next, 2, 0, 1)); /* where a stencil leaves elements as they are, they stay */

    for (int repeat = 0; repeat < app.repeats; repeat++) {
        app_start(&app);
#pragma kfuse(out(now))
        {
            for (int step = 0; step < app.steps; step++) {
                TRY(stencil_apply(KIND(STENCIL), &next, &now));
                spare = now;
                now = next;
                next = spare;
            }
        }
        TRY(app_stop(&app));
    }
    TRY(app_save(&app, &now, sizeof(ELEMENT) > 1));

    stencil_shutdown();
    app_end(&app);
    return EXIT_SUCCESS;
}
