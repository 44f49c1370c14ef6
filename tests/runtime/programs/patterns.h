/* Patterns written by hand. */

/* square(t, x) and add(c, t, b) in one kernel */
static int conditions_of_pair(kfusion_run *run)
{
    const kfusion_noted *square = kfusion_step(run, 0), *add = kfusion_step(run, 1);
    const cl_uint n = KFUSION_VALUE(cl_uint, square, 2), n_2 = KFUSION_VALUE(cl_uint, add, 3);

    if (!kfusion_same_range(square, add))
        return KFUSION_NO(run, "square and add have different ranges");
    if (n != n_2)
        return KFUSION_NO(run, "n is %u in square and %u in add", (unsigned)n, (unsigned)n_2);
    if (!kfusion_apart(kfusion_mem(square, 0), kfusion_mem(square, 1)) ||
        !kfusion_apart(kfusion_mem(square, 0), kfusion_mem(add, 2)) ||
        !kfusion_apart(kfusion_mem(square, 0), kfusion_mem(add, 0)))
        return KFUSION_NO(run, "t and another object share memory");
    return 1;
}

static int make_pair(kfusion_run *run)
{
    const kfusion_noted *square = kfusion_step(run, 0), *add = kfusion_step(run, 1);
    cl_kernel fused;

    if (!conditions_of_pair(run))
        return 0;
    fused = kfusion_kernel(run, square, "square_add", 5);
    if (fused == NULL)
        return KFUSION_NO(run, "square_add is not there");
    kfusion_pass(run, fused, 0, square, 0);
    kfusion_pass(run, fused, 1, square, 1);
    kfusion_pass(run, fused, 2, add, 0);
    kfusion_pass(run, fused, 3, add, 2);
    kfusion_pass(run, fused, 4, square, 2);
    kfusion_make(run, fused, add);
    kfusion_did(run, 2, (size_t)0, (size_t)1);
    return kfusion_made(run);
}

/* As make_pair, without storing t. */
static int make_less_of_pair(kfusion_run *run)
{
    const kfusion_noted *square = kfusion_step(run, 0), *add = kfusion_step(run, 1);
    cl_kernel fused;

    if (!conditions_of_pair(run))
        return 0;
    fused = kfusion_kernel(run, square, "square_add_less", 4);
    if (fused == NULL)
        return KFUSION_NO(run, "square_add_less is not there");
    kfusion_pass(run, fused, 0, square, 1);
    kfusion_pass(run, fused, 1, add, 0);
    kfusion_pass(run, fused, 2, add, 2);
    kfusion_pass(run, fused, 3, square, 2);
    kfusion_make(run, fused, add);
    kfusion_did(run, 2, (size_t)0, (size_t)1);
    return kfusion_made(run);
}

/* advance(b, a), advance(a, b) and so on in one kernel; a is left as it was */
static int make_odd(kfusion_run *run, size_t count, const char *name)
{
    const kfusion_noted *first = kfusion_step(run, 0), *last = kfusion_step(run, count - 1);
    cl_kernel fused;

    if (!kfusion_apart(kfusion_mem(last, 0), kfusion_mem(first, 1)))
        return KFUSION_NO(run, "source and result share memory");
    fused = kfusion_kernel(run, first, name, 3);
    if (fused == NULL)
        return KFUSION_NO(run, "the kernel is not there");
    kfusion_pass(run, fused, 0, last, 0);
    kfusion_pass(run, fused, 1, first, 1);
    kfusion_pass(run, fused, 2, first, 2);
    kfusion_make(run, fused, first);
    kfusion_did(run, count, (size_t)0, (size_t)1, (size_t)2, (size_t)3, (size_t)4);
    return kfusion_made(run);
}

static int make_three(kfusion_run *run) { return make_odd(run, 3, "advance_3"); }
static int make_five(kfusion_run *run) { return make_odd(run, 5, "advance_5"); }

/* paint(t, x) and tint(c, t) in one kernel, whose groups do tiles of their range */
static int make_tiled(kfusion_run *run)
{
    static const kfusion_tiles tiles = {2, {5, 4, 1}, {2, 1, 1}, 0, 0, {0}};
    const kfusion_noted *paint = kfusion_step(run, 0), *tint = kfusion_step(run, 1);
    cl_kernel fused;

    if (!kfusion_same_range(paint, tint))
        return KFUSION_NO(run, "paint and tint have different ranges");
    fused = kfusion_tiles_kernel(run, tint, "paint_tint", 6, &tiles);
    if (fused == NULL)
        return KFUSION_NO(run, "paint_tint cannot run like this");
    kfusion_pass(run, fused, 0, paint, 0);
    kfusion_pass(run, fused, 1, paint, 1);
    kfusion_pass(run, fused, 2, tint, 0);
    kfusion_pass(run, fused, 3, paint, 2);
    kfusion_make_tiles(run, fused, tint, &tiles);
    kfusion_did(run, 2, (size_t)0, (size_t)1);
    return kfusion_made(run);
}

