/* ==== Calls: those with something of their own to do ====================================== */

/* Outside regions, where nothing is remembered, each function only makes the call. */

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* The status that is still to be returned by a call on the queue. */
KFUSION_HERE cl_int kfusion_take_failure(kfusion_state *s, cl_command_queue queue)
{
    if (KFUSION_LIKELY(s->failed_queue == NULL) || s->failed_queue != queue)
        return CL_SUCCESS;
    return kfusion_let_go_of_failure(s);
}

/* Settles before a call; the status to be returned instead of making it. */
KFUSION_HERE cl_int kfusion_settle_before(cl_command_queue queue, const char *call)
{
    kfusion_state *s = kfusion_now;
    cl_int status;

    if (s == NULL)
        return CL_SUCCESS;
    status = kfusion_settle_all(s, call, kfusion_when_forced);
    return status != CL_SUCCESS || queue == NULL ? status : kfusion_take_failure(s, queue);
}

/* A call has failed for memory: is there a point in making it again? */
KFUSION_HERE int kfusion_makes_room(const char *call)
{
    kfusion_state *s = kfusion_now;

    if (s == NULL || s->region == NULL)
        return 0;
    if (s->launches > 0) {
        const cl_command_queue queue = s->queue.queue;
        const cl_int status = kfusion_settle_all(s, call, kfusion_when_forced);
        if (status != CL_SUCCESS)
            kfusion_remember_failure(s, queue, status);
    }
    kfusion_let_go_of_all_memory(s, 0);
    kfusion_let_go_of_programs(s, NULL);
    return 1;
}

/* ---- Arguments ---- */

/* The state, if arguments that are set now are to be recorded. */
KFUSION_HERE kfusion_state *kfusion_recording_state(void)
{
    kfusion_state *s = kfusion_now;

    if (s == NULL && KFUSION_CLOSED && kfusion_get_mode() != kfusion_mode_off)
        s = kfusion_attach();
    return s != NULL && (KFUSION_CLOSED || s->region != NULL || s->dropped != NULL) ? s : NULL;
}

KFUSION_HERE cl_int CL_API_CALL kfusion_clSetKernelArg(cl_kernel kernel, cl_uint index,
                                                       size_t size, const void *value)
{
    kfusion_state *s = kfusion_recording_state();
    kfusion_record *r = s == NULL ? NULL : kfusion_find_record(s, kernel);
    cl_int status;

    if (r != NULL && !r->unknowable && index < r->values &&
        kfusion_has_value(s, &r->value[index], size, value))
        return CL_SUCCESS;
    status = clSetKernelArg(kernel, index, size, value);
    if (s == NULL)
        return status;
    if (kfusion_is_memory_failure(status) && kfusion_makes_room("clSetKernelArg"))
        status = clSetKernelArg(kernel, index, size, value);
    if (status != CL_SUCCESS) {
        const cl_int settled =
            kfusion_settle_all(s, "clSetKernelArg, which failed", kfusion_when_forced);
        if (settled != CL_SUCCESS)
            status = settled;
    }
    kfusion_record_argument(s, kernel, index, size, value, status);
    return status;
}

/* A kernel with shared virtual memory: its launches are not noted. */
KFUSION_HERE void kfusion_make_unknowable(cl_kernel kernel)
{
    kfusion_state *s = kfusion_recording_state();
    kfusion_record *r = s == NULL ? NULL : kfusion_enter_record(s, kernel);

    if (r != NULL) {
        r->unknowable = 1;
        r->changes++;
    }
}

#ifdef CL_VERSION_2_0
KFUSION_HERE cl_int CL_API_CALL kfusion_clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index,
                                                                 const void *value)
{
    kfusion_make_unknowable(kernel);
    return clSetKernelArgSVMPointer(kernel, index, value);
}

KFUSION_HERE cl_int CL_API_CALL kfusion_clSetKernelExecInfo(cl_kernel kernel,
                                                            cl_kernel_exec_info what, size_t size,
                                                            const void *value)
{
    const cl_int status = kfusion_settle_before(NULL, "clSetKernelExecInfo");

    if (status != CL_SUCCESS)
        return status;
    kfusion_make_unknowable(kernel);
    return clSetKernelExecInfo(kernel, what, size, value);
}
#endif

/* ---- Launches ---- */

