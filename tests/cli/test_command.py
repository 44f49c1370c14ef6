"""What the command prints, writes and returns when the input is good."""

from __future__ import annotations

from pathlib import Path

import pytest

import kfusion
from kfusion.regenerate.files import write_all
from kfusion.source.diagnostics import KFusionError
from tests.cli.conftest import ROOT, Command

PROGRAM = ("app.c", "vec.c", "vec.cl")
NOT_FUSED = """\
vec.c:30:1: cut[KF212]: vec_add is not fused with earlier calls: '#pragma sync in'
   30 | #pragma sync in
      | ^~~~~~~~~~~~~~~
  help: remove the annotation if the code does not need it
"""
NOTHING = """\
app.c:6:1: note[KF401]: nothing in this region is fused; it stays as it is
    6 | #pragma kfuse(a, b, out(c))
      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~
"""


def forbid_fusion(command: Command) -> None:
    command.change("vec.c", "cl_int vec_add(", "#pragma sync in\ncl_int vec_add(")


def written(command: Command, folder: str = "out") -> list[str]:
    return sorted(path.name for path in (command.folder / folder).iterdir())


def test_fusing_is_quiet_and_writes_all_files(command: Command) -> None:
    done = command.run(*PROGRAM, "-o", "out")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert written(command) == ["app.c", "kfusion_calls.h", "kfusion_fused.h", "vec.c", "vec.cl"]
    assert (
        command.read("out/app.c")
        == """\
#include "vec.h"
#include "kfusion_fused.h"

/* c = 2 a + b */
int combine(cl_mem c, cl_mem a, cl_mem b, cl_mem t, size_t n)
{
#pragma kfuse(a, b, out(c))
    { KFUSION_REGION_OUT(combine, c);
        vec_scale(t, a, 2.0f, n);
        vec_add(c, t, b, n);
    }
    return 0;
}
"""
    )
    assert "kernel void scale_add(" in command.read("out/vec.cl")


def test_region_of_one_call_is_left_alone(command: Command) -> None:
    command.change("app.c", "        vec_add(c, t, b, n);\n", "")
    command.change("app.c", "kfuse(a, b, out(c))", "kfuse(a, out(t))")
    done = command.run(*PROGRAM, "-o", "out")
    assert (done.returncode, done.stdout) == (0, "")
    assert (
        done.stderr
        == """\
app.c:6:1: note[KF402]: a region with fewer than two launches has nothing to fuse
    6 | #pragma kfuse(a, out(t))
      | ^~~~~~~~~~~~~~~~~~~~~~~~
"""
    )
    assert command.read("out/app.c") == command.read("app.c")


def test_budget_that_is_too_small(command: Command) -> None:
    done = command.run(*PROGRAM, "-o", "out", "--target", "nvidia", "--budget", "parameter-bytes=8")
    assert done.returncode == 0
    assert (
        done.stderr.splitlines()[0] == "app.c:9:9: cut[KF223]: the fused kernel would have 36 "
        "bytes of parameters; the target takes no more than 8"
    )


def test_version(command: Command) -> None:
    done = command.run("--version")
    assert (done.returncode, done.stdout) == (0, f"kfusion, version {kfusion.__version__}\n")


def test_include_dir_holds_the_header(command: Command) -> None:
    done = command.run("--include-dir")
    assert done.returncode == 0
    assert (Path(done.stdout.strip()) / "kfusion.h").is_file()


def test_help_names_the_exit_statuses(command: Command) -> None:
    done = command.run("--help")
    assert done.returncode == 0
    assert "0 done; 1 understood, but the request cannot be met; 2 not understood." in " ".join(
        done.stdout.split()
    )


def test_verbose_says_what_was_fused(command: Command) -> None:
    done = command.run(*PROGRAM, "-o", "out", "-v")
    assert (done.stdout, done.stderr) == ("app.c:6: 2 kernels become 1 (1 fused)\n", "")


