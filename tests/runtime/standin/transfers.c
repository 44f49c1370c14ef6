/* Commands that move data. Each is done at once, in its place. */
#include "standin.h"

/* Rows of bytes in a larger memory. */
typedef struct box {
    unsigned char *bytes;
    size_t row, slice;
} box;

static box box_at(const void *bytes, const size_t *origin, size_t element, size_t row, size_t slice)
{
    size_t first = origin[2] * slice + origin[1] * row + origin[0] * element;
    return (box){(unsigned char *)bytes + first, row, slice};
}

static void copy_box(box to, box from, size_t width, size_t height, size_t depth)
{
    for (size_t z = 0; z < depth; z++)
        for (size_t y = 0; y < height; y++)
            memmove(to.bytes + z * to.slice + y * to.row,
                    from.bytes + z * from.slice + y * from.row, width);
}

static void check_span(call *here, cl_mem mem, size_t offset, size_t size)
{
    if (expect(here, mem, MEM) && (offset > mem->size || size > mem->size - offset))
        refuse(here, CL_INVALID_VALUE);
}

static size_t or_else(size_t value, size_t otherwise)
{
    return value != 0 ? value : otherwise;
}

/* The box of a buffer or of host memory that the Rect commands name. */
static box rect(const void *bytes, const size_t *origin, const size_t *region, size_t row,
                size_t slice)
{
    row = or_else(row, region[0]);
    return box_at(bytes, origin, 1, row, or_else(slice, row * region[1]));
}

static void check_rect(call *here, cl_mem mem, const size_t *origin, const size_t *region,
                       size_t row, size_t slice)
{
    static const size_t zero[3];
    if (!expect(here, mem, MEM))
        return;
    box box = rect(zero, origin, region, row, slice);
    size_t end_at = (size_t)(box.bytes - (unsigned char *)zero) + (region[2] - 1) * box.slice +
                    (region[1] - 1) * box.row + region[0];
    if (end_at > mem->size)
        refuse(here, CL_INVALID_VALUE);
}

static box image_box(cl_mem image, const size_t *origin)
{
    bool is_line = image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    const size_t at[3] = {origin[0], is_line ? 0 : origin[1], is_line ? origin[1] : origin[2]};
    return box_at(image->bytes, at, image->element, image->row, image->slice);
}

static void check_image(call *here, cl_mem image, const size_t *origin, const size_t *region)
{
    if (!expect(here, image, MEM))
        return;
    if (image->element == 0)
        refuse(here, CL_INVALID_MEM_OBJECT);
    else if (origin[0] + region[0] > image->desc.image_width)
        refuse(here, CL_INVALID_VALUE);
}

#define WAITS cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event
#define READY ready(&here, command_queue, num_events_in_wait_list, event_wait_list)

/* ---- Buffers ---------------------------------------------------------------------------- */

cl_int clEnqueueReadBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking,
                           size_t offset, size_t size, void *ptr, WAITS)
{
    call here = CALL("%s %s %zu+%zu%s", name_of(command_queue), name_of(buffer), offset, size,
                     blocking ? " blocking" : "");
    check_span(&here, buffer, offset, size);
    if (READY)
        memcpy(ptr, buffer->bytes + offset, size);
    return done(&here, command_queue, CL_COMMAND_READ_BUFFER, event);
}

cl_int clEnqueueWriteBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking,
                            size_t offset, size_t size, const void *ptr, WAITS)
{
    call here = CALL("%s %s %zu+%zu%s", name_of(command_queue), name_of(buffer), offset, size,
                     blocking ? " blocking" : "");
    check_span(&here, buffer, offset, size);
    if (READY)
        memmove(buffer->bytes + offset, ptr, size);
    return done(&here, command_queue, CL_COMMAND_WRITE_BUFFER, event);
}

cl_int clEnqueueReadBufferRect(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking,
                               const size_t *buffer_origin, const size_t *host_origin,
                               const size_t *region, size_t buffer_row_pitch,
                               size_t buffer_slice_pitch, size_t host_row_pitch,
                               size_t host_slice_pitch, void *ptr, WAITS)
{
    call here = CALL("%s %s%s", name_of(command_queue), name_of(buffer), blocking ? " blocking" : "");
    check_rect(&here, buffer, buffer_origin, region, buffer_row_pitch, buffer_slice_pitch);
    if (READY)
        copy_box(rect(ptr, host_origin, region, host_row_pitch, host_slice_pitch),
                 rect(buffer->bytes, buffer_origin, region, buffer_row_pitch, buffer_slice_pitch),
                 region[0], region[1], region[2]);
    return done(&here, command_queue, CL_COMMAND_READ_BUFFER_RECT, event);
}

