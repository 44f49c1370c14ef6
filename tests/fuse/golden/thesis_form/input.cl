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
