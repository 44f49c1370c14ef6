kernel void square(global float *y, global const float *x)
{
    size_t i = get_global_id(0);
    y[i] = x[i] * x[i];
}

kernel void root(global float *y, global const float *x)
{
    size_t i = get_global_id(0);
    y[i] = sqrt(x[i]);
}

kernel void gather(global float *y, global const float *x, global const uint *index)
{
    size_t i = get_global_id(0);
    y[i] = x[index[i]];
}
