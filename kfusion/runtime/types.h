/* ==== What generated patterns use ======================================================= */

/* An argument as it was set. The value is NULL for local memory, and aligned for any type. */
typedef struct kfusion_argument {
    size_t size;
    const void *value;
} kfusion_argument;

/* A launch that was noted, as it was written. */
typedef struct kfusion_noted {
    cl_kernel kernel; /* held while the launch is noted, like all that its arguments name */
    cl_program program;
    cl_command_queue queue;
    const char *name; /* of the kernel */
    cl_uint count;    /* how many arguments */
    const kfusion_argument *arguments;
    cl_uint dimensions;
    int has_local; /* a local size was given */
    size_t offset[3], global[3], local[3]; /* 0, 1 and 1 where nothing was given */
} kfusion_noted;

/* What a group of a fused launch does: so many items of the noted one; and how many it has.
   If it marches: `least` rows (or planes) or more, so that there are `groups`; others do the frame
   around, in pieces of `frame`. */
typedef struct kfusion_tiles {
    cl_uint dimensions;
    size_t items[3], local[3];
    cl_ulong least, groups, frame[2];
} kfusion_tiles;

/* The making of one or more repetitions of a part. */
typedef struct kfusion_run kfusion_run;

#define KFUSION_VALUE(type, launch, argument) \
    (*(const type *)(launch)->arguments[argument].value)

/* A number in an argument that is a vector or a structure, behind so many bytes. */
#define KFUSION_PART(type, launch, argument, bytes) \
    (*(const type *)((const char *)(launch)->arguments[argument].value + (bytes)))

/* Why a pattern cannot be made, as a format of printf with its values; gives 0. */
#define KFUSION_NO kfusion_no

/* ==== The tables ========================================================================= */

#define KFUSION_IS_MEMORY(kind) ((kind) == 'm' || (kind) == 'w')

typedef struct kfusion_step_table {
    const char *kernel; /* its name in the program */
    cl_uint count;      /* how many parameters */
    const short *slots; /* for each parameter the slot that it binds, or must be equal to; -1: any */
    short range;        /* the slot of its range (dimensions, offset, global, local); -1: any */
    const char *kinds;  /* a letter for each parameter: memory, or such that is only
                          written; sampler, local, value */
    const char *fused;  /* a kernel that only the program has whose kernel this is; or NULL */
    const char *text;   /* else the program's name among the known texts; NULL: any program */
} kfusion_step_table;

/* How often a part can be made at once, and the functions that do it. */
typedef struct kfusion_form {
    size_t repetitions;
    int (*make)(kfusion_run *run);      /* stores everything; NULL: as written */
    int (*make_less)(kfusion_run *run); /* does not store the slots that the part drops; or NULL */
    size_t payers; /* so many whole repetitions must be noted behind it; normally 0 */
    cl_ulong price; /* in no unit, but less is faster */
} kfusion_form;

enum {
    KFUSION_SCRATCH = 1, /* dropped only if made, and released for the last time, in the region */
    KFUSION_NAMED = 2,   /* dropped, but not before the region ends */
    KFUSION_FRESH = 4,   /* besides: while the conditions hold, a repetition, also one made as
                            written, reads of this memory only what itself wrote before */
    KFUSION_AT_END = 8   /* besides: only if the variables of the region's line say so */
};

typedef struct kfusion_drop {
    short slot;
    short why;
} kfusion_drop;

typedef struct kfusion_part {
    size_t steps;
    const kfusion_step_table *step;
    short slots; /* how many */
    short exchanges;
    const short (*exchange)[2]; /* {to, from}: `to` holds next what `from` held in this repetition */
    short fresh;
    const short *anew; /* slots that are bound anew in each repetition */
    size_t most;       /* repetitions; 0: any number */
    size_t forms;
    const kfusion_form *form; /* in order of decreasing repetitions */
    short drops;
    const kfusion_drop *drop;
    short written;
    const short *writes; /* slots of memory that some step writes */
} kfusion_part;

typedef struct kfusion_pattern {
    const char *name;
    size_t parts;
    const kfusion_part *part;
    cl_device_type devices; /* made on these only: others are slower so, or have other patterns */
    cl_ulong local;         /* ... with so many bytes of local memory, or more */
} kfusion_pattern;

/* A program that lacks a fused kernel, and what goes around its source. */
typedef struct kfusion_addition {
    unsigned long long source;  /* hash of CL_PROGRAM_SOURCE (FNV-1a, 64 bits) */
    const char *const *options; /* that it may be built with, ended by NULL; or NULL: any */
    const char *head; /* which macros do the options define? */
    const char *text;
} kfusion_addition;

/* The source of a program of which a kernel is made together with other programs. */
typedef struct kfusion_known_text {
    const char *name;
    unsigned long long source; /* hash */
} kfusion_known_text;

typedef struct kfusion_region {
    const char *name;  /* "pythagoras" */
    const char *place; /* "pythagoras.c:24" */
    size_t patterns;
    const kfusion_pattern *pattern;
    size_t additions;
    const kfusion_addition *addition;
    size_t known_texts;
    const kfusion_known_text *known_text;
} kfusion_region;
