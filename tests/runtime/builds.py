"""Builds the programs beside it, with the run time and without."""

from __future__ import annotations

import subprocess
from collections.abc import Collection
from pathlib import Path

from kfusion.runtime import HEADER_NAME, calls_text, runtime_text

PROGRAMS = Path(__file__).parent / "programs"
PATTERNS = (PROGRAMS / "patterns.h").read_text(encoding="utf-8")
WARNINGS = "-Wall -Wextra -Wpedantic -Wshadow -Werror -DKFUSION_SHOW_WARNINGS".split()


def header(
    *,
    closed: bool = False,
    additions: str = "0, NULL",
    extra: str = "",
    called: Collection[str] | None = None,
    outside: Collection[str] = (),
) -> str:
    """`additions` are those of each region, `extra` what stands before the patterns."""
    patterns = f"{extra}#define ADDITIONS {additions}\n{PATTERNS}"
    return runtime_text("tested", patterns, closed=closed, called=called, outside=outside)


def calls_header(outside: Collection[str] = ()) -> str:
    """The header for files without a region."""
    return calls_text("tested", outside=outside)


def compile_host(
    folder: Path, *flags: str, text: str | None = None, programs: Path = PROGRAMS
) -> Path:
    """The host with this header, or as written; by `g++ -x c++` if a flag says -std=c++..."""
    if text is not None:
        (folder / HEADER_NAME).write_text(text, encoding="utf-8")
    plus = any(flag.startswith("-std=c++") for flag in flags)
    compiler = ["g++", "-x", "c++"] if plus else ["gcc"]
    output = folder / ("plain" if text is None else "fused")
    command = [*compiler, *flags, "-g", f"-I{folder}", str(programs / "host.c")]
    if text is None:
        command.append("-DPLAIN")
    command += ["-x", "none", "-o", str(output), "-lOpenCL"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return output
