"""Files that cannot be read, found or understood as C."""

# ruff: noqa: E501 - messages are shown as they are

from tests.cli.conftest import Command


def test_file_given_twice(command: Command) -> None:
    assert (
        command.refused("app.c", "vec.c", "vec.cl", "app.c", "-o", "out")
        == """\
<command line>:1:28: error[KF103]: app.c is given twice
    1 | kfusion app.c vec.c vec.cl app.c -o out
      |                            ^~~~~
"""
    )


def test_file_given_twice_in_another_spelling(command: Command) -> None:
    (command.folder / "sub").mkdir()
    assert (
        command.refused("app.c", "vec.c", "./sub/../vec.c", "vec.cl", "-o", "out")
        == """\
<command line>:1:49: error[KF103]: sub/../vec.c is given twice
    1 | kfusion app.c vec.c ./sub/../vec.c vec.cl -o out
      |                                                 ^
"""
    )


def test_file_given_twice_through_a_link(command: Command) -> None:
    (command.folder / "other.c").symlink_to("vec.c")
    assert (
        command.refused("app.c", "vec.c", "other.c", "vec.cl", "-o", "out")
        == """\
<command line>:1:21: error[KF103]: other.c is given twice
    1 | kfusion app.c vec.c other.c vec.cl -o out
      |                     ^~~~~~~
"""
    )


def test_two_files_with_the_same_name(command: Command) -> None:
    command.write("old/vec.c", command.read("vec.c"))
    assert (
        command.refused("app.c", "vec.c", "old/vec.c", "vec.cl", "-o", "out")
        == """\
<command line>:1:21: error[KF103]: old/vec.c and vec.c have the same name
    1 | kfusion app.c vec.c old/vec.c vec.cl -o out
      |                     ^~~~~~~~~
  help: both would be written to the same place; with --keep-folders . they keep their folders
"""
    )


def test_missing_file(command: Command) -> None:
    assert (
        command.refused("app.c", "vecs.c", "vec.cl", "-o", "out")
        == """\
<command line>:1:15: error[KF101]: cannot read vecs.c: No such file or directory
    1 | kfusion app.c vecs.c vec.cl -o out
      |               ^~~~~~
"""
    )


def test_folder_instead_of_a_file(command: Command) -> None:
    (command.folder / "dir.c").mkdir()
    assert (
        command.refused("app.c", "dir.c", "vec.cl", "-o", "out")
        == """\
<command line>:1:15: error[KF101]: cannot read dir.c: Is a directory
    1 | kfusion app.c dir.c vec.cl -o out
      |               ^~~~~
"""
    )


def test_file_that_cannot_be_read(command: Command) -> None:
    assert (
        command.refused("app.c", "/proc/self/mem", "vec.cl", "-o", "out")
        == """\
<command line>:1:15: error[KF101]: cannot read /proc/self/mem: Input/output error
    1 | kfusion app.c /proc/self/mem vec.cl -o out
      |               ^~~~~~~~~~~~~~
"""
    )


def test_empty_file(command: Command) -> None:
    command.write("vec.c", "")
    assert (
        command.refused_program()
        == """\
<command line>:1:15: error[KF102]: vec.c is empty
    1 | kfusion app.c vec.c vec.cl -o out
      |               ^~~~~
"""
    )


def test_file_of_white_space(command: Command) -> None:
    command.write(
        "vec.cl",
        """\


""",
    )
    assert (
        command.refused_program()
        == """\
<command line>:1:21: error[KF102]: vec.cl is empty
    1 | kfusion app.c vec.c vec.cl -o out
      |                     ^~~~~~
"""
    )


def test_binary_file(command: Command) -> None:
    command.write("vec.cl", b"\x7fELF\0\0")
    assert (
        command.refused_program()
        == """\
<command line>:1:21: error[KF102]: vec.cl is a binary file, not source text
    1 | kfusion app.c vec.c vec.cl -o out
      |                     ^~~~~~
"""
    )


