/*
 * What every program of these tests stands on: a device, a program built from its
 * kernel file (named by KERNELS in the environment), and results as bytes on stdout.
 */
#ifndef RIG_H
#define RIG_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

cl_context rig_context(void);
cl_command_queue rig_queue(void); /* in order; the same one each time */
cl_command_queue rig_out_of_order(void); /* the same one each time, too */
const char *rig_options(void); /* OPTIONS in the environment, for rig_program() */
cl_program rig_program(const char *options);
cl_program rig_program_in(cl_context context, const char *options);
cl_context rig_new_context(void);
cl_command_queue rig_new_queue(cl_context context);

/* n values that differ from each other and from those of another seed. */
void rig_fill(float *x, size_t n, int seed);

/* The bytes as hexadecimal digits behind a name. */
void rig_dump(const char *name, const void *data, size_t bytes);

#endif
