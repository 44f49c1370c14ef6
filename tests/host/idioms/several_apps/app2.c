#include "lib.h"
#include "app.h"

void app_norm(vec *a, vec *b, vec *c)
{
    #pragma kfuse(a, b, c)
    {
        vec_square(b, a);
        vec_add(c, a, b);
        vec_root(c, c);
    }
}
