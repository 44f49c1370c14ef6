"""The run time of fused programs: two C headers, put together from the files beside this one.

They are written by hand and the same for all programs; the patterns of a program's regions stand
between them and the macros that redirect the calls of OpenCL.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache
from itertools import groupby
from pathlib import Path

from kfusion.runtime.functions import Function, functions_in

HEADER_NAME = "kfusion_fused.h"  # for files with a region
CALLS_NAME = "kfusion_calls.h"  # for others that call OpenCL

CLOSED = {False: "(!KFUSION_PROTECTS(OPEN))", True: "1"}  # closed as a whole?

_IMPLEMENTATION = (
    "lacking types state objects noting dropped conditions programs making several telling outs "
    "settling matching region outside calls passing commands checking recording"
).split()
_REDIRECTING = ("calls", "passing", "commands")


def runtime_text(
    identity: str,
    patterns: str,
    *,
    closed: bool = False,
    called: Collection[str] | None = None,
    outside: Collection[str] = (),
) -> str:
    """`kfusion_fused.h`. `identity` names what the files of a program share; `closed` means that
    no other file can set arguments, start threads or build programs. `called` are the functions
    of OpenCL that files with the other header call, None if there are no such files; `outside`
    are functions that nothing is held back around.
    """
    guard = f"KFUSION_FUSED_{identity}_H"
    title = "/* ==== The patterns of this program ======================================== */\n"
    parts = [
        _head(guard),
        _fragment("opening"),
        _definitions(identity, closed=closed),
        _fragment("shared"),
        *([_forgotten(identity, outside)] if called is not None else []),
        implementation_text(),
        *(_entering(called) if called is not None else []),
        title,
        patterns,
        _outside(outside),
        _redirected("kfusion_"),
        "#endif /* a compiler with cleanup attributes */\n#endif\n",
    ]
    return "\n".join(part for part in parts if part)


def calls_text(identity: str, *, outside: Collection[str] = ()) -> str:
    """`kfusion_calls.h`: in a file that also includes the other one, that one counts."""
    guard = f"KFUSION_CALLS_{identity}_H"
    parts = [
        _head(guard),
        _fragment("calling"),
        f"#ifndef KFUSION_FUSED_{identity}_H\n",
        _definitions(identity),
        _fragment("shared"),
        _table(),
        _fragment("forwarding"),
        _conditional(_forwarded(f, i) for i, f in enumerate(functions())),
        "#pragma GCC diagnostic pop\n",
        _redirected("kfusion_call_"),
        _outside(outside),
        "#endif\n#endif\n#endif\n",
    ]
    return "\n".join(part for part in parts if part)


@cache
def implementation_text() -> str:
    """What is the same in each `kfusion_fused.h`."""
    return "\n".join(map(_fragment, _IMPLEMENTATION))


@cache
def functions() -> tuple[Function, ...]:
    """The functions of OpenCL that are redirected."""
    found = [each for name in _REDIRECTING for each in functions_in(_fragment(name))]
    return tuple(sorted(found, key=lambda each: (each.condition, each.name)))


def _head(guard: str) -> str:
    shown = "#ifndef KFUSION_SHOW_WARNINGS\n#pragma GCC system_header\n#endif\n"
    return f"#ifndef {guard}\n#define {guard}\n{shown}"


def _definitions(identity: str, *, closed: bool | None = None) -> str:
    known = "" if closed is None else f"#define KFUSION_CLOSED {CLOSED[closed]}\n"
    return f"#define KFUSION_ID {identity}\n{known}"


def _table() -> str:
    return f"#define KFUSION_FUNCTIONS {len(functions())}\n{_fragment('table')}"


def _outside(names: Collection[str]) -> str:
    """Macros for the functions that nothing is held back around."""
    if not names:
        return ""
    defines = [
        f"#define {name}(...) KFUSION_OUTSIDE({name}(__VA_ARGS__))" for name in sorted(names)
    ]
    return "\n".join(["#ifndef __cplusplus", *defines, "#endif\n"])


def _forgotten(identity: str, outside: Collection[str]) -> str:
    """Where the other header has come first, its macros are done away with."""
    names = [each.name for each in functions()] + sorted(outside) + ["KFUSION_OUTSIDE"]
    undefined = [f"#undef {name}" for name in names]
    return "\n".join([f"#ifdef KFUSION_CALLS_{identity}_H", *undefined, "#endif\n"])


def _entering(called: Collection[str]) -> Iterator[str]:
    yield _table()
    yield _fragment("entering")
    yield _conditional(
        (each.condition, f"    kfusion_enter({index}, (kfusion_any)kfusion_{each.name});")
        for index, each in enumerate(functions())
        if each.name in called
    )
    yield "}\n"


def _forwarded(function: Function, index: int) -> tuple[str, str]:
    kind, returns = "", f" {function.returns},"
    if function.returns == "void":
        kind, returns = "_VOID", ""
    lists = f"{function.parameters},\n                {function.arguments}"
    text = f"KFUSION_FORWARD{kind}({index},{returns} {function.name},\n                {lists})"
    return function.condition, text


def _redirected(prefix: str) -> str:
    title = "/* ==== Redirecting: below, the calls of OpenCL are those above ================ */\n"
    defines = ((f.condition, f"#define {f.name} {prefix}{f.name}") for f in functions())
    return f"{title}\n{_conditional(defines)}"


def _conditional(lines: Iterator[tuple[str, str]]) -> str:
    """Lines, each with a macro that must be defined."""
    parts: list[str] = []
    for condition, group in groupby(lines, key=lambda each: each[0]):
        block = [line for _, line in group]
        parts += [f"#ifdef {condition}", *block, "#endif"] if condition else block
    return "\n".join([*parts, ""])


def _fragment(name: str) -> str:
    return Path(__file__).with_name(f"{name}.h").read_text(encoding="utf-8")
