/* ==== Programs: kernel objects of the run time's own ====================================== */

KFUSION_HERE cl_uint kfusion_program_references(cl_program program)
{
    cl_uint references = 0;

    if (clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT, sizeof references, &references,
                         NULL) != CL_SUCCESS)
        return 0;
    return references;
}

/* ---- Programs that lack a fused kernel ---- */

/* A property of a program or of its build, as a string to be freed; NULL if there is none. */
KFUSION_HERE char *kfusion_program_text(cl_program program, cl_device_id device, int options)
{
    size_t size = 0;
    char *text;
    cl_int status =
        options ? clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, 0, NULL, &size)
                : clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, NULL, &size);

    text = status == CL_SUCCESS ? (char *)calloc(1, size + 1) : NULL;
    if (text == NULL)
        return NULL;
    status = size == 0 ? CL_SUCCESS
             : options ? clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, size,
                                               text, NULL)
                       : clGetProgramInfo(program, CL_PROGRAM_SOURCE, size, text, NULL);
    if (status == CL_SUCCESS)
        return text;
    free(text);
    return NULL;
}

/* FNV-1a */
KFUSION_HERE unsigned long long kfusion_hash(const char *text)
{
    unsigned long long hash = 14695981039346656037ull;

    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 1099511628211ull;
    return hash;
}

/* Equal but for blanks: any number of them is one, and those around are none. */
KFUSION_HERE int kfusion_same_options(const char *a, const char *b)
{
    while (*a == ' ' || *a == '\t')
        a++;
    while (*b == ' ' || *b == '\t')
        b++;
    for (; *a != '\0' || *b != '\0';) {
        int blank = *a == ' ' || *a == '\t' || *b == ' ' || *b == '\t';
        const char *c = a, *d = b;
        while (*c == ' ' || *c == '\t')
            c++;
        while (*d == ' ' || *d == '\t')
            d++;
        if (*c == '\0' || *d == '\0')
            return *c == *d;
        if (blank && (c == a || d == b))
            return 0;
        if (*c != *d)
            return 0;
        a = c + 1;
        b = d + 1;
    }
    return 1;
}

KFUSION_HERE const char *kfusion_find_addition(const kfusion_region *region, const char *source,
                                               const char *options)
{
    const unsigned long long hash = region->additions == 0 ? 0 : kfusion_hash(source);
    size_t i, j;

    for (i = 0; i < region->additions; i++) {
        const kfusion_addition *addition = &region->addition[i];
        if (addition->source != hash)
            continue;
        if (addition->options == NULL)
            return addition->text; /* any will do */
        for (j = 0; addition->options[j] != NULL; j++)
            if (kfusion_same_options(addition->options[j], options))
                return addition->text;
    }
    return NULL;
}

/* The program's source with the text behind it, built with the same options; or NULL. */
KFUSION_HERE cl_program kfusion_build(cl_program program, cl_device_id device, const char *source,
                                      const char *text, const char *options)
{
    const char *strings[3];
    cl_context context;
    cl_program added;
    cl_int status;

    if (clGetProgramInfo(program, CL_PROGRAM_CONTEXT, sizeof context, &context, NULL) !=
        CL_SUCCESS)
        return NULL;
    strings[0] = source;
    strings[1] = "\n";
    strings[2] = text;
    added = clCreateProgramWithSource(context, 3, strings, NULL, &status);
    if (status != CL_SUCCESS)
        return NULL;
    if (clBuildProgram(added, 1, &device, options, NULL, NULL) == CL_SUCCESS)
        return added;
    clReleaseProgram(added);
    return NULL;
}

KFUSION_HERE void kfusion_let_go_of_own(kfusion_own **place)
{
    kfusion_own *own = *place;
    cl_uint i;

    *place = own->next;
    for (i = 0; own->value != NULL && i < own->parameters; i++)
        free(own->value[i].large);
    free(own->value);
    if (own->kernel != NULL)
        clReleaseKernel(own->kernel);
    free(own->name);
    free(own);
}

