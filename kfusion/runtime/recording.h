/* ==== Recording: KFUSION=record =========================================================== */

/* Each region writes the launches that were made in it to the file that KFUSION_RECORD names, or
   to kfusion.record, once for each different row of launches:

       region pythagoras pythagoras.c:24
       vector_mult(m0, m1, 4:00040000)  range 1024 local 64 offset 0
       settled clEnqueueReadBuffer
       scratch m1
       out m0
       end

   Memory objects are numbered in the order in which they appear, likewise samplers (s0); an
   argument of local memory is local:BYTES, any other one SIZE:BYTES, or SIZE:BYTES/0 with the
   number of an object that it may be, and one that was set before the region is ?. Sizes of several dimensions are separated by commas. Where a command stands
   that settles, noted launches would have been made. `scratch` was made and released in the
   region; `out` and `temp` are what the variables of the region's line held at its end, or -.

   The source of each program that had a launch is written to FILE.HASH.ocl, where HASH is FNV-1a
   with 64 bits in 16 digits, and the options of its builds to FILE.HASH.options, line by line. */

typedef struct kfusion_recorded {
    struct kfusion_recorded *next;
    char *text;
} kfusion_recorded;

#ifdef __cplusplus
extern "C" {
#endif
KFUSION_SHARED kfusion_recorded *KFUSION_N(recorded);
KFUSION_SHARED int KFUSION_N(recorded_lock);
#ifdef __cplusplus
}
#endif

KFUSION_HERE KFUSION_PRINTF(2, 3) void kfusion_write_text(kfusion_state *s, const char *format, ...)
{
    va_list values;
    int length;

    va_start(values, format);
    length = vsnprintf(NULL, 0, format, values);
    va_end(values);
    if (length < 0 ||
        !KFUSION_ROOM(char, s->text, s->text_room, s->text_length + (size_t)length + 1))
        return;
    va_start(values, format);
    vsnprintf(s->text + s->text_length, (size_t)length + 1, format, values);
    va_end(values);
    s->text_length += (size_t)length;
}

KFUSION_HERE void kfusion_begin_text(kfusion_state *s)
{
    s->text_length = 0;
    s->handles = 0;
    s->recorded = NULL;
    kfusion_write_text(s, "region %s %s\n", s->region->name, s->region->place);
    s->text_head = s->text_length;
}

KFUSION_HERE const char *kfusion_record_path(void)
{
    const char *path = getenv("KFUSION_RECORD");

    return path == NULL ? "kfusion.record" : path;
}

/* Has this process not written the text yet? It is then taken for written. Under the lock. */
KFUSION_HERE int kfusion_is_new_text(const char *text)
{
    const size_t size = strlen(text) + 1;
    kfusion_recorded *r;

    for (r = KFUSION_N(recorded); r != NULL; r = r->next)
        if (strcmp(r->text, text) == 0)
            return 0;
    r = (kfusion_recorded *)calloc(1, sizeof *r);
    if (r != NULL)
        r->text = (char *)malloc(size);
    if (r == NULL || r->text == NULL) {
        free(r);
        return 1;
    }
    memcpy(r->text, text, size);
    r->next = KFUSION_N(recorded);
    KFUSION_N(recorded) = r;
    return 1;
}

KFUSION_HERE void kfusion_record_named(kfusion_state *s);

KFUSION_HERE void kfusion_end_text(kfusion_state *s)
{
    FILE *file;

    if (s->text_length <= s->text_head || s->text == NULL)
        return;
    kfusion_record_named(s);
    kfusion_write_text(s, "end\n");
    kfusion_lock(&KFUSION_N(recorded_lock));
    if (kfusion_is_new_text(s->text)) {
        file = fopen(kfusion_record_path(), "a");
        if (file != NULL) {
            fputs(s->text, file);
            fclose(file);
        } else {
            fprintf(stderr, "kfusion: cannot write %s\n", kfusion_record_path());
        }
    }
    kfusion_unlock(&KFUSION_N(recorded_lock));
    s->text_length = s->text_head = 0;
}

/* ---- Programs ---- */

