"""Command lines that cannot be followed."""

# ruff: noqa: E501 - messages are shown as they are

import pytest

from tests.cli.conftest import Command

NO_REGION = """\
app.c:1:1: note[KF114]: none of the files holds a region: they are copied
    1 | #include "vec.h"
      | ^~~~~~~~~~~~~~~~
  help: write `#pragma kfuse(x, y)` before a block of library calls
"""


def test_compiler_that_is_not_there(command: Command) -> None:
    assert (
        command.refused("app.c", "vec.c", "vec.cl", "-o", "out", "--cc", "nonexistent")
        == """\
<command line>:1:40: error[KF106]: no C compiler for preprocessing: cannot run 'nonexistent': No such file or directory
    1 | kfusion app.c vec.c vec.cl -o out --cc nonexistent
      |                                        ^~~~~~~~~~~
  help: try --cc cc
"""
    )


def test_compiler_with_arguments_that_is_not_there(command: Command) -> None:
    assert (
        command.refused("app.c", "vec.c", "vec.cl", "-o", "out", "--cc", "nonexistent -m32")
        == """\
<command line>:1:40: error[KF106]: no C compiler for preprocessing: cannot run 'nonexistent -m32': No such file or directory
    1 | kfusion app.c vec.c vec.cl -o out --cc 'nonexistent -m32'
      |                                        ^~~~~~~~~~~~~~~~~~
  help: try --cc cc
"""
    )


def test_compiler_that_does_not_preprocess(command: Command) -> None:
    assert (
        command.refused("app.c", "vec.c", "vec.cl", "-o", "out", "--cc", "true")
        == """\
<command line>:1:40: error[KF106]: no C compiler for preprocessing: cannot run 'true': it does not preprocess
    1 | kfusion app.c vec.c vec.cl -o out --cc true
      |                                        ^~~~
  help: try --cc cc
"""
    )


def test_compiler_that_fails(command: Command) -> None:
    assert (
        command.refused("app.c", "vec.c", "vec.cl", "-o", "out", "--cc=false")
        == """\
<command line>:1:35: error[KF106]: no C compiler for preprocessing: cannot run 'false': it fails without a message
    1 | kfusion app.c vec.c vec.cl -o out --cc=false
      |                                   ^~~~~~~~~~
  help: try --cc cc
"""
    )


def test_compiler_with_an_open_quote(command: Command) -> None:
    assert (
        command.refused("app.c", "vec.c", "vec.cl", "-o", "out", "--cc", "gcc '")
        == """\
<command line>:1:40: error[KF106]: no C compiler for preprocessing: cannot run 'gcc '': No closing quotation
    1 | kfusion app.c vec.c vec.cl -o out --cc 'gcc '"'"''
      |                                        ^~~~~~~~~~~
  help: try --cc cc
"""
    )


def test_no_compiler_at_all(command: Command) -> None:
    assert (
        command.refused("app.c", "vec.c", "vec.cl", "-o", "out", PATH="/nonexistent")
        == """\
<command line>:1:34: error[KF106]: no C compiler for preprocessing: cannot run 'cc': No such file or directory
    1 | kfusion app.c vec.c vec.cl -o out
      |                                  ^
  help: install one, for example: apt-get install gcc
"""
    )


def test_unknown_option(command: Command) -> None:
    assert (
        command.refused("app.c", "vec.c", "vec.cl", "-o", "out", "--fast")
        == """\
<command line>:1:35: error[KF100]: no such option: --fast
    1 | kfusion app.c vec.c vec.cl -o out --fast
      |                                   ^~~~~~
  help: see kfusion --help
"""
    )


def test_option_without_its_value(command: Command) -> None:
    assert (
        command.refused("app.c", "vec.c", "vec.cl", "-o")
        == """\
<command line>:1:28: error[KF100]: option '-o' requires an argument
    1 | kfusion app.c vec.c vec.cl -o
      |                            ^~
  help: see kfusion --help
"""
    )


def test_bad_macro_definition(command: Command) -> None:
    assert (
        command.refused("app.c", "vec.c", "vec.cl", "-o", "out", "-D", "1x")
        == """\
<command line>:1:38: error[KF100]: -D wants NAME or NAME=VALUE
    1 | kfusion app.c vec.c vec.cl -o out -D 1x
      |                                      ^~
  help: see kfusion --help
"""
    )


def test_bad_budget(command: Command) -> None:
    assert (
        command.refused("app.c", "vec.c", "vec.cl", "-o", "out", "--budget", "speed=12")
        == """\
<command line>:1:44: error[KF100]: --budget wants NAME=NUMBER
    1 | kfusion app.c vec.c vec.cl -o out --budget speed=12
      |                                            ^~~~~~~~
  help: the names are levels, parameter-bytes, constant-arguments, local-bytes, read-images, write-images, samplers, registers, elements, whole-groups, local-copies, unrolled, near, strip, rows, march, marchers, marches, launches, pauses
"""
    )


