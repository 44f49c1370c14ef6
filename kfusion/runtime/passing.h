/* ==== Calls that pass: made at once, in front of the noted launches ======================== */

/* ---- Queries ---- */

#define KFUSION_PASSES(name, parameters, arguments)                                           \
    KFUSION_HERE cl_int CL_API_CALL kfusion_##name parameters                                 \
    {                                                                                         \
        cl_int status_ = name arguments;                                                      \
        if (kfusion_is_memory_failure(status_) && kfusion_makes_room(#name))                  \
            status_ = name arguments;                                                         \
        return status_;                                                                       \
    }

/* What the run time holds is let go of before the program asks how often something is held. */
#define KFUSION_ASKS(name, parameters, arguments, count)                                      \
    KFUSION_HERE cl_int CL_API_CALL kfusion_##name parameters                                 \
    {                                                                                         \
        cl_int status_ = CL_SUCCESS;                                                          \
        if (what == (count) && kfusion_now != NULL && KFUSION_PROTECTS(COUNTS)) {             \
            status_ = kfusion_settle_and_forget(#name);                                       \
            kfusion_forget_all_dropped(kfusion_now);                                          \
        }                                                                                     \
        if (status_ != CL_SUCCESS)                                                            \
            return status_;                                                                   \
        status_ = name arguments;                                                             \
        if (kfusion_is_memory_failure(status_) && kfusion_makes_room(#name))                  \
            status_ = name arguments;                                                         \
        return status_;                                                                       \
    }

KFUSION_PASSES(clGetPlatformIDs, (cl_uint room, cl_platform_id *platforms, cl_uint *count),
               (room, platforms, count))
KFUSION_PASSES(clGetPlatformInfo, (cl_platform_id platform, cl_platform_info what, KFUSION_ANSWER),
               (platform, what, size, value, size_ret))
KFUSION_PASSES(clGetDeviceIDs,
               (cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *devices,
                cl_uint *count),
               (platform, type, room, devices, count))
KFUSION_ASKS(clGetDeviceInfo, (cl_device_id device, cl_device_info what, KFUSION_ANSWER),
             (device, what, size, value, size_ret), 0x1047 /* CL_DEVICE_REFERENCE_COUNT */)
KFUSION_ASKS(clGetContextInfo, (cl_context context, cl_context_info what, KFUSION_ANSWER),
             (context, what, size, value, size_ret), CL_CONTEXT_REFERENCE_COUNT)
KFUSION_ASKS(clGetCommandQueueInfo,
             (cl_command_queue queue, cl_command_queue_info what, KFUSION_ANSWER),
             (queue, what, size, value, size_ret), CL_QUEUE_REFERENCE_COUNT)
KFUSION_PASSES(clGetSupportedImageFormats,
               (cl_context context, cl_mem_flags flags, cl_mem_object_type type, cl_uint room,
                cl_image_format *formats, cl_uint *count),
               (context, flags, type, room, formats, count))
KFUSION_ASKS(clGetMemObjectInfo, (cl_mem mem, cl_mem_info what, KFUSION_ANSWER),
             (mem, what, size, value, size_ret), CL_MEM_REFERENCE_COUNT)
KFUSION_PASSES(clGetImageInfo, (cl_mem image, cl_image_info what, KFUSION_ANSWER),
               (image, what, size, value, size_ret))
KFUSION_ASKS(clGetSamplerInfo, (cl_sampler sampler, cl_sampler_info what, KFUSION_ANSWER),
             (sampler, what, size, value, size_ret), CL_SAMPLER_REFERENCE_COUNT)
KFUSION_ASKS(clGetProgramInfo, (cl_program program, cl_program_info what, KFUSION_ANSWER),
             (program, what, size, value, size_ret), CL_PROGRAM_REFERENCE_COUNT)
KFUSION_PASSES(clGetProgramBuildInfo,
               (cl_program program, cl_device_id device, cl_program_build_info what,
                KFUSION_ANSWER),
               (program, device, what, size, value, size_ret))
KFUSION_ASKS(clGetKernelInfo, (cl_kernel kernel, cl_kernel_info what, KFUSION_ANSWER),
             (kernel, what, size, value, size_ret), CL_KERNEL_REFERENCE_COUNT)
KFUSION_PASSES(clGetKernelWorkGroupInfo,
               (cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what,
                KFUSION_ANSWER),
               (kernel, device, what, size, value, size_ret))
#ifdef CL_VERSION_1_2
KFUSION_PASSES(clGetKernelArgInfo,
               (cl_kernel kernel, cl_uint index, cl_kernel_arg_info what, KFUSION_ANSWER),
               (kernel, index, what, size, value, size_ret))
#endif
#ifdef CL_VERSION_2_0
KFUSION_PASSES(clGetPipeInfo, (cl_mem pipe, cl_pipe_info what, KFUSION_ANSWER),
               (pipe, what, size, value, size_ret))
#endif
#ifdef CL_VERSION_2_1
KFUSION_PASSES(clGetKernelSubGroupInfo,
               (cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info what,
                size_t input_size, const void *input, KFUSION_ANSWER),
               (kernel, device, what, input_size, input, size, value, size_ret))
KFUSION_PASSES(clGetDeviceAndHostTimer,
               (cl_device_id device, cl_ulong *device_time, cl_ulong *host_time),
               (device, device_time, host_time))
KFUSION_PASSES(clGetHostTimer, (cl_device_id device, cl_ulong *time), (device, time))
#endif

/* ---- Retaining and releasing ---- */

KFUSION_PASSES(clRetainContext, (cl_context context), (context))
KFUSION_PASSES(clRetainCommandQueue, (cl_command_queue queue), (queue))
KFUSION_PASSES(clRetainMemObject, (cl_mem mem), (mem))
KFUSION_PASSES(clRetainSampler, (cl_sampler sampler), (sampler))
KFUSION_PASSES(clRetainProgram, (cl_program program), (program))
KFUSION_PASSES(clRetainKernel, (cl_kernel kernel), (kernel))
KFUSION_PASSES(clRetainEvent, (cl_event event), (event))
KFUSION_PASSES(clReleaseEvent, (cl_event event), (event))
#ifdef CL_VERSION_1_2
KFUSION_PASSES(clRetainDevice, (cl_device_id device), (device))
KFUSION_PASSES(clReleaseDevice, (cl_device_id device), (device))
KFUSION_PASSES(clCreateSubDevices,
               (cl_device_id device, const cl_device_partition_property *properties, cl_uint room,
                cl_device_id *devices, cl_uint *count),
               (device, properties, room, devices, count))
#endif

/* ---- Creating ---- */

#define KFUSION_CREATES_THEN(type, name, parameters, arguments, then)                         \
    KFUSION_HERE type CL_API_CALL kfusion_##name parameters                                   \
    {                                                                                         \
        cl_int status_ = CL_SUCCESS, *status_ret_ = status_ret;                               \
        type object_;                                                                         \
        if (KFUSION_LIKELY(kfusion_now == NULL))                                              \
            return name arguments;                                                            \
        status_ret = &status_;                                                                \
        object_ = name arguments;                                                             \
        if (kfusion_is_memory_failure(status_) && kfusion_makes_room(#name))                  \
            object_ = name arguments;                                                         \
        if (status_ == CL_SUCCESS) {                                                          \
            then;                                                                             \
        }                                                                                     \
        if (status_ret_ != NULL)                                                              \
            *status_ret_ = status_;                                                           \
        return object_;                                                                       \
    }

#define KFUSION_CREATES(type, name, parameters, arguments)                                    \
    KFUSION_CREATES_THEN(type, name, parameters, arguments, (void)0)

KFUSION_CREATES_THEN(cl_mem, clCreateBuffer,
                     (cl_context context, cl_mem_flags flags, size_t size, void *host,
                      cl_int *status_ret),
                     (context, flags, size, host, status_ret), kfusion_created(object_))
KFUSION_CREATES_THEN(cl_mem, clCreateImage2D,
                     (cl_context context, cl_mem_flags flags, const cl_image_format *format,
                      size_t width, size_t height, size_t pitch, void *host, cl_int *status_ret),
                     (context, flags, format, width, height, pitch, host, status_ret),
                     kfusion_created(object_))
KFUSION_CREATES_THEN(cl_mem, clCreateImage3D,
                     (cl_context context, cl_mem_flags flags, const cl_image_format *format,
                      size_t width, size_t height, size_t depth, size_t pitch, size_t slice,
                      void *host, cl_int *status_ret),
                     (context, flags, format, width, height, depth, pitch, slice, host,
                      status_ret),
                     kfusion_created(object_))
#ifdef CL_VERSION_1_1
KFUSION_CREATES_THEN(cl_mem, clCreateSubBuffer,
                     (cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type,
                      const void *info, cl_int *status_ret),
                     (buffer, flags, type, info, status_ret),
                     (kfusion_names(buffer), kfusion_created(object_)))
KFUSION_CREATES(cl_event, clCreateUserEvent, (cl_context context, cl_int *status_ret),
                (context, status_ret))
#endif
#ifdef CL_VERSION_1_2
KFUSION_CREATES_THEN(cl_mem, clCreateImage,
                     (cl_context context, cl_mem_flags flags, const cl_image_format *format,
                      const cl_image_desc *description, void *host, cl_int *status_ret),
                     (context, flags, format, description, host, status_ret),
                     (kfusion_names(description->buffer), kfusion_created(object_)))
KFUSION_CREATES(cl_program, clCreateProgramWithBuiltInKernels,
                (cl_context context, cl_uint count, const cl_device_id *devices,
                 const char *names, cl_int *status_ret),
                (context, count, devices, names, status_ret))
#endif
#ifdef CL_VERSION_2_0
KFUSION_CREATES(cl_command_queue, clCreateCommandQueueWithProperties,
                (cl_context context, cl_device_id device, const cl_queue_properties *properties,
                 cl_int *status_ret),
                (context, device, properties, status_ret))
KFUSION_CREATES(cl_mem, clCreatePipe,
                (cl_context context, cl_mem_flags flags, cl_uint size, cl_uint packets,
                 const cl_pipe_properties *properties, cl_int *status_ret),
                (context, flags, size, packets, properties, status_ret))
KFUSION_CREATES(cl_sampler, clCreateSamplerWithProperties,
                (cl_context context, const cl_sampler_properties *properties, cl_int *status_ret),
                (context, properties, status_ret))
#endif
#ifdef CL_VERSION_2_1
KFUSION_CREATES(cl_program, clCreateProgramWithIL,
                (cl_context context, const void *text, size_t size, cl_int *status_ret),
                (context, text, size, status_ret))
KFUSION_CREATES(cl_kernel, clCloneKernel, (cl_kernel kernel, cl_int *status_ret),
                (kernel, status_ret))
#endif
#ifdef CL_VERSION_3_0
KFUSION_CREATES_THEN(cl_mem, clCreateBufferWithProperties,
                     (cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                      size_t size, void *host, cl_int *status_ret),
                     (context, properties, flags, size, host, status_ret),
                     kfusion_created(object_))
KFUSION_CREATES_THEN(cl_mem, clCreateImageWithProperties,
                     (cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                      const cl_image_format *format, const cl_image_desc *description, void *host,
                      cl_int *status_ret),
                     (context, properties, flags, format, description, host, status_ret),
                     (kfusion_names(description->buffer), kfusion_created(object_)))
#endif
KFUSION_CREATES(cl_command_queue, clCreateCommandQueue,
                (cl_context context, cl_device_id device, cl_command_queue_properties properties,
                 cl_int *status_ret),
                (context, device, properties, status_ret))
KFUSION_CREATES(cl_sampler, clCreateSampler,
                (cl_context context, cl_bool normalized, cl_addressing_mode addressing,
                 cl_filter_mode filter, cl_int *status_ret),
                (context, normalized, addressing, filter, status_ret))
KFUSION_CREATES(cl_program, clCreateProgramWithSource,
                (cl_context context, cl_uint count, const char **strings, const size_t *lengths,
                 cl_int *status_ret),
                (context, count, strings, lengths, status_ret))
KFUSION_CREATES(cl_program, clCreateProgramWithBinary,
                (cl_context context, cl_uint count, const cl_device_id *devices,
                 const size_t *lengths, const unsigned char **binaries, cl_int *binary_status,
                 cl_int *status_ret),
                (context, count, devices, lengths, binaries, binary_status, status_ret))
KFUSION_CREATES(cl_kernel, clCreateKernel,
                (cl_program program, const char *name, cl_int *status_ret),
                (program, name, status_ret))
KFUSION_PASSES(clCreateKernelsInProgram,
               (cl_program program, cl_uint room, cl_kernel *kernels, cl_uint *count),
               (program, room, kernels, count))

/* ---- Writing, where no noted launch looks ---- */

KFUSION_WRITES(clEnqueueWriteBuffer,
               (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                size_t size, const void *from, cl_uint waits, const cl_event *wait_list,
                cl_event *event),
               (queue, buffer, blocking, offset, size, from, waits, wait_list, event), buffer,
               kfusion_is_whole_buffer(buffer, offset, size), blocking)
KFUSION_WRITES(clEnqueueWriteImage,
               (cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t *origin,
                const size_t *region, size_t pitch, size_t slice, const void *from, cl_uint waits,
                const cl_event *wait_list, cl_event *event),
               (queue, image, blocking, origin, region, pitch, slice, from, waits, wait_list,
                event),
               image, kfusion_is_whole_image(image, origin, region), blocking)
#ifdef CL_VERSION_1_1
KFUSION_WRITES(clEnqueueWriteBufferRect,
               (cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                const size_t *buffer_origin, const size_t *host_origin, const size_t *region,
                size_t buffer_pitch, size_t buffer_slice, size_t host_pitch, size_t host_slice,
                const void *from, cl_uint waits, const cl_event *wait_list, cl_event *event),
               (queue, buffer, blocking, buffer_origin, host_origin, region, buffer_pitch,
                buffer_slice, host_pitch, host_slice, from, waits, wait_list, event),
               buffer, 0, blocking)
#endif
#ifdef CL_VERSION_1_2
KFUSION_WRITES(clEnqueueFillBuffer,
               (cl_command_queue queue, cl_mem buffer, const void *fill, size_t fill_size,
                size_t offset, size_t size, cl_uint waits, const cl_event *wait_list,
                cl_event *event),
               (queue, buffer, fill, fill_size, offset, size, waits, wait_list, event), buffer,
               kfusion_is_whole_buffer(buffer, offset, size), CL_FALSE)
KFUSION_WRITES(clEnqueueFillImage,
               (cl_command_queue queue, cl_mem image, const void *colour, const size_t *origin,
                const size_t *region, cl_uint waits, const cl_event *wait_list, cl_event *event),
               (queue, image, colour, origin, region, waits, wait_list, event), image,
               kfusion_is_whole_image(image, origin, region), CL_FALSE)

/* ---- Order, where it is that of the queue ---- */

KFUSION_WRITES(clEnqueueMarkerWithWaitList,
               (cl_command_queue queue, cl_uint waits, const cl_event *wait_list,
                cl_event *event),
               (queue, waits, wait_list, event), NULL, 0, CL_FALSE)
KFUSION_WRITES(clEnqueueBarrierWithWaitList,
               (cl_command_queue queue, cl_uint waits, const cl_event *wait_list,
                cl_event *event),
               (queue, waits, wait_list, event), NULL, 0, CL_FALSE)
#endif

/* Those of OpenCL 1.1 have no wait list. */
#define KFUSION_ORDERS(name, parameters, arguments, event)                                    \
    KFUSION_HERE cl_int CL_API_CALL kfusion_##name parameters                                 \
    {                                                                                         \
        cl_int status_;                                                                       \
        if (KFUSION_LIKELY(kfusion_now == NULL))                                              \
            return name arguments;                                                            \
        status_ = kfusion_before_passing(queue, NULL, 0, NULL, event, #name);                 \
        if (status_ != CL_SUCCESS)                                                            \
            return status_;                                                                   \
        status_ = name arguments;                                                             \
        if (kfusion_is_memory_failure(status_) && kfusion_makes_room(#name))                  \
            status_ = name arguments;                                                         \
        return status_;                                                                       \
    }

KFUSION_ORDERS(clEnqueueMarker, (cl_command_queue queue, cl_event *event), (queue, event), event)
KFUSION_ORDERS(clEnqueueBarrier, (cl_command_queue queue), (queue), NULL)

/* What is noted is submitted when it is made: a flush only promises that this comes in the end. */
KFUSION_HERE cl_int CL_API_CALL kfusion_clFlush(cl_command_queue queue)
{
    cl_int status = kfusion_now == NULL ? CL_SUCCESS : kfusion_take_failure(kfusion_now, queue);

    if (status != CL_SUCCESS)
        return status;
    status = clFlush(queue);
    if (kfusion_is_memory_failure(status) && kfusion_makes_room("clFlush"))
        status = clFlush(queue);
    return status;
}
