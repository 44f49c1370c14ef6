#include "rig.h"
#include "lib.h"

#define N 64

int main(void)
{
    vec x, t, s, y;

    vec_start();
    vec_new(&x, N, 1);
    vec_new(&t, N, 2);
    vec_new(&s, N, 3);
    vec_new(&y, N, 4);

#pragma kfuse(x, t, s, y)
    {
        produce(&t, &x);
        total(&s, &t);
        consume(&y, &t, &s);
    }

    vec_show("t", &t);
    vec_show("s", &s);
    vec_show("y", &y);
    vec_free(&x);
    vec_free(&t);
    vec_free(&s);
    vec_free(&y);
    vec_stop();
    return 0;
}