/* Writes a program's source, once, or a line of build options. */
KFUSION_HERE void kfusion_record_file(const char *path, const char *text, int is_line)
{
    FILE *file = fopen(path, is_line ? "a" : "rb");

    if (file != NULL && !is_line) {
        fclose(file); /* the name says what is in it */
        return;
    }
    if (file == NULL)
        file = fopen(path, "wb");
    if (file == NULL)
        return;
    for (; *text != '\0'; text++)
        putc(is_line && *text == '\n' ? ' ' : *text, file);
    if (is_line)
        putc('\n', file);
    fclose(file);
}

KFUSION_HERE void kfusion_record_options(cl_program program, const char *path)
{
    cl_device_id device[64];
    size_t size = 0, i;
    char *options, *line;

    if (clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof device, device, &size) != CL_SUCCESS)
        return;
    for (i = 0; i < size / sizeof *device; i++) {
        options = kfusion_program_text(program, device[i], 1);
        line = options == NULL ? NULL : (char *)malloc(strlen(path) + strlen(options) + 2);
        if (line != NULL) {
            sprintf(line, "%s %s", path, options);
            if (kfusion_is_new_text(line))
                kfusion_record_file(path, options, 1);
        }
        free(line);
        free(options);
    }
}

KFUSION_HERE void kfusion_record_program(kfusion_state *s, cl_program program)
{
    const char *record = kfusion_record_path();
    const size_t length = strlen(record);
    char *source, *path;

    if (s->recorded == program)
        return;
    s->recorded = program;
    source = kfusion_program_text(program, NULL, 0);
    path = source == NULL || *source == '\0' ? NULL : (char *)malloc(length + 32);
    if (path != NULL) {
        kfusion_lock(&KFUSION_N(recorded_lock));
        sprintf(path, "%s.%016llx.ocl", record, kfusion_hash(source));
        kfusion_record_file(path, source, 0);
        strcpy(path + length + 18, "options");
        kfusion_record_options(program, path);
        kfusion_unlock(&KFUSION_N(recorded_lock));
    }
    free(path);
    free(source);
}

/* ---- Launches ---- */

/* What an argument is: as in the tables, or ? if that is not known. */
KFUSION_HERE char kfusion_kind_of(const kfusion_record *r, cl_kernel kernel, cl_uint index)
{
    const kfusion_step_table *step = r->step;

    if (step != NULL)
        return KFUSION_IS_MEMORY(step->kinds[index]) ? 'm' : step->kinds[index];
#ifdef CL_VERSION_1_2
    {
        cl_kernel_arg_address_qualifier space = 0;
        char type[16] = "";
        size_t size = 0;
        if (clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space,
                               &space, NULL) != CL_SUCCESS)
            return '?';
        if (space == CL_KERNEL_ARG_ADDRESS_GLOBAL || space == CL_KERNEL_ARG_ADDRESS_CONSTANT)
            return 'm';
        if (clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, &size) ==
                CL_SUCCESS &&
            strcmp(type, "sampler_t") == 0)
            return 's';
        return 'v';
    }
#else
    (void)kernel;
    return '?';
#endif
}

/* The number of a handle among those of this region. */
KFUSION_HERE size_t kfusion_handle_number(kfusion_state *s, const void *handle)
{
    size_t i;

    for (i = 0; i < s->handles; i++)
        if (s->handle[i] == handle)
            return i;
    if (!KFUSION_ROOM(const void *, s->handle, s->handle_room, s->handles + 1))
        return (size_t)-1;
    s->handle[s->handles] = handle;
    return s->handles++;
}

KFUSION_HERE void kfusion_record_value(kfusion_state *s, kfusion_value *v, char kind)
{
    const unsigned char *bytes = (const unsigned char *)kfusion_value_bytes(v);
    const void *handle;
    size_t i;

    if (!v->known)
        kfusion_write_text(s, "?");
    else if (v->local)
        kfusion_write_text(s, "local:%lu", (unsigned long)v->size);
    else if ((KFUSION_IS_MEMORY(kind) || kind == 's') && v->size == sizeof handle) {
        memcpy(&handle, bytes, sizeof handle);
        kfusion_write_text(s, "%c%lu", kind, (unsigned long)kfusion_handle_number(s, handle));
    } else {
        kfusion_write_text(s, "%lu:", (unsigned long)v->size);
        for (i = 0; i < v->size; i++)
            kfusion_write_text(s, "%02x", bytes[i]);
        if (kind == '?' && v->size == sizeof handle) {
            memcpy(&handle, bytes, sizeof handle);
            kfusion_write_text(s, "/%lu", (unsigned long)kfusion_handle_number(s, handle));
        }
    }
}

