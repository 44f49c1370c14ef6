"""A recorded run: what each region launched, and the programs that the host put together.

The record FILE has a block for each region, as often as it launched something else:

    region pythagoras pythagoras.c:24
    vector_mult(m0, m1, 4:00040000)  range 1024 local 64 offset 0
    settled clEnqueueReadBuffer
    scratch m1
    out m0
    end

Memory objects and samplers are numbered, values have a size and bytes, and behind `/` the number
that they have if they are objects; `?` was set before the region. What settles ends a row.
`scratch` was made and released in the region; `out` and `temp` are what the variables of the
region's line held when it ended, `-` if that was nothing.

Beside FILE lie, for each program, FILE.<hash>.ocl with its source to the byte, and
FILE.<hash>.options with one line of options for each build.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from kfusion.parse.compiler import Preprocessor
from kfusion.parse.embedded import Embedded, Program, read_programs, source_hash
from kfusion.parse.opencl import TYPE_NAME
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import KFusionError, error
from kfusion.source.text import SourceFile, Span

_REGION = re.compile(r"region (\w+) (?:(.*):\d+)?")
_LAUNCH = re.compile(
    r"([A-Za-z_]\w*)\((.*)\)  range ([\d,]+)(?: local ([\d,]+))?(?: offset ([\d,]+))?"
)
_ARGUMENT = re.compile(r"\?|[ms]\d+|local:\d+|\d+:(?:[0-9a-f]{2})*(?:/\d+)?")
_FACT = re.compile(r"(scratch|out|temp) (m\d+|-)")
_NAME = re.compile(r"\.([0-9a-f]{16})\.ocl")
_INCLUDE = re.compile(r"(?:^|\s)-I\s*(\S+)")
DEFINE = re.compile(r"-D\s*([A-Za-z_]\w*)(?:=(\S*))?")
_TYPE = re.compile(r"u?(?:char|short|int|long)\d*|(?:half|float|double)\d*|bool|size_t")
NUMBER = re.compile(r"\(?[-+]?\.?[0-9](?:[eEpP][+-]|[\w.])*\)?")


@dataclass(frozen=True)
class RecordedProgram:
    path: Path
    data: bytes
    options: tuple[str, ...]  # of all builds, with single blanks; "" for none


@dataclass(frozen=True)
class RecordedLaunch:
    kernel: str
    arguments: tuple[str, ...]  # as they are written there
    size: tuple[int, ...]
    local: tuple[int, ...] | None
    offset: tuple[int, ...] | None
    settled: bool = False  # a command before it would have settled

    @property
    def range_text(self) -> str:
        offset = self.offset or ()
        moved = f" from ({', '.join(map(str, offset))})" if any(offset) else ""
        return f"({', '.join(map(str, self.size))}){moved}"


@dataclass(frozen=True)
class RecordedRow:
    """One time that a region ran."""

    record: Path
    region: str  # its identifier
    file: str
    span: Span  # of the line that begins it
    launches: tuple[RecordedLaunch, ...]
    scratch: frozenset[str] = frozenset()
    outs: frozenset[str] | None = None  # None: the region's line has no such variables
    temporaries: frozenset[str] | None = None


def recorded_rows(record: Path) -> tuple[RecordedRow, ...]:
    """In the order of the file; a row that is there again is left out."""
    try:
        text = record.read_text(encoding="utf-8", errors="replace")
    except OSError as failure:
        reason = failure.strerror or "it cannot be read"
        raise error("KF101", f"cannot read {record}: {reason}", argument=str(record)) from None
    file = SourceFile(record, text)
    found: dict[object, RecordedRow] = {}
    block: list[tuple[str, Span]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("region "):
            block = []
        block.append((line, file.line_span(number)))
        if line == "end":
            row = _row(record, block)
            if row.file:  # not of what is outside of the given files
                key = (row.region, row.file, tuple(text for text, _ in block[1:]))
                found.setdefault(key, row)
            block = []
    return tuple(found.values())  # a program that was ended may have left half a block


def _row(record: Path, block: list[tuple[str, Span]]) -> RecordedRow:
    head = _REGION.fullmatch(block[0][0])
    if head is None:
        raise _unreadable(block[0][1], "region NAME FILE:LINE")
    launches: list[RecordedLaunch] = []
    facts: dict[str, set[str]] = {}
    settled = False
    for line, span in block[1:-1]:
        fact = _FACT.fullmatch(line)
        if line.startswith("settled"):
            settled = True
        elif fact is not None:
            facts.setdefault(fact.group(1), set()).add(fact.group(2))
        else:
            launches.append(replace(_launch(line, span), settled=settled))
            settled = False
    return RecordedRow(
        record,
        head.group(1),
        Path(head.group(2) or "").name,
        block[0][1],
        tuple(launches),
        frozenset(facts.get("scratch", ())),
        frozenset(facts["out"]) if "out" in facts else None,
        frozenset(facts["temp"]) if "temp" in facts else None,
    )


def _launch(line: str, span: Span) -> RecordedLaunch:
    found = _LAUNCH.fullmatch(line)
    arguments = found.group(2).split(", ") if found and found.group(2) else []
    if found is None or not all(map(_ARGUMENT.fullmatch, arguments)):
        raise _unreadable(span, "kernel(m0, 4:00040000)  range 1024")
    size, local, offset = (
        tuple(map(int, text.split(","))) if text else None for text in found.groups()[2:]
    )
    assert size is not None
    return RecordedLaunch(found.group(1), tuple(arguments), size, local, offset)


def _unreadable(span: Span, expected: str) -> KFusionError:
    return error(
        "KF102",
        f"this line of a record cannot be read: expected '{expected}'",
        span,
        help="give a file that a program wrote with KFUSION=record in its environment",
    )


def recorded_programs(record: Path) -> tuple[RecordedProgram, ...]:
    """In the order of their names, so that a run is like the last one."""
    found: list[RecordedProgram] = []
    for path in sorted(record.parent.glob("*.ocl")):
        named = path.name.startswith(record.name)
        match = _NAME.fullmatch(path.name[len(record.name) :]) if named else None
        if match is None:
            continue
        data = path.read_bytes()
        if source_hash(data) != int(match.group(1), 16):
            raise error(
                "KF102",
                f"{path} is not what was recorded: its name has another hash than its text",
                help="record the run again",
                argument=str(path),
            )
        found.append(RecordedProgram(path, data, _options(path.with_suffix(".options"))))
    return tuple(found)


def _options(path: Path) -> tuple[str, ...]:
    try:
        lines = path.read_text(errors="replace").splitlines()
    except OSError:
        return ()
    return tuple(dict.fromkeys(" ".join(line.split()) for line in lines))


def recorded_units(
    programs: Sequence[RecordedProgram], how: Preprocessor, taken: Collection[str]
) -> Embedded:
    """Each as its own builds see it. `taken` are the names of kernels in files."""
    read: list[Program] = []
    given = {define.split("=")[0] for define in how.defines}
    for each in programs:
        options = each.options or ()
        defines = [d for d in agreed_defines(options) if d.split("=")[0] not in given]
        file = SourceFile(each.path, each.data.decode(errors="replace"))
        told = f"the recorded program {each.path}"
        folders = map(Path, dict.fromkeys(each for o in options for each in _INCLUDE.findall(o)))
        mine = replace(
            how,
            defines=(*how.defines, *defines),
            include_dirs=(*how.include_dirs, *(each for each in folders if each.is_dir())),
        )
        read.append(Program(file, each.data, told, mine, each.options or None))
    return read_programs(read, taken)


def agreed_defines(options: Iterable[str]) -> tuple[str, ...]:
    """Numbers that macros have in all builds that define them, and types where the name would not
    be taken for one; other macros stay undefined: what is read must hold for any of theirs."""
    found: dict[str, set[str]] = {}
    for line in options:
        for name, value in DEFINE.findall(line):
            found.setdefault(name, set()).add(value or "1")
    agreed = {name: next(iter(values)) for name, values in found.items() if len(values) == 1}
    return tuple(
        f"{name}={value}"
        for name, value in sorted(agreed.items())
        if NUMBER.fullmatch(value) or (_TYPE.fullmatch(value) and not TYPE_NAME.fullmatch(name))
    )
