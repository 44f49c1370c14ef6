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

/* PoCL tells of one option in the words of its compiler, and does not take these. */
KFUSION_HERE void kfusion_as_given(char *options)
{
    static const char said[] = "-fdenormal-fp-math=positive-zero", given[] = "-cl-denorms-are-zero";
    char *at = strstr(options, said);

    if (at != NULL) {
        memcpy(at, given, sizeof given - 1);
        memmove(at + sizeof given - 1, at + sizeof said - 1, strlen(at + sizeof said - 1) + 1);
    }
}

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
    if (status == CL_SUCCESS) {
        if (options)
            kfusion_as_given(text);
        return text;
    }
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

KFUSION_HERE const kfusion_addition *kfusion_find_addition(const kfusion_region *region,
                                                           const char *source, const char *options)
{
    const unsigned long long hash = region->additions == 0 ? 0 : kfusion_hash(source);
    size_t i, j;

    for (i = 0; i < region->additions; i++) {
        const kfusion_addition *addition = &region->addition[i];
        if (addition->source != hash)
            continue;
        if (addition->options == NULL)
            return addition; /* any will do */
        for (j = 0; addition->options[j] != NULL; j++)
            if (kfusion_same_options(addition->options[j], options))
                return addition;
    }
    return NULL;
}

/* The texts one behind the other, each on lines of its own; or NULL. */
KFUSION_HERE char *kfusion_on_lines(char *const *text, size_t texts)
{
    size_t size = 0, i;
    char *all;

    for (i = 0; i < texts; i++)
        size += strlen(text[i]) + 1;
    all = (char *)calloc(1, size);
    for (i = 0; all != NULL && i < texts; i++) {
        strcat(all, text[i]);
        if (i + 1 < texts)
            strcat(all, "\n");
    }
    return all;
}

/* The options of the programs, if all are built with the same ones; NULL if they are not. */
KFUSION_HERE char *kfusion_options_of(const kfusion_program *p)
{
    char *options = kfusion_program_text(p->program[0], p->device, 1), *others;
    size_t i;

    for (i = 1; options != NULL && i < p->programs; i++) {
        others = kfusion_program_text(p->program[i], p->device, 1);
        if (others == NULL || !kfusion_same_options(options, others)) {
            free(options);
            options = NULL;
        }
        free(others);
    }
    return options;
}

/* The sources of the programs, one behind the other. */
KFUSION_HERE char *kfusion_source_of(const kfusion_program *p)
{
    char *source[kfusion_most_programs] = {NULL}, *all = NULL;
    size_t known = 0, i;

    while (known < p->programs &&
           (source[known] = kfusion_program_text(p->program[known], p->device, 0)) != NULL)
        known++;
    if (known == p->programs)
        all = kfusion_on_lines(source, known);
    for (i = 0; i < known; i++)
        free(source[i]);
    return all;
}

/* Is it the program that was analysed under that name? */
KFUSION_HERE int kfusion_has_text(const kfusion_state *s, cl_program program, const char *name)
{
    char *source = kfusion_program_text(program, s->queue.device, 0);
    const unsigned long long hash = source == NULL ? 0 : kfusion_hash(source);
    size_t i;

    for (i = 0; source != NULL && i < s->region->known_texts; i++)
        if (s->region->known_text[i].source == hash &&
            strcmp(s->region->known_text[i].name, name) == 0)
            break;
    free(source);
    return source != NULL && i < s->region->known_texts;
}

