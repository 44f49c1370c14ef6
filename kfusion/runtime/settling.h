/* ==== Settling: segments are made, fused or as they were written ========================== */

typedef enum kfusion_when {
    kfusion_when_ready, /* only what need not wait */
    kfusion_when_forced,
    kfusion_when_over /* the region is over */
} kfusion_when;

/* ---- What need not be stored ---- */

/* The object of a slot in a repetition that begins with this launch; NULL: no step names it. */
KFUSION_HERE kfusion_memory *kfusion_slot_memory(const kfusion_state *s, const kfusion_part *part,
                                                 size_t first, short slot)
{
    size_t i;
    cl_uint a;

    for (i = 0; i < part->steps; i++)
        for (a = 0; a < part->step[i].count; a++)
            if (part->step[i].slots[a] == slot)
                return s->launch[first + i]->memory[a];
    return NULL;
}

/* May the last value of scratch memory be left out? 1: yes, 0: not yet, -1: never. */
KFUSION_HERE int kfusion_is_let_go(const kfusion_memory *m)
{
    cl_uint references = 0;

    if (m == NULL || !m->created || (m->escaped && KFUSION_PROTECTS(ESCAPED)) || m->root != m->mem)
        return -1;
    if (!KFUSION_PROTECTS(RELEASED))
        return 1;
    return m->released &&
           kfusion_mem_info(m->mem, CL_MEM_REFERENCE_COUNT, sizeof references, &references) &&
           references == 1;
}

KFUSION_HERE int kfusion_may_drop(const kfusion_state *s, const kfusion_part *part, size_t first,
                                  size_t repetitions, kfusion_when when)
{
    int least = part->drops > 0 ? 1 : -1;
    size_t r;
    short d;

    for (r = 0; r < repetitions && least >= 0; r++)
        for (d = 0; d < part->drops && least >= 0; d++) {
            const kfusion_drop drop = part->drop[d];
            const size_t at = first + r * part->steps;
            const int now = drop.why & KFUSION_NAMED
                                ? when == kfusion_when_over || !KFUSION_PROTECTS(HOLDING_NAMED)
                            : drop.why & KFUSION_SCRATCH
                                ? kfusion_is_let_go(kfusion_slot_memory(s, part, at, drop.slot))
                                : -1;
            if (now < least)
                least = now;
        }
    return least;
}

KFUSION_HERE int kfusion_holds_alone(kfusion_state *s, const kfusion_segment *segment, size_t first);

/* Do all repetitions of the segment that begins there fulfil the conditions, one by one? */
KFUSION_HERE int kfusion_fulfils(kfusion_state *s, kfusion_segment *segment, size_t first)
{
    size_t r;

    if (segment->conditions == 0) {
        segment->conditions = 1;
        for (r = 0; r < segment->repetitions && segment->conditions > 0; r++)
            if (!kfusion_holds_alone(s, segment, first + r * segment->part->steps))
                segment->conditions = -1;
    }
    return segment->conditions > 0;
}

/* Does the launch of the part read of the object only what its own repetition wrote? */
KFUSION_HERE int kfusion_is_fresh(const kfusion_state *s, const kfusion_part *part, size_t step,
                                  size_t launch, const kfusion_memory *m)
{
    cl_uint a;
    short d;

    for (a = 0; a < s->launch[launch]->noted.count; a++) {
        if (s->launch[launch]->memory[a] != m)
            continue;
        for (d = 0; d < part->drops; d++)
            if (part->drop[d].slot == part->step[step].slots[a] &&
                part->drop[d].why & KFUSION_FRESH)
                break;
        if (d == part->drops)
            return 0;
    }
    return 1;
}

KFUSION_HERE int kfusion_launch_names(const kfusion_launch *l, const kfusion_memory *m)
{
    cl_uint a;

    for (a = 0; a < l->noted.count; a++)
        if (l->memory[a] == m)
            return 1;
    return 0;
}