def test_what_is_not_fused_is_said(command: Command) -> None:
    forbid_fusion(command)
    done = command.run(*PROGRAM, "-o", "out")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == NOT_FUSED + NOTHING


def test_quiet(command: Command) -> None:
    forbid_fusion(command)
    done = command.run(*PROGRAM, "-o", "out", "-q")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_strict_fails_and_writes_nothing(command: Command) -> None:
    forbid_fusion(command)
    said = command.refused(*PROGRAM, "-o", "out", "--strict", status=1)
    assert (
        said
        == NOT_FUSED
        + NOTHING
        + """\
<command line>:1:35: error[KF302]: --strict: not everything in the regions is fused
    1 | kfusion app.c vec.c vec.cl -o out --strict
      |                                   ^~~~~~~~
app.c:6:1: comes to 2 kernels: [KF212] vec_add is not fused with earlier calls: '#pragma sync in'
    6 | #pragma kfuse(a, b, out(c))
      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~
  help: `kfusion explain CODE` says more of each cut
"""
    )
    quiet = command.refused(*PROGRAM, "-o", "out", "-q", "--strict", status=1)
    assert (
        quiet
        == NOT_FUSED
        + """\
<command line>:1:38: error[KF302]: --strict: not everything in the regions is fused
    1 | kfusion app.c vec.c vec.cl -o out -q --strict
      |                                      ^~~~~~~~
app.c:6:1: comes to 2 kernels: [KF212] vec_add is not fused with earlier calls: '#pragma sync in'
    6 | #pragma kfuse(a, b, out(c))
      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~
  help: `kfusion explain CODE` says more of each cut
"""
    )


def test_strict_accepts_what_is_fused(command: Command) -> None:
    assert command.run(*PROGRAM, "-o", "out", "--strict").returncode == 0
    assert written(command) == ["app.c", "kfusion_calls.h", "kfusion_fused.h", "vec.c", "vec.cl"]


@pytest.mark.parametrize("output", [(), ("-o", "out")])
def test_dry_run_writes_nothing(command: Command, output: tuple[str, ...]) -> None:
    before = command.contents()
    done = command.run(*PROGRAM, *output, "--dry-run")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert command.contents() == before


def test_explain_plan_needs_no_output_folder(command: Command) -> None:
    before = command.contents()
    done = command.run(*PROGRAM, "--explain-plan")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("app.c:6")
    assert command.contents() == before


def test_compiler_with_arguments(command: Command) -> None:
    done = command.run(*PROGRAM, "-o", "out", "--cc", "cc -DX='a b' -m64")
    assert (done.returncode, done.stderr) == (0, "")


def test_folders_with_headers(command: Command) -> None:
    (command.folder / "include").mkdir()
    (command.folder / "vec.h").rename(command.folder / "include" / "vec.h")
    done = command.run(*PROGRAM, "-o", "out", "-I", "include")
    assert (done.returncode, done.stderr) == (0, "")


def test_macros_decide_what_is_compiled(command: Command) -> None:
    command.change("app.c", "int combine", "#ifdef FUSE\nint combine")
    command.write("app.c", command.read("app.c") + "#endif\n")
    command.change("vec.cl", "kernel void add", "#if FUSE == 2\nkernel void add")
    command.write("vec.cl", command.read("vec.cl") + "#endif\n")
    without = command.run(*PROGRAM, "-o", "out").stderr
    assert "note[KF114]: none of the files holds a region: they are copied\n" in without
    one_kernel = command.run(*PROGRAM, "-o", "out", "-DFUSE")
    told = "cut[KF242]: the files given have no kernel 'add', which is launched here\n"
    assert told in one_kernel.stderr
    fused = command.run(*PROGRAM, "-o", "out", "-D", "FUSE=2", "--strict")
    assert (fused.returncode, fused.stderr) == (0, "")


