#include "rig.h"
#include "lib.h"

#define N 300

int main(void)
{
    float data[N];
    vec a, b, c;
    cl_event squared, added, done;

    vec_start();
    rig_fill(data, N, 1);
    vec_new(&a, data, N);
    vec_new(&b, NULL, N);
    vec_new(&c, NULL, N);

#pragma kfuse(a, b, c)
    {
        vec_square(&b, &a, 0, NULL, &squared);
        vec_add(&c, &a, &b, 1, &squared, &added);
        vec_root(&c, &c, 1, &added, &done);
    }
    clWaitForEvents(1, &done);
    clReleaseEvent(squared);
    clReleaseEvent(added);
    clReleaseEvent(done);

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
