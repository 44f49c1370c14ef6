/* Platform, device, contexts, queues, events. A command is done when its call returns. */
#include "standin.h"

void device_gone(cl_device_id device)
{
    drop(device->parent);
}

void context_gone(cl_context context)
{
    if (context->notify != NULL)
        context->notify(context, context->data);
    if (context->device->parent != NULL)
        drop(context->device);
}

void queue_gone(cl_command_queue queue)
{
    drop(queue->context);
}

void event_gone(cl_event event)
{
    while (event->waiters != NULL) {
        waiter *first = event->waiters;
        event->waiters = first->next;
        free(first);
    }
    drop(event->queue);
    drop(event->context);
}

/* ---- Platform and device ---------------------------------------------------------------- */

cl_platform_id the_platform(void)
{
    static cl_platform_id platform;
    if (platform == NULL)
        platform = new_object(PLATFORM, sizeof *platform);
    return platform;
}

static cl_device_id the_device(void)
{
    static cl_device_id device;
    if (device == NULL)
        device = new_object(DEVICE, sizeof *device);
    return device;
}

cl_int clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
    call here = CALL("%u", num_entries);
    if ((platforms != NULL && num_entries == 0) || (platforms == NULL && num_platforms == NULL))
        refuse(&here, CL_INVALID_VALUE);
    if (ok(&here) && platforms != NULL)
        platforms[0] = the_platform();
    if (ok(&here) && num_platforms != NULL)
        *num_platforms = 1;
    return end(&here);
}

cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type device_type, cl_uint num_entries,
                      cl_device_id *devices, cl_uint *num_devices)
{
    call here = CALL("%s %#lx %u", name_of(platform), device_type, num_entries);
    if ((devices != NULL && num_entries == 0) || (devices == NULL && num_devices == NULL))
        refuse(&here, CL_INVALID_VALUE);
    if (!(device_type & (CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_DEFAULT)))
        refuse(&here, CL_DEVICE_NOT_FOUND);
    if (ok(&here) && devices != NULL)
        devices[0] = the_device();
    if (ok(&here) && num_devices != NULL)
        *num_devices = 1;
    return end(&here);
}

cl_int clCreateSubDevices(cl_device_id in_device, const cl_device_partition_property *properties,
                          cl_uint num_devices, cl_device_id *out_devices, cl_uint *num_devices_ret)
{
    enum { PARTS = 2 };
    call here = CALL("%s %u", name_of(in_device), num_devices);
    if (properties == NULL || (out_devices != NULL && num_devices < PARTS))
        refuse(&here, CL_INVALID_VALUE);
    if (expect(&here, in_device, DEVICE) && out_devices != NULL)
        for (int i = 0; i < PARTS; i++) {
            out_devices[i] = new_object(DEVICE, sizeof *in_device);
            hold(out_devices[i]->parent = in_device);
        }
    if (ok(&here) && num_devices_ret != NULL)
        *num_devices_ret = PARTS;
    return end(&here);
}

cl_int clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device,
                                      cl_command_queue command_queue)
{
    call here = CALL("%s %s %s", name_of(context), name_of(device), name_of(command_queue));
    expect(&here, context, CONTEXT);
    expect(&here, device, DEVICE);
    expect(&here, command_queue, QUEUE);
    return end(&here);
}

cl_int clGetDeviceAndHostTimer(cl_device_id device, cl_ulong *device_timestamp,
                               cl_ulong *host_timestamp)
{
    call here = CALL("%s", name_of(device));
    if (device_timestamp == NULL || host_timestamp == NULL)
        refuse(&here, CL_INVALID_VALUE);
    if (expect(&here, device, DEVICE))
        *device_timestamp = *host_timestamp = 1;
    return end(&here);
}

cl_int clGetHostTimer(cl_device_id device, cl_ulong *host_timestamp)
{
    call here = CALL("%s", name_of(device));
    if (host_timestamp == NULL)
        refuse(&here, CL_INVALID_VALUE);
    if (expect(&here, device, DEVICE))
        *host_timestamp = 1;
    return end(&here);
}

/* ---- Contexts --------------------------------------------------------------------------- */

static cl_context new_context(const cl_context_properties *properties, cl_device_id device)
{
    cl_context context = new_object(CONTEXT, sizeof *context);
    context->device = device;
    if (device->parent != NULL)
        hold(device);
    while (properties != NULL && context->property_count + 2 < MOST_PROPERTIES) {
        cl_context_properties property = properties[context->property_count];
        context->properties[context->property_count++] = property;
        if (property == 0)
            break;
        context->properties[context->property_count] = properties[context->property_count];
        context->property_count++;
    }
    return context;
}

