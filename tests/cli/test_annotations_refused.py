"""Annotations that cannot be read, or that stand where they mean nothing."""

# ruff: noqa: E501 - messages are shown as they are

from tests.cli.conftest import Command


def test_region_without_brackets(command: Command) -> None:
    command.change("app.c", "#pragma kfuse(a, b, out(c))", "#pragma kfuse a, b")
    assert (
        command.left_program()
        == """\
app.c:6:1: warning[KF112]: this annotation cannot be read: expected '#pragma kfuse(x, y, out(c))'
    6 | #pragma kfuse a, b
      | ^~~~~~~~~~~~~~~~~~
  help: behind it may stand runs(square(x), add(c, x, y)), harmless(log_line) and require(1)
"""
    )


def test_region_with_an_open_bracket(command: Command) -> None:
    command.change("app.c", "#pragma kfuse(a, b, out(c))", "#pragma kfuse(a, b")
    assert (
        command.left_program()
        == """\
app.c:6:1: warning[KF112]: this annotation cannot be read: expected '#pragma kfuse(x, y, out(c))'
    6 | #pragma kfuse(a, b
      | ^~~~~~~~~~~~~~~~~~
  help: behind it may stand runs(square(x), add(c, x, y)), harmless(log_line) and require(1)
"""
    )


def test_region_without_a_comma(command: Command) -> None:
    command.change("app.c", "#pragma kfuse(a, b, out(c))", "#pragma kfuse(a b)")
    assert (
        command.left_program()
        == """\
app.c:6:17: warning[KF112]: this annotation cannot be read: expected ',' or ')' before 'b'
    6 | #pragma kfuse(a b)
      |                 ^
"""
    )


def test_region_with_a_comma_too_many(command: Command) -> None:
    command.change("app.c", "#pragma kfuse(a, b, out(c))", "#pragma kfuse(a,)")
    assert (
        command.left_program()
        == """\
app.c:6:17: warning[KF112]: this annotation cannot be read: expected a name before ')'
    6 | #pragma kfuse(a,)
      |                 ^
"""
    )


def test_region_with_an_open_role(command: Command) -> None:
    command.change("app.c", "#pragma kfuse(a, b, out(c))", "#pragma kfuse(a, out(c)")
    assert (
        command.left_program()
        == """\
app.c:6:1: warning[KF112]: this annotation cannot be read: expected '#pragma kfuse(x, y, out(c))'
    6 | #pragma kfuse(a, out(c)
      | ^~~~~~~~~~~~~~~~~~~~~~~
  help: behind it may stand runs(square(x), add(c, x, y)), harmless(log_line) and require(1)
"""
    )


def test_region_with_a_role_in_a_role(command: Command) -> None:
    command.change("app.c", "#pragma kfuse(a, b, out(c))", "#pragma kfuse(a, out(temp(c)))")
    assert (
        command.left_program()
        == """\
app.c:6:22: warning[KF112]: 'temp' inside 'out' has no meaning
    6 | #pragma kfuse(a, out(temp(c)))
      |                      ^~~~
"""
    )


def test_region_with_an_empty_role(command: Command) -> None:
    command.change("app.c", "#pragma kfuse(a, b, out(c))", "#pragma kfuse(out())")
    assert (
        command.left_program()
        == """\
app.c:6:19: warning[KF112]: this annotation cannot be read: expected a name before ')'
    6 | #pragma kfuse(out())
      |                   ^
"""
    )


def test_region_with_a_bracket_too_many(command: Command) -> None:
    command.change("app.c", "#pragma kfuse(a, b, out(c))", "#pragma kfuse(a) b)")
    assert (
        command.left_program()
        == """\
app.c:6:1: warning[KF112]: this annotation cannot be read: expected '#pragma kfuse(x, y, out(c))'
    6 | #pragma kfuse(a) b)
      | ^~~~~~~~~~~~~~~~~~~
  help: behind it may stand runs(square(x), add(c, x, y)), harmless(log_line) and require(1)
"""
    )


