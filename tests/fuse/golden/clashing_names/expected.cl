/* first, second, first and second in one kernel */
__kernel void first_second(__global const float *total_buffer, __global float *c_buffer,
                           __global float *a_buffer, __global float *sqrt_buffer,
                           __global float *i_buffer)
{
    const size_t i = get_global_id(0);

    /* first(c, total) */
    float x = c_i(total_buffer[i]);
    float c_buffer_i = x * 2.0f;
    c_buffer[i] = c_buffer_i;

    /* second(a, c) */
    float a_buffer_i = c_buffer_i - 1.0f;
    for (int i_2 = 0; i_2 < 3; i_2++) {
        float c = a_buffer_i * i_2;
        a_buffer_i += c;
    }
    a_buffer[i] = a_buffer_i;

    /* first(sqrt, a) */
    float x_2 = c_i(a_buffer_i);
    float sqrt_buffer_i = x_2 * 2.0f;
    sqrt_buffer[i] = sqrt_buffer_i;

    /* second(i, sqrt) */
    float x_3 = sqrt_buffer_i - 1.0f;
    for (int i_3 = 0; i_3 < 3; i_3++) {
        float c = x_3 * i_3;
        x_3 += c;
    }
    i_buffer[i] = x_3;
}
