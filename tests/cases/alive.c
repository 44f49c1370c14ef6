/* Counts kernels and programs that are made and given back; preloaded into a program.
 *
 * At exit it prints to stderr how many were made, and how many references are left.
 */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>

static int kernels_made, kernels_left, programs_left;

static void *the_real(const char *symbol)
{
    return dlsym(RTLD_NEXT, symbol);
}

cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *status)
{
    cl_kernel (*real)(cl_program, const char *, cl_int *) =
        (cl_kernel(*)(cl_program, const char *, cl_int *))the_real("clCreateKernel");
    cl_kernel kernel = real(program, name, status);

    kernels_made += kernel != NULL;
    kernels_left += kernel != NULL;
    return kernel;
}

cl_int clRetainKernel(cl_kernel kernel)
{
    kernels_left++;
    return ((cl_int(*)(cl_kernel))the_real("clRetainKernel"))(kernel);
}

cl_int clReleaseKernel(cl_kernel kernel)
{
    kernels_left--;
    return ((cl_int(*)(cl_kernel))the_real("clReleaseKernel"))(kernel);
}

cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char **texts,
                                     const size_t *lengths, cl_int *status)
{
    cl_program (*real)(cl_context, cl_uint, const char **, const size_t *, cl_int *) =
        (cl_program(*)(cl_context, cl_uint, const char **, const size_t *, cl_int *))the_real(
            "clCreateProgramWithSource");

    programs_left++;
    return real(context, count, texts, lengths, status);
}

cl_int clRetainProgram(cl_program program)
{
    programs_left++;
    return ((cl_int(*)(cl_program))the_real("clRetainProgram"))(program);
}

cl_int clReleaseProgram(cl_program program)
{
    programs_left--;
    return ((cl_int(*)(cl_program))the_real("clReleaseProgram"))(program);
}

__attribute__((destructor)) static void report(void)
{
    fprintf(stderr, "kernels made %d, left %d, programs left %d\n", kernels_made, kernels_left,
            programs_left);
}
