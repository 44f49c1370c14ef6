"""Annotations that the code contradicts: both places are shown."""

import pytest

from tests.cli.conftest import Command


def test_store_in_kload(command: Command) -> None:
    command.change("vec.cl", "    c[i] = a[i] + b[i];", "    kload { c[i] = a[i] + b[i]; }")
    assert (
        command.refused_program(status=1)
        == """\
vec.cl:10:13: error[KF301]: a store to global memory ('c') inside kload
   10 |     kload { c[i] = a[i] + b[i]; }
      |             ^~~~
vec.cl:10:5: the kload is here
   10 |     kload { c[i] = a[i] + b[i]; }
      |     ^~~~~
  help: kload is for loads; put the store into kstore
"""
    )


def test_store_outside_kstore(command: Command) -> None:
    command.change(
        "vec.cl", "    c[i] = a[i] + b[i];", "    c[i] = a[i];\n    kstore { c[i] = a[i] + b[i]; }"
    )
    assert (
        command.refused_program(status=1)
        == """\
vec.cl:10:5: error[KF301]: a store to global memory ('c') outside kstore
   10 |     c[i] = a[i];
      |     ^~~~
vec.cl:11:5: the kernel has its kstore here
   11 |     kstore { c[i] = a[i] + b[i]; }
      |     ^~~~~~
  help: move the store into kstore, or remove the annotation
"""
    )


def test_store_outside_a_pragma_kstore(command: Command) -> None:
    command.change(
        "vec.cl",
        "    c[i] = a[i] + b[i];",
        """\
#pragma kcore
    c[i] = a[i];
#pragma kstore
    c[i] += b[i];""",
    )
    assert (
        command.refused_program(status=1)
        == """\
vec.cl:11:5: error[KF301]: a store to global memory ('c') outside kstore
   11 |     c[i] = a[i];
      |     ^~~~
vec.cl:12:1: the kernel has its kstore here
   12 | #pragma kstore
      | ^~~~~~~~~~~~~~
  help: move the store into kstore, or remove the annotation
"""
    )


def test_kload_of_what_is_not_loaded(command: Command) -> None:
    command.change(
        "vec.cl",
        "    c[i] = a[i] + b[i];",
        """\
    float s;
    kload(b) { s = a[i]; }
    c[i] = s + b[i];""",
    )
    assert (
        command.refused_program(status=1)
        == """\
vec.cl:11:5: error[KF301]: 'b' is not loaded from in this kload
   11 |     kload(b) { s = a[i]; }
      |     ^~~~~~~~
vec.cl:7:77: 'b' is declared here
    7 | kernel void add(global float *c, global const float *a, global const float *b)
      |                                                                             ^
"""
    )


def test_kload_of_an_unknown_name(command: Command) -> None:
    command.change(
        "vec.cl",
        "    c[i] = a[i] + b[i];",
        """\
    float s;
    kload(z) { s = a[i]; }
    c[i] = s + b[i];""",
    )
    assert (
        command.refused_program(status=1)
        == """\
vec.cl:11:5: error[KF301]: 'z' in kload is no parameter of the kernel
   11 |     kload(z) { s = a[i]; }
      |     ^~~~~~~~
  help: the parameters are: c, a, b
"""
    )


def test_temporary_that_is_read_afterwards(command: Command) -> None:
    command.change("app.c", "#pragma kfuse(a, b, out(c))", "#pragma kfuse(a, b, temp(c))")
    command.change("app.c", "    return 0;", "    return vec_add(a, c, c, n);")
    assert (
        command.refused_program(status=1)
        == """\
app.c:6:1: error[KF303]: 'c' is temporary here, but it is read after the region
    6 | #pragma kfuse(a, b, temp(c))
      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
app.c:11:12: it is read here
   11 |     return vec_add(a, c, c, n);
      |            ^~~~~~~
  help: take 'c' out of temp(...)
"""
    )


def test_out_of_a_variable_that_cannot_be_looked_at(command: Command) -> None:
    """The kernels are fused, and store everything."""
    command.change("app.c", "#pragma kfuse", "    cl_mem *result = &c;\n#pragma kfuse")
    command.change("app.c", "out(c)", "out(result)")
    command.change("app.c", "vec_add(c, ", "vec_add(*result, ")
    done = command.run("app.c", "vec.c", "vec.cl", "-o", "out")
    assert done.returncode == 0, done.stderr
    assert (
        "app.c:7:1: note[KF404]: what out(result) names cannot be looked at when the region ends: "
        "all results are stored\n" in done.stderr
    )
    assert "KFUSION_AT_END" not in command.read("out/kfusion_fused.h").split("patterns of this")[1]