/* A launch that is not noted names what the arguments of its kernel are, as far as they are known. */
KFUSION_HERE void kfusion_names_arguments(kfusion_state *s, cl_kernel kernel)
{
    kfusion_record *r = kfusion_find_record(s, kernel);
    cl_uint count = 0, i;

    if (r == NULL || r->unknowable ||
        clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL) != CL_SUCCESS ||
        count > r->values) {
        kfusion_names_all();
        return;
    }
    for (i = 0; i < count; i++) {
        kfusion_value *v = &r->value[i];
        cl_mem mem;
        if (!v->known) {
            kfusion_names_all();
            return;
        }
        if (v->local || v->size != sizeof mem)
            continue;
        memcpy(&mem, kfusion_value_bytes(v), sizeof mem);
        kfusion_names(mem);
    }
}

KFUSION_HERE void kfusion_record_launch(kfusion_state *s, cl_kernel kernel, cl_uint dimensions,
                                        const size_t *offset, const size_t *global,
                                        const size_t *local);

/* Why a launch in a region is made as it was written; NULL if it is noted. */
KFUSION_HERE const char *kfusion_why_not(kfusion_state *s, cl_command_queue queue,
                                         cl_kernel kernel, cl_uint dimensions,
                                         const size_t *offset, const size_t *global,
                                         const size_t *local, cl_uint waits,
                                         const cl_event *wait_list, const cl_event *event,
                                         cl_int *status)
{
    const char *why;

    *status = CL_SUCCESS;
    if ((waits != 0 || wait_list != NULL || event != NULL) && KFUSION_PROTECTS(EVENTS))
        return "a launch with events";
    if (s->launches > 0 && s->queue.queue != queue && KFUSION_PROTECTS(ONE_QUEUE))
        *status = kfusion_settle_all(s, "a launch on another queue", kfusion_when_forced);
    if (*status != CL_SUCCESS)
        return NULL;
    why = kfusion_note(s, queue, kernel, dimensions, offset, global, local);
    if (why == NULL)
        *status = kfusion_matched(s);
    return why;
}

KFUSION_HERE cl_int CL_API_CALL kfusion_clEnqueueNDRangeKernel(
    cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
    const size_t *global, const size_t *local, cl_uint waits, const cl_event *wait_list,
    cl_event *event)
{
    kfusion_state *s = kfusion_now;
    const char *why;
    cl_int status;

    if (KFUSION_LIKELY(s == NULL))
        return clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, waits,
                                      wait_list, event);
    status = kfusion_take_failure(s, queue);
    s = kfusion_now;
    if (status != CL_SUCCESS)
        return status;
    if (s != NULL)
        kfusion_look_at_launch(s, kernel);
    if (s != NULL && s->region != NULL) {
        if (kfusion_get_mode() == kfusion_mode_record) {
            if (waits != 0 || wait_list != NULL || event != NULL)
                kfusion_record_settling(s, "a launch with events");
            kfusion_record_launch(s, kernel, dimensions, offset, global, local);
            if (waits != 0 || wait_list != NULL || event != NULL)
                kfusion_record_settling(s, "a launch with events");
        } else {
            why = kfusion_why_not(s, queue, kernel, dimensions, offset, global, local, waits,
                                  wait_list, event, &status);
            if (why == NULL)
                return status;
            kfusion_tell_written(s->region, why);
            kfusion_names_arguments(s, kernel);
            status = kfusion_settle_all(s, why, kfusion_when_forced);
            if (status != CL_SUCCESS)
                return status;
        }
    }
    return clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, waits,
                                  wait_list, event);
}

KFUSION_HERE cl_int CL_API_CALL kfusion_clEnqueueTask(cl_command_queue queue, cl_kernel kernel,
                                                      cl_uint waits, const cl_event *wait_list,
                                                      cl_event *event)
{
    const cl_int status = kfusion_settle_before(queue, "clEnqueueTask");
    kfusion_state *s = kfusion_now;
    const size_t one = 1;

    if (status != CL_SUCCESS)
        return status;
    if (s != NULL)
        kfusion_look_at_launch(s, kernel);
    if (s != NULL && s->region != NULL) {
        if (kfusion_get_mode() == kfusion_mode_record)
            kfusion_record_launch(s, kernel, 1, NULL, &one, &one);
        kfusion_names_arguments(s, kernel);
    }
    return clEnqueueTask(queue, kernel, waits, wait_list, event);
}

/* ---- Waiting ---- */

