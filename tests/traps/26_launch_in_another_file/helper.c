#include "helper.h"

void helper_launch(cl_command_queue queue, cl_kernel kernel, size_t items)
{
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}
