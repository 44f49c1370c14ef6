/*
 * The first steps of the conjugate gradient method for A x = f with a dense A:
 * the residual r of a first guess x, the first search direction p = r, and the
 * terms r[i]^2 of the residual's squared length.
 */
#include "app.h"
#include "linalg.h"

#include <math.h>

/* Whether r, p and rr are what the host computes from A, x and f. */
static int correct(const Matrix *A, const Vector *x, const Vector *f,
                   const Vector *r, const Vector *p, const Vector *rr)
{
    for (cl_uint i = 0; i < A->rows; i++) {
        double sum = 0;
        for (cl_uint j = 0; j < A->cols; j++)
            sum += (double)A->host[(size_t)i * A->cols + j] * x->host[j];

        /* From here on compare with the device's own r: errors must not add up. */
        const double residual = r->host[i];
        if (!app_close("r", i, residual, f->host[i] - sum)
            || !app_close("p", i, p->host[i], residual)
            || !app_close("rr", i, rr->host[i], residual * residual))
            return 0;
    }
    return 1;
}

int main(int argc, char **argv)
{
    App app;
    TRY(app_begin(&app, argc, argv, 512));

    Matrix A;
    Vector x, f, b, r, p, rr;
    TRY(matrix_create(&A, app.n, app.n));
    TRY(vector_create(&x, app.n));
    TRY(vector_create(&f, app.n));
    TRY(vector_create(&b, app.n));
    TRY(vector_create(&r, app.n));
    TRY(vector_create(&p, app.n));
    TRY(vector_create(&rr, app.n));
    app_random(A.host, (size_t)app.n * app.n, 1, 0, 1.0 / app.n);
    app_random(x.host, app.n, 2, -1, 1);
    app_random(f.host, app.n, 3, -1, 1);

    for (int repeat = 0; repeat < app.repeats; repeat++) {
        app_start(&app);
#pragma kfuse(A, x, f, out(r, p, rr))
        {
            TRY(matrix_vector_mult(&b, &A, &x));
            TRY(vector_add(&r, 1, &f, -1, &b));
            TRY(vector_add(&p, 1, &r, 0, &r));
            TRY(vector_mult(&rr, &r, &r));
        }
        TRY(app_stop(&app));
    }

    TRY(vector_on_host(&r));
    TRY(vector_on_host(&p));
    TRY(vector_on_host(&rr));
    if (!correct(&A, &x, &f, &r, &p, &rr))
        return EXIT_FAILURE;
    TRY(app_save(&app, &r));
    TRY(app_save(&app, &p));
    TRY(app_save(&app, &rr));

    matrix_free(&A);
    vector_free(&x);
    vector_free(&f);
    vector_free(&b);
    vector_free(&r);
    vector_free(&p);
    vector_free(&rr);
    TRY(app_end(&app));
    return EXIT_SUCCESS;
}
