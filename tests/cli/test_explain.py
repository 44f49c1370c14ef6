"""`kfusion explain`: codes as people type them, and its output as exact text."""

from __future__ import annotations

import subprocess
import sys

import pytest

from kfusion.source.codes import CODES
from tests.cli.conftest import Command

OUTPUT_OVER_INPUT = """\
KF113: the output folder would overwrite the inputs

The output folder holds one of the input files, which would be overwritten.
Links and other spellings of a path are seen through.

Example

  command
    kfusion app.c vec.c vec.cl -o .

What to do

Choose another folder: `-o out`.
"""

INDEX = """\
KF203: the index of an access is not understood

Two calls use one buffer, at least one of them writes it, and it cannot be told
which element an access touches. kfusion follows an index that is a sum,
product, quotient or remainder of ids, scalar parameters, constants and counting
loops, also through variables, and through functions of integers without loops.
Where a value is one of several, by `?:`, `if`, `min`, `max`, `clamp` or `abs`
of integers, each of them is looked at, unless there are many. It does not
follow most shifts to the right and bitwise operators, vectors that a condition
decides about, nor what is read from memory: that may lead to any element, also
to one that another work-item writes.

Example

  kernels.cl
    kernel void square(global float *y, global const float *x)
    {
        size_t i = get_global_id(0);
        y[i] = x[i] * x[i];
    }

    kernel void gather(global float *y, global const float *x, global const int *index)
    {
        size_t i = get_global_id(0);
        y[i] = x[index[i]];
    }

  calls
    square(t, x)
    gather(y, t, index)

What to do

Write the index as a plain formula of `get_global_id()`, scalars and constants
if it is one. Let what decides between two indices be ids, scalars and
constants, and nothing that is read from memory. A gather or a scatter keeps a
launch of its own: take it to the edge of the region, so that the other calls
stand together.
"""

UNKNOWN = """\
<command line>:1:17: error[KF100]: no code is called '{word}'
    1 | kfusion explain {word}
      |                 {caret}
  help: {help}
"""


def said(command: Command, *words: str) -> str:
    done = command.run("explain", *words)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_code_with_a_command_line(command: Command) -> None:
    assert said(command, "KF113") == OUTPUT_OVER_INPUT


def test_code_with_kernels_and_calls(command: Command) -> None:
    assert said(command, "KF203") == INDEX


@pytest.mark.parametrize("word", ["kf203", "203", "Kf203"])
def test_code_in_other_spellings(command: Command, word: str) -> None:
    assert said(command, word) == INDEX


def test_several_codes(command: Command) -> None:
    assert said(command, "113", "203") == f"{OUTPUT_OVER_INPUT}\n\n{INDEX}"


def test_without_a_code_all_are_listed(command: Command) -> None:
    listed = said(command)
    assert listed.startswith(
        """\
The input cannot be understood (an error: exit status 2; a warning of one region: 0)
  KF100  the command line cannot be understood
  KF101  a file cannot be read
"""
    )
    assert [line.split()[0] for line in listed.split("\n") if line.startswith("  ")] == [*CODES]


@pytest.mark.parametrize(
    ("word", "help"),
    [
        ("KF220", "KF219 and KF221 are near it; `kfusion explain` lists all codes"),
        ("kf299", "KF244 is near it; `kfusion explain` lists all codes"),
        ("KF999", "`kfusion explain` lists all codes"),
        ("KF20", "`kfusion explain` lists all codes"),
        ("stencil", "`kfusion explain` lists all codes"),
    ],
)
def test_unknown_code(command: Command, word: str, help: str) -> None:
    caret = "^" + "~" * (len(word) - 1)
    expected = UNKNOWN.format(word=word, caret=caret, help=help)
    assert command.refused("explain", word) == expected


def test_unknown_code_among_others(command: Command) -> None:
    assert command.refused("explain", "KF203", "KF204x").split("\n")[1:3] == [
        "    1 | kfusion explain KF203 KF204x",
        "      |                       ^~~~~~",
    ]


def test_explanations_are_loaded_for_this_command_alone() -> None:
    names = "{'kfusion.report.explain', 'tomllib'}"
    code = f"import sys, kfusion.cli; print(sorted({names} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