def test_budget_that_is_misspelt(command: Command) -> None:
    said = command.refused("app.c", "vec.c", "vec.cl", "-o", "out", "--budget", "nera=3")
    assert said.endswith("  help: did you mean near?\n")


@pytest.mark.parametrize("words", [("--target", "cuda"), ("--target=cuda",), ("--patience", "x")])
def test_value_that_an_option_does_not_take(command: Command, words: tuple[str, ...]) -> None:
    said = command.refused(*words, "app.c", "vec.c", "vec.cl", "-o", "out")
    _, line, caret, _ = said.splitlines()
    assert line[caret.index("^") : len(caret)] == words[-1]


def test_folder_that_is_not_there(command: Command) -> None:
    said = command.refused("app.c", "vec.c", "vec.cl", "-o", "out", "--keep-folders", "none")
    assert "error[KF103]: --keep-folders: there is no folder none\n" in said


def test_no_files(command: Command) -> None:
    assert (
        command.refused()
        == """\
<command line>:1:8: error[KF100]: give the files to fuse: applications, libraries and kernels
    1 | kfusion
      |        ^
  help: see kfusion --help
"""
    )


def test_no_output_folder(command: Command) -> None:
    assert (
        command.refused("app.c", "vec.c", "vec.cl")
        == """\
<command line>:1:27: error[KF100]: give the folder to write to: -o OUT (or --dry-run)
    1 | kfusion app.c vec.c vec.cl
      |                           ^
  help: see kfusion --help
"""
    )


@pytest.mark.parametrize(
    "word", ["kfsue", "kfused", "kfuze", "Kfuse", "KFUSE", "kfuse_begin", "kfus", "fuse", "kfusion"]
)
def test_a_misspelt_region(command: Command, word: str) -> None:
    command.change("app.c", "#pragma kfuse", f"#pragma {word}")
    assert (
        command.left_program()
        == f"""\
app.c:6:9: warning[KF114]: the pragma '{word}' is not understood
    6 | #pragma {word}(a, b, out(c))
      |         ^{"~" * (len(word) - 1)}
  help: write `#pragma kfuse(x, y)`
{NO_REGION}"""
    )


@pytest.mark.parametrize(
    "pragma",
    [
        *(
            "omp parallel for",
            "once",
            "unroll 4",
            "pack(1)",
            "GCC ivdep",
            "acc loop",
            "mark - fusion",
        ),
        *("STDC FP_CONTRACT OFF", "message(kfuse)", "simd", "region x", "ident", "weak f", "use x"),
    ],
)
def test_pragmas_of_others_are_not_warned_of(command: Command, pragma: str) -> None:
    command.change("app.c", "#pragma kfuse(a, b, out(c))", f"#pragma {pragma}")
    assert command.left_program() == NO_REGION


@pytest.mark.parametrize(
    ("file", "line", "meant"),
    [
        ("vec.cl", "#pragma kstroe", "kstore"),
        ("vec.c", "#pragma Sync in", "sync in"),
        ("vec.cl", "#pragma imovable", "immovable"),
    ],
)
def test_other_misspelt_annotations(command: Command, file: str, line: str, meant: str) -> None:
    command.write(file, f"{line}\n{command.read(file)}")
    said = command.run("app.c", "vec.c", "vec.cl", "-o", "out").stderr
    assert f"{file}:1:9: warning[KF114]: the pragma '{line.split()[1]}' is not under" in said
    assert f"write `#pragma {meant}`" in said


def test_no_region_in_any_file(command: Command) -> None:
    command.change("app.c", "#pragma kfuse(a, b, out(c))\n", "")
    assert command.left_program() == NO_REGION


def test_no_kernels(command: Command) -> None:
    assert (
        command.refused("vec.c", "app.c", "-o", "out")
        == """\
<command line>:1:27: error[KF114]: none of the files is a kernel file (.cl)
    1 | kfusion vec.c app.c -o out
      |                           ^
  help: give the kernels, too; those that a program composes come from a run of it: see --for-recording
"""
    )


def test_output_beside_the_inputs(command: Command) -> None:
    assert (
        command.refused("app.c", "vec.c", "vec.cl", "-o", ".")
        == """\
<command line>:1:31: error[KF113]: the output folder . would overwrite the input app.c
    1 | kfusion app.c vec.c vec.cl -o .
      |                               ^
  help: choose another folder with -o
"""
    )


def test_output_beside_the_inputs_in_another_spelling(command: Command) -> None:
    (command.folder / "sub").mkdir()
    assert (
        command.refused("app.c", "vec.c", "vec.cl", "-o", "sub/..")
        == """\
<command line>:1:31: error[KF113]: the output folder sub/.. would overwrite the input app.c
    1 | kfusion app.c vec.c vec.cl -o sub/..
      |                               ^~~~~~
  help: choose another folder with -o
"""
    )


