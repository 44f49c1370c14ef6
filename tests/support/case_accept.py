"""Write what was found into a file of cases, in place: launches, statuses, kernels, messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tests.support.case_format import CaseError, Expected

QUOTES = "'''"
ACCEPTED = ("launches", "status", "kernels", "messages")


def accepted(text: str, found: Mapping[str, Expected]) -> str:
    """The text of a file of cases, with other expectations for the cases in `found`."""
    result: list[str] = []
    for block in _blocks(text):
        name = _name(block)
        result += _rewritten(block, found[name]) if name in found else block
    return "".join(result).rstrip("\n") + "\n"


def _blocks(text: str) -> Iterator[list[str]]:
    """The lines in front of the first table, and those of each table."""
    block: list[str] = []
    inside = False  # of a text over several lines
    for line in text.splitlines(keepends=True):
        if not inside and line.startswith("["):
            yield block
            block = []
        block.append(line)
        inside ^= line.count(QUOTES) % 2 == 1
    yield block


def _name(block: list[str]) -> str:
    """The name of a case, and nothing for other tables."""
    if block[:1] != ["[[case]]\n"]:
        return ""
    (line,) = (line for line in block if line.startswith("name = "))
    return line.removeprefix('name = "').removesuffix('"\n')


def _rewritten(block: list[str], found: Expected) -> list[str]:
    """A case's fields stand in front of its files; those that are accepted stand last there."""
    head: list[str] = []
    skip_to: str | None = None
    for number, line in enumerate(block):
        if skip_to is not None:
            skip_to = None if line.startswith(skip_to) else skip_to
        elif line.startswith('"'):
            return [*head, *_fields(found), *block[number:]]
        elif line.startswith(tuple(f"{field} = " for field in ACCEPTED)):
            opened = line.split(" = ", 1)[1].rstrip()
            skip_to = {"[": "]", QUOTES: QUOTES}.get(opened)
        elif line.strip():
            head.append(line)
    return [*head, *_fields(found), "\n"]


def _fields(found: Expected) -> Iterator[str]:
    runs = [f'"{run}"' for run in found.launches]
    if len(runs) == 1:
        yield f"launches = {runs[0]}\n"
    elif runs:
        yield "".join(["launches = [\n", *(f"    {run},\n" for run in runs), "]\n"])
    if found.status:
        yield f"status = {found.status}\n"
    for field, text in (("kernels", found.kernels), ("messages", found.messages or None)):
        if QUOTES in (text or ""):
            raise CaseError(f"{QUOTES} cannot stand in {field}: {text}")
        if text is not None:
            yield f"{field} = {QUOTES}\n{text}{QUOTES}\n"
