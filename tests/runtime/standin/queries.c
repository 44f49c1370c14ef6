/* Queries of information: each writes down the value, of any type, then gives it back. */
#include "standin.h"

#define QUERY size_t param_value_size, void *param_value, size_t *param_value_size_ret
#define ANSWER answer(&here, at, size, param_value_size, param_value, param_value_size_ret)
#define BEGIN(handle, kind)                                                                        \
    call here = CALL("%s %#x", name_of(handle), param_name);                                       \
    union { cl_uint u; cl_int i; cl_ulong l; cl_bool b; size_t z; void *p; size_t sizes[3]; } v;   \
    const void *at = &v;                                                                           \
    size_t size = 0;                                                                               \
    memset(&v, 0, sizeof v);                                                                       \
    if (!expect(&here, handle, kind))                                                              \
        return end(&here)
#define GIVE(name, type, member, value) case name: v.member = (value); size = sizeof(type); break
#define UINT(name, value) GIVE(name, cl_uint, u, value)
#define LONG(name, value) GIVE(name, cl_ulong, l, value)
#define SIZE(name, value) GIVE(name, size_t, z, value)
#define HANDLE(name, value) GIVE(name, void *, p, (void *)(value))
#define TEXT(name, value) case name: at = (value); size = strlen(value) + 1; break
#define BYTES(name, from, count) case name: at = (from); size = (count); break
#define UNKNOWN default: refuse(&here, CL_INVALID_VALUE)

cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info param_name, QUERY)
{
    BEGIN(platform, PLATFORM);
    switch (param_name) {
        TEXT(CL_PLATFORM_PROFILE, "FULL_PROFILE");
        TEXT(CL_PLATFORM_VERSION, "OpenCL 3.0 stand-in");
        TEXT(CL_PLATFORM_NAME, "stand-in");
        TEXT(CL_PLATFORM_VENDOR, "stand-in");
        TEXT(CL_PLATFORM_EXTENSIONS, "");
        LONG(CL_PLATFORM_HOST_TIMER_RESOLUTION, 1);
        UINT(CL_PLATFORM_NUMERIC_VERSION, CL_MAKE_VERSION(3, 0, 0));
        UNKNOWN;
    }
    return ANSWER;
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info param_name, QUERY)
{
    BEGIN(device, DEVICE);
    switch (param_name) {
        LONG(CL_DEVICE_TYPE, CL_DEVICE_TYPE_CPU);
        UINT(CL_DEVICE_VENDOR_ID, 0);
        UINT(CL_DEVICE_MAX_COMPUTE_UNITS, 2);
        UINT(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 3);
        SIZE(CL_DEVICE_MAX_WORK_GROUP_SIZE, setting("STANDIN_MAX_GROUP", 1024));
    case CL_DEVICE_MAX_WORK_ITEM_SIZES:
        v.sizes[0] = v.sizes[1] = v.sizes[2] = setting("STANDIN_MAX_ITEMS", 1024);
        size = sizeof v.sizes;
        break;
        UINT(CL_DEVICE_ADDRESS_BITS, 64);
        LONG(CL_DEVICE_MAX_MEM_ALLOC_SIZE, 1 << 30);
        LONG(CL_DEVICE_GLOBAL_MEM_SIZE, 1ul << 32);
        LONG(CL_DEVICE_LOCAL_MEM_SIZE, setting("STANDIN_LOCAL_MEMORY", 32768));
        UINT(CL_DEVICE_LOCAL_MEM_TYPE, CL_GLOBAL);
        LONG(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, 65536);
        UINT(CL_DEVICE_MAX_CONSTANT_ARGS, 8);
        SIZE(CL_DEVICE_MAX_PARAMETER_SIZE, 1024);
        UINT(CL_DEVICE_MEM_BASE_ADDR_ALIGN, 1024);
        UINT(CL_DEVICE_IMAGE_SUPPORT, CL_TRUE);
        SIZE(CL_DEVICE_IMAGE2D_MAX_WIDTH, 16384);
        SIZE(CL_DEVICE_IMAGE2D_MAX_HEIGHT, 16384);
        UINT(CL_DEVICE_MAX_READ_IMAGE_ARGS, 128);
        UINT(CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 64);
        UINT(CL_DEVICE_MAX_SAMPLERS, 16);
        UINT(CL_DEVICE_AVAILABLE, CL_TRUE);
        UINT(CL_DEVICE_COMPILER_AVAILABLE, CL_TRUE);
        UINT(CL_DEVICE_LINKER_AVAILABLE, CL_TRUE);
        LONG(CL_DEVICE_EXECUTION_CAPABILITIES, CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL);
        LONG(CL_DEVICE_QUEUE_PROPERTIES,
             CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
        LONG(CL_DEVICE_SVM_CAPABILITIES, CL_DEVICE_SVM_COARSE_GRAIN_BUFFER);
        LONG(CL_DEVICE_SINGLE_FP_CONFIG, CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_DENORM);
        LONG(CL_DEVICE_DOUBLE_FP_CONFIG, CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_DENORM);
        UINT(CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, setting("STANDIN_NON_UNIFORM", 0) != 0);
        UINT(CL_DEVICE_REFERENCE_COUNT, device->parent != NULL ? device->base.references : 1);
        HANDLE(CL_DEVICE_PARENT_DEVICE, device->parent);
        TEXT(CL_DEVICE_NAME, "stand-in");
        TEXT(CL_DEVICE_VENDOR, "stand-in");
        TEXT(CL_DRIVER_VERSION, "1");
        TEXT(CL_DEVICE_PROFILE, "FULL_PROFILE");
        TEXT(CL_DEVICE_VERSION, "OpenCL 3.0 stand-in");
        TEXT(CL_DEVICE_OPENCL_C_VERSION, "OpenCL C 1.2 stand-in");
        TEXT(CL_DEVICE_EXTENSIONS, "cl_khr_fp64");
        TEXT(CL_DEVICE_BUILT_IN_KERNELS, "standin_nothing");
        HANDLE(CL_DEVICE_PLATFORM, the_platform());
        UNKNOWN;
    }
    return ANSWER;
}

cl_int clGetContextInfo(cl_context context, cl_context_info param_name, QUERY)
{
    BEGIN(context, CONTEXT);
    switch (param_name) {
        UINT(CL_CONTEXT_REFERENCE_COUNT, context->base.references);
        UINT(CL_CONTEXT_NUM_DEVICES, 1);
        HANDLE(CL_CONTEXT_DEVICES, context->device);
        BYTES(CL_CONTEXT_PROPERTIES, context->properties,
              context->property_count * sizeof context->properties[0]);
        UNKNOWN;
    }
    return ANSWER;
}

cl_int clGetCommandQueueInfo(cl_command_queue command_queue, cl_command_queue_info param_name,
                             QUERY)
{
    BEGIN(command_queue, QUEUE);
    switch (param_name) {
        HANDLE(CL_QUEUE_CONTEXT, command_queue->context);
        HANDLE(CL_QUEUE_DEVICE, command_queue->device);
        UINT(CL_QUEUE_REFERENCE_COUNT, command_queue->base.references);
        LONG(CL_QUEUE_PROPERTIES, command_queue->flags);
        HANDLE(CL_QUEUE_DEVICE_DEFAULT, NULL);
        BYTES(CL_QUEUE_PROPERTIES_ARRAY, command_queue->properties,
              command_queue->property_count * sizeof command_queue->properties[0]);
        UNKNOWN;
    }
    return ANSWER;
}

cl_int clGetMemObjectInfo(cl_mem memobj, cl_mem_info param_name, QUERY)
{
    BEGIN(memobj, MEM);
    switch (param_name) {
        UINT(CL_MEM_TYPE, memobj->type);
        LONG(CL_MEM_FLAGS, memobj->flags);
        SIZE(CL_MEM_SIZE, memobj->size);
        HANDLE(CL_MEM_HOST_PTR, memobj->host_ptr);
        UINT(CL_MEM_MAP_COUNT, memobj->maps);
        UINT(CL_MEM_REFERENCE_COUNT, memobj->base.references);
        HANDLE(CL_MEM_CONTEXT, memobj->context);
        HANDLE(CL_MEM_ASSOCIATED_MEMOBJECT, memobj->parent);
        SIZE(CL_MEM_OFFSET, memobj->origin);
        UINT(CL_MEM_USES_SVM_POINTER, CL_FALSE);
        BYTES(CL_MEM_PROPERTIES, NULL, 0);
        UNKNOWN;
    }
    return ANSWER;
}

cl_int clGetImageInfo(cl_mem image, cl_image_info param_name, QUERY)
{
    BEGIN(image, MEM);
    if (image->element == 0)
        refuse(&here, CL_INVALID_MEM_OBJECT);
    switch (param_name) {
        BYTES(CL_IMAGE_FORMAT, &image->format, sizeof image->format);
        SIZE(CL_IMAGE_ELEMENT_SIZE, image->element);
        SIZE(CL_IMAGE_ROW_PITCH, image->row);
        SIZE(CL_IMAGE_SLICE_PITCH, image->slice);
        SIZE(CL_IMAGE_WIDTH, image->desc.image_width);
        SIZE(CL_IMAGE_HEIGHT, image->desc.image_height);
        SIZE(CL_IMAGE_DEPTH, image->desc.image_depth);
        SIZE(CL_IMAGE_ARRAY_SIZE, image->desc.image_array_size);
        HANDLE(CL_IMAGE_BUFFER, image->parent);
        UINT(CL_IMAGE_NUM_MIP_LEVELS, 0);
        UINT(CL_IMAGE_NUM_SAMPLES, 0);
        UNKNOWN;
    }
    return ANSWER;
}

cl_int clGetPipeInfo(cl_mem pipe, cl_pipe_info param_name, QUERY)
{
    BEGIN(pipe, MEM);
    switch (param_name) {
        UINT(CL_PIPE_PACKET_SIZE, pipe->packet);
        UINT(CL_PIPE_MAX_PACKETS, pipe->packets);
        BYTES(CL_PIPE_PROPERTIES, NULL, 0);
        UNKNOWN;
    }
    return ANSWER;
}

cl_int clGetSamplerInfo(cl_sampler sampler, cl_sampler_info param_name, QUERY)
{
    BEGIN(sampler, SAMPLER);
    switch (param_name) {
        UINT(CL_SAMPLER_REFERENCE_COUNT, sampler->base.references);
        HANDLE(CL_SAMPLER_CONTEXT, sampler->context);
        UINT(CL_SAMPLER_NORMALIZED_COORDS, sampler->normalized);
        UINT(CL_SAMPLER_ADDRESSING_MODE, sampler->addressing);
        UINT(CL_SAMPLER_FILTER_MODE, sampler->filter);
        BYTES(CL_SAMPLER_PROPERTIES, NULL, 0);
        UNKNOWN;
    }
    return ANSWER;
}

static const char *kernel_names(cl_program program, char *names, size_t room)
{
    names[0] = '\0';
    for (size_t i = 0; i < program->kernel_count; i++) {
        size_t used = strlen(names);
        snprintf(names + used, room - used, "%s%s", i > 0 ? ";" : "", program->kernels[i].name);
    }
    return names;
}

static cl_int give_binaries(call *here, cl_program program, QUERY)
{
    size_t size = strlen(program->source);
    if (param_value != NULL && param_value_size < sizeof(void *))
        refuse(here, CL_INVALID_VALUE);
    if (ok(here) && param_value != NULL && *(void **)param_value != NULL)
        memcpy(*(void **)param_value, program->source, size);
    if (ok(here) && param_value_size_ret != NULL)
        *param_value_size_ret = sizeof(void *);
    return end(here);
}

cl_int clGetProgramInfo(cl_program program, cl_program_info param_name, QUERY)
{
    char names[MOST_KERNELS * NAME_LENGTH];
    BEGIN(program, PROGRAM);
    const char *source = program->from_source ? program->source : "";
    bool is_about_kernels = param_name == CL_PROGRAM_NUM_KERNELS ||
                            param_name == CL_PROGRAM_KERNEL_NAMES;
    if (is_about_kernels && !program->is_built)
        refuse(&here, CL_INVALID_PROGRAM_EXECUTABLE);
    if (param_name == CL_PROGRAM_BINARIES)
        return give_binaries(&here, program, param_value_size, param_value, param_value_size_ret);
    switch (param_name) {
        UINT(CL_PROGRAM_REFERENCE_COUNT, program->base.references);
        HANDLE(CL_PROGRAM_CONTEXT, program->context);
        UINT(CL_PROGRAM_NUM_DEVICES, 1);
        HANDLE(CL_PROGRAM_DEVICES, program->context->device);
        TEXT(CL_PROGRAM_SOURCE, source);
        SIZE(CL_PROGRAM_BINARY_SIZES, strlen(program->source));
        SIZE(CL_PROGRAM_NUM_KERNELS, program->kernel_count);
        TEXT(CL_PROGRAM_KERNEL_NAMES, kernel_names(program, names, sizeof names));
        BYTES(CL_PROGRAM_IL, program->source, program->is_il ? strlen(program->source) : 0);
        UINT(CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, CL_FALSE);
        UINT(CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, CL_FALSE);
        UNKNOWN;
    }
    return ANSWER;
}

cl_int clGetProgramBuildInfo(cl_program program, cl_device_id device,
                             cl_program_build_info param_name, QUERY)
{
    BEGIN(program, PROGRAM);
    expect(&here, device, DEVICE);
    switch (param_name) {
        UINT(CL_PROGRAM_BUILD_STATUS, (cl_uint)program->build);
        TEXT(CL_PROGRAM_BUILD_OPTIONS, program->options);
        TEXT(CL_PROGRAM_BUILD_LOG, "");
        UINT(CL_PROGRAM_BINARY_TYPE, program->type);
        SIZE(CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, 0);
        UNKNOWN;
    }
    return ANSWER;
}

cl_int clGetKernelInfo(cl_kernel kernel, cl_kernel_info param_name, QUERY)
{
    BEGIN(kernel, KERNEL);
    switch (param_name) {
        TEXT(CL_KERNEL_FUNCTION_NAME, kernel->text->name);
        UINT(CL_KERNEL_NUM_ARGS, kernel->text->count);
        UINT(CL_KERNEL_REFERENCE_COUNT, kernel->base.references);
        HANDLE(CL_KERNEL_CONTEXT, kernel->program->context);
        HANDLE(CL_KERNEL_PROGRAM, kernel->program);
        TEXT(CL_KERNEL_ATTRIBUTES, "");
        UNKNOWN;
    }
    return ANSWER;
}

static cl_uint address_qualifier(const parameter *parameter)
{
    return parameter->is_local      ? CL_KERNEL_ARG_ADDRESS_LOCAL
           : parameter->is_constant ? CL_KERNEL_ARG_ADDRESS_CONSTANT
           : parameter->is_memory   ? CL_KERNEL_ARG_ADDRESS_GLOBAL
                                    : CL_KERNEL_ARG_ADDRESS_PRIVATE;
}

cl_int clGetKernelArgInfo(cl_kernel kernel, cl_uint arg_indx, cl_kernel_arg_info param_name, QUERY)
{
    char type[NAME_LENGTH + 1];
    BEGIN(kernel, KERNEL);
    if (arg_indx >= kernel->text->count) {
        refuse(&here, CL_INVALID_ARG_INDEX);
        return end(&here);
    }
    const parameter *parameter = &kernel->text->parameters[arg_indx];
    bool is_pointer = (parameter->is_memory || parameter->is_local) && !parameter->is_image;
    snprintf(type, sizeof type, "%.62s%s", parameter->type, is_pointer ? "*" : "");
    switch (param_name) {
        UINT(CL_KERNEL_ARG_ADDRESS_QUALIFIER, address_qualifier(parameter));
        UINT(CL_KERNEL_ARG_ACCESS_QUALIFIER, parameter->is_image ? CL_KERNEL_ARG_ACCESS_READ_ONLY
                                                                 : CL_KERNEL_ARG_ACCESS_NONE);
        TEXT(CL_KERNEL_ARG_TYPE_NAME, type);
        LONG(CL_KERNEL_ARG_TYPE_QUALIFIER,
             parameter->is_const ? CL_KERNEL_ARG_TYPE_CONST : CL_KERNEL_ARG_TYPE_NONE);
        TEXT(CL_KERNEL_ARG_NAME, parameter->name);
        UNKNOWN;
    }
    return ANSWER;
}

cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                cl_kernel_work_group_info param_name, QUERY)
{
    BEGIN(kernel, KERNEL);
    if (device != NULL)
        alive(device, DEVICE);
    char name[128];
    snprintf(name, sizeof name, "STANDIN_LOCAL_OF_%s", kernel->text->name);
    const size_t local = setting(name, 0);
    switch (param_name) {
        SIZE(CL_KERNEL_WORK_GROUP_SIZE, setting("STANDIN_MAX_GROUP", 1024));
        BYTES(CL_KERNEL_COMPILE_WORK_GROUP_SIZE, v.sizes, sizeof v.sizes);
        LONG(CL_KERNEL_LOCAL_MEM_SIZE, local);
        SIZE(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, 8);
        LONG(CL_KERNEL_PRIVATE_MEM_SIZE, 0);
        UNKNOWN;
    }
    return ANSWER;
}

