/* vector_add, vector_add, vector_mult, vector_mult, vector_add and vector_sqrt in one kernel */
__kernel void vector_add_vector_mult_vector_sqrt(
        __global const REAL *x1, __global const REAL *x2, __global const REAL *y1,
        __global const REAL *y2, __global REAL *c, const REAL alpha, const REAL beta,
        const uint n)
{
    const size_t gid = get_global_id(0);
    if (gid >= n)
        return;

    /* vector_add(dx, 1, x1, -1, x2, n) */
    REAL a_val = x1[gid];
    REAL b_val = x2[gid];
    REAL dx_gid;
    dx_gid = alpha * a_val + beta * b_val;

    /* vector_add(dy, 1, y1, -1, y2, n) */
    REAL a_val_2 = y1[gid];
    REAL b_val_2 = y2[gid];
    REAL dy_gid;
    dy_gid = alpha * a_val_2 + beta * b_val_2;

    /* vector_mult(dx2, dx, dx, n) */
    REAL dx2_gid;
    dx2_gid = dx_gid * dx_gid;

    /* vector_mult(dy2, dy, dy, n) */
    REAL dy2_gid;
    dy2_gid = dy_gid * dy_gid;

    /* vector_add(c2, 1, dx2, 1, dy2, n) */
    REAL c2_gid;
    c2_gid = alpha * dx2_gid + alpha * dy2_gid;

    /* vector_sqrt(c, c2, n) */
    REAL c_val;
    c_val = sqrt(c2_gid);
    c[gid] = c_val;
}
