#ifndef __CL_EXT_H
#define __CL_EXT_H

#include <CL/cl.h>

/* cl_khr_fp64, cl_khr_fp16 */
#ifndef CL_DEVICE_DOUBLE_FP_CONFIG
#define CL_DEVICE_DOUBLE_FP_CONFIG 0x1032
#endif
#define CL_DEVICE_HALF_FP_CONFIG 0x1033

/* cl_khr_icd */
#define cl_khr_icd 1
#define CL_PLATFORM_ICD_SUFFIX_KHR 0x920
#define CL_PLATFORM_NOT_FOUND_KHR (-1001)
cl_int clIcdGetPlatformIDsKHR(cl_uint, cl_platform_id *, cl_uint *);
typedef cl_int (*clIcdGetPlatformIDsKHR_fn)(cl_uint, cl_platform_id *, cl_uint *);

/* cl_khr_il_program */
#define cl_khr_il_program 1
#define CL_DEVICE_IL_VERSION_KHR 0x105B
#define CL_PROGRAM_IL_KHR 0x1169
cl_program clCreateProgramWithILKHR(cl_context, const void *, size_t, cl_int *);
typedef cl_program (*clCreateProgramWithILKHR_fn)(cl_context, const void *, size_t, cl_int *);

/* cl_khr_image2d_from_buffer */
#define CL_DEVICE_IMAGE_PITCH_ALIGNMENT_KHR 0x104A
#define CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT_KHR 0x104B

/* cl_khr_initialize_memory, cl_khr_terminate_context */
#define cl_khr_terminate_context 1
#define CL_CONTEXT_MEMORY_INITIALIZE_KHR 0x2030
#define CL_DEVICE_TERMINATE_CAPABILITY_KHR 0x2031
#define CL_CONTEXT_TERMINATE_KHR 0x2032
#define CL_CONTEXT_TERMINATED_KHR (-1121)
cl_int clTerminateContextKHR(cl_context);
typedef cl_int (*clTerminateContextKHR_fn)(cl_context);

/* cl_khr_create_command_queue */
#define cl_khr_create_command_queue 1
typedef cl_properties cl_queue_properties_khr;
cl_command_queue clCreateCommandQueueWithPropertiesKHR(cl_context, cl_device_id, const cl_queue_properties_khr *, cl_int *);
typedef cl_command_queue (*clCreateCommandQueueWithPropertiesKHR_fn)(cl_context, cl_device_id, const cl_queue_properties_khr *, cl_int *);

/* cl_khr_priority_hints, cl_khr_throttle_hints */
#define cl_khr_priority_hints 1
#define cl_khr_throttle_hints 1
typedef cl_uint cl_queue_priority_khr, cl_queue_throttle_khr;
#define CL_QUEUE_PRIORITY_KHR 0x1096
#define CL_QUEUE_PRIORITY_HIGH_KHR (1 << 0)
#define CL_QUEUE_PRIORITY_MED_KHR (1 << 1)
#define CL_QUEUE_PRIORITY_LOW_KHR (1 << 2)
#define CL_QUEUE_THROTTLE_KHR 0x1097
#define CL_QUEUE_THROTTLE_HIGH_KHR (1 << 0)
#define CL_QUEUE_THROTTLE_MED_KHR (1 << 1)
#define CL_QUEUE_THROTTLE_LOW_KHR (1 << 2)

/* cl_khr_spir */
#define CL_DEVICE_SPIR_VERSIONS 0x40E0
#define CL_PROGRAM_BINARY_TYPE_INTERMEDIATE 0x40E1

/* cl_khr_subgroups */
#define cl_khr_subgroups 1
#define CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE_KHR 0x2033
#define CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE_KHR 0x2034
cl_int clGetKernelSubGroupInfoKHR(cl_kernel, cl_device_id, cl_uint, size_t, const void *, size_t, void *, size_t *);
typedef cl_int (*clGetKernelSubGroupInfoKHR_fn)(cl_kernel, cl_device_id, cl_uint, size_t, const void *, size_t, void *, size_t *);

/* cl_khr_suggested_local_work_size */
#define cl_khr_suggested_local_work_size 1
cl_int clGetKernelSuggestedLocalWorkSizeKHR(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, size_t *);
typedef cl_int (*clGetKernelSuggestedLocalWorkSizeKHR_fn)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, size_t *);

/* cl_khr_device_uuid, cl_khr_pci_bus_info */
#define cl_khr_device_uuid 1
#define cl_khr_pci_bus_info 1
typedef struct _cl_device_pci_bus_info_khr { cl_uint pci_domain, pci_bus, pci_device, pci_function; } cl_device_pci_bus_info_khr;
#define CL_UUID_SIZE_KHR 16
#define CL_LUID_SIZE_KHR 8
#define CL_DEVICE_UUID_KHR 0x106A
#define CL_DRIVER_UUID_KHR 0x106B
#define CL_DEVICE_LUID_VALID_KHR 0x106C
#define CL_DEVICE_LUID_KHR 0x106D
#define CL_DEVICE_NODE_MASK_KHR 0x106E
#define CL_DEVICE_PCI_BUS_INFO_KHR 0x410F

