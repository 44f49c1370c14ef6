#include "lib.h"

void work(buf *a, buf *t, buf *c, unsigned n)
{
#pragma kfuse(a, t, c)
    {
        points_move(t, a, n);
        points_move(c, t, n);
    }
}