def test_file_in_utf16(command: Command) -> None:
    command.write("vec.c", command.read("vec.c").encode("utf-16"))
    assert (
        command.refused_program()
        == """\
<command line>:1:15: error[KF102]: vec.c is not UTF-8 text, but UTF-16
    1 | kfusion app.c vec.c vec.cl -o out
      |               ^~~~~
  help: convert it, for example: iconv -f utf-16 -t utf-8
"""
    )


def test_header_that_is_not_found(command: Command) -> None:
    command.change("vec.c", '"vec.h"', '"vecs.h"')
    assert (
        command.refused_program()
        == """\
vec.c:1:11: error[KF105]: header 'vecs.h' is not found
    1 | #include "vecs.h"
      |           ^~~~~~
  help: add its folder with -I
"""
    )


def test_header_that_a_header_does_not_find(command: Command) -> None:
    command.change("vec.h", "#include <CL/cl.h>", '#include <CL/cl.h>\n#include "sub/a.h"')
    command.write(
        "sub/a.h",
        """\

  #  include  "b.h" // c
""",
    )
    assert (
        command.refused_program()
        == """\
sub/a.h:2:16: error[KF105]: header 'b.h' is not found
    2 |   #  include  "b.h" // c
      |                ^~~
  help: add its folder with -I
"""
    )


def test_header_that_a_macro_names(command: Command) -> None:
    command.change("vec.c", '#include "vec.h"', '#define HEADER "gone.h"\n#include HEADER')
    assert (
        command.refused_program()
        == """\
vec.c:1:17: error[KF105]: header 'gone.h' is not found
    1 | #define HEADER "gone.h"
      |                 ^~~~~~
  help: add its folder with -I
"""
    )


def test_absolute_header_that_is_not_found(command: Command) -> None:
    command.change("vec.c", '"vec.h"', "</nowhere/vec.h>")
    assert (
        command.refused_program()
        == """\
vec.c:1:11: error[KF105]: header '/nowhere/vec.h' is not found
    1 | #include </nowhere/vec.h>
      |           ^~~~~~~~~~~~~~
  help: add its folder with -I
"""
    )


def test_header_in_a_parent_folder_that_is_not_found(command: Command) -> None:
    command.change("vec.c", '"vec.h"', "<../nowhere/vec.h>")
    assert (
        command.refused_program()
        == """\
vec.c:1:11: error[KF105]: header '../nowhere/vec.h' is not found
    1 | #include <../nowhere/vec.h>
      |           ^~~~~~~~~~~~~~~~
  help: add its folder with -I
"""
    )


def test_header_of_kernels_that_is_not_found(command: Command) -> None:
    command.change("vec.cl", "kernel void scale", '#include "gone.h"\nkernel void scale')
    assert (
        command.refused_program()
        == """\
vec.cl:1:11: error[KF105]: header 'gone.h' is not found
    1 | #include "gone.h"
      |           ^~~~~~
  help: add its folder with -I
"""
    )


def test_kernels_have_no_system_headers(command: Command) -> None:
    command.change("vec.cl", "kernel void scale", "#include <stdio.h>\nkernel void scale")
    assert (
        command.refused_program()
        == """\
vec.cl:1:11: error[KF105]: header 'stdio.h' is not found
    1 | #include <stdio.h>
      |           ^~~~~~~
  help: add its folder with -I
"""
    )


def test_unknown_names_after_a_missing_system_header(command: Command) -> None:
    command.change("vec.c", '#include "vec.h"', '#include <logging.h>\n#include "vec.h"')
    command.change(
        "vec.c",
        "    return n * sizeof(cl_float);",
        "    LOG_SCOPE { return n * sizeof(cl_float); }",
    )
    assert (
        command.refused_program()
        == """\
vec.c:41:5: error[KF104]: syntax error at 'LOG_SCOPE': invalid declaration
   41 |     LOG_SCOPE { return n * sizeof(cl_float); }
      |     ^~~~~~~~~
  help: not found and taken as empty: <logging.h>; add the folder with -I
"""
    )


