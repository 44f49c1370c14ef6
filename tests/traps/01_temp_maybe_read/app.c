#include "rig.h"
#include "lib.h"

#define N 300

int main(int argc, char **argv)
{
    float data[N];
    vec a, t, c;

    (void)argv;
    vec_start();
    rig_fill(data, N, 1);
    vec_new(&a, data, N);
    vec_new(&t, data, N);
    vec_new(&c, NULL, N);

#pragma kfuse(a, c, temp(t))
    {
        vec_square(&t, &a);
        vec_add(&c, &t, &a);
    }

    vec_show("c", &c);
    if (argc > 1)
        vec_show("t", &t);
    vec_stop();
    return 0;
}
