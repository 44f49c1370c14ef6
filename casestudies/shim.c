/* Counts kernel launches. Preloaded into a program (LD_PRELOAD), it stands
 * before the OpenCL loader, or before Oclgrind's runtime, and at exit appends
 * to the file named by KFUSION_LAUNCHES one line per kernel name,
 *
 *     {"kernel": "vec_add", "launches": 4}
 *
 * in the order of first launches. A launch is an enqueue that succeeded.
 *
 * Every OpenCL function is looked up when it is first needed, so that programs
 * without OpenCL (a shell that starts the measured one) may carry the shim too.
 */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clEnqueueTask in newer headers */
#include <CL/cl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct count {
    struct count *next;
    unsigned long launches;
    char name[]; /* identifiers of C: nothing in them needs escaping in JSON */
};

static struct count *counts;
static pthread_mutex_t counts_lock = PTHREAD_MUTEX_INITIALIZER;

/* Oclgrind's clEnqueueTask calls clEnqueueNDRangeKernel: one launch, not two. */
static _Thread_local int inside;

typedef cl_int (*ndrange_fn)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *,
                             const size_t *, cl_uint, const cl_event *, cl_event *);
typedef cl_int (*task_fn)(cl_command_queue, cl_kernel, cl_uint, const cl_event *, cl_event *);
typedef cl_int (*kernel_info_fn)(cl_kernel, cl_kernel_info, size_t, void *, size_t *);

static void *the_real(const char *symbol)
{
    void *found = dlsym(RTLD_NEXT, symbol);
    if (!found) {
        fprintf(stderr, "launch counter: the program has no %s\n", symbol);
        abort();
    }
    return found;
}

static struct count *count_of(const char *name)
{
    struct count **slot = &counts;
    while (*slot && strcmp((*slot)->name, name))
        slot = &(*slot)->next;
    if (!*slot) {
        *slot = calloc(1, sizeof **slot + strlen(name) + 1);
        if (!*slot)
            abort();
        strcpy((*slot)->name, name);
    }
    return *slot;
}

static void count_launch(cl_kernel kernel)
{
    kernel_info_fn info = (kernel_info_fn)the_real("clGetKernelInfo");
    char name[1024] = "?";
    info(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
    pthread_mutex_lock(&counts_lock);
    count_of(name)->launches++;
    pthread_mutex_unlock(&counts_lock);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t *offset, const size_t *global, const size_t *local,
                              cl_uint waits, const cl_event *wait_list, cl_event *event)
{
    ndrange_fn real = (ndrange_fn)the_real("clEnqueueNDRangeKernel");
    inside++;
    cl_int status =
        real(queue, kernel, dimensions, offset, global, local, waits, wait_list, event);
    inside--;
    if (!inside && status == CL_SUCCESS)
        count_launch(kernel);
    return status;
}

cl_int clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint waits,
                     const cl_event *wait_list, cl_event *event)
{
    task_fn real = (task_fn)the_real("clEnqueueTask");
    inside++;
    cl_int status = real(queue, kernel, waits, wait_list, event);
    inside--;
    if (!inside && status == CL_SUCCESS)
        count_launch(kernel);
    return status;
}

__attribute__((destructor)) static void write_counts(void)
{
    const char *path = getenv("KFUSION_LAUNCHES");
    if (!path || !counts)
        return;
    FILE *out = fopen(path, "a");
    if (!out) {
        perror(path);
        return;
    }
    for (const struct count *c = counts; c; c = c->next)
        fprintf(out, "{\"kernel\": \"%s\", \"launches\": %lu}\n", c->name, c->launches);
    fclose(out);
}