/* Is the object read by no launch that is noted behind this one? Its segment is the given one. */
KFUSION_HERE int kfusion_is_unread_behind(kfusion_state *s, kfusion_memory *m, size_t segment,
                                          size_t segment_first, size_t behind)
{
    uint64_t in = s->memory_in;
    size_t i, b, first = segment_first;

    KFUSION_BUCKETS (b, in) {
        kfusion_memory *other;
        for (other = s->memory[b]; other != NULL; other = other->next)
            if (other != m && other->noted != 0 && !kfusion_are_apart(other, m))
                return 0;
    }
    for (; segment < s->segments; first += s->segment[segment++].launches) {
        kfusion_segment *g = &s->segment[segment];
        for (i = first < behind ? behind : first; i < first + g->launches; i++) {
            if (!kfusion_launch_names(s->launch[i], m))
                continue;
            if (g->part == NULL ||
                !kfusion_is_fresh(s, g->part, (i - first) % g->part->steps, i, m) ||
                !kfusion_fulfils(s, g, first))
                return 0;
        }
    }
    for (i = first < behind ? behind : first; i < s->launches; i++)
        if (kfusion_launch_names(s->launch[i], m))
            return 0;
    return 1;
}

/* ---- Making segments ---- */

KFUSION_HERE void kfusion_begin_run(kfusion_state *s, kfusion_run *run,
                                    const kfusion_segment *segment, size_t first, size_t launches)
{
    memset(run, 0, offsetof(kfusion_run, why));
    run->why[0] = '\0';
    run->state = s;
    run->segment = segment;
    run->launch = s->launch + first;
    run->launches = launches;
    memset(s->done, 0, launches);
}

/* Do the conditions of a repetition hold that begins with this launch? */
KFUSION_HERE int kfusion_would_make(kfusion_state *s, const kfusion_part *part, size_t first)
{
    const kfusion_form *form = part->forms == 0 ? NULL : &part->form[part->forms - 1];
    int (*make)(kfusion_run *run);
    kfusion_run run;

    if (form == NULL || form->repetitions != 1)
        return 1; /* not known */
    make = form->make != NULL ? form->make : form->make_less;
    if (make == NULL) /* one is made as written */
        return 1;
    kfusion_begin_run(s, &run, NULL, first, part->steps);
    run.dry = 1;
    return make(&run) != 0;
}

KFUSION_HERE int kfusion_holds_alone(kfusion_state *s, const kfusion_segment *segment, size_t first)
{
    const kfusion_part *part = segment->part;
    const kfusion_form *form = part->forms == 0 ? NULL : &part->form[part->forms - 1];
    kfusion_run run;

    if (form == NULL || form->repetitions != 1 || form->make_less == NULL)
        return 0;
    kfusion_begin_run(s, &run, segment, first, part->steps);
    run.dry = 1;
    return form->make_less(&run) != 0;
}

KFUSION_HERE cl_int kfusion_make_as_written(kfusion_run *run)
{
    size_t i;

    for (i = 0; i < run->launches && run->status == CL_SUCCESS; i++)
        if (!run->state->done[i])
            run->status = kfusion_launch_as_written(run->state, run->launch[i]);
    return run->status;
}

KFUSION_HERE int kfusion_check(kfusion_run *run, int (*make)(kfusion_run *run), int less);

/* Makes the repetitions by a form; false if a condition does not hold. */
KFUSION_HERE int kfusion_try(kfusion_run *run, int (*make)(kfusion_run *run), int less)
{
    const kfusion_mode mode = kfusion_get_mode();
    int made;

    if (make == NULL)
        return 0;
    made = mode == kfusion_mode_check || mode == kfusion_mode_check_and_trace
               ? kfusion_check(run, make, less)
               : make(run);
    if (made && !run->refused) {
        run->state->has_made = 1;
        kfusion_tell_made(run->segment, run->launches / run->segment->part->steps, less);
    }
    return made;
}

enum { kfusion_most_weighed = 64 };

