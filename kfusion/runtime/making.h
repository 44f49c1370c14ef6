/* ==== Making: the launches of a run, fused and single ===================================== */

struct kfusion_run {
    kfusion_state *state;
    const kfusion_segment *segment;
    kfusion_launch **launch;
    size_t launches;
    size_t payers; /* repetitions behind it that write again what it need not store */
    int dry;       /* only the conditions count: nothing is made */
    int refused;   /* a fused launch, or a condition */
    cl_int status; /* of the first launch as it was written that failed */
    cl_program program[kfusion_most_programs]; /* of the next kernel, if they are several */
    size_t programs;
    cl_kernel kernel; /* a launch that waits for what it does; or NULL */
    const kfusion_noted *of;
    cl_uint dimensions;
    size_t global[3];
    const size_t *local;
    char why[200];
};

KFUSION_HERE const kfusion_noted *kfusion_step(const kfusion_run *run, size_t index)
{
    return &run->launch[index]->noted;
}

KFUSION_HERE KFUSION_PRINTF(2, 3) int kfusion_no(kfusion_run *run, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    vsnprintf(run->why, sizeof run->why, format, values);
    va_end(values);
    return 0;
}

KFUSION_HERE int kfusion_goes_on(const kfusion_run *run)
{
    return !run->dry && !run->refused && run->status == CL_SUCCESS;
}

/* ---- Launches as they were written ---- */

/* Sets an argument of a kernel of the run time's own, if it has another one. */
KFUSION_HERE cl_int kfusion_set(kfusion_state *s, kfusion_own *own, cl_uint index, size_t size,
                                const void *value)
{
    kfusion_value *v = index < own->parameters && own->value != NULL ? &own->value[index] : NULL;
    cl_int status;

    if (v != NULL && kfusion_has_value(s, v, size, value))
        return CL_SUCCESS;
    status = clSetKernelArg(own->kernel, index, size, value);
    if (v != NULL && (status != CL_SUCCESS || !kfusion_keep_value(s, v, size, value)))
        v->known = 0;
    return status;
}

/* Does the program's kernel have the arguments of the launch? */
KFUSION_HERE int kfusion_has_arguments_still(const kfusion_launch *l)
{
    kfusion_record *r = l->record;
    cl_uint i;

    if (r->changes == l->changes || !KFUSION_PROTECTS(CHANGED_ARGUMENTS))
        return 1;
    if (r->unknowable)
        return 0;
    for (i = 0; i < l->noted.count; i++) {
        kfusion_value *v = &r->value[i];
        const kfusion_argument *a = &l->argument[i];
        if (!v->known || v->size != a->size || v->local != (a->value == NULL) ||
            (a->value != NULL && memcmp(kfusion_value_bytes(v), a->value, a->size) != 0))
            return 0;
    }
    return 1;
}

KFUSION_HERE const size_t *kfusion_local(const kfusion_noted *n)
{
    return n->has_local ? n->local : NULL;
}

KFUSION_HERE cl_int kfusion_enqueue(cl_kernel kernel, const kfusion_noted *n, cl_uint dimensions,
                                    const size_t *global, const size_t *local)
{
    return clEnqueueNDRangeKernel(n->queue, kernel, dimensions,
                                  kfusion_no_offset(n) ? NULL : n->offset, global, local, 0, NULL,
                                  NULL);
}

/* The program's kernels are never changed: another argument is set in a kernel of the run time's. */
KFUSION_HERE cl_int kfusion_launch_as_written(kfusion_state *s, const kfusion_launch *l)
{
    cl_kernel kernel = l->noted.kernel;
    kfusion_own *own;
    cl_int status;
    cl_uint i;

    if (!kfusion_has_arguments_still(l)) {
        own = kfusion_own_kernel(s, l->noted.program, l->noted.name);
        if (own == NULL || own->kernel == NULL)
            return own == NULL ? CL_OUT_OF_HOST_MEMORY : own->status;
        kernel = own->kernel;
        for (i = 0; i < l->noted.count; i++) {
            status = kfusion_set(s, own, i, l->noted.arguments[i].size,
                                 l->noted.arguments[i].value);
            if (status != CL_SUCCESS)
                return status;
        }
    }
    return kfusion_enqueue(kernel, &l->noted, l->noted.dimensions, l->noted.global,
                           kfusion_local(&l->noted));
}

/* ---- What generated functions call ---- */

KFUSION_HERE void kfusion_refuse(kfusion_run *run, const char *why, cl_int status)
{
    run->refused = 1;
    snprintf(run->why, sizeof run->why, "%s (%d)", why, (int)status);
}

