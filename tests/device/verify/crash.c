#include "lib.h"

int main(void)
{
    vec a = {NULL, 16}, b = {NULL, 16}, c = {NULL, 16};

    if (vec_start() != 0)
        return 1;
#pragma kfuse(a, out(b, c))
    {
        vec_square(&b, &a);
        vec_square(&c, &b);
        vec_crash(&c);
    }
    vec_stop();
    return 0;
}
