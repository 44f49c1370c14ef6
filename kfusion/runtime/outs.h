/* ==== What out(...) and temp(...) name, by the variables that hold it when the region ends === */

/* The variables that an annotation names, where it is not known beforehand which objects they
   hold in the end: KFUSION_REGION_OUT(sum, c, d) */
typedef struct kfusion_named {
    /* NULL in C++: a variable of another type. Odd, one more than the place: it is behind a
       pointer of the program's, which may lead nowhere. */
    const cl_mem *const *variable;
    size_t variables;
    size_t temporaries; /* the first so many are temp(...), the others are not; 0: all are out(...) */
} kfusion_named;

#define KFUSION_BEHIND(place) ((const cl_mem *)((uintptr_t)(place) | 1))

/* Can the place be read? -1: that cannot be told. Linux reads what it is given before it looks at
   the first argument, which is wrong: only the reason of the failure differs. */
KFUSION_HERE int kfusion_is_readable(const void *place)
{
#if defined(__linux__) && !defined(__cplusplus)
    extern long syscall(long number, ...);
    const int before = errno;
    int found;

    found = syscall(SYS_rt_sigprocmask, ~0L, place, NULL, (size_t)8) == -1 && errno == EINVAL;
    errno = before;
    return found;
#else
    (void)place;
    return -1;
#endif
}

/* Does the annotation say that nobody reads the object after the region, which ends now? A handle
   that no launch of the region got may be no object at all, or part of this one. */
KFUSION_HERE int kfusion_is_named_temporary(kfusion_state *s, const kfusion_memory *m)
{
    const kfusion_named *named = s->named;
    int is_temporary;
    size_t i;

    if (named == NULL)
        return 0;
    is_temporary = named->temporaries == 0;
    for (i = 0; i < named->variables; i++) {
        const cl_mem *place = named->variable[i];
        const kfusion_memory *other;
        cl_mem mem;
        if (place == NULL)
            return 0;
        if ((uintptr_t)place & 1) {
            const int readable =
                kfusion_is_readable(place = (const cl_mem *)((uintptr_t)place & ~(uintptr_t)1));
            if (readable < 0)
                return 0;
            if (!readable)
                continue; /* a pointer that leads nowhere names nothing */
        }
        mem = *place;
        if (i < named->temporaries) {
            is_temporary |= mem == m->mem;
            continue;
        }
        if (mem == m->mem)
            return 0;
        other = kfusion_find_memory(s, mem);
        if (other == NULL || !other->held || !kfusion_apart(mem, m->mem))
            return 0;
    }
    return is_temporary;
}

/* ---- The variables of a region's line ---- */