/* Launches that were noted before a clFinish, or a blocking write, are finished when made. */
KFUSION_HERE cl_int CL_API_CALL kfusion_clFinish(cl_command_queue queue)
{
    kfusion_state *s = kfusion_now;
    cl_int status;

    if (KFUSION_LIKELY(s == NULL))
        return clFinish(queue);
    status = kfusion_take_failure(s, queue);
    s = kfusion_now;
    if (status == CL_SUCCESS && s != NULL && s->launches > 0 && s->queue.queue != queue &&
        KFUSION_PROTECTS(ONE_QUEUE))
        status = kfusion_settle_all(s, "clFinish of another queue", kfusion_when_forced);
    if (status != CL_SUCCESS)
        return status;
    status = clFinish(queue);
    if (s != NULL && s->region != NULL) {
        if (kfusion_is_memory_failure(status) && kfusion_makes_room("clFinish"))
            status = clFinish(queue);
        s->owed = s->launches;
    }
    return status;
}

/* ---- Writing ---- */

/* May the command be made in front of the noted launches? */
KFUSION_HERE int kfusion_passes(kfusion_state *s, cl_command_queue queue, cl_mem mem,
                                cl_uint waits, const cl_event *wait_list, const cl_event *event)
{
    return s->launches == 0 || !KFUSION_PROTECTS(PASSING) ||
           (queue == s->queue.queue && waits == 0 && wait_list == NULL && event == NULL &&
            (mem == NULL || kfusion_is_apart_from_noted(s, mem)));
}

/* What comes before a command that may pass; the status to be returned instead of making it. */
KFUSION_HERE cl_int kfusion_before_passing(cl_command_queue queue, cl_mem mem, cl_uint waits,
                                           const cl_event *wait_list, const cl_event *event,
                                           const char *call)
{
    kfusion_state *s = kfusion_now;
    cl_int status = kfusion_take_failure(s, queue);

    s = kfusion_now;
    if (status != CL_SUCCESS || s == NULL)
        return status;
    kfusion_names(mem);
    if (kfusion_passes(s, queue, mem, waits, wait_list, event))
        return CL_SUCCESS;
    return kfusion_settle_all(s, call, kfusion_when_forced);
}

/* What comes behind a command that has waited for those before it. */
KFUSION_HERE void kfusion_after_passing(cl_bool blocking)
{
    kfusion_state *s = kfusion_now;

    if (s != NULL && blocking)
        s->owed = s->launches;
}

