#include "rig.h"
#include "lib.h"

#define N 64

int main(void)
{
    vec x, t, y;
    cl_mem view;

    vec_start();
    vec_new(&x, N, 1);
    vec_new(&t, N, 2);
    vec_new(&y, N, 3);
    view = view_of(&t);

#pragma kfuse(x, t, y)
    {
        produce(&t, &x);
        consume(&y, &t);
    }

    show_view("t", view, N);
    vec_show("y", &y);
    clReleaseMemObject(view);
    vec_free(&x);
    vec_free(&t);
    vec_free(&y);
    vec_stop();
    return 0;
}