cl_int clEnqueueWriteBufferRect(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking,
                                const size_t *buffer_origin, const size_t *host_origin,
                                const size_t *region, size_t buffer_row_pitch,
                                size_t buffer_slice_pitch, size_t host_row_pitch,
                                size_t host_slice_pitch, const void *ptr, WAITS)
{
    call here = CALL("%s %s%s", name_of(command_queue), name_of(buffer), blocking ? " blocking" : "");
    check_rect(&here, buffer, buffer_origin, region, buffer_row_pitch, buffer_slice_pitch);
    if (READY)
        copy_box(rect(buffer->bytes, buffer_origin, region, buffer_row_pitch, buffer_slice_pitch),
                 rect(ptr, host_origin, region, host_row_pitch, host_slice_pitch), region[0],
                 region[1], region[2]);
    return done(&here, command_queue, CL_COMMAND_WRITE_BUFFER_RECT, event);
}

cl_int clEnqueueFillBuffer(cl_command_queue command_queue, cl_mem buffer, const void *pattern,
                           size_t pattern_size, size_t offset, size_t size, WAITS)
{
    call here = CALL("%s %s %zu+%zu", name_of(command_queue), name_of(buffer), offset, size);
    check_span(&here, buffer, offset, size);
    if (pattern == NULL || pattern_size == 0 || offset % pattern_size != 0 ||
        size % pattern_size != 0)
        refuse(&here, CL_INVALID_VALUE);
    if (READY)
        for (size_t at = 0; at < size; at += pattern_size)
            memcpy(buffer->bytes + offset + at, pattern, pattern_size);
    return done(&here, command_queue, CL_COMMAND_FILL_BUFFER, event);
}

cl_int clEnqueueCopyBuffer(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer,
                           size_t src_offset, size_t dst_offset, size_t size, WAITS)
{
    call here = CALL("%s %s %s %zu %zu+%zu", name_of(command_queue), name_of(src_buffer),
                     name_of(dst_buffer), src_offset, dst_offset, size);
    check_span(&here, src_buffer, src_offset, size);
    check_span(&here, dst_buffer, dst_offset, size);
    if (READY)
        memmove(dst_buffer->bytes + dst_offset, src_buffer->bytes + src_offset, size);
    return done(&here, command_queue, CL_COMMAND_COPY_BUFFER, event);
}

cl_int clEnqueueCopyBufferRect(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer,
                               const size_t *src_origin, const size_t *dst_origin,
                               const size_t *region, size_t src_row_pitch, size_t src_slice_pitch,
                               size_t dst_row_pitch, size_t dst_slice_pitch, WAITS)
{
    call here = CALL("%s %s %s", name_of(command_queue), name_of(src_buffer), name_of(dst_buffer));
    check_rect(&here, src_buffer, src_origin, region, src_row_pitch, src_slice_pitch);
    check_rect(&here, dst_buffer, dst_origin, region, dst_row_pitch, dst_slice_pitch);
    if (READY)
        copy_box(rect(dst_buffer->bytes, dst_origin, region, dst_row_pitch, dst_slice_pitch),
                 rect(src_buffer->bytes, src_origin, region, src_row_pitch, src_slice_pitch),
                 region[0], region[1], region[2]);
    return done(&here, command_queue, CL_COMMAND_COPY_BUFFER_RECT, event);
}

/* ---- Images ----------------------------------------------------------------------------- */

static box host_box(cl_mem image, const size_t *region, size_t row, size_t slice, const void *ptr)
{
    static const size_t zero[3];
    row = or_else(row, region[0] * image->element);
    return box_at(ptr, zero, 1, row, or_else(slice, row * region[1]));
}

cl_int clEnqueueReadImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking,
                          const size_t *origin, const size_t *region, size_t row_pitch,
                          size_t slice_pitch, void *ptr, WAITS)
{
    call here = CALL("%s %s%s", name_of(command_queue), name_of(image), blocking ? " blocking" : "");
    check_image(&here, image, origin, region);
    if (READY)
        copy_box(host_box(image, region, row_pitch, slice_pitch, ptr), image_box(image, origin),
                 region[0] * image->element, region[1], region[2]);
    return done(&here, command_queue, CL_COMMAND_READ_IMAGE, event);
}

cl_int clEnqueueWriteImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking,
                           const size_t *origin, const size_t *region, size_t input_row_pitch,
                           size_t input_slice_pitch, const void *ptr, WAITS)
{
    call here = CALL("%s %s%s", name_of(command_queue), name_of(image), blocking ? " blocking" : "");
    check_image(&here, image, origin, region);
    if (READY)
        copy_box(image_box(image, origin),
                 host_box(image, region, input_row_pitch, input_slice_pitch, ptr),
                 region[0] * image->element, region[1], region[2]);
    return done(&here, command_queue, CL_COMMAND_WRITE_IMAGE, event);
}

