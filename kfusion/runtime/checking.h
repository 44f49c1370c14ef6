/* ==== Checking: KFUSION=check ============================================================= */

/* Launches are made as they were written, and once more, from the same contents of memory, by the
   fused kernels; what they leave is compared to the bit. Objects that need not be stored are left
   as the fused kernels leave them, and are not compared. */

enum { kfusion_most_checked = 64 };

/* What a repetition writes: contents before, as written, and fused. */
typedef struct kfusion_checked {
    cl_mem mem;
    const char *kernel; /* the first that names it, and as which argument */
    cl_uint argument;
    int dropped, image;
    size_t size, region[3];
    unsigned char *before, *written, *fused;
} kfusion_checked;

typedef struct kfusion_check_list {
    cl_command_queue queue;
    size_t count;
    kfusion_checked item[kfusion_most_checked];
} kfusion_check_list;

KFUSION_HERE void kfusion_tell_checked(const kfusion_run *run, const char *what)
{
    fprintf(stderr, "kfusion: %s (%s): check of %s: %s\n", run->segment->region->place,
            run->segment->region->name, run->segment->pattern->name, what);
}

KFUSION_HERE int kfusion_measure_image(kfusion_checked *c)
{
    size_t element = 0;

    if (!kfusion_measure_region(c->mem, c->region, &element))
        return 0;
    c->size = element * c->region[0] * c->region[1] * c->region[2];
    return 1;
}

/* Room for three copies; false if there is none. */
KFUSION_HERE int kfusion_prepare_check(kfusion_checked *c)
{
    cl_mem_object_type type;

    if (!kfusion_mem_info(c->mem, CL_MEM_TYPE, sizeof type, &type))
        return 0;
    c->image = type != CL_MEM_OBJECT_BUFFER;
    if (c->image ? !kfusion_measure_image(c)
                 : !kfusion_mem_info(c->mem, CL_MEM_SIZE, sizeof c->size, &c->size))
        return 0;
    c->before = (unsigned char *)malloc(c->size);
    c->written = (unsigned char *)malloc(c->size);
    c->fused = (unsigned char *)malloc(c->size);
    return c->before != NULL && c->written != NULL && c->fused != NULL;
}

KFUSION_HERE cl_int kfusion_read_checked(cl_command_queue queue, const kfusion_checked *c,
                                         unsigned char *to)
{
    const size_t origin[3] = {0, 0, 0};

    return c->image ? clEnqueueReadImage(queue, c->mem, CL_TRUE, origin, c->region, 0, 0, to, 0,
                                         NULL, NULL)
                    : clEnqueueReadBuffer(queue, c->mem, CL_TRUE, 0, c->size, to, 0, NULL, NULL);
}

KFUSION_HERE cl_int kfusion_write_checked(cl_command_queue queue, const kfusion_checked *c,
                                          const unsigned char *from)
{
    const size_t origin[3] = {0, 0, 0};

    return c->image ? clEnqueueWriteImage(queue, c->mem, CL_TRUE, origin, c->region, 0, 0, from,
                                          0, NULL, NULL)
                    : clEnqueueWriteBuffer(queue, c->mem, CL_TRUE, 0, c->size, from, 0, NULL,
                                           NULL);
}

/* The object of a slot in each repetition joins the list, once. */
KFUSION_HERE int kfusion_list_checked(kfusion_check_list *list, const kfusion_run *run, short slot,
                                      size_t first, size_t launches, int dropped)
{
    const kfusion_part *part = run->segment->part;
    size_t i, j;
    cl_uint a;

    for (i = first; i < first + launches; i++)
        for (a = 0; a < run->launch[i]->noted.count; a++) {
            const kfusion_noted *n = &run->launch[i]->noted;
            kfusion_checked *c;
            if (part->step[i % part->steps].slots[a] != slot || n->arguments[a].value == NULL)
                continue;
            for (j = 0; j < list->count; j++)
                if (list->item[j].mem == kfusion_mem(n, a))
                    break;
            if (j < list->count) {
                list->item[j].dropped |= dropped;
                continue;
            }
            if (dropped)
                continue;
            if (list->count == kfusion_most_checked)
                return 0;
            c = &list->item[list->count++];
            memset(c, 0, sizeof *c);
            c->mem = kfusion_mem(n, a);
            c->kernel = n->name;
            c->argument = a;
            if (!kfusion_prepare_check(c))
                return 0;
        }
    return 1;
}

KFUSION_HERE cl_int kfusion_read_all(kfusion_check_list *list, int which)
{
    cl_int status = CL_SUCCESS;
    size_t i;

    for (i = 0; i < list->count && status == CL_SUCCESS; i++) {
        kfusion_checked *c = &list->item[i];
        status = kfusion_read_checked(
            list->queue, c, which == 0 ? c->before : which == 1 ? c->written : c->fused);
    }
    return status;
}

/* Writes back: 0: what was there before, 1: what the launches as written left, but for what the
   fused kernels do not store. */
KFUSION_HERE cl_int kfusion_write_all(kfusion_check_list *list, int which)
{
    cl_int status = CL_SUCCESS;
    size_t i;

    for (i = 0; i < list->count && status == CL_SUCCESS; i++) {
        kfusion_checked *c = &list->item[i];
        if (which == 0 || !c->dropped)
            status = kfusion_write_checked(list->queue, c, which == 0 ? c->before : c->written);
    }
    return status;
}

