#define ELEMENTWISE(name, op)                                                \
    __kernel void name(__global float *y, __global const float *x)           \
    {                                                                        \
        const size_t i = get_global_id(0);                                   \
        y[i] = op(x[i]);                                                     \
    }

ELEMENTWISE(produce, sqrt)
ELEMENTWISE(consume, -)
