
/* ---- Fused operations, to be appended to linalg.c ---- */

#include "fused_by_hand.h"

static cl_kernel fused_hypot_kernel;
static cl_kernel fused_distance_kernel;
static cl_kernel fused_cg_steps_kernel;
static cl_kernel fused_cg_start_kernel;
static cl_kernel fused_cg_product_kernel;
static cl_kernel fused_cg_residual_kernel;
static cl_kernel fused_cg_advance_kernel;

/* Not every program needs these kernels: they are created on first use. */
static cl_int create_once(cl_kernel *kernel, const char *name)
{
    cl_int status = CL_SUCCESS;

    if (*kernel == NULL)
        *kernel = clCreateKernel(program, name, &status);
    return status;
}

void linalg_release_fused(void)
{
    release_kernel(&fused_hypot_kernel);
    release_kernel(&fused_distance_kernel);
    release_kernel(&fused_cg_steps_kernel);
    release_kernel(&fused_cg_start_kernel);
    release_kernel(&fused_cg_product_kernel);
    release_kernel(&fused_cg_residual_kernel);
    release_kernel(&fused_cg_advance_kernel);
}

/*
 * a2 = a a; b2 = b b; c2 = alpha a2 + beta b2; c = sqrt(c2)
 * Only c is written: the other results are scratch.
 */
cl_int fused_hypot(Vector *c, Vector *c2, real alpha, Vector *a2, Vector *a,
                   real beta, Vector *b2, Vector *b)
{
    if (a->n != a2->n || b->n != b2->n || a2->n != c2->n || b2->n != c2->n || c2->n != c->n)
        return LINALG_BAD_SIZE;

    /* A scratch vector that is overwritten while it is needed must be memory. */
    if (a2 == b || a2 == b2) {
        CHECK(vector_mult(a2, a, a));
        CHECK(vector_mult(b2, b, b));
        CHECK(vector_add(c2, alpha, a2, beta, b2));
        return vector_sqrt(c, c2);
    }

    CHECK(create_once(&fused_hypot_kernel, "fused_hypot"));
    CHECK(vector_to_device(a));
    CHECK(vector_to_device(b));

    CHECK(clSetKernelArg(fused_hypot_kernel, 0, sizeof(cl_mem), &c->device));
    CHECK(clSetKernelArg(fused_hypot_kernel, 1, sizeof(real), &alpha));
    CHECK(clSetKernelArg(fused_hypot_kernel, 2, sizeof(cl_mem), &a->device));
    CHECK(clSetKernelArg(fused_hypot_kernel, 3, sizeof(real), &beta));
    CHECK(clSetKernelArg(fused_hypot_kernel, 4, sizeof(cl_mem), &b->device));
    CHECK(clSetKernelArg(fused_hypot_kernel, 5, sizeof(cl_uint), &c->n));

    const size_t local = GROUP_SIZE;
    const size_t global = whole_groups(c->n);
    CHECK(clEnqueueNDRangeKernel(queue, fused_hypot_kernel, 1, NULL, &global, &local,
                                 0, NULL, NULL));
    c->newer = LINALG_DEVICE;
    return LINALG_OK;
}

/*
 * dx = alpha_x x1 + beta_x x2; dy = alpha_y y1 + beta_y y2; dx2 = dx dx;
 * dy2 = dy dy; c2 = alpha dx2 + beta dy2; c = sqrt(c2)
 * Only c is written: the other results are scratch.
 */
