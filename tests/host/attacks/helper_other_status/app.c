#include "rig.h"
#include "lib.h"

#define N 320

static int told;

static void tell(const char *what, cl_int err)
{
    (void)what;
    told = err;
}

int main(void)
{
    float data[N];
    vec v;
    cl_int err;

    vec_start();
    vec_failed = tell;
    rig_fill(data, N, 1);
    vec_new(&v, data, N);

    for (int i = 0; i < 2; i++) { /* work-groups that divide the size, and that do not */
        v.n = i == 0 ? N : N - 1;
        told = 0;
        err = CL_SUCCESS;
#pragma kfuse(v)
        {
            err |= vec_inc_own(&v);
            err |= vec_dbl_loud(&v);
        }
        rig_dump("err", &err, sizeof err);
        rig_dump("told", &told, sizeof told);
    }

    v.n = N;
    vec_get(&v, data);
    rig_dump("data", data, sizeof data);
    vec_free(&v);
    vec_stop();
    return 0;
}