def test_output_beside_the_inputs_through_a_link(command: Command) -> None:
    (command.folder / "link").symlink_to(".")
    assert (
        command.refused("app.c", "vec.c", "vec.cl", "-o", "link")
        == """\
<command line>:1:31: error[KF113]: the output folder link would overwrite the input app.c
    1 | kfusion app.c vec.c vec.cl -o link
      |                               ^~~~
  help: choose another folder with -o
"""
    )


def test_output_over_one_of_the_inputs(command: Command) -> None:
    command.write("src/app.c", command.read("app.c"))
    assert (
        command.refused("src/app.c", "vec.c", "vec.cl", "-I.", "-o", "src")
        == """\
<command line>:1:39: error[KF113]: the output folder src would overwrite the input src/app.c
    1 | kfusion src/app.c vec.c vec.cl -I. -o src
      |                                       ^~~
  help: choose another folder with -o
"""
    )


def test_output_over_what_an_input_links_to(command: Command) -> None:
    command.write("real/app.c", command.read("app.c"))
    (command.folder / "app.c").unlink()
    (command.folder / "app.c").symlink_to("real/app.c")
    assert (
        command.refused("app.c", "vec.c", "vec.cl", "-o", "real")
        == """\
<command line>:1:31: error[KF113]: the output folder real would overwrite the input app.c
    1 | kfusion app.c vec.c vec.cl -o real
      |                               ^~~~
  help: choose another folder with -o
"""
    )


def test_output_below_a_file(command: Command) -> None:
    command.write("file", "")
    assert (
        command.refused("app.c", "vec.c", "vec.cl", "-o", "file/out")
        == """\
<command line>:1:31: error[KF116]: cannot write to file/out: Not a directory
    1 | kfusion app.c vec.c vec.cl -o file/out
      |                               ^~~~~~~~
"""
    )


def test_output_where_nothing_can_be_made(command: Command) -> None:
    assert (
        command.refused("app.c", "vec.c", "vec.cl", "-o", "/proc/out")
        == """\
<command line>:1:31: error[KF116]: cannot write to /proc/out: No such file or directory
    1 | kfusion app.c vec.c vec.cl -o /proc/out
      |                               ^~~~~~~~~
"""
    )


def test_input_with_the_name_of_the_generated_header(command: Command) -> None:
    command.write("kfusion_fused.h", "int x;\n")
    assert (
        command.refused("app.c", "vec.c", "kfusion_fused.h", "vec.cl", "-o", "out")
        == """\
<command line>:1:21: error[KF103]: kfusion_fused.h is the name of the generated header
    1 | kfusion app.c vec.c kfusion_fused.h vec.cl -o out
      |                     ^~~~~~~~~~~~~~~
"""
    )


def test_strip_without_files(command: Command) -> None:
    assert (
        command.refused("strip")
        == """\
<command line>:1:14: error[KF100]: missing argument 'FILES...'
    1 | kfusion strip
      |              ^
  help: see kfusion strip --help
"""
    )


def test_strip_without_an_output_folder(command: Command) -> None:
    assert (
        command.refused("strip", "app.c")
        == """\
<command line>:1:20: error[KF100]: missing option '-o' / '--output'
    1 | kfusion strip app.c
      |                    ^
  help: see kfusion strip --help
"""
    )


def test_strip_beside_the_inputs(command: Command) -> None:
    assert (
        command.refused("strip", "app.c", "-o", ".")
        == """\
<command line>:1:24: error[KF113]: the output folder . would overwrite the input app.c
    1 | kfusion strip app.c -o .
      |                        ^
  help: choose another folder with -o
"""
    )


def test_strip_of_a_missing_file(command: Command) -> None:
    assert (
        command.refused("strip", "gone.c", "-o", "out")
        == """\
<command line>:1:15: error[KF101]: cannot read gone.c: No such file or directory
    1 | kfusion strip gone.c -o out
      |               ^~~~~~
"""
    )


def test_misspelt_command(command: Command) -> None:
    assert (
        command.refused("expalin", "KF201")
        == """\
<command line>:1:9: error[KF100]: no such command: expalin
    1 | kfusion expalin KF201
      |         ^~~~~~~
  help: did you mean: kfusion explain
"""
    )


def test_option_that_is_cut_off(command: Command) -> None:
    said = command.refused("app.c", "vec.c", "vec.cl", "-o", "out", "--explain")
    assert said.startswith("<command line>:1:35: error[KF100]: no such option: --explain\n")
    assert said.endswith("  help: did you mean --explain-plan?\n")


def test_output_of_kfusion_as_its_input(command: Command) -> None:
    command.change("vec.c", '#include "vec.h"', '#include "kfusion_calls.h"\n#include "vec.h"')
    assert (
        command.refused("app.c", "vec.c", "vec.cl", "-o", "out")
        == """\
vec.c:1:1: error[KF114]: this file is one that kfusion has written
    1 | #include "kfusion_calls.h"
      | ^~~~~~~~~~~~~~~~~~~~~~~~~~
  help: give the file that it was made of
"""
    )
