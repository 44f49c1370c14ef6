"""Regions in C++ files: the annotation says what they launch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.expected.running import EXCHANGE, PAIR, Host, host
from tests.expected.test_runs import ALL, AS_WRITTEN, LEAST, RUNS

PRAGMA = f"#pragma kfuse(a, b, t, out(c)) {RUNS}"
VECTOR = """\
        std::vector<float> seen(SIZE, 1.0f);
        seen.push_back(2.0f);
        for (std::size_t i = 0; i < seen.size(); i++)
            if (seen[i] > 2.0f)
                return 1;
"""


def plus(
    folder: Path,
    pragma: str = PRAGMA,
    body: str = PAIR,
    *,
    before: str = "",
    declared: str = "",
    after: str = "",
) -> Host:
    return host(folder, pragma, body, name="app.cpp", before=before, declared=declared, after=after)


def test_a_region_of_c_plus_plus(tmp_path: Path) -> None:
    program = plus(tmp_path)
    assert program.fused() == ""
    assert '#include "lib.h"\n#include "kfusion_fused.h"\n' in program.text("app.cpp")
    assert "{ KFUSION_REGION_OUT(app, c);\n" in program.text("app.cpp")
    assert program.both() == LEAST


@pytest.mark.parametrize("last", ["", "#include <cstdio>\n"])
def test_headers_of_c(last: str, tmp_path: Path) -> None:
    """The include stands behind all others: they may define what OpenCL's headers ask for."""
    before = f'extern "C" {{ // of C\n#include <stdlib.h>\n}}\n{last}'
    program = plus(tmp_path, before=before)
    assert program.fused() == ""
    assert f'{before}#include "kfusion_fused.h"\n' in program.text("app.cpp")
    assert program.both() == LEAST


def test_a_vector_and_a_number_by_a_macro_in_the_region(tmp_path: Path) -> None:
    before = "#include <vector>\n#define SIZE 8\n"
    program = plus(tmp_path, body=VECTOR + PAIR, before=before)
    assert program.fused() == ""
    assert program.both() == LEAST


def test_a_wrong_list_changes_nothing(tmp_path: Path) -> None:
    pragma = PRAGMA.replace("runs(square(t, a, n)", "runs(root(t, a, n)")
    program = plus(tmp_path, pragma)
    program.fused()
    assert program.both() == AS_WRITTEN


def test_handles_that_are_exchanged_under_a_condition(tmp_path: Path) -> None:
    program = plus(tmp_path, body=PAIR + EXCHANGE)
    program.fused()
    assert program.both() == LEAST
    assert program.both("exchanged") == ALL


@pytest.mark.parametrize(
    "declared",
    ["cl_mem &d = c;", "cl_mem *d = &c;", "float d = 1;", "cl_mem d[] = {c};"],
)
def test_out_names_that_are_no_plain_variables(declared: str, tmp_path: Path) -> None:
    before = "static int use(const void *) { return 0; }"
    pragma = PRAGMA.replace("out(c)", "out(d)").replace("kfuse(", "kfuse(c, ")
    program = plus(tmp_path, pragma, PAIR, declared=declared, before=before)
    done = program.kfusion("-o", "out")
    assert "'d' is not used in this region" in done.stderr
    program = plus(tmp_path, pragma, PAIR + "        (void)sizeof d;\n", declared=declared)
    program.fused()
    assert "KFUSION_REGION(app);\n" in program.text("app.cpp")
    assert program.both() == {"square_add": 1}


def test_a_variable_that_another_type_hides(tmp_path: Path) -> None:
    """The overload for other types gives no variable: nothing is dropped."""
    pragma = PRAGMA.replace("out(c)", "out(d)").replace("kfuse(", "kfuse(c, ")
    program = plus(
        tmp_path,
        pragma,
        PAIR + "        (void)d;\n",
        declared="cl_mem d = c; (void)d; { float d = 1;",
        after="}",
    )
    program.fused()
    assert "KFUSION_REGION_OUT(app, d);\n" in program.text("app.cpp")
    assert program.both() == ALL


def test_nothing_says_what_is_launched(tmp_path: Path) -> None:
    program = plus(tmp_path, "#pragma kfuse(a, b, t, out(c))")
    said = program.fused()
    assert "app.cpp:13:1: cut[KF242]: nothing says what this region of C++ launches" in said
    assert program.text("app.cpp") == (tmp_path / "app.cpp").read_text()
    assert program.both() == AS_WRITTEN