#define KFUSION_EACH_1(f, a) f(a)
#define KFUSION_EACH_2(f, a, ...) f(a), KFUSION_EACH_1(f, __VA_ARGS__)
#define KFUSION_EACH_3(f, a, ...) f(a), KFUSION_EACH_2(f, __VA_ARGS__)
#define KFUSION_EACH_4(f, a, ...) f(a), KFUSION_EACH_3(f, __VA_ARGS__)
#define KFUSION_EACH_5(f, a, ...) f(a), KFUSION_EACH_4(f, __VA_ARGS__)
#define KFUSION_EACH_6(f, a, ...) f(a), KFUSION_EACH_5(f, __VA_ARGS__)
#define KFUSION_EACH_7(f, a, ...) f(a), KFUSION_EACH_6(f, __VA_ARGS__)
#define KFUSION_EACH_8(f, a, ...) f(a), KFUSION_EACH_7(f, __VA_ARGS__)
#define KFUSION_EACH_9(f, a, ...) f(a), KFUSION_EACH_8(f, __VA_ARGS__)
#define KFUSION_EACH_10(f, a, ...) f(a), KFUSION_EACH_9(f, __VA_ARGS__)
#define KFUSION_EACH_11(f, a, ...) f(a), KFUSION_EACH_10(f, __VA_ARGS__)
#define KFUSION_EACH_12(f, a, ...) f(a), KFUSION_EACH_11(f, __VA_ARGS__)
#define KFUSION_EACH_13(f, a, ...) f(a), KFUSION_EACH_12(f, __VA_ARGS__)
#define KFUSION_EACH_14(f, a, ...) f(a), KFUSION_EACH_13(f, __VA_ARGS__)
#define KFUSION_EACH_15(f, a, ...) f(a), KFUSION_EACH_14(f, __VA_ARGS__)
#define KFUSION_EACH_16(f, a, ...) f(a), KFUSION_EACH_15(f, __VA_ARGS__)
#define KFUSION_LAST(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, number, ...) number
#define KFUSION_COUNT(...)                                                                    \
    KFUSION_LAST(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define KFUSION_EACH_OF_PASTED(count) KFUSION_EACH_##count
#define KFUSION_EACH_OF(count) KFUSION_EACH_OF_PASTED(count)
#define KFUSION_EACH(f, ...) KFUSION_EACH_OF(KFUSION_COUNT(__VA_ARGS__))(f, __VA_ARGS__)

#ifdef __cplusplus
static inline KFUSION_UNUSED const cl_mem *kfusion_variable(const cl_mem &variable)
{
    return &variable;
}

template <class Other>
static inline KFUSION_UNUSED const cl_mem *kfusion_variable(const Other &)
{
    return NULL;
}
#define KFUSION_VARIABLE(name) kfusion_variable(name)
#else
#define KFUSION_VARIABLE(name) &(name)
#endif

/* KFUSION_REGION_OUT(sum, *KFUSION_OF(c, device)): the member of what a pointer leads to. */
#define KFUSION_OF(pointer, member) KFUSION_BEHIND(&(pointer)->member)

/* KFUSION_REGION_OUT(sum, *KFUSION_READ(vector_device, c)): the same, if only another file knows
   the structure. That file has KFUSION_READS(vector_device, struct vector, device). */
#define KFUSION_READ(name, pointer) kfusion_read(KFUSION_N(reads_##name), pointer)
#ifdef __cplusplus
#define KFUSION_READER(name)                                                                  \
    extern "C" KFUSION_SHARED const cl_mem *KFUSION_N(reads_##name)(const void *object);
#else
#define KFUSION_READER(name)                                                                  \
    extern KFUSION_SHARED const cl_mem *KFUSION_N(reads_##name)(const void *object);
#endif

/* `reads` is NULL where the other file is linked as it was. */
KFUSION_HERE const cl_mem *kfusion_read(const cl_mem *(*reads)(const void *), const void *object)
{
    return reads != NULL ? KFUSION_BEHIND(reads(object)) : NULL;
}

#define KFUSION_VARIABLES_PASTED(line) kfusion_variables_of_line_##line
#define KFUSION_VARIABLES(line) KFUSION_VARIABLES_PASTED(line)
#define KFUSION_NAMED_PASTED(line) kfusion_named_of_line_##line
#define KFUSION_NAMED_OF(line) KFUSION_NAMED_PASTED(line)

/* KFUSION_REGION_OUT(sum, c, d): of what the region writes only c and d are read afterwards. */
#define KFUSION_REGION_OUT(name, ...) KFUSION_REGION_TEMP(name, 0, __VA_ARGS__)

/* KFUSION_REGION_TEMP(sum, 1, t, c): t, the first one, is not read afterwards, and c may be. */
#define KFUSION_REGION_TEMP(name, temporaries, ...)                                           \
    const cl_mem *const KFUSION_VARIABLES(__LINE__)[] = {                                     \
        KFUSION_EACH(KFUSION_VARIABLE, __VA_ARGS__)};                                         \
    const kfusion_named KFUSION_NAMED_OF(__LINE__) = {                                        \
        KFUSION_VARIABLES(__LINE__), KFUSION_COUNT(__VA_ARGS__), temporaries};                \
    kfusion_guard KFUSION_LINE(__LINE__)                                                      \
        __attribute__((__cleanup__(kfusion_end), __unused__)) =                               \
            kfusion_begin_named(&kfusion_region_##name, &KFUSION_NAMED_OF(__LINE__))
