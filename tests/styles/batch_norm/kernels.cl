/* Batch normalisation as it is done for inference: in place, one kernel for each step, the
   channel computed from the flat index. */
__kernel void normalize_array(__global float *x, __global const float *mean,
                        __global const float *variance, int channels, int spatial, int n)
{
    int index = get_global_id(0);
    if (index >= n) return;
    int c = (index / spatial) % channels;
    x[index] = (x[index] - mean[c]) / (sqrt(variance[c]) + 0.000001f);
}

__kernel void scale_array(__global float *x, __global const float *scales, int channels, int spatial,
                    int n)
{
    int index = get_global_id(0);
    if (index >= n) return;
    int c = (index / spatial) % channels;
    x[index] *= scales[c];
}

__kernel void add_bias(__global float *x, __global const float *biases, int channels,
                       int spatial, int n)
{
    int index = get_global_id(0);
    if (index >= n) return;
    int c = (index / spatial) % channels;
    x[index] += biases[c];
}

inline float activate(float x, int kind)
{
    switch (kind) {
    case 0:
        return x;
    case 1:
        return x > 0 ? x : 0;
    case 2:
        return 1.0f / (1.0f + exp(-x));
    }
    return x * tanh(x);
}

__kernel void activate_array(__global float *x, int kind, int n)
{
    int i = get_global_id(0);
    if (i >= n) return;
    x[i] = activate(x[i], kind);
}
