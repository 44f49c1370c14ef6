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

cl_int statuses(buf *y, buf *t, buf *x)
{
#pragma kfuse(y, t, x)
    {
        if (square_of(t, x))
            return 1;
        if (square_of(y, t) != CL_SUCCESS)
            return 1;
    }
    return CL_SUCCESS;
}

cl_int status_of_both(buf *y, buf *t, buf *x)
{
    cl_int status = 0;
#pragma kfuse(y, t, x)
    {
        status += square_of(t, x);
        status += square_of(y, t);
    }
    return status;
}

cl_int not_written(buf *z, buf *y, buf *t, buf *x)
{
#pragma kfuse(z, y, t, x)
    {
        counted(t, x);
        square_of(y, t);
        square_of(z, y);
    }
    return CL_SUCCESS;
}
