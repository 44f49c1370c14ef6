#include "rig.h"
#include "lib.h"

#define N 64

int main(void)
{
    vec x, t, y;
    int k;

    vec_start();
    vec_new(&x, N, 1);
    vec_new(&t, N, 2);
    vec_new(&y, N, 3);

    for (k = 0; k < 2; k++) {
#pragma kfuse(x, t, y)
        {
            produce(&t, &x);
            if (k == 2)
                continue;
            consume(&y, &t);
        }
    }

    vec_show("t", &t);
    vec_show("y", &y);
    vec_free(&x);
    vec_free(&t);
    vec_free(&y);
    vec_stop();
    return 0;
}