def test_several_files_of_each_kind(command: Command) -> None:
    app = command.read("app.c")
    command.write("other.c", app.replace("combine", "other").replace("2.0f", "3.0f"))
    text = command.read("vec.c")
    at = text.index("/* c = a + b */")
    end = text.index("size_t vec_bytes")
    head = text[: text.index("cl_int vec_init")].replace("static cl_kernel add", "cl_kernel add")
    head = head.replace("static cl_command_queue", "cl_command_queue")
    command.write("vec.c", head + text[text.index("cl_int vec_init") : at] + text[end:])
    extern = '#include "vec.h"\n\nextern cl_command_queue queue;\nextern cl_kernel add_kernel;\n\n'
    command.write("add.c", extern + text[at:end])
    kernels = command.read("vec.cl")
    split = kernels.index("kernel void add")
    command.write("vec.cl", kernels[:split])
    command.write("add.cl", kernels[split:])
    files = ("app.c", "other.c", "vec.c", "add.c", "vec.cl", "add.cl")
    done = command.run(*files, "-o", "out")
    assert done.returncode == 0
    assert set(files) <= set(written(command))


def test_files_without_regions_or_fused_kernels_come_out_as_they_were(command: Command) -> None:
    command.write("more.c", b"/* no newline at the end */\r\nint more;\t \n\n\n  int last;")
    command.write("more.cl", "\ufeff/* \u00e9 */\r\nfloat twice(float x)\r\n{ return 2 * x; }  ")
    command.run(*PROGRAM, "more.c", "more.cl", "-o", "out")
    for name in ("more.c", "more.cl"):
        assert (command.folder / "out" / name).read_bytes() == (command.folder / name).read_bytes()


def test_a_region_that_is_not_fused_leaves_all_files_as_they_were(command: Command) -> None:
    forbid_fusion(command)
    command.write("app.c", command.read("app.c").replace("\n", "\r\n").rstrip())
    assert command.run(*PROGRAM, "-o", "out").returncode == 0
    assert written(command) == sorted(PROGRAM)
    for name in PROGRAM:
        assert (command.folder / "out" / name).read_bytes() == (command.folder / name).read_bytes()


def test_generated_text_has_the_line_ends_of_its_file(command: Command) -> None:
    command.run(*PROGRAM, "-o", "unix")
    for name in (*PROGRAM, "vec.h"):
        command.write(name, command.read(name).replace("\n", "\r\n"))
    command.run(*PROGRAM, "-o", "windows")
    for name in PROGRAM:
        assert command.read(f"unix/{name}") != command.read(name).replace("\r\n", "\n")
        assert command.read(f"windows/{name}") == command.read(f"unix/{name}").replace("\n", "\r\n")


def test_files_in_the_output_folder_are_replaced_and_others_kept(command: Command) -> None:
    command.write("out/app.c", "old")
    command.write("out/notes.txt", "mine")
    assert command.run(*PROGRAM, "-o", "out").returncode == 0
    assert "KFUSION_REGION" in command.read("out/app.c")
    assert command.read("out/notes.txt") == "mine"


def test_an_output_that_cannot_be_put_in_place_leaves_the_folder_as_it_was(
    command: Command,
) -> None:
    command.write("out/app.c", "old")
    (command.folder / "out" / "vec.cl").mkdir()
    before = command.contents()
    done = command.run(*PROGRAM, "-o", "out")
    assert done.returncode == 2
    assert (
        done.stderr
        == """\
<command line>:1:31: error[KF116]: cannot write to out/vec.cl: Is a directory
    1 | kfusion app.c vec.c vec.cl -o out
      |                               ^~~
"""
    )
    assert command.contents() == before
    assert written(command) == ["app.c", "vec.cl"]


def test_an_output_folder_that_is_a_file(command: Command) -> None:
    command.write("out", "mine")
    done = command.run(*PROGRAM, "-o", "out")
    assert done.returncode == 2
    assert (
        done.stderr
        == """\
<command line>:1:31: error[KF116]: cannot write to out: File exists
    1 | kfusion app.c vec.c vec.cl -o out
      |                               ^~~
  help: -o wants a folder, and this is a file
"""
    )
    assert command.read("out") == "mine"


