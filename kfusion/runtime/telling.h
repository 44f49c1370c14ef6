/* ==== Telling: KFUSION=trace ============================================================== */

enum { kfusion_reasons = 8, kfusion_reason_length = 200 };

/* What became of a region's patterns. */
typedef struct kfusion_tally {
    struct kfusion_tally *next;
    const kfusion_region *region;
    unsigned long less, written, *made; /* of each pattern */
    struct {
        unsigned long times;
        char text[kfusion_reason_length];
    } reason[kfusion_reasons];
} kfusion_tally;

#ifdef __cplusplus
extern "C" {
#endif
KFUSION_SHARED kfusion_tally *KFUSION_N(tallies);
KFUSION_SHARED int KFUSION_N(tallies_lock);
#ifdef __cplusplus
}
#endif

KFUSION_HERE int kfusion_tells(void)
{
    const kfusion_mode mode = kfusion_get_mode();

    return mode == kfusion_mode_trace || mode == kfusion_mode_check_and_trace;
}

KFUSION_HERE void kfusion_tell_totals(void)
{
    const kfusion_tally *t;
    size_t p;
    int i;

    for (t = KFUSION_N(tallies); t != NULL; t = t->next) {
        const kfusion_region *region = t->region;
        unsigned long made = 0;
        const char *before = ": ";
        for (p = 0; p < region->patterns; p++)
            made += t->made[p];
        fprintf(stderr, "kfusion: %s (%s): made %lu time%s", region->place, region->name, made,
                made == 1 ? "" : "s");
        for (p = 0; region->patterns > 1 && made != 0 && p < region->patterns; p++) {
            const kfusion_pattern *pattern = &region->pattern[p];
            if (pattern->parts == 1 && pattern->part->forms == 0)
                continue; /* one launch between others */
            fprintf(stderr, "%s%s %lu", before, pattern->name, t->made[p]);
            before = ", ";
        }
        if (t->less != 0)
            fprintf(stderr, " (%lu without storing what is temporary)", t->less);
        if (t->written != 0)
            fprintf(stderr, ", as written %lu", t->written);
        for (i = 0; i < kfusion_reasons && t->reason[i].times != 0; i++)
            fprintf(stderr, "%s%lu time%s: %s", i == 0 ? " (" : "; ", t->reason[i].times,
                    t->reason[i].times == 1 ? "" : "s", t->reason[i].text);
        fprintf(stderr, "%s\n", t->reason[0].times != 0 ? ")" : "");
    }
}

/* The region's tally, entered if it is new. Under the lock. */
KFUSION_HERE kfusion_tally *kfusion_find_tally(const kfusion_region *region)
{
    kfusion_tally **place = &KFUSION_N(tallies);

    if (*place == NULL)
        atexit(kfusion_tell_totals);
    while (*place != NULL && (strcmp((*place)->region->place, region->place) != 0 ||
                              strcmp((*place)->region->name, region->name) != 0))
        place = &(*place)->next;
    if (*place == NULL) {
        unsigned long *made = (unsigned long *)calloc(region->patterns + 1, sizeof *made);
        *place = made == NULL ? NULL : (kfusion_tally *)calloc(1, sizeof **place);
        if (*place == NULL) {
            free(made);
            return NULL;
        }
        (*place)->region = region;
        (*place)->made = made;
    }
    return *place;
}

KFUSION_HERE void kfusion_tell_made(const kfusion_segment *segment, size_t repetitions, int less)
{
    kfusion_tally *t;

    if (!kfusion_tells())
        return;
    kfusion_lock(&KFUSION_N(tallies_lock));
    t = kfusion_find_tally(segment->region);
    if (t != NULL) {
        t->made[segment->pattern - segment->region->pattern]++;
        t->less += less != 0;
    }
    kfusion_unlock(&KFUSION_N(tallies_lock));
    fprintf(stderr, "kfusion: %s (%s): %s made", segment->region->place, segment->region->name,
            segment->pattern->name);
    if (repetitions > 1)
        fprintf(stderr, ", %lu repetitions", (unsigned long)repetitions);
    fprintf(stderr, "%s\n", less ? ", without storing what is temporary" : "");
}

/* Launches are made as they were written, or not noted. */
KFUSION_HERE void kfusion_tell_written(const kfusion_region *region, const char *why)
{
    kfusion_tally *t;
    int i = 0;

    if (region == NULL || !kfusion_tells())
        return;
    kfusion_lock(&KFUSION_N(tallies_lock));
    t = kfusion_find_tally(region);
    if (t != NULL) {
        t->written++;
        while (i < kfusion_reasons - 1 && t->reason[i].times != 0 &&
               strncmp(t->reason[i].text, why, kfusion_reason_length - 1) != 0)
            i++;
        if (t->reason[i].times++ == 0)
            snprintf(t->reason[i].text, sizeof t->reason[i].text, "%s", why);
    }
    kfusion_unlock(&KFUSION_N(tallies_lock));
    fprintf(stderr, "kfusion: %s (%s): as written: %s\n", region->place, region->name, why);
}
