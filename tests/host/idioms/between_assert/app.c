#include "rig.h"
#include "lib.h"

#include <assert.h>
#include <stdio.h>

#define N 300

int main(void)
{
    float data[N];
    vec a, b, c;
    cl_int status;

    vec_start();
    rig_fill(data, N, 1);
    vec_new(&a, data, N);
    vec_new(&b, NULL, N);
    vec_new(&c, NULL, N);

#pragma kfuse(a, b, c)
    {
        status = vec_square(&b, &a);
        assert(status == CL_SUCCESS);
        status = vec_add(&c, &a, &b);
        assert(status == CL_SUCCESS);
        status = vec_root(&c, &c);
    }
    printf("status %d\n", (int)status);
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
