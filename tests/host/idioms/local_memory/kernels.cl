__kernel void square(__global float *y, __global const float *x, const unsigned n)
{
    const size_t i = get_global_id(0);
    if (i < n)
        y[i] = x[i] * x[i];
}

__kernel void sum(__global float *sums, __global const float *x, const unsigned n,
                  __local float *tile)
{
    const size_t i = get_global_id(0), l = get_local_id(0);

    tile[l] = i < n ? x[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t step = get_local_size(0) / 2; step > 0; step /= 2) {
        if (l < step)
            tile[l] += tile[l + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        sums[get_group_id(0)] = tile[0];
}

/* The median of an element and its neighbours in the group. */
__kernel void smooth(__global float *y, __global const float *x, const unsigned n)
{
    __local float group[32];
    const size_t i = get_global_id(0), l = get_local_id(0);

    group[l] = x[i < n ? i : 0];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n && l > 0 && l < get_local_size(0) - 1)
        y[i] = clamp(group[l], min(group[l - 1], group[l + 1]), max(group[l - 1], group[l + 1]));
}
