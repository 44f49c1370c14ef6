/*
 * Kernels of the pool library.  One work-item computes one ball; the host rounds
 * the number of items up to whole work-groups, hence the guards.
 *
 * Balls are discs of one mass and size on a plane, and the table's centre is the
 * origin, where floats are finest.  A ball out of play lies still and meets nothing.
 */

/* The cue gives the first ball a velocity. */
kernel void pool_impulse(global float2 *velocity, global const int *in_play, const float2 stroke)
{
    if (get_global_id(0) == 0 && in_play[0])
        velocity[0] += stroke;
}

/* Each ball rolls on for a time dt, and the cloth slows it by slowing, to rest at most. */
kernel void pool_move(global float2 *position, global float2 *velocity, global int *in_play,
                      global const float2 *old_position,
                      global const float2 *old_velocity,
                      global const int *old_in_play,
                      const uint n, const float slowing, const float dt)
{
    const size_t i = get_global_id(0);

    if (i >= n)
        return;

    const float2 v = old_velocity[i];
    const float speed = length(v);
    const float slower = speed - slowing * dt;
    position[i] = old_position[i] + v * dt;
    velocity[i] = slower > 0 ? v * (slower / speed) : (float2)(0);
    in_play[i] = old_in_play[i];
}

/*
 * The speed at which two balls close in on each other if they will touch within
 * dt, else 0.  gap leads from one to the other, change is the difference of their
 * velocities.  With the balls exchanged both change sign and the result is the
 * same to the bit.
 */
float closing_speed(const float2 gap, const float2 change, const float diameter, const float dt)
{
    const float distance = length(gap);
    const float speed = -dot(gap, change) / distance;

    return speed > 0 && distance - speed * dt < diameter ? speed : 0;
}

/*
 * Every pair of balls that would run into each other within dt bounces.  A ball's
 * new velocity depends on the old ones only, so the balls may be taken in any
 * order; each item works out its own ball's side of each impact.
 *
 * For two balls that meet nothing else, half of (1 + restitution) times the closing
 * speed goes from one to the other along the line between them.  If each ball of a
 * cluster took all its impacts at once like that, the balls could fly apart faster than
 * they came.  So an impact is divided by the number of impacts of that of its two
 * balls which has more of them:
 *
 *  - Both sides of an impact use the same number, so that momentum is kept.
 *  - Energy never grows.  Let an impact with closing speed s pass on q <= s / k, where
 *    k >= the number of impacts of either ball.  Together the impacts take the sum of
 *    q s from the balls' energy (mass 1) and give back half the sum of (q1 + q2 + ...)^2
 *    over the balls, as vectors.  That is at most half the sum of
 *    k (q1^2 + q2^2 + ...), and as every impact has two balls, at most the sum of
 *    k q q <= q s over all impacts.
 *
 * What is left of an impact is done in the next steps.
 *
 * A ball that an impact throws against its neighbour overlaps with it after the next
 * move, at most by the way of that step.  Balls that overlap yield, each by an eighth
 * of the overlap: with six neighbours at most, that brings all of them apart.
 */
kernel void pool_collide_balls(global float2 *position, global float2 *velocity,
                               global int *in_play,
                               global const float2 *old_position,
                               global const float2 *old_velocity,
                               global const int *old_in_play,
                               const uint n, const float diameter,
                               const float restitution, const float dt)
{
    const size_t i = get_global_id(0);

    if (i >= n)
        return;

    const float2 p = old_position[i];
    const float2 v = old_velocity[i];
    const int playing = old_in_play[i];

    uint impacts = 0;
    float2 shift = (float2)(0);
    for (uint j = 0; j < n; j++) {
        if (!playing || !old_in_play[j] || j == i)
            continue;
        const float2 gap = old_position[j] - p;
        const float overlap = diameter - length(gap);
        if (closing_speed(gap, old_velocity[j] - v, diameter, dt) > 0)
            impacts++;
        if (overlap > 0)
            shift -= 0.125f * overlap * normalize(gap);
    }

    float2 change = (float2)(0);
    for (uint j = 0; j < n && impacts > 0; j++) {
        const float2 q = old_position[j];
        const float2 w = old_velocity[j];
        const float speed = closing_speed(q - p, w - v, diameter, dt);
        if (!old_in_play[j] || j == i || !(speed > 0))
            continue;

        uint others = 0;
        for (uint k = 0; k < n; k++) {
            if (old_in_play[k] && k != j
                && closing_speed(old_position[k] - q, old_velocity[k] - w, diameter, dt) > 0)
                others++;
        }
        const float passed = 0.5f * (1 + restitution) * speed / max(impacts, others);
        change -= passed * normalize(q - p);
    }

    position[i] = p + shift;
    velocity[i] = v + change;
    in_play[i] = playing;
}

/* A ball whose centre is over a pocket drops into it. */
kernel void pool_collide_pockets(global const float2 *position, global float2 *velocity,
                                 global int *in_play, const uint n,
                                 global const float2 *pocket, global const float *pocket_radius,
                                 const uint pockets)
{
    const size_t i = get_global_id(0);

    if (i >= n)
        return;

    const float2 p = position[i];
    int dropped = 0;
    for (uint k = 0; k < pockets; k++)
        dropped = dropped || distance(p, pocket[k]) < pocket_radius[k];

    if (dropped) {
        velocity[i] = (float2)(0);
        in_play[i] = 0;
    }
}

/* A ball that has run into a cushion, and still runs outwards, is thrown back. */
kernel void pool_collide_walls(global const float2 *position, global float2 *velocity,
                               const uint n, const float2 limit, const float restitution)
{
    const size_t i = get_global_id(0);

    if (i >= n)
        return;

    const float2 p = position[i];
    float2 v = velocity[i];
    if (fabs(p.x) > limit.x && p.x * v.x > 0)
        v.x = -restitution * v.x;
    if (fabs(p.y) > limit.y && p.y * v.y > 0)
        v.y = -restitution * v.y;
    velocity[i] = v;
}
