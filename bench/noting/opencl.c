/* An OpenCL that does nothing, as quickly as possible: what is left is what the host does. */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <CL/cl.h>
#include <stdlib.h>
#include <string.h>

typedef struct object {
    cl_uint references, parameters;
    size_t size;
    struct object *of;
    char name[64];
} object;

static object platform, device, context;

static object *made(object *of, cl_int *status)
{
    object *o = calloc(1, sizeof *o);

    o->references = 1;
    o->of = of;
    if (status != NULL)
        *status = CL_SUCCESS;
    return o;
}

static cl_int counted(void *handle, int more)
{
    object *o = handle;

    o->references += (cl_uint)more;
    if (o->references == 0)
        free(o);
    return CL_SUCCESS;
}

static cl_int answer(size_t room, void *to, size_t *needed, const void *from, size_t size)
{
    if (needed != NULL)
        *needed = size;
    if (to != NULL && room >= size)
        memcpy(to, from, size);
    return CL_SUCCESS;
}

#define ANSWER(value) answer(room, to, needed, &(value), sizeof(value))
#define QUERY cl_uint what, size_t room, void *to, size_t *needed
#define COUNTS(type, handle)                                                                  \
    cl_int clRetain##type(handle o) { return counted(o, 1); }                                 \
    cl_int clRelease##type(handle o) { return counted(o, -1); }

COUNTS(Context, cl_context)
COUNTS(CommandQueue, cl_command_queue)
COUNTS(MemObject, cl_mem)
COUNTS(Program, cl_program)
COUNTS(Kernel, cl_kernel)
COUNTS(Sampler, cl_sampler)

cl_int clGetPlatformIDs(cl_uint room, cl_platform_id *to, cl_uint *count)
{
    (void)room, (void)count;
    *to = (cl_platform_id)&platform;
    return CL_SUCCESS;
}

cl_int clGetDeviceIDs(cl_platform_id of, cl_device_type type, cl_uint room, cl_device_id *to,
                      cl_uint *count)
{
    (void)of, (void)type, (void)room, (void)count;
    *to = (cl_device_id)&device;
    return CL_SUCCESS;
}

cl_context clCreateContext(const cl_context_properties *p, cl_uint count, const cl_device_id *d,
                           void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                           void *user, cl_int *status)
{
    (void)p, (void)count, (void)d, (void)notify, (void)user;
    *status = CL_SUCCESS;
    context.references = 1 << 20;
    return (cl_context)&context;
}

cl_command_queue clCreateCommandQueue(cl_context c, cl_device_id d, cl_command_queue_properties p,
                                      cl_int *status)
{
    (void)d, (void)p;
    return (cl_command_queue)made((object *)c, status);
}

cl_mem clCreateBuffer(cl_context c, cl_mem_flags flags, size_t size, void *host, cl_int *status)
{
    object *o = made((object *)c, status);

    (void)flags, (void)host;
    o->size = size;
    return (cl_mem)o;
}

static const char *source;

cl_program clCreateProgramWithSource(cl_context c, cl_uint count, const char **strings,
                                     const size_t *lengths, cl_int *status)
{
    (void)count, (void)lengths;
    source = strings[0];
    return (cl_program)made((object *)c, status);
}

cl_int clBuildProgram(cl_program p, cl_uint count, const cl_device_id *d, const char *options,
                      void(CL_CALLBACK *notify)(cl_program, void *), void *user)
{
    (void)p, (void)count, (void)d, (void)options, (void)notify, (void)user;
    return CL_SUCCESS;
}

/* A parameter for each comma behind the name, and one more. */
cl_kernel clCreateKernel(cl_program p, const char *name, cl_int *status)
{
    object *o = made((object *)p, status);
    const char *at = source;
    const size_t length = strlen(name);

    while ((at = strstr(at, name)) != NULL && (at[-1] != ' ' || at[length] != '('))
        at += length;
    if (at == NULL) {
        free(o);
        *status = CL_INVALID_KERNEL_NAME;
        return NULL;
    }
    strcpy(o->name, name);
    o->parameters = 1;
    for (; *at != ')'; at++)
        o->parameters += *at == ',';
    return (cl_kernel)o;
}

cl_int clSetKernelArg(cl_kernel k, cl_uint index, size_t size, const void *value)
{
    (void)k, (void)index, (void)size, (void)value;
    return CL_SUCCESS;
}

unsigned long launches;

cl_int clEnqueueNDRangeKernel(cl_command_queue q, cl_kernel k, cl_uint dimensions,
                              const size_t *offset, const size_t *global, const size_t *local,
                              cl_uint waits, const cl_event *list, cl_event *event)
{
    (void)q, (void)k, (void)dimensions, (void)offset, (void)global, (void)local;
    (void)waits, (void)list, (void)event;
    launches++;
    return CL_SUCCESS;
}

