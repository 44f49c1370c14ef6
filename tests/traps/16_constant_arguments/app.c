#include "rig.h"
#include "lib.h"

#define N 64

int main(void)
{
    vec x, t, y, v[5], w[5];
    int k;

    vec_start();
    for (k = 0; k < 5; k++) {
        vec_new(&v[k], N, 4 + k);
        vec_new(&w[k], N, 9 + k);
    }
    vec_new(&x, N, 1);
    vec_new(&t, N, 2);
    vec_new(&y, N, 3);

#pragma kfuse(x, t, y, v, w)
    {
        produce(&t, &x, v);
        consume(&y, &t, w);
    }

    vec_show("x", &x);
    vec_show("t", &t);
    vec_show("y", &y);
    for (k = 0; k < 5; k++) {
        vec_free(&v[k]);
        vec_free(&w[k]);
    }
    vec_free(&x);
    vec_free(&t);
    vec_free(&y);
    vec_stop();
    return 0;
}
