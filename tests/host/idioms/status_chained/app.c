#include "rig.h"
#include "lib.h"

#define N 300

int main(void)
{
    float data[N];
    vec a, b, c;
    int err = 0;

    vec_start();
    rig_fill(data, N, 1);
    vec_new(&a, data, N);
    vec_new(&b, NULL, N);
    vec_new(&c, NULL, N);

#pragma kfuse(a, b, c)
    {
        err = vec_square(&b, &a);
        if (!err)
            err = vec_add(&c, &a, &b);
        if (!err)
            err = vec_root(&c, &c);
    }
#pragma kfuse(a, b, c)
    {
        if (err == CL_SUCCESS) {
            err = vec_add(&c, &a, &c);
        }
        if (err == CL_SUCCESS) {
            err = vec_add(&b, &c, &b);
        }
    }
#pragma kfuse(b, c)
    {
        { vec_square(&c, &c); }
        { vec_root(&b, &c); }
    }
#pragma kfuse(b, c) /* the second call is not made */
    {
        err = vec_counted(&b, &c);
        if (!err)
            err = vec_root(&c, &b);
    }

    vec_get(&b, data);
    rig_dump("b", data, sizeof data);
    vec_get(&c, data);
    rig_dump("c", data, sizeof data);
    vec_free(&a);
    vec_free(&b);
    vec_free(&c);
    vec_stop();
    return 0;
}