#define KFUSION_WRITES(name, parameters, arguments, mem, whole, blocking)                      \
    KFUSION_HERE cl_int CL_API_CALL kfusion_##name parameters                                 \
    {                                                                                         \
        cl_int status_;                                                                       \
        if (KFUSION_LIKELY(kfusion_now == NULL))                                              \
            return name arguments;                                                            \
        status_ = kfusion_before_passing(queue, mem, waits, wait_list, event, #name);         \
        if (status_ != CL_SUCCESS)                                                            \
            return status_;                                                                   \
        status_ = name arguments;                                                             \
        if (kfusion_is_memory_failure(status_) && kfusion_makes_room(#name))                  \
            status_ = name arguments;                                                         \
        if (status_ == CL_SUCCESS) {                                                          \
            kfusion_overwrites(mem, whole);                                                   \
            kfusion_after_passing(blocking);                                                  \
        }                                                                                     \
        return status_;                                                                       \
    }

/* ---- Making and releasing objects ---- */

KFUSION_HERE void kfusion_record_release(kfusion_state *s, cl_mem mem);

/* An object was made in the region. */
KFUSION_HERE void kfusion_created(cl_mem mem)
{
    kfusion_state *s = kfusion_now;
    kfusion_memory *m;

    if (s == NULL || s->region == NULL || mem == NULL)
        return;
    m = kfusion_find_memory(s, mem);
    if (m != NULL && m->noted == 0 && !m->held)
        kfusion_forget_memory(s, m); /* another one that had the address */
    m = kfusion_enter_memory(s, mem);
    if (m != NULL)
        m->created = 1;
}

KFUSION_HERE cl_int CL_API_CALL kfusion_clReleaseMemObject(cl_mem mem)
{
    kfusion_state *s = kfusion_now;
    kfusion_memory *m = s == NULL ? NULL : kfusion_find_memory(s, mem);
    cl_int status = CL_SUCCESS, released;
    cl_uint references = 0;

    if (s == NULL)
        return clReleaseMemObject(mem);
    if (kfusion_get_mode() == kfusion_mode_record)
        kfusion_record_release(s, mem);
    if (KFUSION_N(callbacks))
        status = kfusion_settle_before(NULL, "clReleaseMemObject, with a callback");
    if (m != NULL && m->noted == 0) {
        kfusion_let_go_of_hold(s, m);
        if (!m->created || !kfusion_mem_info(mem, CL_MEM_REFERENCE_COUNT, sizeof references,
                                             &references) ||
            references <= 1)
            kfusion_forget_memory(s, m);
        m = NULL;
    }
    released = clReleaseMemObject(mem);
    s->releases++;
    if (m != NULL && released == CL_SUCCESS) {
        m->released = 1;
        if (status == CL_SUCCESS && s->launches > 0)
            status = kfusion_flush(s, kfusion_when_ready, (size_t)-1);
    }
    kfusion_forget_released(s);
    return status != CL_SUCCESS ? status : released;
}

/* Outside regions the program has released something: lets go of programs that only the run time
   holds. A state in the pool may have some. */
KFUSION_HERE void kfusion_look_for_unused(void)
{
    kfusion_state *s = kfusion_now;
    const int attaches = s == NULL;

    if (__atomic_load_n(&KFUSION_N(programs), __ATOMIC_RELAXED) == 0 ||
        (s != NULL && s->depth > 0))
        return;
    s = kfusion_attach();
    if (s == NULL)
        return;
    kfusion_let_go_of_unused_programs(s);
    if (attaches)
        kfusion_detach(s);
}

KFUSION_HERE cl_int CL_API_CALL kfusion_clReleaseKernel(cl_kernel kernel)
{
    kfusion_state *s = kfusion_now;
    const cl_int status = clReleaseKernel(kernel);
    kfusion_record *r = s == NULL || status != CL_SUCCESS ? NULL : kfusion_find_record(s, kernel);

    if (s != NULL)
        s->released = 1;
    if (r != NULL)
        kfusion_drop_if_released(s, r);
    kfusion_look_for_unused();
    return status;
}

/* Objects that may be the last ones to hold a program. */
#define KFUSION_RELEASES(name, type)                                                          \
    KFUSION_HERE cl_int CL_API_CALL kfusion_##name(type object)                               \
    {                                                                                         \
        kfusion_state *s = kfusion_now;                                                       \
        cl_int status = CL_SUCCESS, released;                                                 \
        if (s != NULL)                                                                        \
            s->released = 1;                                                                  \
        if (s != NULL && KFUSION_N(callbacks))                                                \
            status = kfusion_settle_before(NULL, #name);                                      \
        released = name(object);                                                              \
        kfusion_look_for_unused();                                                            \
        return status != CL_SUCCESS ? status : released;                                      \
    }

KFUSION_RELEASES(clReleaseProgram, cl_program)
KFUSION_RELEASES(clReleaseContext, cl_context)

KFUSION_HERE cl_int CL_API_CALL kfusion_clReleaseSampler(cl_sampler sampler)
{
    if (kfusion_now != NULL)
        kfusion_now->releases++;
    return clReleaseSampler(sampler);
}

KFUSION_HERE cl_int CL_API_CALL kfusion_clReleaseCommandQueue(cl_command_queue queue)
{
    kfusion_state *s = kfusion_now;
    const cl_int status = s == NULL ? CL_SUCCESS : kfusion_take_failure(s, queue);
    cl_int released;

    if (s != NULL && s->queue.queue == queue) {
        if (s->depth == 0 && s->launches == 0)
            kfusion_let_go_of_queue(s);
        else
            s->queue.dropped = 1;
    }
    released = clReleaseCommandQueue(queue);
    if (s != NULL)
        s->releases++;
    return status != CL_SUCCESS ? status : released;
}

/* ---- Building ---- */

/* Before a program is built again: a kernel of it that lives makes that an error. */
KFUSION_HERE cl_int kfusion_before_build(cl_program program, const char *call)
{
    kfusion_state *s = kfusion_now;
    const cl_int status = kfusion_settle_before(NULL, call);

    if (s == NULL || !KFUSION_PROTECTS(REBUILDING))
        return status;
    kfusion_let_go_of_programs(s, program);
    kfusion_drop_released_records(s);
    return status;
}