cl_context clCreateContext(const cl_context_properties *properties, cl_uint num_devices,
                           const cl_device_id *devices,
                           void(CL_CALLBACK *pfn_notify)(const char *, const void *, size_t, void *),
                           void *user_data, cl_int *errcode_ret)
{
    (void)pfn_notify;
    (void)user_data;
    call here = CALL("%u", num_devices);
    cl_context context = NULL;
    if (num_devices == 0 || devices == NULL)
        refuse(&here, CL_INVALID_VALUE);
    if (ok(&here) && expect(&here, devices[0], DEVICE))
        context = new_context(properties, devices[0]);
    return end_with(&here, context, errcode_ret);
}

cl_context clCreateContextFromType(const cl_context_properties *properties,
                                   cl_device_type device_type,
                                   void(CL_CALLBACK *pfn_notify)(const char *, const void *, size_t,
                                                                 void *),
                                   void *user_data, cl_int *errcode_ret)
{
    (void)pfn_notify;
    (void)user_data;
    call here = CALL("%#lx", device_type);
    cl_context context = ok(&here) ? new_context(properties, the_device()) : NULL;
    return end_with(&here, context, errcode_ret);
}

cl_int clSetContextDestructorCallback(cl_context context,
                                      void(CL_CALLBACK *pfn_notify)(cl_context, void *),
                                      void *user_data)
{
    call here = CALL("%s", name_of(context));
    if (pfn_notify == NULL)
        refuse(&here, CL_INVALID_VALUE);
    if (expect(&here, context, CONTEXT)) {
        context->notify = pfn_notify;
        context->data = user_data;
    }
    return end(&here);
}

/* ---- Queues ----------------------------------------------------------------------------- */

static cl_command_queue new_queue(cl_context context, cl_device_id device,
                                  cl_command_queue_properties flags)
{
    cl_command_queue queue = new_object(QUEUE, sizeof *queue);
    hold(queue->context = context);
    queue->device = device;
    queue->flags = flags;
    return queue;
}

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device,
                                      cl_command_queue_properties properties, cl_int *errcode_ret)
{
    call here = CALL("%s %s %#lx", name_of(context), name_of(device), properties);
    cl_command_queue queue = NULL;
    if (expect(&here, context, CONTEXT) && expect(&here, device, DEVICE))
        queue = new_queue(context, device, properties);
    return end_with(&here, queue, errcode_ret);
}

cl_command_queue clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                    const cl_queue_properties *properties,
                                                    cl_int *errcode_ret)
{
    call here = CALL("%s %s", name_of(context), name_of(device));
    cl_command_queue queue = NULL;
    if (expect(&here, context, CONTEXT) && expect(&here, device, DEVICE)) {
        queue = new_queue(context, device, 0);
        for (size_t i = 0; properties != NULL && i + 2 < MOST_PROPERTIES; i += 2) {
            queue->properties[queue->property_count++] = properties[i];
            if (properties[i] == 0)
                break;
            queue->properties[queue->property_count++] = properties[i + 1];
            if (properties[i] == CL_QUEUE_PROPERTIES)
                queue->flags = (cl_command_queue_properties)properties[i + 1];
        }
        say(&here, " %#lx", queue->flags);
    }
    return end_with(&here, queue, errcode_ret);
}

cl_int clSetCommandQueueProperty(cl_command_queue command_queue,
                                 cl_command_queue_properties properties, cl_bool enable,
                                 cl_command_queue_properties *old_properties)
{
    call here = CALL("%s %#lx %u", name_of(command_queue), properties, enable);
    if (expect(&here, command_queue, QUEUE)) {
        if (old_properties != NULL)
            *old_properties = command_queue->flags;
        command_queue->flags = enable ? command_queue->flags | properties
                                      : command_queue->flags & ~properties;
    }
    return end(&here);
}

cl_int clFlush(cl_command_queue command_queue)
{
    call here = CALL("%s", name_of(command_queue));
    expect(&here, command_queue, QUEUE);
    return end(&here);
}

cl_int clFinish(cl_command_queue command_queue)
{
    call here = CALL("%s", name_of(command_queue));
    expect(&here, command_queue, QUEUE);
    return end(&here);
}

/* ---- Events ----------------------------------------------------------------------------- */

cl_event new_event(cl_context context, cl_command_queue queue, cl_command_type type, cl_int state)
{
    static cl_ulong clock;
    cl_event event = new_object(EVENT, sizeof *event);
    hold(event->context = context);
    if (queue != NULL)
        hold(event->queue = queue);
    event->type = type;
    event->state = state;
    event->time = ++clock;
    return event;
}

