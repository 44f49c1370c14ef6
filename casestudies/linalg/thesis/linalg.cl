/*
 * The kernels of ../linalg.cl with the annotations of the thesis (listing 3.3):
 * kload and kstore mark the loads from and the stores to global memory.  The
 * blocks are not scopes, so this is OpenCL C only after kfusion has read it.
 *
 * The guards stand before the kload blocks: a load is only good inside them.
 */
#ifdef LINALG_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

/* c = alpha a + beta b */
__kernel void vector_add(__global REAL *c,
                         const REAL alpha, __global const REAL *a,
                         const REAL beta, __global const REAL *b,
                         const uint n)
{
    const size_t gid = get_global_id(0);
    if (gid >= n)
        return;

    kload {
        REAL a_val = a[gid];
        REAL b_val = b[gid];
        REAL c_val;
    }

    c_val = alpha * a_val + beta * b_val;

    kstore {
        c[gid] = c_val;
    }
}

/* c = a b, element by element */
__kernel void vector_mult(__global REAL *c,
                          __global const REAL *a, __global const REAL *b,
                          const uint n)
{
    const size_t gid = get_global_id(0);
    if (gid >= n)
        return;

    kload {
        REAL a_val = a[gid];
        REAL b_val = b[gid];
        REAL c_val;
    }

    c_val = a_val * b_val;

    kstore {
        c[gid] = c_val;
    }
}

/* c = sqrt(a), element by element */
__kernel void vector_sqrt(__global REAL *c, __global const REAL *a, const uint n)
{
    const size_t gid = get_global_id(0);
    if (gid >= n)
        return;

    kload {
        REAL a_val = a[gid];
        REAL c_val;
    }

    c_val = sqrt(a_val);

    kstore {
        c[gid] = c_val;
    }
}

/*
 * partial[g] = the sum of a[i] b[i] over the items i of work-group g.
 * sums has one element per item of the group, whose size is a power of two.
 */
__kernel void vector_dot(__global REAL *partial,
                         __global const REAL *a, __global const REAL *b,
                         const uint n, __local REAL *sums)
{
    const size_t gid = get_global_id(0);
    const size_t item = get_local_id(0);

    /* Items past the end stay for the barriers and contribute nothing. */
    kload {
        REAL product = gid < n ? a[gid] * b[gid] : (REAL)0;
    }

    sums[item] = product;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (size_t width = get_local_size(0) / 2; width > 0; width /= 2) {
        if (item < width)
            sums[item] += sums[item + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    kstore {
        if (item == 0)
            partial[get_group_id(0)] = sums[0];
    }
}

/* b = A x; A is dense and row major.  Loads in a loop cannot be marked. */
__kernel void matrix_vector_mult(__global REAL *b,
                                 __global const REAL *A, __global const REAL *x,
                                 const uint rows, const uint cols)
{
    const size_t row = get_global_id(0);
    if (row >= rows)
        return;

    REAL sum = 0;
    for (uint j = 0; j < cols; j++)
        sum += A[row * cols + j] * x[j];

    kstore {
        b[row] = sum;
    }
}

/* b = A x; A is stored as compressed sparse rows. */
__kernel void sparse_vector_mult(__global REAL *b,
                                 __global const uint *row_start,
                                 __global const uint *column,
                                 __global const REAL *value,
                                 __global const REAL *x,
                                 const uint rows)
{
    const size_t row = get_global_id(0);
    if (row >= rows)
        return;

    kload {
        const uint start = row_start[row];
        const uint end = row_start[row + 1];
        REAL sum = 0;
    }

    for (uint k = start; k < end; k++)
        sum += value[k] * x[column[k]];

    kstore {
        b[row] = sum;
    }
}
