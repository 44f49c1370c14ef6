"""Syntax errors in each kind of file: where they are, and what was expected."""

# ruff: noqa: E501 - messages are shown as they are

from tests.cli.conftest import Command


def test_missing_semicolon_in_an_application(command: Command) -> None:
    command.change("app.c", "t, a, 2.0f, n);", "t, a, 2.0f, n)")
    assert (
        command.refused_program()
        == """\
app.c:9:9: error[KF104]: syntax error before 'vec_add'
    9 |         vec_add(c, t, b, n);
      |         ^~~~~~~
  help: is a ';' missing after ')'?
"""
    )


def test_missing_semicolon_at_the_end_of_a_block(command: Command) -> None:
    command.change("app.c", "    return 0;", "    return 0")
    assert (
        command.refused_program()
        == """\
app.c:12:1: error[KF104]: syntax error before '}'
   12 | }
      | ^
  help: is a ';' missing after '0'?
"""
    )


def test_bracket_that_is_not_closed_before_a_body(command: Command) -> None:
    command.change("vec.cl", "const float factor)", "const float factor")
    assert command.refused_program().endswith("  help: is a ')' missing after 'factor'?\n")


def test_keyword_without_its_bracket(command: Command) -> None:
    command.change("app.c", "    return 0;", "    if n > 0) return 0;")
    assert command.refused_program().endswith("  help: is a '(' missing after 'if'?\n")


def test_unknown_type_in_an_application(command: Command) -> None:
    command.change("app.c", "int combine(cl_mem c", "int combine(cl_memory c")
    assert (
        command.refused_program()
        == """\
app.c:4:23: error[KF104]: syntax error before 'c'
    4 | int combine(cl_memory c, cl_mem a, cl_mem b, cl_mem t, size_t n)
      |                       ^
  help: is 'cl_memory' a type? nothing declares it
"""
    )


def test_missing_expression(command: Command) -> None:
    command.change("app.c", "    return 0;", "    int x = ;")
    assert (
        command.refused_program()
        == """\
app.c:11:13: error[KF104]: syntax error before ';'
   11 |     int x = ;
      |             ^
  help: ';' cannot follow '=' here
"""
    )


def test_digraph(command: Command) -> None:
    command.change("app.c", "    return 0;", "    int x<:2:>; return 0;")
    assert (
        command.refused_program()
        == """\
app.c:11:10: error[KF104]: syntax error before '<'
   11 |     int x<:2:>; return 0;
      |          ^
  help: kfusion does not read digraphs: write '[' for '<:'
"""
    )


def test_missing_semicolon_in_a_library(command: Command) -> None:
    command.change("vec.c", "    cl_int status;\n", "    cl_int status\n")
    assert (
        command.refused_program()
        == """\
vec.c:12:5: error[KF104]: syntax error before 'queue'
   12 |     queue = clCreateCommandQueue(context, device, 0, &status);
      |     ^~~~~
  help: is a ';' missing after 'status'?
"""
    )


def test_missing_bracket_in_a_library(command: Command) -> None:
    command.change(
        "vec.c",
        'clCreateKernel(program, "add", &status);',
        'clCreateKernel(program, "add", &status;',
    )
    assert (
        command.refused_program()
        == """\
vec.c:16:56: error[KF104]: syntax error before ';'
   16 |     add_kernel = clCreateKernel(program, "add", &status;
      |                                                        ^
  help: is a ')' missing after 'status'?
"""
    )


def test_brace_that_is_not_closed(command: Command) -> None:
    command.change(
        "vec.c", "    return n * sizeof(cl_float);\n}", "    return n * sizeof(cl_float);\n"
    )
    assert (
        command.refused_program()
        == """\
vec.c:39:1: error[KF104]: syntax error: this '{' is not closed: expected '}' before the end of the file
   39 | {
      | ^
"""
    )


def test_brace_too_many(command: Command) -> None:
    command.change(
        "vec.c", "    return n * sizeof(cl_float);\n}", "    return n * sizeof(cl_float);\n}}"
    )
    assert (
        command.refused_program()
        == """\
vec.c:41:2: error[KF104]: syntax error before '}'
   41 | }}
      |  ^
  help: '}' cannot follow '}' here
"""
    )


