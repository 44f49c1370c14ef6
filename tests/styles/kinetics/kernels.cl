/* Chemical kinetics in many cells: a kernel for each reaction, as a generator would write
   them, and one for the change of each species. */
__kernel void rate_00(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 1.0f * exp(-1.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_01(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 1.25f * exp(-2.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_02(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 1.5f * exp(-3.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_03(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 1.75f * exp(-4.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_04(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 2.0f * exp(-5.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_05(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 2.25f * exp(-1.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_06(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 2.5f * exp(-2.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_07(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 2.75f * exp(-3.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_08(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 3.0f * exp(-4.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_09(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 3.25f * exp(-5.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_10(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 3.5f * exp(-1.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_11(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 3.75f * exp(-2.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_12(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 4.0f * exp(-3.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_13(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 4.25f * exp(-4.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_14(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 4.5f * exp(-5.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_15(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 4.75f * exp(-1.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_16(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 5.0f * exp(-2.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_17(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 5.25f * exp(-3.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_18(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 5.5f * exp(-4.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_19(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 5.75f * exp(-5.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_20(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 6.0f * exp(-1.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_21(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 6.25f * exp(-2.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_22(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 6.5f * exp(-3.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_23(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 6.75f * exp(-4.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_24(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 7.0f * exp(-5.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_25(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 7.25f * exp(-1.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_26(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 7.5f * exp(-2.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_27(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 7.75f * exp(-3.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_28(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 8.0f * exp(-4.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_29(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 8.25f * exp(-5.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_30(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 8.5f * exp(-1.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_31(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 8.75f * exp(-2.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_32(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 9.0f * exp(-3.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_33(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 9.25f * exp(-4.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_34(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 9.5f * exp(-5.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_35(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 9.75f * exp(-1.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_36(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 10.0f * exp(-2.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_37(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 10.25f * exp(-3.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_38(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 10.5f * exp(-4.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void rate_39(__global float *rate, __global const float *temperature,
                      __global const float *x, __global const float *y,
                      __global const float *z, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    rate[i] = 10.75f * exp(-5.0f / temperature[i]) * x[i] * y[i] * z[i];
}

__kernel void change(__global float *x, __global const float *made,
                     __global const float *used, float dt, int cells)
{
    int i = get_global_id(0);
    if (i >= cells) return;
    x[i] += dt * (made[i] - used[i]);
}
