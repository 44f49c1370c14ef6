/* ==== Matching: which part's repetitions the noted launches are =========================== */

/* The active launches are those that are in no segment yet. Each candidate is a part that all of
   them fit to. The longest row of whole repetitions so far is kept as the best. */

KFUSION_HERE void kfusion_copy_bounds(kfusion_bound *to, const kfusion_bound *from, size_t count)
{
    if (count > 0)
        memcpy(to, from, count * sizeof *to);
}

KFUSION_HERE int kfusion_add_candidate(kfusion_state *s, const kfusion_pattern *pattern,
                                       size_t part)
{
    const size_t slots = (size_t)pattern->part[part].slots;
    kfusion_candidate *c;
    size_t i;

    if (!(s->queue.type & pattern->devices) || s->queue.local < pattern->local)
        return 1;
    for (i = 0; i < s->candidates; i++)
        if (s->candidate[i].pattern == pattern && s->candidate[i].part == part)
            return 1;
    if (!KFUSION_ROOM(kfusion_candidate, s->candidate, s->candidate_room, s->candidates + 1))
        return 0;
    c = &s->candidate[s->candidates];
    if (!KFUSION_ROOM(kfusion_bound, c->slot, c->slot_room, slots) ||
        !KFUSION_ROOM(kfusion_bound, c->before, c->before_room, slots))
        return 0;
    c->pattern = pattern;
    c->part = part;
    c->repetitions = c->step = 0;
    if (slots > 0)
        memset(c->slot, 0, slots * sizeof *c->slot);
    s->candidates++;
    return 1;
}

/* The part, and those behind it, as far as parts before them may be left out. */
KFUSION_HERE int kfusion_add_candidates_from(kfusion_state *s, const kfusion_pattern *pattern,
                                             size_t part)
{
    for (; part < pattern->parts; part++) {
        if (!kfusion_add_candidate(s, pattern, part))
            return 0;
        if (pattern->part[part].most == 1)
            break;
    }
    return 1;
}

/* Before the first active launch: what goes on with the last segment, and all beginnings. */
KFUSION_HERE void kfusion_add_beginnings(kfusion_state *s)
{
    const kfusion_pattern *after = s->after_pattern;
    size_t i;

    s->candidates = 0;
    if (after != NULL)
        kfusion_add_candidates_from(s, after,
                                    s->after_part + (after->part[s->after_part].most == 1));
    for (i = 0; i < s->region->patterns; i++)
        kfusion_add_candidates_from(s, &s->region->pattern[i], 0);
    if (s->candidates == 0)
        s->why = "all patterns are for other devices";
}

KFUSION_HERE const kfusion_noted *kfusion_active(const kfusion_state *s, size_t index)
{
    return &s->launch[s->active + index]->noted;
}

/* The range of a launch, with the local size. */
KFUSION_HERE int kfusion_same_whole_range(const kfusion_noted *a, const kfusion_noted *b)
{
    return kfusion_same_range(a, b) && kfusion_same_groups(a, b);
}

/* What slots hold in the next repetition. */
KFUSION_HERE void kfusion_turn(kfusion_candidate *c)
{
    const kfusion_part *part = &c->pattern->part[c->part];
    short i;

    kfusion_copy_bounds(c->before, c->slot, (size_t)part->slots);
    for (i = 0; i < part->exchanges; i++)
        c->slot[part->exchange[i][0]] = c->before[part->exchange[i][1]];
    for (i = 0; i < part->fresh; i++)
        c->slot[part->anew[i]].is = 0;
}

KFUSION_HERE int kfusion_slot_fits(const kfusion_state *s, kfusion_candidate *c, short slot,
                                   size_t launch, cl_uint argument, int is_range)
{
    kfusion_bound *b;
    const kfusion_noted *n = kfusion_active(s, launch);

    if (slot < 0)
        return 1;
    b = &c->slot[slot];
    if (b->is && !KFUSION_PROTECTS(EQUAL_SLOTS))
        return 1;
    if (b->is) {
        const kfusion_noted *other = kfusion_active(s, b->launch);
        return is_range ? kfusion_same_whole_range(other, n)
                        : kfusion_same(other, b->argument, n, argument);
    }
    b->is = 1;
    b->launch = launch;
    b->argument = argument;
    return 1;
}

/* Does the active launch of that index fit behind the others? It is then taken in. */
KFUSION_HERE int kfusion_fits(const kfusion_state *s, kfusion_candidate *c, size_t index)
{
    const kfusion_part *part = &c->pattern->part[c->part];
    const kfusion_step_table *step = &part->step[c->step];
    const kfusion_step_table *known = s->launch[s->active + index]->step; /* of that kernel */
    const kfusion_noted *n = kfusion_active(s, index);
    cl_uint a;

    if (c->step == 0 && c->repetitions > 0 && part->most != 0 && c->repetitions >= part->most)
        return 0;
    if (n->count != step->count ||
        (known->kernel != step->kernel && strcmp(n->name, step->kernel) != 0))
        return 0;
    if (c->step == 0 && c->repetitions > 0)
        kfusion_turn(c);
    for (a = 0; a < n->count; a++)
        if (!kfusion_slot_fits(s, c, step->slots[a], index, a, 0))
            return 0;
    if (!kfusion_slot_fits(s, c, step->range, index, 0, 1))
        return 0;
    if (++c->step == part->steps) {
        c->step = 0;
        c->repetitions++;
    }
    return 1;
}

