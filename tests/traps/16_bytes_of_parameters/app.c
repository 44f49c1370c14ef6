#include "rig.h"
#include "lib.h"

#define N 64

int main(void)
{
    vec x, t, y;
    cl_double16 v[4], w[4];
    int k, j;

    vec_start();
    for (k = 0; k < 4; k++)
        for (j = 0; j < 16; j++) {
            v[k].s[j] = k + j / 7.0;
            w[k].s[j] = k - j / 3.0;
        }
    vec_new(&x, N, 1);
    vec_new(&t, N, 2);
    vec_new(&y, N, 3);

#pragma kfuse(x, t, y)
    {
        produce(&t, &x, v);
        consume(&y, &t, w);
    }

    vec_show("x", &x);
    vec_show("t", &t);
    vec_show("y", &y);
    vec_free(&x);
    vec_free(&t);
    vec_free(&y);
    vec_stop();
    return 0;
}
