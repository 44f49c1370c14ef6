#include "lib.h"

void work(buf *a, buf *t, buf *c, unsigned n)
{
#pragma kfuse(a, t, c)
    {
        longer(t, a, n);
        longer(c, t, n);
    }
}
