/*
 * The conjugate gradient method with a Jacobi preconditioner, for heat
 * conduction through a plate of uneven material: -div(k grad x) = f on a square
 * grid of SIZE by SIZE cells, x = 0 around it, by the five-point formula.
 *
 * Prints the residual of every iteration, also in hexadecimal: to the bit.
 */
#include "app.h"
#include "linalg.h"

#include <float.h>
#include <math.h>

/* The conductance between a cell and its neighbour; outside there is more of the same. */
static real conductance(const real *k, cl_uint size, cl_uint y, cl_uint x, int dy, int dx)
{
    const real here = k[y * size + x];

    if ((y == 0 && dy < 0) || (y == size - 1 && dy > 0)
        || (x == 0 && dx < 0) || (x == size - 1 && dx > 0))
        return here;
    return (here + k[(y + dy) * size + (x + dx)]) / 2;
}

static void append(SparseMatrix *A, cl_uint *count, cl_uint column, real value)
{
    A->column[*count] = column;
    A->value[*count] = value;
    *count += 1;
}

/* Fills in A, and the inverse of its diagonal, for the conductivity k of the cells. */
static void discretise(SparseMatrix *A, Vector *inverse, const real *k, cl_uint size)
{
    cl_uint count = 0;

    for (cl_uint y = 0; y < size; y++) {
        for (cl_uint x = 0; x < size; x++) {
            const cl_uint row = y * size + x;
            const real up = conductance(k, size, y, x, -1, 0);
            const real left = conductance(k, size, y, x, 0, -1);
            const real right = conductance(k, size, y, x, 0, 1);
            const real down = conductance(k, size, y, x, 1, 0);
            const real diagonal = up + left + right + down;

            A->row_start[row] = count;
            if (y > 0)
                append(A, &count, row - size, -up);
            if (x > 0)
                append(A, &count, row - 1, -left);
            append(A, &count, row, diagonal);
            if (x < size - 1)
                append(A, &count, row + 1, -right);
            if (y < size - 1)
                append(A, &count, row + size, -down);
            inverse->host[row] = 1 / diagonal;
        }
    }
    A->row_start[size * size] = count;
}

/* |f - A x| / |f|, on the host in double: what the recurrence cannot hide. */
static double true_residual(const SparseMatrix *A, const Vector *f, const Vector *x)
{
    double rr = 0, ff = 0;

    for (cl_uint i = 0; i < A->rows; i++) {
        double r = f->host[i];
        for (cl_uint k = A->row_start[i]; k < A->row_start[i + 1]; k++)
            r -= (double)A->value[k] * x->host[A->column[k]];
        rr += r * r;
        ff += (double)f->host[i] * f->host[i];
    }
    return sqrt(rr / ff);
}

/*
 * How far rounding may take the true residual from that of the recurrence: in float, at 2048
 * by 2048 cells, further than the tolerance.  r is updated beside x and does not see how x is
 * rounded, in each iteration by up to eps / 2 of an element, which began between -1 and 1.
 * That changes f - A x, and independent errors grow with the root of their number.  Going on
 * would not help, as r does not know of it.  Measured: a third of this, in float and double,
 * from 128 cells a side.
 */
static double explained_by_rounding(const SparseMatrix *A, const Vector *f, const Vector *x,
                                    int iterations)
{
    const double half = (sizeof(real) == sizeof(float) ? FLT_EPSILON : DBL_EPSILON) / 2;
    double ee = 0, ff = 0;

    for (cl_uint i = 0; i < A->rows; i++) {
        for (cl_uint k = A->row_start[i]; k < A->row_start[i + 1]; k++) {
            const double error = half * A->value[k] * fmax(fabs(x->host[A->column[k]]), 1);
            ee += error * error;
        }
        ff += (double)f->host[i] * f->host[i];
    }
    return sqrt((1 + iterations) * ee / ff);
}

static void print_residual(int iteration, real rz)
{
    const double residual = sqrt(rz);

    printf("%4d  %.9e  %a\n", iteration, residual, residual);
}

