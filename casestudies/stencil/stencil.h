/* stencil: each element from its neighbours, once or step by step. */
#ifndef STENCIL_H
#define STENCIL_H

#include "planes.h"

/* What a step computes, in planes of floats, cells (uchar) or volumes of floats. */
typedef enum {
    STENCIL_JACOBI,
    STENCIL_GAUSSIAN,
    STENCIL_SOBEL_X,
    STENCIL_SOBEL_Y,
    STENCIL_LIFE,
    STENCIL_STAR_2D_1,
    STENCIL_STAR_2D_2,
    STENCIL_BOX_2D_1,
    STENCIL_BOX_2D_2,
    STENCIL_GRADIENT,
    STENCIL_HEAT_3D, /* the first one in three dimensions */
    STENCIL_JACOBI_3D,
    STENCIL_STAR_3D_1,
    STENCIL_STAR_3D_2,
    STENCIL_BOX_3D_1,
    STENCIL_MAGNITUDE, /* those from here on have functions of their own */
    STENCIL_THIN,
    STENCIL_HOTSPOT,
    STENCIL_KERNELS
} StencilKind;

/* The chip of stencil_hotspot: resistances in K/W, and how fast power warms a cell. */
typedef struct {
    cl_float step_over_capacity, rx, ry, rz, air;
} Chip;

/*
 * Before and after everything else.  The kernels are read from the file that the environment
 * variable STENCIL_CL names, else from the path given at build time (-DSTENCIL_CL='"..."'),
 * else from stencil.cl.
 */
cl_int stencil_init(void);
void stencil_shutdown(void);

/* A chip with cells of 1/32 mm. */
Chip stencil_chip(void);

/* Operations on planes of one size.  The result comes first, and is no source. */
cl_int stencil_apply(StencilKind kind, Plane *result, Plane *source);
cl_int stencil_magnitude(Plane *result, Plane *dx, Plane *dy);
cl_int stencil_thin(Plane *result, Plane *steep, Plane *dx, Plane *dy);
cl_int stencil_hotspot(Plane *result, Plane *source, Plane *power, const Chip *chip);

#endif
