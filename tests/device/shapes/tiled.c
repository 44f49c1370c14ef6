#include "lib.h"

void work(buf *a, buf *t, buf *c, unsigned n)
{
#pragma kfuse(a, t, c)
    {
        tiled(t, a, n);
        tiled(c, t, n);
    }
}
