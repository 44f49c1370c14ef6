#ifndef HELPER_H
#define HELPER_H
#include <CL/cl.h>

void helper_launch(cl_command_queue queue, cl_kernel kernel, size_t items);

#endif
