
/*
 * Fused kernels, to be appended to linalg.cl.  Every intermediate is rounded as
 * if it had been stored: one variable of type REAL, one statement each.
 */

/* a2 = a a; b2 = b b; c2 = alpha a2 + beta b2; c = sqrt(c2) */
kernel void fused_hypot(global REAL *c,
                        const REAL alpha, global const REAL *a,
                        const REAL beta, global const REAL *b,
                        const uint n)
{
    const size_t i = get_global_id(0);

    if (i < n) {
        const REAL a_i = a[i];
        const REAL b_i = b[i];
        const REAL a2 = a_i * a_i;
        const REAL b2 = b_i * b_i;
        const REAL c2 = alpha * a2 + beta * b2;
        c[i] = sqrt(c2);
    }
}

/*
 * dx = alpha_x x1 + beta_x x2; dy = alpha_y y1 + beta_y y2; dx2 = dx dx;
 * dy2 = dy dy; c2 = alpha dx2 + beta dy2; c = sqrt(c2)
 */
kernel void fused_distance(global REAL *c, const REAL alpha, const REAL beta,
                           const REAL alpha_x, global const REAL *x1,
                           const REAL beta_x, global const REAL *x2,
                           const REAL alpha_y, global const REAL *y1,
                           const REAL beta_y, global const REAL *y2,
                           const uint n)
{
    const size_t i = get_global_id(0);

    if (i < n) {
        const REAL dx = alpha_x * x1[i] + beta_x * x2[i];
        const REAL dy = alpha_y * y1[i] + beta_y * y2[i];
        const REAL dx2 = dx * dx;
        const REAL dy2 = dy * dy;
        const REAL c2 = alpha * dx2 + beta * dy2;
        c[i] = sqrt(c2);
    }
}

/* b = A x; r = alpha f + beta b; p = gamma r + delta r; rr = r r */
kernel void fused_cg_steps(global const REAL *A, global const REAL *x,
                           global REAL *r,
                           const REAL alpha, global const REAL *f, const REAL beta,
                           global REAL *p, const REAL gamma, const REAL delta,
                           global REAL *rr,
                           const uint rows, const uint cols)
{
    const size_t row = get_global_id(0);

    if (row >= rows)
        return;

    REAL b = 0;
    for (uint j = 0; j < cols; j++)
        b += A[row * cols + j] * x[j];

    const REAL residual = alpha * f[row] + beta * b;
    r[row] = residual;
    p[row] = gamma * residual + delta * residual;
    rr[row] = residual * residual;
}

/* b = A x in one row, as sparse_vector_mult adds it up. */
REAL row_product(global const uint *row_start, global const uint *column,
                 global const REAL *value, global const REAL *x, const size_t row)
{
    const uint end = row_start[row + 1];
    REAL sum = 0;

    for (uint k = row_start[row]; k < end; k++)
        sum += value[k] * x[column[k]];
    return sum;
}

/*
 * partial[g] = the sum of the terms of work-group g, whose size is that of vector_dot:
 * it decides which terms are added to which.  All items of the group must call this.
 */
void sum_of_group(global REAL *partial, const REAL term, local REAL *sums)
{
    const size_t item = get_local_id(0);

    sums[item] = term;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (size_t width = get_local_size(0) / 2; width > 0; width /= 2) {
        if (item < width)
            sums[item] += sums[item + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (item == 0)
        partial[get_group_id(0)] = sums[0];
}

/* q = A x; r = alpha f + beta q; z = m r; p = gamma z + delta z; partial sums of r z */
kernel void fused_cg_start(global REAL *partial,
                           global const uint *row_start, global const uint *column,
                           global const REAL *value, global const REAL *x,
                           global REAL *r,
                           const REAL alpha, global const REAL *f, const REAL beta,
                           global REAL *z, global const REAL *m,
                           global REAL *p, const REAL gamma, const REAL delta,
                           const uint n, local REAL *sums)
{
    const size_t i = get_global_id(0);
    REAL term = 0;

    if (i < n) {
        const REAL q_i = row_product(row_start, column, value, x, i);
        const REAL r_i = alpha * f[i] + beta * q_i;
        const REAL z_i = m[i] * r_i;
        r[i] = r_i;
        z[i] = z_i;
        p[i] = gamma * z_i + delta * z_i;
        term = r_i * z_i;
    }
    sum_of_group(partial, term, sums);
}

/* q = A p; partial sums of p q */
kernel void fused_cg_product(global REAL *partial, global REAL *q,
                             global const uint *row_start, global const uint *column,
                             global const REAL *value, global const REAL *p,
                             const uint n, local REAL *sums)
{
    const size_t i = get_global_id(0);
    REAL term = 0;

    if (i < n) {
        const REAL q_i = row_product(row_start, column, value, p, i);
        q[i] = q_i;
        term = p[i] * q_i;
    }
    sum_of_group(partial, term, sums);
}

/* r = alpha r + beta q; z = m r; partial sums of r z */
kernel void fused_cg_residual(global REAL *partial,
                              const REAL alpha, global REAL *r,
                              const REAL beta, global const REAL *q,
                              global REAL *z, global const REAL *m,
                              const uint n, local REAL *sums)
{
    const size_t i = get_global_id(0);
    REAL term = 0;

    if (i < n) {
        const REAL r_i = alpha * r[i] + beta * q[i];
        const REAL z_i = m[i] * r_i;
        r[i] = r_i;
        z[i] = z_i;
        term = r_i * z_i;
    }
    sum_of_group(partial, term, sums);
}

/* x = alpha x + beta p; p = gamma z + delta p */
kernel void fused_cg_advance(const REAL alpha, global REAL *x,
                             const REAL beta, global REAL *p,
                             const REAL gamma, global const REAL *z, const REAL delta,
                             const uint n)
{
    const size_t i = get_global_id(0);

    if (i < n) {
        const REAL p_i = p[i];
        x[i] = alpha * x[i] + beta * p_i;
        p[i] = gamma * z[i] + delta * p_i;
    }
}
