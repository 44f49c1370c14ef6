typedef struct { float mass; int kind; } Body;

/* One step of free fall. */
__kernel void fall(__global float4 *velocity, float dt)
{
    int i = get_global_id(0);
    velocity[i].z -= 9.81f * dt;
}

__kernel void drift(__global float4 *position, __global const float4 *velocity, float dt)
{
    int i = get_global_id(0);
    position[i] += velocity[i] * dt;
}

__kernel void momentum(__global float4 *p, __global const float4 *velocity,
                       __global const Body *bodies)
{
    int i = get_global_id(0);
    p[i] = bodies[i].mass * velocity[i];
    p[i].w = 0.0f;
}

__kernel void energy(__global float *e, __global const float4 *velocity,
                     __global const float4 *position, __global const Body *bodies)
{
    int i = get_global_id(0);
    float4 v = velocity[i];
    e[i] = 0.5f * bodies[i].mass * dot(v, v) + 9.81f * position[i].z;
}
