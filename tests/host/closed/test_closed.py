"""Which regions are closed: each rule by a small program, with the message and the way."""

from __future__ import annotations

import pytest

from kfusion.host.closed import CODE, closed_as_a_whole
from tests.host.closed.programs import (
    Programs,
    in_region,
    judged,
    messages,
    two_calls_deep,
)

# What opens a region: declarations, a statement, the message, and what the message points at.
OPENING: dict[str, tuple[str, str, str, str]] = {
    "function that is not declared": (
        "",
        "log_line(n);",
        "'log_line' is not defined in the files given",
        "log_line",
    ),
    "team that calls an unknown function": (
        "void log_line(int);",
        "{\n#pragma omp parallel\n        log_line(n);\n        }",
        "'#pragma omp parallel' stands before a statement that calls OpenCL or waits",
        "#pragma omp parallel",
    ),
    "extension of OpenCL": (
        "",
        "clCreateFromGLBuffer(0, 0, 0, 0);",
        "'clCreateFromGLBuffer' is not defined in the files given",
        "clCreateFromGLBuffer",
    ),
    "setjmp": (
        "jmp_buf back;",
        "if (setjmp(back)) n = 1;",
        "'setjmp' jumps between functions",
        "setjmp",
    ),
    "longjmp": (
        "jmp_buf back;",
        "longjmp(back, 1);",
        "'longjmp' jumps between functions",
        "longjmp",
    ),
    "fork": ("", "if (fork() == 0) _exit(0);", "'fork' starts another process", "fork"),
    "vfork": ("", "vfork();", "'vfork' starts another process", "vfork"),
    "pthread_create": (
        "static void *work(void *p) { return p; } static pthread_t thread;",
        "pthread_create(&thread, NULL, work, NULL);",
        "'pthread_create' starts or ends a thread",
        "pthread_create",
    ),
    "thrd_create": (
        "static int work(void *p) { return p != NULL; } static thrd_t thread;",
        "thrd_create(&thread, work, NULL);",
        "'thrd_create' starts or ends a thread",
        "thrd_create",
    ),
    "pthread_exit": (
        "",
        "pthread_exit(NULL);",
        "'pthread_exit' starts or ends a thread",
        "pthread_exit",
    ),
    "atomic function": (
        "static int count;",
        "__atomic_fetch_add(&count, 1, 5);",
        "'__atomic_fetch_add' orders memory between threads",
        "__atomic_fetch_add",
    ),
    "older atomic function": (
        "static int count;",
        "__sync_fetch_and_add(&count, 1);",
        "'__sync_fetch_and_add' orders memory between threads",
        "__sync_fetch_and_add",
    ),
    "atomic variable": (
        "static _Atomic int count;",
        "count += 1;",
        "'count' is atomic",
        "count",
    ),
    "atomic member": (
        "struct state { atomic_int count; }; static struct state all;",
        "all.count = n;",
        "'count' is atomic",
        "count",
    ),
    "dlsym": (
        "static void *found;",
        'found = dlsym(NULL, "f");',
        "'dlsym' finds functions that are not in the files given",
        "dlsym",
    ),
    "extension function by address": (
        "static void *found;",
        'found = clGetExtensionFunctionAddressForPlatform(NULL, "f");',
        (
            "'clGetExtensionFunctionAddressForPlatform' finds functions that are not in the files "
            "given"
        ),
        "clGetExtensionFunctionAddressForPlatform",
    ),
    "assembler": ("", '__asm__ volatile("" ::: "memory");', "a statement of assembler", "__asm__"),
    "variable that assembler names": (
        "",
        'register long sp __asm__("rsp") = n; n = (int)sp;',
        "a variable that assembler names",
        "=",
    ),
    "event callback": (
        "static void done(cl_event e, cl_int s, void *p) { }",
        "clSetEventCallback(event, CL_COMPLETE, done, NULL);",
        "'clSetEventCallback' registers a function that OpenCL calls",
        "clSetEventCallback",
    ),
    "build callback": (
        "static void done(cl_program p, void *u) { }",
        "clBuildProgram(program, 0, NULL, NULL, done, NULL);",
        "'clBuildProgram' registers a function that OpenCL calls",
        "clBuildProgram",
    ),
    "pointer from dlsym": (
        (
            "static void (*found)(int);\n"
            "static void load(void) { found = (void (*)(int))dlsym(0, 0); }"
        ),
        "found(n);",
        "what 'found' calls cannot be told: it may come from 'dlsym'",
        "found",
    ),
    "pointer from dlsym by its address": (
        "static void (*found)(int);\nstatic void load(void) { *(void **)&found = dlsym(0, 0); }",
        "found(n);",
        "what 'found' calls cannot be told: it may come from 'dlsym'",
        "found",
    ),
    "pointer from an unknown function": (
        (
            "typedef void hook(int); hook *lib_hook(void);\nstatic hook *h;\n"
            "static void load(void) { h = lib_hook(); }"
        ),
        "h(n);",
        "what 'h' calls cannot be told: it may come from 'lib_hook'",
        "h",
    ),
    "pointer set by an unknown function": (
        (
            "typedef void hook(int); void lib_get(hook **);\nstatic hook *h;\n"
            "static void load(void) { lib_get(&h); }"
        ),
        "h(n);",
        "what 'h' calls cannot be told: it may come from 'lib_get'",
        "h",
    ),
    "member of an object of other files": (
        (
            "struct ops { void (*run)(int); }; struct ops *lib_ops(void);\n"
            "static void own(int n) { }\nstatic struct ops mine = { own };\n"
            "static struct ops *ops = &mine;\nstatic void load(void) { ops = lib_ops(); }"
        ),
        "ops->run(n);",
        "what 'ops->run' calls cannot be told: files that are not given may assign it",
        "ops",
    ),
    "variable of other files": (
        "extern void (*hook)(int);",
        "hook(n);",
        "what 'hook' calls cannot be told: no file given defines it",
        "hook",
    ),
    "pointer from a number": (
        "static void (*jump)(int) = (void (*)(int))4096;",
        "jump(n);",
        "what 'jump' calls cannot be told: it may come from a number",
        "jump",
    ),
    "pointer that nothing assigns": (
        "static void (*hook)(int);",
        "hook(n);",
        "what 'hook' calls cannot be told: the files given assign nothing that fits",
        "hook",
    ),
    "OpenCL function by a pointer": (
        "static cl_int (*finish)(cl_command_queue) = clFinish;",
        "finish(queue);",
        "'finish' may call 'clFinish', which is not called by its name here",
        "finish",
    ),
    "exit by a pointer": (
        "static void (*leave)(int) = exit;",
        "leave(n);",
        "'leave' may call 'exit', which is not called by its name here",
        "leave",
    ),
    "comparison that cannot be told": (
        (
            "typedef int order(const void *, const void *); order *lib_order(void);\n"
            "static order *by;\nstatic void load(void) { by = lib_order(); }"
        ),
        "qsort(&n, 1, sizeof n, by);",
        "what 'by' calls cannot be told: it may come from 'lib_order'",
        "by",
    ),
    "team that launches": (
        "",
        "{\n#pragma omp parallel\n        clFinish(queue);\n        }",
        "'#pragma omp parallel' stands before a statement that calls OpenCL or waits",
        "#pragma omp parallel",
    ),
    "team that locks": (
        "static pthread_mutex_t lock;",
        "{\n#pragma acc parallel\n        { pthread_mutex_lock(&lock); }\n        }",
        "'#pragma acc parallel' stands before a statement that calls OpenCL or waits",
        "#pragma acc parallel",
    ),
    "critical section": (
        "",
        "{\n#pragma omp critical\n        n++;\n        }",
        "'#pragma omp critical' makes threads wait for each other",
        "#pragma omp critical",
    ),
    "weak function": (
        "__attribute__((weak)) void hook(int n) { }",
        "hook(n);",
        "'hook' is weak: the linker may take another definition",
        "hook",
    ),
    "weak function by a macro": (
        "#define MAY_BE_REPLACED __attribute__((__weak__))\nMAY_BE_REPLACED void hook(int n) { }",
        "hook(n);",
        "'hook' is weak: the linker may take another definition",
        "hook",
    ),
    "weak function by a pragma": (
        "void hook(int n) { }\n#pragma weak hook",
        "hook(n);",
        "'hook' is weak: the linker may take another definition",
        "hook",
    ),
    "weak function by a pointer": (
        "__attribute__((weak)) void hook(int n) { }\nstatic void (*h)(int) = hook;",
        "h(n);",
        "'hook' is weak: the linker may take another definition",
        "h",
    ),
    "alias": (
        'void own(int n) { }\nvoid hook(int n) __attribute__((alias("own")));',
        "hook(n);",
        "'hook' is another name of a function",
        "hook",
    ),
    "function chosen when the program starts": (
        'void *choose(void);\nvoid hook(int n) __attribute__((ifunc("choose")));',
        "hook(n);",
        "'hook' is chosen when the program starts",
        "hook",
    ),
    "function with another name for the linker": (
        'void hook(int n) __asm__("other");\nvoid hook(int n) { }',
        "hook(n);",
        "'hook' has another name in the object file",
        "hook",
    ),
    "inline function of all files": (
        "inline void hook(int n) { }",
        "hook(n);",
        "'hook' is inline: another file may define it",
        "hook",
    ),
    "clean-up function of another file": (
        "void drop(int *);",
        "int v __attribute__((cleanup(drop))) = n; n = v;",
        "the clean-up function 'drop' is not defined in the files given",
        "=",
    ),
    "clean-up function by a macro": (
        "#define DROPPED __attribute__((cleanup(drop)))\nvoid drop(int *);",
        "DROPPED int v = n; n = v;",
        "the clean-up function 'drop' is not defined in the files given",
        "int",
    ),
    "form of a function that leaves": (
        "",
        "__builtin_exit(n);",
        "'__builtin_exit' is not defined in the files given",
        "__builtin_exit",
    ),
}


