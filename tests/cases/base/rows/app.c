#include "rig.h"
#include "lib.h"

#include <stdlib.h>

static void work(plane *y, plane *t, plane *x)
{
#pragma kfuse(x, t, y)
    {
        produce(t, x);
        consume(y, t);
    }
}

/* Rows of 6 elements, and how far they are apart: in the first plane, and in the second. */
int main(int argc, char **argv)
{
    const int first = argc > 2 ? atoi(argv[1]) : 8, second = argc > 2 ? atoi(argv[2]) : 8;
    plane x, t, y;

    plane_start();
    plane_new(&x, 6, 5, first, 1);
    plane_new(&t, 6, 5, second, 2);
    plane_new(&y, 6, 5, second, 3);
    work(&y, &t, &x);
    plane_show("x", &x);
    plane_show("t", &t);
    plane_show("y", &y);
    plane_free(&x);
    plane_free(&t);
    plane_free(&y);
    plane_stop();
    return 0;
}
