#define total 1.5f

float c_i(float x) { return x + total; }

__kernel void first(__global float *out, __global const float *in)
{
    const size_t i = get_global_id(0);
    float x = c_i(in[i]);
    float a = x * 2.0f;
    out[i] = a;
}

__kernel void second(__global float *out, __global const float *in)
{
    const size_t id = get_global_id(0);
    float x = in[id] - 1.0f;
    for (int i = 0; i < 3; i++) {
        float c = x * i;
        x += c;
    }
    out[id] = x;
}