cl_int fused_distance(Vector *c, Vector *c2, real alpha, Vector *dx2, real beta, Vector *dy2,
                      Vector *dx, real alpha_x, Vector *x1, real beta_x, Vector *x2,
                      Vector *dy, real alpha_y, Vector *y1, real beta_y, Vector *y2)
{
    if (x1->n != dx->n || x2->n != dx->n || y1->n != dy->n || y2->n != dy->n
        || dx->n != dx2->n || dy->n != dy2->n || dx2->n != c2->n || dy2->n != c2->n
        || c2->n != c->n)
        return LINALG_BAD_SIZE;

    /* A scratch vector that is overwritten while it is needed must be memory. */
    if (dx == y1 || dx == y2 || dx == dy || dx2 == dy || dx2 == dy2) {
        CHECK(vector_add(dx, alpha_x, x1, beta_x, x2));
        CHECK(vector_add(dy, alpha_y, y1, beta_y, y2));
        CHECK(vector_mult(dx2, dx, dx));
        CHECK(vector_mult(dy2, dy, dy));
        CHECK(vector_add(c2, alpha, dx2, beta, dy2));
        return vector_sqrt(c, c2);
    }

    CHECK(create_once(&fused_distance_kernel, "fused_distance"));
    CHECK(vector_to_device(x1));
    CHECK(vector_to_device(x2));
    CHECK(vector_to_device(y1));
    CHECK(vector_to_device(y2));

    CHECK(clSetKernelArg(fused_distance_kernel, 0, sizeof(cl_mem), &c->device));
    CHECK(clSetKernelArg(fused_distance_kernel, 1, sizeof(real), &alpha));
    CHECK(clSetKernelArg(fused_distance_kernel, 2, sizeof(real), &beta));
    CHECK(clSetKernelArg(fused_distance_kernel, 3, sizeof(real), &alpha_x));
    CHECK(clSetKernelArg(fused_distance_kernel, 4, sizeof(cl_mem), &x1->device));
    CHECK(clSetKernelArg(fused_distance_kernel, 5, sizeof(real), &beta_x));
    CHECK(clSetKernelArg(fused_distance_kernel, 6, sizeof(cl_mem), &x2->device));
    CHECK(clSetKernelArg(fused_distance_kernel, 7, sizeof(real), &alpha_y));
    CHECK(clSetKernelArg(fused_distance_kernel, 8, sizeof(cl_mem), &y1->device));
    CHECK(clSetKernelArg(fused_distance_kernel, 9, sizeof(real), &beta_y));
    CHECK(clSetKernelArg(fused_distance_kernel, 10, sizeof(cl_mem), &y2->device));
    CHECK(clSetKernelArg(fused_distance_kernel, 11, sizeof(cl_uint), &c->n));

    const size_t local = GROUP_SIZE;
    const size_t global = whole_groups(c->n);
    CHECK(clEnqueueNDRangeKernel(queue, fused_distance_kernel, 1, NULL, &global, &local,
                                 0, NULL, NULL));
    c->newer = LINALG_DEVICE;
    return LINALG_OK;
}

/*
 * b = A x; r = alpha f + beta b; p = gamma r + delta r; rr = r r
 * b is not written: it is scratch.
 */
cl_int fused_cg_steps(Vector *b, Matrix *A, Vector *x,
                      Vector *r, real alpha, Vector *f, real beta,
                      Vector *p, real gamma, real delta, Vector *rr)
{
    if (b->n != A->rows || x->n != A->cols)
        return LINALG_BAD_SIZE;
    if (b == x) /* every element of b needs all of x */
        return LINALG_ALIASED;
    if (f->n != r->n || b->n != r->n || r->n != p->n || r->n != rr->n)
        return LINALG_BAD_SIZE;

    /* Other items still read x, and what is overwritten early must be memory. */
    if (r == x || p == x || rr == x || b == f || p == r) {
        CHECK(matrix_vector_mult(b, A, x));
        CHECK(vector_add(r, alpha, f, beta, b));
        CHECK(vector_add(p, gamma, r, delta, r));
        return vector_mult(rr, r, r);
    }

    CHECK(create_once(&fused_cg_steps_kernel, "fused_cg_steps"));
    CHECK(matrix_to_device(A));
    CHECK(vector_to_device(x));
    CHECK(vector_to_device(f));

    CHECK(clSetKernelArg(fused_cg_steps_kernel, 0, sizeof(cl_mem), &A->device));
    CHECK(clSetKernelArg(fused_cg_steps_kernel, 1, sizeof(cl_mem), &x->device));
    CHECK(clSetKernelArg(fused_cg_steps_kernel, 2, sizeof(cl_mem), &r->device));
    CHECK(clSetKernelArg(fused_cg_steps_kernel, 3, sizeof(real), &alpha));
    CHECK(clSetKernelArg(fused_cg_steps_kernel, 4, sizeof(cl_mem), &f->device));
    CHECK(clSetKernelArg(fused_cg_steps_kernel, 5, sizeof(real), &beta));
    CHECK(clSetKernelArg(fused_cg_steps_kernel, 6, sizeof(cl_mem), &p->device));
    CHECK(clSetKernelArg(fused_cg_steps_kernel, 7, sizeof(real), &gamma));
    CHECK(clSetKernelArg(fused_cg_steps_kernel, 8, sizeof(real), &delta));
    CHECK(clSetKernelArg(fused_cg_steps_kernel, 9, sizeof(cl_mem), &rr->device));
    CHECK(clSetKernelArg(fused_cg_steps_kernel, 10, sizeof(cl_uint), &A->rows));
    CHECK(clSetKernelArg(fused_cg_steps_kernel, 11, sizeof(cl_uint), &A->cols));

    const size_t local = GROUP_SIZE;
    const size_t global = whole_groups(A->rows);
    CHECK(clEnqueueNDRangeKernel(queue, fused_cg_steps_kernel, 1, NULL, &global, &local,
                                 0, NULL, NULL));
    r->newer = LINALG_DEVICE;
    p->newer = LINALG_DEVICE;
    rr->newer = LINALG_DEVICE;
    return LINALG_OK;
}

/* ---- The conjugate gradient method: what vector_dot sums is computed where it is summed ---- */

