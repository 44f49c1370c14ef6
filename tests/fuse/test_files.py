"""Kernel files as they are written back: thesis-form sections become pragmas."""

from __future__ import annotations

from pathlib import Path

import pytest

from kfusion.parse.annotations import find_annotations
from kfusion.parse.compiler import Preprocessor
from kfusion.parse.opencl import parse_opencl
from kfusion.parse.sources import preprocess_opencl
from kfusion.source.text import SourceFile
from kfusion.synthesis.files import with_kernels
from tests.support.kernel_side import kernel_of

HEAD = "__kernel void f(__global float *c, __global const float *a)\n{\n"


def written(body: str) -> str:
    source = SourceFile(Path("kernels.cl"), f"{HEAD}{body}}}\n")
    marks = find_annotations(source, True)
    unit = parse_opencl(source, marks, preprocess_opencl(source, marks, Preprocessor()))
    text = with_kernels(unit, ())
    kernel_of(text)  # it can be read again
    return text.removeprefix(HEAD).removesuffix("}\n")


THESIS = """\
    kload {
        float x = a[0];
    }
    x *= 2;
    kstore { c[0] = x; }
"""
PRAGMAS = """\
    #pragma kload
        float x = a[0];
    #pragma kcore
    x *= 2;
    #pragma kstore
        c[0] = x;
"""
NAMED_THESIS = """\
    kload(a)
    {
        float x = a[0];
    }

    kstore(c) {
        c[0] = x;
    }
"""
NAMED_PRAGMAS = """\
    #pragma kload(a)
        float x = a[0];

    #pragma kstore(c)
        c[0] = x;
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [(THESIS, PRAGMAS), (NAMED_THESIS, NAMED_PRAGMAS), (PRAGMAS, PRAGMAS)],
    ids=["core-between", "named", "pragmas-stay"],
)
def test_sections(body: str, expected: str) -> None:
    lines = [line.rstrip() for line in written(body).splitlines()]
    assert lines == expected.splitlines()


def test_a_file_without_sections_stays_as_it_is() -> None:
    body = "    c[0] = a[0]; // kload { no section }\n"
    assert written(body) == body
