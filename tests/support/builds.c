/* A layer of the OpenCL loader (OPENCL_LAYERS), for the programs that tests start.
 *
 * PoCL reads 9 MB of built-in functions before a process builds its first kernel: half a second.
 * The process that runs the tests has done that. So it is asked to build the same first
 * (tests/support/builds.py); PoCL then finds what it made among its files.
 *
 * With TESTS_DEVICE_TYPE and TESTS_LOCAL_MEMORY programs are told that devices are of that type,
 * and have so much local memory. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static cl_icd_dispatch next, ours;

static void ask(const char *options, const char *source)
{
    struct sockaddr_un place = {.sun_family = AF_UNIX}; /* a name without a file begins with 0 */
    const char *tests = getenv("TESTS_BUILD");
    if (!tests || atoi(tests) == getpid())
        return;
    int length = snprintf(place.sun_path + 1, sizeof place.sun_path - 1, "tests-build-%s", tests);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
    int asked = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (!connect(asked, (struct sockaddr *)&place, size)) {
        char answer;
        dprintf(asked, "%s%c%s", options, 0, source);
        shutdown(asked, SHUT_WR);
        (void)!read(asked, &answer, 1);
    }
    close(asked);
}

static cl_int CL_API_CALL build(cl_program program, cl_uint devices, const cl_device_id *list,
                                const char *options,
                                void(CL_CALLBACK *done)(cl_program, void *), void *data)
{
    size_t size = 0;
    if (!next.clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, NULL, &size) && size > 1) {
        char *source = malloc(size);
        if (!next.clGetProgramInfo(program, CL_PROGRAM_SOURCE, size, source, NULL))
            ask(options ? options : "", source);
        free(source);
    }
    return next.clBuildProgram(program, devices, list, options, done, data);
}

static cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info what, size_t size,
                                      void *value, size_t *needed)
{
    const char *variable = what == CL_DEVICE_TYPE             ? "TESTS_DEVICE_TYPE"
                           : what == CL_DEVICE_LOCAL_MEM_SIZE ? "TESTS_LOCAL_MEMORY"
                                                              : NULL;
    const char *text = variable ? getenv(variable) : NULL;
    cl_int status = next.clGetDeviceInfo(device, what, size, value, needed);
    if (text && !status && value)
        *(cl_ulong *)value = strtoull(text, NULL, 10);
    return status;
}

cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void *value, size_t *needed)
{
    if (name != CL_LAYER_API_VERSION || (value && size < sizeof(cl_layer_api_version)))
        return CL_INVALID_VALUE;
    if (value)
        *(cl_layer_api_version *)value = CL_LAYER_API_VERSION_100;
    if (needed)
        *needed = sizeof(cl_layer_api_version);
    return CL_SUCCESS;
}

cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch *target, cl_uint *made,
                               const cl_icd_dispatch **layer)
{
    size_t known = sizeof next / sizeof(void *);
    memcpy(&next, target, (entries < known ? entries : known) * sizeof(void *));
    ours = next;
    ours.clBuildProgram = build;
    ours.clGetDeviceInfo = device_info;
    *made = (cl_uint)known;
    *layer = &ours;
    return CL_SUCCESS;
}
