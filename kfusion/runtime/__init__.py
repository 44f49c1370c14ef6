"""The run time of fused programs: one C header, put together from the files beside this one.

They are written by hand and the same for all programs; the patterns of a program's regions stand
between them and the macros that redirect the calls of OpenCL.
"""

from __future__ import annotations

from importlib.resources import files

HEADER_NAME = "kfusion_fused.h"

_IMPLEMENTATION = (
    "opening types state objects noting conditions programs making several telling outs settling "
    "matching region outside calls passing commands checking recording"
).split()


def runtime_text(identity: str, patterns: str, *, closed: bool = False) -> str:
    """The text of the header. `identity` names what the files of a program share; `closed` means
    that no other file can set arguments, start threads or build programs.
    """
    guard = f"KFUSION_FUSED_{identity}_H"
    opening = f"""\
#ifndef {guard}
#define {guard}
#ifndef KFUSION_SHOW_WARNINGS
#pragma GCC system_header
#endif
#define KFUSION_ID {identity}
#define KFUSION_CLOSED {int(closed)}
"""
    implementation = [_fragment(name) for name in _IMPLEMENTATION]
    title = "/* ==== The patterns of this program ======================================== */\n"
    parts = [opening, *implementation, title, patterns, _fragment("redirect"), "#endif\n"]
    return "\n".join(parts)


def _fragment(name: str) -> str:
    return files(__package__ or __name__).joinpath(f"{name}.h").read_text(encoding="utf-8")
