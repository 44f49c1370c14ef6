/* Memory objects, samplers, shared virtual memory: all of it is the host's memory. */
#include "standin.h"

void mem_gone(cl_mem mem)
{
    while (mem->notices != NULL) {
        notice *first = mem->notices;
        mem->notices = first->next;
        first->notify(mem, first->data);
        free(first);
    }
    if (mem->owns_bytes)
        free(mem->bytes);
    drop(mem->parent);
    drop(mem->context);
}

void sampler_gone(cl_sampler sampler)
{
    drop(sampler->context);
}

static cl_mem new_mem(cl_context context, cl_mem_object_type type, cl_mem_flags flags, size_t size,
                      void *host_ptr)
{
    cl_mem mem = new_object(MEM, sizeof *mem);
    hold(context);
    mem->context = context;
    mem->type = type;
    mem->flags = (flags & (CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY)) ? flags
                                                                  : flags | CL_MEM_READ_WRITE;
    mem->size = size;
    if (flags & CL_MEM_USE_HOST_PTR) {
        mem->bytes = mem->host_ptr = host_ptr;
        return mem;
    }
    mem->bytes = malloc(size);
    mem->owns_bytes = true;
    memset(mem->bytes, 0xA5, size); /* the same in each run, and unlikely to be right */
    if (flags & CL_MEM_COPY_HOST_PTR)
        memcpy(mem->bytes, host_ptr, size);
    return mem;
}

static void check_flags(call *here, cl_mem_flags flags, const void *host_ptr)
{
    bool wants = (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0;
    if (wants != (host_ptr != NULL))
        refuse(here, CL_INVALID_HOST_PTR);
    if ((flags & CL_MEM_USE_HOST_PTR) && (flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR)))
        refuse(here, CL_INVALID_VALUE);
}

static cl_mem create_buffer(call *here, cl_context context, cl_mem_flags flags, size_t size,
                            void *host_ptr)
{
    check_flags(here, flags, host_ptr);
    if (size == 0)
        refuse(here, CL_INVALID_BUFFER_SIZE);
    return expect(here, context, CONTEXT)
               ? new_mem(context, CL_MEM_OBJECT_BUFFER, flags, size, host_ptr)
               : NULL;
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host_ptr,
                      cl_int *errcode_ret)
{
    call here = CALL("%s %#lx %zu", name_of(context), flags, size);
    cl_mem mem = create_buffer(&here, context, flags, size, host_ptr);
    return end_with(&here, mem, errcode_ret);
}

cl_mem clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties,
                                    cl_mem_flags flags, size_t size, void *host_ptr,
                                    cl_int *errcode_ret)
{
    call here = CALL("%s %#lx %zu", name_of(context), flags, size);
    if (properties != NULL && properties[0] != 0)
        refuse(&here, CL_INVALID_PROPERTY);
    cl_mem mem = create_buffer(&here, context, flags, size, host_ptr);
    return end_with(&here, mem, errcode_ret);
}

cl_mem clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type,
                         const void *info, cl_int *errcode_ret)
{
    const cl_buffer_region *region = info;
    call here = CALL("%s %#lx", name_of(buffer), flags);
    cl_mem mem = NULL;
    if (type != CL_BUFFER_CREATE_TYPE_REGION || region == NULL)
        refuse(&here, CL_INVALID_VALUE);
    else
        say(&here, " %zu+%zu", region->origin, region->size);
    if (expect(&here, buffer, MEM) && (buffer->parent != NULL || buffer->element != 0))
        refuse(&here, CL_INVALID_MEM_OBJECT);
    if (ok(&here) && region->origin + region->size > buffer->size)
        refuse(&here, CL_INVALID_VALUE);
    if (ok(&here)) {
        mem = new_object(MEM, sizeof *mem);
        hold(mem->context = buffer->context);
        hold(mem->parent = buffer);
        mem->type = CL_MEM_OBJECT_BUFFER;
        mem->flags = flags | (buffer->flags & (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR));
        mem->origin = region->origin;
        mem->size = region->size;
        mem->bytes = buffer->bytes + region->origin;
        mem->host_ptr = buffer->host_ptr != NULL ? (char *)buffer->host_ptr + region->origin : NULL;
    }
    return end_with(&here, mem, errcode_ret);
}