/*
 * Launches a kernel over n items that leaves one sum per work-group in its argument 0, and
 * adds those up as vector_dot does.  The group's size is vector_dot's, too: another one
 * would add in another order.  The kernel's local memory for it is its argument `sums`.
 */
static cl_int launch_and_sum(real *result, cl_kernel kernel, cl_uint n, cl_uint sums)
{
    const size_t local = GROUP_SIZE;
    const size_t global = whole_groups(n);
    const size_t groups = global / local;
    CHECK(reserve_partial(groups));

    CHECK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &partial_device));
    CHECK(clSetKernelArg(kernel, sums, GROUP_SIZE * sizeof(real), NULL));
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, partial_device, CL_TRUE, 0, groups * sizeof(real),
                              partial_host, 0, NULL, NULL));

    double sum = 0;
    for (size_t i = 0; i < groups; i++)
        sum += partial_host[i];
    *result = (real)sum;
    return LINALG_OK;
}

/*
 * q = A x; r = alpha f + beta q; z = m r; p = gamma z + delta z; rz = r z, summed
 * q is not written: it is scratch.
 */
cl_int fused_cg_start(real *rz, Vector *q, SparseMatrix *A, Vector *x,
                      Vector *r, real alpha, Vector *f, real beta,
                      Vector *z, Vector *m, Vector *p, real gamma, real delta)
{
    if (q->n != A->rows || x->n != A->cols)
        return LINALG_BAD_SIZE;
    if (q == x) /* every element of q may need any of x */
        return LINALG_ALIASED;
    if (f->n != r->n || q->n != r->n || m->n != z->n || r->n != z->n || z->n != p->n)
        return LINALG_BAD_SIZE;

    /* Other items still read x, and what is overwritten early must be memory. */
    if (r == x || z == x || p == x || q == f || q == m || m == r || z == r || p == r || p == z) {
        CHECK(sparse_vector_mult(q, A, x));
        CHECK(vector_add(r, alpha, f, beta, q));
        CHECK(vector_mult(z, m, r));
        CHECK(vector_add(p, gamma, z, delta, z));
        return vector_dot(rz, r, z);
    }

    CHECK(create_once(&fused_cg_start_kernel, "fused_cg_start"));
    CHECK(sparse_to_device(A));
    CHECK(vector_to_device(x));
    CHECK(vector_to_device(f));
    CHECK(vector_to_device(m));

    CHECK(clSetKernelArg(fused_cg_start_kernel, 1, sizeof(cl_mem), &A->row_start_device));
    CHECK(clSetKernelArg(fused_cg_start_kernel, 2, sizeof(cl_mem), &A->column_device));
    CHECK(clSetKernelArg(fused_cg_start_kernel, 3, sizeof(cl_mem), &A->value_device));
    CHECK(clSetKernelArg(fused_cg_start_kernel, 4, sizeof(cl_mem), &x->device));
    CHECK(clSetKernelArg(fused_cg_start_kernel, 5, sizeof(cl_mem), &r->device));
    CHECK(clSetKernelArg(fused_cg_start_kernel, 6, sizeof(real), &alpha));
    CHECK(clSetKernelArg(fused_cg_start_kernel, 7, sizeof(cl_mem), &f->device));
    CHECK(clSetKernelArg(fused_cg_start_kernel, 8, sizeof(real), &beta));
    CHECK(clSetKernelArg(fused_cg_start_kernel, 9, sizeof(cl_mem), &z->device));
    CHECK(clSetKernelArg(fused_cg_start_kernel, 10, sizeof(cl_mem), &m->device));
    CHECK(clSetKernelArg(fused_cg_start_kernel, 11, sizeof(cl_mem), &p->device));
    CHECK(clSetKernelArg(fused_cg_start_kernel, 12, sizeof(real), &gamma));
    CHECK(clSetKernelArg(fused_cg_start_kernel, 13, sizeof(real), &delta));
    CHECK(clSetKernelArg(fused_cg_start_kernel, 14, sizeof(cl_uint), &A->rows));

    CHECK(launch_and_sum(rz, fused_cg_start_kernel, A->rows, 15));
    r->newer = LINALG_DEVICE;
    z->newer = LINALG_DEVICE;
    p->newer = LINALG_DEVICE;
    return LINALG_OK;
}

