#include <CL/cl_gl.h>
