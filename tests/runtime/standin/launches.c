/* Launches: the items of a range run one after another. */
#include "standin.h"

#define WAITS cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event

/* What OpenCL accepts, in the order in which implementations usually look. */
static void check_range(call *here, cl_uint dimensions, const size_t *global, const size_t *local)
{
    size_t items = 1;
    if (dimensions < 1 || dimensions > 3)
        refuse(here, CL_INVALID_WORK_DIMENSION);
    if (global == NULL)
        refuse(here, CL_INVALID_GLOBAL_WORK_SIZE);
    for (cl_uint d = 0; ok(here) && local != NULL && d < dimensions; d++) {
        items *= local[d];
        if (local[d] > setting("STANDIN_MAX_ITEMS", 1024))
            refuse(here, CL_INVALID_WORK_ITEM_SIZE);
        bool is_uneven = local[d] == 0 || global[d] % local[d] != 0;
        if (is_uneven && (local[d] == 0 || !setting("STANDIN_NON_UNIFORM", 0)))
            refuse(here, CL_INVALID_WORK_GROUP_SIZE);
    }
    if (items > setting("STANDIN_MAX_GROUP", 1024))
        refuse(here, CL_INVALID_WORK_GROUP_SIZE);
}

static void check_arguments(call *here, cl_kernel kernel)
{
    size_t local = 0;
    for (cl_uint i = 0; ok(here) && i < kernel->text->count; i++) {
        const argument *set = &kernel->arguments[i];
        const parameter *parameter = &kernel->text->parameters[i];
        const object *named = *(object *const *)set->value;
        if (!set->is_set)
            refuse(here, CL_INVALID_KERNEL_ARGS);
        else if (parameter->is_local)
            local += set->size;
        else if ((parameter->is_memory || parameter->is_sampler) && !set->is_svm && named != NULL) {
            alive(named, parameter->is_sampler ? SAMPLER : MEM);
            if (named->number != set->number)
                stop("argument %u of %s was set to an object that is gone; %s has its address", i,
                     name_of(kernel), name_of(named));
        }
    }
    if (local > setting("STANDIN_LOCAL_MEMORY", 32768))
        refuse(here, CL_OUT_OF_RESOURCES);
}

static bool are_memory(cl_kernel kernel, cl_uint i)
{
    return kernel->text->parameters[i].is_memory && !kernel->arguments[i].is_svm;
}

static void run_group(cl_kernel kernel, item *item, operand *operands)
{
    for (cl_uint i = 0; i < kernel->text->count; i++)
        if (kernel->text->parameters[i].is_local)
            memset(operands[i].bytes, 0, operands[i].size);
    const size_t *local = item->local;
    for (size_t at = 0; at < local[0] * local[1] * local[2]; at++) {
        const size_t within[3] = {at % local[0], at / local[0] % local[1],
                                  at / local[0] / local[1]};
        bool is_inside = true;
        for (int d = 0; d < 3; d++) {
            size_t from_start = item->group[d] * local[d] + within[d];
            is_inside = is_inside && from_start < item->global[d];
            item->within[d] = within[d];
            item->id[d] = item->offset[d] + from_start;
        }
        if (is_inside)
            run_item(kernel->text, operands, item);
    }
}

static void run_range(cl_kernel kernel, item *item)
{
    operand operands[MOST_ARGUMENTS];
    for (cl_uint i = 0; i < kernel->text->count; i++) {
        argument *set = &kernel->arguments[i];
        cl_mem mem = are_memory(kernel, i) ? *(cl_mem *)set->value : NULL;
        if (set->is_svm)
            operands[i] = (operand){*(unsigned char **)set->value, (size_t)1 << 40};
        else if (kernel->text->parameters[i].is_local)
            operands[i] = (operand){malloc(set->size), set->size};
        else if (are_memory(kernel, i))
            operands[i] = mem != NULL ? (operand){mem->bytes, mem->size} : (operand){NULL, 0};
        else
            operands[i] = (operand){set->value, set->size};
    }
    size_t groups[3];
    for (int d = 0; d < 3; d++)
        groups[d] = (item->global[d] + item->local[d] - 1) / item->local[d];
    for (size_t at = 0; at < groups[0] * groups[1] * groups[2]; at++) {
        item->group[0] = at % groups[0];
        item->group[1] = at / groups[0] % groups[1];
        item->group[2] = at / groups[0] / groups[1];
        run_group(kernel, item, operands);
    }
    for (cl_uint i = 0; i < kernel->text->count; i++)
        if (kernel->text->parameters[i].is_local)
            free(operands[i].bytes);
}