@pytest.mark.parametrize("header", ["CL/opencl.hpp", "CL/cl2.hpp"])
def test_bindings_are_left_as_they_are(header: str, tmp_path: Path) -> None:
    before = f"#define CL_HPP_TARGET_OPENCL_VERSION 120\n#include <{header}>"
    before = before.replace("120\n", "120\n#define CL_HPP_MINIMUM_OPENCL_VERSION 120\n")
    program = plus(tmp_path, body="        cl::Event none;\n" + PAIR, before=before)
    said = program.fused()
    assert (
        "app.cpp:17:9: cut[KF241]: 'cl::Event' is one of OpenCL's bindings for C++: files that are "
        "not given may share their functions" in said
    )
    assert "kfusion_fused.h" not in program.text("app.cpp")


def test_a_macro_of_the_program_that_the_run_time_uses_as_a_name(tmp_path: Path) -> None:
    program = plus(tmp_path, before="#define launches 3\n#define next 7\n")
    program.fused()
    assert program.both() == LEAST


def test_raw_strings_with_what_looks_like_a_region(tmp_path: Path) -> None:
    before = 'static const char *text = R"(\n#pragma kfuse(x)\n{ #include "no.h")";'
    program = plus(tmp_path, before=before, after="(void)text;")
    program.fused()
    assert program.both() == LEAST


CHECKED = """\
        CHECK((launch("square", t, a, (cl_mem)0), argc));
        CHECK((launch("add", c, t, b, (cl_mem)0), argc));
"""
MACRO = """\
#include <iostream>
#include <cstdlib>
#define CHECK(call) do { int done_ = (call); if (done_ == 3) { std::cerr << #call << done_ \\
    << " in " << __FILE__ << std::endl; std::exit(0); } if (done_ == 2) throw done_; } while (0)
"""
UNSEEN = """\
extern "C" {
#include "rig.h"
}
#include "unseen.hpp"
cl_mem result;
void at_the_end()
{
    float data[300];
    if (result == nullptr)
        return;
    clEnqueueReadBuffer(rig_queue(), result, CL_TRUE, 0, sizeof data, data, 0, nullptr, nullptr);
    rig_dump("end", data, sizeof data);
}
"""


def test_a_macro_that_checks_statuses(tmp_path: Path) -> None:
    program = plus(
        tmp_path, body=CHECKED, before=MACRO, declared="try {", after="} catch (int) { }"
    )
    assert program.fused() == ""
    assert program.both() == LEAST
    assert program.both("left") == {"square": 1}
    assert "#define exit(...) KFUSION_LEAVE(exit, __VA_ARGS__)\n" in program.text("app.cpp")


def test_what_is_noted_is_made_before_the_program_is_left(tmp_path: Path) -> None:
    (tmp_path / "unseen.hpp").write_text("extern cl_mem result;\nvoid at_the_end();\n")
    (tmp_path / "unseen.cpp").write_text(UNSEEN)
    before = f'#include "unseen.hpp"\n{MACRO}'
    body = CHECKED.replace(
        'argc));\n        CHECK((launch("add"', '1));\n        CHECK((launch("add"'
    )
    declared = "result = t; std::atexit(at_the_end);"
    pragma = f"{PRAGMA} harmless(at_the_end)"
    program = plus(tmp_path, pragma, body, before=before, declared=declared, after="result = 0;")
    program = replace(program, unseen=("unseen.cpp",))
    assert program.fused() == ""
    assert program.both() == LEAST
    assert program.both("left", "early") == ALL
    fused = tmp_path / "out" / "app.cpp"
    fused.write_text(fused.read_text().replace("#define exit(...)", "#define unused(...)"))
    assert program.run("out", "left", "early").stdout != program.run(".", "left", "early").stdout


HEADER_CALLS = """\
#include "lib.h"
struct Peek { Peek(int); ~Peek() { clFinish(nullptr); } };
"""
DECLARED = "struct Peek {{ {member} }};\n"


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (HEADER_CALLS, "'unseen.hpp' calls OpenCL in front of the run time's include"),
        (
            DECLARED.format(member="Peek(int n);"),
            "'Peek::Peek' is declared in this file, and defined in none that is given",
        ),
        (
            DECLARED.format(member="~Peek();"),
            "'Peek::~Peek' is declared in this file, and defined in none that is given",
        ),
        (
            DECLARED.format(member="Peek operator+(int);"),
            "'Peek::operator +' is declared in this file, and defined in none that is given",
        ),
        (
            "void hook();\nstruct Peek { Peek() { hook(); } };\n",
            "'hook' is declared in this file, and defined in none that is given",
        ),
        ("const int LARGE = 1'000;\n", ""),
        ("void hook();\nstruct Peek { Peek() { } int rows(); };\n", ""),
    ],
    ids="header constructor destructor operator called separator unused".split(),
)
def test_what_tokens_do_not_show(header: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "unseen.hpp").write_text(f'#include "lib.h"\n{header}')
    program = plus(tmp_path, before='#include "unseen.hpp"\n')
    said = program.fused()
    assert message in said if message else said == ""


