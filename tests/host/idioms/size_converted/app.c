#include "rig.h"
#include "lib.h"

#define N 900

int main(void)
{
    float data[N];
    vec v;
    cl_int err = 0;
    double part = 0.0213;
    int rows = 300;

    vec_start();
    rig_fill(data, N, 1);
    vec_new(&v, data, N);

#pragma kfuse(v)
    {
        err |= vec_inc_part(&v, 0.0213f);
        err |= vec_dbl_part(&v, 0.0213f);
    }
    vec_get(&v, data);
    rig_dump("literal", data, sizeof data);

#pragma kfuse(v)
    {
        err |= vec_inc_part(&v, part);
        err |= vec_dbl_part(&v, part);
    }
    vec_get(&v, data);
    rig_dump("part", data, sizeof data);

#pragma kfuse(v)
    {
        err |= vec_inc_rows(&v, rows);
        err |= vec_dbl_rows(&v, rows);
    }
    vec_get(&v, data);
    rig_dump("rows", data, sizeof data);

#pragma kfuse(v)
    {
        err |= vec_inc_up(&v);
        err |= vec_dbl_up(&v);
    }
    vec_get(&v, data);
    rig_dump("up", data, sizeof data);

    rig_dump("err", &err, sizeof err);
    vec_free(&v);
    vec_stop();
    return 0;
}