def test_the_output_is_looked_at_before_anything_is_said(command: Command) -> None:
    command.change("app.c", "        vec_add(c, t, b, n);\n", "")
    assert "[KF" in command.run(*PROGRAM, "--dry-run").stderr
    command.write("out", "mine")
    done = command.run(*PROGRAM, "-o", "out", "--explain-plan")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[0].endswith("cannot write to out: File exists")
    assert done.stderr.count("[KF") == 1


@pytest.mark.parametrize("fails_at", [0, 1, 2])
@pytest.mark.parametrize("is_new", [True, False])
def test_a_failing_rename_puts_everything_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails_at: int, is_new: bool
) -> None:
    out = tmp_path / "deep" / "out"
    if not is_new:
        out.mkdir(parents=True)
        (out / "b").write_text("old b")
    renames = 0
    rename = Path.replace

    def replace(self: Path, target: Path) -> Path:
        nonlocal renames
        renames += 1
        if renames == fails_at + 1:
            raise OSError(28, "No space left on device")
        return rename(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(KFusionError, match="No space left on device"):
        write_all(out, {"a": "new a", "b": "new b", "c": "new c"})
    assert (tmp_path / "deep").exists() is not is_new
    if not is_new:
        assert [(p.name, p.read_text()) for p in out.iterdir()] == [("b", "old b")]


def test_an_error_of_our_own_is_no_traceback(command: Command) -> None:
    command.write(
        "sitecustomize.py",
        "import kfusion.driver\n"
        "def fuse_files(sources, **options):\n"
        "    raise KeyError('vec')\n"
        "kfusion.driver.fuse_files = fuse_files\n",
    )
    done = command.run(*PROGRAM, "-o", "out", PYTHONPATH=f"{command.folder}:{ROOT}")
    assert done.returncode == 2
    assert (
        done.stderr
        == """\
<command line>:1:34: error[KF199]: internal error: KeyError: 'vec' (sitecustomize.py:3)
    1 | kfusion app.c vec.c vec.cl -o out
      |                                  ^
  help: please report it, with the input
"""
    )


def test_too_deep_nesting(command: Command) -> None:
    deep = "int deep = " + "1 + " * 8000 + "1;"
    command.write("vec.c", command.read("vec.c").replace(")\n{\n", f")\n{{\n    {deep}\n"))
    assert (
        command.refused_program()
        == """\
<command line>:1:34: error[KF104]: an expression or a block is nested too deeply
    1 | kfusion app.c vec.c vec.cl -o out
      |                                  ^
"""
    )


def test_region_with_a_call_that_is_not_seen_stays_as_it_is(command: Command) -> None:
    command.change("app.c", "b, n);\n    }", "b, n);\n        vec_sub(c, t, b, n);\n    }")
    done = command.run(*PROGRAM, "-o", "out")
    assert (done.returncode, done.stdout) == (0, "")
    assert (
        done.stderr
        == """\
app.c:10:9: cut[KF241]: 'vec_sub' is not defined in the files given
   10 |         vec_sub(c, t, b, n);
      |         ^~~~~~~
  help: give kfusion the file that defines it, or add harmless(vec_sub) to the pragma
"""
    )
    assert command.read("out/app.c") == command.read("app.c")


def test_kernels_that_are_not_known_are_not_fused(command: Command) -> None:
    command.change("vec.cl", "void add(", "void plus(")
    done = command.run(*PROGRAM, "-o", "out")
    assert (done.returncode, done.stdout) == (0, "")
    assert (
        done.stderr
        == """\
app.c:9:9: cut[KF242]: the files given have no kernel 'add', which is launched here
    9 |         vec_add(c, t, b, n);
      |         ^~~~~~~~~~~~~~~~~~~
  help: give kfusion the file that has it, and the options that it is built with: -DNAME
"""
        + NOTHING
    )
    assert command.read("out/app.c") == command.read("app.c")


def test_argument_that_is_not_set(command: Command) -> None:
    command.change("vec.cl", "global const float *b)", "global const float *b, const uint n)")
    done = command.run(*PROGRAM, "-o", "out")
    assert done.returncode == 0
    assert (
        done.stderr
        == """\
app.c:9:9: cut[KF243]: 'n' of add is set before the region, if at all
    9 |         vec_add(c, t, b, n);
      |         ^~~~~~~~~~~~~~~~~~~
  help: set it in the function that launches, or give all files of the program
"""
        + NOTHING
    )


def test_preprocessor_lines_in_a_region_stay(command: Command) -> None:
    lines = "#ifdef ADD\n  # define X 1 // c\n        vec_add(c, t, b, n);\n#endif\n"
    command.change("app.c", "        vec_add(c, t, b, n);\n", lines)
    done = command.run(*PROGRAM, "-o", "out", "-DADD", "--strict")
    assert (done.returncode, done.stderr) == (0, "")
    assert lines in command.read("out/app.c")


def test_types_of_missing_system_headers_are_opaque(command: Command) -> None:
    command.change(
        "vec.c", '#include "vec.h"\n', '#include <log.h>\n#include <log/v2.h>\n#include "vec.h"\n'
    )
    command.change(
        "vec.c",
        "size_t vec_bytes(size_t n)\n{\n",
        """\
static const log_t *the_log;
extern const log_sink *log_find(log_t, log_options *options);
typedef log_callback callback;

size_t vec_bytes(size_t n)
{
    struct log_level level = LOG_DEFAULT;
    log_scope scope = log_enter(the_log), *other = &scope;
    for (log_iterator it = log_begin(); it != log_end(); ++it)
        log_write((log_handle)3, sizeof(log_record), level, other);
""",
    )
    done = command.run(*PROGRAM, "-o", "out", "--strict")
    assert (done.returncode, done.stderr) == (0, "")


def test_cpp_guards_are_c(command: Command) -> None:
    command.change(
        "vec.h", "cl_int vec_init", '#ifdef __cplusplus\nextern "C" {\n#endif\ncl_int vec_init'
    )
    command.change(
        "vec.c",
        "    return n * sizeof(cl_float);",
        "    int new = 1, this = 0;\n    return new + this;",
    )
    assert command.run(*PROGRAM, "-o", "out").returncode == 0


def test_a_region_that_a_condition_leaves_out_is_no_region(command: Command) -> None:
    command.change(
        "app.c", "    return 0;", "#if 0\n    kfuse(a) { gone(a); }\n#endif\n    return 0;"
    )
    done = command.run(*PROGRAM, "-o", "out", "--strict")
    assert (done.returncode, done.stderr) == (0, "")
    assert "    kfuse(a) { gone(a); }\n" in command.read("out/app.c")


def test_library_function_whose_body_includes_a_file(command: Command) -> None:
    command.change("vec.c", "    clSetKernelArg(add_kernel, 2, sizeof b, &b);", '#include "b.inc"')
    command.write("b.inc", "    clSetKernelArg(add_kernel, 2, sizeof b, &b);\n")
    done = command.run(*PROGRAM, "-o", "out", "--strict")
    assert (done.returncode, done.stderr) == (0, "")
    assert '#include "b.inc"' in command.read("out/vec.c")


def test_the_headers_of_the_system_can_be_asked_for(command: Command) -> None:
    names = "assert complex ctype errno inttypes limits math pthread setjmp signal stdarg stdatomic"
    names += " stdbool stddef stdint stdio stdlib string sys/stat tgmath threads time unistd wchar"
    includes = "".join(f"#include <{name}.h>\n" for name in [*names.split(), "CL/cl_ext"])
    command.change(
        "vec.c", '#include "vec.h"\n', f'#define _GNU_SOURCE\n{includes}#include "vec.h"\n'
    )
    command.change(
        "vec.c",
        "size_t vec_bytes(size_t n)\n{\n",
        """\
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

size_t vec_bytes(size_t n)
{
    bool large = n > SIZE_MAX / 4 || isnan(INFINITY) || errno == EINTR;
    assert(!large && isdigit('3') && NULL == 0);
    printf("%" PRIu64 " %g", UINT64_C(3), fabs(-HUGE_VAL));
    pthread_mutex_lock(&lock);
""",
    )
    done = command.run(*PROGRAM, "-o", "out", "--strict", "--real-headers")
    assert (done.returncode, done.stderr) == (0, "")
    assert command.run(*PROGRAM, "-o", "usual").stderr == ""
    assert command.contents()["out/vec.c"] == command.contents()["usual/vec.c"]
    command.change("app.c", '#include "vec.h"\n', '#include <gone.h>\n#include "vec.h"\n')
    done = command.run(*PROGRAM, "-o", "other", "--real-headers")
    assert done.returncode == 2
    assert (
        done.stderr
        == """\
app.c:1:11: error[KF105]: header 'gone.h' is not found
    1 | #include <gone.h>
      |           ^~~~~~
  help: add its folder with -I
"""
    )


def test_the_file_of_the_library_is_not_given(command: Command) -> None:
    done = command.run("app.c", "vec.cl", "-o", "out")
    told = (
        "warning[KF402]: fewer than two launches are seen here: none of the files defines 'vec_add'"
    )
    assert told in done.stderr
    assert "  help: give kfusion the files of the library, too\n" in done.stderr
    assert command.run("app.c", "vec.cl", "-o", "strict", "--strict").returncode == 1


def test_an_argument_that_the_kernel_has_not(command: Command) -> None:
    command.change("vec.c", "(scale_kernel, 2,", "(scale_kernel, 3,")
    done = command.run(*PROGRAM, "-o", "out")
    told = "app.c:8:9: cut[KF242]: scale has 3 parameters, and argument 3 of it is set\n"
    assert told in done.stderr
    assert "  help: clSetKernelArg counts from 0: the last one is 2\n" in done.stderr


def test_a_pointer_without_an_address_space(command: Command) -> None:
    command.change("vec.cl", "add(global float *c, global const", "add(global float *c, const")
    said = command.run(*PROGRAM, "-o", "out").stderr
    assert "cut[KF205]: add() has a pointer that is neither global nor constant: 'a'\n" in said
    assert "  help: write `global` or `constant` in front of its type\n" in said


def test_cuts_that_are_in_no_table_are_told_with_the_plan(command: Command) -> None:
    command.change("vec.cl", "void add(", "void plus(")
    done = command.run(*PROGRAM, "--explain-plan", "--dry-run")
    assert "cut[KF242]: the files given have no kernel 'add'" in done.stderr


def test_a_comment_in_latin1_comes_out_as_it_was(command: Command) -> None:
    comment = "/* \u00e9 y".encode("latin1")
    for name in ("vec.c", "vec.cl"):
        text = command.read(name).encode()
        command.write(
            name, text.replace(b"/* y", comment) if b"/* y" in text else comment + b"*/" + text
        )
    done = command.run("app.c", "vec.c", "vec.cl", "-o", "out")
    assert (done.returncode, done.stderr) == (0, "")
    for name in ("vec.c", "vec.cl"):
        assert comment in (command.folder / "out" / name).read_bytes()


def test_a_misspelt_annotation_beside_a_right_one_is_told(command: Command) -> None:
    command.change("app.c", "    return 0;", "#pragma kfuze(a)\n    return 0;")
    done = command.run(*PROGRAM, "-o", "out")
    assert done.returncode == 0
    assert "warning[KF114]: the pragma 'kfuze' is not understood" in done.stderr


def test_folders_of_the_c_library_are_left_to_the_compiler(command: Command) -> None:
    """CMake's `OpenCL::OpenCL` may name `/usr/include`."""
    command.change("app.c", '#include "vec.h"\n', '#include "vec.h"\n#include <stdint.h>\n')
    done = command.run(*PROGRAM, "-o", "out", "-I/usr/include")
    assert (done.returncode, done.stderr) == (0, "")
