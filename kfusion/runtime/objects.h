/* ==== Objects: what must be known of a queue, a memory object, a kernel ==================== */

/* ---- Queues ---- */

/* Memory of a context that shares objects with other interfaces may be seen without a call. */
KFUSION_HERE int kfusion_is_plain_context(cl_context context)
{
    cl_context_properties property[2 * 8 + 1];
    size_t size = 0, i;

    if (clGetContextInfo(context, CL_CONTEXT_PROPERTIES, 0, NULL, &size) != CL_SUCCESS)
        return 0;
    if (size == 0)
        return 1;
    if (size > sizeof property || clGetContextInfo(context, CL_CONTEXT_PROPERTIES, size, property,
                                                   &size) != CL_SUCCESS)
        return 0;
    for (i = 0; i < size / sizeof *property && property[i] != 0; i += 2)
        if (property[i] != kfusion_context_platform && property[i] != kfusion_context_interop_sync)
            return 0;
    return 1;
}

KFUSION_HERE int kfusion_ask_queue(kfusion_queue *q)
{
    cl_command_queue_properties properties = 0;
    size_t items[16];

    return clGetCommandQueueInfo(q->queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties,
                                 NULL) == CL_SUCCESS &&
           (!(properties & (CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | kfusion_queue_not_on_host)) ||
            !KFUSION_PROTECTS(IN_ORDER)) &&
           clGetCommandQueueInfo(q->queue, CL_QUEUE_DEVICE, sizeof q->device, &q->device, NULL) ==
               CL_SUCCESS &&
           clGetCommandQueueInfo(q->queue, CL_QUEUE_CONTEXT, sizeof q->context, &q->context,
                                 NULL) == CL_SUCCESS &&
           clGetDeviceInfo(q->device, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, sizeof q->dimensions,
                           &q->dimensions, NULL) == CL_SUCCESS &&
           q->dimensions >= 3 && q->dimensions <= 16 &&
           clGetDeviceInfo(q->device, CL_DEVICE_MAX_WORK_ITEM_SIZES,
                           q->dimensions * sizeof *items, items, NULL) == CL_SUCCESS &&
           memcpy(q->items, items, sizeof q->items) != NULL &&
           clGetDeviceInfo(q->device, CL_DEVICE_TYPE, sizeof q->type, &q->type, NULL) ==
               CL_SUCCESS &&
           clGetDeviceInfo(q->device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof q->local, &q->local,
                           NULL) == CL_SUCCESS &&
           kfusion_is_plain_context(q->context);
}

KFUSION_HERE void kfusion_let_go_of_queue(kfusion_state *s)
{
    if (s->queue.queue != NULL)
        clReleaseCommandQueue(s->queue.queue);
    s->queue.queue = NULL;
    s->queue.usable = s->queue.dropped = 0;
}

/* May launches on the queue be noted? Nothing is noted on another one. */
KFUSION_HERE int kfusion_look_at_queue(kfusion_state *s, cl_command_queue queue)
{
    if (s->queue.queue != queue || queue == NULL) {
        kfusion_let_go_of_queue(s);
        if (queue == NULL || clRetainCommandQueue(queue) != CL_SUCCESS)
            return 0;
        s->queue.queue = queue;
        s->queue.usable = kfusion_ask_queue(&s->queue);
    }
    return s->queue.usable;
}

/* ---- Memory ---- */

KFUSION_HERE kfusion_memory *kfusion_find_memory(kfusion_state *s, cl_mem mem)
{
    kfusion_memory *m = s->memory[kfusion_bucket(mem)];

    while (m != NULL && m->mem != mem)
        m = m->next;
    return m;
}

/* Nothing is known of the object. (Some compilers take their time for a memset of this size.) */
KFUSION_HERE void kfusion_clear_memory(kfusion_memory *m, cl_mem mem)
{
    m->next = NULL;
    m->mem = mem;
    m->noted = 0;
    m->context = NULL;
    m->asked_maps = 0;
    m->root = NULL;
    m->origin = m->end = 0;
    m->type = 0;
    m->held = m->asked = m->usable = m->measured = 0;
    m->over_host = m->created = m->escaped = m->released = 0;
}

