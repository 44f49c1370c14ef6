/* ==== State: all of it is the thread's ==================================================== */

enum { kfusion_most_noted = 64, kfusion_buckets = 64 };

typedef enum kfusion_mode {
    kfusion_mode_unknown,
    kfusion_mode_off,
    kfusion_mode_on,
    kfusion_mode_trace,
    kfusion_mode_check,
    kfusion_mode_check_and_trace,
    kfusion_mode_record
} kfusion_mode;

/* The bytes of one argument. */
typedef struct kfusion_value {
    size_t size, room;
    int known, local;
    size_t releases; /* by the state's count, when it was set */
    cl_ulong small[2]; /* where the bytes are, if these suffice */
    void *large;
} kfusion_value;

/* A kernel of the program's: what its arguments are, and what was asked about it. Held. */
typedef struct kfusion_record {
    struct kfusion_record *next;
    cl_kernel kernel;
    size_t noted;     /* launches */
    int dropped;      /* the program has released it for the last time */
    int unknowable;   /* it has shared virtual memory, or execution info */
    size_t changes;   /* of arguments */
    cl_uint values;   /* room */
    kfusion_value *value;
    int asked, usable;
    int foreign; /* its program has no fused kernels */
    cl_uint count;
    cl_program program;
    cl_context context;
    char *name;
    size_t name_room;
    cl_device_id device; /* which these are about: */
    size_t group, required[3];
    cl_ulong local;
    const kfusion_region *region; /* whose patterns have the step */
    const kfusion_step_table *step;
} kfusion_record;

/* A memory object that a noted launch names, or that was made in the region. */
typedef struct kfusion_memory {
    struct kfusion_memory *next;
    cl_mem mem;
    size_t noted; /* arguments of noted launches */
    cl_context context;
    size_t asked_maps; /* how many commands that map there had been */
    cl_mem root;       /* the object that has the memory */
    size_t origin, end;
    cl_mem_object_type type; /* if it is measured */
    unsigned char held;
    unsigned char asked, usable; /* it may be noted */
    unsigned char measured;      /* root, origin and end are known */
    unsigned char over_host;     /* the root uses memory of the host's, or nothing is known */
    unsigned char created;       /* in this region, by a redirected call */
    unsigned char escaped; /* something was made from it, or a command not noted names it */
    unsigned char released; /* by the program, once or more */
} kfusion_memory;

typedef struct kfusion_launch {
    kfusion_noted noted; /* the first member */
    kfusion_record *record;
    size_t changes; /* of the record, when the launch was noted */
    const kfusion_step_table *step;
    kfusion_argument *argument;
    size_t argument_room;
    kfusion_memory **memory; /* for each argument, or NULL */
    size_t memory_room;
    unsigned char *block; /* the bytes of the arguments */
    size_t block_room;
} kfusion_launch;

/* The queue of the noted launches. Held. */
typedef struct kfusion_queue {
    cl_command_queue queue;
    int usable;
    cl_device_id device;
    cl_context context;
    cl_uint dimensions;
    size_t items[3]; /* the most in a group, by dimension */
    cl_device_type type;
    cl_ulong local;
    int dropped; /* the program has released it */
} kfusion_queue;

/* Launches that are made together: repetitions of a part, or launches as they were written. */
typedef struct kfusion_segment {
    const kfusion_region *region;
    const kfusion_pattern *pattern;
    const kfusion_part *part; /* NULL: as written */
    size_t launches, repetitions;
    size_t behind;  /* whole repetitions that were noted behind it, and make up for its stores */
    int conditions; /* of its repetitions, one by one: 1: they hold, -1: not, 0: not looked at */
} kfusion_segment;

/* What a slot holds: an argument of a launch, or its range. */
typedef struct kfusion_bound {
    int is;
    size_t launch; /* counted from the first active one */
    cl_uint argument;
} kfusion_bound;

/* A part that all active launches fit to. */
typedef struct kfusion_candidate {
    const kfusion_pattern *pattern;
    size_t part;
    size_t repetitions, step; /* whole repetitions, and steps of the one that is begun */
    kfusion_bound *slot, *before;
    size_t slot_room, before_room;
} kfusion_candidate;