def test_region_with_an_index(command: Command) -> None:
    command.change("app.c", "#pragma kfuse(a, b, out(c))", "#pragma kfuse(a[i])")
    assert (
        command.left_program()
        == """\
app.c:6:16: warning[KF112]: this annotation cannot be read: expected ',' or ')' before '['
    6 | #pragma kfuse(a[i])
      |                ^
"""
    )


def test_region_with_two_roles_of_a_name(command: Command) -> None:
    command.change("app.c", "#pragma kfuse(a, b, out(c))", "#pragma kfuse(out(c), temp(c))")
    assert (
        command.left_program()
        == """\
app.c:6:28: warning[KF112]: 'c' cannot be both out and temp
    6 | #pragma kfuse(out(c), temp(c))
      |                            ^
app.c:6:19: out here
    6 | #pragma kfuse(out(c), temp(c))
      |                   ^
"""
    )


def test_region_with_a_role_without_brackets(command: Command) -> None:
    command.change("app.c", "#pragma kfuse(a, b, out(c))", "#pragma kfuse(out c)")
    assert (
        command.left_program()
        == """\
app.c:6:19: warning[KF112]: this annotation cannot be read: expected ',' or ')' before 'c'
    6 | #pragma kfuse(out c)
      |                   ^
"""
    )


def test_region_without_a_comma_before_a_role(command: Command) -> None:
    command.change("app.c", "#pragma kfuse(a, b, out(c))", "#pragma kfuse(a out(c))")
    assert (
        command.left_program()
        == """\
app.c:6:17: warning[KF112]: this annotation cannot be read: expected ',' before 'out'
    6 | #pragma kfuse(a out(c))
      |                 ^~~
"""
    )


def test_region_with_a_number(command: Command) -> None:
    command.change("app.c", "#pragma kfuse(a, b, out(c))", "#pragma kfuse(3)")
    assert (
        command.left_program()
        == """\
app.c:6:15: warning[KF112]: this annotation cannot be read: expected a name before '3'
    6 | #pragma kfuse(3)
      |               ^
"""
    )


def test_region_without_anything(command: Command) -> None:
    command.change("app.c", "#pragma kfuse(a, b, out(c))", "kfuse")
    assert (
        command.refused_program()
        == """\
app.c:6:1: error[KF112]: this annotation cannot be read: expected 'kfuse(x, y, out(c)) { ... }'
    6 | kfuse
      | ^~~~~
"""
    )


def test_region_in_the_thesis_form_with_an_open_bracket(command: Command) -> None:
    command.change("app.c", "#pragma kfuse(a, b, out(c))", "kfuse(a")
    assert (
        command.refused_program()
        == """\
app.c:6:1: error[KF112]: this annotation cannot be read: expected 'kfuse(x, y, out(c)) { ... }'
    6 | kfuse(a
      | ^~~~~
"""
    )


def test_sync_without_direction(command: Command) -> None:
    command.change("vec.c", "cl_int vec_add(", "#pragma sync\ncl_int vec_add(")
    assert (
        command.refused_program()
        == """\
vec.c:30:1: error[KF112]: this annotation cannot be read: expected '#pragma sync in', '#pragma sync out' or '#pragma sync in(x) out(y)'
   30 | #pragma sync
      | ^~~~~~~~~~~~
"""
    )


def test_sync_with_an_unknown_direction(command: Command) -> None:
    command.change("vec.c", "cl_int vec_add(", "#pragma sync on\ncl_int vec_add(")
    assert (
        command.refused_program()
        == """\
vec.c:30:1: error[KF112]: this annotation cannot be read: expected '#pragma sync in', '#pragma sync out' or '#pragma sync in(x) out(y)'
   30 | #pragma sync on
      | ^~~~~~~~~~~~~~~
"""
    )


