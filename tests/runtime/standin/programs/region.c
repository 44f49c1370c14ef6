/* The region. */
#undef APART
#include "opencl.h"

void call_in_region(void (*function)(const void *), const void *data);
void call_in_region(void (*function)(const void *), const void *data)
{
    KFUSION_REGION(pair);
    function(data);
}