KFUSION_HERE kfusion_memory *kfusion_enter_memory(kfusion_state *s, cl_mem mem)
{
    kfusion_memory *m = kfusion_find_memory(s, mem), **bucket = &s->memory[kfusion_bucket(mem)];

    if (m != NULL)
        return m;
    m = s->free_memory;
    if (m != NULL)
        s->free_memory = m->next;
    else
        m = (kfusion_memory *)malloc(sizeof *m);
    if (m == NULL)
        return NULL;
    kfusion_clear_memory(m, mem);
    m->next = *bucket;
    *bucket = m;
    s->memory_in |= (uint64_t)1 << (bucket - s->memory);
    return m;
}

KFUSION_HERE void kfusion_let_go_of_hold(kfusion_state *s, kfusion_memory *m)
{
    if (m->held && KFUSION_PROTECTS(HOLDING_MEMORY))
        clReleaseMemObject(m->mem);
    m->held = 0;
    s->releases++;
}

/* Forgets the object, which no noted launch names. */
KFUSION_HERE void kfusion_forget_memory(kfusion_state *s, kfusion_memory *m)
{
    const size_t bucket = kfusion_bucket(m->mem);
    kfusion_memory **place = &s->memory[bucket];

    while (*place != m)
        place = &(*place)->next;
    *place = m->next;
    if (s->memory[bucket] == NULL)
        s->memory_in &= ~((uint64_t)1 << bucket);
    kfusion_let_go_of_hold(s, m);
    m->next = s->free_memory;
    s->free_memory = m;
}

KFUSION_HERE int kfusion_mem_info(cl_mem mem, cl_mem_info what, size_t size, void *value)
{
    return clGetMemObjectInfo(mem, what, size, value, NULL) == CL_SUCCESS;
}

/* The buffer or image that an object was made from, or NULL. False if that cannot be told. */
KFUSION_HERE int kfusion_parent(cl_mem mem, cl_mem_object_type *type, cl_mem *parent)
{
    *parent = NULL;
    if (!kfusion_mem_info(mem, CL_MEM_TYPE, sizeof *type, type))
        return 0;
    /* OpenCL 1.0 knows neither question, nor objects made from others. */
    if (!kfusion_mem_info(mem, kfusion_mem_associated, sizeof *parent, parent))
        *parent = NULL;
    if (*parent == NULL && *type != CL_MEM_OBJECT_BUFFER &&
        clGetImageInfo(mem, kfusion_image_buffer, sizeof *parent, parent, NULL) != CL_SUCCESS)
        *parent = NULL;
    return 1;
}

/* Finds out which bytes of which object with memory of its own the object has. */
KFUSION_HERE void kfusion_measure(kfusion_memory *m)
{
    cl_mem_object_type type;
    cl_mem mem = m->mem, parent;
    cl_mem_flags flags = 0;
    int levels;

    m->measured = 1;
    m->over_host = 1;
    m->origin = 0;
    m->end = (size_t)-1;
    for (levels = 0; levels < 4; levels++) {
        if (!kfusion_parent(mem, &type, &parent))
            return;
        if (levels == 0)
            m->type = type;
        if (parent == NULL) {
            m->root = mem;
            m->over_host = KFUSION_PROTECTS(HOST_POINTERS) &&
                           (!kfusion_mem_info(mem, CL_MEM_FLAGS, sizeof flags, &flags) ||
                            (flags & CL_MEM_USE_HOST_PTR) != 0);
            return;
        }
        if (type == CL_MEM_OBJECT_BUFFER) { /* part of a buffer */
            size_t size;
            if (!kfusion_mem_info(mem, kfusion_mem_offset, sizeof m->origin, &m->origin) ||
                !kfusion_mem_info(mem, CL_MEM_SIZE, sizeof size, &size)) {
                m->origin = 0;
                return;
            }
            m->end = m->origin + size;
        }
        mem = parent;
    }
}

