/* ==== Noting: records of arguments, and launches ========================================== */

/* ---- Records ---- */

KFUSION_HERE kfusion_record *kfusion_find_record(kfusion_state *s, cl_kernel kernel)
{
    kfusion_record *r = s->last_record;

    if (r != NULL && r->kernel == kernel)
        return r;
    r = s->record[kfusion_bucket(kernel)];
    while (r != NULL && r->kernel != kernel)
        r = r->next;
    if (r != NULL)
        s->last_record = r;
    return r;
}

KFUSION_HERE void kfusion_forget_arguments(kfusion_record *r)
{
    cl_uint i;

    for (i = 0; i < r->values; i++)
        r->value[i].known = 0;
    r->changes++;
}

/* A record that holds its kernel; NULL if there is no such kernel, or no memory. */
KFUSION_HERE kfusion_record *kfusion_enter_record(kfusion_state *s, cl_kernel kernel)
{
    kfusion_record *r = kfusion_find_record(s, kernel);

    if (r != NULL)
        return r;
    if (kernel == NULL ||
        (KFUSION_PROTECTS(HOLDING_KERNELS) && clRetainKernel(kernel) != CL_SUCCESS))
        return NULL;
    r = s->free_record;
    if (r != NULL)
        s->free_record = r->next;
    else
        r = (kfusion_record *)calloc(1, sizeof *r);
    if (r == NULL) {
        if (KFUSION_PROTECTS(HOLDING_KERNELS))
            clReleaseKernel(kernel);
        return NULL;
    }
    r->kernel = kernel;
    r->noted = 0;
    r->dropped = r->unknowable = r->asked = r->usable = r->foreign = 0;
    r->device = NULL;
    r->region = NULL;
    r->step = NULL;
    kfusion_forget_arguments(r);
    r->next = s->record[kfusion_bucket(kernel)];
    s->record[kfusion_bucket(kernel)] = r;
    s->record_in |= (uint64_t)1 << kfusion_bucket(kernel);
    s->last_record = r;
    return r;
}

KFUSION_HERE void kfusion_drop_record(kfusion_state *s, kfusion_record *r)
{
    const size_t bucket = kfusion_bucket(r->kernel);
    kfusion_record **place = &s->record[bucket];

    r->dropped = 1;
    if (r->noted != 0)
        return; /* the last launch to be made drops it */
    while (*place != r)
        place = &(*place)->next;
    *place = r->next;
    if (s->record[bucket] == NULL)
        s->record_in &= ~((uint64_t)1 << bucket);
    if (s->last_record == r)
        s->last_record = NULL;
    if (KFUSION_PROTECTS(HOLDING_KERNELS))
        clReleaseKernel(r->kernel);
    r->next = s->free_record;
    s->free_record = r;
}

KFUSION_HERE void kfusion_drop_all_records(kfusion_state *s)
{
    uint64_t in = s->record_in;
    size_t b;

    KFUSION_BUCKETS (b, in) {
        kfusion_record *r = s->record[b], *next;
        for (; r != NULL; r = next) {
            next = r->next;
            kfusion_drop_record(s, r);
        }
    }
}

/* The program has released the kernel: a record alone must not keep it. */
KFUSION_HERE void kfusion_drop_if_released(kfusion_state *s, kfusion_record *r)
{
    cl_uint references = 1;

    if (!KFUSION_PROTECTS(HOLDING_KERNELS))
        return; /* and what is known is taken for that of the next kernel of the address */
    if (clGetKernelInfo(r->kernel, CL_KERNEL_REFERENCE_COUNT, sizeof references, &references,
                        NULL) != CL_SUCCESS ||
        references <= 1)
        kfusion_drop_record(s, r);
}

KFUSION_HERE void kfusion_drop_released_records(kfusion_state *s)
{
    uint64_t in = s->record_in;
    size_t b;

    KFUSION_BUCKETS (b, in) {
        kfusion_record *r = s->record[b], *next;
        for (; r != NULL; r = next) {
            next = r->next;
            kfusion_drop_if_released(s, r);
        }
    }
}