/* A kernel object of the run time's own; its kernel is NULL if the program has none of the name. */
typedef struct kfusion_own {
    struct kfusion_own *next;
    char *name;
    cl_kernel kernel;
    cl_int status; /* of making it */
    const struct kfusion_program *of;
    int added; /* of the program with the fused text added */
    cl_uint parameters;
    kfusion_value *value; /* of each parameter; NULL without memory for them */
    size_t group, required[3];
    cl_ulong local;
} kfusion_own;

enum { kfusion_most_programs = 8 };

/* A program of the program's for a device, its own kernels, and it with fused text added. Held.
   Or several, of which one with fused text is made together. */
typedef struct kfusion_program {
    struct kfusion_program *next;
    cl_program program[kfusion_most_programs];
    size_t programs;
    cl_device_id device;
    cl_uint references; /* that own kernels add to its count */
    kfusion_own *own;
    cl_program added;
    char *options; /* that the added program was built with */
    int looked;    /* for an addition, in this region */
    int compared, alike; /* ... the programs: one text, built with the same options */
} kfusion_program;

typedef struct kfusion_state {
    struct kfusion_state *next; /* in the pool */
    const kfusion_region *region;
    const struct kfusion_named *named; /* what the annotation of a region names that ends now */
    size_t depth;
    int has_noted, has_made; /* launches; fused ones: since the outermost region began */

    kfusion_queue queue;
    kfusion_launch **launch;
    size_t launch_room, launches;
    size_t active; /* the first launch that is in no segment */
    size_t owed;   /* launches before this one are followed by a clFinish of the program's */
    size_t limit;  /* launches */
    const char *why; /* they are settled */
    char told[200], range[100]; /* for that, if numbers are in it */
    kfusion_segment *segment;
    size_t segment_room, segments;

    kfusion_candidate *candidate;
    size_t candidate_room, candidates;
    size_t fed; /* launches that the candidates have seen */
    const kfusion_pattern *after_pattern; /* what the last segment was */
    size_t after_part;
    kfusion_candidate best; /* covers the most active launches by whole repetitions */
    size_t best_launches;

    kfusion_record *record[kfusion_buckets], *free_record, *last_record;
    uint64_t record_in; /* a bit for each bucket that is not empty */
    kfusion_memory *memory[kfusion_buckets], *free_memory;
    uint64_t memory_in; /* a bit for each bucket that is not empty */
    size_t maps; /* commands that map, so far */
    int released; /* kernels, programs or contexts, since a region ended */
    size_t releases; /* of memory, samplers and queues, so far */
    kfusion_program *program;
    struct kfusion_dropped *dropped; /* objects that were not stored, where that is checked */

    cl_command_queue failed_queue; /* held: the next call on it returns this status */
    cl_int failed;

    unsigned char *done; /* of the steps of a run */
    size_t done_room;
    cl_program recorded; /* the last program that was written down */
    char *text; /* of the region, as recorded */
    size_t text_room, text_length, text_head;
    const void **handle; /* that the text has numbers for */
    size_t handle_room, handles;
} kfusion_state;

/* How often a region has noted launches, one time after the other, and made nothing of them. */
typedef struct kfusion_habit {
    const void *region;
    int idle, skipped;
} kfusion_habit;

enum { kfusion_most_idle = 16, kfusion_habits = 64 };

#ifdef __cplusplus
extern "C" {
#endif
/* NULL outside regions, unless something is remembered. */
KFUSION_SHARED __thread kfusion_state *KFUSION_N(state);
KFUSION_SHARED kfusion_state *KFUSION_N(pool); /* states that no thread has */
KFUSION_SHARED int KFUSION_N(pool_lock);
KFUSION_SHARED int KFUSION_N(programs); /* that states hold, in all threads */
KFUSION_SHARED int KFUSION_N(mode_read);
KFUSION_SHARED kfusion_habit KFUSION_N(habit)[kfusion_habits];
KFUSION_SHARED int KFUSION_N(callbacks); /* the program has registered a destructor callback */
#ifdef __cplusplus
}
#endif

#define kfusion_now KFUSION_N(state)