int main(int argc, char **argv)
{
    App app;
    TRY(app_begin(&app, argc, argv, 32));

    const cl_uint size = app.n;
    if (size > 8192) { /* indices are 32 bits wide, and there are five per cell */
        fprintf(stderr, "%s: at most 8192 by 8192 cells\n", argv[0]);
        return EXIT_FAILURE;
    }
    const cl_uint n = size * size;
    const int most_iterations = 20 * (int)size + 20;
    const real tolerance = sizeof(real) == sizeof(float) ? (real)1e-5 : (real)1e-10;

    SparseMatrix A;
    Vector k, m, f, x, r, z, p, q;
    TRY(sparse_create(&A, n, n, 5 * n - 4 * size));
    TRY(vector_create(&k, n)); /* the conductivity of the cells */
    TRY(vector_create(&m, n)); /* the preconditioner: 1 / diagonal of A */
    TRY(vector_create(&f, n)); /* the right-hand side */
    TRY(vector_create(&x, n)); /* the solution */
    TRY(vector_create(&r, n)); /* the residual f - A x */
    TRY(vector_create(&z, n)); /* the preconditioned residual m r */
    TRY(vector_create(&p, n)); /* the search direction */
    TRY(vector_create(&q, n)); /* A p */

    app_random(k.host, n, 1, 1, 8);
    app_random(f.host, n, 2, -1, 1);
    discretise(&A, &m, k.host, size);

    real rz = 0, first_rz = 0;
    int iterations = 0;
    for (int repeat = 0; repeat < app.repeats; repeat++) {
        const int printing = repeat == 0;

        /* A first guess, the same for every repetition. */
        app_random(x.host, n, 3, -1, 1);
        vector_changed(&x);

        app_start(&app);
#pragma kfuse(A, x, f, m, r, z, p, temp(q))
        {
            TRY(sparse_vector_mult(&q, &A, &x)); /* r = f - A x */
            TRY(vector_add(&r, 1, &f, -1, &q));
            TRY(vector_mult(&z, &m, &r));        /* z = m r */
            TRY(vector_add(&p, 1, &z, 0, &z));   /* p = z */
        }
        TRY(vector_dot(&rz, &r, &z));
        first_rz = rz;
        if (printing)
            print_residual(0, rz);

        for (int i = 1; i <= most_iterations && rz > tolerance * tolerance * first_rz; i++) {
            real pq, next_rz;
            TRY(sparse_vector_mult(&q, &A, &p));
            TRY(vector_dot(&pq, &p, &q));
            const real alpha = rz / pq;

#pragma kfuse(m, q, r, z)
            {
                TRY(vector_add(&r, 1, &r, -alpha, &q));
                TRY(vector_mult(&z, &m, &r));
            }

            TRY(vector_dot(&next_rz, &r, &z));
            const real beta = next_rz / rz;
            rz = next_rz;

            /* x could have moved earlier; here it shares the loads of p. */
#pragma kfuse(x, z, p)
            {
                TRY(vector_add(&x, 1, &x, alpha, &p));
                TRY(vector_add(&p, 1, &z, beta, &p));
            }
            if (printing)
                print_residual(i, rz);
            iterations = i;
        }
        TRY(app_stop(&app));
    }

    TRY(vector_on_host(&x));
    const double residual = true_residual(&A, &f, &x);
    const double explained = explained_by_rounding(&A, &f, &x, iterations);
    printf("true residual: %.3e, rounding explains up to %.3e\n", residual, explained);
    TRY(app_save(&app, &x));
    TRY(app_save(&app, &r));

    sparse_free(&A);
    vector_free(&k);
    vector_free(&m);
    vector_free(&f);
    vector_free(&x);
    vector_free(&r);
    vector_free(&z);
    vector_free(&p);
    vector_free(&q);
    TRY(app_end(&app));
    /* The first residual is longer than f, and the loop measures both with m: hence the 100. */
    return residual < 100 * tolerance + explained ? EXIT_SUCCESS : EXIT_FAILURE;
}
