/* ==== Conditions on several launches or objects at once =================================== */

/* The kernels are of one program, or of such as are alike: `kfusion_one_program(2, square, add)`. */
KFUSION_HERE int kfusion_one_program(int count, const kfusion_noted *first, ...)
{
    va_list others;
    int i, same = 1;

    va_start(others, first);
    for (i = 1; i < count; i++)
        same = same && kfusion_are_alike(kfusion_now, first->program,
                                         va_arg(others, const kfusion_noted *)->program);
    va_end(others);
    return same || !KFUSION_PROTECTS(ONE_PROGRAM);
}

/* The launches have one range: dimensions, global size and offset. */
KFUSION_HERE int kfusion_one_range(int count, const kfusion_noted *first, ...)
{
    va_list others;
    int i, same = 1;

    va_start(others, first);
    for (i = 1; i < count; i++)
        same = same && kfusion_same_range(first, va_arg(others, const kfusion_noted *));
    va_end(others);
    return same || !KFUSION_PROTECTS(RANGES);
}

/* The second range has all items of the first one. */
KFUSION_HERE int kfusion_is_covered(const kfusion_noted *a, const kfusion_noted *b)
{
    return a->dimensions == b->dimensions && a->global[0] <= b->global[0] &&
           a->global[1] <= b->global[1] && a->global[2] <= b->global[2];
}

/* The launch whose range has the items of all others; NULL: there is none. */
KFUSION_HERE const kfusion_noted *kfusion_widest(int count, const kfusion_noted *first, ...)
{
    const kfusion_noted *widest = first;
    va_list others;
    int i, covers = 1;

    va_start(others, first);
    for (i = 1; i < count; i++) {
        const kfusion_noted *each = va_arg(others, const kfusion_noted *);

        if (kfusion_is_covered(widest, each))
            widest = each;
    }
    va_end(others);
    va_start(others, first);
    for (i = 0; i < count; i++)
        covers = covers && kfusion_is_covered(
                               i == 0 ? first : va_arg(others, const kfusion_noted *), widest);
    va_end(others);
    return covers ? widest : NULL;
}

/* The launches have groups of one size, which was given or not given for all of them. */
KFUSION_HERE int kfusion_one_group_size(int count, const kfusion_noted *first, ...)
{
    va_list others;
    int i, same = 1;

    va_start(others, first);
    for (i = 1; i < count; i++)
        same = same && kfusion_same_groups(first, va_arg(others, const kfusion_noted *));
    va_end(others);
    return same;
}

enum { kfusion_most_objects = 160 };

/* Each of the first `written` objects is apart from all the others: `kfusion_all_apart(1, 3, c,
   a, b)` lets a and b share memory. */
KFUSION_HERE int kfusion_all_apart(int written, int count, ...)
{
    kfusion_memory unheld[kfusion_most_objects], *object[kfusion_most_objects];
    va_list objects;
    int i, j;

    if (count > kfusion_most_objects)
        return 0;
    va_start(objects, count);
    for (i = 0; i < count; i++) {
        const cl_mem mem = va_arg(objects, cl_mem);
        object[i] = kfusion_known_memory(mem, &unheld[i]);
    }
    va_end(objects);
    for (i = 0; i < written; i++)
        for (j = i + 1; j < count; j++)
            if (!kfusion_are_apart(object[i], object[j]))
                return 0;
    return 1;
}

/* ---- Build options ---- */

/* The groups of the launch have one size: its local size divides the global size; or none is
   given, and the program is not built for a version in which the last group may be smaller. */
KFUSION_HERE int kfusion_uniform_groups(const kfusion_run *run, const kfusion_noted *launch)
{
    char *options;
    int uniform;

    if (launch->has_local)
        return kfusion_full_groups(launch);
    options = kfusion_program_text(launch->program, run->state->queue.device, 1);
    uniform = options != NULL && (strstr(options, "-cl-std=") == NULL ||
                                  strstr(options, "-cl-std=CL1") != NULL ||
                                  strstr(options, "-cl-uniform-work-group-size") != NULL);
    free(options);
    return uniform;
}

/* Is the macro defined by the program's build options, as a plain number? `optional`: or not
   defined by them. */
KFUSION_HERE int kfusion_is_number(const kfusion_run *run, const kfusion_noted *launch,
                                   const char *macro, int optional)
{
    char *options = kfusion_program_text(launch->program, run->state->queue.device, 1);
    const char *at = options, *value;
    const size_t length = strlen(macro);
    int defined = 0, number = 1;

    while (at != NULL && (at = strstr(at, "-D")) != NULL) {
        at += 2;
        while (*at == ' ' || *at == '\t')
            at++;
        if (strncmp(at, macro, length) != 0)
            continue;
        value = at + length;
        if (*value == '=') {
            defined = 1;
            value++;
            value += *value == '(';
            value += *value == '-' || *value == '+';
            number = number && (*value == '.' || (*value >= '0' && *value <= '9'));
            while (isalnum((unsigned char)*value) || *value == '.' ||
                   ((*value == '+' || *value == '-') && strchr("eEpP", value[-1]) != NULL))
                value++;
            value += *value == ')';
            number = number && (*value == '\0' || *value == ' ' || *value == '\t');
        } else if (*value == '\0' || *value == ' ' || *value == '\t')
            defined = 1; /* it is 1 */
        else if (!isalnum((unsigned char)*value) && *value != '_')
            number = 0;
    }
    if (options == NULL || (strpbrk(options, "\"'\\") != NULL && strstr(options, macro) != NULL))
        number = 0; /* quotes might hide where a value ends */
    free(options);
    return (defined || optional) && number;
}
