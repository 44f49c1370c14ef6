#include "rig.h"
#include "lib.h"

#include <stdio.h>

static int work(vec *y, vec *t, vec *x)
{
    int status;

#pragma kfuse(x, t, y)
    {
        status = produce(t, x);
        if (status)
            return status;
        status = consume(y, t);
        if (status)
            return status;
    }
    return 0;
}

/* The argument: how many elements, and which of the vectors has none, or is nowhere. */
int main(int argc, char **argv)
{
    static float numbers[3][8] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    vec v[3];

    vec_start();
    for (int i = 0; i < 3; i++) {
        const int empty = argc > 2 && argv[1][0] == 'n' && argv[2][0] == '0' + i;
        const int nowhere = argc > 2 && argv[1][0] == 'h' && argv[2][0] == '0' + i;
        v[i] = (vec){nowhere ? NULL : numbers[i], NULL, empty ? 0 : 8, 0};
    }
    printf("%d\n", work(&v[2], &v[1], &v[0]));
    vec_show("x", &v[0]);
    for (int i = 0; i < 3; i++)
        vec_free(&v[i]);
    vec_stop();
    return 0;
}
