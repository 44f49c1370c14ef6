/* ==== Calls that settle =================================================================== */

/* The objects that a command names are no scratch memory any more. */
#define KFUSION_COMMAND(name, parameters, arguments, names)                                   \
    KFUSION_HERE cl_int CL_API_CALL kfusion_##name parameters                                 \
    {                                                                                         \
        if (kfusion_now != NULL) {                                                            \
            const char *const call_ = #name;                                                  \
            const cl_int status_ =                                                            \
                KFUSION_PROTECTS(COMMANDS) ? kfusion_settle_before(queue, call_) : CL_SUCCESS; \
            (void)call_;                                                                      \
            names;                                                                            \
            if (status_ != CL_SUCCESS)                                                        \
                return status_;                                                               \
        }                                                                                     \
        return name arguments;                                                                \
    }

/* A command that maps memory for the host, and returns where. */
#define KFUSION_MAPS(name, parameters, arguments, mem, whole)                                 \
    KFUSION_HERE void *CL_API_CALL kfusion_##name parameters                                  \
    {                                                                                         \
        if (kfusion_now != NULL) {                                                            \
            const cl_int status_ =                                                            \
                KFUSION_PROTECTS(MAPS) ? kfusion_settle_before(queue, #name) : CL_SUCCESS;    \
            if (flags & kfusion_map_write_anew)                                               \
                kfusion_overwrites(mem, whole);                                               \
            else                                                                              \
                kfusion_reads(mem, #name, NULL);                                              \
            kfusion_maps();                                                                   \
            if (status_ != CL_SUCCESS) {                                                      \
                if (status_ret != NULL)                                                       \
                    *status_ret = status_;                                                    \
                return NULL;                                                                  \
            }                                                                                 \
        }                                                                                     \
        return name arguments;                                                                \
    }

/* A call that names no queue. */
#define KFUSION_SETTLES(name, parameters, arguments)                                          \
    KFUSION_HERE cl_int CL_API_CALL kfusion_##name parameters                                 \
    {                                                                                         \
        if (kfusion_now != NULL) {                                                            \
            const cl_int status_ = kfusion_settle_before(NULL, #name);                        \
            if (status_ != CL_SUCCESS)                                                        \
                return status_;                                                               \
        }                                                                                     \
        return name arguments;                                                                \
    }

/* A call that registers a destructor callback of the program's. */
#define KFUSION_REGISTERS(name, parameters, arguments)                                        \
    KFUSION_HERE cl_int CL_API_CALL kfusion_##name parameters                                 \
    {                                                                                         \
        const cl_int status_ = kfusion_settle_before(NULL, #name);                            \
        KFUSION_N(callbacks) = 1;                                                             \
        return status_ != CL_SUCCESS ? status_ : name arguments;                              \
    }

/* A call that builds a program. */
#define KFUSION_BUILDS(name, parameters, arguments)                                           \
    KFUSION_HERE cl_int CL_API_CALL kfusion_##name parameters                                 \
    {                                                                                         \
        const cl_int status_ = kfusion_before_build(program, #name);                          \
        return status_ != CL_SUCCESS ? status_ : name arguments;                              \
    }

KFUSION_HERE void kfusion_maps(void)
{
    if (kfusion_now != NULL)
        kfusion_now->maps++;
}

KFUSION_HERE void kfusion_names_list(cl_uint count, const cl_mem *mems)
{
    cl_uint i;

    for (i = 0; mems != NULL && i < count; i++)
        kfusion_names(mems[i]);
}

KFUSION_HERE void kfusion_reads_list(cl_uint count, const cl_mem *mems, const char *call)
{
    cl_uint i;

    for (i = 0; mems != NULL && i < count; i++)
        kfusion_reads(mems[i], call, NULL);
}

/* Settles before a call that returns no status. A failure is left to the next call on the queue. */
KFUSION_HERE void kfusion_settle_quietly(const char *call)
{
    kfusion_state *s = kfusion_now;
    const cl_command_queue queue = s == NULL ? NULL : s->queue.queue;
    const cl_int status = kfusion_settle_before(NULL, call);

    if (status != CL_SUCCESS)
        kfusion_remember_failure(s, queue, status);
}

/* ---- Memory ---- */

KFUSION_COMMAND(clEnqueueReadBuffer,
                (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                 size_t size, void *to, KFUSION_WAITS),
                (queue, buffer, blocking, offset, size, to, waits, wait_list, event),
                kfusion_reads(buffer, call_, NULL))
KFUSION_COMMAND(clEnqueueReadImage,
                (cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t *origin,
                 const size_t *region, size_t pitch, size_t slice, void *to, KFUSION_WAITS),
                (queue, image, blocking, origin, region, pitch, slice, to, waits, wait_list,
                 event),
                kfusion_reads(image, call_, NULL))
KFUSION_COMMAND(clEnqueueCopyBuffer,
                (cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
                 size_t to_offset, size_t size, KFUSION_WAITS),
                (queue, from, to, from_offset, to_offset, size, waits, wait_list, event),
                (kfusion_reads(from, call_, NULL),
                 kfusion_overwrites(to, kfusion_is_whole_buffer(to, to_offset, size))))
KFUSION_COMMAND(clEnqueueCopyImage,
                (cl_command_queue queue, cl_mem from, cl_mem to, const size_t *from_origin,
                 const size_t *to_origin, const size_t *region, KFUSION_WAITS),
                (queue, from, to, from_origin, to_origin, region, waits, wait_list, event),
                (kfusion_reads(from, call_, NULL),
                 kfusion_overwrites(to, kfusion_is_whole_image(to, to_origin, region))))
KFUSION_COMMAND(clEnqueueCopyImageToBuffer,
                (cl_command_queue queue, cl_mem from, cl_mem to, const size_t *origin,
                 const size_t *region, size_t offset, KFUSION_WAITS),
                (queue, from, to, origin, region, offset, waits, wait_list, event),
                (kfusion_reads(from, call_, NULL),
                 kfusion_overwrites(to, 0)))
KFUSION_COMMAND(clEnqueueCopyBufferToImage,
                (cl_command_queue queue, cl_mem from, cl_mem to, size_t offset,
                 const size_t *origin, const size_t *region, KFUSION_WAITS),
                (queue, from, to, offset, origin, region, waits, wait_list, event),
                (kfusion_reads(from, call_, NULL),
                 kfusion_overwrites(to, kfusion_is_whole_image(to, origin, region))))
KFUSION_MAPS(clEnqueueMapBuffer,
             (cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags,
              size_t offset, size_t size, KFUSION_WAITS, cl_int *status_ret),
             (queue, buffer, blocking, flags, offset, size, waits, wait_list, event, status_ret),
             buffer, kfusion_is_whole_buffer(buffer, offset, size))
KFUSION_MAPS(clEnqueueMapImage,
             (cl_command_queue queue, cl_mem image, cl_bool blocking, cl_map_flags flags,
              const size_t *origin, const size_t *region, size_t *pitch, size_t *slice,
              KFUSION_WAITS, cl_int *status_ret),
             (queue, image, blocking, flags, origin, region, pitch, slice, waits, wait_list, event,
              status_ret),
             image, kfusion_is_whole_image(image, origin, region))
KFUSION_COMMAND(clEnqueueUnmapMemObject,
                (cl_command_queue queue, cl_mem mem, void *mapped, KFUSION_WAITS),
                (queue, mem, mapped, waits, wait_list, event),
                (kfusion_names(mem), kfusion_maps()))
#ifdef CL_VERSION_1_1
KFUSION_COMMAND(clEnqueueReadBufferRect,
                (cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                 const size_t *buffer_origin, const size_t *host_origin, const size_t *region,
                 size_t buffer_pitch, size_t buffer_slice, size_t host_pitch, size_t host_slice,
                 void *to, KFUSION_WAITS),
                (queue, buffer, blocking, buffer_origin, host_origin, region, buffer_pitch,
                 buffer_slice, host_pitch, host_slice, to, waits, wait_list, event),
                kfusion_reads(buffer, call_, NULL))
KFUSION_COMMAND(clEnqueueCopyBufferRect,
                (cl_command_queue queue, cl_mem from, cl_mem to, const size_t *from_origin,
                 const size_t *to_origin, const size_t *region, size_t from_pitch,
                 size_t from_slice, size_t to_pitch, size_t to_slice, KFUSION_WAITS),
                (queue, from, to, from_origin, to_origin, region, from_pitch, from_slice, to_pitch,
                 to_slice, waits, wait_list, event),
                (kfusion_reads(from, call_, NULL),
                 kfusion_overwrites(to, 0)))
KFUSION_REGISTERS(clSetMemObjectDestructorCallback,
                  (cl_mem mem, void(CL_CALLBACK *notify)(cl_mem mem, void *user), void *user),
                  (mem, notify, user))
#endif
#ifdef CL_VERSION_1_2
KFUSION_COMMAND(clEnqueueMigrateMemObjects,
                (cl_command_queue queue, cl_uint count, const cl_mem *mems,
                 cl_mem_migration_flags flags, KFUSION_WAITS),
                (queue, count, mems, flags, waits, wait_list, event),
                kfusion_names_list(count, mems))
#endif

/* ---- Shared virtual memory ---- */

#ifdef CL_VERSION_2_0
KFUSION_HERE void *CL_API_CALL kfusion_clSVMAlloc(cl_context context, cl_svm_mem_flags flags,
                                                  size_t size, cl_uint alignment)
{
    kfusion_settle_quietly("clSVMAlloc");
    return clSVMAlloc(context, flags, size, alignment);
}

KFUSION_HERE void CL_API_CALL kfusion_clSVMFree(cl_context context, void *memory)
{
    kfusion_settle_quietly("clSVMFree");
    clSVMFree(context, memory);
}

KFUSION_COMMAND(clEnqueueSVMFree,
                (cl_command_queue queue, cl_uint count, void *pointers[],
                 void(CL_CALLBACK *notify)(cl_command_queue queue, cl_uint count,
                                           void *pointers[], void *user),
                 void *user, KFUSION_WAITS),
                (queue, count, pointers, notify, user, waits, wait_list, event), (void)0)
KFUSION_COMMAND(clEnqueueSVMMemcpy,
                (cl_command_queue queue, cl_bool blocking, void *to, const void *from, size_t size,
                 KFUSION_WAITS),
                (queue, blocking, to, from, size, waits, wait_list, event), (void)0)
KFUSION_COMMAND(clEnqueueSVMMemFill,
                (cl_command_queue queue, void *memory, const void *fill, size_t fill_size,
                 size_t size, KFUSION_WAITS),
                (queue, memory, fill, fill_size, size, waits, wait_list, event), (void)0)
KFUSION_COMMAND(clEnqueueSVMMap,
                (cl_command_queue queue, cl_bool blocking, cl_map_flags flags, void *memory,
                 size_t size, KFUSION_WAITS),
                (queue, blocking, flags, memory, size, waits, wait_list, event), (void)0)
KFUSION_COMMAND(clEnqueueSVMUnmap, (cl_command_queue queue, void *memory, KFUSION_WAITS),
                (queue, memory, waits, wait_list, event), (void)0)
#endif
#ifdef CL_VERSION_2_1
KFUSION_COMMAND(clEnqueueSVMMigrateMem,
                (cl_command_queue queue, cl_uint count, const void **pointers, const size_t *sizes,
                 cl_mem_migration_flags flags, KFUSION_WAITS),
                (queue, count, pointers, sizes, flags, waits, wait_list, event), (void)0)
#endif

/* ---- Events, native kernels ---- */

KFUSION_COMMAND(clEnqueueNativeKernel,
                (cl_command_queue queue, void(CL_CALLBACK *function)(void *), void *arguments,
                 size_t size, cl_uint count, const cl_mem *mems, const void **places,
                 KFUSION_WAITS),
                (queue, function, arguments, size, count, mems, places, waits, wait_list, event),
                kfusion_reads_list(count, mems, call_))
KFUSION_COMMAND(clEnqueueWaitForEvents,
                (cl_command_queue queue, cl_uint count, const cl_event *events),
                (queue, count, events), (void)0)
KFUSION_SETTLES(clWaitForEvents, (cl_uint count, const cl_event *events), (count, events))
KFUSION_SETTLES(clGetEventInfo, (cl_event event, cl_event_info what, KFUSION_ANSWER),
                (event, what, size, value, size_ret))
KFUSION_SETTLES(clGetEventProfilingInfo, (cl_event event, cl_profiling_info what, KFUSION_ANSWER),
                (event, what, size, value, size_ret))
#ifdef CL_VERSION_1_1
KFUSION_SETTLES(clSetUserEventStatus, (cl_event event, cl_int status), (event, status))
KFUSION_SETTLES(clSetEventCallback,
                (cl_event event, cl_int type,
                 void(CL_CALLBACK *notify)(cl_event event, cl_int status, void *user), void *user),
                (event, type, notify, user))
#endif

/* ---- Devices, contexts, queues ---- */

#ifdef CL_USE_DEPRECATED_OPENCL_1_0_APIS
KFUSION_HERE cl_int CL_API_CALL kfusion_clSetCommandQueueProperty(
    cl_command_queue queue, cl_command_queue_properties properties, cl_bool enable,
    cl_command_queue_properties *old)
{
    const cl_int status = kfusion_settle_before(queue, "clSetCommandQueueProperty");

    if (kfusion_now != NULL)
        kfusion_let_go_of_queue(kfusion_now);
    return status != CL_SUCCESS ? status
                                : clSetCommandQueueProperty(queue, properties, enable, old);
}
#endif
#ifdef CL_VERSION_2_1
KFUSION_SETTLES(clSetDefaultDeviceCommandQueue,
                (cl_context context, cl_device_id device, cl_command_queue queue),
                (context, device, queue))
#endif

KFUSION_HERE cl_context CL_API_CALL kfusion_clCreateContext(
    const cl_context_properties *properties, cl_uint count, const cl_device_id *devices,
    kfusion_context_notify notify, void *user, cl_int *status_ret)
{
    if (notify != NULL)
        kfusion_settle_quietly("clCreateContext with a callback");
    return clCreateContext(properties, count, devices, notify, user, status_ret);
}

KFUSION_HERE cl_context CL_API_CALL kfusion_clCreateContextFromType(
    const cl_context_properties *properties, cl_device_type type, kfusion_context_notify notify,
    void *user, cl_int *status_ret)
{
    if (notify != NULL)
        kfusion_settle_quietly("clCreateContextFromType with a callback");
    return clCreateContextFromType(properties, type, notify, user, status_ret);
}

#ifdef CL_VERSION_3_0
KFUSION_REGISTERS(clSetContextDestructorCallback,
                  (cl_context context,
                   void(CL_CALLBACK *notify)(cl_context context, void *user), void *user),
                  (context, notify, user))
#endif

/* ---- Programs ---- */

KFUSION_BUILDS(clBuildProgram,
               (cl_program program, cl_uint count, const cl_device_id *devices,
                const char *options, kfusion_program_notify notify, void *user),
               (program, count, devices, options, notify, user))
#ifdef CL_VERSION_1_2
KFUSION_BUILDS(clCompileProgram,
               (cl_program program, cl_uint count, const cl_device_id *devices,
                const char *options, cl_uint headers, const cl_program *header,
                const char **names, kfusion_program_notify notify, void *user),
               (program, count, devices, options, headers, header, names, notify, user))

KFUSION_HERE cl_program CL_API_CALL kfusion_clLinkProgram(
    cl_context context, cl_uint count, const cl_device_id *devices, const char *options,
    cl_uint inputs, const cl_program *input, kfusion_program_notify notify, void *user,
    cl_int *status_ret)
{
    kfusion_settle_quietly("clLinkProgram");
    return clLinkProgram(context, count, devices, options, inputs, input, notify, user,
                         status_ret);
}
#endif
#ifdef CL_VERSION_2_2
KFUSION_REGISTERS(clSetProgramReleaseCallback,
                  (cl_program program, kfusion_program_notify notify, void *user),
                  (program, notify, user))
KFUSION_BUILDS(clSetProgramSpecializationConstant,
               (cl_program program, cl_uint constant, size_t size, const void *value),
               (program, constant, size, value))
#endif

KFUSION_HERE cl_int CL_API_CALL kfusion_clUnloadCompiler(void)
{
    const cl_int status = kfusion_before_build(NULL, "clUnloadCompiler");

    return status != CL_SUCCESS ? status : clUnloadCompiler();
}

KFUSION_HERE void *CL_API_CALL kfusion_clGetExtensionFunctionAddress(const char *name)
{
    kfusion_settle_quietly("clGetExtensionFunctionAddress");
    return clGetExtensionFunctionAddress(name);
}

#ifdef CL_VERSION_1_2
KFUSION_HERE cl_int CL_API_CALL kfusion_clUnloadPlatformCompiler(cl_platform_id platform)
{
    const cl_int status = kfusion_before_build(NULL, "clUnloadPlatformCompiler");

    return status != CL_SUCCESS ? status : clUnloadPlatformCompiler(platform);
}

KFUSION_HERE void *CL_API_CALL
kfusion_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name)
{
    kfusion_settle_quietly("clGetExtensionFunctionAddressForPlatform");
    return clGetExtensionFunctionAddressForPlatform(platform, name);
}
#endif

/* ---- OpenGL, where <CL/cl_gl.h> was included before this file ---- */

#ifdef CL_GL_OBJECT_BUFFER
KFUSION_CREATES(cl_mem, clCreateFromGLBuffer,
                (cl_context context, cl_mem_flags flags, cl_GLuint buffer, cl_int *status_ret),
                (context, flags, buffer, status_ret))
KFUSION_CREATES(cl_mem, clCreateFromGLRenderbuffer,
                (cl_context context, cl_mem_flags flags, cl_GLuint buffer, cl_int *status_ret),
                (context, flags, buffer, status_ret))
KFUSION_COMMAND(clEnqueueAcquireGLObjects,
                (cl_command_queue queue, cl_uint count, const cl_mem *mems, KFUSION_WAITS),
                (queue, count, mems, waits, wait_list, event), kfusion_names_list(count, mems))
KFUSION_COMMAND(clEnqueueReleaseGLObjects,
                (cl_command_queue queue, cl_uint count, const cl_mem *mems, KFUSION_WAITS),
                (queue, count, mems, waits, wait_list, event), kfusion_names_list(count, mems))
#endif

#pragma GCC diagnostic pop
