/* The host side of the linalg library: see linalg.h for what it promises. */
#include "linalg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef LINALG_CL
#define LINALG_CL "linalg.cl"
#endif

/* The kernels must compute with the type that the host calls real. */
#ifdef LINALG_DOUBLE
#define BUILD_OPTIONS "-DREAL=double -DLINALG_DOUBLE"
#else
#define BUILD_OPTIONS "-DREAL=float"
#endif

/* Items per work-group; vector_dot needs a power of two. */
#define GROUP_SIZE 256

/* The first failing call ends the function that made it. */
#define CHECK(call)                    \
    do {                               \
        cl_int status_ = (call);       \
        if (status_ != CL_SUCCESS)     \
            return status_;            \
    } while (0)

static cl_context context;
static cl_command_queue queue; /* in order: operations see each other's results */
static cl_program program;

static cl_kernel add_kernel;
static cl_kernel mult_kernel;
static cl_kernel sqrt_kernel;
static cl_kernel dot_kernel;
static cl_kernel matrix_kernel;
static cl_kernel sparse_kernel;

/* Where vector_dot's work-groups leave their sums; grows to the largest need. */
static cl_mem partial_device;
static real *partial_host;
static size_t partial_room;

/* ---- Start and end ---- */

static cl_int read_file(char **text, const char *path)
{
    FILE *file = fopen(path, "rb");
    long size = -1;

    *text = NULL;
    if (file == NULL)
        return LINALG_FILE_ERROR;
    if (fseek(file, 0, SEEK_END) == 0)
        size = ftell(file);
    if (size >= 0 && fseek(file, 0, SEEK_SET) == 0)
        *text = calloc((size_t)size + 1, 1);
    if (*text != NULL && fread(*text, 1, (size_t)size, file) != (size_t)size) {
        free(*text);
        *text = NULL;
    }
    fclose(file);
    return *text != NULL ? LINALG_OK : LINALG_FILE_ERROR;
}

/* The first device of the first platform that has one. */
static cl_int find_device(cl_device_id *device)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;

    CHECK(clGetPlatformIDs(16, platforms, &count));
    for (cl_uint i = 0; i < count && i < 16; i++) {
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, device, NULL) == CL_SUCCESS)
            return LINALG_OK;
    }
    return LINALG_NO_DEVICE;
}

static void print_build_log(cl_device_id device)
{
    char log[8192];
    cl_int status = clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG,
                                          sizeof log - 1, log, NULL);

    log[sizeof log - 1] = '\0';
    if (status == CL_SUCCESS)
        fprintf(stderr, "linalg: the kernels do not build:\n%s\n", log);
}

static cl_int build_program(cl_device_id device)
{
    const char *path = getenv("LINALG_CL");
    char *source;
    cl_int status;

    if (path == NULL)
        path = LINALG_CL;
    status = read_file(&source, path);
    if (status != LINALG_OK)
        fprintf(stderr, "linalg: cannot read %s\n", path);
    CHECK(status);

    program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &status);
    free(source);
    CHECK(status);

    status = clBuildProgram(program, 1, &device, BUILD_OPTIONS, NULL, NULL);
    if (status != CL_SUCCESS)
        print_build_log(device);
    return status;
}

static cl_int create_kernels(void)
{
    cl_int status;

    add_kernel = clCreateKernel(program, "vector_add", &status);
    CHECK(status);
    mult_kernel = clCreateKernel(program, "vector_mult", &status);
    CHECK(status);
    sqrt_kernel = clCreateKernel(program, "vector_sqrt", &status);
    CHECK(status);
    dot_kernel = clCreateKernel(program, "vector_dot", &status);
    CHECK(status);
    matrix_kernel = clCreateKernel(program, "matrix_vector_mult", &status);
    CHECK(status);
    sparse_kernel = clCreateKernel(program, "sparse_vector_mult", &status);
    return status;
}

static cl_int start(void)
{
    cl_device_id device;
    cl_int status;

    CHECK(find_device(&device));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    CHECK(status);
    queue = clCreateCommandQueue(context, device, 0, &status);
    CHECK(status);
    CHECK(build_program(device));
    return create_kernels();
}

cl_int linalg_init(void)
{
    cl_int status = start();

    if (status != LINALG_OK)
        linalg_shutdown(); /* releases what start() had got */
    return status;
}

static void release_kernel(cl_kernel *kernel)
{
    if (*kernel != NULL)
        clReleaseKernel(*kernel);
    *kernel = NULL;
}