/* The next kernel is one of several programs, of which each step here is of one. */
KFUSION_HERE void kfusion_join(kfusion_run *run, size_t programs, ...)
{
    va_list steps;
    size_t i, j;

    va_start(steps, programs);
    for (run->programs = i = 0; i < programs; i++) {
        cl_program program = va_arg(steps, const kfusion_noted *)->program;
        for (j = 0; j < run->programs && !kfusion_are_alike(run->state, run->program[j], program);)
            j++;
        run->program[j] = program;
        run->programs += j == run->programs;
    }
    va_end(steps);
}

/* A fused kernel of the component's program, or of those that were joined, ready to run in such
   groups. */
KFUSION_HERE cl_kernel kfusion_kernel_for(kfusion_run *run, const kfusion_noted *component,
                                          const char *name, cl_uint parameters,
                                          cl_uint dimensions, const size_t *global,
                                          const size_t *local)
{
    const cl_program *program = run->programs > 1 ? run->program : &component->program;
    const size_t programs = run->programs > 1 ? run->programs : 1;
    kfusion_own *own = kfusion_own_kernel_of(run->state, program, programs, name);
    const kfusion_queue *q = &run->state->queue;

    run->programs = 0;
    if (own == NULL || own->kernel == NULL || own->parameters != parameters ||
        own->local > q->local ||
        !kfusion_is_good_range(q, own->group, own->required, dimensions, global, local))
        return NULL;
    return own->kernel;
}

/* ... in the component's groups. */
KFUSION_HERE cl_kernel kfusion_kernel(kfusion_run *run, const kfusion_noted *component,
                                      const char *name, cl_uint parameters)
{
    return kfusion_kernel_for(run, component, name, parameters, component->dimensions,
                              component->global, kfusion_local(component));
}

/* How many groups do the work of so many items, if each does some. */
KFUSION_HERE size_t kfusion_groups(size_t size, size_t items)
{
    return size / items + (size % items != 0);
}

/* ... if groups march; 0 if their number, or that of the pieces of the frame, is no int. */
KFUSION_HERE int kfusion_marches(const kfusion_noted *range, const kfusion_tiles *tiles,
                                 size_t *global)
{
    const cl_ulong most = CL_INT_MAX, *frame = tiles->frame;
    const cl_uint walked = tiles->dimensions - 1;
    cl_ulong pieces = 1, strips = 1, groups, high;
    cl_uint d, other;

    for (d = 0; d <= walked; d++) {
        const cl_ulong side = range->global[d] / frame[1] + 1;

        if (side > most / pieces)
            return 0;
        pieces *= side;
        if (d < walked)
            strips *= kfusion_groups(range->global[d], tiles->items[d]);
    }
    high = range->global[walked] * strips / tiles->groups;
    high = high < tiles->items[walked] ? high : tiles->items[walked];
    high = high > tiles->least ? high : tiles->least;
    groups = strips * kfusion_groups(range->global[walked], (size_t)high);
    for (d = 0; d <= walked; d++) {
        cl_ulong side = 1;

        for (other = 0; other <= walked; other++)
            side *= other == d ? 1 : kfusion_groups(range->global[other], (size_t)frame[0]);
        groups += side;
    }
    if (groups > most / 2 / tiles->local[0])
        return 0;
    global[0] = (size_t)groups * tiles->local[0];
    for (d = 1; d <= walked; d++)
        global[d] = 1;
    return 1;
}

/* The global size of a launch in tiles; 0 if the step's range cannot be done so. The ends of all
   tiles are ints, and so are the ids of the launch. */
KFUSION_HERE int kfusion_in_tiles(const kfusion_noted *range, const kfusion_tiles *tiles,
                                  size_t *global)
{
    const size_t most = CL_INT_MAX / 2;
    cl_uint d;

    if (!kfusion_in_dimensions(range, tiles->dimensions) || !kfusion_no_offset(range))
        return 0;
    for (d = 0; d < tiles->dimensions; d++) {
        const size_t groups = kfusion_groups(range->global[d], tiles->items[d]);

        if (range->global[d] > most - tiles->items[d] || groups > most / tiles->local[d])
            return 0;
        global[d] = groups * tiles->local[d];
    }
    return tiles->groups == 0 || kfusion_marches(range, tiles, global);
}

/* ... in groups that each do a tile of the component's range. */
KFUSION_HERE cl_kernel kfusion_tiles_kernel(kfusion_run *run, const kfusion_noted *component,
                                            const char *name, cl_uint parameters,
                                            const kfusion_tiles *tiles)
{
    size_t global[3];

    if (!kfusion_in_tiles(component, tiles, global))
        return NULL;
    return kfusion_kernel_for(run, component, name, parameters, tiles->dimensions, global,
                              tiles->local);
}