def test_syntax_error_in_a_kernel(command: Command) -> None:
    command.change("vec.cl", "y[i] = factor * x[i];", "y[i] = factor * * ;")
    assert (
        command.refused_program()
        == """\
vec.cl:4:23: error[KF104]: syntax error before ';'
    4 |     y[i] = factor * * ;
      |                       ^
  help: ';' cannot follow '*' here
"""
    )


def test_typeof_in_a_kernel(command: Command) -> None:
    command.change("vec.cl", "c[i] = a[i] + b[i];", "__typeof__(n) m = n; c[i] = a[i] + b[i];")
    assert "help: kfusion does not read '__typeof__' here: write the type" in (
        command.refused_program()
    )


def test_unknown_type_in_a_kernel(command: Command) -> None:
    command.change("vec.cl", "global float *y,", "global flaot *y,")
    assert (
        command.refused_program()
        == """\
vec.cl:1:32: error[KF104]: syntax error before '*'
    1 | kernel void scale(global flaot *y, global const float *x, const float factor)
      |                                ^
  help: is 'flaot' a type? nothing declares it; if the build options do, say it with -D NAME=TYPE
"""
    )


def test_kernel_that_is_not_closed(command: Command) -> None:
    command.change("vec.cl", "c[i] = a[i] + b[i];\n}", "c[i] = a[i] + b[i];\n")
    assert (
        command.refused_program()
        == """\
vec.cl:8:1: error[KF104]: syntax error: this '{' is not closed: expected '}' before the end of the file
    8 | {
      | ^
"""
    )


def test_syntax_error_in_a_header(command: Command) -> None:
    command.change("vec.h", "size_t vec_bytes(size_t n);", "size_t vec_bytes(size_t n;")
    assert (
        command.refused_program()
        == """\
vec.h:10:26: error[KF104]: syntax error before ';'
   10 | size_t vec_bytes(size_t n;
      |                          ^
  help: is a ')' missing after 'n'?
"""
    )


def test_second_occurrence_of_a_word_on_a_line_of_a_header(command: Command) -> None:
    command.change(
        "vec.h",
        "cl_int vec_add(cl_mem c, cl_mem a, cl_mem b, size_t n);",
        "cl_int vec_add(cl_mem c, cl_mem a cl_mem b, size_t n);",
    )
    assert (
        command.refused_program()
        == """\
vec.h:9:35: error[KF104]: syntax error before 'cl_mem'
    9 | cl_int vec_add(cl_mem c, cl_mem a cl_mem b, size_t n);
      |                                   ^~~~~~
  help: is 'a' a type? nothing declares it
"""
    )


def test_syntax_error_in_a_header_of_kernels(command: Command) -> None:
    command.change(
        "vec.cl",
        "kernel void scale(",
        """\
#include "twice.h"

kernel void scale(""",
    )
    command.write(
        "twice.h",
        """\
inline float twice(float x)
{
    return 2 * x
}
""",
    )
    assert (
        command.refused_program()
        == """\
twice.h:4:1: error[KF104]: syntax error before '}'
    4 | }
      | ^
  help: is a ';' missing after 'x'?
"""
    )


def test_syntax_error_in_the_argument_of_a_macro(command: Command) -> None:
    command.change(
        "vec.c",
        '#include "vec.h"\n',
        """\
#include "vec.h"

#define CHECK(call) do { if (call) return -1; } while (0)
""",
    )
    command.change(
        "vec.c",
        "    clSetKernelArg(add_kernel, 1, sizeof a, &a);",
        "    CHECK(clSetKernelArg(add_kernel, 1 sizeof a, &a));",
    )
    assert (
        command.refused_program()
        == """\
vec.c:35:40: error[KF104]: syntax error before 'sizeof'
   35 |     CHECK(clSetKernelArg(add_kernel, 1 sizeof a, &a));
      |                                        ^~~~~~
  help: 'sizeof' cannot follow '1' here
"""
    )


def test_syntax_error_in_the_body_of_a_macro(command: Command) -> None:
    command.change(
        "vec.c",
        '#include "vec.h"\n',
        """\
#include "vec.h"

#define CHECK(call) do { if call return -1; } while (0)
""",
    )
    command.change(
        "vec.c",
        "    clSetKernelArg(add_kernel, 1, sizeof a, &a);",
        "    CHECK(clSetKernelArg(add_kernel, 1, sizeof a, &a));",
    )
    assert (
        command.refused_program()
        == """\
vec.c:35:11: error[KF104]: syntax error before 'clSetKernelArg'
   35 |     CHECK(clSetKernelArg(add_kernel, 1, sizeof a, &a));
      |           ^~~~~~~~~~~~~~
  help: is a '(' missing after 'if'?
"""
    )