static void release_buffer(cl_mem *buffer)
{
    if (*buffer != NULL)
        clReleaseMemObject(*buffer);
    *buffer = NULL;
}

void linalg_shutdown(void)
{
    release_buffer(&partial_device);
    free(partial_host);
    partial_host = NULL;
    partial_room = 0;

    release_kernel(&add_kernel);
    release_kernel(&mult_kernel);
    release_kernel(&sqrt_kernel);
    release_kernel(&dot_kernel);
    release_kernel(&matrix_kernel);
    release_kernel(&sparse_kernel);

    if (program != NULL)
        clReleaseProgram(program);
    if (queue != NULL)
        clReleaseCommandQueue(queue);
    if (context != NULL)
        clReleaseContext(context);
    program = NULL;
    queue = NULL;
    context = NULL;
}

cl_int linalg_finish(void)
{
    return clFinish(queue);
}

/* ---- Objects ---- */

/* Host memory, zeroed, and device memory of the same size. */
static cl_int create_pair(void **host, cl_mem *device, size_t count, size_t size)
{
    cl_int status;

    *host = calloc(count, size);
    if (*host == NULL)
        return LINALG_NO_MEMORY;
    *device = clCreateBuffer(context, CL_MEM_READ_WRITE, count * size, NULL, &status);
    return status;
}

cl_int vector_create(Vector *v, cl_uint n)
{
    void *host = NULL;
    cl_int status;

    memset(v, 0, sizeof *v);
    if (n == 0)
        return LINALG_BAD_SIZE;
    status = create_pair(&host, &v->device, n, sizeof(real));
    v->n = n;
    v->host = host;
    v->newer = LINALG_HOST;
    if (status != LINALG_OK)
        vector_free(v);
    return status;
}

cl_int matrix_create(Matrix *A, cl_uint rows, cl_uint cols)
{
    void *host = NULL;
    cl_int status;

    memset(A, 0, sizeof *A);
    if (rows == 0 || cols == 0)
        return LINALG_BAD_SIZE;
    status = create_pair(&host, &A->device, (size_t)rows * cols, sizeof(real));
    A->rows = rows;
    A->cols = cols;
    A->host = host;
    A->newer = LINALG_HOST;
    if (status != LINALG_OK)
        matrix_free(A);
    return status;
}

cl_int sparse_create(SparseMatrix *A, cl_uint rows, cl_uint cols, cl_uint nonzeros)
{
    void *row_start = NULL, *column = NULL, *value = NULL;
    cl_int status;

    memset(A, 0, sizeof *A);
    if (rows == 0 || cols == 0 || nonzeros == 0)
        return LINALG_BAD_SIZE;
    status = create_pair(&row_start, &A->row_start_device, (size_t)rows + 1, sizeof(cl_uint));
    if (status == LINALG_OK)
        status = create_pair(&column, &A->column_device, nonzeros, sizeof(cl_uint));
    if (status == LINALG_OK)
        status = create_pair(&value, &A->value_device, nonzeros, sizeof(real));
    A->rows = rows;
    A->cols = cols;
    A->nonzeros = nonzeros;
    A->row_start = row_start;
    A->column = column;
    A->value = value;
    A->newer = LINALG_HOST;
    if (status != LINALG_OK)
        sparse_free(A);
    return status;
}

void vector_free(Vector *v)
{
    release_buffer(&v->device);
    free(v->host);
    memset(v, 0, sizeof *v);
}

void matrix_free(Matrix *A)
{
    release_buffer(&A->device);
    free(A->host);
    memset(A, 0, sizeof *A);
}

void sparse_free(SparseMatrix *A)
{
    release_buffer(&A->row_start_device);
    release_buffer(&A->column_device);
    release_buffer(&A->value_device);
    free(A->row_start);
    free(A->column);
    free(A->value);
    memset(A, 0, sizeof *A);
}

/* ---- Mirroring ---- */

cl_int vector_on_host(Vector *v)
{
    if (v->newer == LINALG_DEVICE) {
        CHECK(clEnqueueReadBuffer(queue, v->device, CL_TRUE, 0, v->n * sizeof(real),
                                  v->host, 0, NULL, NULL));
        v->newer = LINALG_NEITHER;
    }
    return LINALG_OK;
}

void vector_changed(Vector *v)
{
    v->newer = LINALG_HOST;
}

void matrix_changed(Matrix *A)
{
    A->newer = LINALG_HOST;
}

void sparse_changed(SparseMatrix *A)
{
    A->newer = LINALG_HOST;
}