def test_sync_with_an_open_bracket(command: Command) -> None:
    command.change("vec.c", "cl_int vec_add(", "#pragma sync in(a) out(\ncl_int vec_add(")
    assert (
        command.refused_program()
        == """\
vec.c:30:1: error[KF112]: this annotation cannot be read: expected '#pragma sync in', '#pragma sync out' or '#pragma sync in(x) out(y)'
   30 | #pragma sync in(a) out(
      | ^~~~~~~~~~~~~~~~~~~~~~~
"""
    )


def test_sync_without_a_comma(command: Command) -> None:
    command.change("vec.c", "cl_int vec_add(", "#pragma sync in(a b)\ncl_int vec_add(")
    assert (
        command.refused_program()
        == """\
vec.c:30:1: error[KF112]: this annotation cannot be read: expected '#pragma sync in', '#pragma sync out' or '#pragma sync in(x) out(y)'
   30 | #pragma sync in(a b)
      | ^~~~~~~~~~~~~~~~~~~~
"""
    )


def test_sync_without_names(command: Command) -> None:
    command.change("vec.c", "cl_int vec_add(", "#pragma sync in()\ncl_int vec_add(")
    assert (
        command.refused_program()
        == """\
vec.c:30:1: error[KF112]: this annotation cannot be read: expected '#pragma sync in', '#pragma sync out' or '#pragma sync in(x) out(y)'
   30 | #pragma sync in()
      | ^~~~~~~~~~~~~~~~~
"""
    )


def test_sync_with_a_comma(command: Command) -> None:
    command.change("vec.c", "cl_int vec_add(", "#pragma sync in, out\ncl_int vec_add(")
    assert (
        command.refused_program()
        == """\
vec.c:30:1: error[KF112]: this annotation cannot be read: expected '#pragma sync in', '#pragma sync out' or '#pragma sync in(x) out(y)'
   30 | #pragma sync in, out
      | ^~~~~~~~~~~~~~~~~~~~
"""
    )


def test_sync_of_an_unknown_parameter(command: Command) -> None:
    command.change("vec.c", "cl_int vec_add(", "#pragma sync in(z)\ncl_int vec_add(")
    assert (
        command.refused_program()
        == """\
vec.c:30:1: error[KF127]: 'z' is not a parameter of 'vec_add'
   30 | #pragma sync in(z)
      | ^~~~~~~~~~~~~~~~~~
  help: its parameters are 'c', 'a', 'b', 'n'
"""
    )


def test_sync_in_a_function(command: Command) -> None:
    command.change("vec.c", "    return n * sizeof", "#pragma sync in\n    return n * sizeof")
    assert (
        command.refused_program()
        == """\
vec.c:40:1: error[KF112]: a sync annotation must stand before a function
   40 | #pragma sync in
      | ^~~~~~~~~~~~~~~
"""
    )


def test_sync_before_a_variable(command: Command) -> None:
    command.change(
        "vec.c", "static cl_kernel add_kernel", "#pragma sync in\nstatic cl_kernel add_kernel"
    )
    assert (
        command.refused_program()
        == """\
vec.c:6:1: error[KF112]: a sync annotation must stand before a function
    6 | #pragma sync in
      | ^~~~~~~~~~~~~~~
"""
    )


def test_sync_at_the_end_of_a_file(command: Command) -> None:
    command.change(
        "vec.c",
        "    return n * sizeof(cl_float);\n}",
        """\
    return n * sizeof(cl_float);
}
#pragma sync in""",
    )
    assert (
        command.refused_program()
        == """\
vec.c:42:1: error[KF112]: a sync annotation must stand before a function
   42 | #pragma sync in
      | ^~~~~~~~~~~~~~~
"""
    )


