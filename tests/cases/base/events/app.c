#include "rig.h"
#include "lib.h"

#define N 64

int main(void)
{
    vec x, t, y;
    cl_event produced, consumed;

    vec_start();
    vec_new(&x, N, 1);
    vec_new(&t, N, 2);
    vec_new(&y, N, 3);

#pragma kfuse(x, t, y)
    {
        produce(&t, &x, 0, NULL, &produced);
        consume(&y, &t, 1, &produced, &consumed);
    }

    clWaitForEvents(1, &consumed);
    clReleaseEvent(produced);
    clReleaseEvent(consumed);
    vec_show("t", &t);
    vec_show("y", &y);
    vec_free(&x);
    vec_free(&t);
    vec_free(&y);
    vec_stop();
    return 0;
}