/* q = A p; pq = p q, summed */
cl_int fused_cg_product(real *pq, Vector *q, SparseMatrix *A, Vector *p)
{
    if (q->n != A->rows || p->n != A->cols)
        return LINALG_BAD_SIZE;
    if (q == p) /* every element of q may need any of p */
        return LINALG_ALIASED;
    if (p->n != q->n)
        return LINALG_BAD_SIZE;

    CHECK(create_once(&fused_cg_product_kernel, "fused_cg_product"));
    CHECK(sparse_to_device(A));
    CHECK(vector_to_device(p));

    CHECK(clSetKernelArg(fused_cg_product_kernel, 1, sizeof(cl_mem), &q->device));
    CHECK(clSetKernelArg(fused_cg_product_kernel, 2, sizeof(cl_mem), &A->row_start_device));
    CHECK(clSetKernelArg(fused_cg_product_kernel, 3, sizeof(cl_mem), &A->column_device));
    CHECK(clSetKernelArg(fused_cg_product_kernel, 4, sizeof(cl_mem), &A->value_device));
    CHECK(clSetKernelArg(fused_cg_product_kernel, 5, sizeof(cl_mem), &p->device));
    CHECK(clSetKernelArg(fused_cg_product_kernel, 6, sizeof(cl_uint), &A->rows));

    CHECK(launch_and_sum(pq, fused_cg_product_kernel, A->rows, 7));
    q->newer = LINALG_DEVICE;
    return LINALG_OK;
}

/* r = alpha r + beta q; z = m r; rz = r z, summed */
cl_int fused_cg_residual(real *rz, Vector *r, real alpha, real beta, Vector *q,
                         Vector *z, Vector *m)
{
    if (q->n != r->n || m->n != z->n || r->n != z->n)
        return LINALG_BAD_SIZE;

    /* What is overwritten while it is needed must be memory. */
    if (m == r || z == r) {
        CHECK(vector_add(r, alpha, r, beta, q));
        CHECK(vector_mult(z, m, r));
        return vector_dot(rz, r, z);
    }

    CHECK(create_once(&fused_cg_residual_kernel, "fused_cg_residual"));
    CHECK(vector_to_device(r));
    CHECK(vector_to_device(q));
    CHECK(vector_to_device(m));

    CHECK(clSetKernelArg(fused_cg_residual_kernel, 1, sizeof(real), &alpha));
    CHECK(clSetKernelArg(fused_cg_residual_kernel, 2, sizeof(cl_mem), &r->device));
    CHECK(clSetKernelArg(fused_cg_residual_kernel, 3, sizeof(real), &beta));
    CHECK(clSetKernelArg(fused_cg_residual_kernel, 4, sizeof(cl_mem), &q->device));
    CHECK(clSetKernelArg(fused_cg_residual_kernel, 5, sizeof(cl_mem), &z->device));
    CHECK(clSetKernelArg(fused_cg_residual_kernel, 6, sizeof(cl_mem), &m->device));
    CHECK(clSetKernelArg(fused_cg_residual_kernel, 7, sizeof(cl_uint), &r->n));

    CHECK(launch_and_sum(rz, fused_cg_residual_kernel, r->n, 8));
    r->newer = LINALG_DEVICE;
    z->newer = LINALG_DEVICE;
    return LINALG_OK;
}

/* x = alpha x + beta p; p = gamma z + delta p */
cl_int fused_cg_advance(Vector *x, real alpha, real beta, Vector *p,
                        real gamma, Vector *z, real delta)
{
    if (p->n != x->n || z->n != p->n)
        return LINALG_BAD_SIZE;

    /* What is overwritten while it is needed must be memory. */
    if (x == p || x == z) {
        CHECK(vector_add(x, alpha, x, beta, p));
        return vector_add(p, gamma, z, delta, p);
    }

    CHECK(create_once(&fused_cg_advance_kernel, "fused_cg_advance"));
    CHECK(vector_to_device(x));
    CHECK(vector_to_device(p));
    CHECK(vector_to_device(z));

    CHECK(clSetKernelArg(fused_cg_advance_kernel, 0, sizeof(real), &alpha));
    CHECK(clSetKernelArg(fused_cg_advance_kernel, 1, sizeof(cl_mem), &x->device));
    CHECK(clSetKernelArg(fused_cg_advance_kernel, 2, sizeof(real), &beta));
    CHECK(clSetKernelArg(fused_cg_advance_kernel, 3, sizeof(cl_mem), &p->device));
    CHECK(clSetKernelArg(fused_cg_advance_kernel, 4, sizeof(real), &gamma));
    CHECK(clSetKernelArg(fused_cg_advance_kernel, 5, sizeof(cl_mem), &z->device));
    CHECK(clSetKernelArg(fused_cg_advance_kernel, 6, sizeof(real), &delta));
    CHECK(clSetKernelArg(fused_cg_advance_kernel, 7, sizeof(cl_uint), &x->n));

    const size_t local = GROUP_SIZE;
    const size_t global = whole_groups(x->n);
    CHECK(clEnqueueNDRangeKernel(queue, fused_cg_advance_kernel, 1, NULL, &global, &local,
                                 0, NULL, NULL));
    x->newer = LINALG_DEVICE;
    p->newer = LINALG_DEVICE;
    return LINALG_OK;
}