KFUSION_HERE void *kfusion_value_bytes(const kfusion_value *v)
{
    return v->size <= sizeof v->small ? (void *)(uintptr_t)v->small : v->large;
}

/* Has the parameter this very argument? Setting it once more changes nothing. The bytes may be a
   handle: they do not count behind a release, when another object may have the address. Only in
   a closed program every release is seen, and every argument. */
KFUSION_HERE int kfusion_has_value(const kfusion_state *s, const kfusion_value *v, size_t size,
                                   const void *bytes)
{
    if (!KFUSION_CLOSED || !v->known || v->size != size || v->local != (bytes == NULL) ||
        (v->releases != s->releases && KFUSION_PROTECTS(RELEASED_ARGUMENTS)))
        return 0;
    return bytes == NULL || kfusion_equal(kfusion_value_bytes(v), bytes, size);
}

KFUSION_HERE int kfusion_keep_value(const kfusion_state *s, kfusion_value *v, size_t size,
                                    const void *bytes)
{
    v->known = 0;
    v->releases = s->releases;
    if (size > sizeof v->small && size > v->room) {
        void *larger = realloc(v->large, size);
        if (larger == NULL)
            return 0;
        v->large = larger;
        v->room = size;
    }
    v->size = size;
    v->local = bytes == NULL;
    if (bytes != NULL)
        kfusion_copy(kfusion_value_bytes(v), bytes, size);
    v->known = 1;
    return 1;
}

/* An argument has been set, with this status. */
KFUSION_HERE void kfusion_record_argument(kfusion_state *s, cl_kernel kernel, cl_uint index,
                                          size_t size, const void *bytes, cl_int status)
{
    kfusion_record *r = kfusion_enter_record(s, kernel);
    size_t room;

    if (r == NULL)
        return;
    r->changes++;
    if (index >= r->values) {
        room = r->values;
        if (index >= 4096 ||
            !KFUSION_ROOM(kfusion_value, r->value, room, index < 8 ? 8 : (size_t)index + 1)) {
            r->unknowable = 1;
            return;
        }
        r->values = (cl_uint)room;
    }
    if (status != CL_SUCCESS)
        r->value[index].known = 0;
    else if (!kfusion_keep_value(s, &r->value[index], size, bytes))
        r->unknowable = 1;
}

/* ---- Kernels ---- */

KFUSION_HERE int kfusion_ask_kernel(kfusion_record *r)
{
    size_t size = 0;

    return clGetKernelInfo(r->kernel, CL_KERNEL_NUM_ARGS, sizeof r->count, &r->count, NULL) ==
               CL_SUCCESS &&
           clGetKernelInfo(r->kernel, CL_KERNEL_PROGRAM, sizeof r->program, &r->program, NULL) ==
               CL_SUCCESS &&
           clGetKernelInfo(r->kernel, CL_KERNEL_CONTEXT, sizeof r->context, &r->context, NULL) ==
               CL_SUCCESS &&
           clGetKernelInfo(r->kernel, CL_KERNEL_FUNCTION_NAME, 0, NULL, &size) == CL_SUCCESS &&
           size > 0 && KFUSION_ROOM(char, r->name, r->name_room, size) &&
           clGetKernelInfo(r->kernel, CL_KERNEL_FUNCTION_NAME, size, r->name, NULL) == CL_SUCCESS;
}

KFUSION_HERE cl_int kfusion_group_info(cl_kernel kernel, cl_device_id device, size_t *group,
                                       size_t *required, cl_ulong *local)
{
    cl_int status = clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE,
                                             sizeof *group, group, NULL);

    if (status == CL_SUCCESS)
        status = clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                          3 * sizeof *required, required, NULL);
    if (status == CL_SUCCESS)
        status = clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof *local,
                                          local, NULL);
    return status;
}

