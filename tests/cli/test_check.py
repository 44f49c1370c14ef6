"""`kfusion check`: what compilers say of the output is told of the input."""

# ruff: noqa: E501 - messages are shown as they are

from __future__ import annotations

import re
import shutil
from subprocess import CompletedProcess

import pytest

from kfusion.device.opencl import all_devices
from tests.cli.conftest import Command
from tests.support import called

PROGRAM = ("app.c", "vec.c", "vec.cl")
NO_DEVICE = (
    "there is no OpenCL device: kernels are read and type-checked by kfusion, not compiled\n"
)
IN_A_STRING = """\
const char *const vec_source =
    "kernel void scale(global float *y, global const float *x, const float factor)\\n"
    "{\\n"
    "    const size_t i = get_global_id(0);\\n"
    "    y[i] = factor * x[i];\\n"
    "}\\n"
    "kernel void add(global float *c, global const float *a, global const float *b)\\n"
    "{\\n"
    "    const size_t i = get_global_id(0);\\n"
    "    c[i] = a[i] + b[i];\\n"
    "}\\n"
    "kernel void other(global float *a) { a[0] = unknown; }\\n";

cl_program vec_program(cl_context context)
{
    const char *source = vec_source;
    return clCreateProgramWithSource(context, 1, &source, NULL, NULL);
}
"""


def check(command: Command, *arguments: str) -> CompletedProcess[str]:
    before = command.contents()
    done = called.kfusion(("check", *arguments), command.folder)
    assert command.contents() == before
    return done


def refused(command: Command, *arguments: str, status: int = 1) -> str:
    done = check(command, *arguments)
    assert (done.returncode, done.stdout) == (status, "")
    return re.sub(r" on [^\n]*?: ", " on DEVICE: ", done.stderr)


@pytest.fixture
def no_device(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCL_ICD_VENDORS", str(tmp_path_factory.mktemp("no-drivers")))


def test_verbose_says_what_was_compiled_where(command: Command) -> None:
    done = check(command, *PROGRAM, "-v")
    devices = ", ".join(device.name for device in all_devices())
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        f"app.c:6: 2 kernels become 1 (1 fused)\ncompiled: app.c, vec.c; vec.cl on {devices}\n"
    )


@pytest.mark.skipif(not shutil.which("clang-15"), reason="no Clang here")
def test_columns_are_those_of_clang_too(command: Command, no_device: None) -> None:
    command.change("app.c", "    return 0;", "\treturn 0 + not_declared;")
    said = refused(command, *PROGRAM, "-q", "--cc", "clang-15")
    assert said.startswith("app.c:11:13: error[KF307]: the output does not compile: use of ")


def test_errors_of_hosts_are_told_at_the_lines_of_the_inputs(
    command: Command, no_device: None
) -> None:
    command.change(
        "app.c", "    {\n        vec_s", "    { vec_add(c, t, b, nothing);\n        vec_s"
    )
    command.change("app.c", "return 0;", "return 0 + not_declared;")
    command.change("vec.c", "    return n *", "\tint w[wide];\n    return n *")
    assert (
        refused(command, *PROGRAM, "-q")
        == """\
app.c:7:24: error[KF307]: the output does not compile: 'nothing' undeclared (first use in this function)
    7 |     { vec_add(c, t, b, nothing);
      |                        ^~~~~~~~~
app.c:11:16: error[KF307]: the output does not compile: 'not_declared' undeclared (first use in this function)
   11 |     return 0 + not_declared;
      |                ^~~~~~~~~~~~~
vec.c:40:8: error[KF307]: the output does not compile: 'wide' undeclared (first use in this function)
   40 |     int w[wide];
      |           ^~~~~~
"""
    )


def test_an_error_of_a_host_in_c_plus_plus(command: Command, no_device: None) -> None:
    text = command.read("app.c").replace("out(c))", "out(c)) runs(scale(t, a, f), add(c, t, b))")
    text = text.replace('#include "vec.h"', '#include <vector>\nextern "C" {\n#include "vec.h"\n}')
    command.write("app.cpp", text.replace("return 0;", "return std::vector<int>(1).sice();"))
    said = refused(command, "app.cpp", *PROGRAM[1:])
    assert said.startswith(
        NO_DEVICE + "app.cpp:14:32: error[KF307]: the output does not compile: "
        "'class std::vector<int>' has no member named 'sice'"
    )


def test_an_error_in_a_header_of_the_program(command: Command, no_device: None) -> None:
    for name in (*PROGRAM, "vec.h"):
        command.write(f"src/{name}", command.read(name))
    command.change("src/vec.h", "size_t vec_bytes(size_t n);", "size_t vec_bytes[-1];")
    command.change("src/vec.c", "size_t vec_bytes(", "size_t other_bytes(")
    files = [f"src/{name}" for name in PROGRAM]
    assert (
        refused(command, *files, "-q")
        == """\
src/vec.h:10:8: error[KF307]: the output does not compile: size of array 'vec_bytes' is negative
   10 | size_t vec_bytes[-1];
      |        ^~~~~~~~~~~~~~
"""
    )


