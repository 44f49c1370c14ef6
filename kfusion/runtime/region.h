/* ==== Regions, and what their calls do ==================================================== */

KFUSION_HERE void kfusion_record_settling(kfusion_state *s, const char *why);

/* Makes all noted launches. */
KFUSION_HERE cl_int kfusion_settle_all(kfusion_state *s, const char *why, kfusion_when when)
{
    cl_int status;
    size_t i;

    if (s->launches == 0) {
        if (kfusion_get_mode() == kfusion_mode_record && when != kfusion_when_over)
            kfusion_record_settling(s, why);
        return CL_SUCCESS;
    }
    s->why = why;
    if (kfusion_tells() && s->best_launches == 0 && s->candidates > 0 && s->candidate[0].step > 0) {
        const kfusion_pattern *begun = s->candidate[0].pattern;
        snprintf(s->told, sizeof s->told, "%s, behind %lu of the %lu launches of %s", why,
                 (unsigned long)s->candidate[0].step,
                 (unsigned long)begun->part[s->candidate[0].part].steps, begun->name);
        s->why = s->told;
    }
    kfusion_wind_up(s);
    status = kfusion_flush(s, when, (size_t)-1);
    /* Without host memory for segments, launches are left. */
    for (i = 0; i < s->launches && status == CL_SUCCESS; i++)
        status = kfusion_launch_as_written(s, s->launch[i]);
    if (status == CL_SUCCESS && s->launches > 0 && s->owed > 0)
        status = clFinish(s->queue.queue);
    kfusion_forget_noted(s, 0);
    s->after_pattern = NULL;
    return status;
}

/* A launch has been noted: makes what is complete and need not wait. */
KFUSION_HERE cl_int kfusion_matched(kfusion_state *s)
{
    cl_int status = CL_SUCCESS;

    s->why = "launches that are no whole pattern";
    while (status == CL_SUCCESS && !kfusion_match(s)) {
        if (s->segments == 0)
            return kfusion_settle_all(s, "no host memory", kfusion_when_forced);
        status = kfusion_flush(s, kfusion_when_forced, (size_t)-1);
    }
    if (status == CL_SUCCESS)
        status = kfusion_flush(s, kfusion_when_ready, (size_t)-1);
    while (status == CL_SUCCESS && s->launches >= s->limit) {
        if (s->segments == 0)
            return kfusion_settle_all(s, "many launches", kfusion_when_forced);
        status = kfusion_flush(s, kfusion_when_forced, 1);
    }
    return status;
}

/* ---- Status ---- */

KFUSION_HERE void kfusion_remember_failure(kfusion_state *s, cl_command_queue queue, cl_int status)
{
    if (s->failed_queue != NULL || clRetainCommandQueue(queue) != CL_SUCCESS)
        return; /* the first failure counts */
    s->failed_queue = queue;
    s->failed = status;
}

/* Outside regions, where nothing is to be remembered. */
KFUSION_HERE void kfusion_detach_if_unneeded(kfusion_state *s)
{
    if (s->depth == 0 && s->failed_queue == NULL && s->dropped == NULL && !KFUSION_CLOSED)
        kfusion_detach(s);
}

KFUSION_HERE cl_int kfusion_let_go_of_failure(kfusion_state *s)
{
    const cl_int status = s->failed;

    if (s->failed_queue == NULL)
        return CL_SUCCESS;
    clReleaseCommandQueue(s->failed_queue);
    s->failed_queue = NULL;
    s->failed = CL_SUCCESS;
    kfusion_detach_if_unneeded(s);
    return status;
}

/* ---- Letting go ---- */

/* Lets go of all that the run time holds, but a failure; arguments are forgotten. */
KFUSION_HERE void kfusion_let_go_of_all(kfusion_state *s)
{
    kfusion_drop_all_records(s);
    kfusion_let_go_of_all_memory(s, 0);
    kfusion_let_go_of_programs(s, NULL);
    kfusion_let_go_of_queue(s);
}

/* Settles before a call that the run time knows nothing of, or that asks how often something is
   held. Arguments that are set so far do not count any more. */
KFUSION_HERE cl_int kfusion_settle_and_forget(const char *why)
{
    kfusion_state *s = kfusion_now;
    cl_int status;

    if (s == NULL)
        return CL_SUCCESS;
    status = kfusion_settle_all(s, why, kfusion_when_forced);
    kfusion_let_go_of_all(s);
    kfusion_names_all();
    s->maps++;
    return status;
}

/* For functions that the run time knows nothing of: #define f (kfusion_settle(), f) */
KFUSION_HERE void kfusion_settle(void)
{
    kfusion_state *s = kfusion_now;
    cl_command_queue queue;
    cl_int status;

    if (s == NULL)
        return;
    queue = s->queue.queue;
    if (queue != NULL && clRetainCommandQueue(queue) != CL_SUCCESS)
        queue = NULL;
    status = kfusion_settle_and_forget("a function that may call OpenCL");
    if (status != CL_SUCCESS && queue != NULL)
        kfusion_remember_failure(s, queue, status);
    if (queue != NULL)
        clReleaseCommandQueue(queue);
}

/* ---- Regions ---- */

KFUSION_HERE size_t kfusion_limit(const kfusion_region *region)
{
    size_t limit = kfusion_most_noted, steps = 1, i, j, f;

    for (i = 0; i < region->patterns; i++)
        for (j = 0; j < region->pattern[i].parts; j++) {
            const kfusion_part *part = &region->pattern[i].part[j];
            for (f = 0; f < part->forms; f++) {
                const kfusion_form *form = &part->form[f];
                const size_t needed = (kfusion_enough(form) + 1) * part->steps;
                if (needed > limit)
                    limit = needed;
            }
            steps += part->steps;
        }
    return steps > limit ? steps : limit; /* all patterns may wait for the region's end */
}