/* The source with what is added, built with the same options; or NULL. */
KFUSION_HERE cl_program kfusion_build(cl_program program, cl_device_id device, const char *source,
                                      const kfusion_addition *addition, const char *options)
{
    const char *strings[4];
    cl_context context;
    cl_program added;
    cl_int status;

    if (clGetProgramInfo(program, CL_PROGRAM_CONTEXT, sizeof context, &context, NULL) !=
        CL_SUCCESS)
        return NULL;
    strings[0] = addition->head;
    strings[1] = source;
    strings[2] = "\n";
    strings[3] = addition->text;
    added = clCreateProgramWithSource(context, 4, strings, NULL, &status);
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
    size_t i;

    *place = p->next;
    kfusion_let_go_of_added(p);
    __atomic_sub_fetch(&KFUSION_N(programs), 1, __ATOMIC_RELAXED);
    for (i = 0; i < p->programs; i++)
        clReleaseProgram(p->program[i]);
    free(p);
}

KFUSION_HERE int kfusion_is_among(const kfusion_program *p, cl_program program)
{
    size_t i;

    for (i = 0; i < p->programs; i++)
        if (p->program[i] == program)
            return 1;
    return 0;
}

/* Lets go of the program; NULL stands for all programs. */
KFUSION_HERE void kfusion_let_go_of_programs(kfusion_state *s, cl_program program)
{
    kfusion_program **place = &s->program;

    while (*place != NULL)
        if (program == NULL || kfusion_is_among(*place, program))
            kfusion_let_go_of_program(place);
        else
            place = &(*place)->next;
}

/* Does nothing else hold the program? */
KFUSION_HERE int kfusion_is_unused(const kfusion_state *s, cl_program program)
{
    const kfusion_program *p;
    cl_uint own = 0;

    for (p = s->program; p != NULL; p = p->next)
        if (kfusion_is_among(p, program))
            own += 1 + p->references; /* no kernels are made of one of several programs */
    return kfusion_program_references(program) <= own;
}

