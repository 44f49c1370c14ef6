#include "rig.h"
#include "lib.h"

#define N 100
#define CHECK(call)            \
    do {                       \
        if ((call) != CL_SUCCESS) \
            goto end;          \
    } while (0)

int main(int argc, char **argv)
{
    float data[N];
    vec a, t, c, d, p;

    (void)argv;
    vec_start();
    rig_fill(data, N, 1);
    vec_new(&a, data, N);
    vec_new(&t, NULL, N);
    vec_new(&p, NULL, N);
    rig_fill(data, N, 2);
    vec_new(&c, data, N);
    vec_new(&d, data, N);
    if (argc > 1)
        vec_group = (size_t)1 << 40; /* more than a device has */

#pragma kfuse(a, t, c, d)
    {
        CHECK(vec_square(&t, &a)); /* every element */
        CHECK(vec_shift(&d, &t)); // neighbours
        CHECK(vec_root(&p, &t));
        CHECK(vec_add(&c, &p, &a));
    }
end:
    vec_show("c", &c);
    vec_show("d", &d);
    vec_free(&a);
    vec_free(&t);
    vec_free(&c);
    vec_free(&p);
    vec_free(&d);
    vec_stop();
    return 0;
}
