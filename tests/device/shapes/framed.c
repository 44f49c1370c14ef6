#include "lib.h"

void work(buf *a, buf *t, buf *c, cl_int2 n, unsigned width, unsigned height)
{
#pragma kfuse(a, t, c)
    {
        framed(t, a, n, width, height);
        framed(c, t, n, width, height);
    }
}
