"""`--require`, `require(1)` and `--strict`: regions that must be fused."""

# ruff: noqa: E501 - messages are shown as they are

import pytest

from tests.cli.conftest import ROOT, Command
from tests.support import called

FILES = ("app.c", "vec.c", "vec.cl", "-o", "out")
NOT_FUSED = """\
vec.cl:10:12: [KF236] 'a[i + 1]' in add() may read elements of 't' that no item of scale() makes: it is not known that 'i + 1 < get_global_size(0)' in add()
   10 |     c[i] = a[i + 1] + b[i];
      |            ^~~~~~~~
  help: `kfusion explain CODE` says more of each"""


def beyond(command: Command) -> None:
    """No fusion of the two kernels is legal."""
    command.change("vec.cl", "a[i] + b[i]", "a[i + 1] + b[i]")


def annotate(command: Command, clauses: str) -> None:
    command.change("app.c", "out(c))\n", f"out(c)) {clauses}\n")


def accepted(command: Command, *options: str) -> None:
    done = called.kfusion((*FILES, *options), command.folder)
    assert done.returncode == 0, done.stderr
    assert (command.folder / "out" / "app.c").exists()


@pytest.mark.parametrize("file", ["app.c", "{folder}/app.c"])
def test_a_region_that_comes_down_to_the_required_kernels(command: Command, file: str) -> None:
    accepted(command, "--require", f"{file.format(folder=command.folder)}:6=1")


@pytest.mark.parametrize(
    "clauses",
    [
        "require(1)",
        "require(1) runs(scale(t, a, f), add(c, t, b))",
        "runs(scale(t, a, f), add(c, t, b)) require(1) harmless(log_line)",
        "harmless(log_line) require(2)",
    ],
)
def test_an_annotation_that_requires(command: Command, clauses: str) -> None:
    annotate(command, clauses)
    accepted(command)


def test_a_region_that_comes_to_more_kernels(command: Command) -> None:
    beyond(command)
    said = command.refused(*FILES, "--require", "app.c:6=1", status=1)
    assert (
        """\
app.c:6:1: error[KF306]: this region comes to 2 kernels, and 1 at most is required
    6 | #pragma kfuse(a, b, out(c))
      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~
"""
        + NOT_FUSED
        in said
    )


def test_an_annotation_that_is_not_met(command: Command) -> None:
    annotate(command, "require(1) runs(scale(t, a, f), add(c, t, b))")
    beyond(command)
    said = command.refused(*FILES, status=1)
    assert "app.c:6:1: error[KF306]: this region comes to 2 kernels, and 1 at most" in said


def test_a_number_that_is_large_enough(command: Command) -> None:
    beyond(command)
    accepted(command, "--require", "app.c:6=2")


def test_the_smaller_number_counts(command: Command) -> None:
    annotate(command, "require(2)")
    beyond(command)
    assert "KF306" in command.refused(*FILES, "--require", "app.c:6=1", status=1)


def test_a_required_region_that_stays_as_it_is_written(command: Command) -> None:
    command.change("app.c", "out(c)", "out(sum)")
    said = command.refused(*FILES, "--require", "app.c:6=5", status=1)
    assert "error[KF306]: this region stays as it is written, and 5 at most are required" in said
    assert "[KF127] 'sum' is not used in this region" in said.partition("KF306")[2]


@pytest.mark.parametrize("clauses", ["require(one)", "require()", "require(0)", "require(1, 2)"])
def test_a_requirement_that_cannot_be_read(command: Command, clauses: str) -> None:
    annotate(command, clauses)
    said = command.refused(*FILES)
    assert "error[KF112]: this annotation cannot be read: expected a number of kernels" in said


@pytest.mark.parametrize("written", ["kfuse(a, b, out(c), require(1))", "kfuse(a) requires(1)"])
def test_a_requirement_at_the_wrong_place(command: Command, written: str) -> None:
    command.change("app.c", "kfuse(a, b, out(c))", written)
    assert "error[KF112]: this annotation cannot be read" in command.refused(*FILES)


@pytest.mark.parametrize("option", ["app.c", "app.c:6", "app.c:6=0", "app.c:x=1", "=1"])
def test_a_malformed_require(command: Command, option: str) -> None:
    said = command.refused(*FILES, "--require", option)
    assert "error[KF100]: --require wants FILE:LINE=NUMBER, for example app.c:24=1" in said
    assert "help: the regions are: app.c:6\n" in said


def test_a_require_of_no_region(command: Command) -> None:
    assert (
        command.refused(*FILES, "--require", "app.c:7=1")
        == """\
<command line>:1:45: error[KF100]: --require: no region begins at app.c:7
    1 | kfusion app.c vec.c vec.cl -o out --require app.c:7=1
      |                                             ^~~~~~~~~
  help: the regions are: app.c:6
"""
    )


@pytest.mark.parametrize(("target", "status"), [("cpu", 0), ("any", 1)])
def test_rounds_of_a_loop_with_a_pattern_count_as_one_kernel(target: str, status: int) -> None:
    files = ("stencil/apps/steps.c", "stencil/stencil.c", "stencil/stencil.cl")
    options = ("-Istencil", "-Iplanes", "--dry-run", "--target", target, "-q")
    done = called.kfusion((*files, *options, "--require", "steps.c:33=1"), ROOT / "casestudies")
    assert done.returncode == status, done.stderr
    assert ("error[KF306]: this region comes to 2 kernels" in done.stderr) is (status == 1)


def test_strict_says_which_regions_it_means(command: Command) -> None:
    beyond(command)
    said = command.refused(*FILES, "--strict", status=1)
    named = NOT_FUSED.replace("vec.cl:10:12: ", "").splitlines()[0]
    assert (
        f"""\
<command line>:1:35: error[KF302]: --strict: not everything in the regions is fused
    1 | kfusion app.c vec.c vec.cl -o out --strict
      |                                   ^~~~~~~~
app.c:6:1: comes to 2 kernels: {named}
"""
        in said
    )
