/* What an old <CL/cl.h> lacks. */
enum {
    kfusion_mem_associated = 0x1107,
    kfusion_mem_offset = 0x1108,
    kfusion_mem_properties = 0x110A,
    kfusion_image_buffer = 0x1117,
    kfusion_context_platform = 0x1084,
    kfusion_context_interop_sync = 0x1085,
    kfusion_mem_pipe = 0x10F7,
    kfusion_queue_not_on_host = 1 << 2,
    kfusion_map_write_anew = 1 << 2
};

KFUSION_HERE int kfusion_is_memory_failure(cl_int status)
{
    return status == CL_OUT_OF_RESOURCES || status == CL_OUT_OF_HOST_MEMORY ||
           status == CL_MEM_OBJECT_ALLOCATION_FAILURE;
}