cl_mem clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint packet_size,
                    cl_uint max_packets, const cl_pipe_properties *properties, cl_int *errcode_ret)
{
    call here = CALL("%s %#lx %u %u", name_of(context), flags, packet_size, max_packets);
    cl_mem mem = NULL;
    if (packet_size == 0 || max_packets == 0)
        refuse(&here, CL_INVALID_PIPE_SIZE);
    if (properties != NULL)
        refuse(&here, CL_INVALID_VALUE);
    if (expect(&here, context, CONTEXT)) {
        mem = new_mem(context, CL_MEM_OBJECT_PIPE, flags, (size_t)packet_size * max_packets, NULL);
        mem->packet = packet_size;
        mem->packets = max_packets;
    }
    return end_with(&here, mem, errcode_ret);
}

/* ---- Images ----------------------------------------------------------------------------- */

static size_t channels(cl_channel_order order)
{
    switch (order) {
    case CL_R: case CL_A: case CL_INTENSITY: case CL_LUMINANCE: case CL_DEPTH: return 1;
    case CL_RG: case CL_RA: return 2;
    case CL_RGB: return 3;
    default: return 4;
    }
}

static size_t channel_size(cl_channel_type type)
{
    switch (type) {
    case CL_SNORM_INT8: case CL_UNORM_INT8: case CL_SIGNED_INT8: case CL_UNSIGNED_INT8: return 1;
    case CL_FLOAT: case CL_SIGNED_INT32: case CL_UNSIGNED_INT32: return 4;
    default: return 2;
    }
}

static cl_mem create_image(call *here, cl_context context, cl_mem_flags flags,
                           const cl_image_format *format, const cl_image_desc *desc, void *host_ptr)
{
    if (format == NULL)
        refuse(here, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    if (desc == NULL || desc->image_width == 0)
        refuse(here, CL_INVALID_IMAGE_DESCRIPTOR);
    check_flags(here, flags, host_ptr);
    if (!expect(here, context, CONTEXT))
        return NULL;
    size_t element = channels(format->image_channel_order) *
                     channel_size(format->image_channel_data_type);
    size_t height = desc->image_height != 0 ? desc->image_height : 1;
    size_t depth = desc->image_depth != 0        ? desc->image_depth
                   : desc->image_array_size != 0 ? desc->image_array_size
                                                 : 1;
    size_t row = desc->image_row_pitch != 0 ? desc->image_row_pitch : desc->image_width * element;
    size_t slice = desc->image_slice_pitch != 0 ? desc->image_slice_pitch : row * height;
    say(here, " %zux%zux%zu", desc->image_width, height, depth);
    cl_mem parent = desc->mem_object, mem;
    if (parent != NULL) {
        say(here, " over %s", name_of(parent));
        mem = new_object(MEM, sizeof *mem);
        hold(mem->context = context);
        hold(mem->parent = parent);
        mem->flags = flags;
        mem->bytes = parent->bytes;
        mem->size = slice * depth;
    } else {
        mem = new_mem(context, desc->image_type, flags, slice * depth, host_ptr);
    }
    mem->type = desc->image_type;
    mem->format = *format;
    mem->desc = *desc;
    mem->element = element;
    mem->row = row;
    mem->slice = slice;
    return mem;
}

cl_mem clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                     const cl_image_desc *image_desc, void *host_ptr, cl_int *errcode_ret)
{
    call here = CALL("%s %#lx", name_of(context), flags);
    cl_mem mem = create_image(&here, context, flags, image_format, image_desc, host_ptr);
    return end_with(&here, mem, errcode_ret);
}

cl_mem clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
                                   cl_mem_flags flags, const cl_image_format *image_format,
                                   const cl_image_desc *image_desc, void *host_ptr,
                                   cl_int *errcode_ret)
{
    call here = CALL("%s %#lx", name_of(context), flags);
    if (properties != NULL && properties[0] != 0)
        refuse(&here, CL_INVALID_PROPERTY);
    cl_mem mem = create_image(&here, context, flags, image_format, image_desc, host_ptr);
    return end_with(&here, mem, errcode_ret);
}

cl_mem clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                       size_t image_width, size_t image_height, size_t image_row_pitch,
                       void *host_ptr, cl_int *errcode_ret)
{
    call here = CALL("%s %#lx", name_of(context), flags);
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = image_width,
                                .image_height = image_height, .image_row_pitch = image_row_pitch};
    cl_mem mem = create_image(&here, context, flags, image_format, &desc, host_ptr);
    return end_with(&here, mem, errcode_ret);
}