KFUSION_HERE void kfusion_let_go_of_unused_programs(kfusion_state *s)
{
    kfusion_program *p = s->program;

    while (p != NULL) {
        size_t i = 0;
        while (i < p->programs && !kfusion_is_unused(s, p->program[i]))
            i++;
        if (i < p->programs) {
            kfusion_let_go_of_programs(s, p->program[i]);
            p = s->program; /* the next one may be gone, too */
        } else
            p = p->next;
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
            p->looked = p->compared = 0;
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

KFUSION_HERE kfusion_program *kfusion_enter_programs(kfusion_state *s, const cl_program *program,
                                                     size_t programs, cl_device_id device)
{
    const size_t size = programs * sizeof *program;
    kfusion_program *p;

    for (p = s->program; p != NULL; p = p->next)
        if (p->device == device && p->programs == programs &&
            memcmp(p->program, program, size) == 0)
            return p;
    p = (kfusion_program *)calloc(1, sizeof *p);
    if (p == NULL)
        return NULL;
    while (p->programs < programs && clRetainProgram(program[p->programs]) == CL_SUCCESS)
        p->programs++;
    if (p->programs < programs) {
        while (p->programs > 0)
            clReleaseProgram(program[--p->programs]);
        free(p);
        return NULL;
    }
    memcpy(p->program, program, size);
    p->device = device;
    p->next = s->program;
    s->program = p;
    __atomic_add_fetch(&KFUSION_N(programs), 1, __ATOMIC_RELAXED);
    return p;
}

/* Behind the places where lines are joined. */
KFUSION_HERE const char *kfusion_on_next_line(const char *text)
{
    for (;;) {
        const char *end = text + (*text == '\\' ? 1 : strncmp(text, "?\?/", 3) == 0 ? 3 : 0);
        if (end == text)
            return text;
        while (*end == ' ' || *end == '\t' || *end == '\r')
            end++;
        if (*end != '\n')
            return text;
        text = end + 1;
    }
}

/* Does the text perhaps include a file? */
KFUSION_HERE int kfusion_may_include(const char *text)
{
    static const char word[] = "include";

    for (; *text != '\0'; text++) {
        const char *at = text;
        size_t i = 0;
        while (word[i] != '\0' && *at == word[i]) {
            at = kfusion_on_next_line(at + 1);
            i++;
        }
        if (word[i] == '\0')
            return 1;
    }
    return 0;
}

/* Programs of one text that are built with the same options are as good as one: a library may
   build a file once for each of its parts. What a text includes is not looked at. */
KFUSION_HERE int kfusion_are_alike(kfusion_state *s, cl_program one, cl_program other)
{
    const cl_program both[2] = {one, other};
    kfusion_program *p = one == other ? NULL
                                      : kfusion_enter_programs(s, both, 2, s->queue.device);

    if (p == NULL)
        return one == other;
    if (!p->compared) {
        char *options = kfusion_options_of(p);
        char *a = kfusion_program_text(one, p->device, 0);
        char *b = kfusion_program_text(other, p->device, 0);
        p->compared = 1;
        p->alike = options != NULL && a != NULL && b != NULL && strcmp(a, b) == 0 &&
                   *a != '\0' && !kfusion_may_include(a);
        free(options);
        free(a);
        free(b);
    }
    return p->alike;
}

/* Do the options define nothing but numbers? -Dmine=theirs may give the texts of several programs
   one function that none of them has alone. */
KFUSION_HERE int kfusion_defines_numbers(const char *options)
{
    const char *at = options;

    while ((at = strstr(at, "-D")) != NULL) {
        at += 2;
        while (*at == ' ' || *at == '\t')
            at++;
        while (*at == '_' || isalnum((unsigned char)*at))
            at++;
        if (*at != '\0' && *at != ' ' && *at != '\t') {
            if (*at++ != '=')
                return 0;
            at += *at == '-' || *at == '+';
            if (*at != '.' && !isdigit((unsigned char)*at))
                return 0;
            while (*at == '.' || *at == '+' || *at == '-' || isalnum((unsigned char)*at))
                at++;
            if (*at != '\0' && *at != ' ' && *at != '\t')
                return 0;
        }
    }
    return 1;
}

/* Sees to it that the program with fused text added is there if there is such a text, and that it
   is still the one: once in each region, for the program may have been built with other options.
   In a closed program every build is seen, and once is enough. */
KFUSION_HERE void kfusion_look_for_addition(kfusion_state *s, kfusion_program *p)
{
    const kfusion_addition *addition;
    char *options, *source = NULL;

    if (p->looked || s->region->additions == 0)
        return;
    p->looked = 1;
    options = kfusion_options_of(p);
    if (p->added != NULL && options != NULL && strcmp(options, p->options) == 0 &&
        strstr(options, "-I") == NULL) {
        free(options);
        return;
    }
    kfusion_let_go_of_added(p);
    if (options != NULL &&
        (p->programs == 1 || !KFUSION_PROTECTS(NUMBERS) || kfusion_defines_numbers(options)))
        source = kfusion_source_of(p);
    addition = source == NULL ? NULL : kfusion_find_addition(s->region, source, options);
    if (addition != NULL)
        p->added = kfusion_build(p->program[0], p->device, source, addition, options);
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
    const cl_uint before = KFUSION_CLOSED ? kfusion_program_references(p->program[0]) : 0;
    cl_int status = CL_INVALID_KERNEL_NAME;

    own->added = 0;
    if (p->programs == 1)
        own->kernel = clCreateKernel(p->program[0], own->name, &status);
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
        p->references += kfusion_program_references(p->program[0]) - before;
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

/* The run time's own kernel of that name; its kernel is NULL if the programs have none. */
KFUSION_HERE kfusion_own *kfusion_own_kernel_of(kfusion_state *s, const cl_program *program,
                                                size_t programs, const char *name)
{
    kfusion_program *p = kfusion_enter_programs(s, program, programs, s->queue.device);
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
    own->of = p;
    own->next = p->own;
    p->own = own;
    return own;
}

KFUSION_HERE kfusion_own *kfusion_own_kernel(kfusion_state *s, cl_program program,
                                             const char *name)
{
    return kfusion_own_kernel_of(s, &program, 1, name);
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
