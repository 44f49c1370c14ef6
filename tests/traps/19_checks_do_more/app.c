#include "rig.h"
#include "lib.h"

#define N 300
#define COUNT(call)      \
    do {                 \
        int e_ = (call); \
        if (e_)          \
            return e_;   \
        calls++;         \
    } while (0)
#define SHOW(call)          \
    do {                    \
        if (call)           \
            return 1;       \
        vec_show("now", t); \
    } while (0)
#define TWICE(call)   \
    do {              \
        if (call)     \
            return 1; \
        if (call)     \
            return 1; \
    } while (0)

#define STEPS(call)    \
    status = (call);   \
    if (status)        \
        return status; \
    steps++
#define PLAIN(call)  \
    status = (call); \
    if (status)      \
        return status

static int calls;

static int work(vec *a, vec *t, vec *c)
{
    int status, steps = 0;

#pragma kfuse(a, t, c)
    {
        COUNT(vec_square(t, a));
        COUNT(vec_add(c, t, a));
    }
#pragma kfuse(a, t, c)
    {
        SHOW(vec_square(t, a));
        SHOW(vec_add(c, t, a));
    }
#pragma kfuse(t, c)
    {
        TWICE(vec_square(t, t));
        TWICE(vec_add(c, c, t));
    }
#pragma kfuse(t, c)
    {
        for (int k = 0; k < 3; k++) if (vec_square(t, t)) return 1;
        for (int k = 0; k < 3; k++) if (vec_add(c, c, t)) return 1;
    }
#pragma kfuse(a, t, c)
    {
        { if (vec_square(t, a)) return 1; calls += 1; }
        { if (vec_add(c, t, a)) return 1; calls += 1; }
    }
#pragma kfuse(a, t, c)
    {
        STEPS(vec_square(t, a));
        STEPS(vec_add(c, t, a));
    }
    calls += steps;
#pragma kfuse(a, t, c)
    {
        PLAIN(vec_square(t, a));
        PLAIN(vec_add(c, t, a));
    }
    return 0;
}

int main(void)
{
    float data[N];
    vec a, c, t;

    vec_start();
    rig_fill(data, N, 1);
    vec_new(&a, data, N);
    rig_fill(data, N, 3);
    vec_new(&c, data, N);
    rig_fill(data, N, 4);
    vec_new(&t, data, N);

    work(&a, &t, &c);

    rig_dump("calls", &calls, sizeof calls);
    vec_show("t", &t);
    vec_show("c", &c);
    vec_free(&a);
    vec_free(&c);
    vec_free(&t);
    vec_stop();
    return 0;
}
