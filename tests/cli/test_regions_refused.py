"""Regions that cannot be understood, and names that are not there or defined twice."""

# ruff: noqa: E501 - messages are shown as they are

from tests.cli.conftest import Command


def test_unbalanced_region(command: Command) -> None:
    command.change("app.c", "b, n);\n    }", "b, n);\n")
    assert (
        command.refused_program()
        == """\
app.c:6:1: error[KF109]: this region, or the function around it, is not closed: expected '}' before the end of the file
    6 | #pragma kfuse(a, b, out(c))
      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~
app.c:5:1: the function begins here
    5 | {
      | ^
"""
    )


def test_region_at_the_end_of_a_file_that_ends_too_early(command: Command) -> None:
    command.change(
        "app.c",
        """\
    }
    return 0;
}""",
        "",
    )
    assert (
        command.refused_program()
        == """\
app.c:6:1: error[KF109]: this region is not closed: expected '}'
    6 | #pragma kfuse(a, b, out(c))
      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~
"""
    )


def test_bracket_that_is_not_closed_in_a_region(command: Command) -> None:
    command.change("app.c", "t, b, n);\n", "t, b, n;\n")
    assert (
        command.refused_program()
        == """\
app.c:10:5: error[KF109]: unbalanced brackets in a region: expected ')' before '}'
   10 |     }
      |     ^
app.c:9:16: to close this
    9 |         vec_add(c, t, b, n;
      |                ^
"""
    )


def test_region_without_a_block(command: Command) -> None:
    command.change(
        "app.c", "    {\n        vec_scale(t, a, 2.0f, n);", "    vec_scale(t, a, 2.0f, n);"
    )
    command.change("app.c", "b, n);\n    }", "b, n);")
    assert (
        command.left_program()
        == """\
app.c:6:1: warning[KF109]: a region must be followed by a block: expected '{'
    6 | #pragma kfuse(a, b, out(c))
      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~
  help: put its calls in { }
"""
    )


def test_brace_too_many_in_a_region(command: Command) -> None:
    command.change(
        "app.c",
        "        vec_add(c, t, b, n);\n",
        """\
        vec_add(c, t, b, n);
    }
""",
    )
    assert (
        command.refused_program()
        == """\
app.c:12:5: error[KF104]: syntax error before 'return'
   12 |     return 0;
      |     ^~~~~~
  help: 'return' cannot follow '}' here
"""
    )


def test_nested_regions(command: Command) -> None:
    command.change(
        "app.c",
        "        vec_add(c, t, b, n);\n",
        """\
#pragma kfuse(c)
        {
        vec_add(c, t, b, n);
        }
""",
    )
    assert (
        command.run("app.c", "vec.c", "vec.cl", "-o", "out", "-v").stderr
        == """\
app.c:9:1: warning[KF110]: regions cannot be nested
    9 | #pragma kfuse(c)
      | ^~~~~~~~~~~~~~~~
app.c:6:1: the outer region
    6 | #pragma kfuse(a, b, out(c))
      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~
"""
    )


def test_nested_regions_in_the_thesis_form(command: Command) -> None:
    command.change(
        "app.c",
        "        vec_add(c, t, b, n);\n",
        """\
        kfuse(c) {
        vec_add(c, t, b, n);
        }
""",
    )
    assert (
        command.run("app.c", "vec.c", "vec.cl", "-o", "out", "-v").stderr
        == """\
app.c:9:9: warning[KF110]: regions cannot be nested
    9 |         kfuse(c) {
      |         ^~~~~~~~
app.c:6:1: the outer region
    6 | #pragma kfuse(a, b, out(c))
      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~
"""
    )


def test_region_without_the_header(command: Command) -> None:
    command.change("app.c", "#pragma kfuse(a, b, out(c))", "    kfuse(a, b, out(c))")
    assert (
        command.run("app.c", "vec.c", "vec.cl", "-o", "out").stderr
        == """\
app.c:6:5: warning[KF109]: 'kfuse' is a macro that this file does not have: it does not compile
    6 |     kfuse(a, b, out(c))
      |     ^~~~~~~~~~~~~~~~~~~
  help: write `#include <kfusion.h>`, or `#pragma kfuse(...)`, which needs no header
"""
    )
    command.change("vec.h", "#include <CL/cl.h>\n", "#include <CL/cl.h>\n#include <kfusion.h>\n")
    assert command.run("app.c", "vec.c", "vec.cl", "-o", "out").stderr == ""


