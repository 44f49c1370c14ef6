#include "rig.h"
#include "lib.h"

#define N 64

int main(void)
{
    vec a, b;
    int k;

    vec_start();
    vec_new(&a, N, 1);
    vec_new(&b, N, 2);

    for (k = 0; k < 3; k++) {
#pragma kfuse(a, b)
        {
            produce(&b, &a);
            consume(&a, &b);
        }
    }

    vec_show("a", &a);
    vec_show("b", &b);
    vec_free(&a);
    vec_free(&b);
    vec_stop();
    return 0;
}