static void launch(call *here, cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                   const size_t *offset, const size_t *global, const size_t *local, cl_uint waits,
                   const cl_event *list)
{
    expect(here, kernel, KERNEL);
    if (expect(here, queue, QUEUE) && queue->context != kernel->program->context)
        refuse(here, CL_INVALID_CONTEXT);
    if (!ok(here))
        return;
    check_range(here, dimensions, global, local);
    check_arguments(here, kernel);
    if (!ready(here, queue, waits, list))
        return;
    item item = {.dimensions = dimensions};
    for (cl_uint d = 0; d < 3; d++) {
        item.offset[d] = d < dimensions && offset != NULL ? offset[d] : 0;
        item.global[d] = d < dimensions ? global[d] : 1;
        item.local[d] = d < dimensions && local != NULL ? local[d] : 1;
    }
    run_range(kernel, &item);
}

static void say_sizes(call *here, const char *before, cl_uint dimensions, const size_t *sizes)
{
    for (cl_uint d = 0; sizes != NULL && dimensions <= 3 && d < dimensions; d++)
        say(here, "%s%zu", d == 0 ? before : "x", sizes[d]);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim,
                              const size_t *global_work_offset, const size_t *global_work_size,
                              const size_t *local_work_size, WAITS)
{
    call here = CALL("%s %s", name_of(command_queue), name_of(kernel));
    say_sizes(&here, " ", work_dim, global_work_size);
    say_sizes(&here, " local ", work_dim, local_work_size);
    say_sizes(&here, " offset ", work_dim, global_work_offset);
    launch(&here, command_queue, kernel, work_dim, global_work_offset, global_work_size,
           local_work_size, num_events_in_wait_list, event_wait_list);
    return done(&here, command_queue, CL_COMMAND_NDRANGE_KERNEL, event);
}

cl_int clEnqueueTask(cl_command_queue command_queue, cl_kernel kernel, WAITS)
{
    static const size_t one[1] = {1};
    call here = CALL("%s %s", name_of(command_queue), name_of(kernel));
    launch(&here, command_queue, kernel, 1, NULL, one, one, num_events_in_wait_list,
           event_wait_list);
    return done(&here, command_queue, CL_COMMAND_TASK, event);
}

cl_int clEnqueueNativeKernel(cl_command_queue command_queue, void(CL_CALLBACK *user_func)(void *),
                             void *args, size_t cb_args, cl_uint num_mem_objects,
                             const cl_mem *mem_list, const void **args_mem_loc, WAITS)
{
    call here = CALL("%s", name_of(command_queue));
    if (user_func == NULL || (args == NULL) != (cb_args == 0))
        refuse(&here, CL_INVALID_VALUE);
    if (ready(&here, command_queue, num_events_in_wait_list, event_wait_list)) {
        unsigned char *copy = malloc(cb_args + 1);
        if (args != NULL)
            memcpy(copy, args, cb_args);
        for (cl_uint i = 0; i < num_mem_objects; i++) {
            size_t at = (size_t)((const char *)args_mem_loc[i] - (const char *)args);
            memcpy(copy + at, &mem_list[i]->bytes, sizeof(void *));
        }
        user_func(args != NULL ? copy : NULL);
        free(copy);
    }
    return done(&here, command_queue, CL_COMMAND_NATIVE_KERNEL, event);
}
