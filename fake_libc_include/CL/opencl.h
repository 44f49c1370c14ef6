#ifndef __OPENCL_H
#define __OPENCL_H

#include <CL/cl.h>
#include <CL/cl_gl.h>
#include <CL/cl_ext.h>

#endif