/* cl_khr_extended_versioning */
#define cl_khr_extended_versioning 1
typedef cl_uint cl_version_khr;
typedef struct _cl_name_version_khr { cl_version_khr version; char name[64]; } cl_name_version_khr;
#define CL_VERSION_MAJOR_BITS_KHR 10
#define CL_VERSION_MINOR_BITS_KHR 10
#define CL_VERSION_PATCH_BITS_KHR 12
#define CL_VERSION_MAJOR_KHR(version) ((version) >> 22)
#define CL_VERSION_MINOR_KHR(version) (((version) >> 12) & 1023)
#define CL_VERSION_PATCH_KHR(version) ((version) & 4095)
#define CL_NAME_VERSION_MAX_NAME_SIZE_KHR 64
#define CL_PLATFORM_NUMERIC_VERSION_KHR 0x906
#define CL_PLATFORM_EXTENSIONS_WITH_VERSION_KHR 0x907
#define CL_DEVICE_NUMERIC_VERSION_KHR 0x105E
#define CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR 0x105F
#define CL_DEVICE_EXTENSIONS_WITH_VERSION_KHR 0x1060
#define CL_DEVICE_ILS_WITH_VERSION_KHR 0x1061
#define CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION_KHR 0x1062

/* Types of cl_khr_semaphore, cl_khr_external_memory, cl_khr_command_buffer and
 * cl_intel_unified_shared_memory, whose functions programs ask for at run time */
typedef struct _cl_semaphore_khr *cl_semaphore_khr;
typedef struct _cl_command_buffer_khr *cl_command_buffer_khr;
typedef struct _cl_mutable_command_khr *cl_mutable_command_khr;
typedef cl_uint
    cl_semaphore_info_khr, cl_semaphore_type_khr, cl_external_semaphore_handle_type_khr,
    cl_external_memory_handle_type_khr, cl_sync_point_khr, cl_command_buffer_info_khr,
    cl_command_buffer_state_khr, cl_mem_info_intel, cl_mem_advice_intel,
    cl_unified_shared_memory_type_intel;
typedef cl_ulong
    cl_semaphore_payload_khr, cl_semaphore_properties_khr, cl_command_buffer_properties_khr,
    cl_command_buffer_flags_khr, cl_ndrange_kernel_command_properties_khr,
    cl_mem_properties_intel, cl_mem_alloc_flags_intel,
    cl_device_unified_shared_memory_capabilities_intel;

/* cl_ext_device_fission */
#define cl_ext_device_fission 1
typedef cl_ulong cl_device_partition_property_ext;
#define CL_DEVICE_PARTITION_EQUALLY_EXT 0x4050
#define CL_DEVICE_PARTITION_BY_COUNTS_EXT 0x4051
#define CL_DEVICE_PARTITION_BY_NAMES_EXT 0x4052
#define CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT 0x4053
#define CL_DEVICE_PARENT_DEVICE_EXT 0x4054
#define CL_DEVICE_PARTITION_TYPES_EXT 0x4055
#define CL_DEVICE_AFFINITY_DOMAINS_EXT 0x4056
#define CL_DEVICE_REFERENCE_COUNT_EXT 0x4057
#define CL_DEVICE_PARTITION_STYLE_EXT 0x4058
#define CL_DEVICE_PARTITION_FAILED_EXT (-1057)
#define CL_INVALID_PARTITION_COUNT_EXT (-1058)
#define CL_INVALID_PARTITION_NAME_EXT (-1059)
#define CL_AFFINITY_DOMAIN_L1_CACHE_EXT 0x1
#define CL_AFFINITY_DOMAIN_L2_CACHE_EXT 0x2
#define CL_AFFINITY_DOMAIN_L3_CACHE_EXT 0x3
#define CL_AFFINITY_DOMAIN_L4_CACHE_EXT 0x4
#define CL_AFFINITY_DOMAIN_NUMA_EXT 0x10
#define CL_AFFINITY_DOMAIN_NEXT_FISSIONABLE_EXT 0x100
#define CL_PROPERTIES_LIST_END_EXT ((cl_device_partition_property_ext)0)
#define CL_PARTITION_BY_COUNTS_LIST_END_EXT ((cl_device_partition_property_ext)0)
#define CL_PARTITION_BY_NAMES_LIST_END_EXT ((cl_device_partition_property_ext)0 - 1)
cl_int clCreateSubDevicesEXT(cl_device_id, const cl_device_partition_property_ext *, cl_uint, cl_device_id *, cl_uint *);
cl_int clRetainDeviceEXT(cl_device_id);
cl_int clReleaseDeviceEXT(cl_device_id);

/* cl_nv_device_attribute_query */
#define CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV 0x4000
#define CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV 0x4001
#define CL_DEVICE_REGISTERS_PER_BLOCK_NV 0x4002
#define CL_DEVICE_WARP_SIZE_NV 0x4003
#define CL_DEVICE_GPU_OVERLAP_NV 0x4004
#define CL_DEVICE_KERNEL_EXEC_TIMEOUT_NV 0x4005
#define CL_DEVICE_INTEGRATED_MEMORY_NV 0x4006