@pytest.mark.parametrize("name", OPENING)
def test_opens_two_calls_deep(name: str, programs: Programs) -> None:
    declarations, statement, message, pointed_at = OPENING[name]
    found = judged(programs(two_calls_deep(declarations, statement)))
    assert messages(found) == [message]
    reason = found.opened[0]
    assert reason.code == CODE
    assert reason.span is not None
    assert (reason.span.file.path.name, reason.span.text) == ("lib.c", pointed_at)
    way = [(text, span.short.split(":")[0], span.text) for text, span in reason.related]
    assert way == [
        ("the region calls 'run' here", "app.c", "run"),
        ("'run' calls 'inner' here", "lib.c", "inner"),
    ]


# What leaves a region closed: declarations, a statement, and what has to be settled before.
CLOSED: dict[str, tuple[str, str, set[str]]] = {
    "OpenCL": ("", "clFlush(queue); (clFinish)(queue);", set()),
    "OpenCL without a callback": (
        "",
        "clBuildProgram(program, 0, NULL, NULL, NULL, NULL);",
        set(),
    ),
    "C library": (
        (
            "#include <assert.h>\n#include <ctype.h>\n#include <errno.h>\n#include <math.h>\n"
            "#include <time.h>"
        ),
        (
            "assert(n); n = (int)sqrt(isdigit(n)) + errno; char *p = malloc(8);"
            ' sprintf(p, "%d", n); free(p); n = (int)time(NULL) + (getenv("A") != NULL);'
            " n = abs(n); sleep(0);"
        ),
        set(),
    ),
    "forms of functions": (
        "",
        (
            '__printf_chk(1, "%d", n); __isoc99_sscanf("1", "%d", &n); n = __builtin_expect(n, 1);'
            " __builtin___memcpy_chk(&n, &n, 0, 0); n = *__errno_location();"
        ),
        set(),
    ),
    "exit": ("", "if (n) exit(1);", {"exit"}),
    "unknown function": ("void log_line(int);", "log_line(n);", {"log_line"}),
    "unknown function in a macro": (
        "#define LOG(x) log_line(x)\nvoid log_line(int);",
        "LOG(n);",
        {"log_line"},
    ),
    "unknown function that is named by a macro": (
        "#define LOG log_line\n#define CALL(f, x) f(x)\nvoid log_line(int), app_failed(int);",
        "LOG(n); CALL(app_failed, n);",
        {"log_line", "app_failed"},
    ),
    "unknown function whose name means other things, too": (
        "struct log { int log_line; }; void log_line(int); void (*log)(int) = log_line;",
        "struct log l = { .log_line = n }; log_line(l.log_line);",
        {"log_line"},
    ),
    "unknown function with arguments that launch": (
        "int wait_for(int);\nstatic int last(void) { return clFinish(queue); }",
        "if (n) wait_for(last());",
        {"wait_for"},
    ),
    "variable with the name of an unknown function": (
        "void log_line(int);\nvoid other(void (*log_line)(int)) { log_line(1); }",
        "log_line(n);",
        {"log_line"},
    ),
    "callback of an unknown function": (
        "void each(int (*)(void));\nstatic int last(void) { fork(); return clFinish(queue); }",
        "each(last);",
        {"each"},
    ),
    "locks and system": (
        "static pthread_mutex_t lock;",
        'pthread_mutex_lock(&lock); system("ls"); pthread_mutex_unlock(&lock);',
        {"pthread_mutex_lock", "system", "pthread_mutex_unlock"},
    ),
    "comparison": (
        "static int by(const void *a, const void *b) { return *(int *)a - *(int *)b; }",
        "qsort(&n, 1, sizeof n, by);",
        set(),
    ),
    "comparison of the library": ("", "qsort(&n, 1, 1, (int (*)())strcmp);", set()),
    "table of functions": (
        (
            "static void one(int n) { } static void two(int n) { }\n"
            "static void (*const table[])(int) = { one, two };"
        ),
        "table[n & 1](n);",
        set(),
    ),
    "table of objects": (
        (
            "struct ops { const char *name; void (*run)(int); };\nstatic void one(int n) { }\n"
            'static const struct ops all[] = { { "one", one }, { .name = "two", .run = one } };'
        ),
        "const struct ops *o = &all[n]; o->run(n); (*o->run)(n);",
        set(),
    ),
    "function as an argument": (
        "static void one(int n) { }\nvoid apply(void (*f)(int), int n) { f(n); }",
        "apply(one, n);",
        set(),
    ),
    "variable with the name of a function": (
        "static void one(int n) { }\nstatic void both(void (*exit)(int)) { exit(1); }",
        "both(one);",
        set(),
    ),
    "team that computes": (
        "static double v[64]; static double half(double x) { return x / 2; }",
        "{\n#pragma omp parallel for\n        for (int i = 0; i < 64; i++) v[i] = half(v[i]);\n}",
        set(),
    ),
    "pragma of the compiler": (
        "",
        '{\n#pragma GCC unroll 4\n        for (int i = 0; i < n; i++) printf("x");\n        }',
        set(),
    ),
    "clean-up function": (
        "static void drop(cl_mem *m) { clReleaseMemObject(*m); }",
        "cl_mem m __attribute__((cleanup(drop))) = NULL;",
        set(),
    ),
    "other attributes": (
        "__attribute__((noinline, unused)) static void one(int n) { }",
        "one(n); int v __attribute__((unused)) = n;",
        set(),
    ),
    "volatile variable": ("static volatile int flag;", "flag = n;", set()),
    "inline function of the file": ("static inline void one(int n) { }", "one(n);", set()),
    "inline function that is also declared": (
        "inline void one(int n) { }\nextern inline void one(int n);",
        "one(n);",
        set(),
    ),
    "inline function of the file alone": ("static inline void one(int n) { }", "one(n);", set()),
    "functions that call each other": (
        (
            "static void even(int n); static void odd(int n) { if (n) even(n - 1); }\n"
            "static void even(int n) { if (n) odd(n - 1); }"
        ),
        "even(n);",
        set(),
    ),
    "variable arguments": (
        (
            "#include <stdarg.h>\nstatic int sum(int n, ...)\n"
            "{ va_list l; va_start(l, n); n += va_arg(l, int); va_end(l); return n; }"
        ),
        "n = sum(1, n);",
        set(),
    ),
    "own function with a name that settles": ("int bind(int);", "bind(n);", {"bind"}),
    "call that settles and that another compiler sees": (
        "",
        "\n#ifdef DEBUG\nif (n < 0) exit(1);\n#endif\n",
        {"exit"},
    ),
    "own function with a name of the library": ("double gamma(int);", "gamma(n);", {"gamma"}),
    "statement expression": ("", "n = ({ int y = n; y + abs(y); });", set()),
}


