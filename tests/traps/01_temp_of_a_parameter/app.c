#include "rig.h"
#include "lib.h"

#define N 300

void run(const vec *a, vec *t, vec *c);
void work(const vec *a, vec *t, vec *c);

void work(const vec *a, vec *t, vec *c)
{
#pragma kfuse(a, c, temp(t))
    {
        vec_square(t, a);
        vec_add(c, t, a);
    }
}

void run(const vec *a, vec *t, vec *c)
{
    work(a, t, c);
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

    run(&a, &t, &c);
    vec_show("c", &c);

    vec_free(&a);
    vec_free(&t);
    vec_free(&c);
    vec_stop();
    return 0;
}
