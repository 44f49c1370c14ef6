/* The name under which macOS has the header */
#include <CL/opencl.h>
