#include "rig.h"
#include "lib.h"

#define N 64

int main(void)
{
    vec x, t, y, w;

    vec_start();
    vec_new(&x, N, 1);
    vec_new(&t, N, 2);
    vec_new(&y, N, 3);
    vec_new(&w, N, 4);

#pragma kfuse(x, t, y, w)
    {
        produce(&t, &x);
        consume(&y, &t, &w);
    }

    vec_show("x", &x);
    vec_show("t", &t);
    vec_show("y", &y);
    vec_show("w", &w);
    vec_free(&x);
    vec_free(&t);
    vec_free(&y);
    vec_free(&w);
    vec_stop();
    return 0;
}