/* Lets go of the program's own kernels: all, or those that are of the program itself. */
KFUSION_HERE void kfusion_let_go_of_kernels(kfusion_program *p, int added_too)
{
    kfusion_own **place = &p->own;

    while (*place != NULL)
        if (added_too || !(*place)->added)
            kfusion_let_go_of_own(place);
        else
            place = &(*place)->next;
    p->references = 0;
}

KFUSION_HERE void kfusion_let_go_of_added(kfusion_program *p)
{
    kfusion_let_go_of_kernels(p, 1);
    if (p->added != NULL)
        clReleaseProgram(p->added);
    free(p->options);
    p->added = NULL;
    p->options = NULL;
}

KFUSION_HERE void kfusion_let_go_of_program(kfusion_program **place)
{
    kfusion_program *p = *place;

    *place = p->next;
    kfusion_let_go_of_added(p);
    __atomic_sub_fetch(&KFUSION_N(programs), 1, __ATOMIC_RELAXED);
    clReleaseProgram(p->program);
    free(p);
}

/* Lets go of the program; NULL stands for all programs. */
KFUSION_HERE void kfusion_let_go_of_programs(kfusion_state *s, cl_program program)
{
    kfusion_program **place = &s->program;

    while (*place != NULL)
        if (program == NULL || (*place)->program == program)
            kfusion_let_go_of_program(place);
        else
            place = &(*place)->next;
}

/* Lets go of programs that nothing else holds. */
KFUSION_HERE void kfusion_let_go_of_unused_programs(kfusion_state *s)
{
    kfusion_program *p, *q, *next;

    for (p = s->program; p != NULL; p = next) {
        cl_uint own = 0;
        for (q = s->program; q != NULL; q = q->next)
            if (q->program == p->program)
                own += 1 + q->references;
        next = p->next;
        if (kfusion_program_references(p->program) <= own) {
            while (next != NULL && next->program == p->program)
                next = next->next;
            kfusion_let_go_of_programs(s, p->program);
        }
    }
}

/* At the end of the outermost region. A program that is built again while a kernel of it lives
   is an error: only if the program is closed, and every build is seen, kernels of it stay. */
KFUSION_HERE void kfusion_let_go_of_kernels_of_region(kfusion_state *s)
{
    kfusion_program **place = &s->program;

    while (*place != NULL) {
        kfusion_program *p = *place;
        if (!KFUSION_CLOSED) {
            p->looked = 0;
            kfusion_let_go_of_kernels(p, 0);
        }
        if (!KFUSION_CLOSED && p->added == NULL)
            kfusion_let_go_of_program(place);
        else
            place = &p->next;
    }
    if (s->program != NULL && (!KFUSION_CLOSED || s->released))
        kfusion_let_go_of_unused_programs(s);
}

KFUSION_HERE kfusion_program *kfusion_enter_program(kfusion_state *s, cl_program program,
                                                    cl_device_id device)
{
    kfusion_program *p;

    for (p = s->program; p != NULL; p = p->next)
        if (p->program == program && p->device == device)
            return p;
    p = (kfusion_program *)calloc(1, sizeof *p);
    if (p == NULL)
        return NULL;
    if (clRetainProgram(program) != CL_SUCCESS) {
        free(p);
        return NULL;
    }
    p->program = program;
    p->device = device;
    p->next = s->program;
    s->program = p;
    __atomic_add_fetch(&KFUSION_N(programs), 1, __ATOMIC_RELAXED);
    return p;
}

/* Sees to it that the program with fused text added is there if there is such a text, and that it
   is still the one: once in each region, for the program may have been built with other options.
   In a closed program every build is seen, and once is enough. */
