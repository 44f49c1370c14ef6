"""Annotations that the code contradicts: both places are shown."""

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