/* The first object that differs between as written and fused, or NULL; where it does. */
KFUSION_HERE const kfusion_checked *kfusion_first_difference(const kfusion_check_list *list,
                                                             size_t *where)
{
    size_t i, at;

    for (i = 0; i < list->count; i++) {
        const kfusion_checked *c = &list->item[i];
        if (c->dropped || memcmp(c->written, c->fused, c->size) == 0)
            continue;
        for (at = 0; c->written[at] == c->fused[at]; at++)
            ;
        *where = at;
        return c;
    }
    return NULL;
}

KFUSION_HERE cl_int kfusion_launch_all(const kfusion_run *run)
{
    cl_int status = CL_SUCCESS;
    size_t i;

    for (i = 0; i < run->launches && status == CL_SUCCESS; i++)
        status = kfusion_launch_as_written(run->state, run->launch[i]);
    return status;
}

/* Tells a difference, after the launches have been made as written a second time. */
KFUSION_HERE cl_int kfusion_confirm(const kfusion_run *run, kfusion_check_list *list,
                                    const kfusion_checked *first, size_t where)
{
    const unsigned written = first->written[where], fused = first->fused[where];
    cl_int status = kfusion_write_all(list, 0);
    char text[kfusion_reason_length];
    size_t again;

    if (status == CL_SUCCESS)
        status = kfusion_launch_all(run);
    if (status == CL_SUCCESS)
        status = kfusion_read_all(list, 2);
    if (status != CL_SUCCESS)
        return status;
    if (kfusion_first_difference(list, &again) != NULL)
        kfusion_tell_checked(run, "as written it is not deterministic: not compared");
    else {
        snprintf(text, sizeof text,
                 "DIFFERENT: argument %u of %s, byte %lu of %lu: %02x as written, %02x fused",
                 (unsigned)first->argument, first->kernel, (unsigned long)where,
                 (unsigned long)first->size, written, fused);
        kfusion_tell_checked(run, text);
    }
    return kfusion_write_all(list, 1);
}

KFUSION_HERE int kfusion_compare(kfusion_run *run, int (*make)(kfusion_run *run),
                                 kfusion_check_list *list)
{
    const kfusion_checked *first;
    size_t where = 0;
    cl_int status = kfusion_launch_all(run);
    int made;

    if (status == CL_SUCCESS)
        status = kfusion_read_all(list, 1);
    if (status == CL_SUCCESS)
        status = kfusion_write_all(list, 0);
    if (status != CL_SUCCESS) {
        run->status = status;
        return 1;
    }
    made = make(run);
    if (!made || run->refused || run->status != CL_SUCCESS)
        return made;
    status = kfusion_read_all(list, 2);
    if (status == CL_SUCCESS) {
        first = kfusion_first_difference(list, &where);
        if (first == NULL)
            kfusion_tell_checked(run, "the same");
        else
            status = kfusion_confirm(run, list, first, where);
    }
    run->status = status;
    return 1;
}

/* Later reads of what the run has not stored are told. */
KFUSION_HERE void kfusion_watch_dropped(const kfusion_run *run)
{
    const kfusion_part *part = run->segment->part;
    size_t i;
    cl_uint a;
    short d;

    for (i = run->launches; i-- > 0;) /* the first launch that names an object comes last */
        for (a = run->launch[i]->noted.count; a-- > 0;)
            for (d = 0; d < part->drops; d++) {
                const kfusion_step_table *step = &part->step[i % part->steps];
                if (step->slots[a] == part->drop[d].slot)
                    kfusion_has_dropped(run->state, run->segment,
                                        kfusion_mem(&run->launch[i]->noted, a), step->kernel, a);
            }
}

KFUSION_HERE int kfusion_check(kfusion_run *run, int (*make)(kfusion_run *run), int less)
{
    const kfusion_part *part = run->segment->part;
    kfusion_check_list *list;
    kfusion_run dry = *run;
    size_t i;
    int made, listed = 1;
    short w;

    dry.dry = 1;
    list = make(&dry) ? (kfusion_check_list *)calloc(1, sizeof *list) : NULL;
    if (list == NULL)
        return make(run);
    list->queue = run->launch[0]->noted.queue;
    for (w = 0; w < part->written && listed; w++)
        listed = kfusion_list_checked(list, run, part->writes[w], 0, run->launches, 0);
    for (w = 0; less && w < part->drops; w++)
        kfusion_list_checked(list, run, part->drop[w].slot, 0, run->launches, 1);
    for (w = 0; w < part->written; w++)
        kfusion_list_checked(list, run, part->writes[w], run->launches,
                             run->payers * part->steps, 1);
    if (!listed || kfusion_read_all(list, 0) != CL_SUCCESS) {
        kfusion_tell_checked(run, "not compared: memory is too large to save, or cannot be read");
        made = make(run);
    } else
        made = kfusion_compare(run, make, list);
    if (less && made && !run->refused)
        kfusion_watch_dropped(run);
    for (i = 0; i < list->count; i++) {
        free(list->item[i].before);
        free(list->item[i].written);
        free(list->item[i].fused);
    }
    free(list);
    return made;
}