HOOKED = "struct Peek {{ Peek(int n) {{ {body} }} }};\n"
MISSING = "'{}' is declared in this file, and defined in none that is given"


@pytest.mark.parametrize(
    ("header", "message"),
    {
        "in brackets": (HOOKED.format(body="(clFinish)(nullptr);"), "'unseen.hpp' calls OpenCL"),
        "pointer": ("static const auto finish = clFinish;\n", "'unseen.hpp' calls OpenCL"),
        "by name": (
            f"void hook();\n{HOOKED.format(body='auto how = hook; how();')}",
            MISSING.format("hook"),
        ),
        "attribute": (
            '__attribute__((visibility("default"))) void hook();\n' + HOOKED.format(body="hook();"),
            MISSING.format("hook"),
        ),
        "second name": (
            "int other(int), hook(int);\n" + HOOKED.format(body="hook(n);"),
            MISSING.format("hook"),
        ),
        "digit": (
            "void hook(float v[3]);\n" + HOOKED.format(body="hook(nullptr);"),
            MISSING.format("hook"),
        ),
        "value in braces": (
            "struct List { };\nint hook(int, List = {});\n" + HOOKED.format(body="hook(n);"),
            MISSING.format("hook"),
        ),
        "in a body": (
            HOOKED.format(body="void hook(int); hook(n);"),
            MISSING.format("hook"),
        ),
        "class with an attribute": (
            'struct __attribute__((visibility("default"))) Peek { Peek(int); };\n',
            MISSING.format("Peek::Peek"),
        ),
        "method and function": (
            (
                "struct Panel { int check(int) const; };\nstatic int check(int n) { return n; }\n"
                "struct Peek { Peek(int n) { Panel p; p.check(check(n)); } };\n"
            ),
            MISSING.format("Panel::check"),
        ),
        "method with a name of the library": (
            (
                "struct Panel { int read(int); };\n"
                "struct Peek { Peek(int n) { Panel p; p.read(n); } };\n"
            ),
            MISSING.format("Panel::read"),
        ),
        "other constructor": (
            "struct Peek { Peek(int) { } Peek(const char *); };\n",
            MISSING.format("Peek::Peek"),
        ),
        "template": (
            "template <class T> int hook(T);\n" + HOOKED.format(body="hook(n);"),
            MISSING.format("hook"),
        ),
        "system header": (
            "#pragma GCC system_header\nvoid hook();\n" + HOOKED.format(body="hook();"),
            MISSING.format("hook"),
        ),
        "virtual": (
            "struct Base { virtual int rows() { return 1; } };\n",
            "'virtual' stands in this file",
        ),
        "function object": (
            "#include <functional>\nextern std::function<int(int)> how;\n",
            "'function' stands in this file",
        ),
        "pointer to a function": ("extern int (*how)(int);\n", "'how' may be a pointer"),
        "thread": (
            "#include <thread>\ninline void wait() { std::thread([] { }).join(); }\n",
            "'thread' stands in this file",
        ),
        "jump": ("#include <csetjmp>\ninline void jump(jmp_buf b) { longjmp(b, 1); }\n", "longjmp"),
        "undefined": ("#undef clFinish\n", "'clFinish' is undefined as a macro"),
        "member": (
            (
                "struct Api { cl_int (*clFinish)(cl_command_queue); };\n"
                "inline void finish(Api &a) { a.clFinish(nullptr); }\n"
            ),
            "'unseen.hpp' calls OpenCL",
        ),
        "poison": ("#pragma GCC poison realloc\n", "names are poisoned in this file"),
        "name of a header": ("static int index;\n", "'index' is declared in this file"),
    }.values(),
)
def test_hidden_ways_to_opencl(header: str, message: str, tmp_path: Path) -> None:
    """By code that is compiled in front of the run time's include, or in files not given."""
    (tmp_path / "unseen.hpp").write_text(f'#include "lib.h"\n{header}')
    program = plus(tmp_path, before='#include "unseen.hpp"\n')
    assert message in program.fused()


