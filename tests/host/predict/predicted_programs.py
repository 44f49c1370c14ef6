"""Small programs in many styles of host code, and what their regions launch."""

from __future__ import annotations

from dataclasses import dataclass, field

KERNELS = """
kernel void square(global float *y, global const float *x, uint n)
{
    size_t i = get_global_id(0);
    if (i < n) y[i] = x[i] * x[i];
}
kernel void add(global float *z, global const float *x, global const float *y, uint n)
{
    size_t i = get_global_id(0);
    if (i < n) z[i] = x[i] + y[i];
}
kernel void scale(global float *y, global const float *x, float f, uint n)
{
    size_t i = get_global_id(0);
    if (i < n) y[i] = x[i] * f;
}
"""

PRELUDE = """
#include <CL/cl.h>
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_kernel square_kernel, add_kernel, scale_kernel;
static cl_mem a, b, c, d;
static cl_uint n;

static inline int start(void)
{
    cl_int status;
    square_kernel = clCreateKernel(program, "square", &status);
    if (status) return 0;
    add_kernel = clCreateKernel(program, "add", &status);
    if (status) return 0;
    scale_kernel = clCreateKernel(program, "scale", &status);
    return status == CL_SUCCESS;
}

static inline cl_int go(cl_kernel kernel, cl_uint items)
{
    size_t size = items;
    return clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL);
}

static inline cl_int square(cl_mem y, cl_mem x)
{
    cl_int status = clSetKernelArg(square_kernel, 0, sizeof y, &y);
    status |= clSetKernelArg(square_kernel, 1, sizeof x, &x);
    status |= clSetKernelArg(square_kernel, 2, sizeof n, &n);
    return status ? status : go(square_kernel, n);
}

static inline cl_int add(cl_mem z, cl_mem x, cl_mem y)
{
    cl_int status = clSetKernelArg(add_kernel, 0, sizeof z, &z);
    status |= clSetKernelArg(add_kernel, 1, sizeof x, &x);
    status |= clSetKernelArg(add_kernel, 2, sizeof y, &y);
    status |= clSetKernelArg(add_kernel, 3, sizeof n, &n);
    return status ? status : go(add_kernel, n);
}
"""


@dataclass(frozen=True)
class Program:
    name: str
    text: str
    launches: str  # of the default path
    others: tuple[str, ...] = ()  # rows of launches that other paths make, among them
    doubt: str | None = None  # why the default path is not exact; None: it is
    files: dict[str, str] = field(default_factory=dict)  # more of them


