/* Objects: counts, numbers, and addresses that are used again at once. */
#include "standin.h"

enum { MOST_OBJECTS = 65536 };

static object *objects[MOST_OBJECTS]; /* every address that ever was an object's */
static size_t object_count;
static object *free_objects[KINDS];
static unsigned numbers[KINDS];

static const char *const prefixes[KINDS] = {"platform", "d", "c", "q", "m", "s", "p", "k", "e"};

void stop(const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    log_line("stop: %s", text);
    fprintf(stderr, "standin: %s\n", text);
    abort();
}

object *object_at(const void *address)
{
    for (size_t i = 0; i < object_count; i++)
        if (objects[i] == address)
            return objects[i];
    return NULL;
}

void *new_object(kind kind, size_t size)
{
    object *made = free_objects[kind];
    if (made != NULL) {
        free_objects[kind] = made->next_free;
        memset(made, 0, size);
    } else {
        if (object_count == MOST_OBJECTS)
            stop("too many objects");
        made = calloc(1, size);
        objects[object_count++] = made;
    }
    made->kind = kind;
    made->alive = true;
    made->number = ++numbers[kind];
    made->references = 1;
    return made;
}

static void destroy(object *gone)
{
    switch (gone->kind) {
    case DEVICE: device_gone((cl_device_id)gone); break;
    case CONTEXT: context_gone((cl_context)gone); break;
    case QUEUE: queue_gone((cl_command_queue)gone); break;
    case MEM: mem_gone((cl_mem)gone); break;
    case SAMPLER: sampler_gone((cl_sampler)gone); break;
    case PROGRAM: program_gone((cl_program)gone); break;
    case KERNEL: kernel_gone((cl_kernel)gone); break;
    case EVENT: event_gone((cl_event)gone); break;
    default: stop("a platform was released");
    }
    gone->alive = false;
    gone->next_free = free_objects[gone->kind];
    free_objects[gone->kind] = gone;
}

void hold(void *handle)
{
    ((object *)handle)->holds++;
}

void drop(void *handle)
{
    object *held = handle;
    if (held != NULL && --held->holds == 0 && held->references == 0)
        destroy(held);
}

object *alive(const void *handle, kind kind)
{
    object *found = object_at(handle);
    if (found == NULL)
        stop("%p is no object, but is used as %s", handle, prefixes[kind]);
    if (!found->alive)
        stop("%s%u is used after its last release", prefixes[found->kind], found->number);
    if (found->kind != kind)
        stop("%s%u is used as %s", prefixes[found->kind], found->number, prefixes[kind]);
    return found;
}

const char *name_of(const void *handle)
{
    static _Thread_local char texts[64][NAME_LENGTH + 32];
    static _Thread_local unsigned next;
    char *text = texts[next++ % 64];
    if (handle == NULL)
        return "NULL";
    object *found = object_at(handle);
    if (found == NULL)
        stop("%p is no object", handle);
    alive(handle, found->kind);
    if (found->kind == KERNEL)
        snprintf(text, sizeof texts[0], "k%u(%s)", found->number, ((cl_kernel)found)->text->name);
    else if (found->kind == PLATFORM)
        snprintf(text, sizeof texts[0], "platform");
    else
        snprintf(text, sizeof texts[0], "%s%u", prefixes[found->kind], found->number);
    return text;
}

static cl_int retain(const char *function, void *handle, kind kind, cl_int invalid)
{
    call here = begin(function, "%s", name_of(handle));
    if (handle == NULL)
        refuse(&here, invalid);
    if (ok(&here))
        alive(handle, kind)->references++;
    return end(&here);
}

static cl_int release(const char *function, void *handle, kind kind, cl_int invalid)
{
    call here = begin(function, "%s", name_of(handle));
    if (handle == NULL)
        refuse(&here, invalid);
    if (ok(&here)) {
        object *released = alive(handle, kind);
        if (released->references == 0)
            stop("%s is released more often than it was created and retained", name_of(handle));
        if (--released->references == 0 && released->holds == 0) {
            say(&here, " (gone)");
            destroy(released);
        }
    }
    return end(&here);
}

#define COUNTED(NAME, TYPE, KIND, INVALID)                                                         \
    cl_int clRetain##NAME(TYPE handle) { return retain("clRetain" #NAME, handle, KIND, INVALID); } \
    cl_int clRelease##NAME(TYPE handle) { return release("clRelease" #NAME, handle, KIND, INVALID); }

COUNTED(Context, cl_context, CONTEXT, CL_INVALID_CONTEXT)
COUNTED(CommandQueue, cl_command_queue, QUEUE, CL_INVALID_COMMAND_QUEUE)
COUNTED(MemObject, cl_mem, MEM, CL_INVALID_MEM_OBJECT)
COUNTED(Sampler, cl_sampler, SAMPLER, CL_INVALID_SAMPLER)
COUNTED(Program, cl_program, PROGRAM, CL_INVALID_PROGRAM)
COUNTED(Kernel, cl_kernel, KERNEL, CL_INVALID_KERNEL)
COUNTED(Event, cl_event, EVENT, CL_INVALID_EVENT)

/* The device that the platform has is not counted; parts of it are. */
cl_int clRetainDevice(cl_device_id device)
{
    if (device != NULL && device->parent == NULL) {
        call here = begin("clRetainDevice", "%s", name_of(device));
        return end(&here);
    }
    return retain("clRetainDevice", device, DEVICE, CL_INVALID_DEVICE);
}

cl_int clReleaseDevice(cl_device_id device)
{
    if (device != NULL && device->parent == NULL) {
        call here = begin("clReleaseDevice", "%s", name_of(device));
        return end(&here);
    }
    return release("clReleaseDevice", device, DEVICE, CL_INVALID_DEVICE);
}

/* What the program left: one line for each object, and the number of such lines. */
__attribute__((destructor)) static void tell_leaks(void)
{
    unsigned leaks = 0;
    for (size_t i = 0; i < object_count; i++) {
        const object *left = objects[i];
        bool is_root = left->kind == PLATFORM ||
                       (left->kind == DEVICE && ((cl_device_id)left)->parent == NULL);
        if (!left->alive || is_root)
            continue;
        leaks++;
        log_line("leak: %s, %u references, %u holds", name_of(left), left->references, left->holds);
    }
    log_line("leaks: %u", leaks);
}
