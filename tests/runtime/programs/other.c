/* A second file: it launches what the region of the first one notes, and has a thread's body. */
#include <CL/cl.h>
#include "kfusion_fused.h"
#include "two.h"

void launch_add(struct pair *p)
{
    const cl_uint n = 64;
    const size_t items = 64;
    clSetKernelArg(p->add, 0, sizeof(cl_mem), &p->c);
    clSetKernelArg(p->add, 1, sizeof(cl_mem), &p->t);
    clSetKernelArg(p->add, 2, sizeof(cl_mem), &p->b);
    clSetKernelArg(p->add, 3, sizeof n, &n);
    clEnqueueNDRangeKernel(p->queue, p->add, 1, NULL, &items, NULL, 0, NULL, NULL);
}

void *in_thread(void *argument)
{
    int i;
    for (i = 0; i < 20; i++) {
        KFUSION_REGION(whole);
        launch_square((struct pair *)argument);
        launch_add((struct pair *)argument);
    }
    return NULL;
}
