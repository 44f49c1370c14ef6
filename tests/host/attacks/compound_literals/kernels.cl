kernel void tint(global float *y, global const float *x, const float2 f)
{
    const size_t i = get_global_id(0);
    y[i] = x[i] * f.x + f.y;
}
