"""Cases: programs that are told as what differs from a base, and what must be true of them.

tests/cases/README.md describes the format. A file of cases is TOML; a program is a mapping
from names of files to their texts.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

CASES = Path(__file__).parents[1] / "cases"
BASES = CASES / "base"
RIG = "rig"  # the base of all others: what stands between a program and OpenCL
HUNK = "@@"

Files = dict[str, str]
Table = Mapping[str, Any]

WORDS = ("name", "base", "without", "options", "flags", "launches", "status", "kernels", "messages")
CALLS_WORDS = ("calls", "out", "items", "group", "scalars", "elements", "integers")


class CaseError(Exception):
    """A file of cases does not say what a case is."""


@dataclass(frozen=True)
class Run:
    """How a program is started, and how many kernels it launches unfused and fused."""

    before: int
    after: int
    arguments: str = ""  # settings of the environment in front: "OPTIONS=-DTWO 64 32"

    def __str__(self) -> str:
        counts = f"{self.before} -> {self.after}"
        return f"{self.arguments}: {counts}" if self.arguments else counts

    @staticmethod
    def of(text: str) -> Run:
        arguments, colon, counts = text.rpartition(": ")
        before, _, after = counts.partition(" -> ")
        if not (before.isdigit() and after.isdigit()) or (colon and not arguments):
            raise CaseError(
                f"launches are told as '4 -> 1' or 'arguments: 4 -> 1', not as '{text}'"
            )
        return Run(int(before), int(after), arguments)


@dataclass(frozen=True)
class Expected:
    """What must be true, besides equal results. `--accept` writes it into the file of cases."""

    launches: tuple[Run, ...]
    status: int = 0  # exit status of kfusion
    kernels: str | None = None  # the heads of the kernels that are added, where a case has them
    messages: str = ""  # what kfusion says, without the lines that show the source


@dataclass(frozen=True)
class Calls:
    """Kernels without a host: calls as the Python API takes them, and what they are given."""

    calls: tuple[str, ...]
    out: tuple[str, ...] | None
    items: tuple[int, ...]
    group: tuple[int, ...] | None
    scalars: Mapping[str, str]  # numbers as C writes them: 0.5f, 64u, 3
    elements: int  # of each buffer
    integers: Mapping[str, str]  # buffers of uint, and what their elements are less than


@dataclass(frozen=True)
class Case:
    name: str
    source: Path  # the file of cases
    files: Files
    options: tuple[str, ...]  # of kfusion
    flags: tuple[str, ...]  # of the C compiler
    expected: Expected
    calls: Calls | None = None  # of a case without a host

    @property
    def id(self) -> str:
        return f"{self.source.stem}: {self.name}"


def apply_difference(text: str, difference: str) -> str:
    """The text, with the hunks of a difference applied in their order.

    A hunk begins with a line `@@`, or `@@ words`: the first line with these words, and what
    stands behind it, is where the hunk is looked for. Then come lines that stay (a space in
    front), go (`-`) and come (`+`); those that stay and go are found in the text as a whole.
    """
    lines, at = text.splitlines(), 0
    result: list[str] = []
    for words, hunk in _hunks(difference):
        start = _line_with(lines, at, words)
        old = [line[1:] for line in hunk if line[:1] != "+"]
        found = _find(lines, start, old)
        result += lines[at:found]
        result += [line[1:] for line in hunk if line[:1] != "-"]
        at = found + len(old)
    return "\n".join([*result, *lines[at:]]) + "\n"


def _hunks(difference: str) -> Iterator[tuple[str, list[str]]]:
    parts: list[tuple[str, list[str]]] = []
    for line in difference.splitlines():
        if line == HUNK or line.startswith(f"{HUNK} "):
            parts.append((line[len(HUNK) :].strip(), []))
        elif line[:1] not in ("", " ", "-", "+"):
            raise CaseError(f"a line of a difference begins with ' ', '-', '+' or '@@': {line}")
        else:
            parts[-1][1].append(line)
    yield from parts


def _line_with(lines: list[str], start: int, words: str) -> int:
    if not words:
        return start
    for number in range(start, len(lines)):
        if words in lines[number]:
            return number
    raise CaseError(f"no line with '{words}' behind line {start}")


def _find(lines: list[str], start: int, wanted: list[str]) -> int:
    for number in range(start, len(lines) - len(wanted) + 1):
        if lines[number : number + len(wanted)] == wanted:
            return number
    raise CaseError(f"not found behind line {start}:\n" + "\n".join(wanted))


@cache
def base_files(name: str) -> Files:
    """The files of a folder of bases."""
    folder = BASES / name
    if not folder.is_dir():
        raise CaseError(f"there is no base '{name}'")
    return {path.name: path.read_text() for path in sorted(folder.iterdir())}


def _changed(files: Files, table: Table) -> Files:
    """The files, as a case or a variant changes them."""
    result = {name: text for name, text in files.items() if name not in table.get("without", ())}
    for name, text in table.items():
        if "." in name:
            new = apply_difference(result.get(name, ""), text) if text.startswith(HUNK) else text
            result[name] = new
    return result


def _layers(names: str, variants: Mapping[str, Table]) -> Files:
    """What a case stands on: folders, and variants of its file, each over the one before."""
    result: Files = {}
    for name in names.split():
        if name in variants:
            on = _layers(variants[name].get("base", ""), variants)
            result = _changed(result | on, variants[name])
        else:
            result |= base_files(name)
    return result


def _expected(table: Table) -> Expected:
    launches = table.get("launches", [])
    return Expected(
        tuple(map(Run.of, [launches] if isinstance(launches, str) else launches)),
        table.get("status", 0),
        table.get("kernels"),
        table.get("messages", ""),
    )


def _calls(table: Table) -> Calls | None:
    if "calls" not in table:
        return None
    group, out = table.get("group"), table.get("out")
    return Calls(
        tuple(table["calls"].splitlines()),
        tuple(out.split()) if out else None,
        tuple(map(int, table["items"].split())),
        tuple(map(int, group.split())) if group else None,
        _pairs(table.get("scalars", "")),
        table["elements"],
        _pairs(table.get("integers", "")),
    )


def _pairs(text: str) -> dict[str, str]:
    """The names and values of "n=139 scale=0.5f"."""
    return dict(word.split("=", 1) for word in text.split())


def _case(path: Path, table: Table, document: Table) -> Case:
    unknown = [word for word in table if word not in WORDS + CALLS_WORDS and "." not in word]
    if unknown or "name" not in table:
        raise CaseError(f"a case has a name, and no {unknown}")
    base = table.get("base", document.get("base", ""))
    calls = _calls(table)
    rig = {} if calls else base_files(RIG)
    files = _changed(rig | _layers(base, document.get("variant", {})), table)
    options, flags = (tuple(table.get(word, "").split()) for word in ("options", "flags"))
    return Case(table["name"], path, files, options, flags, _expected(table), calls)


def read_cases(path: Path) -> list[Case]:
    """The cases of a file, in its order."""
    document = tomllib.loads(path.read_text())
    cases: list[Case] = []
    for table in document["case"]:
        try:
            cases.append(_case(path, table, document))
        except CaseError as error:
            raise CaseError(f"{path.name}: {table.get('name', 'a case')}: {error}") from error
    if len({case.name for case in cases}) < len(cases):
        raise CaseError(f"{path.name}: two cases have one name")
    return cases


def case_files() -> list[Path]:
    return sorted(CASES.glob("**/*.toml"))


def case_named(file: str, name: str) -> Case:
    """A case, for tests that need its program for something else."""
    return next(case for case in read_cases(CASES / file) if case.name == name)
