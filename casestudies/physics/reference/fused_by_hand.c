
/* ---- Fused operations, to be appended to pool.c ---- */

#include "fused_by_hand.h"

static cl_kernel fused_step_kernel;

/* Not every program needs this kernel: it is created on first use. */
static cl_int create_once(cl_kernel *kernel, const char *name)
{
    cl_int status = CL_SUCCESS;

    if (*kernel == NULL)
        *kernel = clCreateKernel(program, name, &status);
    return status;
}

void pool_release_fused(void)
{
    release_kernel(&fused_step_kernel);
}

/*
 * moved = balls a time dt later; balls = moved after impacts; pockets; walls
 * Only balls is written: moved is scratch.
 */
cl_int fused_step(Balls *balls, Balls *moved, Table *table, float dt)
{
    if (moved->n != balls->n)
        return POOL_BAD_SIZE;

    /* What the separate calls do in memory that is shared, or in several groups. */
    if (moved == balls || balls->n > GROUP_MAX) {
        CHECK(pool_move(moved, balls, dt));
        CHECK(pool_collide_balls(balls, moved, dt));
        CHECK(pool_collide_pockets(balls, table));
        return pool_collide_walls(balls, table);
    }

    CHECK(create_once(&fused_step_kernel, "fused_step"));
    CHECK(balls_to_device(balls));
    CHECK(table_to_device(table));

    const cl_float diameter = 2 * moved->radius;
    const cl_uint pockets = POOL_POCKETS;
    const cl_float2 limit = {{table->half.s[0] - balls->radius, table->half.s[1] - balls->radius}};
    CHECK(clSetKernelArg(fused_step_kernel, 0, sizeof(cl_mem), &balls->position_device));
    CHECK(clSetKernelArg(fused_step_kernel, 1, sizeof(cl_mem), &balls->velocity_device));
    CHECK(clSetKernelArg(fused_step_kernel, 2, sizeof(cl_mem), &balls->in_play_device));
    CHECK(clSetKernelArg(fused_step_kernel, 3, sizeof(cl_uint), &balls->n));
    CHECK(clSetKernelArg(fused_step_kernel, 4, sizeof(cl_float), &dt));
    CHECK(clSetKernelArg(fused_step_kernel, 5, sizeof(cl_float), &balls->slowing));
    CHECK(clSetKernelArg(fused_step_kernel, 6, sizeof(cl_float), &diameter));
    CHECK(clSetKernelArg(fused_step_kernel, 7, sizeof(cl_float), &moved->restitution));
    CHECK(clSetKernelArg(fused_step_kernel, 8, sizeof(cl_mem), &table->pocket_device));
    CHECK(clSetKernelArg(fused_step_kernel, 9, sizeof(cl_mem), &table->pocket_radius_device));
    CHECK(clSetKernelArg(fused_step_kernel, 10, sizeof(cl_uint), &pockets));
    CHECK(clSetKernelArg(fused_step_kernel, 11, sizeof(cl_float2), &limit));
    CHECK(clSetKernelArg(fused_step_kernel, 12, sizeof(cl_float), &table->restitution));
    CHECK(clSetKernelArg(fused_step_kernel, 13, balls->n * sizeof(cl_float2), NULL));
    CHECK(clSetKernelArg(fused_step_kernel, 14, balls->n * sizeof(cl_float2), NULL));
    CHECK(clSetKernelArg(fused_step_kernel, 15, balls->n * sizeof(cl_int), NULL));

    const size_t items = one_group(balls->n);
    CHECK(clEnqueueNDRangeKernel(queue, fused_step_kernel, 1, NULL, &items, &items,
                                 0, NULL, NULL));
    balls->newer = POOL_DEVICE;
    return POOL_OK;
}
