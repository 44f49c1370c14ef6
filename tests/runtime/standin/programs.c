/* Programs and kernels. */
#include "standin.h"

void program_gone(cl_program program)
{
    if (program->notify != NULL)
        program->notify(program, program->data);
    free(program->source);
    free(program->text);
    free(program->options);
    drop(program->context);
}

void kernel_gone(cl_kernel kernel)
{
    drop(kernel->program);
}

/* ---- Programs --------------------------------------------------------------------------- */

static cl_program new_program(cl_context context, char *source)
{
    cl_program program = new_object(PROGRAM, sizeof *program);
    hold(context);
    program->context = context;
    program->source = source;
    program->options = strdup("");
    program->build = CL_BUILD_NONE;
    return program;
}

static char *joined(const char **strings, const size_t *lengths, cl_uint count)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    for (cl_uint i = 0; i < count; i++)
        fwrite(strings[i], 1,
               lengths != NULL && lengths[i] != 0 ? lengths[i] : strlen(strings[i]), to);
    fclose(to);
    return text;
}

cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char **strings,
                                     const size_t *lengths, cl_int *errcode_ret)
{
    call here = CALL("%s %u", name_of(context), count);
    cl_program program = NULL;
    if (count == 0 || strings == NULL)
        refuse(&here, CL_INVALID_VALUE);
    if (expect(&here, context, CONTEXT)) {
        program = new_program(context, joined(strings, lengths, count));
        program->from_source = true;
    }
    return end_with(&here, program, errcode_ret);
}

/* A binary is the source. */
cl_program clCreateProgramWithBinary(cl_context context, cl_uint num_devices,
                                     const cl_device_id *device_list, const size_t *lengths,
                                     const unsigned char **binaries, cl_int *binary_status,
                                     cl_int *errcode_ret)
{
    call here = CALL("%s %u", name_of(context), num_devices);
    cl_program program = NULL;
    if (num_devices != 1 || device_list == NULL || lengths == NULL || binaries == NULL)
        refuse(&here, CL_INVALID_VALUE);
    if (expect(&here, context, CONTEXT))
        program = new_program(context, strndup((const char *)binaries[0], lengths[0]));
    if (binary_status != NULL)
        *binary_status = here.status;
    return end_with(&here, program, errcode_ret);
}

cl_program clCreateProgramWithBuiltInKernels(cl_context context, cl_uint num_devices,
                                             const cl_device_id *device_list,
                                             const char *kernel_names, cl_int *errcode_ret)
{
    call here = CALL("%s %s", name_of(context), kernel_names);
    cl_program program = NULL;
    if (num_devices != 1 || device_list == NULL || strcmp(kernel_names, "standin_nothing") != 0)
        refuse(&here, CL_INVALID_VALUE);
    if (expect(&here, context, CONTEXT))
        program = new_program(context, strdup("kernel void standin_nothing(void) { }"));
    return end_with(&here, program, errcode_ret);
}

/* Intermediate language is the source, too. */
cl_program clCreateProgramWithIL(cl_context context, const void *il, size_t length,
                                 cl_int *errcode_ret)
{
    call here = CALL("%s %zu", name_of(context), length);
    cl_program program = NULL;
    if (il == NULL || length == 0)
        refuse(&here, CL_INVALID_VALUE);
    if (expect(&here, context, CONTEXT)) {
        program = new_program(context, strndup(il, length));
        program->is_il = true;
    }
    return end_with(&here, program, errcode_ret);
}

static bool has_a_name_twice(const cl_program program)
{
    for (size_t i = 0; i < program->kernel_count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(program->kernels[i].name, program->kernels[j].name) == 0)
                return true;
    return false;
}

static void build(call *here, cl_program program, const char *options)
{
    free(program->text);
    free(program->options);
    program->text = without_comments(program->source);
    program->options = strdup(options != NULL ? options : "");
    program->kernel_count = find_kernels(program->text, program->kernels, MOST_KERNELS);
    program->is_built = !has_a_name_twice(program);
    program->build = program->is_built ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
    if (!program->is_built)
        refuse(here, CL_BUILD_PROGRAM_FAILURE);
}

cl_int clBuildProgram(cl_program program, cl_uint num_devices, const cl_device_id *device_list,
                      const char *options, void(CL_CALLBACK *pfn_notify)(cl_program, void *),
                      void *user_data)
{
    call here = CALL("%s \"%s\"", name_of(program), options != NULL ? options : "");
    if ((num_devices == 0) != (device_list == NULL))
        refuse(&here, CL_INVALID_VALUE);
    if (expect(&here, program, PROGRAM) && program->base.holds > 0)
        refuse(&here, CL_INVALID_OPERATION); /* a kernel of it lives */
    if (ok(&here)) {
        build(&here, program, options);
        program->type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
        if (pfn_notify != NULL)
            pfn_notify(program, user_data);
    }
    return end(&here);
}

