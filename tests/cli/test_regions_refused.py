"""Regions that cannot be understood, and calls in them that lead to no kernel."""

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
        "app.c", "    {\n        vec_scale(t, a, 2.0f, n);", "        vec_scale(t, a, 2.0f, n);"
    )
    assert (
        command.refused_program()
        == """\
app.c:6:1: error[KF109]: a region must be followed by a block: expected '{'
    6 | #pragma kfuse(a, b, out(c))
      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~
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
        command.refused_program()
        == """\
app.c:9:1: error[KF110]: regions cannot be nested
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
        command.refused_program()
        == """\
app.c:9:9: error[KF110]: regions cannot be nested
    9 |         kfuse(c) {
      |         ^~~~~~~~
app.c:6:1: the outer region
    6 | #pragma kfuse(a, b, out(c))
      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~
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
        command.refused_program()
        == """\
app.c:2:16: error[KF115]: a region inside a macro
    2 | #define REGION _Pragma("kfuse(a, b, out(c))")
      |                ^~~~~~~~~~~~~~
  help: write the region where the macro is used
"""
    )


def test_region_by_the_pragma_operator(command: Command) -> None:
    command.change("app.c", "#pragma kfuse(a, b, out(c))", '    _Pragma("kfuse(a, b, out(c))")')
    assert (
        command.refused_program()
        == """\
app.c:6:5: error[KF112]: this annotation cannot be read: expected '#pragma', not '_Pragma'
    6 |     _Pragma("kfuse(a, b, out(c))")
      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~
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
        '#include "vec.h"\n',
        """\
#include "vec.h"
#define RUN(x) x
""",
    )
    assert (
        command.refused_program()
        == """\
app.c:7:9: error[KF115]: a region inside the argument of a macro
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
        command.refused_program()
        == """\
app.c:6:1: error[KF112]: '#pragma kfuse(a, b, out(c))' has no effect in a header or macro
    6 | REGION
      | ^~~~~~
  help: write it in the file itself
"""
    )


def test_condition_in_a_region(command: Command) -> None:
    command.change(
        "app.c",
        "        vec_add(c, t, b, n);\n",
        """\
#ifdef ADD
        vec_add(c, t, b, n);
#endif
""",
    )
    assert (
        command.refused_program()
        == """\
app.c:9:1: error[KF115]: preprocessor lines inside a region are not supported
    9 | #ifdef ADD
      | ^~~~~~~~~~
  help: put the line before the region, or write two regions
"""
    )


def test_definition_in_a_region(command: Command) -> None:
    command.change(
        "app.c",
        "        vec_add(c, t, b, n);\n",
        """\
  # define X 1 // c
        vec_add(c, t, b, n);
""",
    )
    assert (
        command.refused_program()
        == """\
app.c:9:3: error[KF115]: preprocessor lines inside a region are not supported
    9 |   # define X 1 // c
      |   ^~~~~~~~~~~~
  help: put the line before the region, or write two regions
"""
    )


def test_unknown_function(command: Command) -> None:
    command.change(
        "app.c",
        "        vec_add(c, t, b, n);\n",
        """\
        vec_add(c, t, b, n);
        vec_sub(c, t, b, n);
""",
    )
    assert (
        command.refused_program()
        == """\
app.c:10:9: error[KF121]: unknown function 'vec_sub' in a region
   10 |         vec_sub(c, t, b, n);
      |         ^~~~~~~
  help: give kfusion the file that defines it
"""
    )


def test_function_that_launches_no_kernel(command: Command) -> None:
    command.change(
        "app.c",
        "        vec_add(c, t, b, n);\n",
        """\
        vec_add(c, t, b, n);
        vec_bytes(n);
""",
    )
    assert (
        command.refused_program()
        == """\
app.c:10:9: error[KF122]: 'vec_bytes' launches no kernel
   10 |         vec_bytes(n);
      |         ^~~~~~~~~
vec.c:38:8: it is defined here
   38 | size_t vec_bytes(size_t n)
      |        ^~~~~~~~~
  help: move the call out of the region
"""
    )


def test_function_that_two_files_define(command: Command) -> None:
    command.write("other.c", command.read("vec.c"))
    assert (
        command.refused("app.c", "vec.c", "other.c", "vec.cl", "-o", "out")
        == """\
other.c:30:8: error[KF128]: 'vec_add' is defined in two files
   30 | cl_int vec_add(cl_mem c, cl_mem a, cl_mem b, size_t n)
      |        ^~~~~~~
vec.c:30:8: the other definition
   30 | cl_int vec_add(cl_mem c, cl_mem a, cl_mem b, size_t n)
      |        ^~~~~~~
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


def test_kernel_that_no_file_defines(command: Command) -> None:
    command.change("vec.cl", "void add(", "void plus(")
    assert (
        command.refused_program()
        == """\
vec.c:35:12: error[KF123]: no kernel file defines kernel 'add'
   35 |     return clEnqueueNDRangeKernel(queue, add_kernel, 1, NULL, &n, NULL, 0, NULL, NULL);
      |            ^~~~~~~~~~~~~~~~~~~~~~
app.c:9:9: called from here
    9 |         vec_add(c, t, b, n);
      |         ^~~~~~~~~~~~~~~~~~~
  help: give kfusion the .cl file that holds it
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
    command.write("other.cl", command.read("vec.cl"))
    assert (
        command.refused("app.c", "vec.c", "vec.cl", "other.cl", "-o", "out")
        == """\
other.cl:1:13: error[KF128]: kernel 'scale' is defined twice
    1 | kernel void scale(global float *y, global const float *x, const float factor)
      |             ^~~~~
vec.cl:1:13: the other definition
    1 | kernel void scale(global float *y, global const float *x, const float factor)
      |             ^~~~~
"""
    )


def test_handle_that_is_never_made(command: Command) -> None:
    command.change("vec.c", '    add_kernel = clCreateKernel(program, "add", &status);\n', "")
    assert (
        command.refused_program()
        == """\
vec.c:34:12: error[KF124]: no clCreateKernel call gives the kernel handle of 'vec_add'
   34 |     return clEnqueueNDRangeKernel(queue, add_kernel, 1, NULL, &n, NULL, 0, NULL, NULL);
      |            ^~~~~~~~~~~~~~~~~~~~~~
app.c:9:9: called from here
    9 |         vec_add(c, t, b, n);
      |         ^~~~~~~~~~~~~~~~~~~
  help: kfusion follows handles in variables, struct members and arrays that are filled by clCreateKernel with constant names
"""
    )


def test_handle_that_may_be_one_of_two(command: Command) -> None:
    command.change(
        "vec.c",
        "clEnqueueNDRangeKernel(queue, add_kernel,",
        "clEnqueueNDRangeKernel(queue, n > 9 ? add_kernel : scale_kernel,",
    )
    assert (
        command.refused_program()
        == """\
vec.c:35:12: error[KF124]: this launch may use one of several kernels: add, scale
   35 |     return clEnqueueNDRangeKernel(queue, n > 9 ? add_kernel : scale_kernel, 1, NULL, &n, NULL, 0, NULL, NULL);
      |            ^~~~~~~~~~~~~~~~~~~~~~
app.c:9:9: called from here
    9 |         vec_add(c, t, b, n);
      |         ^~~~~~~~~~~~~~~~~~~
  help: kfusion follows handles in variables, struct members and arrays that are filled by clCreateKernel with constant names
"""
    )


def test_handle_whose_name_is_computed(command: Command) -> None:
    command.change(
        "vec.c",
        'clCreateKernel(program, "add", &status);',
        "clCreateKernel(program, name_of(1), &status);",
    )
    assert (
        command.refused_program()
        == """\
vec.c:35:12: error[KF124]: no clCreateKernel call gives the kernel handle of 'vec_add'
   35 |     return clEnqueueNDRangeKernel(queue, add_kernel, 1, NULL, &n, NULL, 0, NULL, NULL);
      |            ^~~~~~~~~~~~~~~~~~~~~~
app.c:9:9: called from here
    9 |         vec_add(c, t, b, n);
      |         ^~~~~~~~~~~~~~~~~~~
  help: kfusion follows handles in variables, struct members and arrays that are filled by clCreateKernel with constant names
"""
    )


def test_more_arguments_than_parameters(command: Command) -> None:
    command.change(
        "vec.cl", "global const float *a, global const float *b)", "global const float *a)"
    )
    assert (
        command.refused_program()
        == """\
vec.c:34:5: error[KF125]: argument 2 is set, but kernel 'add' has 2 parameters
   34 |     clSetKernelArg(add_kernel, 2, sizeof b, &b);
      |     ^~~~~~~~~~~~~~
vec.cl:7:13: the kernel
    7 | kernel void add(global float *c, global const float *a)
      |             ^~~
"""
    )


def test_call_with_too_few_arguments(command: Command) -> None:
    command.change("app.c", "vec_add(c, t, b, n)", "vec_add(c, t, b)")
    assert (
        command.refused_program()
        == """\
app.c:9:9: error[KF125]: 'vec_add' takes 4 arguments, 3 are given
    9 |         vec_add(c, t, b);
      |         ^~~~~~~~~~~~~~~~
"""
    )


def test_call_with_too_many_arguments(command: Command) -> None:
    command.change("app.c", "vec_add(c, t, b, n)", "vec_add(c, t, b, n, n)")
    assert (
        command.refused_program()
        == """\
app.c:9:9: error[KF125]: 'vec_add' takes 4 arguments, 5 are given
    9 |         vec_add(c, t, b, n, n);
      |         ^~~~~~~~~~~~~~~~~~~~~~
"""
    )


def test_increment_in_an_argument(command: Command) -> None:
    command.change("app.c", "vec_add(c, t, b, n);", "vec_add(c, t, b, n++);")
    assert (
        command.refused_program()
        == """\
app.c:9:26: error[KF126]: the argument 'n++' has a side effect
    9 |         vec_add(c, t, b, n++);
      |                          ^~~
  help: compute it into a variable before the region
"""
    )


def test_call_in_an_argument(command: Command) -> None:
    command.change("app.c", "vec_add(c, t, b, n);", "vec_add(c, t, b, vec_bytes(n));")
    assert (
        command.refused_program()
        == """\
app.c:9:26: error[KF126]: the argument 'vec_bytes(n)' calls a function, which may have a side effect
    9 |         vec_add(c, t, b, vec_bytes(n));
      |                          ^~~~~~~~~~~~
  help: compute it into a variable before the region
"""
    )


def test_assignment_in_an_argument(command: Command) -> None:
    command.change("app.c", "vec_add(c, t, b, n);", "vec_add(c, t = a, b, n);")
    assert (
        command.refused_program()
        == """\
app.c:9:20: error[KF126]: the argument 't = a' has a side effect
    9 |         vec_add(c, t = a, b, n);
      |                    ^~~~~
  help: compute it into a variable before the region
"""
    )


def test_unknown_output(command: Command) -> None:
    command.change("app.c", "#pragma kfuse(a, b, out(c))", "#pragma kfuse(a, b, out(z))")
    assert (
        command.refused_program()
        == """\
app.c:6:25: error[KF127]: 'z' is not used in this region
    6 | #pragma kfuse(a, b, out(z))
      |                         ^
  help: name a variable that the region's calls get
"""
    )


def test_unknown_temporary(command: Command) -> None:
    command.change("app.c", "#pragma kfuse(a, b, out(c))", "#pragma kfuse(a, b, temp(z))")
    assert (
        command.refused_program()
        == """\
app.c:6:26: error[KF127]: 'z' is not used in this region
    6 | #pragma kfuse(a, b, temp(z))
      |                          ^
  help: name a variable that the region's calls get
"""
    )


def test_unknown_name_in_the_list(command: Command) -> None:
    command.change("app.c", "#pragma kfuse(a, b, out(c))", "#pragma kfuse(a, z)")
    assert (
        command.refused_program()
        == """\
app.c:6:18: error[KF127]: 'z' is not used in this region
    6 | #pragma kfuse(a, z)
      |                  ^
  help: name a variable that the region's calls get
"""
    )


def test_output_that_no_kernel_gets(command: Command) -> None:
    command.change("app.c", "#pragma kfuse(a, b, out(c))", "#pragma kfuse(a, b, out(n))")
    assert (
        command.refused_program()
        == """\
app.c:6:25: error[KF127]: out(n): no call of this region gives 'n' to a kernel
    6 | #pragma kfuse(a, b, out(n))
      |                         ^
"""
    )