/* cl_amd_device_attribute_query, cl_amd_device_memory_flags, cl_amd_offline_devices */
typedef union { struct { cl_uint type; cl_uint data[5]; } raw; struct { cl_uint type; cl_char unused[17]; cl_char bus, device, function; } pcie; } cl_device_topology_amd;
#define cl_amd_device_memory_flags 1
#define CL_MEM_USE_PERSISTENT_MEM_AMD (1 << 6)
#define CL_DEVICE_MAX_ATOMIC_COUNTERS_EXT 0x4032
#define CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_AMD 0x4030
#define CL_DEVICE_MAX_WORK_GROUP_SIZE_AMD 0x4031
#define CL_DEVICE_PREFERRED_CONSTANT_BUFFER_SIZE_AMD 0x4033
#define CL_DEVICE_PCIE_ID_AMD 0x4034
#define CL_DEVICE_PROFILING_TIMER_OFFSET_AMD 0x4036
#define CL_DEVICE_TOPOLOGY_AMD 0x4037
#define CL_DEVICE_TOPOLOGY_TYPE_PCIE_AMD 1
#define CL_DEVICE_BOARD_NAME_AMD 0x4038
#define CL_DEVICE_GLOBAL_FREE_MEMORY_AMD 0x4039
#define CL_CONTEXT_OFFLINE_DEVICES_AMD 0x403F
#define CL_DEVICE_SIMD_PER_COMPUTE_UNIT_AMD 0x4040
#define CL_DEVICE_SIMD_WIDTH_AMD 0x4041
#define CL_DEVICE_SIMD_INSTRUCTION_WIDTH_AMD 0x4042
#define CL_DEVICE_WAVEFRONT_WIDTH_AMD 0x4043
#define CL_DEVICE_GLOBAL_MEM_CHANNELS_AMD 0x4044
#define CL_DEVICE_GLOBAL_MEM_CHANNEL_BANKS_AMD 0x4045
#define CL_DEVICE_GLOBAL_MEM_CHANNEL_BANK_WIDTH_AMD 0x4046
#define CL_DEVICE_LOCAL_MEM_SIZE_PER_COMPUTE_UNIT_AMD 0x4047
#define CL_DEVICE_LOCAL_MEM_BANKS_AMD 0x4048
#define CL_DEVICE_THREAD_TRACE_SUPPORTED_AMD 0x4049
#define CL_DEVICE_GFXIP_MAJOR_AMD 0x404A
#define CL_DEVICE_GFXIP_MINOR_AMD 0x404B
#define CL_DEVICE_AVAILABLE_ASYNC_QUEUES_AMD 0x404C

/* Intel: required sub-group size, threads of a queue, diagnostics */
#define CL_DEVICE_SUB_GROUP_SIZES_INTEL 0x4108
#define CL_KERNEL_SPILL_MEM_SIZE_INTEL 0x4109
#define CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL 0x410A
#define CL_QUEUE_THREAD_LOCAL_EXEC_ENABLE_INTEL ((cl_bitfield)1 << 31)
#define CL_CONTEXT_SHOW_DIAGNOSTICS_INTEL 0x4106
#define CL_CONTEXT_DIAGNOSTICS_LEVEL_ALL_INTEL 0xFF
#define CL_CONTEXT_DIAGNOSTICS_LEVEL_GOOD_INTEL 1
#define CL_CONTEXT_DIAGNOSTICS_LEVEL_BAD_INTEL (1 << 1)
#define CL_CONTEXT_DIAGNOSTICS_LEVEL_NEUTRAL_INTEL (1 << 2)

/* cl_arm_printf, cl_arm_import_memory */
#define CL_PRINTF_CALLBACK_ARM 0x40B0
#define CL_PRINTF_BUFFERSIZE_ARM 0x40B1
typedef intptr_t cl_import_properties_arm;
#define CL_IMPORT_TYPE_ARM 0x40B2
#define CL_IMPORT_TYPE_HOST_ARM 0x40B3
#define CL_IMPORT_TYPE_DMA_BUF_ARM 0x40B4
#define CL_IMPORT_TYPE_PROTECTED_ARM 0x40B5
cl_mem clImportMemoryARM(cl_context, cl_mem_flags, const cl_import_properties_arm *, void *, size_t, cl_int *);

/* cl_APPLE_SetMemObjectDestructor, cl_APPLE_ContextLoggingFunctions */
cl_int clSetMemObjectDestructorAPPLE(cl_mem, void (*)(cl_mem, void *), void *);
void clLogMessagesToSystemLogAPPLE(const char *, const void *, size_t, void *);
void clLogMessagesToStdoutAPPLE(const char *, const void *, size_t, void *);
void clLogMessagesToStderrAPPLE(const char *, const void *, size_t, void *);

#endif