def test_sync_in_a_kernel_file(command: Command) -> None:
    command.change("vec.cl", "kernel void add", "#pragma sync in\nkernel void add")
    assert (
        command.refused_program()
        == """\
vec.cl:7:1: error[KF112]: a sync annotation belongs before a library function
    7 | #pragma sync in
      | ^~~~~~~~~~~~~~~
"""
    )


def test_sync_in_a_header(command: Command) -> None:
    command.change("vec.h", "cl_int vec_add(", "#pragma sync in\ncl_int vec_add(")
    assert (
        command.refused_program()
        == """\
vec.h:9:1: error[KF112]: '#pragma sync in' has no effect in a header or macro
    9 | #pragma sync in
      | ^~~~~~~~~~~~~~~
  help: write it in the C file, before the function's definition
"""
    )


def test_kload_with_an_open_bracket(command: Command) -> None:
    command.change("vec.cl", "    c[i] = ", "#pragma kload(\n    c[i] = ")
    assert (
        command.refused_program()
        == """\
vec.cl:10:1: error[KF112]: this annotation cannot be read: expected '#pragma kload' or '#pragma kload(x)'
   10 | #pragma kload(
      | ^~~~~~~~~~~~~~
"""
    )


def test_kload_without_names(command: Command) -> None:
    command.change("vec.cl", "    c[i] = ", "#pragma kload()\n    c[i] = ")
    assert (
        command.refused_program()
        == """\
vec.cl:10:1: error[KF112]: this annotation cannot be read: expected '#pragma kload' or '#pragma kload(x)'
   10 | #pragma kload()
      | ^~~~~~~~~~~~~~~
"""
    )


def test_kload_without_a_comma(command: Command) -> None:
    command.change("vec.cl", "    c[i] = ", "#pragma kload(a b)\n    c[i] = ")
    assert (
        command.refused_program()
        == """\
vec.cl:10:1: error[KF112]: this annotation cannot be read: expected '#pragma kload' or '#pragma kload(x)'
   10 | #pragma kload(a b)
      | ^~~~~~~~~~~~~~~~~~
"""
    )


def test_immovable_with_names(command: Command) -> None:
    command.change("vec.cl", "    c[i] = ", "#pragma immovable(a)\n    c[i] = ")
    assert (
        command.refused_program()
        == """\
vec.cl:10:1: error[KF112]: this annotation cannot be read: expected '#pragma immovable'
   10 | #pragma immovable(a)
      | ^~~~~~~~~~~~~~~~~~~~
"""
    )


def test_kstore_without_brackets(command: Command) -> None:
    command.change("vec.cl", "    c[i] = ", "#pragma kstore x\n    c[i] = ")
    assert (
        command.refused_program()
        == """\
vec.cl:10:1: error[KF112]: this annotation cannot be read: expected '#pragma kstore' or '#pragma kstore(x)'
   10 | #pragma kstore x
      | ^~~~~~~~~~~~~~~~
"""
    )


def test_kload_that_is_not_closed(command: Command) -> None:
    command.change("vec.cl", "    c[i] = ", "kload {\n    c[i] = ")
    assert (
        command.refused_program()
        == """\
vec.cl:8:1: error[KF104]: syntax error: this '{' is not closed: expected '}' before the end of the file
    8 | {
      | ^
"""
    )


def test_kload_outside_a_kernel(command: Command) -> None:
    command.change("vec.cl", "kernel void add", "#pragma kload\nkernel void add")
    assert (
        command.refused_program()
        == """\
vec.cl:7:1: error[KF112]: 'kload' belongs into the body of a kernel
    7 | #pragma kload
      | ^~~~~~~~~~~~~
"""
    )


def test_kload_in_a_host(command: Command) -> None:
    command.change("vec.c", "    return n * sizeof", "#pragma kload\n    return n * sizeof")
    assert (
        command.refused_program()
        == """\
vec.c:40:1: error[KF112]: 'kload' belongs into the body of a kernel
   40 | #pragma kload
      | ^~~~~~~~~~~~~
"""
    )
