#ifndef __OPENCL_CL_H
#define __OPENCL_CL_H

#include <CL/cl_version.h>
#include <CL/cl_platform.h>
#include <CL/cl_constants.h>

/* The OpenCL API for the parser: names, types and values are those of the
 * specification, parameters have no names, so that a host parses quickly. */

/* Objects */
typedef struct _cl_platform_id *cl_platform_id;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_context *cl_context;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_mem *cl_mem;
typedef struct _cl_program *cl_program;
typedef struct _cl_kernel *cl_kernel;
typedef struct _cl_event *cl_event;
typedef struct _cl_sampler *cl_sampler;

/* Numbers */
typedef cl_int cl_build_status;
typedef cl_uint
    cl_bool, cl_platform_info, cl_device_info, cl_device_mem_cache_type, cl_device_local_mem_type,
    cl_context_info, cl_command_queue_info, cl_channel_order, cl_channel_type, cl_mem_object_type,
    cl_mem_info, cl_image_info, cl_addressing_mode, cl_filter_mode, cl_sampler_info,
    cl_program_info, cl_program_build_info, cl_kernel_info, cl_kernel_work_group_info,
    cl_event_info, cl_command_type, cl_profiling_info;
typedef cl_ulong
    cl_bitfield, cl_properties, cl_device_type, cl_device_fp_config, cl_device_exec_capabilities,
    cl_command_queue_properties, cl_mem_flags, cl_map_flags;
typedef intptr_t cl_context_properties;

/* Structures */
typedef struct _cl_image_format {
    cl_channel_order image_channel_order;
    cl_channel_type image_channel_data_type;
} cl_image_format;

/* Platforms and devices */
cl_int clGetPlatformIDs(cl_uint, cl_platform_id *, cl_uint *);
cl_int clGetPlatformInfo(cl_platform_id, cl_platform_info, size_t, void *, size_t *);
cl_int clGetDeviceIDs(cl_platform_id, cl_device_type, cl_uint, cl_device_id *, cl_uint *);
cl_int clGetDeviceInfo(cl_device_id, cl_device_info, size_t, void *, size_t *);

/* Contexts */
cl_context clCreateContext(const cl_context_properties *, cl_uint, const cl_device_id *, void (*)(const char *, const void *, size_t, void *), void *, cl_int *);
cl_context clCreateContextFromType(const cl_context_properties *, cl_device_type, void (*)(const char *, const void *, size_t, void *), void *, cl_int *);
cl_int clRetainContext(cl_context);
cl_int clReleaseContext(cl_context);
cl_int clGetContextInfo(cl_context, cl_context_info, size_t, void *, size_t *);

/* Command queues */
cl_int clRetainCommandQueue(cl_command_queue);
cl_int clReleaseCommandQueue(cl_command_queue);
cl_int clGetCommandQueueInfo(cl_command_queue, cl_command_queue_info, size_t, void *, size_t *);

/* Memory objects */
cl_mem clCreateBuffer(cl_context, cl_mem_flags, size_t, void *, cl_int *);
cl_int clRetainMemObject(cl_mem);
cl_int clReleaseMemObject(cl_mem);
cl_int clGetSupportedImageFormats(cl_context, cl_mem_flags, cl_mem_object_type, cl_uint, cl_image_format *, cl_uint *);
cl_int clGetMemObjectInfo(cl_mem, cl_mem_info, size_t, void *, size_t *);
cl_int clGetImageInfo(cl_mem, cl_image_info, size_t, void *, size_t *);

/* Samplers */
cl_int clRetainSampler(cl_sampler);
cl_int clReleaseSampler(cl_sampler);
cl_int clGetSamplerInfo(cl_sampler, cl_sampler_info, size_t, void *, size_t *);

/* Programs */
cl_program clCreateProgramWithSource(cl_context, cl_uint, const char **, const size_t *, cl_int *);
cl_program clCreateProgramWithBinary(cl_context, cl_uint, const cl_device_id *, const size_t *, const unsigned char **, cl_int *, cl_int *);
cl_int clRetainProgram(cl_program);
cl_int clReleaseProgram(cl_program);
cl_int clBuildProgram(cl_program, cl_uint, const cl_device_id *, const char *, void (*)(cl_program, void *), void *);
cl_int clGetProgramInfo(cl_program, cl_program_info, size_t, void *, size_t *);
cl_int clGetProgramBuildInfo(cl_program, cl_device_id, cl_program_build_info, size_t, void *, size_t *);

