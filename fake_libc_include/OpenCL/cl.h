/* The name under which macOS has the header */
#include <CL/cl.h>
