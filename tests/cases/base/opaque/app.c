#include "vec.h"
#include <stdio.h>

static void step(vec *a, vec *t, vec *c)
{
    /* BEFORE */
#pragma kfuse(a, t, out(c))
    {
        vec_square(t, a);
        vec_add(c, t, a);
    }
    /* AFTER */
    vec_show("c", c);
}

int main(void)
{
    vec *a, *t, *c;

    vec_start();
    a = vec_new(64, 2);
    t = vec_new(64, 3);
    c = vec_new(64, 4);
    step(a, t, c);
    step(c, t, a);
    vec_free(a);
    vec_free(t);
    vec_free(c);
    return 0;
}