KFUSION_HERE void kfusion_give(kfusion_run *run, cl_kernel kernel, cl_uint index, size_t size,
                               const void *value)
{
    kfusion_own *own = kfusion_goes_on(run) ? kfusion_find_own(run->state, kernel) : NULL;
    cl_int status;

    if (own == NULL)
        return;
    status = kfusion_set(run->state, own, index, size, value);
    if (status != CL_SUCCESS)
        kfusion_refuse(run, "an argument of a fused kernel was refused", status);
}

/* An argument as it was noted, whatever it is. */
KFUSION_HERE void kfusion_pass(kfusion_run *run, cl_kernel kernel, cl_uint index,
                               const kfusion_noted *from, cl_uint argument)
{
    kfusion_give(run, kernel, index, from->arguments[argument].size,
                 from->arguments[argument].value);
}

/* A launch over the range and the local size of a step. It waits for kfusion_did. */
KFUSION_HERE void kfusion_make(kfusion_run *run, cl_kernel kernel, const kfusion_noted *range)
{
    run->kernel = kernel;
    run->of = range;
    run->dimensions = range->dimensions;
    memcpy(run->global, range->global, sizeof run->global);
    run->local = kfusion_local(range);
}

/* One item for so many elements of one dimension; the last parameter, a ulong, is how many there
   are. */
KFUSION_HERE void kfusion_make_fewer(kfusion_run *run, cl_kernel kernel,
                                     const kfusion_noted *range, size_t elements)
{
    kfusion_own *own = kfusion_find_own(run->state, kernel);
    const cl_ulong size = range->global[0];

    kfusion_make(run, kernel, range);
    run->global[0] = kfusion_groups(size, elements * range->local[0]) * range->local[0];
    if (!kfusion_in_dimensions(range, 1) || !kfusion_no_offset(range) || own == NULL)
        kfusion_refuse(run, "fewer items need one dimension and no offset", CL_SUCCESS);
    else
        kfusion_give(run, kernel, own->parameters - 1, sizeof size, &size);
}

/* A group for each tile of a step's range; the last parameters, ints, are its global size. */
KFUSION_HERE void kfusion_make_tiles(kfusion_run *run, cl_kernel kernel,
                                     const kfusion_noted *range, const kfusion_tiles *tiles)
{
    const kfusion_own *own = kfusion_find_own(run->state, kernel);
    cl_uint d;

    kfusion_make(run, kernel, range);
    run->dimensions = tiles->dimensions;
    run->local = tiles->local;
    if (!kfusion_in_tiles(range, tiles, run->global))
        kfusion_refuse(run, "the range cannot be done in tiles", CL_SUCCESS);
    for (d = 0; own != NULL && d < tiles->dimensions; d++) {
        const cl_int size = (cl_int)range->global[d];
        kfusion_give(run, kernel, own->parameters - tiles->dimensions + d, sizeof size, &size);
    }
}

/* Is the launch's program one of the kernel's, or like one? */
KFUSION_HERE int kfusion_is_of(kfusion_state *s, const kfusion_own *own, const kfusion_noted *n)
{
    size_t i;

    for (i = 0; i < own->of->programs; i++)
        if (kfusion_are_alike(s, own->of->program[i], n->program))
            return 1;
    return 0;
}

/* The steps that the last launch did: makes it, if they are all of its programs. */
KFUSION_HERE void kfusion_did(kfusion_run *run, size_t steps, ...)
{
    unsigned char *done = run->state->done;
    const cl_kernel kernel = run->kernel;
    kfusion_own *own = kernel == NULL ? NULL : kfusion_find_own(run->state, kernel);
    size_t i;
    va_list indices;
    cl_int status;

    run->kernel = NULL;
    if (own == NULL)
        return;
    va_start(indices, steps);
    for (i = 0; i < steps; i++)
        if (!kfusion_is_of(run->state, own, &run->launch[va_arg(indices, size_t)]->noted) &&
            KFUSION_PROTECTS(ONE_PROGRAM))
            kfusion_refuse(run, "kernels of other programs", CL_SUCCESS);
    va_end(indices);
    if (!kfusion_goes_on(run))
        return;
    status = kfusion_enqueue(kernel, run->of, run->dimensions, run->global, run->local);
    if (status != CL_SUCCESS) {
        kfusion_refuse(run, "a fused launch was refused", status);
        return;
    }
    va_start(indices, steps);
    for (i = 0; i < steps; i++)
        done[va_arg(indices, size_t)] = 1;
    va_end(indices);
}

KFUSION_HERE void kfusion_as_written(kfusion_run *run, size_t index)
{
    if (!kfusion_goes_on(run))
        return;
    run->status = kfusion_launch_as_written(run->state, run->launch[index]);
    run->state->done[index] = 1;
}

/* 1, but 0 where only the conditions are looked at and one does not hold. */
KFUSION_HERE int kfusion_made(const kfusion_run *run)
{
    return !(run->dry && run->refused);
}