def test_words_that_an_annotation_does_not_have(command: Command) -> None:
    command.change("app.c", "#pragma kfuse(a, b, out(c))", "#pragma kfuse(a, ouput(c)) once(1)")
    assert (
        command.left_program()
        == """\
app.c:6:23: warning[KF112]: this annotation cannot be read: expected ',' or ')' before '('
    6 | #pragma kfuse(a, ouput(c)) once(1)
      |                       ^
  help: did you mean out(...)?
"""
    )
    command.change("app.c", "ouput(c)", "harmless(c)")
    help = "  help: harmless(...) stands behind the list: `kfuse(...) harmless(...)`\n"
    assert command.left_program().endswith(help)
    command.change("app.c", "harmless(c)", "out(c)")
    assert (
        command.left_program()
        == """\
app.c:6:26: warning[KF112]: this annotation cannot be read: 'once' is not expected here
    6 | #pragma kfuse(a, out(c)) once(1)
      |                          ^~~~
  help: behind it may stand runs(square(x), add(c, x, y)), harmless(log_line) and require(1)
"""
    )


def test_clause_that_is_misspelt(command: Command) -> None:
    command.change("app.c", "#pragma kfuse(a, b, out(c))", "#pragma kfuse(a, out(c)) requires(1)")
    assert (
        command.refused_program()
        == """\
app.c:6:26: error[KF112]: this annotation cannot be read: 'requires' is not expected here
    6 | #pragma kfuse(a, out(c)) requires(1)
      |                          ^~~~~~~~
  help: write require(...), once
"""
    )


def test_out_behind_the_list(command: Command) -> None:
    command.change("app.c", "#pragma kfuse(a, b, out(c))", "#pragma kfuse(a, b) out(c)")
    assert (
        command.left_program()
        == """\
app.c:6:21: warning[KF112]: this annotation cannot be read: 'out' is not expected here
    6 | #pragma kfuse(a, b) out(c)
      |                     ^~~
  help: 'out' belongs into the list: #pragma kfuse(out(c))
"""
    )


def test_region_in_a_kernel_file(command: Command) -> None:
    command.change(
        "vec.cl",
        "    c[i] =",
        """\
#pragma kfuse(a)
    { }
    c[i] =""",
    )
    assert (
        command.refused_program()
        == """\
vec.cl:10:1: error[KF111]: a region in a kernel file: regions belong to C applications
   10 | #pragma kfuse(a)
      | ^~~~~~~~~~~~~~~~
"""
    )


def test_thesis_region_in_a_kernel_file(command: Command) -> None:
    command.change("vec.cl", "    c[i] = a[i] + b[i];", "    kfuse(c) { c[i] = a[i] + b[i]; }")
    assert (
        command.refused_program()
        == """\
vec.cl:10:5: error[KF111]: a region in a kernel file: regions belong to C applications
   10 |     kfuse(c) { c[i] = a[i] + b[i]; }
      |     ^~~~~~~~
"""
    )


def test_region_outside_functions(command: Command) -> None:
    command.change(
        "app.c",
        "/* c = 2",
        """\
#pragma kfuse(a)
{ vec_bytes(1); }
/* c = 2""",
    )
    assert (
        command.refused_program()
        == """\
app.c:3:1: error[KF109]: a region must stand inside a function
    3 | #pragma kfuse(a)
      | ^~~~~~~~~~~~~~~~
"""
    )


def test_region_in_a_macro(command: Command) -> None:
    command.change(
        "app.c",
        """\
#pragma kfuse(a, b, out(c))
    {
        vec_scale(t, a, 2.0f, n);
        vec_add(c, t, b, n);
    }
""",
        "    COMBINE;\n",
    )
    command.change(
        "app.c",
        '#include "vec.h"\n',
        """\
#include "vec.h"

#define COMBINE                       \\
    kfuse(a, b, out(c)) {             \\
        vec_scale(t, a, 2.0f, n);     \\
        vec_add(c, t, b, n);          \\
    }
""",
    )
    assert (
        command.refused_program()
        == """\
app.c:4:5: error[KF115]: a region inside a macro
    4 |     kfuse(a, b, out(c)) {             \\
      |     ^~~~~
  help: write the region where the macro is used
"""
    )


def test_region_operator_in_a_macro(command: Command) -> None:
    command.change(
        "app.c",
        '#include "vec.h"\n',
        """\
#include "vec.h"
#define REGION _Pragma("kfuse(a, b, out(c))")
""",
    )
    assert (
        command.run("app.c", "vec.c", "vec.cl", "-o", "out", "-v").stderr
        == """\
app.c:2:16: warning[KF115]: a region inside a macro
    2 | #define REGION _Pragma("kfuse(a, b, out(c))")
      |                ^~~~~~~~~~~~~~
  help: write the region where the macro is used
"""
    )


