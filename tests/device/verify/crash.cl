/* Writes where no memory is. */
__kernel void crash(__global float *y)
{
    *(volatile __global float *)(y == 0 ? 1 : 8) = 1.0f;
}
