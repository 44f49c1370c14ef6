/* convolution: weighted sums of neighbours, and what pictures are made of with them. */
#ifndef CONVOLUTION_H
#define CONVOLUTION_H

#include "planes.h"

#define CONVOLUTION_WEIGHTS 17 /* of a row or column: eight neighbours on either side */

/*
 * Before and after everything else.  The kernels are read from the file that the environment
 * variable CONVOLUTION_CL names, else from the path given at build time
 * (-DCONVOLUTION_CL='"..."'), else from convolution.cl.
 */
cl_int convolution_init(void);
void convolution_shutdown(void);

/*
 * Row 16 of Pascal's triangle, over its sum: a bell with a standard deviation of 2.  And the
 * products of every two of these weights, row by row.
 */
cl_int convolution_bell(Plane *weights);
cl_int convolution_bell_2d(Plane *weights);

/*
 * Operations on planes of one size.  The result comes first and is overwritten entirely; where
 * neighbours are read, it is no source.  Elements are floats.
 */
cl_int convolution_row(Plane *result, Plane *source, Plane *weights);
cl_int convolution_column(Plane *result, Plane *source, Plane *weights);
cl_int convolution_full(Plane *result, Plane *source, Plane *weights_2d);
cl_int convolution_derivative_x(Plane *result, Plane *source);
cl_int convolution_derivative_y(Plane *result, Plane *source);
cl_int convolution_product(Plane *result, Plane *a, Plane *b);
cl_int convolution_box(Plane *result, Plane *source);
cl_int convolution_response(Plane *result, Plane *xx, Plane *yy, Plane *xy);

/* The same through local memory, from which neighbours are read. */
cl_int convolution_full_tile(Plane *result, Plane *source, Plane *weights_2d);
cl_int convolution_row_tile(Plane *result, Plane *source, Plane *weights);
cl_int convolution_column_tile(Plane *result, Plane *source, Plane *weights);

/* Elements are pixels of four floats. */
cl_int convolution_blur_x(Plane *result, Plane *source);
cl_int convolution_blur_y(Plane *result, Plane *source);
cl_int convolution_sharpen(Plane *result, Plane *source, Plane *blurred);
cl_int convolution_mask(Plane *result, Plane *source, Plane *blurred, Plane *sharp);

#endif
