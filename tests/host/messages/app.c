#include "lib.h"

cl_int sizes(buf *y, buf *t, buf *x)
{
#pragma kfuse(y, t, x)
    {
        square_of(t, x);
        root_of_half(y, t);
    }
    return CL_SUCCESS;
}

cl_int indices(buf *y, buf *t, buf *x, buf *index)
{
#pragma kfuse(y, t, x)
    {
        square_of(t, x);
        gather_of(y, t, index);
    }
    return CL_SUCCESS;
}

cl_int checked(buf *z, buf *y, buf *t, buf *x)
{
    cl_int status = 0;
#pragma kfuse(z, y, t, x)
    {
        counted(t, x);
        if (square_of(y, t))
            return 1;
        status += square_of(z, y);
    }
    return status;
}
