"""Functions that nothing is held back around: which may have macros, and where those stand."""

from __future__ import annotations

import pytest

from kfusion.host.outside import include_place, misfits
from tests.host.closed.programs import (
    HEADERS,
    Programs,
    in_region,
    judged,
    messages,
    two_calls_deep,
)

# Where no macro may stand for a function: declarations, a statement, and the message.
MISFITS: dict[str, tuple[str, str, str]] = {
    "call in brackets": (
        "void log_line(int);",
        "(log_line)(n);",
        "'log_line' is called in brackets: no macro can stand for it",
    ),
    "function that is declared inside of a function": (
        "",
        "extern void log_line(int); log_line(n);",
        "'log_line' is declared inside of a function",
    ),
    "function that is declared behind a call": (
        "static void flush(void) { clFlush(queue); }\nvoid log_line(int);",
        "log_line(n);",
        "'log_line' is declared behind code that calls functions which are redirected",
    ),
    "compound literal that may be kept": (
        "int *keep(int *);",
        "n = *keep((int[]){n, n});",
        "'keep' is given a compound literal, and may keep its address",
    ),
    "member that is called": (
        (
            "void log_line(int); struct log { void (*log_line)(int); }; static struct log l;\n"
            "void other(void) { l.log_line(1); }"
        ),
        "log_line(n);",
        "'log_line' is the name of something else, too",
    ),
}


@pytest.mark.parametrize("name", MISFITS)
def test_no_macro_stands_for(name: str, programs: Programs) -> None:
    declarations, statement, message = MISFITS[name]
    found = judged(programs(two_calls_deep(declarations, statement))).opened
    assert len(found) == 1
    opened = found[0]
    assert opened.message == message
    assert opened.span is not None
    called = "keep" if "keep" in statement else "log_line"
    assert (opened.span.file.path.name, opened.span.text) == ("lib.c", called)
    assert [text for text, _ in opened.related] == [
        "the region calls 'run' here",
        "'run' calls 'inner' here",
        f"'inner' calls '{called}' here",
    ]