/* A step of the region's patterns that has the kernel, or NULL. */
KFUSION_HERE const kfusion_step_table *kfusion_find_step(const kfusion_region *region,
                                                         const char *name, cl_uint count)
{
    size_t i, j, k;

    for (i = 0; i < region->patterns; i++)
        for (j = 0; j < region->pattern[i].parts; j++) {
            const kfusion_part *part = &region->pattern[i].part[j];
            for (k = 0; k < part->steps; k++)
                if (part->step[k].count == count && strcmp(part->step[k].kernel, name) == 0)
                    return part->step[k].kinds == NULL ? NULL : &part->step[k];
        }
    return NULL;
}

KFUSION_HERE kfusion_own *kfusion_own_kernel(kfusion_state *s, cl_program program,
                                             const char *name);
KFUSION_HERE int kfusion_has_text(const kfusion_state *s, cl_program program, const char *name);

/* Another program may have a kernel of that name, with other parameters. */
KFUSION_HERE int kfusion_is_of_program(kfusion_state *s, const kfusion_record *r)
{
    const kfusion_own *own;

    if (r->step->text != NULL)
        return kfusion_has_text(s, r->program, r->step->text);
    if (r->step->fused == NULL)
        return 1;
    own = kfusion_own_kernel(s, r->program, r->step->fused);
    return own != NULL && own->kernel != NULL;
}

/* The kernel's record, if launches of it on the queue may be noted in this region. */
KFUSION_HERE kfusion_record *kfusion_look_at_kernel(kfusion_state *s, cl_kernel kernel)
{
    kfusion_record *r = kfusion_find_record(s, kernel);

    if (r == NULL || r->unknowable || r->dropped)
        return NULL;
    if (!r->asked) {
        r->usable = kfusion_ask_kernel(r);
        r->asked = 1;
    }
    if (!r->usable || r->context != s->queue.context)
        return NULL;
    if (r->region != s->region) {
        r->step = kfusion_find_step(s->region, r->name, r->count);
        r->region = s->region;
        r->foreign = r->step != NULL && !kfusion_is_of_program(s, r);
        if (r->foreign)
            r->step = NULL;
    }
    if (r->step == NULL)
        return NULL;
    if (r->device != s->queue.device) {
        if (kfusion_group_info(kernel, s->queue.device, &r->group, r->required, &r->local) !=
            CL_SUCCESS)
            return NULL;
        r->device = s->queue.device;
    }
    return r;
}

/* Why it looks at none. */
KFUSION_HERE const char *kfusion_why_unknown(kfusion_state *s, cl_kernel kernel)
{
    const kfusion_record *r = kfusion_find_record(s, kernel);

    if (r != NULL && r->foreign)
        return "a program without the fused kernels: built from another text, or with options "
               "(-D) that kfusion was not given";
    return "a kernel that is in no pattern";
}

/* ---- Launches ---- */

/* Would OpenCL accept the range? */
KFUSION_HERE int kfusion_is_good_range(const kfusion_queue *q, size_t group,
                                       const size_t *required, cl_uint dimensions,
                                       const size_t *global, const size_t *local)
{
    size_t items = 1;
    cl_uint d;

    if (dimensions < 1 || dimensions > 3 || global == NULL)
        return 0;
    for (d = 0; d < 3; d++) {
        if (d < dimensions && global[d] == 0)
            return 0;
        if (required[0] != 0 && (local == NULL || required[d] != (d < dimensions ? local[d] : 1)))
            return 0;
    }
    for (d = 0; local != NULL && d < dimensions; d++) {
        if (local[d] == 0 || local[d] > q->items[d] || global[d] % local[d] != 0 ||
            local[d] > group / items)
            return 0;
        items *= local[d];
    }
    return 1;
}

/* The range, for KFUSION=trace: 100 x 7 items in groups of 64 x 1. */
KFUSION_HERE const char *kfusion_bad_range(kfusion_state *s, cl_uint dimensions,
                                           const size_t *global, const size_t *local)
{
    const char *lead[] = {"the device may refuse ", " items in groups of "};
    const size_t *sizes[2];
    size_t length = 0;
    cl_uint i, d;

    sizes[0] = global;
    sizes[1] = local;
    for (i = 0; i < 2 && sizes[i] != NULL && dimensions <= 3; i++)
        for (d = 0; d < dimensions; d++)
            length += (size_t)snprintf(s->range + length, sizeof s->range - length, "%s%lu",
                                       d == 0 ? lead[i] : " x ", (unsigned long)sizes[i][d]);
    return length != 0 ? s->range : "a range that no device takes";
}