/* A region whose launches are never what was predicted should cost little: it is noted only now
   and then. Two regions in one place of the table only forget what each other has learned. */
KFUSION_HERE kfusion_habit *kfusion_find_habit(const kfusion_region *region)
{
    return &KFUSION_N(habit)[((uintptr_t)region >> 4) % kfusion_habits];
}

KFUSION_HERE int kfusion_skips(const kfusion_region *region)
{
    kfusion_habit *h = kfusion_find_habit(region);

    if (__atomic_load_n(&h->region, __ATOMIC_RELAXED) != region ||
        __atomic_load_n(&h->idle, __ATOMIC_RELAXED) < kfusion_most_idle ||
        kfusion_get_mode() != kfusion_mode_on)
        return 0;
    return __atomic_add_fetch(&h->skipped, 1, __ATOMIC_RELAXED) % kfusion_most_idle != 0;
}

KFUSION_HERE void kfusion_learn(const kfusion_state *s, const kfusion_region *region)
{
    kfusion_habit *h = kfusion_find_habit(region);

    if (__atomic_load_n(&h->region, __ATOMIC_RELAXED) != region || s->has_made) {
        __atomic_store_n(&h->idle, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&h->region, region, __ATOMIC_RELAXED);
    }
    if (s->has_noted && !s->has_made &&
        __atomic_load_n(&h->idle, __ATOMIC_RELAXED) < kfusion_most_idle)
        __atomic_add_fetch(&h->idle, 1, __ATOMIC_RELAXED);
}

KFUSION_HERE void kfusion_begin_text(kfusion_state *s);
KFUSION_HERE void kfusion_end_text(kfusion_state *s);

KFUSION_HERE int kfusion_can_begin(kfusion_state *s, const kfusion_region *region)
{
    const size_t limit = kfusion_limit(region);

    if (!KFUSION_ROOM(unsigned char, s->done, s->done_room, limit + 1))
        return 0;
    s->limit = limit;
    return 1;
}

KFUSION_HERE kfusion_guard kfusion_begin(const kfusion_region *region)
{
    kfusion_guard guard = {NULL, 0, NULL};
    kfusion_state *s = kfusion_now;
    cl_int status;

    if (kfusion_get_mode() == kfusion_mode_off ||
        ((s == NULL || s->depth == 0) && kfusion_skips(region)))
        return guard;
    s = kfusion_attach();
    if (s == NULL)
        return guard;
    if (s->region != NULL && s->region->patterns == 0)
        kfusion_settle(); /* in a call of another file, which may have set arguments meanwhile */
    if (s->launches > 0 && KFUSION_PROTECTS(NESTED_REGIONS)) {
        const cl_command_queue queue = s->queue.queue;
        status = kfusion_settle_all(s, "a region begins inside", kfusion_when_forced);
        if (status != CL_SUCCESS)
            kfusion_remember_failure(s, queue, status);
    }
    if (kfusion_get_mode() == kfusion_mode_record)
        kfusion_end_text(s);
    if (!kfusion_can_begin(s, region)) {
        kfusion_detach_if_unneeded(s);
        return guard;
    }
    if (s->depth == 0 && !KFUSION_CLOSED && KFUSION_PROTECTS(FORGETTING_ARGUMENTS))
        kfusion_drop_all_records(s); /* there are some only where reads are checked */
    guard.outer = s->region;
    guard.began = 1;
    s->region = region;
    if (s->depth++ == 0)
        s->has_noted = s->has_made = 0;
    s->after_pattern = NULL;
    if (kfusion_get_mode() == kfusion_mode_record)
        kfusion_begin_text(s);
    return guard;
}

/* A region of which variables say, when it ends, what nobody reads behind it. */
KFUSION_HERE kfusion_guard kfusion_begin_named(const kfusion_region *region,
                                               const kfusion_named *named)
{
    kfusion_guard guard = kfusion_begin(region);

    guard.named = named;
    return guard;
}

KFUSION_HERE void kfusion_end(kfusion_guard *guard)
{
    kfusion_state *s = kfusion_now;
    const kfusion_region *region;
    cl_int status;

    if (!guard->began || s == NULL)
        return;
    region = s->region;
    s->named = guard->named;
    status = kfusion_settle_all(s, "the region ends", kfusion_when_over);
    if (status != CL_SUCCESS)
        kfusion_remember_failure(s, s->queue.queue, status);
    if (kfusion_get_mode() == kfusion_mode_record)
        kfusion_end_text(s);
    s->named = NULL;
    s->region = guard->outer;
    s->after_pattern = NULL;
    if (s->region != NULL)
        kfusion_can_begin(s, s->region);
    if (s->region != NULL && kfusion_get_mode() == kfusion_mode_record)
        kfusion_begin_text(s);
    if (--s->depth > 0)
        return;
    kfusion_learn(s, region);
    if (!KFUSION_CLOSED && KFUSION_PROTECTS(FORGETTING_ARGUMENTS))
        kfusion_drop_all_records(s);
    else if (!KFUSION_CLOSED || s->released)
        kfusion_drop_released_records(s);
    kfusion_let_go_of_memory_of_region(s);
    kfusion_let_go_of_kernels_of_region(s);
    if (!KFUSION_CLOSED || s->queue.dropped)
        kfusion_let_go_of_queue(s);
    s->released = 0;
    kfusion_detach_if_unneeded(s);
}

#define KFUSION_REGION(name)                                                                  \
    kfusion_guard KFUSION_LINE(__LINE__)                                                      \
        __attribute__((__cleanup__(kfusion_end), __unused__)) =                               \
            kfusion_begin(&kfusion_region_##name)
