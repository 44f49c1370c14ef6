/* drift, energy, fall and momentum in one kernel */
__kernel void drift_energy_fall_momentum(__global float4 *v_buffer, __global float4 *x,
                                         __global const Body *bodies, __global float *e,
                                         __global float4 *p, float dt)
{
    int i = get_global_id(0);

    /* drift(x, v, dt) */
    float4 v_buffer_i = v_buffer[i];
    float4 x_i = x[i];
    x_i += v_buffer_i * dt;
    x[i] = x_i;

    /* energy(e, v, x, bodies) */
    float4 v = v_buffer_i;
    const Body bodies_i = bodies[i];
    e[i] = 0.5f * bodies_i.mass * dot(v, v) + 9.81f * x_i.z;

    /* fall(v, dt) */
    v_buffer_i.z -= 9.81f * dt;
    v_buffer[i] = v_buffer_i;

    /* momentum(p, v, bodies) */
    float4 p_i = bodies_i.mass * v_buffer_i;
    p_i.w = 0.0f;
    p[i] = p_i;
}
