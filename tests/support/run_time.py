"""The run time of fused programs as one object, which many programs of a test are linked with.

A generated `kfusion_fused.h` has 5000 lines that are the same for all programs. Here they are
compiled once, and the programs get a header that only declares them. What users compile is
another matter: `tests/runtime` and the case studies do that.
"""

from __future__ import annotations

import re
from pathlib import Path

from kfusion.runtime import CLOSED, HEADER_NAME, implementation_text, runtime_text
from tests.support.kept import kept_object

IDENTITY = "tests"
FLAGS = ("-O1", "-w", "-DCL_TARGET_OPENCL_VERSION=300", "-DCL_USE_DEPRECATED_OPENCL_1_0_APIS")

_HERE = "#define KFUSION_HERE "
_BODY = re.compile(r"\n\{.*?^\}$", re.MULTILINE | re.DOTALL)
_BODY_ON_A_LINE = re.compile(r"^(KFUSION_HERE .*\)) \{ .* \}$", re.MULTILINE)
_BODY_OF_A_MACRO = re.compile(r" *\\\n {4}\{ *\\$.*?^ {4}\}$", re.MULTILINE | re.DOTALL)


def source(*, closed: bool) -> str:
    """A C file that defines the run time. `closed`: for programs that are closed as a whole."""
    text = runtime_text(IDENTITY, "", closed=closed)
    start = text.index(_HERE)
    return text[:start] + _HERE + text[text.index("\n", start) :]


def made(folder: Path, *, closed: bool) -> Path:
    """The object of it. The folder is one to write to."""
    (folder / "run_time.c").write_text(source(closed=closed))
    return kept_object("run_time.c", [folder], FLAGS, folder)


def is_closed(header: str) -> bool:
    return f"#define KFUSION_CLOSED {CLOSED[True]}\n" in header


def can_declare(header: str) -> bool:
    """Not where macros of the program's are put aside: what they would do must be seen."""
    return implementation_text() in header and "push_macro" not in header


def declared(name: str, header: str) -> str:
    """A generated header that declares what `source` defines."""
    identity = re.search(r"#define KFUSION_ID (\w+)\n", header)
    assert identity is not None, name
    text = header.replace(identity[1], IDENTITY)
    if name != HEADER_NAME:
        return text
    return text.replace(implementation_text(), _declarations(implementation_text()))


def _declarations(text: str) -> str:
    text = _BODY_OF_A_MACRO.sub(";", text)
    text = _BODY_ON_A_LINE.sub(r"\1;", text)
    text = _BODY.sub(";", text).replace("KFUSION_HERE ", "")
    opening, closing = ('extern "C" {', "}")
    return "\n".join(
        ["#ifdef __cplusplus", opening, "#endif", text, "#ifdef __cplusplus", closing, "#endif\n"]
    )
