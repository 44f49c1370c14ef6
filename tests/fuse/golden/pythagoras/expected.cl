/* vector_mult, vector_mult, vector_add and vector_sqrt in one kernel */
kernel void vector_mult_vector_add_vector_sqrt(
        global const REAL *a, global const REAL *b, global REAL *c, const REAL alpha,
        const uint n)
{
    const size_t i = get_global_id(0);

    if (i < n) {
        /* vector_mult(a2, a, a, n) */
        const REAL a_i = a[i];
        const REAL a2_i = a_i * a_i;

        /* vector_mult(b2, b, b, n) */
        const REAL b_i = b[i];
        const REAL b2_i = b_i * b_i;

        /* vector_add(c2, 1, a2, 1, b2, n) */
        const REAL c2_i = alpha * a2_i + alpha * b2_i;

        /* vector_sqrt(c, c2, n) */
        c[i] = sqrt(c2_i);
    }
}