/* Kernels */
cl_kernel clCreateKernel(cl_program, const char *, cl_int *);
cl_int clCreateKernelsInProgram(cl_program, cl_uint, cl_kernel *, cl_uint *);
cl_int clRetainKernel(cl_kernel);
cl_int clReleaseKernel(cl_kernel);
cl_int clSetKernelArg(cl_kernel, cl_uint, size_t, const void *);
cl_int clGetKernelInfo(cl_kernel, cl_kernel_info, size_t, void *, size_t *);
cl_int clGetKernelWorkGroupInfo(cl_kernel, cl_device_id, cl_kernel_work_group_info, size_t, void *, size_t *);

/* Events */
cl_int clWaitForEvents(cl_uint, const cl_event *);
cl_int clGetEventInfo(cl_event, cl_event_info, size_t, void *, size_t *);
cl_int clRetainEvent(cl_event);
cl_int clReleaseEvent(cl_event);
cl_int clGetEventProfilingInfo(cl_event, cl_profiling_info, size_t, void *, size_t *);

/* Commands */
cl_int clFlush(cl_command_queue);
cl_int clFinish(cl_command_queue);
cl_int clEnqueueReadBuffer(cl_command_queue, cl_mem, cl_bool, size_t, size_t, void *, cl_uint, const cl_event *, cl_event *);
cl_int clEnqueueWriteBuffer(cl_command_queue, cl_mem, cl_bool, size_t, size_t, const void *, cl_uint, const cl_event *, cl_event *);
cl_int clEnqueueCopyBuffer(cl_command_queue, cl_mem, cl_mem, size_t, size_t, size_t, cl_uint, const cl_event *, cl_event *);
cl_int clEnqueueReadImage(cl_command_queue, cl_mem, cl_bool, const size_t *, const size_t *, size_t, size_t, void *, cl_uint, const cl_event *, cl_event *);
cl_int clEnqueueWriteImage(cl_command_queue, cl_mem, cl_bool, const size_t *, const size_t *, size_t, size_t, const void *, cl_uint, const cl_event *, cl_event *);
cl_int clEnqueueCopyImage(cl_command_queue, cl_mem, cl_mem, const size_t *, const size_t *, const size_t *, cl_uint, const cl_event *, cl_event *);
cl_int clEnqueueCopyImageToBuffer(cl_command_queue, cl_mem, cl_mem, const size_t *, const size_t *, size_t, cl_uint, const cl_event *, cl_event *);
cl_int clEnqueueCopyBufferToImage(cl_command_queue, cl_mem, cl_mem, size_t, const size_t *, const size_t *, cl_uint, const cl_event *, cl_event *);
void *clEnqueueMapBuffer(cl_command_queue, cl_mem, cl_bool, cl_map_flags, size_t, size_t, cl_uint, const cl_event *, cl_event *, cl_int *);
void *clEnqueueMapImage(cl_command_queue, cl_mem, cl_bool, cl_map_flags, const size_t *, const size_t *, size_t *, size_t *, cl_uint, const cl_event *, cl_event *, cl_int *);
cl_int clEnqueueUnmapMemObject(cl_command_queue, cl_mem, void *, cl_uint, const cl_event *, cl_event *);
cl_int clEnqueueNDRangeKernel(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, cl_uint, const cl_event *, cl_event *);
cl_int clEnqueueNativeKernel(cl_command_queue, void (*)(void *), void *, size_t, cl_uint, const cl_mem *, const void **, cl_uint, const cl_event *, cl_event *);

/* Functions that later versions deprecate */
cl_int clSetCommandQueueProperty(cl_command_queue, cl_command_queue_properties, cl_bool, cl_command_queue_properties *);
cl_mem clCreateImage2D(cl_context, cl_mem_flags, const cl_image_format *, size_t, size_t, size_t, void *, cl_int *);
cl_mem clCreateImage3D(cl_context, cl_mem_flags, const cl_image_format *, size_t, size_t, size_t, size_t, size_t, void *, cl_int *);
cl_int clEnqueueMarker(cl_command_queue, cl_event *);
cl_int clEnqueueWaitForEvents(cl_command_queue, cl_uint, const cl_event *);
cl_int clEnqueueBarrier(cl_command_queue);
cl_int clUnloadCompiler(void);
void *clGetExtensionFunctionAddress(const char *);
cl_command_queue clCreateCommandQueue(cl_context, cl_device_id, cl_command_queue_properties, cl_int *);
cl_sampler clCreateSampler(cl_context, cl_bool, cl_addressing_mode, cl_filter_mode, cl_int *);
cl_int clEnqueueTask(cl_command_queue, cl_kernel, cl_uint, const cl_event *, cl_event *);

