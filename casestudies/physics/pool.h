/*
 * pool: the physics of a pool game on an OpenCL device.
 *
 * Balls and tables live twice, in host memory and in device memory, and know which
 * of the two is newer.  Data is copied when it is needed on the other side, and
 * only then: operations in a row leave everything on the device.
 *
 * All functions return POOL_OK, one of the codes below (positive), or the OpenCL
 * error (negative) of the call that failed.
 *
 * Units are metres, seconds and radians; the table's centre is the origin.
 */
#ifndef POOL_H
#define POOL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#define POOL_TIME_STEP 1e-4f

enum {
    POOL_OK = CL_SUCCESS,
    POOL_BAD_SIZE = 1, /* the numbers of balls do not fit together, or are zero */
    POOL_ALIASED,      /* an output may not be this input */
    POOL_NO_DEVICE,    /* no OpenCL device was found */
    POOL_NO_MEMORY,    /* host memory is exhausted */
    POOL_FILE_ERROR    /* a file could not be read or written */
};

/* Which copy of an object is newer than the other one. */
typedef enum { POOL_NEITHER, POOL_HOST, POOL_DEVICE } PoolSide;

/* Balls of one mass and size.  The first one is the cue ball. */
typedef struct {
    cl_uint n;
    cl_float2 *position, *velocity;
    cl_int *in_play; /* 0 when a ball is in a pocket */
    cl_mem position_device, velocity_device, in_play_device;
    PoolSide newer;
    cl_float radius;
    cl_float slowing;     /* by the cloth, in metres per second, each second */
    cl_float restitution; /* of two balls: closing speed that is left after an impact */
} Balls;

enum { POOL_POCKETS = 6 };

typedef struct {
    cl_float2 half; /* from the centre to the cushions */
    cl_float2 *pocket;
    cl_float *pocket_radius;
    cl_mem pocket_device, pocket_radius_device;
    PoolSide newer;
    cl_float restitution; /* of the cushions */
} Table;

/*
 * Before anything else and after everything else.  The kernels are read from the
 * file that the environment variable POOL_CL names, else from the path given at
 * build time (-DPOOL_CL='"..."'), else from pool.cl.
 */
cl_int pool_init(void);
void pool_shutdown(void);

/* Waits until the device has done all that was asked of it. */
cl_int pool_finish(void);

/* Any number of balls, in play, at rest, all in the middle: to be placed by the caller. */
cl_int pool_create(Balls *balls, cl_uint n);

/* A table of eight feet, or with another scale a larger or smaller one. */
cl_int pool_create_table(Table *table, float scale);

void pool_free(Balls *balls);
void pool_free_table(Table *table);

/* Makes the host's arrays up to date, to be read. */
cl_int pool_on_host(Balls *balls);

/* To be called after writing to the host's arrays. */
void pool_changed(Balls *balls);

/*
 * Operations.  An output comes first and is overwritten entirely; what has no other
 * input works in place.  Inputs are not const, because using them may bring their
 * device copy up to date.
 *
 * One step of time: move, collide with balls, pockets and walls, in this order.
 */

/* The cue strikes the first ball, which gains power metres per second towards angle. */
cl_int pool_impulse(Balls *balls, float angle, float power);

/* moved may be balls. */
cl_int pool_move(Balls *moved, Balls *balls, float dt);

/* Balls that would run into each other within dt bounce.  next and balls must differ. */
cl_int pool_collide_balls(Balls *next, Balls *balls, float dt);

cl_int pool_collide_pockets(Balls *balls, Table *table);
cl_int pool_collide_walls(Balls *balls, Table *table);

/* copy becomes like balls, on the device. */
cl_int pool_copy(Balls *copy, Balls *balls);

#endif
