#include "rig.h"
#include "lib.h"

#define N 64

int main(void)
{
    float *x, *t, *y;

    shared_start();
    x = shared_new(N, 1);
    t = shared_new(N, 2);
    y = shared_new(N, 3);

#pragma kfuse(x, t, y)
    {
        produce(t, x, N);
        consume(y, t, N);
    }

    shared_show("t", t, N);
    shared_show("y", y, N);
    shared_stop();
    return 0;
}