#ifdef CL_VERSION_1_1

/* Sub-buffers */
typedef cl_uint cl_buffer_create_type;
typedef struct _cl_buffer_region {
    size_t origin;
    size_t size;
} cl_buffer_region;

/* Functions */
cl_mem clCreateSubBuffer(cl_mem, cl_mem_flags, cl_buffer_create_type, const void *, cl_int *);
cl_int clSetMemObjectDestructorCallback(cl_mem, void (*)(cl_mem, void *), void *);
cl_event clCreateUserEvent(cl_context, cl_int *);
cl_int clSetUserEventStatus(cl_event, cl_int);
cl_int clSetEventCallback(cl_event, cl_int, void (*)(cl_event, cl_int, void *), void *);
cl_int clEnqueueReadBufferRect(cl_command_queue, cl_mem, cl_bool, const size_t *, const size_t *, const size_t *, size_t, size_t, size_t, size_t, void *, cl_uint, const cl_event *, cl_event *);
cl_int clEnqueueWriteBufferRect(cl_command_queue, cl_mem, cl_bool, const size_t *, const size_t *, const size_t *, size_t, size_t, size_t, size_t, const void *, cl_uint, const cl_event *, cl_event *);
cl_int clEnqueueCopyBufferRect(cl_command_queue, cl_mem, cl_mem, const size_t *, const size_t *, const size_t *, size_t, size_t, size_t, size_t, cl_uint, const cl_event *, cl_event *);

#endif

#ifdef CL_VERSION_1_2

/* Numbers */
typedef intptr_t cl_device_partition_property;
typedef cl_bitfield cl_device_affinity_domain, cl_mem_migration_flags, cl_kernel_arg_type_qualifier;
typedef cl_uint cl_program_binary_type, cl_kernel_arg_info, cl_kernel_arg_address_qualifier, cl_kernel_arg_access_qualifier;

/* Structures */
typedef struct _cl_image_desc {
    cl_mem_object_type image_type;
    size_t image_width, image_height, image_depth, image_array_size, image_row_pitch, image_slice_pitch;
    cl_uint num_mip_levels, num_samples;
#ifdef CL_VERSION_2_0
    union { cl_mem buffer, mem_object; };
#else
    cl_mem buffer;
#endif
} cl_image_desc;

/* Platforms and devices */
cl_int clCreateSubDevices(cl_device_id, const cl_device_partition_property *, cl_uint, cl_device_id *, cl_uint *);
cl_int clRetainDevice(cl_device_id);
cl_int clReleaseDevice(cl_device_id);
cl_int clUnloadPlatformCompiler(cl_platform_id);
void *clGetExtensionFunctionAddressForPlatform(cl_platform_id, const char *);

/* Memory objects */
cl_mem clCreateImage(cl_context, cl_mem_flags, const cl_image_format *, const cl_image_desc *, void *, cl_int *);

/* Programs */
cl_program clCreateProgramWithBuiltInKernels(cl_context, cl_uint, const cl_device_id *, const char *, cl_int *);
cl_int clCompileProgram(cl_program, cl_uint, const cl_device_id *, const char *, cl_uint, const cl_program *, const char **, void (*)(cl_program, void *), void *);
cl_program clLinkProgram(cl_context, cl_uint, const cl_device_id *, const char *, cl_uint, const cl_program *, void (*)(cl_program, void *), void *, cl_int *);

/* Kernels */
cl_int clGetKernelArgInfo(cl_kernel, cl_uint, cl_kernel_arg_info, size_t, void *, size_t *);

/* Commands */
cl_int clEnqueueFillBuffer(cl_command_queue, cl_mem, const void *, size_t, size_t, size_t, cl_uint, const cl_event *, cl_event *);
cl_int clEnqueueFillImage(cl_command_queue, cl_mem, const void *, const size_t *, const size_t *, cl_uint, const cl_event *, cl_event *);
cl_int clEnqueueMigrateMemObjects(cl_command_queue, cl_uint, const cl_mem *, cl_mem_migration_flags, cl_uint, const cl_event *, cl_event *);
cl_int clEnqueueMarkerWithWaitList(cl_command_queue, cl_uint, const cl_event *, cl_event *);
cl_int clEnqueueBarrierWithWaitList(cl_command_queue, cl_uint, const cl_event *, cl_event *);