KFUSION_HERE void kfusion_look_for_addition(kfusion_state *s, kfusion_program *p)
{
    char *options, *source = NULL;
    const char *text;

    if (p->looked || s->region->additions == 0)
        return;
    p->looked = 1;
    options = kfusion_program_text(p->program, p->device, 1);
    if (p->added != NULL && options != NULL && strcmp(options, p->options) == 0 &&
        strstr(options, "-I") == NULL) {
        free(options);
        return;
    }
    kfusion_let_go_of_added(p);
    if (options != NULL)
        source = kfusion_program_text(p->program, p->device, 0);
    text = source == NULL ? NULL : kfusion_find_addition(s->region, source, options);
    if (text != NULL)
        p->added = kfusion_build(p->program, p->device, source, text, options);
    if (p->added != NULL)
        p->options = options;
    else
        free(options);
    free(source);
}

/* ---- Kernels ---- */

/* From the program itself; only if it has no such kernel, with fused text added. */
KFUSION_HERE void kfusion_create_own(kfusion_state *s, kfusion_program *p, kfusion_own *own)
{
    const cl_uint before = KFUSION_CLOSED ? kfusion_program_references(p->program) : 0;
    cl_int status;

    own->added = 0;
    own->kernel = clCreateKernel(p->program, own->name, &status);
    if (status != CL_SUCCESS && (kfusion_look_for_addition(s, p), p->added != NULL)) {
        own->kernel = clCreateKernel(p->added, own->name, &status);
        own->added = 1;
    }
    if (status != CL_SUCCESS)
        own->kernel = NULL;
    else
        status = clGetKernelInfo(own->kernel, CL_KERNEL_NUM_ARGS, sizeof own->parameters,
                                 &own->parameters, NULL);
    if (status == CL_SUCCESS)
        status = kfusion_group_info(own->kernel, p->device, &own->group, own->required,
                                    &own->local);
    if (status != CL_SUCCESS && own->kernel != NULL) {
        clReleaseKernel(own->kernel);
        own->kernel = NULL;
    }
    own->status = status;
    if (KFUSION_CLOSED && own->kernel != NULL && !own->added)
        p->references += kfusion_program_references(p->program) - before;
    if (own->kernel != NULL && own->parameters > 0)
        own->value = (kfusion_value *)calloc(own->parameters, sizeof *own->value);
}

KFUSION_HERE kfusion_own *kfusion_find_own_of(const kfusion_program *p, const char *name)
{
    kfusion_own *own;

    for (own = p->own; own != NULL; own = own->next)
        if (strcmp(own->name, name) == 0)
            break;
    return own;
}

/* The run time's own kernel of that name; its kernel is NULL if the program has none. */
KFUSION_HERE kfusion_own *kfusion_own_kernel(kfusion_state *s, cl_program program,
                                             const char *name)
{
    kfusion_program *p = kfusion_enter_program(s, program, s->queue.device);
    kfusion_own *own;
    size_t size = strlen(name) + 1;

    if (p == NULL)
        return NULL;
    own = kfusion_find_own_of(p, name);
    if (own != NULL && (own->added || own->kernel == NULL)) {
        kfusion_look_for_addition(s, p); /* the program may have been built with other options */
        own = kfusion_find_own_of(p, name);
    }
    if (own != NULL && own->kernel == NULL && own->status != CL_INVALID_KERNEL_NAME)
        kfusion_create_own(s, p, own); /* what it lacked may be there now */
    if (own != NULL)
        return own;
    own = (kfusion_own *)calloc(1, sizeof *own);
    if (own != NULL)
        own->name = (char *)malloc(size);
    if (own == NULL || own->name == NULL) {
        free(own);
        return NULL;
    }
    memcpy(own->name, name, size);
    kfusion_create_own(s, p, own);
    own->of = program;
    own->next = p->own;
    p->own = own;
    return own;
}

KFUSION_HERE kfusion_own *kfusion_find_own(kfusion_state *s, cl_kernel kernel)
{
    kfusion_program *p;
    kfusion_own *own;

    for (p = s->program; p != NULL; p = p->next)
        for (own = p->own; own != NULL; own = own->next)
            if (own->kernel == kernel)
                return own;
    return NULL;
}