KFUSION_HERE void kfusion_record_sizes(kfusion_state *s, const char *what, cl_uint dimensions,
                                       const size_t *sizes)
{
    cl_uint d;

    for (d = 0; sizes != NULL && d < dimensions && d < 3; d++)
        kfusion_write_text(s, "%s%lu", d == 0 ? what : ",", (unsigned long)sizes[d]);
}

KFUSION_HERE void kfusion_record_launch(kfusion_state *s, cl_kernel kernel, cl_uint dimensions,
                                        const size_t *offset, const size_t *global,
                                        const size_t *local)
{
    kfusion_record *r = kfusion_enter_record(s, kernel);
    cl_uint i;

    if (r == NULL)
        return;
    if (!r->asked) {
        r->usable = kfusion_ask_kernel(r);
        r->asked = 1;
    }
    if (!r->usable)
        return;
    kfusion_record_program(s, r->program);
    if (r->region != s->region) {
        r->step = kfusion_find_step(s->region, r->name, r->count);
        r->region = s->region;
    }
    kfusion_write_text(s, "%s(", r->name);
    for (i = 0; i < r->count; i++) {
        if (i > 0)
            kfusion_write_text(s, ", ");
        if (i >= r->values)
            kfusion_write_text(s, "?");
        else
            kfusion_record_value(s, &r->value[i], kfusion_kind_of(r, kernel, i));
    }
    kfusion_write_text(s, ")");
    kfusion_record_sizes(s, "  range ", dimensions, global);
    kfusion_record_sizes(s, " local ", dimensions, local);
    kfusion_record_sizes(s, " offset ", dimensions, offset);
    kfusion_write_text(s, "\n");
}

/* ---- What else happens ---- */

/* A command comes that would have settled. */
KFUSION_HERE void kfusion_record_settling(kfusion_state *s, const char *why)
{
    size_t last = s->text_length;

    if (s->region == NULL || s->text == NULL || s->text_length <= s->text_head)
        return;
    for (last--; last > s->text_head && s->text[last - 1] != '\n';)
        last--;
    if (strncmp(s->text + last, "settled", 7) != 0)
        kfusion_write_text(s, "settled %s\n", why);
}

/* The program releases an object. Behind the last time its address may be another one's. What was
   made in the region is taken for gone: launches that are not done yet may still hold it. */
KFUSION_HERE void kfusion_record_release(kfusion_state *s, cl_mem mem)
{
    const kfusion_memory *m = kfusion_find_memory(s, mem);
    cl_uint references = 2;
    size_t i;

    if ((m == NULL || !m->created) &&
        (!kfusion_mem_info(mem, CL_MEM_REFERENCE_COUNT, sizeof references, &references) ||
         references > 1))
        return;
    for (i = 0; i < s->handles; i++)
        if (s->handle[i] == (const void *)mem) {
            if (m != NULL && m->created && !m->escaped)
                kfusion_write_text(s, "scratch m%lu\n", (unsigned long)i);
            s->handle[i] = s; /* the handle of nothing */
        }
}

/* What the variables of the region's line hold now, at its end. */
KFUSION_HERE void kfusion_record_named(kfusion_state *s)
{
    const kfusion_named *named = s->named;
    size_t i, h, count;
    cl_mem mem = NULL;

    if (named == NULL)
        return;
    count = named->temporaries == 0 ? named->variables : named->temporaries;
    for (i = 0; i < count; i++)
        if (kfusion_read_named(named->variable[i], &mem) < 0)
            return;
    for (i = 0; i < count; i++) {
        if (kfusion_read_named(named->variable[i], &mem) == 0)
            continue;
        for (h = 0; h < s->handles; h++)
            if (mem != NULL && s->handle[h] == (const void *)mem)
                break;
        kfusion_write_text(s, named->temporaries == 0 ? "out " : "temp ");
        if (h < s->handles)
            kfusion_write_text(s, "m%lu\n", (unsigned long)h);
        else
            kfusion_write_text(s, "-\n");
    }
}