/* The colour's bytes are taken as they are: enough for formats of four 32-bit channels. */
cl_int clEnqueueFillImage(cl_command_queue command_queue, cl_mem image, const void *fill_color,
                          const size_t *origin, const size_t *region, WAITS)
{
    call here = CALL("%s %s", name_of(command_queue), name_of(image));
    check_image(&here, image, origin, region);
    if (READY) {
        box to = image_box(image, origin);
        for (size_t z = 0; z < region[2]; z++)
            for (size_t y = 0; y < region[1]; y++)
                for (size_t x = 0; x < region[0]; x++)
                    memcpy(to.bytes + z * to.slice + y * to.row + x * image->element, fill_color,
                           image->element);
    }
    return done(&here, command_queue, CL_COMMAND_FILL_IMAGE, event);
}

cl_int clEnqueueCopyImage(cl_command_queue command_queue, cl_mem src_image, cl_mem dst_image,
                          const size_t *src_origin, const size_t *dst_origin, const size_t *region,
                          WAITS)
{
    call here = CALL("%s %s %s", name_of(command_queue), name_of(src_image), name_of(dst_image));
    check_image(&here, src_image, src_origin, region);
    check_image(&here, dst_image, dst_origin, region);
    if (READY)
        copy_box(image_box(dst_image, dst_origin), image_box(src_image, src_origin),
                 region[0] * src_image->element, region[1], region[2]);
    return done(&here, command_queue, CL_COMMAND_COPY_IMAGE, event);
}

cl_int clEnqueueCopyImageToBuffer(cl_command_queue command_queue, cl_mem src_image,
                                  cl_mem dst_buffer, const size_t *src_origin,
                                  const size_t *region, size_t dst_offset, WAITS)
{
    call here = CALL("%s %s %s", name_of(command_queue), name_of(src_image), name_of(dst_buffer));
    check_image(&here, src_image, src_origin, region);
    check_span(&here, dst_buffer, dst_offset, 0);
    if (READY)
        copy_box(host_box(src_image, region, 0, 0, dst_buffer->bytes + dst_offset),
                 image_box(src_image, src_origin), region[0] * src_image->element, region[1],
                 region[2]);
    return done(&here, command_queue, CL_COMMAND_COPY_IMAGE_TO_BUFFER, event);
}

cl_int clEnqueueCopyBufferToImage(cl_command_queue command_queue, cl_mem src_buffer,
                                  cl_mem dst_image, size_t src_offset, const size_t *dst_origin,
                                  const size_t *region, WAITS)
{
    call here = CALL("%s %s %s", name_of(command_queue), name_of(src_buffer), name_of(dst_image));
    check_span(&here, src_buffer, src_offset, 0);
    check_image(&here, dst_image, dst_origin, region);
    if (READY)
        copy_box(image_box(dst_image, dst_origin),
                 host_box(dst_image, region, 0, 0, src_buffer->bytes + src_offset),
                 region[0] * dst_image->element, region[1], region[2]);
    return done(&here, command_queue, CL_COMMAND_COPY_BUFFER_TO_IMAGE, event);
}

/* ---- Maps ------------------------------------------------------------------------------- */

static void *mapped(call *here, cl_command_queue queue, cl_command_type type, cl_event *event,
                    cl_mem mem, unsigned char *at, cl_int *errcode_ret)
{
    cl_int status = done(here, queue, type, event);
    if (errcode_ret != NULL)
        *errcode_ret = status;
    if (status != CL_SUCCESS)
        return NULL;
    mem->maps++;
    return at;
}

void *clEnqueueMapBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_map,
                         cl_map_flags map_flags, size_t offset, size_t size, WAITS,
                         cl_int *errcode_ret)
{
    call here = CALL("%s %s %#lx %zu+%zu%s", name_of(command_queue), name_of(buffer), map_flags,
                     offset, size, blocking_map ? " blocking" : "");
    check_span(&here, buffer, offset, size);
    unsigned char *at = READY ? buffer->bytes + offset : NULL;
    return mapped(&here, command_queue, CL_COMMAND_MAP_BUFFER, event, buffer, at, errcode_ret);
}

void *clEnqueueMapImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_map,
                        cl_map_flags map_flags, const size_t *origin, const size_t *region,
                        size_t *image_row_pitch, size_t *image_slice_pitch, WAITS,
                        cl_int *errcode_ret)
{
    call here = CALL("%s %s %#lx%s", name_of(command_queue), name_of(image), map_flags,
                     blocking_map ? " blocking" : "");
    check_image(&here, image, origin, region);
    if (image_row_pitch == NULL)
        refuse(&here, CL_INVALID_VALUE);
    unsigned char *at = NULL;
    if (READY) {
        at = image_box(image, origin).bytes;
        *image_row_pitch = image->row;
        if (image_slice_pitch != NULL)
            *image_slice_pitch = image->slice;
    }
    return mapped(&here, command_queue, CL_COMMAND_MAP_IMAGE, event, image, at, errcode_ret);
}

