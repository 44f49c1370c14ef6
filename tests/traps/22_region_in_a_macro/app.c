#include "rig.h"
#include "lib.h"

#define N 64
#define BOTH(y, t, x) \
    kfuse(x, t, y) { produce(t, x); consume(y, t); }

int main(void)
{
    vec x, t, y;

    vec_start();
    vec_new(&x, N, 1);
    vec_new(&t, N, 2);
    vec_new(&y, N, 3);
    BOTH(&y, &t, &x)
    vec_show("y", &y);
    vec_free(&x);
    vec_free(&t);
    vec_free(&y);
    vec_stop();
    return 0;
}
