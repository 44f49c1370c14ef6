#include "rig.h"
#include "lib.h"

#define N 300

int main(void)
{
    float data[N];
    vec v;
    cl_int err;

    vec_start();
    rig_fill(data, N, 1);
    vec_new(&v, data, N);

    for (int i = 0; i < 2; i++) {
        v.width = i == 0 ? sizeof v.n : 2;
        err = CL_SUCCESS;
#pragma kfuse(v)
        {
            err |= vec_inc_flush(&v);
            err |= vec_dbl_flush(&v);
        }
        rig_dump("flush", &err, sizeof err);
    }
    vec_get(&v, data);
    rig_dump("data", data, sizeof data);

    for (int i = 0; i < 2; i++) {
        v.width = i == 0 ? sizeof v.n : 2;
        err = CL_SUCCESS;
#pragma kfuse(v)
        {
            err |= vec_inc_else(&v);
            err |= vec_dbl_else(&v);
        }
        rig_dump("else", &err, sizeof err);
    }
    vec_get(&v, data);
    rig_dump("data", data, sizeof data);

    for (int i = 0; i < 1; i++) {
        v.width = i == 0 ? sizeof v.n : 2;
        err = CL_SUCCESS;
#pragma kfuse(v)
        {
            err |= vec_inc_assert(&v);
            err |= vec_dbl_assert(&v);
        }
        rig_dump("assert", &err, sizeof err);
    }
    vec_get(&v, data);
    rig_dump("data", data, sizeof data);

    for (int i = 0; i < 2; i++) {
        v.width = i == 0 ? sizeof v.n : 2;
        err = CL_SUCCESS;
#pragma kfuse(v)
        {
            err |= vec_inc_count(&v);
            err |= vec_dbl_count(&v);
        }
        rig_dump("count", &err, sizeof err);
    }
    vec_get(&v, data);
    rig_dump("data", data, sizeof data);

    rig_dump("launches", &vec_launches, sizeof vec_launches);
    vec_free(&v);
    vec_stop();
    return 0;
}