@pytest.mark.parametrize("name", CLOSED)
def test_stays_closed(name: str, programs: Programs) -> None:
    declarations, statement, settles = CLOSED[name]
    found = judged(programs(two_calls_deep(declarations, statement)))
    assert messages(found) == []
    assert found.settles == settles


# What a region's own block, and the rest of the program, make of it: files and messages.
IN_REGION: dict[str, tuple[dict[str, str], list[str]]] = {
    "function that is called when the program ends": (
        in_region(
            "exit(x);",
            "static void last(void) { fork(); }\nstatic void install(void) { atexit(last); }",
        ),
        [],
    ),
    "handler that calls an unknown function": (
        in_region(
            "x = 1;",
            "void log_line(int); static void on(int s) { log_line(s); }\n"
            "static void install(void) { signal(SIGINT, on); }",
        ),
        ["the signal handler 'on' calls 'log_line'"],
    ),
    "member with the name of a function of OpenCL": (
        {
            "app.c": "#include <CL/cl.h>\n"
            "struct api { cl_int (*clFinish)(cl_command_queue); };\n"
            "cl_int end(struct api *api, cl_command_queue q)\n"
            "{\n    clFlush(q);\n    return api->clFinish(q);\n}\n"
            "int main(void)\n{\n    int x = 1;\n#pragma kfuse\n    { x = 2; }\n    return x;\n}\n"
        },
        ["'clFinish' is the name of a member, too"],
    ),
    "call that another compiler sees": (
        in_region("\n#ifdef __OPTIMIZE__\nlog_line(x);\n#else\nx = 3;\n#endif\n"),
        ["'log_line' is called here, under a condition that does not hold"],
    ),
    "call on another system": (in_region("\n#ifdef _WIN32\nlog_line(x);\n#endif\n"), []),
    "known calls that another compiler sees": (
        in_region('\n#if VERBOSE > 1\nprintf("%d", x);\n#endif\n'),
        [],
    ),
    "jump into it": (
        in_region("inside: x++; } if (x < 3) { goto inside;"),
        ["'goto inside' jumps into the region"],
    ),
    "jump inside of it": (in_region("again: x++; if (x < 3) goto again;"), []),
    "jump out of it": (in_region("if (x) goto out; } out: {"), []),
    "switch inside of it": (in_region("switch (x) { case 1: x = 2; default: x = 3; }"), []),
    "case of a switch around it": (
        {
            "app.c": "int main(void)\n{\n    int x = 1;\n    switch (x) {\n    case 0:\n"
            "#pragma kfuse\n    { x = 2;\n    case 1: x = 3; }\n    }\n    return x;\n}\n"
        },
        ["a case of a switch that begins outside of the region"],
    ),
    "handler that uses OpenCL": (
        in_region(
            "x = 1;",
            "static void on(int s) { clFinish(queue); }\n"
            "static void install(void) { signal(SIGINT, on); }",
        ),
        ["the signal handler 'on' calls OpenCL"],
    ),
    "handler that leaves": (
        in_region(
            "x = 1;",
            "static void on(int s) { exit(1); }\n"
            "static void install(void) { struct sigaction a; a.sa_handler = on;\n"
            "sigaction(SIGINT, &a, NULL); }",
        ),
        ["the signal handler 'on' calls 'exit'"],
    ),
    "handler that jumps": (
        in_region(
            "x = 1;",
            "static jmp_buf back; static void on(int s) { longjmp(back, 1); }\n"
            "static void install(void) { struct sigaction a = { .sa_handler = on };\n"
            "sigaction(SIGINT, &a, NULL); }",
        ),
        ["'longjmp' jumps between functions"],
    ),
    "handler that sets a flag": (
        in_region(
            "x = 1;",
            "static volatile sig_atomic_t flag; static void on(int s) { flag = s; }\n"
            "static void install(void) { signal(SIGINT, on); signal(SIGTERM, SIG_IGN); }",
        ),
        [],
    ),
    "thread that is ended from outside": (
        in_region("x = 1;", "static void end(pthread_t t) { pthread_cancel(t); }"),
        ["'pthread_cancel' ends threads from outside"],
    ),
    "stream of the program's own": (
        in_region("x = 1;", "FILE *fopencookie(void *, const char *);\nvoid *p = fopencookie;"),
        ["'fopencookie' gives functions of its own to stdio"],
    ),
    "thread that begins before": (
        in_region(
            "x = 1;",
            "static void *work(void *p) { return p; } static pthread_t t;\n"
            "static void begin(void) { pthread_create(&t, NULL, work, NULL); }",
        ),
        [],
    ),
    "own macro around a function of OpenCL": (
        in_region("clFinish(queue);", "static int n;\n#define clFinish(q) (n++, clFinish(q))"),
        ["'clFinish' is a macro in this file"],
    ),
    "handler by its place in an initialiser": (
        in_region(
            "x = 1;",
            "static void on(int s) { exit(1); }\n"
            "static void install(void) { struct sigaction a = { on }; sigaction(SIGINT, &a, 0); }",
        ),
        ["the signal handler 'on' calls 'exit'"],
    ),
    "handler that is installed by a pointer": (
        in_region("x = 1;", "void (*(*install)(int, void (*)(int)))(int) = signal;"),
        ["'signal' is not only called: what it installs is not seen"],
    ),
    "macro of a header that is not found": (
        in_region("FLUSH_ALL; x++;", "#include <not/there.h>"),
        ["'FLUSH_ALL' is not declared in the files given"],
    ),
    "unknown function as an argument": (
        in_region(
            "apply(log_line, x);",
            "void log_line(int); static void apply(void (*f)(int), int n) { f(n); }",
        ),
        ["'log_line' is not defined in the files given"],
    ),
    "known functions as arguments": (
        in_region(
            "apply(free, &x); x = stderr != NULL;",
            "static void apply(void (*f)(void *), void *p) { f(p); }",
        ),
        [],
    ),
    "assembler outside of functions": (
        in_region("x = 1;", '__asm__(".globl f");'),
        ["assembler outside of functions"],
    ),
    "functions of one name in two files": (
        {
            **two_calls_deep("static void step(int n) { }", "step(n);"),
            "other.c": "int fork(void);\nstatic void step(int n) { fork(); }\n"
            "void other(int n) { step(n); }\n",
        },
        [],
    ),
    "function of two programs": (
        {
            **two_calls_deep("", 'printf("x");'),
            "other.c": "int fork(void);\nvoid run(int n) { fork(); }\n"
            "int main(void) { run(1); return 0; }\n",
        },
        ["'fork' starts another process"],
    ),
    "own function with the name of a known one": (
        in_region(
            "sleep(1);",
            "#define sleep own_sleep\nstatic int own_sleep(int n) { fork(); return 0; }",
        ),
        ["'fork' starts another process"],
    ),
    "hook that other files may set": (
        {
            **two_calls_deep(
                "static void own(int n) { }\nstatic void (*hook)(int) = own;\n"
                "void set_hook(void (*h)(int)) { hook = h; }\nvoid other(void);\n"
                "void all(void) { other(); }",
                "hook(n);",
            ),
        },
        ["what 'hook' calls cannot be told: files that are not given may assign it"],
    ),
    "hook that only given files set": (
        {
            **two_calls_deep(
                "static void own(int n) { }\nstatic void (*hook)(int) = own;\n"
                "void set_hook(void (*h)(int)) { hook = h; }",
                "hook(n);",
            ),
        },
        [],
    ),
    "one of the functions that a pointer may hold": (
        two_calls_deep(
            "static void own(int n) { }\n"
            "static void other(int n) { vfork(); }\nstatic void two(int a, int b) { fork(); }\n"
            "void *p = two; static void (*hook)(int) = own;\n"
            "static void change(void) { void (*h)(int) = other; hook = h; hook = p; }",
            "hook(n);",
        ),
        ["'vfork' starts another process"],
    ),
    "pointer in a union": (
        two_calls_deep(
            "union slot { void (*run)(int); void *any; }; static union slot s;\n"
            "static void set(void) { s.any = dlsym(0, 0); }",
            "s.run(n);",
        ),
        ["what 's.run' calls cannot be told: it may come from 'dlsym'"],
    ),
    "pointer that is copied with its memory": (
        two_calls_deep(
            "static void (*run)(int), *any;\n"
            "static void set(void) { void *f = dlsym(0, 0); memcpy(&run, &f, sizeof f); }",
            "run(n);",
        ),
        ["what 'run' calls cannot be told: it may come from 'dlsym'"],
    ),
    "members by their places": (
        two_calls_deep(
            "static void own(int n) { vfork(); }\n"
            "struct part { int a; void (*run)(int); }; struct whole { struct part p[2]; int n; };\n"
            "static struct whole w = { 1, own, 2, own };",
            "w.p[0].run(n);",
        ),
        ["'vfork' starts another process"],
    ),
}


