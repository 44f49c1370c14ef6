/* ==== What both headers of the run time begin with ======================================== */

#ifndef KFUSION_SHARED
#define KFUSION_PASTED(id, name) kfusion_##id##_##name
#define KFUSION_PASTE(id, name) KFUSION_PASTED(id, name)
#define KFUSION_N(name) KFUSION_PASTE(KFUSION_ID, name) /* a name that the linker sees */

#define KFUSION_UNUSED __attribute__((__unused__))
#define KFUSION_SHARED __attribute__((__weak__))
#define KFUSION_HERE static __inline__ KFUSION_UNUSED /* inline: not there if it is not used */

/* What KFUSION_OUTSIDE keeps of a region while a function runs that is not given. */
typedef struct kfusion_guard {
    const struct kfusion_region *outer;
    int began;
    const struct kfusion_named *named;
} kfusion_guard;

/* In a file that knows a structure: where a handle of it is, for files that do not. */
#define KFUSION_READS(name, type, member)                                                     \
    const cl_mem *KFUSION_N(reads_##name)(const void *object);                                \
    const cl_mem *KFUSION_N(reads_##name)(const void *object)                                 \
    {                                                                                         \
        return &((const type *)object)->member;                                               \
    }

/* Parameters that many functions of OpenCL have, and types of others. */
#define KFUSION_ANSWER size_t size, void *value, size_t *size_ret
#define KFUSION_WAITS cl_uint waits, const cl_event *wait_list, cl_event *event

typedef void(CL_CALLBACK *kfusion_context_notify)(const char *, const void *, size_t, void *);
typedef void(CL_CALLBACK *kfusion_program_notify)(cl_program program, void *user);
#endif
