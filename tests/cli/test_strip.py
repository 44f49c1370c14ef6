"""`kfusion strip` takes annotations out and leaves everything else."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kfusion.device.opencl import build_program
from kfusion.regenerate.strip import stripped
from tests.cli.conftest import ROOT, Command

LINALG = ROOT / "casestudies" / "linalg"


def strip(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_bytes(text.encode())
    return stripped(path)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("#pragma kfuse(a, out(b))\n{\n    f(a);\n}\n", "{\n    f(a);\n}\n"),
        ("  #  pragma kfuse(a, \\\n  b)\n{ f(a); }\n", "{ f(a); }\n"),
        ("    kfuse(a, out(b)) {\n        f(a);\n    }\n", "    {\n        f(a);\n    }\n"),
        ("    kfuse(a)\n    {\n    }\n", "    {\n    }\n"),
        ("    if (x) kfuse(a) { f(a); }\n", "    if (x) { f(a); }\n"),
        ("    if (x) kfuse(a,\n        b) {\n    }\n", "    if (x) {\n    }\n"),
        ("    kfuse(a) /* why */\n    {}\n", "    /* why */\n    {}\n"),
        ('#include <kfusion.h>\n#include "v.h"\nkfuse(a) {}', '#include "v.h"\n{}'),
        ('# include "kfusion.h" // c\r\nkfuse(a) {}\r\n', "{}\r\n"),
        ("#include <kfusion.h>\n#pragma kfuse(a)\n{ f(a); }\n", "{ f(a); }\n"),
        ("#include <kfusion.h>\nint f(void);\n", "int f(void);\n"),
        (
            "#include <kfusion.h>\n#ifdef kfuse /* seen */\n#endif\n",
            "#include <kfusion.h>\n#ifdef kfuse /* seen */\n#endif\n",
        ),
        (
            "/*\n#include <kfusion.h>\n*/\n#include <kfusion.h> // kfuse\nint a;\n",
            "/*\n#include <kfusion.h>\n*/\nint a;\n",
        ),
        ("#pragma sync in\r\nint f(int a);\r\n", "int f(int a);\r\n"),
        ("#pragma sync in(a) out(b)\nint f(int a, int b);", "int f(int a, int b);"),
        ("int f(void);", "int f(void);"),
        ('char *s = "kfuse(a) {}"; // kfuse(b) {}\n', 'char *s = "kfuse(a) {}"; // kfuse(b) {}\n'),
        ("#pragma omp parallel\n", "#pragma omp parallel\n"),
    ],
)
def test_hosts(tmp_path: Path, before: str, after: str) -> None:
    assert strip(tmp_path, "a.c", before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("    kload {\n        x;\n\n        y;\n    }\n    z;\n", "    x;\n\n    y;\n    z;\n"),
        ("    kload(a, b)\n    {\n      x;\n        y;\n    }\n", "    x;\n      y;\n"),
        ("\tkstore {\n\t\tx;\n\t}\n", "\tx;\n"),
        ("    kstore { c[i] = x; }\n", "    c[i] = x; \n"),
        ("    kload {\n    x;\n    }\n", "    x;\n"),
        ("    kload {\n#if 1\n        x;\n#endif\n    }\n", "#if 1\n        x;\n#endif\n"),
        (
            "#pragma kload\n  x;\n#pragma kcore\n  y;\n#pragma kstore(c)\n  z;\n",
            "  x;\n  y;\n  z;\n",
        ),
        ("#pragma immovable\n    prefetch(a, 1);\n", "    prefetch(a, 1);\n"),
        ("    int kload = 3;\n    kstore(kload);\n", "    int kload = 3;\n    kstore(kload);\n"),
        ("#pragma OPENCL FP_CONTRACT OFF\n", "#pragma OPENCL FP_CONTRACT OFF\n"),
    ],
)
def test_kernels(tmp_path: Path, before: str, after: str) -> None:
    head = "kernel void f(global int *c)\n{\n"
    assert strip(tmp_path, "a.cl", f"{head}{before}}}\n") == f"{head}{after}}}\n"


def test_the_case_study_in_the_thesis_form_compiles(command: Command) -> None:
    command.write("linalg.cl", (LINALG / "thesis" / "linalg.cl").read_bytes())
    command.write("pythagoras.c", (LINALG / "thesis" / "pythagoras.c").read_bytes())
    done = command.run("strip", "linalg.cl", "pythagoras.c", "-o", "out")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    host = ["cc", "-std=c99", "-Wall", "-Werror", "-fsyntax-only", "-DCL_TARGET_OPENCL_VERSION=120"]
    host += [f"-I{LINALG}", f"-I{LINALG}/apps", "out/pythagoras.c"]
    subprocess.run(host, cwd=command.folder, check=True)
    kernels = command.read("out/linalg.cl")
    assert "kload" not in kernels.split("*/", 1)[1]
    assert "    REAL a_val = a[gid];\n" in kernels
    build_program(kernels, ["-DREAL=float"])


def test_several_files_are_written_or_none(command: Command) -> None:
    command.change("vec.cl", "    c[i] = a[i] + b[i];\n}", "    kstore {\n    c[i] = 0;")
    said = command.refused("strip", "app.c", "vec.cl", "-o", "out")
    assert (
        said
        == """\
vec.cl:10:5: error[KF109]: this kstore is not closed: expected '}'
   10 |     kstore {
      |     ^~~~~~
"""
    )