def test_region_by_the_pragma_operator(command: Command) -> None:
    command.change("app.c", "#pragma kfuse(a, b, out(c))", '    _Pragma("kfuse(a, b, out(c))")')
    assert (
        command.left_program()
        == """\
app.c:6:5: warning[KF112]: this annotation cannot be read: expected '#pragma', not '_Pragma'
    6 |     _Pragma("kfuse(a, b, out(c))")
      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~
app.c:1:1: note[KF114]: none of the files holds a region: they are copied
    1 | #include "vec.h"
      | ^~~~~~~~~~~~~~~~
  help: write `#pragma kfuse(x, y)` before a block of library calls
"""
    )


def test_region_in_the_argument_of_a_macro(command: Command) -> None:
    command.change(
        "app.c",
        """\
#pragma kfuse(a, b, out(c))
    {
        vec_scale(t, a, 2.0f, n);
        vec_add(c, t, b, n);
    }
""",
        """\
    RUN(kfuse(a, b, out(c)) {
        vec_scale(t, a, 2.0f, n);
        vec_add(c, t, b, n);
    });
""",
    )
    command.change(
        "app.c",
        '#include "vec.h"\n\n',
        """\
#include "vec.h"
#define RUN(x) x
#include <kfusion.h>
""",
    )
    assert (
        command.left_program()
        == """\
app.c:7:9: warning[KF115]: a region inside the argument of a macro
    7 |     RUN(kfuse(a, b, out(c)) {
      |         ^~~~~~~~~~~~~~~~~~~
  help: write the region outside the macro's brackets
"""
    )


def test_region_from_a_header(command: Command) -> None:
    command.change(
        "vec.h", "cl_int vec_add(", '#define REGION _Pragma("kfuse(a, b, out(c))")\ncl_int vec_add('
    )
    command.change("app.c", "#pragma kfuse(a, b, out(c))", "REGION")
    assert (
        command.left_program()
        == """\
app.c:6:1: warning[KF112]: '#pragma kfuse(a, b, out(c))' has no effect in a header or macro
    6 | REGION
      | ^~~~~~
  help: write it in the file itself
app.c:1:1: note[KF114]: none of the files holds a region: they are copied
    1 | #include "vec.h"
      | ^~~~~~~~~~~~~~~~
  help: write `#pragma kfuse(x, y)` before a block of library calls
"""
    )


def test_function_that_is_defined_twice(command: Command) -> None:
    command.change(
        "vec.c",
        "size_t vec_bytes(size_t n)\n",
        """\
int vec_add(void) { return 0; }

size_t vec_bytes(size_t n)
""",
    )
    assert (
        command.refused_program()
        == """\
vec.c:38:5: error[KF128]: 'vec_add' is defined twice
   38 | int vec_add(void) { return 0; }
      |     ^~~~~~~
vec.c:30:8: the first definition
   30 | cl_int vec_add(cl_mem c, cl_mem a, cl_mem b, size_t n)
      |        ^~~~~~~
"""
    )


def test_kernel_that_is_defined_twice(command: Command) -> None:
    command.change("vec.cl", "kernel void add", "kernel void scale")
    assert (
        command.refused_program()
        == """\
vec.cl:7:13: error[KF128]: 'scale' is defined twice
    7 | kernel void scale(global float *c, global const float *a, global const float *b)
      |             ^~~~~
vec.cl:1:13: the first definition
    1 | kernel void scale(global float *y, global const float *x, const float factor)
      |             ^~~~~
"""
    )


def test_kernel_that_two_files_define(command: Command) -> None:
    """The region that launches it is left; another one is fused."""
    text = command.read("vec.cl")
    command.write("other.cl", text.partition("\n\n")[0])
    two = "        vec_scale(t, a, 2.0f, n);\n        vec_add(c, t, b, n);\n"
    good = "        vec_add(t, a, b, n);\n        vec_add(c, t, b, n);\n"
    bad = command.read("app.c").partition("int combine")[2]
    command.write("app.c", f"{command.read('app.c')}\nint sum{bad.replace(two, good)}")
    done = command.run("app.c", "vec.c", "vec.cl", "other.cl", "-o", "out", "-v")
    assert (done.returncode, done.stdout) == (0, "app.c:16: 2 kernels become 1 (1 fused)\n")
    assert (
        done.stderr
        == """\
other.cl:1:13: warning[KF128]: kernel 'scale' is defined twice
    1 | kernel void scale(global float *y, global const float *x, const float factor)
      |             ^~~~~
vec.cl:1:13: the other definition
    1 | kernel void scale(global float *y, global const float *x, const float factor)
      |             ^~~~~
"""
    )


