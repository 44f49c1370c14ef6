/* matrix_vector, subtract and copy in one kernel */
kernel void matrix_vector_subtract_copy(global const REAL *A, global const REAL *x,
                                        global const REAL *f, global REAL *r,
                                        global REAL *p, const uint n)
{
    const size_t row = get_global_id(0);
    if (row >= n)
        return;

    /* matrix_vector(b, A, x, n, n) */
    REAL b_row = 0;
    for (uint j = 0; j < n; j++)
        b_row += A[row * n + j] * x[j];

    /* subtract(r, f, b, n) */
    const REAL r_row = f[row] - b_row;
    r[row] = r_row;

    /* copy(p, r, n) */
    p[row] = r_row;
}
