#include "lib.h"

void work(buf *a, buf *t, buf *c, setting n)
{
#pragma kfuse(a, t, c)
    {
        scaled(t, a, n);
        scaled(c, t, n);
    }
}