/* The form to begin so many repetitions with, with so many noted behind them: of those that cost
   least together, the longest; NULL if none fits. */
KFUSION_HERE const kfusion_form *kfusion_choose(const kfusion_part *part, size_t repetitions,
                                                size_t behind)
{
    const kfusion_form *first[kfusion_most_weighed + 1];
    cl_ulong price[kfusion_most_weighed + 1];
    size_t left, f;

    if (repetitions > kfusion_most_weighed) {
        behind += repetitions - kfusion_most_weighed;
        repetitions = kfusion_most_weighed;
    }
    first[0] = NULL;
    price[0] = 0;
    for (left = 1; left <= repetitions; left++) {
        first[left] = NULL;
        price[left] = price[left - 1];
        for (f = 0; f < part->forms; f++) {
            const kfusion_form *form = &part->form[f];
            cl_ulong all;
            if (form->repetitions > left || form->repetitions + form->payers > left + behind)
                continue;
            all = form->price + price[left - form->repetitions];
            if (first[left] != NULL && all >= price[left])
                continue;
            first[left] = form;
            price[left] = all;
        }
    }
    return first[repetitions];
}

/* May it leave out now what need not be stored? If not, `why` says so. */
KFUSION_HERE int kfusion_drops_now(kfusion_state *s, size_t segment, size_t segment_first,
                                   size_t first, size_t repetitions, kfusion_when when,
                                   const char **why)
{
    const kfusion_part *part = s->segment[segment].part;
    const int now = kfusion_may_drop(s, part, first, repetitions, when);
    size_t r;
    short d;

    *why = now == 0 ? "settled while what would not be stored may still be read"
                    : "what would not be stored is no memory of the region's own";
    if (now <= 0)
        return 0;
    for (r = 0; r < repetitions; r++)
        for (d = 0; d < part->drops; d++) {
            kfusion_memory *m =
                kfusion_slot_memory(s, part, first + r * part->steps, part->drop[d].slot);
            *why = "what would not be stored is read behind the region, as its annotation says";
            if (m == NULL ||
                (part->drop[d].why & KFUSION_AT_END && KFUSION_PROTECTS(NAMED_AT_END) &&
                 !kfusion_is_named_temporary(s, m)))
                return 0;
            *why = "what would not be stored is used by the launches behind, too";
            if (KFUSION_PROTECTS(UNREAD_BEHIND) &&
                !kfusion_is_unread_behind(s, m, segment, segment_first,
                                          first + repetitions * part->steps))
                return 0;
        }
    return 1;
}

/* Why no form takes the repetitions that begin with this launch, the last ones of a segment. */
KFUSION_HERE const char *kfusion_why_so_few(const kfusion_state *s, const kfusion_part *part,
                                            size_t behind)
{
    if (behind < s->launches && strcmp(s->launch[behind]->noted.name, part->step[0].kernel) == 0)
        return "the next repetition has other buffers, numbers or ranges than expected";
    return "too few repetitions";
}

/* Makes the segment that begins with this launch. */
KFUSION_HERE cl_int kfusion_make_segment(kfusion_state *s, size_t segment, size_t first,
                                         kfusion_when when)
{
    const kfusion_segment g = s->segment[segment];
    size_t at = first, left = g.repetitions;
    cl_int status = CL_SUCCESS;
    kfusion_run run;

    if (g.part == NULL) {
        kfusion_begin_run(s, &run, &g, first, g.launches);
        kfusion_tell_written(g.region, s->why);
        return kfusion_make_as_written(&run);
    }
    while (left > 0 && status == CL_SUCCESS) {
        const kfusion_form *form = kfusion_choose(g.part, left, g.behind);
        const size_t repetitions = form == NULL ? 1 : form->repetitions;
        const size_t launches = repetitions * g.part->steps;
        const int stores = form != NULL && form->make != NULL;
        const char *why = "";
        int made = 0;
        if (form != NULL && form->make_less != NULL &&
            kfusion_drops_now(s, segment, first, at, repetitions, when, &why)) {
            kfusion_begin_run(s, &run, &g, at, launches);
            run.payers = form->payers;
            made = kfusion_try(&run, form->make_less, 1);
            why = run.why;
        }
        if (!made && !stores && g.part->forms > 0) {
            if ((form == NULL || form->make_less == NULL) && kfusion_tells())
                why = kfusion_why_so_few(s, g.part, first + g.launches);
            kfusion_tell_written(g.region, why);
        }
        if (!made) {
            kfusion_begin_run(s, &run, &g, at, launches);
            run.payers = form == NULL ? 0 : form->payers;
            made = stores && kfusion_try(&run, form->make, 0);
        }
        if ((stores && !made) || run.refused)
            kfusion_tell_written(g.region, run.why);
        status = kfusion_make_as_written(&run);
        left -= repetitions;
        at += launches;
    }
    return status;
}

