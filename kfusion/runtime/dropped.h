/* ==== KFUSION=check: reads of objects that fused kernels have not stored =================== */

/* An object that the last made fused kernels have not stored. Held, until something is written to
   it, a read of it has been told, or the program has let go of it. */
typedef struct kfusion_dropped {
    struct kfusion_dropped *next;
    cl_mem mem;
    const kfusion_region *region;
    const char *pattern;
    const char *kernel; /* the first that names it, and as which argument */
    cl_uint argument;
} kfusion_dropped;

KFUSION_HERE void kfusion_forget_dropped(kfusion_dropped **place)
{
    kfusion_dropped *d = *place;

    *place = d->next;
    clReleaseMemObject(d->mem);
    free(d);
}

KFUSION_HERE void kfusion_forget_all_dropped(kfusion_state *s)
{
    while (s != NULL && s->dropped != NULL)
        kfusion_forget_dropped(&s->dropped);
}

/* The program has released something: a hold alone must not keep an object. */
KFUSION_HERE void kfusion_forget_released(kfusion_state *s)
{
    kfusion_dropped **place = &s->dropped;

    while (*place != NULL) {
        cl_uint references = 1;
        if (!kfusion_mem_info((*place)->mem, CL_MEM_REFERENCE_COUNT, sizeof references,
                              &references) ||
            references <= 1)
            kfusion_forget_dropped(place);
        else
            place = &(*place)->next;
    }
}

KFUSION_HERE void kfusion_has_dropped(kfusion_state *s, const kfusion_segment *segment, cl_mem mem,
                                      const char *kernel, cl_uint argument)
{
    kfusion_dropped **place = &s->dropped, *d;

    while (*place != NULL && (*place)->mem != mem)
        place = &(*place)->next;
    if (*place != NULL)
        kfusion_forget_dropped(place);
    d = (kfusion_dropped *)calloc(1, sizeof *d);
    if (d == NULL || clRetainMemObject(mem) != CL_SUCCESS) {
        free(d);
        return;
    }
    d->mem = mem;
    d->region = segment->region;
    d->pattern = segment->pattern->name;
    d->kernel = kernel;
    d->argument = argument;
    d->next = s->dropped;
    s->dropped = d;
}

/* A call reads the object, or one that shares memory with it: that is told, once. */
KFUSION_HERE void kfusion_reads(cl_mem mem, const char *call, const char *kernel)
{
    kfusion_state *s = kfusion_now;
    kfusion_dropped **place = s == NULL ? NULL : &s->dropped, *d;

    kfusion_names(mem);
    while (place != NULL && (d = *place) != NULL) {
        if (mem == NULL || kfusion_apart(mem, d->mem)) {
            place = &d->next;
            continue;
        }
        fprintf(stderr, "kfusion: %s (%s): check of %s: READ: %s%s%s reads argument %u of %s, "
                        "which was not stored\n",
                d->region->place, d->region->name, d->pattern, call, kernel == NULL ? "" : " of ",
                kernel == NULL ? "" : kernel, (unsigned)d->argument, d->kernel);
        kfusion_forget_dropped(place);
    }
}

/* A call writes to the object, to all of it or not. */
KFUSION_HERE void kfusion_overwrites(cl_mem mem, int whole)
{
    kfusion_state *s = kfusion_now;
    kfusion_dropped **place = s == NULL ? NULL : &s->dropped;

    kfusion_names(mem);
    while (place != NULL && *place != NULL)
        if (whole && (*place)->mem == mem)
            kfusion_forget_dropped(place);
        else
            place = &(*place)->next;
}

/* Is anything watched? What is asked for the following functions is asked only then. */
KFUSION_HERE int kfusion_watches(void)
{
    return kfusion_now != NULL && kfusion_now->dropped != NULL;
}

KFUSION_HERE int kfusion_is_whole_buffer(cl_mem buffer, size_t offset, size_t size)
{
    size_t all = 0;

    return kfusion_watches() && offset == 0 &&
           kfusion_mem_info(buffer, CL_MEM_SIZE, sizeof all, &all) && size == all;
}

/* The region that is all of an image, and the size of an element. */
KFUSION_HERE int kfusion_measure_region(cl_mem image, size_t *region, size_t *element)
{
    size_t width = 0, height = 0, depth = 0, layers = 0;

    if (clGetImageInfo(image, CL_IMAGE_WIDTH, sizeof width, &width, NULL) != CL_SUCCESS ||
        clGetImageInfo(image, CL_IMAGE_HEIGHT, sizeof height, &height, NULL) != CL_SUCCESS ||
        clGetImageInfo(image, CL_IMAGE_DEPTH, sizeof depth, &depth, NULL) != CL_SUCCESS ||
        clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof *element, element, NULL) != CL_SUCCESS)
        return 0;
    if (clGetImageInfo(image, 0x1118 /* CL_IMAGE_ARRAY_SIZE */, sizeof layers, &layers, NULL) !=
            CL_SUCCESS ||
        layers == 0)
        layers = 1;
    region[0] = width;
    region[1] = height == 0 ? layers : height;
    region[2] = depth != 0 ? depth : height == 0 ? 1 : layers;
    return 1;
}

KFUSION_HERE int kfusion_is_whole_image(cl_mem image, const size_t *origin, const size_t *region)
{
    size_t all[3], element;

    return kfusion_watches() && origin != NULL && region != NULL &&
           kfusion_measure_region(image, all, &element) && origin[0] == 0 && origin[1] == 0 &&
           origin[2] == 0 && memcmp(region, all, sizeof all) == 0;
}

/* Is an argument a pointer to const, as far as OpenCL tells? */
KFUSION_HERE int kfusion_is_const(cl_kernel kernel, cl_uint index)
{
#ifdef CL_VERSION_1_2
    cl_kernel_arg_type_qualifier qualifiers = 0;

    return clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifiers,
                              &qualifiers, NULL) == CL_SUCCESS &&
           (qualifiers & CL_KERNEL_ARG_TYPE_CONST) != 0;
#else
    (void)kernel, (void)index;
    return 0;
#endif
}

/* A launch with an object as an argument. Kernels of patterns are known to read it or not; others
   read what is const, and are taken to write to the rest. */
KFUSION_HERE void kfusion_look_at_launch(kfusion_state *s, cl_kernel kernel)
{
    kfusion_record *r = s->dropped == NULL ? NULL : kfusion_find_record(s, kernel);
    cl_uint i;

    if (r == NULL || (!r->asked && !kfusion_ask_kernel(r)))
        return;
    r->asked = r->usable = 1;
    for (i = 0; i < r->values && i < r->count && s->dropped != NULL; i++) {
        kfusion_value *v = &r->value[i];
        const kfusion_step_table *step;
        kfusion_dropped *d;
        cl_mem mem;
        if (!v->known || v->local || v->size != sizeof mem)
            continue;
        memcpy(&mem, kfusion_value_bytes(v), sizeof mem);
        for (d = s->dropped; d != NULL && d->mem != mem; d = d->next)
            ;
        if (d == NULL)
            continue;
        step = kfusion_find_step(d->region, r->name, r->count);
        if (step != NULL ? step->kinds[i] != 'w' : kfusion_is_const(kernel, i))
            kfusion_reads(mem, "a launch", r->name);
        else
            kfusion_overwrites(mem, 1);
    }
}