cl_mem clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                       size_t image_width, size_t image_height, size_t image_depth,
                       size_t image_row_pitch, size_t image_slice_pitch, void *host_ptr,
                       cl_int *errcode_ret)
{
    call here = CALL("%s %#lx", name_of(context), flags);
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = image_width,
                                .image_height = image_height, .image_depth = image_depth,
                                .image_row_pitch = image_row_pitch,
                                .image_slice_pitch = image_slice_pitch};
    cl_mem mem = create_image(&here, context, flags, image_format, &desc, host_ptr);
    return end_with(&here, mem, errcode_ret);
}

cl_int clGetSupportedImageFormats(cl_context context, cl_mem_flags flags, cl_mem_object_type type,
                                  cl_uint num_entries, cl_image_format *image_formats,
                                  cl_uint *num_image_formats)
{
    static const cl_image_format formats[] = {
        {CL_RGBA, CL_FLOAT}, {CL_RGBA, CL_UNORM_INT8}, {CL_RGBA, CL_SIGNED_INT32}, {CL_R, CL_FLOAT}};
    enum { COUNT = sizeof formats / sizeof formats[0] };
    call here = CALL("%s %#lx %#x", name_of(context), flags, type);
    if (expect(&here, context, CONTEXT) && image_formats != NULL)
        memcpy(image_formats, formats, sizeof formats[0] * (num_entries < COUNT ? num_entries : COUNT));
    if (ok(&here) && num_image_formats != NULL)
        *num_image_formats = COUNT;
    return end(&here);
}

/* ---- Call-backs, samplers, shared virtual memory ---------------------------------------- */

cl_int clSetMemObjectDestructorCallback(cl_mem memobj, void(CL_CALLBACK *pfn_notify)(cl_mem, void *),
                                        void *user_data)
{
    call here = CALL("%s", name_of(memobj));
    if (pfn_notify == NULL)
        refuse(&here, CL_INVALID_VALUE);
    if (expect(&here, memobj, MEM)) {
        notice *made = malloc(sizeof *made);
        *made = (notice){pfn_notify, user_data, memobj->notices};
        memobj->notices = made;
    }
    return end(&here);
}

static cl_sampler new_sampler(cl_context context, cl_bool normalized, cl_addressing_mode addressing,
                              cl_filter_mode filter)
{
    cl_sampler sampler = new_object(SAMPLER, sizeof *sampler);
    hold(sampler->context = context);
    sampler->normalized = normalized;
    sampler->addressing = addressing;
    sampler->filter = filter;
    return sampler;
}

cl_sampler clCreateSampler(cl_context context, cl_bool normalized_coords,
                           cl_addressing_mode addressing_mode, cl_filter_mode filter_mode,
                           cl_int *errcode_ret)
{
    call here = CALL("%s", name_of(context));
    cl_sampler sampler = expect(&here, context, CONTEXT)
        ? new_sampler(context, normalized_coords, addressing_mode, filter_mode) : NULL;
    return end_with(&here, sampler, errcode_ret);
}

cl_sampler clCreateSamplerWithProperties(cl_context context, const cl_sampler_properties *properties,
                                         cl_int *errcode_ret)
{
    call here = CALL("%s", name_of(context));
    cl_bool normalized = CL_TRUE;
    cl_addressing_mode addressing = CL_ADDRESS_CLAMP;
    cl_filter_mode filter = CL_FILTER_NEAREST;
    for (; properties != NULL && properties[0] != 0; properties += 2) {
        if (properties[0] == CL_SAMPLER_NORMALIZED_COORDS)
            normalized = (cl_bool)properties[1];
        else if (properties[0] == CL_SAMPLER_ADDRESSING_MODE)
            addressing = (cl_addressing_mode)properties[1];
        else if (properties[0] == CL_SAMPLER_FILTER_MODE)
            filter = (cl_filter_mode)properties[1];
        else
            refuse(&here, CL_INVALID_VALUE);
    }
    cl_sampler sampler = expect(&here, context, CONTEXT)
        ? new_sampler(context, normalized, addressing, filter) : NULL;
    return end_with(&here, sampler, errcode_ret);
}

void *clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
    call here = CALL("%s %#lx %zu %u", name_of(context), flags, size, alignment);
    void *memory = expect(&here, context, CONTEXT) ? calloc(1, size) : NULL;
    return end_with(&here, memory, NULL);
}

void clSVMFree(cl_context context, void *svm_pointer)
{
    call here = CALL("%s", name_of(context));
    if (expect(&here, context, CONTEXT))
        free(svm_pointer);
    end(&here);
}
