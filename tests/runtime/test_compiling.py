"""The header compiles everywhere without a warning, and asks for no function that is not called."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from kfusion.runtime import CALLS_NAME, HEADER_NAME
from tests.runtime.builds import PROGRAMS, WARNINGS, calls_header, header

C = ("-std=c99", "-std=c11", "-std=gnu17", "-std=gnu89")
PLUS = ("-std=c++11", "-std=c++17", "-std=gnu++20")
OPTIMISED = ("-std=gnu17", "-std=c++17")
OUTSIDE = ("log_line",)


def compile_text(folder: Path, text: str, standard: str, *flags: str) -> Path:
    source, output = folder / "user.c", folder / "user.o"
    source.write_text(OPENCL + text, encoding="utf-8")
    called = ["clFinish", "clSVMAlloc"]
    texts = {HEADER_NAME: header(called=called, outside=OUTSIDE), CALLS_NAME: calls_header(OUTSIDE)}
    for name, header_text in texts.items():
        (folder / name).write_text(header_text, encoding="utf-8")
    plus = "++" in standard
    command = ["g++", "-x", "c++"] if plus else ["gcc"]
    command += [standard, *flags, f"-I{PROGRAMS}", "-c", str(source), "-o", str(output)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return output


OPENCL = """
#include <CL/cl.h>
void log_line(int number, ...);
"""
USER = f"""
#include "{HEADER_NAME}"
int once(cl_command_queue queue);
int once(cl_command_queue queue)
{{
    KFUSION_REGION(whole);
    int status;
    status = clFinish(queue);
    return status;
}}
"""


CALLER = f"""
#include "{CALLS_NAME}"
int twice(cl_command_queue queue);
int twice(cl_command_queue queue)
{{
    cl_int (CL_API_CALL *const finish)(cl_command_queue) = clFinish;

    log_line(1, 2);
    return finish(queue) + clFinish(queue);
}}
"""
ORDERS = {"region": USER, "region then calls": USER + CALLER, "calls then region": CALLER + USER}
each_order = pytest.mark.parametrize("text", ORDERS.values(), ids=ORDERS)


@pytest.mark.parametrize("version", [100, 110, 120, 200, 210, 220, 300])
@pytest.mark.parametrize("standard", ["-std=c99", "-std=c++11"])
def test_each_version_of_opencl(standard: str, version: int, tmp_path: Path) -> None:
    """The order of the headers is looked at where nothing has to be generated: see below."""
    target = f"-DCL_TARGET_OPENCL_VERSION={version}"
    compile_text(tmp_path, ORDERS["region then calls"], standard, target, *WARNINGS)
    for text in ORDERS.values():
        compile_text(tmp_path, text, standard, target, *WARNINGS, "-fsyntax-only")


@each_order
@pytest.mark.parametrize("standard", [*C, *PLUS])
def test_strict_flags_of_the_user(standard: str, text: str, tmp_path: Path) -> None:
    """As users see the headers: their own warnings are not shown, those of the macros would be.
    Optimising takes two seconds, and finds the same in each dialect of a language."""
    flags = "-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wcast-qual -Wundef -Werror".split()
    flags.append("-O2" if standard in OPTIMISED and text == USER + CALLER else "-fsyntax-only")
    if "++" not in standard:
        flags += ["-Wdeclaration-after-statement", "-Wmissing-prototypes"]
    compile_text(tmp_path, text, standard, "-DCL_TARGET_OPENCL_VERSION=120", *flags)


def test_a_file_without_a_region_has_only_what_it_calls(tmp_path: Path) -> None:
    output = compile_text(tmp_path, CALLER, "-std=c99", "-O0", "-DCL_TARGET_OPENCL_VERSION=120")
    listed = subprocess.run(["nm", str(output)], capture_output=True, text=True, check=True)
    assert set(re.findall(r"\bcl[A-Z]\w+", listed.stdout)) == {"clFinish"}
    assert set(re.findall(r" [tT] (kfusion_call_cl\w+)", listed.stdout)) == {
        "kfusion_call_clFinish"
    }


def test_a_function_with_external_linkage_and_inline(tmp_path: Path) -> None:
    text = USER + "inline int again(cl_command_queue queue) { return clFlush(queue); }\n"
    text += "extern int again(cl_command_queue queue);\n"
    flags = "-Wall -Wextra -Wpedantic -Werror -DCL_TARGET_OPENCL_VERSION=120".split()
    compile_text(tmp_path, text, "-std=c99", *flags)


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_no_function_of_a_later_version_is_asked_for(level: str, tmp_path: Path) -> None:
    """Else a program would not link with a library of an earlier version any more."""
    output = compile_text(tmp_path, USER, "-std=c99", level, "-DCL_TARGET_OPENCL_VERSION=300")
    listed = subprocess.run(["nm", "-u", str(output)], capture_output=True, text=True, check=True)
    asked = set(re.findall(r"\b(cl[A-Z]\w+)", listed.stdout))
    text = Path("/usr/include/CL/cl.h").read_text(encoding="utf-8")
    first = set(re.findall(r"(cl[A-Z]\w+)\([^;]*?CL_API_SUFFIX__VERSION_1_0;", text))
    assert "clFinish" in asked
    assert asked - {"clSVMAlloc"} <= first  # that one is called by a file without a region


def test_two_files_share_one_state(tmp_path: Path) -> None:
    """Symbols that the linker sees are weak and have the identity in their names."""
    output = compile_text(tmp_path, USER, "-std=c99", "-DCL_TARGET_OPENCL_VERSION=120")
    listed = subprocess.run(["nm", str(output)], capture_output=True, text=True, check=True)
    shared = re.findall(r"^[0-9a-f]+ ([A-Z]) (kfusion\w+)$", listed.stdout, re.MULTILINE)
    seen = [(kind, name) for kind, name in shared if kind not in "tbdr".upper()]
    assert seen
    assert all(kind in "VW" and name.startswith("kfusion_tested_") for kind, name in seen)


@pytest.mark.parametrize(("flag", "value"), [("", 1), ("-DKFUSION_WITHOUT_APART", 0)])
@pytest.mark.parametrize("standard", ["-std=c99", "-std=c++11"])
def test_a_protection_is_there_unless_it_is_switched_off(
    standard: str, flag: str, value: int, tmp_path: Path
) -> None:
    others = "KFUSION_PROTECTS(PARTS) == 1"
    text = f"{USER}char found[KFUSION_PROTECTS(APART) == {value} && {others} ? 1 : -1];\n"
    flags = ["-DCL_TARGET_OPENCL_VERSION=120", *([flag] if flag else [])]
    compile_text(tmp_path, text, standard, *flags)


def test_a_compiler_without_attributes_leaves_the_program_alone(tmp_path: Path) -> None:
    includes = "".join(
        f"#include <{name}>\n"
        for name in "CL/cl.h stdarg.h stddef.h stdint.h stdio.h stdlib.h string.h".split()
    )
    text = f"{includes}#undef __GNUC__\n{USER}"
    output = compile_text(tmp_path, text, "-std=c99", "-DCL_TARGET_OPENCL_VERSION=120", "-Werror")
    listed = subprocess.run(["nm", str(output)], capture_output=True, text=True, check=True)
    assert "kfusion" not in listed.stdout