def test_an_error_of_a_kernel_is_told_once(command: Command) -> None:
    command.change("vec.cl", "    y[i] = factor", "\ty[i] = factor.q")
    assert (
        refused(command, *PROGRAM)
        == """\
vec.cl:4:15: error[KF305]: the kernels do not build on DEVICE: member reference base type 'const __private float' is not a structure or union
    4 |     y[i] = factor.q * x[i];
      |                  ^~~~~~~~~~
"""
    )


def test_lines_are_told_behind_those_that_a_kernel_file_gets(command: Command) -> None:
    """`#ifdef` and the like in front, and sections in other lines."""
    command.change(
        "vec.cl", "kernel void scale", "#ifndef F\n#define F 1\n#endif\nkernel void scale"
    )
    command.change(
        "vec.cl", "    y[i] = factor * x[i];\n", "    kstore { y[i] = F * factor * x[i]; }\n"
    )
    command.write(
        "vec.cl", command.read("vec.cl") + "kernel void f(global int *a) { *a = none; }\n"
    )
    said = refused(command, *PROGRAM)
    assert said.startswith(
        "vec.cl:15:37: error[KF305]: the kernels do not build on DEVICE: use of "
    )


def test_an_error_in_a_program_of_a_string(command: Command) -> None:
    command.write("vec.c", command.read("vec.c") + IN_A_STRING)
    said = refused(command, "app.c", "vec.c")
    assert said.startswith(
        "vec.c:43:11:45: error[KF305]: the kernels do not build on DEVICE: use of "
    )


def test_generated_lines_are_named_with_their_region(command: Command) -> None:
    assert (
        refused(command, *PROGRAM, "--build-options=-Dscale_add=1")
        == """\
vec.cl (output):14:13: error[KF305]: the kernels do not build on DEVICE: expected identifier or '('
   14 | kernel void scale_add(global const float *a, global float *c, global const float *b,
      |             ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  help: this line is generated for the region at app.c:6: please report it, with the input
"""
    )


def test_generated_lines_of_hosts(command: Command, no_device: None) -> None:
    command.change("vec.h", "size_t vec_b", "extern int kfusion_make_combine;\nsize_t vec_b")
    said = refused(command, *PROGRAM, "-q", "--cc", "cc -Dkfusion_region_combine=1")
    assert (
        re.sub(r"(?m)^(kfusion_fused.h .output.:|) *\d+(:| \|)", r"\1LINE\2", said)
        == """\
kfusion_fused.h (output):LINE:12: error[KF307]: the output does not compile: 'kfusion_make_combine' redeclared as different kind of symbol
LINE | static int kfusion_make_combine(kfusion_run *run)
      |            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  help: this line is generated for the region at app.c:6: please report it, with the input
app.c (output):8:7: error[KF307]: the output does not compile: lvalue required as unary '&' operand
LINE |     { KFUSION_REGION_OUT(combine, c);
      |       ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  help: this line is generated for the region at app.c:6: please report it, with the input
"""
    )


def test_without_a_device_kernels_are_not_compiled(command: Command, no_device: None) -> None:
    command.change("vec.cl", "    y[i] = factor", "\ty[i] = factor.q")
    done = check(command, *PROGRAM)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", NO_DEVICE)
    assert check(command, *PROGRAM, "-q").stderr == ""