PROGRAMS = (
    # Statuses
    Program(
        "one is success",
        """
        static int ok(cl_int status) { return status == CL_SUCCESS; }
        int main(void) {
            start();
        #pragma kfuse(a, b, c)
            { if (!ok(square(b, a))) return 1; if (!ok(add(c, a, b))) return 1; }
            return 0;
        }""",
        "square(b a) add(c a b)",
    ),
    Program(
        "assertions",
        """
        int main(void) {
            start();
        #pragma kfuse(a, b, c)
            { assert(square(b, a) == CL_SUCCESS); assert(!add(c, a, b)); }
            return 0;
        }""",
        "square(b a) add(c a b)",
    ),
    Program(
        "a helper that exits",
        """
        static void must(cl_int status, const char *what) {
            if (status != CL_SUCCESS) { fprintf(stderr, "%s\\n", what); exit(1); }
        }
        int main(void) {
            start();
        #pragma kfuse(a, b, c)
            { must(square(b, a), "square"); must(add(c, a, b), "add"); }
            return 0;
        }""",
        "square(b a) add(c a b)",
    ),
    Program(
        "a status that is not known",
        """
        int check(cl_int status);
        static int wait_for(cl_int status) { return getenv("SLOW") != NULL ? 1 : (int)status; }
        int main(void) {
            start();
        #pragma kfuse(a, b, c)
            {
                if (wait_for(square(b, a))) { puts("failed"); exit(2); }
                if (wait_for(add(c, a, b))) goto fail;
                square(d, c);
            }
            return 0;
        fail:
            return 1;
        }""",
        "square(b a) add(c a b) square(d c)",
    ),
    Program(
        "or assigned",
        """
        int main(void) {
            cl_int err = 0;
            start();
        #pragma kfuse(a, b, c)
            { err |= square(b, a); err |= add(c, a, b); }
            return err;
        }""",
        "square(b a) add(c a b)",
    ),
    Program(
        "ok and call",
        """
        int main(void) {
            int ok = start();
        #pragma kfuse(a, b, c)
            { ok = ok && square(b, a) == 0; ok = ok && add(c, a, b) == 0; }
            return !ok;
        }""",
        "square(b a) add(c a b)",
        others=("",),
    ),
    Program(
        "a status in a global",
        """
        static cl_int last;
        static void run_square(cl_mem y, cl_mem x) { if (!last) last = square(y, x); }
        static void run_add(cl_mem z, cl_mem x, cl_mem y) { if (!last) last = add(z, x, y); }
        int main(void) {
            start();
        #pragma kfuse(a, b, c)
            { run_square(b, a); run_add(c, a, b); }
            return last;
        }""",
        "square(b a) add(c a b)",
        others=("",),
    ),
    Program(
        "goto on failure",
        """
        int main(void) {
            cl_int err;
            start();
        #pragma kfuse(a, b, c)
            {
                if ((err = square(b, a)) != CL_SUCCESS) goto done;
                if ((err = add(c, a, b)) != CL_SUCCESS) goto done;
            }
        done:
            return err;
        }""",
        "square(b a) add(c a b)",
    ),
    Program(
        "a status variable in a macro and in the function",
        """
        #define CHECK(x) do { cl_int err = (x); if (err) { puts(#x); return err; } } while (0)
        static cl_int both(cl_mem z, cl_mem y, cl_mem x) {
            cl_int err = 0;
            CHECK(square(y, x));
            if (err) return err;
            CHECK(add(z, x, y));
            return err;
        }
        int main(void) {
            start();
        #pragma kfuse(a, b, c)
            { CHECK(both(c, b, a)); CHECK(square(d, c)); }
            return 0;
        }""",
        "square(b a) add(c a b) square(d c)",
    ),
    Program(
        "a variable that hides another one",
        """
        static void some(int count) {
            for (int i = 0; i < count; i++) {
                int count = 5;
                { cl_mem a = d; square(b, a); int i = count; while (i < 9) i++; }
                square(c, a);
            }
        }
        int main(void) {
            int count = 1;
            start();
        #pragma kfuse(a, b, c)
            { { int count = 3; add(c, a, b); if (count > 7) square(d, a); } some(2); }
            return count;
        }""",
        "add(c a b) square(b d) square(c a) square(b d) square(c a)",
    ),
    # Launches and what leads to them
    Program(
        "launches in the region itself",
        """
        int main(void) {
            size_t size = n;
            start();
        #pragma kfuse(a, b, c)
            {
                clSetKernelArg(square_kernel, 0, sizeof b, &b);
                clSetKernelArg(square_kernel, 1, sizeof a, &a);
                clSetKernelArg(square_kernel, 2, sizeof n, &n);
                clEnqueueNDRangeKernel(queue, square_kernel, 1, NULL, &size, NULL, 0, NULL, NULL);
                clSetKernelArg(add_kernel, 0, sizeof c, &c);
                clSetKernelArg(add_kernel, 1, sizeof a, &a);
                clSetKernelArg(add_kernel, 2, sizeof b, &b);
                clSetKernelArg(add_kernel, 3, sizeof n, &n);
                clEnqueueNDRangeKernel(queue, add_kernel, 1, NULL, &size, NULL, 0, NULL, NULL);
            }
            return 0;
        }""",
        "square(b a) add(c a b)",
    ),
    Program(
        "a kernel in a variable of the function",
        """
        int main(void) {
            cl_kernel k = clCreateKernel(program, "square", NULL);
            clSetKernelArg(k, 2, sizeof n, &n);
        #pragma kfuse(a, b, c)
            {
                clSetKernelArg(k, 0, sizeof b, &b);
                clSetKernelArg(k, 1, sizeof a, &a);
                go(k, n);
                clSetKernelArg(k, 0, sizeof c, &c);
                clSetKernelArg(k, 1, sizeof b, &b);
                go(k, n);
            }
            return 0;
        }""",
        "square(b a) square(c b)",
    ),
    Program(
        "a macro that launches",
        """
        #define ARG(k, i, v) clSetKernelArg(k, i, sizeof(v), &(v))
        #define SQUARE(y, x) \\
            do { size_t size_ = n; ARG(square_kernel, 0, y); ARG(square_kernel, 1, x); \\
                 ARG(square_kernel, 2, n); \\
                 clEnqueueNDRangeKernel(queue, square_kernel, 1, NULL, &size_, NULL, 0, NULL, \\
                                        NULL); } while (0)
        int main(void) {
            start();
        #pragma kfuse(a, b, c)
            { SQUARE(b, a); SQUARE(c, b); }
            return 0;
        }""",
        "square(b a) square(c b)",
    ),
    Program(
        "several launches in a function",
        """
        static void both(cl_mem z, cl_mem y, cl_mem x) { square(y, x); add(z, x, y); }
        int main(void) {
            start();
        #pragma kfuse(a, b, c)
            { both(c, b, a); both(d, b, c); }
            return 0;
        }""",
        "square(b a) add(c a b) square(b c) add(d c b)",
    ),
    Program(
        "functions that call functions",
        """
        static cl_int inner(cl_mem z, cl_mem y, cl_mem x) { return square(y, x) || add(z, x, y); }
        static cl_int outer(void) { cl_int e = inner(c, b, a); return e ? e : square(d, c); }
        int main(void) {
            start();
        #pragma kfuse(a, b, c)
            { outer(); }
            return 0;
        }""",
        "square(b a) add(c a b) square(d c)",
    ),
    Program(
        "arguments by a counter and in a loop",
        """
        static void call(cl_kernel k, cl_mem *all, int count) {
            cl_uint arg = 0;
            for (int i = 0; i < count; i++)
                clSetKernelArg(k, arg++, sizeof(cl_mem), &all[i]);
            clSetKernelArg(k, arg++, sizeof n, &n);
            go(k, n);
        }
        int main(void) {
            start();
        #pragma kfuse(a, b, c)
            {
                cl_mem first[] = {b, a}, second[3] = {c, a, b};
                call(square_kernel, first, 2);
                call(add_kernel, second, 3);
            }
            return 0;
        }""",
        "square(b a) add(c a b)",
    ),
    Program(
        "arguments set earlier",
        """
        static void begin(void) {
            start();
            c = clCreateBuffer(context, CL_MEM_READ_WRITE, n, NULL, NULL);
            clSetKernelArg(scale_kernel, 0, sizeof c, &c);
            clSetKernelArg(scale_kernel, 3, sizeof n, &n);
        }
        int main(void) {
            float f = 2;
            begin();
        #pragma kfuse(a, b, c)
            {
                square(b, a);
                clSetKernelArg(scale_kernel, 1, sizeof b, &b);
                clSetKernelArg(scale_kernel, 2, sizeof f, &f);
                go(scale_kernel, n);
                square(d, c);
            }
            return 0;
        }""",
        "square(b a) scale(c b) square(d c)",
        doubt="'y' of scale is set before the region",
    ),
    Program(
        "arguments set earlier in the region",
        """
        int main(void) {
            start();
        #pragma kfuse(a, b, c)
            { square(b, a); go(square_kernel, n); }
            return 0;
        }""",
        "square(b a) square(b a)",
    ),
    # What stands between
    Program(
        "reads, waits and flushes between",
        """
        int main(void) {
            float first[4];
            double sum = 0;
            start();
        #pragma kfuse(a, b, c)
            {
                square(b, a);
                clFinish(queue);
                clEnqueueReadBuffer(queue, b, CL_TRUE, 0, sizeof first, first, 0, NULL, NULL);
                for (int i = 0; i < 4; i++) sum += first[i];
                printf("%f\\n", sum);
                add(c, a, b);
                clFlush(queue);
            }
            return 0;
        }""",
        "square(b a) add(c a b)",
    ),
    Program(
        "a function that is not given",
        """
        void progress(int percent);
        int main(void) {
            start();
        #pragma kfuse(a, b, c)
            { square(b, a); progress(50); add(c, a, b); }
            return 0;
        }""",
        "square(b a) add(c a b)",
        doubt="progress is not known",
    ),
    # Conditions and loops
    Program(
        "a condition around a call",
        """
        int main(int argc, char **argv) {
            start();
        #pragma kfuse(a, b, c)
            { square(b, a); if (argc > 1) add(b, b, a); add(c, a, b); }
            return 0;
        }""",
        "square(b a) add(b b a) add(c a b)",
        others=("square(b a) add(c a b)",),
    ),
    Program(
        "conditions in a function",
        """
        static void axpy(cl_mem z, float f, cl_mem x, cl_mem y) {
            if (n == 0) return;
            if (f == 0) { square(z, y); return; }
            add(z, x, y);
        }
        int main(int argc, char **argv) {
            float f = atof(argv[1]);
            start();
        #pragma kfuse(a, b, c)
            { axpy(b, f, a, a); axpy(c, 1, a, b); }
            return 0;
        }""",
        "add(b a a) add(c a b)",
        others=("square(b a) add(c a b)", ""),
    ),
    Program(
        "a loop of known length",
        """
        int main(void) {
            cl_mem from = a, to = b;
            start();
        #pragma kfuse(a, b, c)
            {
                for (int i = 0; i < 3; i++) {
                    square(to, from);
                    cl_mem other = from; from = to; to = other;
                }
            }
            return 0;
        }""",
        "square(to from) square(from to) square(to from)",
    ),
    Program(
        "a loop of unknown length",
        """
        int main(int argc, char **argv) {
            int rounds = atoi(argv[1]);
            start();
        #pragma kfuse(a, b, c)
            { for (int i = 0; i < rounds; i++) { square(b, a); add(a, a, b); } square(c, a); }
            return 0;
        }""",
        "square(b a) add(a a b) square(c a)",
        others=("square(c a)", "square(b a) add(a a b) square(b a) add(a a b) square(c a)"),
    ),
    Program(
        "a loop whose length main says",
        """
        struct net { int layers; };
        static void forward(struct net *net) {
        #pragma kfuse(a, b, c)
            { for (int i = 0; i < net->layers; i++) square(b, a); }
        }
        int main(void) {
            struct net net = {4};
            start();
            forward(&net);
            return 0;
        }""",
        "square(b a) square(b a) square(b a) square(b a)",
    ),
    Program(
        "a loop without end",
        """
        int converged(void) { return rand() % 2; }
        int main(void) {
            start();
        #pragma kfuse(a, b, c)
            { while (1) { square(b, a); add(a, a, b); if (converged()) break; } square(c, a); }
            return 0;
        }""",
        "square(b a) add(a a b) square(c a)",
        others=("square(b a) add(a a b) square(b a) add(a a b) square(c a)",),
    ),
    Program(
        "a loop that is left on failure",
        """
        static int bad(cl_int status) { return status || getenv("FAIL"); }
        int main(void) {
            cl_mem all[3] = {a, b, c};
            start();
        #pragma kfuse(a, b, c)
            {
                for (int i = 0; i < 2; i++)
                    if (bad(square(all[i + 1], all[i]))) break;
                square(d, c);
            }
            return 0;
        }""",
        "square(all[1] all[0]) square(all[2] all[1]) square(d c)",
        others=("square(all[1] all[0]) square(d c)",),
    ),
    Program(
        "continue",
        """
        int main(void) {
            start();
        #pragma kfuse(a, b, c)
            { for (int i = 0; i < 3; i++) { if (i == 1) continue; square(b, a); } add(c, a, b); }
            return 0;
        }""",
        "square(b a) square(b a) add(c a b)",
    ),
    Program(
        "a switch",
        """
        enum op { SQUARE, ADD, BOTH };
        static void apply(enum op op) {
            switch (op) {
            case SQUARE: square(b, a); break;
            case BOTH: square(b, a); /* fall through */
            case ADD: add(c, a, b); break;
            default: puts("what?");
            }
        }
        int main(int argc, char **argv) {
            start();
        #pragma kfuse(a, b, c)
            { apply(SQUARE); apply(ADD); apply(BOTH); if (argc) apply(argc); }
            return 0;
        }""",
        "square(b a) add(c a b) square(b a) add(c a b) square(b a) add(c a b)",
        others=(
            "square(b a) add(c a b) square(b a) add(c a b)",
            "square(b a) add(c a b) square(b a) add(c a b) add(c a b)",
        ),
    ),
    Program(
        "goto back",
        """
        int main(void) {
            start();
        #pragma kfuse(a, b, c)
            {
                int i = 0;
            again:
                square(b, a);
                if (++i < 2) goto again;
                add(c, a, b);
            }
            return 0;
        }""",
        "square(b a) square(b a) add(c a b)",
    ),
    # Memory
    Program(
        "scratch memory in a function",
        """
        static cl_int norm(cl_mem z, cl_mem x) {
            cl_int err;
            cl_mem t = clCreateBuffer(context, CL_MEM_READ_WRITE, n * 4, NULL, &err);
            if (err) return err;
            if ((err = square(t, x)) == 0) err = add(z, x, t);
            clReleaseMemObject(t);
            return err;
        }
        int main(void) {
            start();
        #pragma kfuse(a, c)
            { norm(c, a); }
            return 0;
        }""",
        "square(a new buffer a) add(c a a new buffer)",
    ),
    # Where handles are
    Program(
        "kernels in an allocated structure",
        """
        typedef struct { cl_kernel kernel[2]; cl_command_queue queue; cl_mem x, y; } ctx;
        enum { SQUARE, ADD };
        static ctx *make(void) {
            ctx *s = calloc(1, sizeof *s);
            if (!s) return NULL;
            s->kernel[SQUARE] = clCreateKernel(program, "square", NULL);
            s->kernel[ADD] = clCreateKernel(program, "add", NULL);
            return s;
        }
        static void step(ctx *s) {
            size_t size = n;
            clSetKernelArg(s->kernel[SQUARE], 0, sizeof(cl_mem), &s->y);
            clSetKernelArg(s->kernel[SQUARE], 1, sizeof(cl_mem), &s->x);
            clSetKernelArg(s->kernel[SQUARE], 2, sizeof n, &n);
            clEnqueueNDRangeKernel(s->queue, s->kernel[SQUARE], 1, NULL, &size, NULL, 0, NULL,
                                   NULL);
            clSetKernelArg(s->kernel[ADD], 0, sizeof(cl_mem), &s->x);
            clSetKernelArg(s->kernel[ADD], 1, sizeof(cl_mem), &s->x);
            clSetKernelArg(s->kernel[ADD], 2, sizeof(cl_mem), &s->y);
            clSetKernelArg(s->kernel[ADD], 3, sizeof n, &n);
            clEnqueueNDRangeKernel(s->queue, s->kernel[ADD], 1, NULL, &size, NULL, 0, NULL, NULL);
        }
        int main(void) {
            ctx *s = make();
        #pragma kfuse(s)
            { step(s); }
            return 0;
        }""",
        "square(s->y s->x) add(s->x s->x s->y)",
    ),
    Program(
        "kernels made in a loop over names",
        """
        static const char *names[] = {"square", "add"};
        static cl_kernel kernels[2];
        int main(void) {
            for (int i = 0; i < 2; i++) {
                kernels[i] = clCreateKernel(program, names[i], NULL);
                clSetKernelArg(kernels[i], i + 2, sizeof n, &n);
            }
        #pragma kfuse(a, b, c)
            {
                clSetKernelArg(kernels[0], 0, sizeof b, &b);
                clSetKernelArg(kernels[0], 1, sizeof a, &a);
                go(kernels[0], n);
                clSetKernelArg(kernels[1], 0, sizeof c, &c);
                clSetKernelArg(kernels[1], 1, sizeof a, &a);
                clSetKernelArg(kernels[1], 2, sizeof b, &b);
                go(kernels[1], n);
            }
            return 0;
        }""",
        "square(b a) add(c a b)",
    ),
    Program(
        "kernels by a name that main gives",
        """
        typedef struct { cl_kernel k; } op;
        static void make(op *o, const char *name) { o->k = clCreateKernel(program, name, NULL); }
        static void run(op *o, cl_mem y, cl_mem x) {
            clSetKernelArg(o->k, 0, sizeof y, &y);
            clSetKernelArg(o->k, 1, sizeof x, &x);
            clSetKernelArg(o->k, 2, sizeof n, &n);
            go(o->k, n);
        }
        int main(void) {
            op first, second;
            float two = 2;
            make(&first, "square");
            make(&second, "scale");
            clSetKernelArg(second.k, 3, sizeof n, &n);
        #pragma kfuse(a, b, c)
            {
                run(&first, b, a);
                clSetKernelArg(second.k, 0, sizeof c, &c);
                clSetKernelArg(second.k, 1, sizeof b, &b);
                clSetKernelArg(second.k, 2, sizeof two, &two);
                go(second.k, n);
            }
            return 0;
        }""",
        "square(b a) scale(c b)",
    ),
    Program(
        "function pointers in a table",
        """
        typedef cl_int unary(cl_mem, cl_mem);
        static cl_int twice(cl_mem y, cl_mem x) { return add(y, x, x); }
        static unary *const table[] = {square, twice};
        int main(void) {
            start();
        #pragma kfuse(a, b, c)
            { table[0](b, a); (*table[1])(c, b); for (int i = 0; i < 2; i++) table[i](d, c); }
            return 0;
        }""",
        "square(b a) add(c b b) square(d c) add(d c c)",
    ),
    Program(
        "function pointers in a structure",
        """
        struct backend { cl_int (*square)(cl_mem, cl_mem); cl_int (*add)(cl_mem, cl_mem, cl_mem); };
        static struct backend device = {.square = square, .add = add};
        static struct backend *backend = &device;
        int main(void) {
            start();
        #pragma kfuse(a, b, c)
            { backend->square(b, a); backend->add(c, a, b); }
            return 0;
        }""",
        "square(b a) add(c a b)",
    ),
    Program(
        "one of two tables of functions, only one of which launches, chosen by a word",
        """
        struct backend { const char *name; cl_int (*square)(cl_mem, cl_mem); };
        static cl_int no_square(cl_mem y, cl_mem x) { (void)y; (void)x; return 0; }
        static const struct backend device = {"device", square}, none = {"none", no_square};
        static const struct backend *const all[] = {&device, &none};
        int main(int argc, char **argv) {
            const char *wanted = argc > 1 ? argv[1] : "device";
            const struct backend *use = NULL;
            for (int i = 0; i < 2; i++) if (strcmp(all[i]->name, wanted) == 0) use = all[i];
            start();
        #pragma kfuse(a, b, c)
            { use->square(b, a); use->square(c, b); }
            return 0;
        }""",
        "square(b a) square(c b)",
        doubt="a pointer to one of several functions is called",
    ),
    Program(
        "a function given as an argument",
        """
        static cl_int each(cl_int (*f)(cl_mem, cl_mem)) { return f(b, a) | f(c, b); }
        int main(void) {
            start();
        #pragma kfuse(a, b, c)
            { each(square); each(&square); }
            return 0;
        }""",
        "square(b a) square(c b) square(b a) square(c b)",
    ),
    # Files
    Program(
        "a library in a header alone",
        """
        #include "ops.h"
        int main(void) {
            start();
        #pragma kfuse(a, b, c)
            { ops_square(b, a); ops_square(c, b); }
            return 0;
        }""",
        "square(b a) square(c b)",
        files={
            "ops.h": "static inline cl_int ops_square(cl_mem y, cl_mem x) { return square(y, x); }"
        },
    ),
    Program(
        "static functions of one name in two files",
        """
        cl_int other(cl_mem y, cl_mem x);
        static cl_int apply(cl_mem y, cl_mem x) { return square(y, x); }
        int main(void) {
            start();
        #pragma kfuse(a, b, c)
            { apply(b, a); other(c, b); }
            return 0;
        }""",
        "square(b a) add(c b b)",
        files={
            "other.c": """
        static cl_int apply(cl_mem y, cl_mem x) { return add(y, x, x); }
        cl_int other(cl_mem y, cl_mem x) { start(); return apply(y, x); }"""
        },
    ),
    Program(
        "two programs at once",
        """
        cl_int apply(cl_mem y, cl_mem x);
        int main(void) {
            start();
        #pragma kfuse(a, b, c)
            { square(b, a); apply(c, b); }
            return 0;
        }""",
        "square(b a) add(c b b)",
        doubt="several files define 'apply'",
        files={
            "one.c": "cl_int apply(cl_mem y, cl_mem x) { return add(y, x, x); }",
            "two.c": """
        cl_int apply(cl_mem y, cl_mem x) { return square(y, x); }
        int main(void) { return apply(a, b); }""",
        },
    ),
    # What is not followed does no harm
    Program(
        "variadic helpers",
        """
        static void call(cl_kernel k, int count, ...) {
            va_list list;
            va_start(list, count);
            for (int i = 0; i < count; i++) {
                cl_mem m = va_arg(list, cl_mem);
                clSetKernelArg(k, i, sizeof m, &m);
            }
            va_end(list);
            go(k, n);
        }
        int main(void) {
            start();
        #pragma kfuse(a, b, c)
            { square(b, a); call(add_kernel, 3, c, a, b); square(d, c); }
            return 0;
        }""",
        "square(b a) add(c a b) square(d c)",
    ),
    Program(
        "a structure that is cleared",
        """
        typedef struct { cl_kernel kernel; cl_uint next; } call;
        static void give(call *c, cl_mem m) { clSetKernelArg(c->kernel, c->next++, sizeof m, &m); }
        static void two(cl_kernel k, cl_mem to, cl_mem from) {
            call c = {0};
            c.kernel = k;
            give(&c, to);
            give(&c, from);
            go(k, n);
        }
        static void three(cl_kernel k, cl_mem to, cl_mem from, cl_mem more) {
            call c;
            memset(&c, 0, sizeof c);
            c.kernel = k;
            give(&c, to);
            give(&c, from);
            give(&c, more);
            go(k, n);
        }
        int main(void) {
            start();
        #pragma kfuse(a, b, c)
            { two(square_kernel, b, a); three(add_kernel, c, a, b); }
            return 0;
        }""",
        "square(b a) add(c a b)",
    ),
    Program(
        "an unknown kernel",
        """
        cl_kernel other_kernel(void);
        int main(void) {
            start();
        #pragma kfuse(a, b, c)
            { square(b, a); go(other_kernel(), n); add(c, a, b); square(d, c); }
            return 0;
        }""",
        "square(b a) | add(c a b) square(d c)",
        doubt="a launch of a kernel that is not known",
    ),
    Program(
        "recursion",
        """
        static void down(int i) { if (i > 0) { square(b, a); down(i - 1); } }
        int main(void) {
            start();
        #pragma kfuse(a, b, c)
            { down(3); add(c, a, b); }
            return 0;
        }""",
        "square(b a) square(b a) square(b a) add(c a b)",
    ),
    Program(
        "a graph that is cleared, and whose nodes are counted as they are added",
        """
        typedef struct { cl_mem data; cl_uint n; } tensor;
        typedef struct { int type; tensor *from, *to; } node;
        typedef struct { node nodes[16]; int count; } graph;
        static struct { const char *name; cl_kernel kernel; } kinds[2] = {{"square"}, {"scale"}};
        static void append(graph *g, int type, tensor *from, tensor *to) {
            node *added = &g->nodes[g->count++];
            added->type = type;
            added->from = from;
            added->to = to;
        }
        static int run(const graph *g) {
            for (int i = 0; i < g->count; i++) {
                const node *each = &g->nodes[i];
                cl_kernel k = kinds[each->type].kernel;
                clSetKernelArg(k, 0, sizeof(cl_mem), &each->to->data);
                clSetKernelArg(k, 1, sizeof(cl_mem), &each->from->data);
                if (go(k, each->to->n)) return 1;
            }
            return 0;
        }
        static tensor *make(size_t items) {
            tensor *made = malloc(sizeof *made);
            made->n = items;
            made->data = clCreateBuffer(context, 0, 4 * items, NULL, NULL);
            return made;
        }
        int main(void) {
            graph g = {0};
            tensor *x = make(100), *y = make(100), *z = make(100);
            for (int i = 0; i < 2; i++)
                kinds[i].kernel = clCreateKernel(program, kinds[i].name, NULL);
            append(&g, 0, x, y);
            append(&g, 1, y, z);
        #pragma kfuse(x, y, z)
            { run(&g); }
            return 0;
        }""",
        "square(g.nodes[0].to->data g.nodes[0].from->data) "
        "scale(g.nodes[1].to->data g.nodes[0].to->data)",
        doubt="something is read, and it is not known what",
    ),
    Program(
        "a negative number is subtracted",
        """
        static double twice(double x) {
            double y = x - -x;
        #pragma kfuse(a, b, c)
            { square(b, a); add(c, a, b); }
            return y;
        }
        int main(int argc, char **argv) {
            (void)argv;
            start();
            return twice(argc) > 2;
        }""",
        "square(b a) add(c a b)",
    ),
)
