/* drift and energy in one kernel */
__kernel void drift_energy(__global const float4 *v, __global float4 *x,
                           __global float *e, __global const Body *bodies, float dt)
{
    int i = get_global_id(0);

    /* drift(x, v, dt) */
    const float4 v_i = v[i];
    float4 x_i = x[i];
    x_i += v_i * dt;
    x[i] = x_i;

    /* energy(e, v, x, bodies) */
    e[i] = 0.5f * bodies[i].mass * dot(v_i, v_i) + 9.81f * x_i.z;
}

/* fall and momentum in one kernel */
__kernel void fall_momentum(__global float4 *v, __global float4 *p,
                            __global const Body *bodies, float dt)
{
    int i = get_global_id(0);

    /* fall(v, dt) */
    v[i].z -= 9.81f * dt;

    /* momentum(p, v, bodies) */
    p[i] = bodies[i].mass * v[i];
    p[i].w = 0.0f;
}