@pytest.mark.parametrize(
    "header",
    [
        "struct Peek { Peek(int) { } Peek(const Peek &) = delete; int rows() { return 1; } };\n",
        (
            "namespace far { inline int rows(int n) { return n; } }\n"
            "struct Peek { int rows(int m); };\n"
            "inline int Peek::rows(int n) { return far::rows(n); }\n"
        ),
        (
            "#include <vector>\n#include <memory>\n"
            "inline int sum(int n)\n"
            "{ std::vector<int> v(n); int s = 0; for (int k : v) s += k; return s; }\n"
            "using Mem = std::unique_ptr<_cl_mem, decltype(&clReleaseMemObject)>;\n"
        ),
    ],
    ids=["methods", "namespaces", "variables"],
)
def test_headers_that_hide_nothing(header: str, tmp_path: Path) -> None:
    (tmp_path / "unseen.hpp").write_text(f'#include "lib.h"\n{header}')
    assert plus(tmp_path, before='#include "unseen.hpp"\n').fused() == ""


def test_a_method_of_another_file_that_is_given(tmp_path: Path) -> None:
    (tmp_path / "far.hpp").write_text("struct Far { Far(int n); int n; Far operator+(int); };\n")
    methods = "Far::Far(int n) : n(n) { }\nFar Far::operator+(int m) { return Far(n + m); }\n"
    (tmp_path / "far.cpp").write_text(f'#include "far.hpp"\n{methods}')
    program = plus(tmp_path, before='#include "far.hpp"\n')
    assert "'Far::Far' is declared in this file" in program.fused()
    assert replace(program, more=("far.cpp",)).fused() == ""


OBJECTS = """\
struct Handles {
    cl_mem one, two;
    void run(cl_mem c, cl_mem t);
};
void Handles::run(cl_mem c, cl_mem t)
{
#pragma kfuse(t, out(c)) runs(square(t, a, n), add(c, t, b, n))
    {
        launch("square", t, one, (cl_mem)0);
        launch("add", c, t, this->two, (cl_mem)0);
    }
}
"""


def test_members_of_objects(tmp_path: Path) -> None:
    declared = "Handles handles = {a, b};"
    body = PAIR.replace(" a,", " handles.one,").replace(" b,", " handles.two,")
    before = "struct Handles { cl_mem one, two; };"
    pragma = PRAGMA.replace("kfuse(a, b, t,", "kfuse(t,")
    program = plus(tmp_path, pragma, body, before=before, declared=declared)
    assert program.fused() == ""
    assert program.both() == LEAST


def test_a_region_of_a_method(tmp_path: Path) -> None:
    body = "        handles.run(c, t);\n"
    program = plus(tmp_path, "", body, before=OBJECTS, declared="Handles handles = {a, b};")
    assert program.fused() == ""
    assert program.both() == LEAST


NEAR = """\
#include "far.hpp"
static void scale(cl_mem t, cl_mem a);
static void combined(cl_mem c, cl_mem t, cl_mem a, cl_mem b)
{
    scale(t, a);
    sum(c, t, b);
}
"""
AFTER = """\
    (void)b;
"""
FAR = """\
#include "lib.h"
#include "far.hpp"
static const char *name() { return "add"; }
void sum(cl_mem c, cl_mem t, cl_mem b) { launch(name(), c, t, b, (cl_mem)0); }
"""


def test_functions_of_two_files(tmp_path: Path) -> None:
    (tmp_path / "far.hpp").write_text("void sum(cl_mem, cl_mem, cl_mem);\n")
    (tmp_path / "far.cpp").write_text(FAR)
    program = plus(tmp_path, body="        combined(c, t, a, b);\n", before=NEAR, after=AFTER)
    path = tmp_path / "app.cpp"
    behind = 'static void scale(cl_mem t, cl_mem a) { launch("square", t, a, (cl_mem)0); }\n'
    path.write_text(path.read_text() + behind)
    program = replace(program, more=("far.cpp",))
    assert program.fused() == ""
    assert program.both() == LEAST


def test_a_function_of_a_file_that_is_not_given(tmp_path: Path) -> None:
    (tmp_path / "far.hpp").write_text("void sum(cl_mem, cl_mem, cl_mem);\n")
    before = NEAR.replace("static void scale(cl_mem t, cl_mem a);\n", "").replace("scale(t, a)", "")
    program = plus(tmp_path, body="        combined(c, t, a, b);\n", before=before)
    said = program.fused()
    assert "'sum' may be something else in C++ than in C" in said