def test_comment_that_is_not_closed(command: Command) -> None:
    command.change("vec.c", "/* c = a + b */", "/* c = a + b")
    assert (
        command.refused_program()
        == """\
vec.c:29:1: error[KF107]: preprocessing failed: unterminated comment
   29 | /* c = a + b
      | ^~~~~~~~~~~~
"""
    )


def test_string_that_is_not_closed(command: Command) -> None:
    command.change("vec.c", '"add"', '"add')
    assert (
        command.refused_program()
        == """\
vec.c:16:42: error[KF104]: syntax error: this literal is not closed on its line
   16 |     add_kernel = clCreateKernel(program, "add, &status);
      |                                          ^
"""
    )


def test_macro_call_that_is_not_closed(command: Command) -> None:
    command.change("vec.c", '#include "vec.h"', '#include "vec.h"\n#define CHECK(x) x')
    command.change(
        "vec.c", "    return n * sizeof(cl_float);", "    CHECK(return n * sizeof(cl_float);"
    )
    assert (
        command.refused_program()
        == """\
vec.c:41:5: error[KF104]: syntax error: the call of macro 'CHECK' is not closed
   41 |     CHECK(return n * sizeof(cl_float);
      |     ^~~~~
  help: expected ')'
"""
    )


def test_illegal_character(command: Command) -> None:
    command.change("app.c", "/* c = 2", "int été;\n/* c = 2")
    assert (
        command.refused_program()
        == """\
app.c:3:5: error[KF104]: syntax error: illegal character 'é'
    3 | int été;
      |     ^
  help: kfusion reads names of A-Z, a-z, 0-9 and _ only
"""
    )


def test_nothing_but_closing_brackets(command: Command) -> None:
    command.write("vec.c", ")]}\n")
    assert (
        command.refused_program()
        == """\
vec.c:1:1: error[KF104]: syntax error before ')'
    1 | )]}
      | ^
"""
    )


def test_error_directive(command: Command) -> None:
    command.change("vec.c", "static cl_program", "\t#error wrong configuration\nstatic cl_program")
    assert (
        command.refused_program()
        == """\
vec.c:4:2: error[KF107]: preprocessing failed: #error wrong configuration
    4 |     #error wrong configuration
      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~
"""
    )


def test_condition_that_cannot_be_read(command: Command) -> None:
    command.change("vec.c", "static cl_program", "#if (\nstatic cl_program")
    assert (
        command.refused_program()
        == """\
vec.c:4:5: error[KF107]: preprocessing failed: missing ')' in expression
    4 | #if (
      |     ^
"""
    )


def test_condition_that_is_not_closed(command: Command) -> None:
    command.change("vec.c", "static cl_program", "#if 1\nstatic cl_program")
    assert (
        command.refused_program()
        == """\
vec.c:4:1: error[KF107]: preprocessing failed: unterminated #if
    4 | #if 1
      | ^~~~~
"""
    )


def test_unknown_directive(command: Command) -> None:
    command.change("vec.c", "static cl_program", "#foo\nstatic cl_program")
    assert (
        command.refused_program()
        == """\
vec.c:4:2: error[KF107]: preprocessing failed: invalid preprocessing directive #foo
    4 | #foo
      |  ^~~
"""
    )


def test_error_directive_in_a_header(command: Command) -> None:
    command.change("vec.h", "#include <CL/cl.h>", "#error not for you\n#include <CL/cl.h>")
    assert (
        command.refused_program()
        == """\
vec.h:5:2: error[KF107]: preprocessing failed: #error not for you
    5 | #error not for you
      |  ^~~~~~~~~~~~~~~~~
"""
    )


def test_body_that_is_not_closed_before_the_next_one(command: Command) -> None:
    text = command.read("vec.cl")
    first = text.index("}")
    command.write("vec.cl", text[:first] + text[first + 1 :])
    said = command.refused_program()
    assert said.endswith("  help: is a ';' missing after ')', or a '}' before it?\n")
