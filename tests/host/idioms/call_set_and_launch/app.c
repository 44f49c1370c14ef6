#include "rig.h"
#include "lib.h"

#define N 300

int main(void)
{
    float data[N];
    vec v;
    cl_int err = 0;

    vec_start();
    rig_fill(data, N, 1);
    vec_new(&v, data, N);

#pragma kfuse(v)
    {
        err |= vec_inc_or(&v);
        err |= vec_dbl_or(&v);
    }
    vec_get(&v, data);
    rig_dump("or", data, sizeof data);

#pragma kfuse(v)
    {
        err |= vec_inc_and(&v);
        err |= vec_dbl_and(&v);
    }
    vec_get(&v, data);
    rig_dump("and", data, sizeof data);

#pragma kfuse(v)
    {
        err |= vec_inc_if(&v);
        err |= vec_dbl_if(&v);
    }
    vec_get(&v, data);
    rig_dump("if", data, sizeof data);

#pragma kfuse(v)
    {
        err |= vec_inc_two(&v);
        err |= vec_dbl_two(&v);
    }
    vec_get(&v, data);
    rig_dump("two", data, sizeof data);

    rig_dump("err", &err, sizeof err);
    vec_free(&v);
    vec_stop();
    return 0;
}
