"""The files of a program share the state of a thread; threads share nothing."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from casestudies.measure import run_counted
from kfusion.runtime import HEADER_NAME
from tests.runtime.builds import PROGRAMS, header


@pytest.mark.parametrize("versions", [(120, 120), (300, 100)])
@pytest.mark.parametrize("plus", [False, True], ids=["c", "c and c++"])
def test_one_region_two_files_four_threads(
    versions: tuple[int, int], plus: bool, tmp_path: Path
) -> None:
    (tmp_path / HEADER_NAME).write_text(header(), encoding="utf-8")
    objects = []
    for name, version in zip(("first", "other"), versions, strict=True):
        language = ["g++", "-x", "c++"] if plus and name == "other" else ["gcc"]
        source = PROGRAMS / f"{name}.c"
        if plus and name == "other":
            wrapped = f'extern "C" {{\n#include "{PROGRAMS / "two.h"}"\n}}\n'
            text = source.read_text(encoding="utf-8").replace('#include "two.h"\n', wrapped)
            source = tmp_path / "other.cpp"
            source.write_text(text, encoding="utf-8")
        objects.append(str(tmp_path / f"{name}.o"))
        command = [*language, f"-DCL_TARGET_OPENCL_VERSION={version}", "-Werror", "-O1"]
        command += [f"-I{tmp_path}", f"-I{PROGRAMS}", "-c", str(source), "-o", objects[-1]]
        command += ["-Wno-deprecated-declarations"]
        subprocess.run(command, check=True)
    program = tmp_path / "program"
    link = ["g++", *objects, "-o", str(program), "-lOpenCL", "-pthread"]
    subprocess.run(link, check=True)
    run = run_counted([str(program)])
    assert run.stdout == "".join(f"{i * i + 1} {(i + 63) ** 2 + 64}\n" for i in range(5))
    assert run.launches == {"square_add": 81}