KFUSION_HERE int kfusion_would_make(kfusion_state *s, const kfusion_part *part, size_t first);

/* Is what the candidate covers more than the best one covers? A part is not given up for another
   one whose conditions do not hold. */
KFUSION_HERE int kfusion_is_better(kfusion_state *s, const kfusion_candidate *c, size_t launches)
{
    const kfusion_candidate *best = &s->best;

    if (launches <= s->best_launches)
        return 0;
    return s->best_launches == 0 || (best->pattern == c->pattern && best->part == c->part) ||
           kfusion_would_make(s, &c->pattern->part[c->part], s->active);
}

/* Keeps the candidates that the next launch fits to. */
KFUSION_HERE void kfusion_feed(kfusion_state *s)
{
    const size_t index = s->fed - s->active;
    size_t i, kept = 0;

    for (i = 0; i < s->candidates; i++) {
        kfusion_candidate c = s->candidate[i];
        if (!kfusion_fits(s, &c, index)) {
            s->candidate[i].step = 0;
            continue;
        }
        s->candidate[i] = s->candidate[kept]; /* changes places: both have arrays */
        s->candidate[kept++] = c;
        if (c.step == 0 && kfusion_is_better(s, &c, index + 1)) {
            s->best = c;
            s->best_launches = index + 1;
        }
    }
    s->candidates = kept;
    s->fed++;
}

/* So many repetitions need not wait for more. What is left behind a form in the end is then enough
   to be made in forms that are as good. */
KFUSION_HERE size_t kfusion_enough(const kfusion_form *form)
{
    return form->repetitions * (form->payers > 0 ? 2 : 1) + form->payers;
}

/* Could the candidate take in more that would be made together with what it has? */
KFUSION_HERE int kfusion_may_extend(const kfusion_candidate *c)
{
    const kfusion_part *part = &c->pattern->part[c->part];

    if (c->step != 0)
        return 1;
    if (part->forms == 0 || (part->most != 0 && c->repetitions >= part->most))
        return 0;
    return c->repetitions < kfusion_enough(&part->form[0]);
}

KFUSION_HERE int kfusion_all_are_complete(const kfusion_state *s)
{
    size_t i;

    for (i = 0; i < s->candidates; i++)
        if (kfusion_may_extend(&s->candidate[i]))
            return 0;
    return 1;
}

/* The first active launches become a segment. */
KFUSION_HERE int kfusion_commit(kfusion_state *s, const kfusion_candidate *c, size_t repetitions,
                                size_t behind)
{
    kfusion_segment *g;

    if (!KFUSION_ROOM(kfusion_segment, s->segment, s->segment_room, s->segments + 1))
        return 0;
    g = &s->segment[s->segments++];
    memset(g, 0, sizeof *g);
    g->region = s->region;
    if (c != NULL) {
        g->pattern = c->pattern;
        g->part = &c->pattern->part[c->part];
        g->repetitions = repetitions;
        g->behind = behind;
        g->launches = repetitions * g->part->steps;
    } else
        g->launches = 1;
    s->after_pattern = g->pattern;
    s->after_part = c == NULL ? 0 : c->part;
    s->active += g->launches;
    kfusion_forget_matches(s);
    return 1;
}

/* The best candidate's repetitions become a segment, but for those that pay for others. */
KFUSION_HERE int kfusion_commit_best(kfusion_state *s)
{
    const kfusion_candidate c = s->best;
    const kfusion_part *part = &c.pattern->part[c.part];
    const kfusion_form *form = part->forms == 0 ? NULL : &part->form[0];

    if (form != NULL && form->payers != 0 && c.repetitions >= kfusion_enough(form))
        return kfusion_commit(s, &c, form->repetitions, c.repetitions - form->repetitions);
    return kfusion_commit(s, &c, c.repetitions, 0);
}

/* Looks at the launches that are noted but not yet matched. False if launches that fit nothing
   are now at the end of the segments: all segments are to be made. */
KFUSION_HERE int kfusion_match(kfusion_state *s)
{
    while (s->fed < s->launches) {
        if (s->fed == s->active)
            kfusion_add_beginnings(s);
        kfusion_feed(s);
        if (s->candidates > 0 && !kfusion_all_are_complete(s))
            continue;
        if (s->best_launches > 0 ? !kfusion_commit_best(s) : !kfusion_commit(s, NULL, 1, 0))
            return 0;
        if (s->segment[s->segments - 1].part == NULL)
            return 0;
    }
    return 1;
}

/* No further launch comes: all active ones become segments. */
KFUSION_HERE void kfusion_wind_up(kfusion_state *s)
{
    while (s->active < s->launches) {
        const size_t left = s->launches - s->active;
        if (s->best_launches > 0)
            kfusion_commit_best(s);
        else
            kfusion_commit(s, NULL, 1, 0);
        if (s->launches - s->active == left) /* no host memory for a segment */
            return;
        kfusion_match(s);
    }
}