static cl_int vector_to_device(Vector *v)
{
    if (v->newer == LINALG_HOST) {
        CHECK(clEnqueueWriteBuffer(queue, v->device, CL_TRUE, 0, v->n * sizeof(real),
                                   v->host, 0, NULL, NULL));
        v->newer = LINALG_NEITHER;
    }
    return LINALG_OK;
}

static cl_int matrix_to_device(Matrix *A)
{
    if (A->newer == LINALG_HOST) {
        CHECK(clEnqueueWriteBuffer(queue, A->device, CL_TRUE, 0,
                                   (size_t)A->rows * A->cols * sizeof(real),
                                   A->host, 0, NULL, NULL));
        A->newer = LINALG_NEITHER;
    }
    return LINALG_OK;
}

static cl_int sparse_to_device(SparseMatrix *A)
{
    if (A->newer == LINALG_HOST) {
        CHECK(clEnqueueWriteBuffer(queue, A->row_start_device, CL_TRUE, 0,
                                   ((size_t)A->rows + 1) * sizeof(cl_uint),
                                   A->row_start, 0, NULL, NULL));
        CHECK(clEnqueueWriteBuffer(queue, A->column_device, CL_TRUE, 0,
                                   A->nonzeros * sizeof(cl_uint),
                                   A->column, 0, NULL, NULL));
        CHECK(clEnqueueWriteBuffer(queue, A->value_device, CL_TRUE, 0,
                                   A->nonzeros * sizeof(real),
                                   A->value, 0, NULL, NULL));
        A->newer = LINALG_NEITHER;
    }
    return LINALG_OK;
}

/* ---- Operations ---- */

/* The number of items that covers n elements in whole work-groups. */
static size_t whole_groups(cl_uint n)
{
    return ((size_t)n + GROUP_SIZE - 1) / GROUP_SIZE * GROUP_SIZE;
}