CALLED_TWICE = """
void both(cl_mem c, cl_mem a, cl_mem b, cl_mem t, size_t n)
{
    combine(c, a, b, t, n);
    combine(b, a, c, t, n);
}
"""
CALLED_IN_A_LOOP = """
void often(cl_mem c, cl_mem a, cl_mem b, cl_mem t, size_t n)
{
    for (int i = 0; i < 3; i++)
        combine(c, a, b, t, n);
}
"""


def test_temporary_that_the_next_call_writes_first(command: Command) -> None:
    """Nobody reads what the first call leaves in t."""
    command.write("app.c", command.read("app.c") + CALLED_TWICE)
    done = command.run("app.c", "vec.c", "vec.cl", "-o", "out")
    assert done.returncode == 0, done.stderr
    assert "KF303" not in done.stderr


def test_temporary_that_the_next_call_reads_first(command: Command) -> None:
    command.change("app.c", "vec_scale(t, a, 2.0f, n);", "vec_add(t, a, t, n);")
    command.write("app.c", command.read("app.c") + CALLED_TWICE)
    assert (
        command.refused_program(status=1)
        == """\
app.c:6:1: error[KF303]: 't' is temporary here, but it is read after combine returns
    6 | #pragma kfuse(a, b, out(c))
      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~
app.c:17:5: it is read here
   17 |     combine(b, a, c, t, n);
      |     ^~~~~~~
  help: name it: out(t)
"""
    )


def test_temporary_that_the_next_iteration_of_a_caller_reads(command: Command) -> None:
    command.change("app.c", "vec_scale(t, a, 2.0f, n);", "vec_add(t, a, t, n);")
    command.write("app.c", command.read("app.c") + CALLED_IN_A_LOOP)
    assert (
        command.refused_program(status=1)
        == """\
app.c:6:1: error[KF303]: 't' is temporary here, but it is read in the next iteration
    6 | #pragma kfuse(a, b, out(c))
      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~
app.c:17:9: it is read here
   17 |         combine(c, a, b, t, n);
      |         ^~~~~~~
  help: name it: out(t)
"""
    )


CALLED_ONCE_BY_A_MACRO = """
#define ONCE(x) do { x; } while (0)
void once(cl_mem c, cl_mem a, cl_mem b, cl_mem t, size_t n)
{
    ONCE(combine(c, a, b, t, n));
}
"""


def test_do_while_zero_is_no_loop(command: Command) -> None:
    command.change("app.c", "vec_scale(t, a, 2.0f, n);", "vec_add(t, a, t, n);")
    command.write("app.c", command.read("app.c") + CALLED_ONCE_BY_A_MACRO)
    done = command.run("app.c", "vec.c", "vec.cl", "-o", "out")
    assert done.returncode == 0, done.stderr
    assert "KF303" not in done.stderr


def test_temporary_that_the_function_writes_before_its_region(command: Command) -> None:
    """The next iteration writes t before it comes to the region, which reads it."""
    command.change("app.c", "vec_scale(t, a, 2.0f, n);", "vec_add(t, a, t, n);")
    command.change(
        "app.c", "#pragma kfuse", "    if (vec_scale(t, b, 3.0f, n)) return 1;\n#pragma kfuse"
    )
    command.write("app.c", command.read("app.c") + CALLED_IN_A_LOOP)
    done = command.run("app.c", "vec.c", "vec.cl", "-o", "out")
    assert done.returncode == 0, done.stderr
    assert "KF303" not in done.stderr
    assert "next iteration" not in done.stderr


@pytest.mark.parametrize(("after", "messages"), [("", 0), ("vec_add(c, t, t, n);", 1)])
def test_temporary_that_the_loop_writes_before_the_region(
    command: Command, after: str, messages: int
) -> None:
    """Only behind the loop it may be read, if the loop was there at all."""
    command.change("app.c", "vec_scale(t, a, 2.0f, n);", "vec_add(t, a, t, n);")
    loop = "    for (size_t i = 0; i < n; i++) {\n    vec_scale(t, b, 3.0f, n);\n#pragma kfuse"
    command.change("app.c", "#pragma kfuse", loop)
    command.change("app.c", "    return 0;", f"    }}\n    {after}\n    return 0;")
    done = command.run("app.c", "vec.c", "vec.cl", "-o", "out")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("note[KF403]: 't' is temporary here, and may be read") == messages
    assert "next iteration" not in done.stderr
