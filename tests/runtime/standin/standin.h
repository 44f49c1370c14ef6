/* A stand-in for OpenCL, for tests: see README.md. */
#ifndef STANDIN_H
#define STANDIN_H

#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#pragma GCC visibility push(default) /* all else is hidden: a program may use the same names */
#include <CL/cl.h>
void standin_mark(const char *text); /* for the program under test: a line of its own in the log */
#pragma GCC visibility pop

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARGUMENTS = 64, MOST_KERNELS = 64, NAME_LENGTH = 64, MOST_PROPERTIES = 16 };

/* ---- Objects (objects.c) ---------------------------------------------------------------- */

typedef enum kind { PLATFORM, DEVICE, CONTEXT, QUEUE, MEM, SAMPLER, PROGRAM, KERNEL, EVENT, KINDS } kind;

/* The first member of each object. An object is gone when both counts are zero; its address is
   the first that the next object of the same kind gets. */
typedef struct object {
    kind kind;
    bool alive;
    unsigned number;    /* in the order of creation, never used twice: m1, m2, ... */
    cl_uint references; /* what the program created and retained */
    unsigned holds;     /* by other objects: a kernel holds its program */
    struct object *next_free;
} object;

void *new_object(kind kind, size_t size);
void hold(void *handle);
void drop(void *handle);
object *alive(const void *handle, kind kind); /* stops the program if the object is gone */
const char *name_of(const void *handle);      /* "k2(add)"; stops the program likewise */
object *object_at(const void *address);       /* NULL if no object ever was there */
void stop(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* ---- Calls (calls.c) -------------------------------------------------------------------- */

/* One call of the program's: what the log says of it, and the status that it gives back. */
typedef struct call {
    char text[2048];
    cl_int status;
} call;

call begin(const char *function, const char *format, ...) __attribute__((format(printf, 2, 3)));
#define CALL(...) begin(__func__, __VA_ARGS__)
void say(call *here, const char *format, ...) __attribute__((format(printf, 2, 3)));
void refuse(call *here, cl_int status); /* unless it is refused already */
bool expect(call *here, const void *handle, kind kind);
bool ok(const call *here);
cl_int end(call *here);
void *end_with(call *here, void *object, cl_int *status); /* logs the number of the object */
void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
cl_int answer(call *here, const void *value, size_t size, size_t room, void *to, size_t *size_ret);
size_t setting(const char *name, size_t otherwise); /* a limit from the environment */

/* ---- Commands (queues.c) ---------------------------------------------------------------- */

cl_platform_id the_platform(void);
bool ready(call *here, cl_command_queue queue, cl_uint waits, const cl_event *list);
cl_int done(call *here, cl_command_queue queue, cl_command_type type, cl_event *event);
cl_event new_event(cl_context context, cl_command_queue queue, cl_command_type type, cl_int state);

/* ---- The kernels' language (sources.c, meaning.c) ---------------------------------------- */

typedef struct parameter {
    char name[NAME_LENGTH];
    char type[NAME_LENGTH];                   /* without address space and qualifiers */
    bool is_memory, is_local, is_image, is_sampler, is_constant, is_const, is_pipe;
    size_t size;                              /* of the value, or of what it points to; 0: unknown */
} parameter;

typedef struct kernel_text {
    char name[NAME_LENGTH];
    cl_uint count;
    parameter parameters[MOST_ARGUMENTS];
    const char *body;
} kernel_text;

/* What one argument is during a launch: its value, or the memory that it names. */
typedef struct operand {
    unsigned char *bytes;
    size_t size;
} operand;

typedef struct item {
    cl_uint dimensions;
    size_t offset[3], global[3], local[3], id[3], group[3], within[3];
} item;

typedef enum number_type { INTEGER, FLOAT, DOUBLE } number_type;

extern const struct number_types {
    const char *name;
    size_t size;
    number_type type;
} number_types[]; /* the last one has no name */

size_t type_index(const char *name);
const char *skip_blanks(const char *at);
const char *read_word(const char *at, char word[NAME_LENGTH]); /* "" if no identifier is there */
char *without_comments(const char *source);
size_t find_kernels(const char *text, kernel_text *kernels, size_t most);
void run_item(const kernel_text *kernel, const operand *operands, const item *item);

/* ---- The objects' contents -------------------------------------------------------------- */

struct _cl_platform_id { object base; };

struct _cl_device_id {
    object base;
    cl_device_id parent;
};

struct _cl_context {
    object base;
    cl_context_properties properties[MOST_PROPERTIES];
    size_t property_count;
    cl_uint device_count;
    cl_device_id device;
    void (CL_CALLBACK *notify)(cl_context, void *);
    void *data;
};

struct _cl_command_queue {
    object base;
    cl_context context;
    cl_device_id device;
    cl_command_queue_properties flags;
    cl_queue_properties properties[MOST_PROPERTIES];
    size_t property_count;
};

typedef struct notice {
    void (CL_CALLBACK *notify)(cl_mem, void *);
    void *data;
    struct notice *next;
} notice;

struct _cl_mem {
    object base;
    cl_context context;
    cl_mem_object_type type;
    cl_mem_flags flags;
    size_t size;
    unsigned char *bytes;
    bool owns_bytes;
    void *host_ptr;
    cl_mem parent;
    size_t origin;
    cl_uint maps;
    notice *notices;
    cl_image_format format;
    cl_image_desc desc;
    size_t element, row, slice;
    cl_uint packet, packets;
};

struct _cl_sampler {
    object base;
    cl_context context;
    cl_bool normalized;
    cl_addressing_mode addressing;
    cl_filter_mode filter;
};

struct _cl_program {
    object base;
    cl_context context;
    char *source, *text, *options;
    bool from_source, is_built, is_il;
    cl_build_status build;
    cl_program_binary_type type;
    size_t kernel_count;
    kernel_text kernels[MOST_KERNELS];
    void (CL_CALLBACK *notify)(cl_program, void *);
    void *data;
};

typedef struct argument {
    bool is_set, is_svm;
    size_t size;
    unsigned char value[256];
    unsigned number; /* of the object that it names: its address may be another's by now */
} argument;

struct _cl_kernel {
    object base;
    cl_program program;
    const kernel_text *text;
    argument arguments[MOST_ARGUMENTS];
};

typedef struct waiter {
    cl_int state;
    void (CL_CALLBACK *notify)(cl_event, cl_int, void *);
    void *data;
    struct waiter *next;
} waiter;

struct _cl_event {
    object base;
    cl_context context;
    cl_command_queue queue;
    cl_command_type type;
    cl_int state;
    cl_ulong time;
    waiter *waiters;
};

void device_gone(cl_device_id device);
void context_gone(cl_context context);
void queue_gone(cl_command_queue queue);
void mem_gone(cl_mem mem);
void sampler_gone(cl_sampler sampler);
void program_gone(cl_program program);
void kernel_gone(cl_kernel kernel);
void event_gone(cl_event event);

#endif