cl_int clFinish(cl_command_queue q)
{
    (void)q;
    return CL_SUCCESS;
}

cl_int clGetDeviceInfo(cl_device_id d, QUERY)
{
    const cl_uint dimensions = 3;
    const size_t items[3] = {1024, 1024, 1024};
    const cl_ulong local = 1 << 15;

    (void)d;
    return what == CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS ? ANSWER(dimensions)
           : what == CL_DEVICE_MAX_WORK_ITEM_SIZES    ? ANSWER(items)
                                                      : ANSWER(local);
}

cl_int clGetContextInfo(cl_context c, QUERY)
{
    (void)what;
    return answer(room, to, needed, c, 0);
}

cl_int clGetCommandQueueInfo(cl_command_queue q, QUERY)
{
    const cl_command_queue_properties none = 0;
    object *of_device = &device, *of_context = ((object *)q)->of;

    return what == CL_QUEUE_PROPERTIES ? ANSWER(none)
           : what == CL_QUEUE_DEVICE   ? ANSWER(of_device)
                                       : ANSWER(of_context);
}

cl_int clGetMemObjectInfo(cl_mem m, QUERY)
{
    object *o = (object *)m, *nothing = NULL;
    const cl_mem_object_type type = CL_MEM_OBJECT_BUFFER;
    const cl_mem_flags flags = CL_MEM_READ_WRITE;
    const cl_uint maps = 0;

    switch (what) {
    case CL_MEM_TYPE: return ANSWER(type);
    case CL_MEM_FLAGS: return ANSWER(flags);
    case CL_MEM_SIZE: return ANSWER(o->size);
    case CL_MEM_MAP_COUNT: return ANSWER(maps);
    case CL_MEM_REFERENCE_COUNT: return ANSWER(o->references);
    case CL_MEM_CONTEXT: return ANSWER(o->of);
    case CL_MEM_ASSOCIATED_MEMOBJECT: return ANSWER(nothing);
    default: return CL_INVALID_VALUE;
    }
}

cl_int clGetImageInfo(cl_mem m, QUERY)
{
    (void)m, (void)what, (void)room, (void)to, (void)needed;
    return CL_INVALID_MEM_OBJECT;
}

cl_int clGetProgramInfo(cl_program p, QUERY)
{
    object *o = (object *)p;

    return what == CL_PROGRAM_REFERENCE_COUNT ? ANSWER(o->references)
           : what == CL_PROGRAM_CONTEXT       ? ANSWER(o->of)
                                              : answer(room, to, needed, "", 1);
}

cl_int clGetProgramBuildInfo(cl_program p, cl_device_id d, QUERY)
{
    (void)p, (void)d, (void)what;
    return answer(room, to, needed, "", 1);
}

cl_int clGetKernelInfo(cl_kernel k, QUERY)
{
    object *o = (object *)k;

    return what == CL_KERNEL_NUM_ARGS          ? ANSWER(o->parameters)
           : what == CL_KERNEL_PROGRAM         ? ANSWER(o->of)
           : what == CL_KERNEL_CONTEXT         ? ANSWER(o->of->of)
           : what == CL_KERNEL_REFERENCE_COUNT ? ANSWER(o->references)
                                               : answer(room, to, needed, o->name,
                                                        strlen(o->name) + 1);
}

cl_int clGetKernelWorkGroupInfo(cl_kernel k, cl_device_id d, QUERY)
{
    const size_t group = 1024, required[3] = {0, 0, 0};
    const cl_ulong local = 0;

    (void)k, (void)d;
    return what == CL_KERNEL_WORK_GROUP_SIZE           ? ANSWER(group)
           : what == CL_KERNEL_COMPILE_WORK_GROUP_SIZE ? ANSWER(required)
                                                       : ANSWER(local);
}

/* ---- What only KFUSION=check and KFUSION=record call ---- */

#define FAILS(name, parameters)                                                               \
    cl_int name parameters { return CL_INVALID_OPERATION; }
#define WAITS cl_uint waits, const cl_event *list, cl_event *event
#pragma GCC diagnostic ignored "-Wunused-parameter"

FAILS(clEnqueueReadBuffer,
      (cl_command_queue q, cl_mem m, cl_bool b, size_t at, size_t size, void *to, WAITS))
FAILS(clEnqueueWriteBuffer,
      (cl_command_queue q, cl_mem m, cl_bool b, size_t at, size_t size, const void *from, WAITS))
FAILS(clEnqueueReadImage,
      (cl_command_queue q, cl_mem m, cl_bool b, const size_t *origin, const size_t *region,
       size_t pitch, size_t slice, void *to, WAITS))
FAILS(clEnqueueWriteImage,
      (cl_command_queue q, cl_mem m, cl_bool b, const size_t *origin, const size_t *region,
       size_t pitch, size_t slice, const void *from, WAITS))
FAILS(clGetKernelArgInfo, (cl_kernel k, cl_uint index, QUERY))
