/*
 * The fused operations of fused_by_hand.c.  Each stands for the calls named in
 * its comment there: same operands, same numbers, same status.
 */
#ifndef FUSED_BY_HAND_H
#define FUSED_BY_HAND_H

#include "linalg.h"

/* Before linalg_shutdown. */
void linalg_release_fused(void);

cl_int fused_hypot(Vector *c, Vector *c2, real alpha, Vector *a2, Vector *a,
                   real beta, Vector *b2, Vector *b);
cl_int fused_distance(Vector *c, Vector *c2, real alpha, Vector *dx2, real beta, Vector *dy2,
                      Vector *dx, real alpha_x, Vector *x1, real beta_x, Vector *x2,
                      Vector *dy, real alpha_y, Vector *y1, real beta_y, Vector *y2);
cl_int fused_cg_steps(Vector *b, Matrix *A, Vector *x,
                      Vector *r, real alpha, Vector *f, real beta,
                      Vector *p, real gamma, real delta, Vector *rr);

/* The start of the conjugate gradient method, and three operations for each iteration. */
cl_int fused_cg_start(real *rz, Vector *q, SparseMatrix *A, Vector *x,
                      Vector *r, real alpha, Vector *f, real beta,
                      Vector *z, Vector *m, Vector *p, real gamma, real delta);
cl_int fused_cg_product(real *pq, Vector *q, SparseMatrix *A, Vector *p);
cl_int fused_cg_residual(real *rz, Vector *r, real alpha, real beta, Vector *q,
                         Vector *z, Vector *m);
cl_int fused_cg_advance(Vector *x, real alpha, real beta, Vector *p,
                        real gamma, Vector *z, real delta);

#endif
