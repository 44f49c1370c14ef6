#include "rig.h"
#include "lib.h"

#include <stdio.h>

#define N 64
#define TRY(call)                        \
    do {                                 \
        if ((status = (call)) != 0)      \
            goto done;                   \
    } while (0)

int main(void)
{
    cl_int status = CL_SUCCESS;
    vec x, t, y;

    vec_start();
    vec_new(&x, N, 1);
    vec_new(&t, N, 2);
    vec_new(&y, N, 3);

#pragma kfuse(x, t, y)
    {
        TRY(produce(&t, &x));
        TRY(consume(&y, &t));
    }

    vec_show("t", &t);
    vec_show("y", &y);
done:
    printf("status %d\n", (int)status);
    vec_free(&x);
    vec_free(&t);
    vec_free(&y);
    vec_stop();
    return 0;
}
