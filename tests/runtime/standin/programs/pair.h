/* first(t, a) and second(c, t, b) in one kernel */
static int pair_fused(kfusion_run *run)
{
    const kfusion_noted *first = kfusion_step(run, 0);
    const kfusion_noted *second = kfusion_step(run, 1);

    if (!kfusion_same_range(first, second))
        return KFUSION_NO(run, "first and second have different ranges");
    cl_kernel fused = kfusion_kernel(run, first, "first_second", 5);
    if (fused == NULL)
        return KFUSION_NO(run, "the program has no first_second");

    kfusion_pass(run, fused, 0, first, 0);
    kfusion_pass(run, fused, 1, first, 1);
    kfusion_pass(run, fused, 2, second, 0);
    kfusion_pass(run, fused, 3, second, 2);
    kfusion_pass(run, fused, 4, first, 2);
    kfusion_make(run, fused, first);
    kfusion_did(run, 2, (size_t)0, (size_t)1);
    return kfusion_made(run);
}

static const short pair_first_slots[] = {0, 1, 2};
static const short pair_second_slots[] = {3, 0, 4, 2};
static const kfusion_step_table pair_steps[] = {
    {.kernel = "first", .count = 3, .slots = pair_first_slots, .range = 5, .kinds = "mmv", .fused = NULL},
    {.kernel = "second", .count = 4, .slots = pair_second_slots, .range = 5, .kinds = "mmmv", .fused = NULL},
};
static const kfusion_form pair_forms[] = {{.repetitions = 1, .make = pair_fused}};
static const short pair_writes[] = {0, 3};
static const kfusion_part pair_parts[] = {{
    .steps = 2,
    .step = pair_steps,
    .slots = 6,
    .most = 1,
    .forms = 1,
    .form = pair_forms,
    .written = 2,
    .writes = pair_writes,
}};
static const kfusion_pattern pair_patterns[] = {
    {.name = "pair", .parts = 1, .part = pair_parts, .devices = CL_DEVICE_TYPE_ALL}};
static const kfusion_region kfusion_region_pair = {
    .name = "pair", .place = "calls.c:1", .patterns = 1, .pattern = pair_patterns};

/* step(v, u), step(u, v) and step(v, u) in one kernel; u is left as it was */
static int three_fused(kfusion_run *run)
{
    const kfusion_noted *step = kfusion_step(run, 0);
    cl_kernel fused = kfusion_kernel(run, step, "step_3", 2);

    if (fused == NULL)
        return KFUSION_NO(run, "the program has no step_3");
    kfusion_pass(run, fused, 0, step, 0);
    kfusion_pass(run, fused, 1, step, 1);
    kfusion_make(run, fused, step);
    kfusion_did(run, 3, (size_t)0, (size_t)1, (size_t)2);
    return kfusion_made(run);
}

static const short turns_slots[] = {0, 1}, turns_writes[] = {0}, turns_exchange[][2] = {{0, 1}, {1, 0}};
static const kfusion_step_table turns_steps[] = {{"step", 2, turns_slots, 2, "mm", NULL, NULL}};
static const kfusion_form turns_forms[] = {{3, three_fused, NULL, 1, 3}, {1, NULL, NULL, 0, 2}};
static const kfusion_part turns_parts[] = {
    {1, turns_steps, 3, 2, turns_exchange, 0, NULL, 0, 2, turns_forms, 0, NULL, 1, turns_writes}};
static const kfusion_pattern turns_patterns[] = {{"turns", 1, turns_parts, CL_DEVICE_TYPE_ALL, 0}};
static const kfusion_region kfusion_region_turns KFUSION_UNUSED = {
    .name = "turns", .place = "calls.c:2", .patterns = 1, .pattern = turns_patterns};
