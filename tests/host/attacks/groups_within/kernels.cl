__kernel void rows(__global float *t, __global const float *a, int w)
{
    size_t x = get_global_id(0), y = get_global_id(1);
    if (get_local_id(1) == 0) {
        if ((int)x < w)
            t[get_group_id(1) * w + x] = a[y * get_global_size(0) + x];
    }
}

__kernel void apply(__global float *c, __global const float *t, int w)
{
    size_t x = get_global_id(0), y = get_global_id(1);
    c[y * get_global_size(0) + x] = 2 * t[get_group_id(1) * w + x];
}
