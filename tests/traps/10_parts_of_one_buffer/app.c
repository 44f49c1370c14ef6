#include "rig.h"
#include "lib.h"

#define N 512

static void work(vec *a, vec *b, vec *t, vec *c)
{
#pragma kfuse(a, b, t, c)
    {
        vec_square(t, a);
        vec_add(c, a, b);
    }
}

int main(int argc, char **argv)
{
    float data[N];
    vec a, b, c, t;
    float zero[2 * N] = {0};
    vec whole;

    (void)argv;

    vec_start();
    rig_fill(data, N, 1);
    vec_new(&a, data, N);
    rig_fill(data, N, 2);
    vec_new(&b, data, N);
    rig_fill(data, N, 3);
    vec_new(&c, data, N);
    rig_fill(data, N, 4);
    vec_new(&t, data, N);

    vec_new(&whole, zero, 2 * N);
    vec_part(&t, &whole, 0, N);
    vec_part(&c, &whole, argc > 1 ? N / 2 : N, N);
    work(&a, &b, &t, &c);
    vec_show("whole", &whole);

    vec_show("t", &t);
    vec_show("c", &c);
    vec_free(&a);
    vec_free(&b);
    vec_free(&c);
    vec_free(&t);
    vec_stop();
    return 0;
}
