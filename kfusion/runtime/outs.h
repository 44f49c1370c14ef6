/* ==== What out(...) and temp(...) name, by the variables that hold it when the region ends === */

/* The variables that an annotation names, where it is not known beforehand which objects they
   hold in the end: KFUSION_REGION_OUT(sum, c, d) */
typedef struct kfusion_named {
    const cl_mem *const *variable; /* NULL in C++: one of another type; else with bits below */
    size_t variables;
    size_t temporaries; /* the first so many are temp(...), the others are not; 0: all are out(...) */
} kfusion_named;

/* Of what is in a variable's place: it leads to a kfusion_pointer; nothing is known of the objects
   that no launch of the region got. */
enum { KFUSION_BY_POINTER = 1, KFUSION_MAY_BE_ANY = 2 };

/* A handle in what a variable points to when the region ends. */
typedef struct kfusion_pointer {
    const void *variable;
    size_t offset;
    const cl_mem *(*reads)(const void *object); /* of a structure that the file does not know */
    int elsewhere;                              /* there should be such a function */
} kfusion_pointer;

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

/* The handle that a variable of the region's line leads to: 1; 0: a pointer leads nowhere, so it
   names nothing; -1: that cannot be told. */
KFUSION_HERE int kfusion_read_named(const cl_mem *variable, cl_mem *mem)
{
    const uintptr_t bits = KFUSION_BY_POINTER | KFUSION_MAY_BE_ANY;
    const int by_pointer = ((uintptr_t)variable & KFUSION_BY_POINTER) != 0;
    const kfusion_pointer *pointer = (const kfusion_pointer *)((uintptr_t)variable & ~bits);
    const void *object;
    int readable;

    variable = (const cl_mem *)((uintptr_t)variable & ~bits);
    if (variable == NULL)
        return -1;
    if (by_pointer) {
        if (pointer->elsewhere && pointer->reads == NULL)
            return -1; /* the other file is linked as it was */
        memcpy(&object, pointer->variable, sizeof object);
        variable = pointer->reads != NULL
                       ? pointer->reads(object)
                       : (const cl_mem *)((uintptr_t)object + pointer->offset);
        readable = kfusion_is_readable(variable);
        if (readable <= 0)
            return readable;
    }
    memcpy(mem, variable, sizeof *mem);
    return 1;
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
        const kfusion_memory *other;
        cl_mem mem = NULL;
        const int found = kfusion_read_named(named->variable[i], &mem);
        if (found < 0)
            return 0;
        if (found == 0)
            continue;
        if (i < named->temporaries) {
            is_temporary |= mem == m->mem;
            continue;
        }
        if (mem == m->mem)
            return 0;
        other = kfusion_find_memory(s, mem);
        if (((uintptr_t)named->variable[i] & KFUSION_MAY_BE_ANY) && (other == NULL || !other->held))
            continue;
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
/* NULL for members of packed structures: their addresses may be odd. */
#define KFUSION_VARIABLE(name)                                                                \
    (__alignof__(name) > KFUSION_MAY_BE_ANY ? (const cl_mem *)(uintptr_t)(const void *)&(name) \
                                            : NULL)
#endif

#define KFUSION_POINTER(...)                                                                  \
    *(const cl_mem *)((uintptr_t)&(const kfusion_pointer){__VA_ARGS__} | KFUSION_BY_POINTER)

/* KFUSION_REGION_TEMP(sum, 1, t.mem, KFUSION_BESIDE(t.next)): a member of a structure that the
   annotation names for another one's sake. Nobody says that the region's launches get it. */
#define KFUSION_BESIDE(variable)                                                              \
    *(const cl_mem *)((uintptr_t)&(variable) | KFUSION_MAY_BE_ANY)

/* KFUSION_REGION_OUT(sum, KFUSION_OF(c, device)): the member of what c points to in the end. */
#define KFUSION_OF(pointer, member)                                                           \
    KFUSION_POINTER(&(pointer), __builtin_offsetof(__typeof__(*(pointer)), member), NULL, 0)

/* KFUSION_REGION_OUT(sum, KFUSION_READ(vector_device, c)): the same, if only another file knows
   the structure. That file has KFUSION_READS(vector_device, struct vector, device). */
#define KFUSION_READ(name, pointer)                                                           \
    KFUSION_POINTER(&(pointer), 0, KFUSION_N(reads_##name), 1)
#ifdef __cplusplus
#define KFUSION_READER(name)                                                                  \
    extern "C" KFUSION_SHARED const cl_mem *KFUSION_N(reads_##name)(const void *object);
#else
#define KFUSION_READER(name)                                                                  \
    extern KFUSION_SHARED const cl_mem *KFUSION_N(reads_##name)(const void *object);
#endif

#define KFUSION_VARIABLES_PASTED(line) kfusion_variables_of_line_##line
#define KFUSION_VARIABLES(line) KFUSION_VARIABLES_PASTED(line)
#define KFUSION_NAMED_PASTED(line) kfusion_named_of_line_##line
#define KFUSION_NAMED_OF(line) KFUSION_NAMED_PASTED(line)

/* KFUSION_REGION_OUT(sum, c, d): of what the region writes only c and d are read afterwards. */
#define KFUSION_REGION_OUT(name, ...) KFUSION_REGION_NAMED(kfusion_region_##name, 0, __VA_ARGS__)

/* KFUSION_REGION_TEMP(sum, 1, t, c): t, the first one, is not read afterwards, and c may be. */
#define KFUSION_REGION_TEMP(name, temporaries, ...)                                           \
    KFUSION_REGION_NAMED(kfusion_region_##name, temporaries, __VA_ARGS__)

/* The program may have a macro with the name of the region: it is pasted first of all. */
#define KFUSION_REGION_NAMED(region, temporaries, ...)                                        \
    const cl_mem *const KFUSION_VARIABLES(__LINE__)[] = {                                     \
        KFUSION_EACH(KFUSION_VARIABLE, __VA_ARGS__)};                                         \
    const kfusion_named KFUSION_NAMED_OF(__LINE__) = {                                        \
        KFUSION_VARIABLES(__LINE__), KFUSION_COUNT(__VA_ARGS__), temporaries};                \
    kfusion_guard KFUSION_LINE(__LINE__)                                                      \
        __attribute__((__cleanup__(kfusion_end), __unused__)) =                               \
            kfusion_begin_named(&region, &KFUSION_NAMED_OF(__LINE__))
