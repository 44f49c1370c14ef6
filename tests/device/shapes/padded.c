#include "lib.h"

void work(buf *a, buf *t, buf *c, unsigned width, unsigned pitch, unsigned height)
{
#pragma kfuse(a, t, c)
    {
        padded(t, a, width, pitch, height);
        padded(c, t, width, pitch, height);
    }
}