/* Can the host see or change the object's memory only by commands, and none now? */
KFUSION_HERE int kfusion_ask_memory(kfusion_memory *m)
{
    cl_mem_object_type type;
    cl_uint maps = 1;
    size_t properties = 0;
    cl_mem above, parent;

    if (!m->measured)
        kfusion_measure(m);
    if (m->over_host || m->root == NULL || m->type == kfusion_mem_pipe ||
        !kfusion_mem_info(m->mem, CL_MEM_CONTEXT, sizeof m->context, &m->context))
        return 0;
    for (above = m->mem; above != NULL; above = parent) {
        if (!kfusion_mem_info(above, CL_MEM_MAP_COUNT, sizeof maps, &maps) ||
            (maps != 0 && KFUSION_PROTECTS(MAPPED)))
            return 0;
        /* One entry is the end of an empty list. Before OpenCL 3.0 the question is an error. */
        if (clGetMemObjectInfo(above, kfusion_mem_properties, 0, NULL, &properties) ==
                CL_SUCCESS &&
            properties > sizeof(cl_ulong))
            return 0;
        if (above == m->root)
            break;
        if (!kfusion_parent(above, &type, &parent))
            return 0;
    }
    return 1;
}

/* The object, held for one argument of a launch that is being noted; NULL if that must not be. */
KFUSION_HERE kfusion_memory *kfusion_hold_memory(kfusion_state *s, cl_mem mem)
{
    kfusion_memory *m = mem == NULL ? NULL : kfusion_enter_memory(s, mem);

    if (m == NULL)
        return NULL;
    if (!m->held) {
        if (KFUSION_PROTECTS(HOLDING_MEMORY) && clRetainMemObject(mem) != CL_SUCCESS) {
            if (!m->created)
                kfusion_forget_memory(s, m);
            return NULL;
        }
        m->held = 1;
        m->asked = m->measured = 0; /* it may be another object that has the address now */
    }
    if (!m->asked || m->asked_maps != s->maps) {
        m->usable = kfusion_ask_memory(m);
        m->asked = 1;
        m->asked_maps = s->maps;
    }
    if (!m->usable || m->context != s->queue.context)
        return NULL;
    m->noted++;
    return m;
}

/* A launch that named the object is made. */
KFUSION_HERE void kfusion_let_go_of_memory(kfusion_state *s, kfusion_memory *m)
{
    if (--m->noted == 0 && m->released)
        kfusion_forget_memory(s, m);
}

/* Lets go of all objects that no noted launch names. */
KFUSION_HERE void kfusion_let_go_of_all_memory(kfusion_state *s, int created_too)
{
    uint64_t in = s->memory_in;
    size_t b;

    KFUSION_BUCKETS (b, in) {
        kfusion_memory *m = s->memory[b], *next;
        for (; m != NULL; m = next) {
            next = m->next;
            if (m->noted != 0)
                continue;
            if (created_too || !m->created)
                kfusion_forget_memory(s, m);
            else
                kfusion_let_go_of_hold(s, m);
        }
    }
}

/* The outermost region ends. If the program is closed every release is seen, and objects stay
   held until the program releases them: what was asked about them is not asked again. */
KFUSION_HERE void kfusion_let_go_of_memory_of_region(kfusion_state *s)
{
    uint64_t in = s->memory_in;
    size_t b;

    KFUSION_BUCKETS (b, in) {
        kfusion_memory *m = s->memory[b], *next;
        for (; m != NULL; m = next) {
            next = m->next;
            if (!KFUSION_CLOSED || !m->held || m->released)
                kfusion_forget_memory(s, m);
            else
                m->created = m->escaped = 0;
        }
    }
}