KFUSION_HERE int kfusion_must_wait(const kfusion_state *s, const kfusion_segment *segment,
                                   size_t first, kfusion_when when)
{
    size_t f;

    if (when != kfusion_when_ready || segment->part == NULL)
        return 0;
    for (f = 0; f < segment->part->forms; f++)
        if (segment->part->form[f].make_less != NULL)
            return kfusion_may_drop(s, segment->part, first, segment->repetitions, when) == 0;
    return 0;
}

KFUSION_HERE void kfusion_reverse(kfusion_launch **from, kfusion_launch **end)
{
    while (from < end) {
        kfusion_launch *launch = *from;
        *from++ = *--end;
        *end = launch;
    }
}

/* The first launches are made: their places go behind the others, to be used again. */
KFUSION_HERE void kfusion_remove(kfusion_state *s, size_t launches, size_t segments)
{
    if (launches < s->launches) {
        kfusion_reverse(s->launch, s->launch + launches);
        kfusion_reverse(s->launch + launches, s->launch + s->launches);
        kfusion_reverse(s->launch, s->launch + s->launches);
    }
    s->launches -= launches;
    s->active -= launches;
    s->fed -= launches;
    s->segments -= segments;
    memmove(s->segment, s->segment + segments, s->segments * sizeof *s->segment);
}

KFUSION_HERE void kfusion_forget_matches(kfusion_state *s)
{
    s->candidates = 0;
    s->best_launches = 0;
    s->fed = s->active;
}

/* Forgets all noted launches, which are made, or come behind one that failed. */
KFUSION_HERE void kfusion_forget_noted(kfusion_state *s, size_t from)
{
    size_t i;

    for (i = from; i < s->launches; i++)
        kfusion_let_go_of_launch(s, s->launch[i]);
    s->launches = s->active = s->segments = s->owed = 0;
    kfusion_forget_matches(s);
}

/* Makes segments, oldest first: all, or as long as none has to wait, or only so many. Behind what
   the program has waited for with clFinish, it is waited here. */
KFUSION_HERE cl_int kfusion_flush(kfusion_state *s, kfusion_when when, size_t most)
{
    size_t segment = 0, first = 0, i, made;
    cl_int status = CL_SUCCESS;

    while (segment < s->segments && segment < most && status == CL_SUCCESS) {
        const kfusion_segment *g = &s->segment[segment];
        if (kfusion_must_wait(s, g, first, when))
            break;
        status = kfusion_make_segment(s, segment, first, when);
        for (i = 0; i < g->launches; i++)
            kfusion_let_go_of_launch(s, s->launch[first + i]);
        first += g->launches;
        segment++;
    }
    if (segment == 0)
        return CL_SUCCESS;
    if (status == CL_SUCCESS && s->owed > 0 && KFUSION_PROTECTS(OWED_FINISH))
        status = clFinish(s->queue.queue);
    made = first;
    if (status != CL_SUCCESS) {
        kfusion_forget_noted(s, made);
        return status;
    }
    s->owed -= s->owed < made ? s->owed : made;
    kfusion_remove(s, made, segment);
    return CL_SUCCESS;
}
