__kernel void fall(__global float *force, __global const float *mass, float gravity, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        force[i] += gravity * mass[i];
}

__kernel void drag(__global float *force, __global const float *mass, float k, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        force[i] -= k / mass[i];
}
