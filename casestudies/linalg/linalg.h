/*
 * linalg: dense vectors, dense matrices and sparse matrices on an OpenCL device.
 *
 * Every object lives twice, in host memory and in device memory, and knows which
 * of the two is newer.  Data is copied when it is needed on the other side, and
 * only then: operations in a row leave everything on the device.
 *
 * All functions return LINALG_OK, one of the codes below (positive), or the
 * OpenCL error (negative) of the call that failed.
 */
#ifndef LINALG_H
#define LINALG_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

/* One element type per build: the library and its users must agree on it. */
#ifdef LINALG_DOUBLE
typedef double real;
#else
typedef float real;
#endif

enum {
    LINALG_OK = CL_SUCCESS,
    LINALG_BAD_SIZE = 1, /* the sizes of the operands do not fit together */
    LINALG_ALIASED,      /* an output may not be this input */
    LINALG_NO_DEVICE,    /* no OpenCL device was found */
    LINALG_NO_MEMORY,    /* host memory is exhausted */
    LINALG_FILE_ERROR    /* a file could not be read or written */
};

/* Which copy of an object is newer than the other one. */
typedef enum { LINALG_NEITHER, LINALG_HOST, LINALG_DEVICE } LinalgSide;

typedef struct {
    cl_uint n;
    real *host;
    cl_mem device;
    LinalgSide newer;
} Vector;

/* Row major: element (i, j) is host[i * cols + j]. */
typedef struct {
    cl_uint rows, cols;
    real *host;
    cl_mem device;
    LinalgSide newer;
} Matrix;

/*
 * Compressed sparse rows: the elements of row i are value[k] in column
 * column[k], for row_start[i] <= k < row_start[i + 1].
 */
typedef struct {
    cl_uint rows, cols, nonzeros;
    cl_uint *row_start; /* rows + 1 entries */
    cl_uint *column;    /* nonzeros entries */
    real *value;        /* nonzeros entries */
    cl_mem row_start_device, column_device, value_device;
    LinalgSide newer;
} SparseMatrix;

/*
 * Before anything else and after everything else.  The kernels are read from the
 * file that the environment variable LINALG_CL names, else from the path given
 * at build time (-DLINALG_CL='"..."'), else from linalg.cl.
 */
cl_int linalg_init(void);
void linalg_shutdown(void);

/* Waits until the device has done all that was asked of it. */
cl_int linalg_finish(void);

/* Creation fills an object with zeros; a size of zero is LINALG_BAD_SIZE. */
cl_int vector_create(Vector *v, cl_uint n);
cl_int matrix_create(Matrix *A, cl_uint rows, cl_uint cols);
cl_int sparse_create(SparseMatrix *A, cl_uint rows, cl_uint cols, cl_uint nonzeros);
void vector_free(Vector *v);
void matrix_free(Matrix *A);
void sparse_free(SparseMatrix *A);

/* Makes v->host up to date, to be read. */
cl_int vector_on_host(Vector *v);

/* To be called after writing to the host copy. */
void vector_changed(Vector *v);
void matrix_changed(Matrix *A);
void sparse_changed(SparseMatrix *A);

/*
 * Operations.  The output comes first and is overwritten entirely.  Inputs are
 * not const, because using them may bring their device copy up to date.
 * Element-wise operations may work in place (c == a, c == b).
 */
cl_int vector_add(Vector *c, real alpha, Vector *a, real beta, Vector *b);
cl_int vector_mult(Vector *c, Vector *a, Vector *b);
cl_int vector_sqrt(Vector *c, Vector *a);
cl_int vector_dot(real *result, Vector *a, Vector *b);

/* b = A x, where b and x must differ. */
cl_int matrix_vector_mult(Vector *b, Matrix *A, Vector *x);
cl_int sparse_vector_mult(Vector *b, SparseMatrix *A, Vector *x);

#endif