KFUSION_HERE kfusion_mode kfusion_read_mode(void)
{
    const char *text = getenv("KFUSION");
    kfusion_mode mode = kfusion_mode_on;

    if (text != NULL && strcmp(text, "off") == 0)
        mode = kfusion_mode_off;
    else if (text != NULL && strcmp(text, "trace") == 0)
        mode = kfusion_mode_trace;
    else if (text != NULL && strcmp(text, "check") == 0)
        mode = kfusion_mode_check;
    else if (text != NULL && strcmp(text, "check,trace") == 0)
        mode = kfusion_mode_check_and_trace;
    else if (text != NULL && strcmp(text, "record") == 0)
        mode = kfusion_mode_record;
    else if (text != NULL && *text != '\0')
        fprintf(stderr, "kfusion: KFUSION=%s is none of off, trace, check and record\n", text);
    __atomic_store_n(&KFUSION_N(mode_read), (int)mode, __ATOMIC_RELAXED);
    return mode;
}

KFUSION_HERE kfusion_mode kfusion_get_mode(void)
{
    int mode = __atomic_load_n(&KFUSION_N(mode_read), __ATOMIC_RELAXED);

    return mode == kfusion_mode_unknown ? kfusion_read_mode() : (kfusion_mode)mode;
}

KFUSION_HERE void kfusion_lock(int *lock)
{
    while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
        ;
}

KFUSION_HERE void kfusion_unlock(int *lock)
{
    __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

/* The array with room for more, the new part zero; NULL if there is no memory. */
KFUSION_HERE void *kfusion_grown(void *old, size_t *room, size_t needed, size_t each)
{
    size_t wanted = *room * 2 > needed ? *room * 2 : needed;
    void *array = wanted > (size_t)-1 / 2 / each ? NULL : realloc(old, wanted * each);

    if (array == NULL)
        return NULL;
    memset((char *)array + *room * each, 0, (wanted - *room) * each);
    *room = wanted;
    return array;
}

/* True if the array has room for so many elements. */
#define KFUSION_ROOM(type, array, room, needed)                                              \
    ((needed) <= (room) || kfusion_has_grown((void **)(void *)&(array), &(room), (needed),   \
                                             sizeof(type)))

KFUSION_HERE int kfusion_has_grown(void **array, size_t *room, size_t needed, size_t each)
{
    void *old, *grown;

    memcpy(&old, array, sizeof old);
    grown = kfusion_grown(old, room, needed, each);
    if (grown == NULL)
        return 0;
    memcpy(array, &grown, sizeof grown);
    return 1;
}

KFUSION_HERE size_t kfusion_bucket(const void *handle)
{
    return ((uintptr_t)handle >> 4 ^ (uintptr_t)handle >> 10) % kfusion_buckets;
}

/* Copying and comparing bytes of arguments, most of which are handles and numbers. */
KFUSION_HERE void kfusion_copy(void *to, const void *from, size_t size)
{
    if (size == 8)
        memcpy(to, from, 8);
    else if (size == 4)
        memcpy(to, from, 4);
    else
        memcpy(to, from, size);
}

KFUSION_HERE int kfusion_equal(const void *a, const void *b, size_t size)
{
    return size == 8 ? memcmp(a, b, 8) == 0 : memcmp(a, b, size) == 0;
}

/* The buckets of which a mask has bits, in turn: the first, and the mask without it. */
#define KFUSION_BUCKETS(b, mask)                                                              \
    for (; (mask) != 0 && ((b) = (size_t)__builtin_ctzll(mask), 1); (mask) &= (mask) - 1)

/* The thread's state, from the pool if the thread has none; NULL if there is no memory. */
KFUSION_HERE kfusion_state *kfusion_attach(void)
{
    kfusion_state *s = kfusion_now;

    if (s != NULL)
        return s;
    kfusion_lock(&KFUSION_N(pool_lock));
    s = KFUSION_N(pool);
    if (s != NULL)
        KFUSION_N(pool) = s->next;
    kfusion_unlock(&KFUSION_N(pool_lock));
    if (s == NULL)
        s = (kfusion_state *)calloc(1, sizeof *s);
    kfusion_now = s;
    return s;
}

KFUSION_HERE void kfusion_detach(kfusion_state *s)
{
    kfusion_now = NULL;
    kfusion_lock(&KFUSION_N(pool_lock));
    s->next = KFUSION_N(pool);
    KFUSION_N(pool) = s;
    kfusion_unlock(&KFUSION_N(pool_lock));
}
