#include <CL/cl.h>

typedef struct {
    cl_mem mem;
    size_t bytes;
} buf;

void start(cl_program program);
cl_int square_of(buf *y, const buf *x);
cl_int counted(buf *y, const buf *x);
cl_int root_of_half(buf *y, const buf *x);
cl_int gather_of(buf *y, const buf *x, const buf *index);
