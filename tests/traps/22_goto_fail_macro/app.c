#include "rig.h"
#include "lib.h"

#define N 300

#define CHECK(call)    \
    do {               \
        if (call)      \
            goto fail; \
    } while (0)

static int work(vec *a, vec *t, vec *c)
{
#pragma kfuse(a, t, c)
    {
        CHECK(vec_square(t, a));
        CHECK(vec_add(c, t, a));
    }
    return 0;
fail:
    return 1;
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

    if (work(&a, &t, &c) != 0)
        return 1;

    vec_show("t", &t);
    vec_show("c", &c);
    vec_free(&a);
    vec_free(&t);
    vec_free(&c);
    vec_stop();
    return 0;
}