/* Which argument nobody has set, or one that OpenCL may refuse. */
KFUSION_HERE const char *kfusion_bad_argument(kfusion_state *s, const kfusion_record *r)
{
    cl_uint i;

    for (i = 0; i < r->count; i++)
        if (i >= r->values || !r->value[i].known) {
            snprintf(s->range, sizeof s->range, "argument %u of %s was not set in the region",
                     (unsigned)i, r->name);
            return s->range;
        }
    return "an argument that the device may refuse";
}

/* Nearly 2^31 items, from 0 on, and no more: beyond, ids and what is near them may wrap around in
   32 bits, or products of ids and sizes in 64. */
KFUSION_HERE int kfusion_has_small_ids(cl_uint dimensions, const size_t *offset,
                                       const size_t *global)
{
    size_t most = ((size_t)1 << 31) - (1 << 15);
    cl_uint d;

    for (d = 0; d < dimensions; d++) {
        if (global[d] > most || (offset != NULL && offset[d] > most - global[d]))
            return 0;
        most /= global[d] + (offset != NULL ? offset[d] : 0);
    }
    return 1;
}

KFUSION_HERE int kfusion_has_known_arguments(const kfusion_queue *q, const kfusion_record *r)
{
    cl_ulong local = r->local;
    int has_local = 0;
    cl_uint i;

    if (r->count > r->values)
        return 0;
    for (i = 0; i < r->count; i++) {
        const kfusion_value *v = &r->value[i];
        const char kind = r->step->kinds[i];
        if (!v->known || v->local != (kind == 'l'))
            return 0;
        if ((KFUSION_IS_MEMORY(kind) && v->size != sizeof(cl_mem)) ||
            (kind == 's' && v->size != sizeof(cl_sampler)))
            return 0;
        if (kind == 'l') {
            has_local = 1;
            local += v->size;
        }
    }
    return !has_local || local <= q->local;
}

/* Where the bytes of an argument begin behind so many others: aligned as for any type. */
KFUSION_HERE size_t kfusion_aligned(size_t offset, size_t size)
{
    const size_t alignment = size <= 16 ? 16 : 128;

    return (offset + alignment - 1) & ~(alignment - 1);
}

KFUSION_HERE int kfusion_copy_arguments(kfusion_launch *l, const kfusion_record *r)
{
    size_t offset = 0;
    unsigned char *block;
    cl_uint i;

    for (i = 0; i < r->count; i++)
        if (!r->value[i].local)
            offset = kfusion_aligned(offset, r->value[i].size) + r->value[i].size;
    if (!KFUSION_ROOM(kfusion_argument, l->argument, l->argument_room, r->count) ||
        !KFUSION_ROOM(kfusion_memory *, l->memory, l->memory_room, r->count) ||
        !KFUSION_ROOM(unsigned char, l->block, l->block_room, offset + 127))
        return 0;
    block = l->block + (128 - (uintptr_t)l->block % 128) % 128;
    offset = 0;
    for (i = 0; i < r->count; i++) {
        kfusion_value *v = &r->value[i];
        l->argument[i].size = v->size;
        l->argument[i].value = NULL;
        l->memory[i] = NULL;
        if (v->local)
            continue;
        offset = kfusion_aligned(offset, v->size);
        kfusion_copy(block + offset, kfusion_value_bytes(v), v->size);
        l->argument[i].value = block + offset;
        offset += v->size;
    }
    return 1;
}

KFUSION_HERE cl_mem kfusion_mem(const kfusion_noted *launch, cl_uint argument)
{
    cl_mem mem;

    memcpy(&mem, launch->arguments[argument].value, sizeof mem);
    return mem;
}

KFUSION_HERE cl_sampler kfusion_sampler(const kfusion_noted *launch, cl_uint argument)
{
    cl_sampler sampler;

    memcpy(&sampler, launch->arguments[argument].value, sizeof sampler);
    return sampler;
}