/* c = alpha a + beta b */
cl_int vector_add(Vector *c, real alpha, Vector *a, real beta, Vector *b)
{
    if (a->n != c->n || b->n != c->n)
        return LINALG_BAD_SIZE;

    CHECK(vector_to_device(a));
    CHECK(vector_to_device(b));

    CHECK(clSetKernelArg(add_kernel, 0, sizeof(cl_mem), &c->device));
    CHECK(clSetKernelArg(add_kernel, 1, sizeof(real), &alpha));
    CHECK(clSetKernelArg(add_kernel, 2, sizeof(cl_mem), &a->device));
    CHECK(clSetKernelArg(add_kernel, 3, sizeof(real), &beta));
    CHECK(clSetKernelArg(add_kernel, 4, sizeof(cl_mem), &b->device));
    CHECK(clSetKernelArg(add_kernel, 5, sizeof(cl_uint), &c->n));

    const size_t local = GROUP_SIZE;
    const size_t global = whole_groups(c->n);
    CHECK(clEnqueueNDRangeKernel(queue, add_kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    c->newer = LINALG_DEVICE;
    return LINALG_OK;
}

/* c = a b, element by element */
cl_int vector_mult(Vector *c, Vector *a, Vector *b)
{
    if (a->n != c->n || b->n != c->n)
        return LINALG_BAD_SIZE;

    CHECK(vector_to_device(a));
    CHECK(vector_to_device(b));

    CHECK(clSetKernelArg(mult_kernel, 0, sizeof(cl_mem), &c->device));
    CHECK(clSetKernelArg(mult_kernel, 1, sizeof(cl_mem), &a->device));
    CHECK(clSetKernelArg(mult_kernel, 2, sizeof(cl_mem), &b->device));
    CHECK(clSetKernelArg(mult_kernel, 3, sizeof(cl_uint), &c->n));

    const size_t local = GROUP_SIZE;
    const size_t global = whole_groups(c->n);
    CHECK(clEnqueueNDRangeKernel(queue, mult_kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    c->newer = LINALG_DEVICE;
    return LINALG_OK;
}

/* c = sqrt(a), element by element */
cl_int vector_sqrt(Vector *c, Vector *a)
{
    if (a->n != c->n)
        return LINALG_BAD_SIZE;

    CHECK(vector_to_device(a));

    CHECK(clSetKernelArg(sqrt_kernel, 0, sizeof(cl_mem), &c->device));
    CHECK(clSetKernelArg(sqrt_kernel, 1, sizeof(cl_mem), &a->device));
    CHECK(clSetKernelArg(sqrt_kernel, 2, sizeof(cl_uint), &c->n));

    const size_t local = GROUP_SIZE;
    const size_t global = whole_groups(c->n);
    CHECK(clEnqueueNDRangeKernel(queue, sqrt_kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    c->newer = LINALG_DEVICE;
    return LINALG_OK;
}

/* Makes room for one sum per work-group. */
static cl_int reserve_partial(size_t groups)
{
    void *host = NULL;
    cl_int status;

    if (groups <= partial_room)
        return LINALG_OK;

    release_buffer(&partial_device);
    free(partial_host);
    status = create_pair(&host, &partial_device, groups, sizeof(real));
    partial_host = host;
    partial_room = status == LINALG_OK ? groups : 0;
    return status;
}

/* result = sum of a[i] b[i]: the work-groups add up their shares, the host the rest. */
cl_int vector_dot(real *result, Vector *a, Vector *b)
{
    if (a->n != b->n)
        return LINALG_BAD_SIZE;

    const size_t local = GROUP_SIZE;
    const size_t global = whole_groups(a->n);
    const size_t groups = global / local;
    CHECK(reserve_partial(groups));
    CHECK(vector_to_device(a));
    CHECK(vector_to_device(b));

    CHECK(clSetKernelArg(dot_kernel, 0, sizeof(cl_mem), &partial_device));
    CHECK(clSetKernelArg(dot_kernel, 1, sizeof(cl_mem), &a->device));
    CHECK(clSetKernelArg(dot_kernel, 2, sizeof(cl_mem), &b->device));
    CHECK(clSetKernelArg(dot_kernel, 3, sizeof(cl_uint), &a->n));
    CHECK(clSetKernelArg(dot_kernel, 4, GROUP_SIZE * sizeof(real), NULL));

    CHECK(clEnqueueNDRangeKernel(queue, dot_kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, partial_device, CL_TRUE, 0, groups * sizeof(real),
                              partial_host, 0, NULL, NULL));

    double sum = 0;
    for (size_t i = 0; i < groups; i++)
        sum += partial_host[i];
    *result = (real)sum;
    return LINALG_OK;
}

/* b = A x for a dense A */
cl_int matrix_vector_mult(Vector *b, Matrix *A, Vector *x)
{
    if (b->n != A->rows || x->n != A->cols)
        return LINALG_BAD_SIZE;
    if (b == x) /* every element of b needs all of x */
        return LINALG_ALIASED;

    CHECK(matrix_to_device(A));
    CHECK(vector_to_device(x));

    CHECK(clSetKernelArg(matrix_kernel, 0, sizeof(cl_mem), &b->device));
    CHECK(clSetKernelArg(matrix_kernel, 1, sizeof(cl_mem), &A->device));
    CHECK(clSetKernelArg(matrix_kernel, 2, sizeof(cl_mem), &x->device));
    CHECK(clSetKernelArg(matrix_kernel, 3, sizeof(cl_uint), &A->rows));
    CHECK(clSetKernelArg(matrix_kernel, 4, sizeof(cl_uint), &A->cols));

    const size_t local = GROUP_SIZE;
    const size_t global = whole_groups(A->rows);
    CHECK(clEnqueueNDRangeKernel(queue, matrix_kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    b->newer = LINALG_DEVICE;
    return LINALG_OK;
}

/* b = A x for a sparse A */
cl_int sparse_vector_mult(Vector *b, SparseMatrix *A, Vector *x)
{
    if (b->n != A->rows || x->n != A->cols)
        return LINALG_BAD_SIZE;
    if (b == x) /* every element of b may need any of x */
        return LINALG_ALIASED;

    CHECK(sparse_to_device(A));
    CHECK(vector_to_device(x));

    CHECK(clSetKernelArg(sparse_kernel, 0, sizeof(cl_mem), &b->device));
    CHECK(clSetKernelArg(sparse_kernel, 1, sizeof(cl_mem), &A->row_start_device));
    CHECK(clSetKernelArg(sparse_kernel, 2, sizeof(cl_mem), &A->column_device));
    CHECK(clSetKernelArg(sparse_kernel, 3, sizeof(cl_mem), &A->value_device));
    CHECK(clSetKernelArg(sparse_kernel, 4, sizeof(cl_mem), &x->device));
    CHECK(clSetKernelArg(sparse_kernel, 5, sizeof(cl_uint), &A->rows));

    const size_t local = GROUP_SIZE;
    const size_t global = whole_groups(A->rows);
    CHECK(clEnqueueNDRangeKernel(queue, sparse_kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    b->newer = LINALG_DEVICE;
    return LINALG_OK;
}