/* Slots: 0 t, 1 x, 2 c, 3 b, 4 range. The value n is compared by the conditions. */
static const short square_slots[] = {0, 1, -1}, add_slots[] = {2, 0, 3, -1};
static const kfusion_step_table pair_steps[] = {
    {"square", 3, square_slots, -1, "wmv", NULL, NULL},
    {"add", 4, add_slots, -1, "wmmv", NULL, NULL},
};
static const short pair_writes[] = {0, 2};
static const kfusion_form whole_forms[] = {{1, make_pair, NULL, 0, 0}};
static const kfusion_form less_forms[] = {{1, make_pair, make_less_of_pair, 0, 0}};
static const kfusion_drop scratch_drops[] = {{0, KFUSION_SCRATCH}};
static const kfusion_drop named_drops[] = {{0, KFUSION_NAMED}};
static const kfusion_drop fresh_drops[] = {{0, KFUSION_NAMED | KFUSION_FRESH}};

#define PART_OF_PAIR(forms, drops, drop)                                                      \
    {2, pair_steps, 5, 0, NULL, 0, NULL, 1, 1, forms, drops, drop, 2, pair_writes}
static const kfusion_part whole_parts[] = {PART_OF_PAIR(whole_forms, 0, NULL)};
static const kfusion_part scratch_parts[] = {PART_OF_PAIR(less_forms, 1, scratch_drops)};
static const kfusion_part named_parts[] = {PART_OF_PAIR(less_forms, 1, named_drops)};
static const kfusion_part fresh_parts[] = {PART_OF_PAIR(less_forms, 1, fresh_drops)};

/* Slots: 0 to, 1 from, 2 n, 3 range. */
static const short advance_slots[] = {0, 1, 2};
static const kfusion_step_table advance_steps[] = {{"advance", 3, advance_slots, 3, "mmv", NULL, NULL}};
static const short ping_pong[][2] = {{0, 1}, {1, 0}};
static const kfusion_form three_forms[] = {{3, make_three, NULL, 1, 3}, {1, NULL, NULL, 0, 2}};
static const kfusion_form five_forms[] = {
    {5, make_five, NULL, 1, 5}, {3, make_three, NULL, 1, 3}, {1, NULL, NULL, 0, 2}};
static const short advance_writes[] = {0};
/* the loop, and then once square and add */
static const kfusion_part loop_parts[] = {
    {1, advance_steps, 4, 2, ping_pong, 0, NULL, 0, 2, three_forms, 0, NULL, 1, advance_writes},
    PART_OF_PAIR(whole_forms, 0, NULL),
};
static const kfusion_part five_parts[] = {
    {1, advance_steps, 4, 2, ping_pong, 0, NULL, 0, 3, five_forms, 0, NULL, 1, advance_writes}};

/* Slots: 0 t, 1 x, 2 w, 3 c. */
static const short paint_slots[] = {0, 1, 2}, tint_slots[] = {3, 0, 2}, tiled_writes[] = {0, 3};
static const kfusion_step_table tiled_steps[] = {
    {"paint", 3, paint_slots, -1, "wmv", NULL, NULL},
    {"tint", 3, tint_slots, -1, "wmv", NULL, NULL},
};
static const kfusion_form tiled_forms[] = {{1, make_tiled, NULL, 0, 0}};
static const kfusion_part tiled_parts[] = {
    {2, tiled_steps, 4, 0, NULL, 0, NULL, 1, 1, tiled_forms, 0, NULL, 2, tiled_writes}};

static const kfusion_pattern whole_patterns[] = {{"whole", 1, whole_parts, CL_DEVICE_TYPE_ALL, 0}};
static const kfusion_pattern scratch_patterns[] = {{"scratch", 1, scratch_parts, CL_DEVICE_TYPE_ALL, 0}};
static const kfusion_pattern named_patterns[] = {{"named", 1, named_parts, CL_DEVICE_TYPE_ALL, 0}};
static const kfusion_pattern fresh_patterns[] = {{"fresh", 1, fresh_parts, CL_DEVICE_TYPE_ALL, 0}};
static const kfusion_pattern tiled_patterns[] = {{"tiled", 1, tiled_parts, CL_DEVICE_TYPE_ALL, 0}};
static const kfusion_pattern loop_patterns[] = {{"loop", 2, loop_parts, CL_DEVICE_TYPE_ALL, 0}};
static const kfusion_pattern five_patterns[] = {{"five", 1, five_parts, CL_DEVICE_TYPE_ALL, 0}};

static const kfusion_region kfusion_region_whole KFUSION_UNUSED = {
    "whole", "host.c:1", 1, whole_patterns, ADDITIONS, 0, NULL};
static const kfusion_region kfusion_region_scratch KFUSION_UNUSED = {
    "scratch", "host.c:2", 1, scratch_patterns, ADDITIONS, 0, NULL};
static const kfusion_region kfusion_region_named KFUSION_UNUSED = {
    "named", "host.c:3", 1, named_patterns, ADDITIONS, 0, NULL};
static const kfusion_region kfusion_region_fresh KFUSION_UNUSED = {
    "fresh", "host.c:4", 1, fresh_patterns, ADDITIONS, 0, NULL};
static const kfusion_region kfusion_region_loop KFUSION_UNUSED = {
    "loop", "host.c:5", 1, loop_patterns, ADDITIONS, 0, NULL};
static const kfusion_region kfusion_region_five KFUSION_UNUSED = {
    "five", "host.c:7", 1, five_patterns, ADDITIONS, 0, NULL};
static const kfusion_region kfusion_region_tiled KFUSION_UNUSED = {
    "tiled", "host.c:6", 1, tiled_patterns, ADDITIONS, 0, NULL};
