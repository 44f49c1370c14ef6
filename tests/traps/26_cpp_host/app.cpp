#include "lib.h"

int main()
{
    vec x, t, y;

#pragma kfuse(x, t, y)
    {
        produce(&t, &x);
        consume(&y, &t);
    }
    return 0;
}