def test_without_pyopencl_kernels_are_not_compiled(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    command.write("pyopencl.py", "raise ImportError")
    done = check(command, *PROGRAM)
    said = NO_DEVICE.replace("there is no OpenCL device", "PyOpenCL is not installed")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", said)


def test_a_device_that_is_not_there(command: Command) -> None:
    said = refused(command, *PROGRAM, "--device", "no-such-device")
    assert said.startswith(
        "<command line>:1:43: error[KF304]: no OpenCL device is called 'no-such-device'; there are: "
    )


def test_a_compiler_that_is_not_there(command: Command, no_device: None) -> None:
    command.write("more.cpp", "int more;\n")
    assert (
        refused(command, *PROGRAM, "more.cpp", "--cxx", "nonexistent", status=2)
        == """\
<command line>:1:49: error[KF106]: cannot run the compiler 'nonexistent': [Errno 2] No such file or directory: 'nonexistent'
    1 | kfusion check app.c vec.c vec.cl more.cpp --cxx nonexistent
      |                                                 ^~~~~~~~~~~
  help: name another one with --cxx
"""
    )


@pytest.mark.parametrize("name", ["check", "verify"])
def test_build_options_with_an_open_quote(command: Command, name: str) -> None:
    said = command.refused(name, *PROGRAM, "--build-options=-DX='")
    assert "error[KF100]: invalid value for '--build-options': No closing quotation\n" in said


def test_what_strict_refuses_and_what_is_not_understood(command: Command) -> None:
    assert refused(command, "app.c", "vec.c", "none.cl", status=2).startswith(
        "<command line>:1:27: error[KF101]: cannot read none.cl"
    )
    command.change("vec.c", "cl_int vec_add(", "#pragma sync in\ncl_int vec_add(")
    assert "error[KF302]: --strict: " in refused(command, *PROGRAM, "--strict")


def test_a_folder_that_is_up_to_date(command: Command) -> None:
    assert command.run(*PROGRAM, "-o", "out", "-MD").returncode == 0
    command.write("out/Makefile", "all:\n")
    done = check(command, *PROGRAM, "--against", "out")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    said = check(command, *PROGRAM, "-v", "--against", "out").stdout.splitlines()[-1]
    headers = "kfusion_fused.h, kfusion_calls.h"
    assert said == f"compared with out: {', '.join(PROGRAM)}, {headers}: the same"

    command.change("app.c", "        vec_add(c, t, b, n);\n", "")
    command.change("app.c", "kfuse(a, b, out(c))", "kfuse(a, out(t))")
    assert command.run(*PROGRAM, "-o", "out", "-MD").returncode == 0
    assert check(command, *PROGRAM, "-q", "--against", "out").returncode == 0  # with empty headers


def test_a_folder_that_is_stale(command: Command) -> None:
    assert command.run(*PROGRAM, "-o", "out").returncode == 0
    (command.folder / "out/app.c").unlink()
    command.write("out/old.c", "")
    command.change("out/vec.cl", "y[i] = factor *", "y[i] = factor *  ")
    assert (
        refused(command, *PROGRAM, "--against", "out")
        == """\
<command line>:1:44: error[KF308]: out/app.c is missing
    1 | kfusion check app.c vec.c vec.cl --against out
      |                                            ^~~
  help: write the folder again, with -o out
out/vec.cl:4:5: error[KF308]: this file is not what would be written now
    4 |     y[i] = factor *   x[i];
      |     ^~~~~~~~~~~~~~~~~~~~~~~
  help: write the folder again, with -o out
<command line>:1:44: error[KF308]: out/old.c is left over: it would not be written now
    1 | kfusion check app.c vec.c vec.cl --against out
      |                                            ^~~
  help: remove it
"""
    )
    command.change("app.c", "        vec_add(c, t, b, n);\n", "")
    command.change("app.c", "kfuse(a, b, out(c))", "kfuse(a, out(t))")
    said = refused(command, *PROGRAM, "-q", "--against", "out")
    assert "error[KF308]: out/kfusion_fused.h is left over" in said


def test_headers_are_told_of_where_nothing_else_differs(command: Command) -> None:
    assert command.run(*PROGRAM, "-o", "out").returncode == 0
    header = command.read("out/kfusion_fused.h")
    command.write("out/kfusion_fused.h", header.replace("c[i] =", "c[i]  ="))
    said = refused(command, *PROGRAM, "--against", "out")
    assert said.count("error[KF308]") == said.count("out/kfusion_fused.h:") == 1
    command.change("vec.cl", "y[i] = factor *", "y[i] = factor *  ")
    said = refused(command, *PROGRAM, "--against", "out")
    assert said.count("error[KF308]") == said.count("out/vec.cl:") == 1


def test_folders_that_are_kept_are_compared_as_a_whole(command: Command) -> None:
    files = [f"src/{name}" for name in PROGRAM]
    for name in (*PROGRAM, "vec.h"):
        command.write(f"src/{name}", command.read(name))
    assert command.run(*files, "-o", "out", "--keep-folders", ".").returncode == 0
    kept = (*files, "--keep-folders", ".", "--against", "out")
    assert check(command, *kept).returncode == 0
    compiled = check(command, *kept[:-2])
    assert (compiled.returncode, compiled.stdout, compiled.stderr) == (0, "", "")
    command.write("out/src/old.cl", "")
    assert "error[KF308]: out/src/old.cl is left over" in refused(command, *kept)


def test_help_names_the_options_of_both(command: Command) -> None:
    said = check(command, "--help").stdout
    for option in ("--cc", "--cxx", "--strict", "--target", "--keep-folders", "--against"):
        assert f" {option} " in said
    assert "--output" not in said


def test_against_a_folder_that_is_not_there(command: Command) -> None:
    said = refused(command, *PROGRAM, "-q", "--against", "nowhere")
    assert said.count("error[KF308]") == 1
    assert "there is no folder nowhere\n" in said
    assert "  help: write it, with -o nowhere\n" in said


@pytest.mark.parametrize(
    ("text", "code", "help"),
    [
        ("c[i] = a[i] + z;", "KF305", "  help: if the host defines 'z' when it builds"),
        ("c[i] = a[i] + none(b[i]);", "KF305", None),
    ],
)
def test_what_does_not_build_is_told_once(
    command: Command, text: str, code: str, help: str | None
) -> None:
    command.change("vec.cl", "c[i] = a[i] + b[i];", text)
    said = refused(command, *PROGRAM)
    assert [line for line in said.splitlines() if line.startswith("vec.cl:")] == [
        line for line in said.splitlines() if f": error[{code}]: " in line
    ]
    helps = [line for line in said.splitlines() if line.startswith("  help: ")]
    assert [line[: len(help)] for line in helps if help] == ([help] if help else [])
    assert help or not helps