cl_int clEnqueueUnmapMemObject(cl_command_queue command_queue, cl_mem memobj, void *mapped_ptr,
                               WAITS)
{
    call here = CALL("%s %s", name_of(command_queue), name_of(memobj));
    if (expect(&here, memobj, MEM) && (memobj->maps == 0 || mapped_ptr == NULL))
        refuse(&here, CL_INVALID_VALUE);
    if (READY)
        memobj->maps--;
    return done(&here, command_queue, CL_COMMAND_UNMAP_MEM_OBJECT, event);
}

cl_int clEnqueueMigrateMemObjects(cl_command_queue command_queue, cl_uint num_mem_objects,
                                  const cl_mem *mem_objects, cl_mem_migration_flags flags, WAITS)
{
    call here = CALL("%s %#lx", name_of(command_queue), flags);
    if (num_mem_objects == 0 || mem_objects == NULL)
        refuse(&here, CL_INVALID_VALUE);
    for (cl_uint i = 0; ok(&here) && i < num_mem_objects; i++)
        say(&here, " %s", name_of(mem_objects[i]));
    READY;
    return done(&here, command_queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, event);
}

/* ---- Shared virtual memory -------------------------------------------------------------- */

cl_int clEnqueueSVMFree(cl_command_queue command_queue, cl_uint num_svm_pointers,
                        void *svm_pointers[],
                        void(CL_CALLBACK *pfn_free_func)(cl_command_queue, cl_uint, void *[],
                                                         void *),
                        void *user_data, WAITS)
{
    call here = CALL("%s %u", name_of(command_queue), num_svm_pointers);
    if (READY) {
        if (pfn_free_func != NULL)
            pfn_free_func(command_queue, num_svm_pointers, svm_pointers, user_data);
        for (cl_uint i = 0; pfn_free_func == NULL && i < num_svm_pointers; i++)
            free(svm_pointers[i]);
    }
    return done(&here, command_queue, CL_COMMAND_SVM_FREE, event);
}

cl_int clEnqueueSVMMemcpy(cl_command_queue command_queue, cl_bool blocking_copy, void *dst_ptr,
                          const void *src_ptr, size_t size, WAITS)
{
    call here = CALL("%s %zu%s", name_of(command_queue), size, blocking_copy ? " blocking" : "");
    if (READY)
        memcpy(dst_ptr, src_ptr, size);
    return done(&here, command_queue, CL_COMMAND_SVM_MEMCPY, event);
}

cl_int clEnqueueSVMMemFill(cl_command_queue command_queue, void *svm_ptr, const void *pattern,
                           size_t pattern_size, size_t size, WAITS)
{
    call here = CALL("%s %zu", name_of(command_queue), size);
    if (pattern_size == 0 || size % pattern_size != 0)
        refuse(&here, CL_INVALID_VALUE);
    if (READY)
        for (size_t at = 0; at < size; at += pattern_size)
            memcpy((unsigned char *)svm_ptr + at, pattern, pattern_size);
    return done(&here, command_queue, CL_COMMAND_SVM_MEMFILL, event);
}

cl_int clEnqueueSVMMap(cl_command_queue command_queue, cl_bool blocking_map, cl_map_flags flags,
                       void *svm_ptr, size_t size, WAITS)
{
    call here = CALL("%s %#lx %zu%s", name_of(command_queue), flags, size,
                     blocking_map ? " blocking" : "");
    if (svm_ptr == NULL)
        refuse(&here, CL_INVALID_VALUE);
    READY;
    return done(&here, command_queue, CL_COMMAND_SVM_MAP, event);
}

cl_int clEnqueueSVMUnmap(cl_command_queue command_queue, void *svm_ptr, WAITS)
{
    call here = CALL("%s", name_of(command_queue));
    if (svm_ptr == NULL)
        refuse(&here, CL_INVALID_VALUE);
    READY;
    return done(&here, command_queue, CL_COMMAND_SVM_UNMAP, event);
}

cl_int clEnqueueSVMMigrateMem(cl_command_queue command_queue, cl_uint num_svm_pointers,
                              const void **svm_pointers, const size_t *sizes,
                              cl_mem_migration_flags flags, WAITS)
{
    call here = CALL("%s %u %#lx%s", name_of(command_queue), num_svm_pointers, flags,
                     sizes != NULL ? " sizes" : "");
    if (num_svm_pointers == 0 || svm_pointers == NULL)
        refuse(&here, CL_INVALID_VALUE);
    READY;
    return done(&here, command_queue, CL_COMMAND_SVM_MIGRATE_MEM, event);
}
