"""Small programs with a region, and what is said of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kfusion.host.closed import Closedness, closedness
from kfusion.host.program import HostProgram
from kfusion.host.region import Region, read_regions

Programs = Callable[[Mapping[str, str]], HostProgram]

HEADERS = """\
#include <CL/cl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <threads.h>
#include <unistd.h>
extern cl_command_queue queue;
extern cl_program program;
extern cl_event event;
"""
STATE = "cl_command_queue queue; cl_program program; cl_event event;\n"


def judged(
    program: HostProgram, *harmless: str, settled: frozenset[str] = frozenset()
) -> Closedness:
    """Of the program's only region."""
    (unit,) = (unit for unit in program.units if unit.annotations.regions)
    (region,) = read_regions(unit, set())
    assert isinstance(region, Region)
    return closedness(region.block, region.function, program, frozenset(harmless), settled)


def messages(found: Closedness) -> list[str]:
    return [opened.message for opened in found.opened]


def in_region(statements: str, before: str = "") -> dict[str, str]:
    """A program of one file, with these statements in its region."""
    text = f"{HEADERS}{STATE}{before}\nint main(void)\n{{\n    int x = 0;\n#pragma kfuse\n    {{\n"
    return {"app.c": f"{text}        {statements}\n    }}\n    return x;\n}}\n"}


APP = """\
void run(int n);
int main(void)
{
#pragma kfuse
    {
        run(1);
    }
    return 0;
}
"""


def two_calls_deep(declarations: str, statement: str) -> dict[str, str]:
    library = (
        f"{HEADERS}{STATE}{declarations}\n"
        f"static void inner(int n)\n{{\n    {statement}\n}}\n"
        "void run(int n)\n{\n    inner(n);\n}\n"
    )
    return {"app.c": APP, "lib.c": library}
