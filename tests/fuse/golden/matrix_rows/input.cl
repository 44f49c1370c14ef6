#define REAL float

kernel void matrix_vector(global REAL *b, global const REAL *A, global const REAL *x,
                          const uint rows, const uint cols)
{
    const size_t row = get_global_id(0);

    if (row >= rows)
        return;

    REAL sum = 0;
    for (uint j = 0; j < cols; j++)
        sum += A[row * cols + j] * x[j];
    b[row] = sum;
}

kernel void subtract(global REAL *c, global const REAL *a, global const REAL *b, const uint n)
{
    const size_t i = get_global_id(0);

    if (i < n)
        c[i] = a[i] - b[i];
}

kernel void copy(global REAL *c, global const REAL *a, const uint n)
{
    const size_t i = get_global_id(0);

    if (i < n)
        c[i] = a[i];
}
