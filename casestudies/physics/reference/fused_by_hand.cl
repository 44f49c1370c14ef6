
/*
 * Fused kernels, to be appended to pool.cl.  Every intermediate is rounded as if
 * it had been stored: one variable of the buffer's type, one statement each.
 */

/*
 * A step of time, by one work-group.  The balls, moved on, wait for each other in
 * local memory, and everything else that a ball needs is its own.
 */
kernel void fused_step(global float2 *position, global float2 *velocity, global int *in_play,
                       const uint n, const float dt, const float slowing,
                       const float diameter, const float restitution,
                       global const float2 *pocket, global const float *pocket_radius,
                       const uint pockets,
                       const float2 limit, const float wall_restitution,
                       local float2 *moved, local float2 *moving, local int *playing)
{
    const size_t i = get_local_id(0);
    float2 p = (float2)(0);
    float2 v = (float2)(0);
    int play = 0;

    /* Move.  Items past the end stay for the barrier. */
    if (i < n) {
        const float2 before = velocity[i];
        const float speed = length(before);
        const float slower = speed - slowing * dt;
        p = position[i] + before * dt;
        v = slower > 0 ? before * (slower / speed) : (float2)(0);
        play = in_play[i];
        moved[i] = p;
        moving[i] = v;
        playing[i] = play;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    if (i >= n)
        return;

    /* Collide with balls. */
    uint impacts = 0;
    float2 shift = (float2)(0);
    for (uint j = 0; j < n && play; j++) {
        if (!playing[j] || j == i)
            continue;
        const float2 gap = moved[j] - p;
        const float overlap = diameter - length(gap);
        if (closing_speed(gap, moving[j] - v, diameter, dt) > 0)
            impacts++;
        if (overlap > 0)
            shift -= 0.125f * overlap * normalize(gap);
    }

    float2 change = (float2)(0);
    for (uint j = 0; j < n && impacts > 0; j++) {
        const float2 q = moved[j];
        const float2 w = moving[j];
        const float speed = closing_speed(q - p, w - v, diameter, dt);
        if (!playing[j] || j == i || !(speed > 0))
            continue;

        uint others = 0;
        for (uint k = 0; k < n; k++) {
            if (playing[k] && k != j
                && closing_speed(moved[k] - q, moving[k] - w, diameter, dt) > 0)
                others++;
        }
        const float passed = 0.5f * (1 + restitution) * speed / max(impacts, others);
        change -= passed * normalize(q - p);
    }
    v = v + change;
    p = p + shift;

    /* Drop into pockets. */
    int dropped = 0;
    for (uint k = 0; k < pockets; k++)
        dropped = dropped || distance(p, pocket[k]) < pocket_radius[k];
    if (dropped) {
        v = (float2)(0);
        play = 0;
    }

    /* Bounce off the cushions. */
    if (fabs(p.x) > limit.x && p.x * v.x > 0)
        v.x = -wall_restitution * v.x;
    if (fabs(p.y) > limit.y && p.y * v.y > 0)
        v.y = -wall_restitution * v.y;

    position[i] = p;
    velocity[i] = v;
    in_play[i] = play;
}
