/* The log, failures on demand, and answers to queries. */
#include "standin.h"

#include <pthread.h>

enum { MOST_FUNCTIONS = 256 };

static struct {
    const char *name;
    unsigned long calls;
} functions[MOST_FUNCTIONS];

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

void log_line(const char *format, ...)
{
    static FILE *file;
    static bool asked;
    if (!asked) {
        asked = true;
        const char *path = getenv("STANDIN_LOG");
        file = path != NULL ? fopen(path, "w") : NULL;
    }
    if (file == NULL)
        return;
    va_list list;
    va_start(list, format);
    vfprintf(file, format, list);
    va_end(list);
    fputc('\n', file);
    fflush(file); /* the program may stop at any call */
}

void standin_mark(const char *text)
{
    log_line("-- %s", text);
}

static unsigned long count_call(const char *function)
{
    size_t i = 0;
    while (functions[i].name != NULL && strcmp(functions[i].name, function) != 0)
        i++;
    if (i + 1 >= MOST_FUNCTIONS)
        stop("too many functions");
    functions[i].name = function;
    return ++functions[i].calls;
}

/* STANDIN_FAIL: "function:n:status", separated by commas; the n-th call fails, or all if n is 0. */
static cl_int failure_of(const char *function, unsigned long nth)
{
    const char *rest = getenv("STANDIN_FAIL");
    size_t length = strlen(function);
    for (; rest != NULL && *rest != '\0'; rest = *rest == ',' ? rest + 1 : rest) {
        if (strncmp(rest, function, length) == 0 && rest[length] == ':') {
            char *after;
            unsigned long which = strtoul(rest + length + 1, &after, 10);
            if (*after == ':' && (which == 0 || which == nth))
                return (cl_int)strtol(after + 1, NULL, 10);
        }
        rest += strcspn(rest, ",");
    }
    return CL_SUCCESS;
}

call begin(const char *function, const char *format, ...)
{
    pthread_mutex_lock(&lock);
    call here = {.status = failure_of(function, count_call(function))};
    int used = snprintf(here.text, sizeof here.text, "%s ", function);
    va_list list;
    va_start(list, format);
    vsnprintf(here.text + used, sizeof here.text - (size_t)used, format, list);
    va_end(list);
    return here;
}

void say(call *here, const char *format, ...)
{
    size_t used = strlen(here->text);
    va_list list;
    va_start(list, format);
    vsnprintf(here->text + used, sizeof here->text - used, format, list);
    va_end(list);
}

void refuse(call *here, cl_int status)
{
    if (here->status == CL_SUCCESS)
        here->status = status;
}

bool expect(call *here, const void *handle, kind kind)
{
    static const cl_int invalid[KINDS] = {
        CL_INVALID_PLATFORM, CL_INVALID_DEVICE,  CL_INVALID_CONTEXT, CL_INVALID_COMMAND_QUEUE,
        CL_INVALID_MEM_OBJECT, CL_INVALID_SAMPLER, CL_INVALID_PROGRAM, CL_INVALID_KERNEL,
        CL_INVALID_EVENT};
    if (handle == NULL)
        refuse(here, invalid[kind]);
    else
        alive(handle, kind);
    return ok(here);
}

bool ok(const call *here)
{
    return here->status == CL_SUCCESS;
}

cl_int end(call *here)
{
    log_line("%s -> %d", here->text, here->status);
    pthread_mutex_unlock(&lock);
    return here->status;
}

void *end_with(call *here, void *object, cl_int *status)
{
    if (status != NULL)
        *status = here->status;
    if (ok(here))
        log_line("%s -> %s", here->text, object_at(object) != NULL ? name_of(object) : "address");
    else
        log_line("%s -> %d", here->text, here->status);
    pthread_mutex_unlock(&lock);
    return ok(here) ? object : NULL;
}

cl_int answer(call *here, const void *value, size_t size, size_t room, void *to, size_t *size_ret)
{
    if (ok(here) && to != NULL && room < size)
        refuse(here, CL_INVALID_VALUE);
    if (ok(here) && to != NULL && size > 0)
        memcpy(to, value, size);
    if (ok(here) && size_ret != NULL)
        *size_ret = size;
    return end(here);
}

size_t setting(const char *name, size_t otherwise)
{
    const char *text = getenv(name);
    return text != NULL ? strtoull(text, NULL, 0) : otherwise;
}