cl_int clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device,
                               cl_kernel_sub_group_info param_name, size_t input_value_size,
                               const void *input_value, QUERY)
{
    (void)device;
    (void)input_value;
    (void)input_value_size;
    BEGIN(kernel, KERNEL);
    switch (param_name) {
        SIZE(CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 1);
        SIZE(CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 1);
        SIZE(CL_KERNEL_MAX_NUM_SUB_GROUPS, 1);
        SIZE(CL_KERNEL_COMPILE_NUM_SUB_GROUPS, 0);
        UNKNOWN;
    }
    return ANSWER;
}

cl_int clGetEventInfo(cl_event event, cl_event_info param_name, QUERY)
{
    BEGIN(event, EVENT);
    switch (param_name) {
        HANDLE(CL_EVENT_COMMAND_QUEUE, event->queue);
        UINT(CL_EVENT_COMMAND_TYPE, event->type);
        UINT(CL_EVENT_REFERENCE_COUNT, event->base.references);
        GIVE(CL_EVENT_COMMAND_EXECUTION_STATUS, cl_int, i, event->state);
        HANDLE(CL_EVENT_CONTEXT, event->context);
        UNKNOWN;
    }
    return ANSWER;
}

cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info param_name, QUERY)
{
    BEGIN(event, EVENT);
    if (event->queue == NULL || !(event->queue->flags & CL_QUEUE_PROFILING_ENABLE))
        refuse(&here, CL_PROFILING_INFO_NOT_AVAILABLE);
    switch (param_name) {
        LONG(CL_PROFILING_COMMAND_QUEUED, event->time * 10);
        LONG(CL_PROFILING_COMMAND_SUBMIT, event->time * 10 + 1);
        LONG(CL_PROFILING_COMMAND_START, event->time * 10 + 2);
        LONG(CL_PROFILING_COMMAND_END, event->time * 10 + 3);
        LONG(CL_PROFILING_COMMAND_COMPLETE, event->time * 10 + 3);
        UNKNOWN;
    }
    return ANSWER;
}

void *clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *func_name)
{
    call here = CALL("%s %s", name_of(platform), func_name);
    end(&here);
    return NULL;
}

void *clGetExtensionFunctionAddress(const char *func_name)
{
    call here = CALL("%s", func_name);
    end(&here);
    return NULL;
}
