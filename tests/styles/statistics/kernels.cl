/* Statistics of an image: a histogram, its prefix sum, and a mapping through it. */
__kernel void grey(__global uint *bin, __global const float *image, uint n)
{
    size_t i = get_global_id(0);
    if (i < n)
        bin[i] = (uint)clamp(image[i] * 63.0f, 0.0f, 63.0f);
}

__kernel void histogram(__global uint *counts, __global const uint *bin, uint n)
{
    size_t i = get_global_id(0);
    if (i < n)
        atomic_inc(&counts[bin[i]]);
}

__kernel void prefix(__global uint *sums, __global const uint *counts)
{
    __local uint tile[64];
    size_t l = get_local_id(0);
    tile[l] = counts[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < 64; step *= 2) {
        uint left = l >= step ? tile[l - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        tile[l] += left;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (get_group_id(0) == 0)
        sums[l] = tile[l];
}

__kernel void equalize(__global float *image, __global const uint *bin,
                       __global const uint *sums, uint n)
{
    size_t i = get_global_id(0);
    if (i < n)
        image[i] = (float)sums[bin[i]] / (float)n;
}

__kernel void invert(__global float *image, uint n)
{
    size_t i = get_global_id(0);
    if (i < n)
        image[i] = 1.0f - image[i];
}
