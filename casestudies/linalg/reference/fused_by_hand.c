
/* ---- Fused operations, to be appended to linalg.c ---- */

#include "fused_by_hand.h"

static cl_kernel fused_hypot_kernel;
static cl_kernel fused_distance_kernel;
static cl_kernel fused_cg_steps_kernel;

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