def test_cuda_file(command: Command) -> None:
    (command.folder / "app.c").rename(command.folder / "app.cu")
    assert (
        command.refused("app.cu", "vec.c", "vec.cl", "-o", "out")
        == """\
app.cu:1:1: error[KF108]: this is C++, in a file that is read as C
    1 | #include "vec.h"
      | ^~~~~~~~~~~~~~~~
  help: name it .cpp if regions stand in it, and list what they launch behind the annotation; the functions that regions call belong into C files
"""
    )


def test_cpp_header(command: Command) -> None:
    command.change("vec.c", '#include "vec.h"', '#include "vec.h"\n#include <vector>')
    assert (
        command.refused_program()
        == """\
vec.c:2:1: error[KF108]: this is C++, in a file that is read as C
    2 | #include <vector>
      | ^~~~~~~~~~~~~~~~~
  help: name it .cpp if regions stand in it, and list what they launch behind the annotation; the functions that regions call belong into C files
"""
    )


def test_cpp_namespace(command: Command) -> None:
    command.change(
        "vec.c",
        "static cl_program program;",
        """\
static cl_program program;

namespace vec {
}""",
    )
    assert (
        command.refused_program()
        == """\
vec.c:6:1: error[KF108]: this is C++, in a file that is read as C
    6 | namespace vec {
      | ^~~~~~~~~
  help: name it .cpp if regions stand in it, and list what they launch behind the annotation; the functions that regions call belong into C files
"""
    )


def test_cpp_template(command: Command) -> None:
    command.change(
        "vec.c",
        "static cl_program program;",
        """\
static cl_program program;

template <typename T> T twice(T x) { return x + x; }""",
    )
    assert (
        command.refused_program()
        == """\
vec.c:6:1: error[KF108]: this is C++, in a file that is read as C
    6 | template <typename T> T twice(T x) { return x + x; }
      | ^~~~~~~~
  help: name it .cpp if regions stand in it, and list what they launch behind the annotation; the functions that regions call belong into C files
"""
    )


def test_cpp_cast(command: Command) -> None:
    command.change(
        "vec.c", "    return n * sizeof(cl_float);", "    return static_cast<size_t>(n);"
    )
    assert (
        command.refused_program()
        == """\
vec.c:40:12: error[KF108]: this is C++, in a file that is read as C
   40 |     return static_cast<size_t>(n);
      |            ^~~~~~~~~~~
  help: name it .cpp if regions stand in it, and list what they launch behind the annotation; the functions that regions call belong into C files
"""
    )


def test_cpp_scope(command: Command) -> None:
    command.change(
        "vec.c", "    return n * sizeof(cl_float);", "    std::vector<int> v;\n    return n;"
    )
    assert (
        command.refused_program()
        == """\
vec.c:40:8: error[KF108]: this is C++, in a file that is read as C
   40 |     std::vector<int> v;
      |        ^
  help: name it .cpp if regions stand in it, and list what they launch behind the annotation; the functions that regions call belong into C files
"""
    )


def test_cpp_new(command: Command) -> None:
    command.change(
        "vec.c",
        "    return n * sizeof(cl_float);",
        "    float *p = new float[n];\n    return p != 0;",
    )
    assert (
        command.refused_program()
        == """\
vec.c:40:16: error[KF108]: this is C++, in a file that is read as C
   40 |     float *p = new float[n];
      |                ^~~
  help: name it .cpp if regions stand in it, and list what they launch behind the annotation; the functions that regions call belong into C files
"""
    )


def test_cpp_reference(command: Command) -> None:
    command.change("vec.c", "size_t vec_bytes(size_t n)", "size_t vec_bytes(size_t &n)")
    assert (
        command.refused_program()
        == """\
vec.c:38:25: error[KF108]: this is C++, in a file that is read as C
   38 | size_t vec_bytes(size_t &n)
      |                         ^
  help: name it .cpp if regions stand in it, and list what they launch behind the annotation; the functions that regions call belong into C files
"""
    )