# Files and messages.
FILES: dict[str, tuple[dict[str, str], list[str]]] = {
    "function that another file defines for itself": (
        {
            **in_region("log_line(x);", "void log_line(int);"),
            "lib.c": f"{HEADERS}static void log_line(int n) {{ clFlush(queue); }}\n"
            "void other(void) { log_line(1); }\n",
        },
        ["'log_line' is the name of something else, too"],
    ),
    "macro of another file with the name of an unknown function": (
        {
            **in_region("log_line(x);", "void log_line(int);"),
            "lib.c": f"{HEADERS}#define log_line(n) clFlush(queue)\n"
            "void other(void) { log_line(1); }\n",
        },
        ["'log_line' is a macro in this file"],
    ),
    "macro of a file that does not call OpenCL": (
        {
            **in_region("log_line(x);", "void log_line(int);"),
            "lib.c": "#define log_line(n) (n + 1)\nint other(void) { return log_line(1); }\n",
        },
        [],
    ),
    "declaration behind a header that calls OpenCL": (
        {
            "app.c": '#include "cl.h"\n#include "log.h"\nint main(void)\n{\n#pragma kfuse\n'
            "    { log_line(1); }\n    return 0;\n}\n",
            "cl.h": f"{HEADERS}static inline void all(void) {{ clFlush(queue); }}\n",
            "log.h": "void log_line(int);\n",
        },
        ["'log_line' is declared behind code that calls functions which are redirected"],
    ),
    "header of the system behind a header that calls OpenCL": (
        {
            "app.c": '#include "cl.h"\n#include <unistd.h>\nint main(void)\n{\n#pragma kfuse\n'
            "    { write(1, 0, 0); exit(1); }\n    return 0;\n}\n",
            "cl.h": "#include <CL/cl.h>\nstatic inline void all(void) { clFlush(0); }\n",
        },
        ["a header may declare 'write' behind code that calls OpenCL"],
    ),
    "member with the name of a function that is settled before": (
        in_region(
            "write(1, &x, sizeof x); d.write(x);",
            "struct device { void (*write)(int); }; static void one(int n) { }\n"
            "static struct device d = { one };",
        ),
        ["'write' is the name of something else, too"],
    ),
    "own macro around exit": (
        in_region("exit(x);", "#define exit(c) (clFinish(queue), exit(c))"),
        ["'exit' is a macro in this file"],
    ),
    "call in brackets in a file without OpenCL": (
        {
            "app.c": in_region("leave(x);", "void leave(int);")["app.c"],
            "lib.c": "#include <stdlib.h>\nvoid leave(int n) { (exit)(n); }\n",
        },
        ["'exit' is called in brackets: no macro can stand for it"],
    ),
    "functions by the names of which another function begins": (
        in_region("log_line(x); log_lines(x);", "void log_line(int); void log_lines(int);"),
        [],
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_files(name: str, programs: Programs) -> None:
    files, expected = FILES[name]
    assert messages(judged(programs(files))) == expected


def test_an_unknown_function_by_a_pointer_opens(programs: Programs) -> None:
    files = two_calls_deep("void log_line(int); static void (*log)(int) = log_line;", "log(n);")
    (opened,) = judged(programs(files)).opened
    assert opened.message == "'log_line' is not defined in the files given"
    assert opened.related[-1][0] == "'log' may be 'log_line' here"


def test_macros_of_other_regions_count(programs: Programs) -> None:
    """`app_failed` alone could be declared where it is: `log_line` is called in front of it."""
    files = in_region(
        "app_failed(x);",
        "void log_line(int);\nvoid other(void) { log_line(1); }\nvoid app_failed(int);",
    )
    program = programs(files)
    assert messages(judged(program)) == []
    assert messages(judged(program, settled=frozenset({"log_line"}))) == [
        "'app_failed' is declared behind code that calls functions which are redirected"
    ]


# Where the include stands: `@`. The functions called are `flush`, of OpenCL, and `log_line`.
CALL = "static void flush(void) { clFlush(0); log_line(1); }\n"
PLACES: dict[str, str] = {
    "behind all headers": '#include <CL/cl.h>\n#include "log.h"\n@static int n;\n' + CALL,
    "behind a declaration in the file": "#include <CL/cl.h>\n"
    "struct log { int n; };\nvoid log_line(int); /* a line */ // and\n@int n;\n" + CALL,
    "behind the last of several declarations": '#include "log.h"\n'
    "void log_line(int);\nint n; extern void log_line(int),\n    log_lines(int);\n@\n" + CALL,
    "behind a comment that ends on another line": '#include "log.h"\n'
    "void log_line(int);@ /* two\n lines */ int n;\n" + CALL,
    "behind a condition": "#ifdef __linux__\n#include <CL/cl.h>\n#else\n#include <cl.h>\n"
    "#endif\n@\n" + CALL,
    "behind a declaration under a condition": '#include "log.h"\nint n;\n#if 1\n#ifndef NO\n'
    "void log_line(int);\n#endif\nint m;\n#else\n#endif\n@" + CALL,
    "behind a declaration that a macro makes": '#include "log.h"\n'
    "#define LOGS(name) void name(int);\nLOGS(log_line)\n@" + CALL,
    "in front of a header that calls": '#include <CL/cl.h>\n#include "log.h"\n'
    '@#include "calls.h"\n#include "more.h"\n' + CALL,
    "in front of a condition with a header that calls": '#include "log.h"\n@#if 1\n'
    '#include "calls.h"\n#endif\n' + CALL,
    "in front of a header that calls, behind a comment": '#include "log.h" /* this\n'
    'and */ // that\n/* more\n */ @#include "calls.h"\n' + CALL,
    "without headers": "@/* a file */\nint log;\n" + CALL.replace("log_line(1);", ""),
    "behind a byte order mark": "\ufeff@int log;\n" + CALL.replace("log_line(1);", ""),
}
AROUND = {
    "log.h": "void log_line(int);\n",
    "calls.h": "static void calls(void) { log_line(2); }\n",
    "more.h": "int more;\n",
}


@pytest.mark.parametrize("name", PLACES)
def test_the_place_of_the_include(name: str, programs: Programs) -> None:
    marked = PLACES[name]
    program = programs({"lib.c": marked.replace("@", ""), **AROUND})
    (unit,) = program.units
    names = {"log_line"}
    assert include_place(unit, names) == marked.index("@")
    assert list(misfits(unit, names)) == []