@pytest.mark.parametrize("name", IN_REGION)
def test_region(name: str, programs: Programs) -> None:
    files, expected = IN_REGION[name]
    assert messages(judged(programs(files))) == expected


def test_a_function_may_be_said_to_be_harmless(programs: Programs) -> None:
    program = programs(two_calls_deep("", "log_line(n);"))
    reason = judged(program).opened[0]
    assert reason.help == (
        "give kfusion the file that defines it, or add harmless(log_line) to the pragma"
    )
    assert messages(judged(program, "log_line")) == []


def test_what_is_handed_to_a_harmless_function_is_reached(programs: Programs) -> None:
    program = programs(
        two_calls_deep(
            "void each(void (*f)(int)); static void one(int n) { fork(); }", "each(one);"
        )
    )
    found = judged(program, "each")
    assert messages(found) == ["'fork' starts another process"]
    assert found.opened[0].related[-1][0] == "'each' calls 'one' here"


def test_the_way_leads_through_pointers_and_comparisons(
    programs: Programs,
) -> None:
    library = two_calls_deep(
        "static int by(const void *a, const void *b) { fork(); return 0; }\n"
        "static void sort(int n) { qsort(&n, 1, 4, by); }\nstatic void (*order)(int) = sort;\n",
        "order(n);",
    )
    (opened,) = judged(programs(library)).opened
    assert [text for text, _ in opened.related] == [
        "the region calls 'run' here",
        "'run' calls 'inner' here",
        "'order' may be 'sort' here",
        "'qsort' calls 'by' here",
    ]


