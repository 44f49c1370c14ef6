
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