cl_int clCompileProgram(cl_program program, cl_uint num_devices, const cl_device_id *device_list,
                        const char *options, cl_uint num_input_headers,
                        const cl_program *input_headers, const char **header_include_names,
                        void(CL_CALLBACK *pfn_notify)(cl_program, void *), void *user_data)
{
    call here = CALL("%s %u", name_of(program), num_input_headers);
    if ((num_devices == 0) != (device_list == NULL) ||
        (num_input_headers > 0) != (input_headers != NULL && header_include_names != NULL))
        refuse(&here, CL_INVALID_VALUE);
    if (expect(&here, program, PROGRAM) && program->base.holds > 0)
        refuse(&here, CL_INVALID_OPERATION);
    if (ok(&here)) {
        build(&here, program, options);
        program->type = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
        if (pfn_notify != NULL)
            pfn_notify(program, user_data);
    }
    return end(&here);
}

cl_program clLinkProgram(cl_context context, cl_uint num_devices, const cl_device_id *device_list,
                         const char *options, cl_uint num_input_programs,
                         const cl_program *input_programs,
                         void(CL_CALLBACK *pfn_notify)(cl_program, void *), void *user_data,
                         cl_int *errcode_ret)
{
    call here = CALL("%s %u", name_of(context), num_input_programs);
    cl_program program = NULL;
    if ((num_devices == 0) != (device_list == NULL) || num_input_programs == 0)
        refuse(&here, CL_INVALID_VALUE);
    if (expect(&here, context, CONTEXT)) {
        const char *sources[MOST_KERNELS];
        for (cl_uint i = 0; i < num_input_programs; i++)
            sources[i] = input_programs[i]->source;
        program = new_program(context, joined(sources, NULL, num_input_programs));
        program->type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
        build(&here, program, options);
        if (pfn_notify != NULL)
            pfn_notify(program, user_data);
    }
    return end_with(&here, program, errcode_ret);
}

cl_int clSetProgramReleaseCallback(cl_program program,
                                   void(CL_CALLBACK *pfn_notify)(cl_program, void *),
                                   void *user_data)
{
    call here = CALL("%s", name_of(program));
    if (expect(&here, program, PROGRAM)) {
        program->notify = pfn_notify;
        program->data = user_data;
    }
    return end(&here);
}

cl_int clSetProgramSpecializationConstant(cl_program program, cl_uint spec_id, size_t spec_size,
                                          const void *spec_value)
{
    call here = CALL("%s %u %zu", name_of(program), spec_id, spec_size);
    if (expect(&here, program, PROGRAM) && !program->is_il)
        refuse(&here, CL_INVALID_PROGRAM);
    if (spec_value == NULL)
        refuse(&here, CL_INVALID_VALUE);
    return end(&here);
}

cl_int clUnloadPlatformCompiler(cl_platform_id platform)
{
    call here = CALL("%s", name_of(platform));
    expect(&here, platform, PLATFORM);
    return end(&here);
}

cl_int clUnloadCompiler(void)
{
    call here = CALL("%s", "");
    return end(&here);
}

/* ---- Kernels ---------------------------------------------------------------------------- */

static cl_kernel new_kernel(cl_program program, const kernel_text *text)
{
    cl_kernel kernel = new_object(KERNEL, sizeof *kernel);
    hold(program);
    kernel->program = program;
    kernel->text = text;
    return kernel;
}

cl_kernel clCreateKernel(cl_program program, const char *kernel_name, cl_int *errcode_ret)
{
    call here = CALL("%s %s", name_of(program), kernel_name != NULL ? kernel_name : "NULL");
    cl_kernel kernel = NULL;
    if (expect(&here, program, PROGRAM) && !program->is_built)
        refuse(&here, CL_INVALID_PROGRAM_EXECUTABLE);
    if (kernel_name == NULL)
        refuse(&here, CL_INVALID_VALUE);
    for (size_t i = 0; ok(&here) && kernel == NULL && i < program->kernel_count; i++)
        if (strcmp(program->kernels[i].name, kernel_name) == 0)
            kernel = new_kernel(program, &program->kernels[i]);
    if (kernel == NULL)
        refuse(&here, CL_INVALID_KERNEL_NAME);
    return end_with(&here, kernel, errcode_ret);
}

