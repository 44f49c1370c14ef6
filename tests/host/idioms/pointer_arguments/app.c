#include "rig.h"
#include "lib.h"

#include <stdlib.h>

#define N 300

static vec *new(const float *data)
{
    vec *v = malloc(sizeof *v);

    vec_new(v, data, N);
    return v;
}

static void norm(vec *x, vec *square, vec *result)
{
#pragma kfuse(x, square, result)
    {
        vec_square(square, x);
        vec_add(result, x, square);
        vec_root(result, result);
    }
}

static void finish(const char *name, vec *v)
{
    float data[N];

    vec_get(v, data);
    rig_dump(name, data, sizeof data);
    vec_free(v);
    free(v);
}

int main(void)
{
    float data[N];
    vec *a, *b, *c;

    vec_start();
    rig_fill(data, N, 1);
    a = new(data);
    b = new(NULL);
    c = new(NULL);
    norm(a, b, c); /* one launch */
    norm(c, b, b); /* two objects are one: the original three */
    finish("b", b);
    finish("c", c);
    finish("a", a);
    vec_stop();
    return 0;
}
