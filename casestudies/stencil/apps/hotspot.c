/* Four time steps of a chip that is warm where it works. */
#include "stencil.h"

int main(int argc, char **argv)
{
    App app;
    Plane power, source, first, second, third, result;
    const Chip chip = stencil_chip();

    TRY(app_begin(&app, argc, argv));
    TRY(stencil_init());
    TRY(app_plane(&app, &power, sizeof(cl_float)));
    TRY(app_plane(&app, &source, sizeof(cl_float)));
    TRY(app_plane(&app, &first, sizeof(cl_float)));
    TRY(app_plane(&app, &second, sizeof(cl_float)));
    TRY(app_plane(&app, &third, sizeof(cl_float)));
    TRY(app_plane(&app, &result, sizeof(cl_float)));
    TRY(app_make_up(&power, 1, 0, 0.01f)); /* watts */
    TRY(app_make_up(&source, 2, 80, 90));  /* degrees Celsius */

    for (int repeat = 0; repeat < app.repeats; repeat++) {
        app_start(&app);
#pragma kfuse(power, source, out(result))
        {
            TRY(stencil_hotspot(&first, &source, &power, &chip));
            TRY(stencil_hotspot(&second, &first, &power, &chip));
            TRY(stencil_hotspot(&third, &second, &power, &chip));
            TRY(stencil_hotspot(&result, &third, &power, &chip));
        }
        TRY(app_stop(&app));
    }
    TRY(app_save(&app, &result, 1));

    stencil_shutdown();
    app_end(&app);
    return EXIT_SUCCESS;
}
