/* Kernels that any number of work-items can run: each takes every n-th element. */

__kernel void scale(__global float *y, __global const float *x, const float factor, const int n)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        y[i] = factor * x[i];
}

__kernel void clip(__global float *y, const float low, const float high, const int n)
{
    const int stride = get_global_size(0);

    /* both ends belong to the range */
    for (int k = get_global_id(0); k < n; k += stride) {
        if (y[k] < low)
            y[k] = low;
        else if (y[k] > high)
            y[k] = high;
    }
}

/* Rows are shared out, the items of a row stand side by side. */
__kernel void shade(__global float *image, __global const float *light, const int width,
                    const int height)
{
    const int x = get_global_id(0);
    if (x >= width)
        return;
    for (int y = get_global_id(1); y < height; y += get_global_size(1)) {
        float sum = 0.5f * light[y * width + x];
        image[y * width + x] = image[y * width + x] * sum;
    }
}