#endif

#ifdef CL_VERSION_2_0

/* Numbers */
typedef cl_bitfield cl_device_svm_capabilities, cl_svm_mem_flags;
typedef cl_properties cl_queue_properties, cl_sampler_properties;
typedef intptr_t cl_pipe_properties;
typedef cl_uint cl_pipe_info, cl_kernel_exec_info;

/* Functions */
cl_command_queue clCreateCommandQueueWithProperties(cl_context, cl_device_id, const cl_queue_properties *, cl_int *);
cl_mem clCreatePipe(cl_context, cl_mem_flags, cl_uint, cl_uint, const cl_pipe_properties *, cl_int *);
cl_int clGetPipeInfo(cl_mem, cl_pipe_info, size_t, void *, size_t *);
void *clSVMAlloc(cl_context, cl_svm_mem_flags, size_t, cl_uint);
void clSVMFree(cl_context, void *);
cl_sampler clCreateSamplerWithProperties(cl_context, const cl_sampler_properties *, cl_int *);
cl_int clSetKernelArgSVMPointer(cl_kernel, cl_uint, const void *);
cl_int clSetKernelExecInfo(cl_kernel, cl_kernel_exec_info, size_t, const void *);
cl_int clEnqueueSVMFree(cl_command_queue, cl_uint, void *[], void (*)(cl_command_queue, cl_uint, void *[], void *), void *, cl_uint, const cl_event *, cl_event *);
cl_int clEnqueueSVMMemcpy(cl_command_queue, cl_bool, void *, const void *, size_t, cl_uint, const cl_event *, cl_event *);
cl_int clEnqueueSVMMemFill(cl_command_queue, void *, const void *, size_t, size_t, cl_uint, const cl_event *, cl_event *);
cl_int clEnqueueSVMMap(cl_command_queue, cl_bool, cl_map_flags, void *, size_t, cl_uint, const cl_event *, cl_event *);
cl_int clEnqueueSVMUnmap(cl_command_queue, void *, cl_uint, const cl_event *, cl_event *);

#endif

#ifdef CL_VERSION_2_1

/* Numbers */
typedef cl_uint cl_kernel_sub_group_info;

/* Functions */
cl_int clSetDefaultDeviceCommandQueue(cl_context, cl_device_id, cl_command_queue);
cl_int clGetDeviceAndHostTimer(cl_device_id, cl_ulong *, cl_ulong *);
cl_int clGetHostTimer(cl_device_id, cl_ulong *);
cl_program clCreateProgramWithIL(cl_context, const void *, size_t, cl_int *);
cl_kernel clCloneKernel(cl_kernel, cl_int *);
cl_int clGetKernelSubGroupInfo(cl_kernel, cl_device_id, cl_kernel_sub_group_info, size_t, const void *, size_t, void *, size_t *);
cl_int clEnqueueSVMMigrateMem(cl_command_queue, cl_uint, const void **, const size_t *, cl_mem_migration_flags, cl_uint, const cl_event *, cl_event *);

#endif

#ifdef CL_VERSION_2_2

/* Functions */
cl_int clSetProgramReleaseCallback(cl_program, void (*)(cl_program, void *), void *);
cl_int clSetProgramSpecializationConstant(cl_program, cl_uint, size_t, const void *);

#endif

#ifdef CL_VERSION_3_0

/* Numbers */
typedef cl_bitfield cl_device_atomic_capabilities, cl_device_device_enqueue_capabilities;
typedef cl_properties cl_mem_properties;
typedef cl_uint cl_khronos_vendor_id, cl_version;

/* Structures */
typedef struct _cl_name_version {
    cl_version version;
    char name[CL_NAME_VERSION_MAX_NAME_SIZE];
} cl_name_version;

/* Functions */
cl_int clSetContextDestructorCallback(cl_context, void (*)(cl_context, void *), void *);
cl_mem clCreateBufferWithProperties(cl_context, const cl_mem_properties *, cl_mem_flags, size_t, void *, cl_int *);
cl_mem clCreateImageWithProperties(cl_context, const cl_mem_properties *, cl_mem_flags, const cl_image_format *, const cl_image_desc *, void *, cl_int *);

#endif

#endif