def test_unknown_output(command: Command) -> None:
    command.change("app.c", "#pragma kfuse(a, b, out(c))", "#pragma kfuse(a, b, out(z))")
    assert (
        command.left_program()
        == """\
app.c:6:25: warning[KF127]: 'z' is not used in this region, which stays as it is written
    6 | #pragma kfuse(a, b, out(z))
      |                         ^
  help: name a variable that its calls get
"""
    )


def test_unknown_temporary(command: Command) -> None:
    command.change("app.c", "#pragma kfuse(a, b, out(c))", "#pragma kfuse(a, b, temp(z))")
    assert (
        command.left_program()
        == """\
app.c:6:26: warning[KF127]: 'z' is not used in this region, which stays as it is written
    6 | #pragma kfuse(a, b, temp(z))
      |                          ^
  help: name a variable that its calls get
"""
    )


def test_a_name_that_is_misspelt(command: Command) -> None:
    command.change("app.c", "#pragma kfuse(a, b, out(c))", "#pragma kfuse(a, b, out(cc))")
    assert command.left_program().endswith("\n  help: did you mean 'c'?\n")


def test_unknown_name_in_the_list(command: Command) -> None:
    command.change("app.c", "#pragma kfuse(a, b, out(c))", "#pragma kfuse(a, z)")
    assert (
        command.left_program()
        == """\
app.c:6:18: warning[KF127]: 'z' is not used in this region, which stays as it is written
    6 | #pragma kfuse(a, z)
      |                  ^
  help: name a variable that its calls get
"""
    )


def test_output_that_no_kernel_gets(command: Command) -> None:
    command.change("app.c", "#pragma kfuse(a, b, out(c))", "#pragma kfuse(a, b, out(n))")
    assert (
        command.left_program()
        == """\
app.c:6:25: warning[KF127]: out(n): no call of this region gives 'n' to a kernel
    6 | #pragma kfuse(a, b, out(n))
      |                         ^
"""
    )


TABLES = """\
    const struct { cl_mem to, from; } one = {t, a};
    const struct { cl_mem to, left, right; } two = {c, t, b};
#pragma kfuse(a, b, out(c))"""


def in_tables(command: Command) -> None:
    """What the calls get is put into tables before the region."""
    command.change("app.c", "#pragma kfuse(a, b, out(c))", TABLES)
    command.change("app.c", "vec_scale(t, a,", "vec_scale(one.to, one.from,")
    command.change("app.c", "vec_add(c, t, b,", "vec_add(two.to, two.left, two.right,")


def test_names_that_reach_kernels_through_tables(command: Command) -> None:
    in_tables(command)
    done = command.run("app.c", "vec.c", "vec.cl", "-o", "out", "--explain-plan")
    assert (done.returncode, done.stderr) == (0, "")
    assert "app.c:8: kernels 2 -> 1, global loads 3 -> 2, global stores 2 -> 1\n" in done.stdout
    assert "KFUSION_REGION_OUT(combine, c);" in command.read("out/app.c")


def test_a_name_that_is_in_no_table(command: Command) -> None:
    in_tables(command)
    command.change("app.c", "{t, a};", "{t, t};")
    assert (
        command.left_program()
        == """\
app.c:8:15: warning[KF127]: no call of this region gives 'a' to a kernel
    8 | #pragma kfuse(a, b, out(c))
      |               ^
"""
    )


def test_a_region_that_cannot_be_done_does_not_stop_the_others(command: Command) -> None:
    good = command.read("app.c").partition("int combine")[2]
    bad = f"int worse{good}".replace("out(c)", "out(sum)")
    command.write("app.c", f"{command.read('app.c')}\n{bad}")
    done = command.run("app.c", "vec.c", "vec.cl", "-o", "out", "-v")
    assert (done.returncode, done.stdout) == (0, "app.c:6: 2 kernels become 1 (1 fused)\n")
    assert (
        "warning[KF127]: 'sum' is not used in this region, which stays as it is written\n"
        in done.stderr
    )
    assert command.read("out/app.c").endswith(bad)
    assert "KFUSION_REGION(combine" in command.read("out/app.c").replace("_OUT", "")
    assert "KF302" in command.run("app.c", "vec.c", "vec.cl", "-o", "o", "--strict").stderr


def test_region_around_a_list_of_values(command: Command) -> None:
    command.change("app.c", "#pragma kfuse(a, b, out(c))\n", "")
    command.write("app.c", command.read("app.c") + "int x[] =\n#pragma kfuse(a)\n{ 1, 2 };\n")
    said = command.left_program()
    assert "app.c:13:1: warning[KF109]: a region must stand inside a function" in said
