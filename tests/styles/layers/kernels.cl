/* A chain of layers over a grid of groups that has two dimensions, flattened to one index:
   more groups than one dimension takes. */
#define INDEX \
    ((get_group_id(0) + get_group_id(1) * get_num_groups(0)) * get_local_size(0) + get_local_id(0))

__kernel void fill(__global float *x, float value, int n)
{
    int i = INDEX;
    if (i >= n) return;
    x[i] = value;
}

__kernel void axpy(__global float *y, __global const float *x, float alpha, int n)
{
    int i = INDEX;
    if (i >= n) return;
    y[i] += alpha * x[i];
}

__kernel void leaky(__global float *x, int n)
{
    int i = INDEX;
    if (i >= n) return;
    x[i] = x[i] > 0 ? x[i] : 0.1f * x[i];
}

/* The gradient of leaky, by its result. */
__kernel void leaky_gradient(__global float *delta, __global const float *x, int n)
{
    int i = INDEX;
    if (i >= n) return;
    delta[i] *= x[i] > 0 ? 1.0f : 0.1f;
}

__kernel void dropout(__global float *x, __global const float *random, float probability,
                      float scale, int n)
{
    int id = INDEX;
    if (id >= n) return;
    x[id] = random[id] < probability ? 0 : x[id] * scale;
}

__kernel void l2(__global const float *prediction, __global const float *truth,
                 __global float *delta, __global float *error, int n)
{
    int i = INDEX;
    if (i < n) {
        float difference = truth[i] - prediction[i];
        error[i] = difference * difference;
        delta[i] = difference;
    }
}