/* Commands are done in their calls, so none can wait for what a later call does. */
static void wait_for(call *here, cl_uint count, const cl_event *list)
{
    if ((count == 0) != (list == NULL))
        refuse(here, CL_INVALID_EVENT_WAIT_LIST);
    for (cl_uint i = 0; ok(here) && i < count; i++) {
        say(here, "%s %s", i == 0 ? " wait" : "", name_of(list[i]));
        if (!expect(here, list[i], EVENT))
            return;
        if (list[i]->state > CL_COMPLETE)
            stop("waiting for %s, which is not set: beyond the stand-in", name_of(list[i]));
        if (list[i]->state < 0)
            refuse(here, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    }
}

bool ready(call *here, cl_command_queue queue, cl_uint waits, const cl_event *list)
{
    if (!expect(here, queue, QUEUE))
        return false;
    wait_for(here, waits, list);
    return ok(here);
}

cl_int done(call *here, cl_command_queue queue, cl_command_type type, cl_event *event)
{
    if (ok(here) && event != NULL) {
        *event = new_event(queue->context, queue, type, CL_COMPLETE);
        say(here, " event %s", name_of(*event));
    }
    return end(here);
}

#define WAITS cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event
#define READY ready(&here, command_queue, num_events_in_wait_list, event_wait_list)

cl_int clEnqueueMarkerWithWaitList(cl_command_queue command_queue, WAITS)
{
    call here = CALL("%s", name_of(command_queue));
    READY;
    return done(&here, command_queue, CL_COMMAND_MARKER, event);
}

cl_int clEnqueueBarrierWithWaitList(cl_command_queue command_queue, WAITS)
{
    call here = CALL("%s", name_of(command_queue));
    READY;
    return done(&here, command_queue, CL_COMMAND_BARRIER, event);
}

cl_int clEnqueueMarker(cl_command_queue command_queue, cl_event *event)
{
    call here = CALL("%s", name_of(command_queue));
    if (event == NULL)
        refuse(&here, CL_INVALID_VALUE);
    expect(&here, command_queue, QUEUE);
    return done(&here, command_queue, CL_COMMAND_MARKER, event);
}

cl_int clEnqueueBarrier(cl_command_queue command_queue)
{
    call here = CALL("%s", name_of(command_queue));
    expect(&here, command_queue, QUEUE);
    return end(&here);
}

cl_int clEnqueueWaitForEvents(cl_command_queue command_queue, cl_uint num_events,
                              const cl_event *event_list)
{
    call here = CALL("%s", name_of(command_queue));
    ready(&here, command_queue, num_events, event_list);
    return end(&here);
}

cl_int clWaitForEvents(cl_uint num_events, const cl_event *event_list)
{
    call here = CALL("%u", num_events);
    if (num_events == 0)
        refuse(&here, CL_INVALID_VALUE);
    wait_for(&here, num_events, event_list);
    return end(&here);
}

cl_event clCreateUserEvent(cl_context context, cl_int *errcode_ret)
{
    call here = CALL("%s", name_of(context));
    cl_event event = NULL;
    if (expect(&here, context, CONTEXT))
        event = new_event(context, NULL, CL_COMMAND_USER, CL_SUBMITTED);
    return end_with(&here, event, errcode_ret);
}

static void tell_waiters(cl_event event)
{
    while (event->state <= CL_COMPLETE && event->waiters != NULL) {
        waiter *first = event->waiters;
        event->waiters = first->next;
        first->notify(event, event->state < 0 ? event->state : first->state, first->data);
        free(first);
    }
}

cl_int clSetUserEventStatus(cl_event event, cl_int execution_status)
{
    call here = CALL("%s %d", name_of(event), execution_status);
    if (expect(&here, event, EVENT) && event->type != CL_COMMAND_USER)
        refuse(&here, CL_INVALID_EVENT);
    if (ok(&here) && event->state <= CL_COMPLETE)
        refuse(&here, CL_INVALID_OPERATION);
    if (ok(&here)) {
        event->state = execution_status;
        tell_waiters(event);
    }
    return end(&here);
}

cl_int clSetEventCallback(cl_event event, cl_int type,
                          void(CL_CALLBACK *pfn_notify)(cl_event, cl_int, void *), void *user_data)
{
    call here = CALL("%s %d", name_of(event), type);
    if (pfn_notify == NULL)
        refuse(&here, CL_INVALID_VALUE);
    if (expect(&here, event, EVENT)) {
        waiter *made = malloc(sizeof *made);
        *made = (waiter){type, pfn_notify, user_data, event->waiters};
        event->waiters = made;
        tell_waiters(event);
    }
    return end(&here);
}