def test_attributes_of_headers_count(programs: Programs) -> None:
    files = {
        **two_calls_deep('#include "lib.h"\nvoid hook(int n) { }', "hook(n);"),
        "lib.h": "void hook(int n)\n    __attribute__((weak));\n",
    }
    assert messages(judged(programs(files))) == [
        "'hook' is weak: the linker may take another definition"
    ]


WHOLE: dict[str, tuple[dict[str, str], bool]] = {
    "with setjmp anywhere": (
        two_calls_deep("jmp_buf b; void other(void) { if (setjmp(b)) longjmp(b, 1); }", ""),
        True,
    ),
    "with a constant that is not declared": (two_calls_deep("", "n = SOME_CONSTANT;"), True),
    "with functions of a library": (
        two_calls_deep("#include <png.h>", "png_read_info(0);"),
        True,
    ),
    "everything is given": (two_calls_deep("", "clFinish(queue);"), True),
    "without main": ({"lib.c": two_calls_deep("", "clFinish(queue);")["lib.c"]}, False),
    "with an unknown function anywhere": (
        two_calls_deep("void lib(void); void other(void) { lib(); }", "clFinish(queue);"),
        False,
    ),
    "with a thread anywhere": (
        two_calls_deep(
            "static void *w(void *p) { return p; } static pthread_t t;\n"
            "void other(void) { pthread_create(&t, NULL, w, NULL); }",
            "clFinish(queue);",
        ),
        False,
    ),
    "with a name of a thread function": (
        two_calls_deep("void *start = pthread_create;", "clFinish(queue);"),
        False,
    ),
    "with a callback of OpenCL": (
        two_calls_deep(
            "static void done(cl_event e, cl_int s, void *p) { }\n"
            "void other(void) { clSetEventCallback(event, CL_COMPLETE, done, NULL); }",
            "clFinish(queue);",
        ),
        False,
    ),
    **{
        f"with a function that is told of errors, {what}": (
            two_calls_deep(
                f"static void said(const char *s, const void *i, size_t n, void *p) {{ {body} }}\n"
                "void other(void) { clCreateContext(NULL, 1, &device, said, NULL, NULL); }",
                "clFinish(queue);",
            ),
            known,
        )
        for what, body, known in (
            ("which prints them", 'fprintf(stderr, "%s", s);', True),
            ("which ends the program", "exit(1);", True),
            ("which calls OpenCL", "clFinish(p);", False),
            ("which calls what is not given", "lib(s);", False),
        )
    },
    "with pthread_cancel": (
        two_calls_deep("void other(pthread_t t) { pthread_cancel(t); }", ""),
        False,
    ),
    "with exit and files": (
        two_calls_deep('void other(void) { if (!fopen("x", "r")) exit(1); }', "other();"),
        True,
    ),
}


@pytest.mark.parametrize("name", WHOLE)
def test_closed_as_a_whole(name: str, programs: Programs) -> None:
    files, expected = WHOLE[name]
    assert closed_as_a_whole(programs(files)) is expected


def test_a_function_of_gnu_c_opens_what_reaches_it(programs: Programs) -> None:
    odd = "static int odd(int a) { switch (a) { case 1 ... 1 + 2: return 3; } return a; }"
    found = judged(programs(in_region("x = odd(x);", odd)))
    assert messages(found) == ["kfusion cannot read this function: it is not standard C"]
    assert judged(programs(in_region("x = 1;", odd))).opened == ()


def test_a_condition_that_is_its_own_value(programs: Programs) -> None:
    assert judged(programs(in_region("x = x ?: 3;"))).opened == ()
    found = judged(programs(in_region("x = fork() ?: 3;")))
    assert messages(found) == ["'fork' starts another process"]
