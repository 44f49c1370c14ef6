"""Which regions of C++ files are closed: each rule by a statement, with the message."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kfusion.host.closed import Closedness
from kfusion.host.closed_tokens import closedness_of_tokens
from kfusion.host.program import HostProgram
from kfusion.parse.annotations import find_annotations
from kfusion.parse.compiler import Preprocessor
from kfusion.parse.cpp import parse_cpp
from kfusion.parse.files import parse_sources
from kfusion.parse.sources import read_sources
from kfusion.paths import fake_libc_dir
from kfusion.source.text import SourceFile

LIBRARY = """\
#include <CL/cl.h>
#include "lib.h"
static cl_command_queue queue;
int run(struct vec *v, float f, int n) { return clFinish(queue) + n; }
int order(const void *a, const void *b) { return a != b; }
void stop(void) { fork(); }
int twice(int n) { return 2 * n; }
void leave(int n) { exit(n); }
__attribute__((weak)) void hook(void) { }
"""
HEADER = """\
#ifdef __cplusplus
extern "C" {
#endif
struct vec { cl_mem mem; int length; };
typedef struct vec vec;
typedef float real;
typedef int (*hook_type)(const void *, const void *);
enum kind { PLAIN, OTHER };
int run(struct vec *v, float f, int n);
#ifdef __cplusplus
}
#endif
"""
BOTH = """\
#ifdef __cplusplus
struct matrix { matrix(int); };
#else
struct matrix { int n; };
#endif
"""
APP = """\
#include <vector>
#include "lib.h"
#define FLUSH flush_all()
int limit = 3;
Matrix everywhere;
void use(const Matrix &m, std::vector<float> &w, vec a, vec b, Image *image, int (*call)(int))
{{
    int n = 1, m2 = 2;
    std::vector<float> v(8);
    cl_command_queue queue = nullptr;
#pragma kfuse
    {{
        {statement}
    }}
}}
"""

Judge = Callable[[str], Closedness]


@pytest.fixture
def program(tmp_path: Path) -> HostProgram:
    (tmp_path / "lib.c").write_text(LIBRARY.replace('"lib.h"', '"lib.h"\n#include "both.h"'))
    (tmp_path / "lib.h").write_text(HEADER)
    (tmp_path / "both.h").write_text(BOTH)
    how = Preprocessor(system_dirs=(fake_libc_dir(),))
    return HostProgram(parse_sources(read_sources([tmp_path / "lib.c"], how)).hosts)


@pytest.fixture
def judge(program: HostProgram, tmp_path: Path) -> Judge:
    def judged(statement: str) -> Closedness:
        text = APP.format(statement=statement) if "#pragma kfuse" not in statement else statement
        source = SourceFile(tmp_path / "app.cpp", text)
        (region,) = find_annotations(source, False).regions
        return closedness_of_tokens(source, region.block, program, frozenset({"log_line"}))

    return judged


CLOSED = [
    "run(&a, 1.5f, n); run(&b, v[n], limit);",
    "for (int i = 0; i < n; i++) { run(&a, v[i] * 2, i); }",
    "if (n > limit && v.size() > 2) { v.resize(n); } else return;",
    "std::vector<float> local(n); local.push_back(std::sqrt(2.0)); a = b;",
    'std::array<int, 4> four; four[0] = n; std::string text; text = "x";',
    "switch (n) { case 1: n = 2; break; default: n = static_cast<int>(2.5); }",
    "clFinish(queue); clBuildProgram(nullptr, 0, nullptr, nullptr, nullptr, nullptr);",
    "qsort(v.data(), n, sizeof(float), order); n = std::min(n, m2);",
    "real r = 2, *p = &r; enum kind k = PLAIN; a.length = CL_SUCCESS; n = int(r) + twice(n);",
    'log_line(n); printf("%d", n);',
    "vec c; c.length = 1; vec *p = &c; p->length = n;",
    "if (n) goto out;",
    "[[maybe_unused]] int k = 2; alignas(8) float x = 1; n = k + int(x);",
    'if (n) throw std::runtime_error("no " + std::to_string(n));',
]


@pytest.mark.parametrize("statement", CLOSED)
def test_stays_closed(statement: str, judge: Judge) -> None:
    assert [opened.message for opened in judge(statement).opened] == []


OPENING = {
    "everywhere = 3;": "'everywhere' may be a class: what it calls is not seen",
    "n = m.rows;": "'m' may be a class: what it calls is not seen",
    "Matrix here(3);": "'Matrix' may be a class: what it calls is not seen",
    "[[maybe_unused]] Matrix n; n = 3;": "'Matrix' may be a class: what it calls is not seen",
    "__attribute__((unused)) Matrix n; n = 3;": (
        "'Matrix' may be a class: what it calls is not seen"
    ),
    "hook_type h = order; n = h(0, 0);": "'hook_type' may be a class: what it calls is not seen",
    "auto x = n;": "'auto' may be a class: what it calls is not seen",
    "std::vector<vec> some; some[0] = some[1] + a;": (
        "'std::vector<vec>' may be a class: what it calls is not seen"
    ),
    "std::vector<Matrix> many;": "'std::vector<Matrix>' may be a class: what it calls is not seen",
    "matrix k = 3;": "'matrix' may be a class: what it calls is not seen",
    "image->draw();": "'draw' is not a known member",
    "unseen = 3;": "'unseen' is not known: it may call a function",
    "FLUSH;": "'FLUSH' is a macro",
    "a = a + b;": "an operator on 'a' may be one of the program",
    "v = -w;": "an operator on 'w' may be one of the program",
    "n = 3_km;": "'3_km' may call a function of the program",
    "n = call(n);": "'call' is not defined in the files given",
    "[&] { n = 2; }();": "'[' begins a function without a name",
    "unknown_call(n);": "'unknown_call' is not defined in the files given",
    "stop();": "'fork' starts another process",
    "longjmp(0, 1);": "'longjmp' jumps between functions",
    "hook();": "'hook' is weak: the linker may take another definition",
    "co_await task;": "'co_await' may be a class: what it calls is not seen",
    "throw Matrix(1);": "'Matrix' is not defined in the files given",
    "throw m;": "'m' may be a class: what it calls is not seen",
    "float *p = new float[3];": "'new' is not known: it may call a function",
    "std::thread t(run);": "'std::thread' may be a class: what it calls is not seen",
    "std::cout << n;": "'std::cout' is not known: it may call a function",
    "exit(n);": "'exit' leaves the region, or waits",
    "again: n++;": "'again' is a label: it may be reached from outside",
    "case 3: n = 1;": "'case' belongs to a switch that begins outside of the region",
    "qsort(v.data(), n, 4, by_size);": "'qsort' is given a function that is not looked at",
    "clSetEventCallback(0, 0, order, 0);": (
        "'clSetEventCallback' is given a function that is not looked at"
    ),
    'asm("");': "'asm' is not defined in the files given",
    "std::sort(v.begin(), v.end());": "'std::sort' is not known: it may call a function",
}


@pytest.mark.parametrize("statement", OPENING)
def test_opens(statement: str, judge: Judge) -> None:
    found = [opened.message for opened in judge(statement).opened]
    assert OPENING[statement] in found


def test_members_hide_variables_of_the_file(judge: Judge) -> None:
    text = "int size;\nvoid A::f()\n{\n    int n;\n#pragma kfuse\n    { n = size; }\n}\n"
    messages = [opened.message for opened in judge(text).opened]
    assert messages == ["'size' is not known: it may call a function"]


def test_variables_of_other_functions_do_not_count(judge: Judge) -> None:
    text = "void f(int size) { }\nvoid g()\n{\n#pragma kfuse\n    { size = 1; }\n}\n"
    messages = [opened.message for opened in judge(text).opened]
    assert messages == ["'size' is not known: it may call a function"]


def test_the_way_and_what_is_settled(judge: Judge) -> None:
    found = judge("stop(); leave(n);")
    assert [text for text, _ in found.opened[0].related] == ["the region calls 'stop' here"]
    assert found.settles == {"exit"}
    assert "run" in [function.name for function in judge("run(&a, 1, 2);").functions]


CLASSES = """\
#include "lib.h"
struct Kernel {{ cl_kernel handle; int rows() const {{ return 2; }} std::size_t a = 1, *b; }};
template <class T> struct Array {{ cl_mem mem; }};
struct Base {{ int n; }};
struct Derived : Base {{ cl_mem mem; }};
struct Pointer {{ cl_mem mem; Kernel *operator->(); }};
class Run {{
public:
    Kernel first, *second;
    cl_command_queue queue; enum kind kind_; vec both; cl_mem mems[2];
    void inside(Kernel k, const Kernel &l, Array<int> a, Derived d, Pointer p);
    int count() {{ return 1; }}
}};
struct Twice {{ cl_mem mem; }};
namespace other {{ struct Twice {{ Kernel mem; }}; }}
void Run::inside(Kernel k, const Kernel &l, Array<int> a, Derived d, Pointer p)
{{
    Kernel m, *n = &m;
    Twice t;
    auto [one, two] = split();
#pragma kfuse
    {{
        {statement}
    }}
}}
"""


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("clRetainKernel(k.handle); clRetainKernel(l.handle); n->a = m.a; m.b = &k.a;", ""),
        ("clFinish(queue); clFinish(this->queue); mems[0] = mems[1]; kind_ = PLAIN;", ""),
        ("k.rows();", "'k' may be a class: what it calls is not seen"),
        ("first.handle = 0;", "'first' is not known: it may call a function"),
        ("this->count();", "'this' is not known: it may call a function"),
        ("clFinish(queue); a.mem = 0;", "'a' may be a class: what it calls is not seen"),
        ("d.mem = 0;", "'d' may be a class: what it calls is not seen"),
        ("p->mem = 0;", "'p' may be a class: what it calls is not seen"),
        ("t.mem = 0;", "'t' may be a class: what it calls is not seen"),
        ("one = 2;", "'one' may be a class: what it calls is not seen"),
        ("{ Array<int> k; k.handle = 0; }", "'k' may be a class: what it calls is not seen"),
    ],
    ids="members own method object call template base arrow twice parts hidden".split(),
)
def test_members_of_classes(
    statement: str, message: str, program: HostProgram, tmp_path: Path
) -> None:
    source = SourceFile(tmp_path / "app.cpp", CLASSES.format(statement=statement))
    unit = parse_cpp(source, Preprocessor())
    (region,) = unit.annotations.regions
    closed = closedness_of_tokens(source, region.block, program, unit=unit)
    messages = [opened.message for opened in closed.opened]
    assert message in messages if message else messages == []


BEHIND = """\
#include "lib.h"
#include <iostream>
struct color { color(float, float, float); };
color operator*(color one, color other);
struct degrees { degrees(kind); };
"""


@pytest.mark.parametrize(
    ("header", "statement", "message"),
    [
        ("", "n = run(&a, 1.5f, n) << twice(n) * 2;", ""),
        (
            "inline int twice(double x) { return run(0, x, 0); }",
            "twice(1.0);",
            "'twice' may be something else in C++ than in C",
        ),
        (
            "int run(struct vec *, double);",
            "run(&a, 1.5f, n);",
            "'run' may be something else in C++ than in C",
        ),
        (
            "kind operator|(kind one, kind other);",
            "enum kind k = PLAIN | OTHER;",
            "'|' may be an operator of the program",
        ),
        (
            "degrees operator|(degrees one, degrees other);",
            "enum kind k = PLAIN | OTHER;",
            "'|' may be an operator of the program",
        ),
        ("#define M_LOOK twice(3)", "n = M_LOOK;", ""),
        ("#define M_LOOK look(3)", "n = M_LOOK;", "'look' is not defined in the files given"),
        (
            "#ifdef ELSE\n#define CHECK(x) look(x)\n#else\n#define CHECK(x) (x)\n#endif",
            "CHECK(n);",
            "'CHECK' is a macro",
        ),
        ("#define PASTE(x) x ## _all()", "PASTE(n);", "'n_all' is not defined in the files given"),
        ("#define clFinish(queue) 0", "clFinish(queue);", "'clFinish' is a macro"),
        (
            (
                "#define CHECK(x) do { int e_ = (x); if (e_) { std::cerr << #x << e_ << "
                '" at " << __FILE__ << std::endl; exit(1); } } while (0)'
            ),
            "CHECK(run(&a, 1.5f, n)); CHECK(clFinish(queue));",
            "",
        ),
        (
            "struct Log; std::ostream &operator<<(std::ostream &, Log);",
            "std::cerr << n;",
            "'std::cerr' is not known: it may call a function",
        ),
        ("struct Loop { void exit(int); };", "exit(1);", "'exit' leaves the region, or waits"),
        (
            "#define exit(n) twice(n)",
            "std::exit(1);",
            "'std::twice' is not known: it may call a function",
        ),
        ("#define M_ROWS 12", "n = M_ROWS;", ""),
        (
            "#define twice(n) (run(0, 0, n), twice(n))",
            "n = twice(n);",
            "'twice' is a macro",
        ),
        (
            "static const degrees M_RIGHT(PLAIN), M_FLAT = PLAIN;",
            "n = M_FLAT;",
            "'M_FLAT' may be something else in C++ than in C",
        ),
        (
            "int order(const void *, const void *);",  # with the linkage of C++
            "n = order(0, 0);",
            "'order' may be something else in C++ than in C",
        ),
        (
            "namespace { int order(const void *, float); }",
            "n = order(0, 1.0f);",
            "'order' may be something else in C++ than in C",
        ),
        (
            'extern "C" int order(const void *, const void * = look());',
            "n = order(0);",
            "'order' may be something else in C++ than in C",
        ),
        (
            "kind operator bitor(kind one, kind other);",
            "enum kind k = PLAIN | OTHER;",
            "'|' may be an operator of the program",
        ),
        ("#define if(c) if (twice(1), c)", "if (n) n = 2;", "'if' is a macro"),
        (
            "static inline int __attribute__((noinline)) twice(float x) { return x; }",
            "n = twice(1.0f);",
            "'twice' may be something else in C++ than in C",
        ),
    ],
    ids="none body overload enum class macro unknown twice pasted opencl check streams method "
    "leaving number wrapper object linkage space default word keyword attribute".split(),
)
def test_headers_of_the_program(
    header: str, statement: str, message: str, program: HostProgram, tmp_path: Path
) -> None:
    (tmp_path / "behind.hpp").write_text(f"{BEHIND}{header}\n")
    text = APP.format(statement=statement).replace('"lib.h"', '"behind.hpp"')
    source = SourceFile(tmp_path / "app.cpp", text)
    unit = parse_cpp(source, Preprocessor())
    (region,) = unit.annotations.regions
    closed = closedness_of_tokens(source, region.block, program, unit=unit)
    assert [opened.message for opened in closed.opened] == ([message] if message else [])


FUNCTIONS = """\
#include <vector>
#include "lib.h"
#include "behind.hpp"
#define CHECK(x) check(x, #x)
static void check(int status, const char *what);
namespace {{ int hidden(cl_mem m) {{ return clRetainMemObject(m); }} }}
static int launch(vec *v, const std::vector<float> &w, int n = 1)
{{
    for (int i = 0; i < n; i++)
        CHECK(run(v, w[i], i));
again:
    return n > 3 ? launch(v, w, n - 1) : hidden(v->mem);
}}
int early(double x) {{ return x > 1; }}
int early(int x) {{ return later(x); }}
struct Matrix {{ Matrix(int); int early(int); }};
int shown(Matrix m) {{ return 1; }}
Matrix made(int n) {{ return n; }}
int defaulted(int n = twice(2)) {{ return n; }}
template <class T> int general(T t) {{ return 1; }}
namespace named {{ int inside(int n) {{ return n; }} }}
using named::inside;
int lines(int n)
{{
#ifdef MORE
    n++;
#endif
    return n;
}}
int Matrix::early(int n) {{ return 1; }}
int forked(int n) {{ fork(); return n; }}
void use(vec a, std::vector<float> v, int n, int (*early2)(int))
{{
#pragma kfuse
    {{
        {statement}
    }}
}}
static void check(int status, const char *what)
{{
    if (status)
        throw std::runtime_error(what);
}}
int later(int n) {{ return n; }}
"""
OTHER = """\
#include "behind.hpp"
static int own(int n) { return n; }
int far(const int x[], float *, unsigned n) { return own(n); }
int narrow(int n) { return n; }
static int kept(int n) { return n; }
int left(int n) { exit(n); }
"""


@pytest.mark.parametrize(
    ("header", "statement", "message"),
    [
        ("", "n = launch(&a, v, 2); CHECK(n); early(2);", ""),
        ("int far(const int *, float *y, unsigned n);", "far(&n, v.data(), 2);", ""),
        ("int left(int n);", "left(3);", "'exit' leaves the region, or waits"),
        ("int far(const int *);", "far(&n);", "'far' may be something else in C++ than in C"),
        ("int narrow(float);", "narrow(3);", "'narrow' may be something else in C++ than in C"),
        ("int kept(int);", "kept(3);", "'kept' may be something else in C++ than in C"),
        ("int early(float);", "early(3);", "what 'early' calls cannot be told"),
        (
            "int over(int n) { return 1; }",
            "over(3);",
            "'over' may be something else in C++ than in C",
        ),
        (
            "namespace lib { } using namespace lib;",
            "early(3);",
            "what 'early' calls cannot be told",
        ),
        ("", "shown(3);", "'Matrix' may be a class: what it calls is not seen"),
        ("", "made(3);", "'Matrix' may be a class: what it calls is not seen"),
        ("", "defaulted();", "what 'defaulted' calls cannot be told"),
        ("", "general(1);", "'general' may be something else in C++ than in C"),
        ("", "inside(1);", "'inside' may be something else in C++ than in C"),
        ("", "lines(1);", "'#ifdef MORE' may change what stands behind it"),
        (
            "",
            "{ auto early = [](int) { return 1; }; early(1); }",
            "'auto' may be a class: what it calls is not seen",
        ),
        ("", "early2(1);", "'early2' may be something else in C++ than in C"),
        ("", "forked(1);", "'fork' starts another process"),
    ],
    ids="here other leaving fewer types static overload header using class result default template "
    "namespace directive lambda pointer fork".split(),
)
def test_functions_of_files_in_c_plus_plus(
    header: str, statement: str, message: str, program: HostProgram, tmp_path: Path
) -> None:
    (tmp_path / "behind.hpp").write_text(f"#pragma once\n{header}\n")
    source = SourceFile(tmp_path / "app.cpp", FUNCTIONS.format(statement=statement))
    unit = parse_cpp(source, Preprocessor())
    other = parse_cpp(SourceFile(tmp_path / "other.cpp", OTHER), Preprocessor())
    whole = HostProgram(program.units, (unit, other))
    (region,) = unit.annotations.regions
    closed = closedness_of_tokens(unit.plain, region.block, whole, unit=unit)
    messages = [opened.message for opened in closed.opened]
    assert message in messages if message else messages == []
    if "forked" in statement:
        (opened,) = closed.opened
        assert [text for text, _ in opened.related] == ["the region calls 'forked' here"]
    if "launch" in statement:
        assert {"run"} == {function.name for function in closed.functions}
