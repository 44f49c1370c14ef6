/* c = alpha a + beta b */
kernel void vector_add(global REAL *c,
                       const REAL alpha, global const REAL *a,
                       const REAL beta, global const REAL *b,
                       const uint n)
{
    const size_t i = get_global_id(0);

    if (i < n)
        c[i] = alpha * a[i] + beta * b[i];
}
/* c = a b, element by element */
kernel void vector_mult(global REAL *c,
                        global const REAL *a, global const REAL *b,
                        const uint n)
{
    const size_t i = get_global_id(0);

    if (i < n)
        c[i] = a[i] * b[i];
}
/* c = sqrt(a), element by element */
kernel void vector_sqrt(global REAL *c, global const REAL *a, const uint n)
{
    const size_t i = get_global_id(0);

    if (i < n)
        c[i] = sqrt(a[i]);
}