/* Lets go of what the first so many arguments name. */
KFUSION_HERE void kfusion_let_go_of_arguments(kfusion_state *s, kfusion_launch *l, cl_uint count)
{
    cl_uint i;

    for (i = 0; i < count; i++) {
        if (l->memory[i] != NULL)
            kfusion_let_go_of_memory(s, l->memory[i]);
        if (l->step->kinds[i] == 's') {
            clReleaseSampler(kfusion_sampler(&l->noted, i));
            s->releases++;
        }
    }
}

KFUSION_HERE int kfusion_hold_arguments(kfusion_state *s, kfusion_launch *l)
{
    cl_uint i;

    for (i = 0; i < l->noted.count; i++) {
        const char kind = l->step->kinds[i];
        if (KFUSION_IS_MEMORY(kind))
            l->memory[i] = kfusion_hold_memory(s, kfusion_mem(&l->noted, i));
        if ((KFUSION_IS_MEMORY(kind) && l->memory[i] == NULL) ||
            (kind == 's' && clRetainSampler(kfusion_sampler(&l->noted, i)) != CL_SUCCESS)) {
            kfusion_let_go_of_arguments(s, l, i);
            return 0;
        }
    }
    return 1;
}

/* Lets go of all that a launch holds, which is made. */
KFUSION_HERE void kfusion_let_go_of_launch(kfusion_state *s, kfusion_launch *l)
{
    kfusion_let_go_of_arguments(s, l, l->noted.count);
    l->record->noted--;
    if (l->record->dropped)
        kfusion_drop_record(s, l->record);
}

KFUSION_HERE kfusion_launch *kfusion_new_launch(kfusion_state *s)
{
    kfusion_launch **place;

    if (!KFUSION_ROOM(kfusion_launch *, s->launch, s->launch_room, s->launches + 1))
        return NULL;
    place = &s->launch[s->launches];
    if (*place == NULL)
        *place = (kfusion_launch *)calloc(1, sizeof **place);
    return *place;
}

/* Notes a launch; why it must not be noted otherwise. Matching it with patterns is the next step. */
KFUSION_HERE const char *kfusion_note(kfusion_state *s, cl_command_queue queue, cl_kernel kernel,
                                      cl_uint dimensions, const size_t *offset,
                                      const size_t *global, const size_t *local)
{
    kfusion_record *r;
    kfusion_launch *l;
    cl_uint d;

    if (!kfusion_look_at_queue(s, queue))
        return "the queue is out of order, or shares objects with another interface";
    r = kfusion_look_at_kernel(s, kernel);
    if (r == NULL)
        return kfusion_why_unknown(s, kernel);
    if (!kfusion_has_known_arguments(&s->queue, r))
        return kfusion_bad_argument(s, r);
    if (!kfusion_is_good_range(&s->queue, r->group, r->required, dimensions, global, local))
        return kfusion_bad_range(s, dimensions, global, local);
    if (!kfusion_has_small_ids(dimensions, offset, global))
        return "more than 2^31 items";
    l = kfusion_new_launch(s);
    if (l == NULL || !kfusion_copy_arguments(l, r))
        return "no host memory";
    l->record = r;
    l->step = r->step;
    l->changes = r->changes;
    l->noted.kernel = kernel;
    l->noted.program = r->program;
    l->noted.queue = queue;
    l->noted.name = r->name;
    l->noted.count = r->count;
    l->noted.arguments = l->argument;
    l->noted.dimensions = dimensions;
    l->noted.has_local = local != NULL;
    for (d = 0; d < 3; d++) {
        l->noted.offset[d] = offset != NULL && d < dimensions ? offset[d] : 0;
        l->noted.global[d] = d < dimensions ? global[d] : 1;
        l->noted.local[d] = local != NULL && d < dimensions ? local[d] : 1;
    }
    if (!kfusion_hold_arguments(s, l))
        return "memory that the host may see without a call";
    r->noted++;
    s->has_noted = 1;
    s->launches++;
    return NULL;
}