/* A command that is not noted names the object, or something is made from it. */
KFUSION_HERE void kfusion_names(cl_mem mem)
{
    kfusion_state *s = kfusion_now;
    kfusion_memory *m = s == NULL || mem == NULL ? NULL : kfusion_find_memory(s, mem);

    if (m != NULL)
        m->escaped = 1;
}

KFUSION_HERE void kfusion_names_all(void)
{
    kfusion_state *s = kfusion_now;
    uint64_t in = s == NULL ? 0 : s->memory_in;
    size_t b;

    KFUSION_BUCKETS (b, in) {
        kfusion_memory *m;
        for (m = s->memory[b]; m != NULL; m = m->next)
            m->escaped = 1;
    }
}

KFUSION_HERE int kfusion_are_apart(kfusion_memory *a, kfusion_memory *b)
{
    if (!KFUSION_PROTECTS(APART))
        return 1;
    if (a->mem == b->mem)
        return 0;
    if (!KFUSION_PROTECTS(PARTS))
        return 1;
    if (!a->measured)
        kfusion_measure(a);
    if (!b->measured)
        kfusion_measure(b);
    if (a->root == NULL || b->root == NULL)
        return 0;
    if (a->root == b->root)
        return a->end <= b->origin || b->end <= a->origin;
    return !(a->over_host && b->over_host);
}

/* What is known of the object, in the given room if nothing is, or if it is not held: it may have
   another one's address. */
KFUSION_HERE kfusion_memory *kfusion_known_memory(cl_mem mem, kfusion_memory *room)
{
    kfusion_memory *m = kfusion_now == NULL ? NULL : kfusion_find_memory(kfusion_now, mem);

    if (m != NULL && m->held)
        return m;
    kfusion_clear_memory(room, mem);
    return room;
}

/* Certainly no byte in common. */
KFUSION_HERE int kfusion_apart(cl_mem a, cl_mem b)
{
    kfusion_memory one, other;

    if (a == b || a == NULL || b == NULL)
        return 0;
    return kfusion_are_apart(kfusion_known_memory(a, &one), kfusion_known_memory(b, &other));
}

KFUSION_HERE int kfusion_is_apart_from_noted(kfusion_state *s, cl_mem mem)
{
    kfusion_memory room, *known = kfusion_known_memory(mem, &room);
    uint64_t in = s->memory_in;
    size_t b;

    KFUSION_BUCKETS (b, in) {
        kfusion_memory *m;
        for (m = s->memory[b]; m != NULL; m = m->next)
            if (m->noted != 0 && !kfusion_are_apart(m, known))
                return 0;
    }
    return 1;
}

/* ---- Images ---- */

KFUSION_HERE int kfusion_has_format(cl_mem image, cl_channel_type type)
{
    cl_image_format format;

    return clGetImageInfo(image, CL_IMAGE_FORMAT, sizeof format, &format, NULL) == CL_SUCCESS &&
           format.image_channel_data_type == type &&
           (format.image_channel_order == CL_RGBA || format.image_channel_order == CL_BGRA ||
            format.image_channel_order == CL_ARGB);
}

KFUSION_HERE int kfusion_keeps_floats(cl_mem image) { return kfusion_has_format(image, CL_FLOAT); }

KFUSION_HERE int kfusion_keeps_ints(cl_mem image)
{
    return kfusion_has_format(image, CL_SIGNED_INT32);
}

KFUSION_HERE int kfusion_keeps_uints(cl_mem image)
{
    return kfusion_has_format(image, CL_UNSIGNED_INT32);
}

KFUSION_HERE size_t kfusion_width(cl_mem image)
{
    size_t width = 0;

    clGetImageInfo(image, CL_IMAGE_WIDTH, sizeof width, &width, NULL);
    return width;
}

KFUSION_HERE size_t kfusion_height(cl_mem image)
{
    size_t height = 0;

    clGetImageInfo(image, CL_IMAGE_HEIGHT, sizeof height, &height, NULL);
    return height;
}
