#include "rig.h"
#include "lib.h"

#define N 300

static void step(sim *s)
{
#pragma kfuse(s)
    {
        sim_fall(s);
        sim_drag(s, 0.3f);
        sim_fall(s);
    }
}

int main(void)
{
    float force[N], mass[N];
    sim s;

    sim_start();
    rig_fill(force, N, 1);
    rig_fill(mass, N, 2);
    sim_new(&s, force, mass, N);
    step(&s);
    sim_get(&s, force);
    rig_dump("force", force, sizeof force);
    sim_free(&s);
    sim_stop();
    return 0;
}
