#include "rig.h"
#include "lib.h"

#define N 300

static cl_int work(vec *a, vec *t, vec *c)
{
    cl_int err;

#pragma kfuse(a, t, c)
    {
        err = vec_square(t, a);
        if (err != CL_SUCCESS)
            return err;
        err = vec_add(c, t, a);
        if (err != CL_SUCCESS)
            return err;
    }
    return 0;
}

int main(void)
{
    float data[N];
    vec a, t, c;

    vec_start();
    rig_fill(data, N, 1);
    vec_new(&a, data, N);
    rig_fill(data, N, 2);
    vec_new(&t, data, N);
    rig_fill(data, N, 3);
    vec_new(&c, data, N);

    work(&a, &t, &c);

    vec_show("t", &t);
    vec_show("c", &c);
    vec_free(&a);
    vec_free(&t);
    vec_free(&c);
    vec_stop();
    return 0;
}
