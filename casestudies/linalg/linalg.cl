/*
 * Kernels of the linalg library.  One work-item computes one element of the
 * result; the host rounds the number of items up to whole work-groups, hence the
 * guards.  REAL is float or double and comes from the build options.
 *
 * No pointer is restrict: the element-wise kernels may be called in place.
 */
#ifdef LINALG_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

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

/*
 * partial[g] = the sum of a[i] b[i] over the items i of work-group g.
 * sums has one element per item of the group, whose size is a power of two.
 */
kernel void vector_dot(global REAL *partial,
                       global const REAL *a, global const REAL *b,
                       const uint n, local REAL *sums)
{
    const size_t i = get_global_id(0);
    const size_t item = get_local_id(0);

    /* Items past the end stay for the barriers and contribute nothing. */
    sums[item] = i < n ? a[i] * b[i] : (REAL)0;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (size_t width = get_local_size(0) / 2; width > 0; width /= 2) {
        if (item < width)
            sums[item] += sums[item + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (item == 0)
        partial[get_group_id(0)] = sums[0];
}

/* b = A x; A is dense and row major.  Every item reads all of x. */
kernel void matrix_vector_mult(global REAL *b,
                               global const REAL *A, global const REAL *x,
                               const uint rows, const uint cols)
{
    const size_t row = get_global_id(0);

    if (row >= rows)
        return;

    REAL sum = 0;
    for (uint j = 0; j < cols; j++)
        sum += A[row * cols + j] * x[j];
    b[row] = sum;
}

/* b = A x; A is stored as compressed sparse rows. */
kernel void sparse_vector_mult(global REAL *b,
                               global const uint *row_start,
                               global const uint *column,
                               global const REAL *value,
                               global const REAL *x,
                               const uint rows)
{
    const size_t row = get_global_id(0);

    if (row >= rows)
        return;

    const uint end = row_start[row + 1];
    REAL sum = 0;
    for (uint k = row_start[row]; k < end; k++)
        sum += value[k] * x[column[k]];
    b[row] = sum;
}