cl_int clCreateKernelsInProgram(cl_program program, cl_uint num_kernels, cl_kernel *kernels,
                                cl_uint *num_kernels_ret)
{
    call here = CALL("%s %u", name_of(program), num_kernels);
    if (expect(&here, program, PROGRAM) && !program->is_built)
        refuse(&here, CL_INVALID_PROGRAM_EXECUTABLE);
    if (ok(&here) && kernels != NULL && num_kernels < program->kernel_count)
        refuse(&here, CL_INVALID_VALUE);
    for (size_t i = 0; ok(&here) && kernels != NULL && i < program->kernel_count; i++)
        kernels[i] = new_kernel(program, &program->kernels[i]);
    if (ok(&here) && num_kernels_ret != NULL)
        *num_kernels_ret = (cl_uint)program->kernel_count;
    return end(&here);
}

cl_kernel clCloneKernel(cl_kernel source_kernel, cl_int *errcode_ret)
{
    call here = CALL("%s", name_of(source_kernel));
    cl_kernel kernel = NULL;
    if (expect(&here, source_kernel, KERNEL)) {
        kernel = new_kernel(source_kernel->program, source_kernel->text);
        memcpy(kernel->arguments, source_kernel->arguments, sizeof kernel->arguments);
    }
    return end_with(&here, kernel, errcode_ret);
}

/* ---- Arguments -------------------------------------------------------------------------- */

static void say_bytes(call *here, const unsigned char *bytes, size_t size)
{
    say(here, " ");
    for (size_t i = 0; i < size && i < 16; i++)
        say(here, "%02x", bytes[i]);
}

static void check_argument(call *here, const parameter *parameter, size_t size, const void *value)
{
    bool is_object = parameter->is_memory || parameter->is_sampler;
    if (parameter->is_local ? size == 0
                            : is_object ? size != sizeof(cl_mem)
                                        : parameter->size > 0 && size != parameter->size)
        refuse(here, CL_INVALID_ARG_SIZE);
    if (parameter->is_local ? value != NULL : value == NULL && !parameter->is_memory)
        refuse(here, CL_INVALID_ARG_VALUE);
    if (parameter->is_sampler && ok(here) && *(void *const *)value == NULL)
        refuse(here, CL_INVALID_SAMPLER);
    if (size > sizeof ((argument *)0)->value && !parameter->is_local)
        refuse(here, CL_INVALID_ARG_SIZE);
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint arg_index, size_t arg_size, const void *arg_value)
{
    call here = CALL("%s %u %zu", name_of(kernel), arg_index, arg_size);
    if (expect(&here, kernel, KERNEL) && arg_index >= kernel->text->count)
        refuse(&here, CL_INVALID_ARG_INDEX);
    const parameter *parameter = ok(&here) ? &kernel->text->parameters[arg_index] : NULL;
    if (ok(&here))
        check_argument(&here, parameter, arg_size, arg_value);
    if (ok(&here)) {
        argument *set = &kernel->arguments[arg_index];
        memset(set, 0, sizeof *set);
        set->is_set = true;
        set->size = arg_size;
        if (arg_value != NULL)
            memcpy(set->value, arg_value, arg_size);
        void *object = *(void **)set->value;
        if (parameter->is_memory || parameter->is_sampler) {
            say(&here, " %s", name_of(object));
            if (object != NULL)
                set->number = alive(object, parameter->is_sampler ? SAMPLER : MEM)->number;
        } else if (arg_value != NULL) {
            say_bytes(&here, set->value, arg_size);
        }
    }
    return end(&here);
}

cl_int clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint arg_index, const void *arg_value)
{
    call here = CALL("%s %u", name_of(kernel), arg_index);
    if (expect(&here, kernel, KERNEL) && arg_index >= kernel->text->count)
        refuse(&here, CL_INVALID_ARG_INDEX);
    if (ok(&here)) {
        argument *set = &kernel->arguments[arg_index];
        memset(set, 0, sizeof *set);
        set->is_set = set->is_svm = true;
        set->size = sizeof arg_value;
        memcpy(set->value, &arg_value, sizeof arg_value);
    }
    return end(&here);
}

cl_int clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info param_name,
                           size_t param_value_size, const void *param_value)
{
    call here = CALL("%s %#x %zu", name_of(kernel), param_name, param_value_size);
    expect(&here, kernel, KERNEL);
    if (param_value == NULL)
        refuse(&here, CL_INVALID_VALUE);
    return end(&here);
}
