"""The table of additions: for programs without the fused kernels, the text that they lack.

The run time builds such a program once more, with the text behind the program's own source, and
what asks for macros of the options in front of it. It knows the program by a hash of that source,
and compares the build options, if they are known. Where they are not, any will do: each fused
kernel stands under an `#if` for all that its analysis took from macros. Of one thing no `#if` can
tell: a name that the program leaves to the options may be anything, even a read of a buffer
(-DVALUE=a[i+1]). All of its values must be known to be numbers.

That the last group of a range may be smaller since OpenCL C 2.0 (-cl-std) is a condition of each
launch (`kfusion_uniform_groups`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kfusion.kernel.opened import names_left_open
from kfusion.parse.embedded import source_hash
from kfusion.parse.literals import c_string
from kfusion.parse.recorded import DEFINE, NUMBER
from kfusion.parse.unit import Unit
from kfusion.source.dataclasses import dataclass
from kfusion.synthesis.files import given_head
from kfusion.synthesis.model import FusedKernel


@dataclass(frozen=True)
class KnownText:
    """A program of which a kernel is made together with others, by a hash of its source."""

    name: str
    source: int


@dataclass(frozen=True)
class Additions:
    texts: tuple[Addition, ...]
    known: tuple[KnownText, ...]


@dataclass(frozen=True)
class Addition:
    source: int  # source_hash of the program
    options: tuple[str, ...] | None  # those that it may be built with; None: any
    head: str  # goes in front of the source
    text: str  # goes behind it


def addition(
    unit: Unit,
    source: bytes,
    kernels: Iterable[FusedKernel],
    options: tuple[str, ...] | None,
) -> Addition | None:
    """What a program lacks; nothing if it has no fused kernels, or no safe options."""
    kernels = list(kernels)
    texts = [kernel.text.replace("\r\n", "\n").rstrip("\n") for kernel in kernels]
    left_open = names_left_open(unit)
    if options is not None:
        options = tuple(each for each in options if _gives_numbers(each, left_open))
    if not texts or options == () or (options is None and left_open):
        return None
    text = "\n\n".join(texts)
    return Addition(source_hash(source), options, given_head(kernels), f"\n{text}\n")


def _gives_numbers(options: str, names: frozenset[str]) -> bool:
    """Quotes might hide where a value ends."""
    values = [value or "1" for name, value in DEFINE.findall(options) if name in names]
    quotes = bool(names) and any(quote in options for quote in "\"'\\")
    return not quotes and all(map(NUMBER.fullmatch, values))


def additions_text(additions: Additions) -> str:
    """The tables `kfusion_additions` and `kfusion_known_texts`, if there is something in them."""
    blocks: list[str] = []
    rows: list[str] = []
    for number, each in enumerate(_once(additions.texts)):
        text = f"kfusion_added_text_{number}"
        blocks.append(f"static const char {text}[] KFUSION_UNUSED =\n{_literal(each.text)};")
        options = "NULL"
        if each.options is not None:
            options = f"kfusion_added_options_{number}"
            listed = ", ".join([*map(c_string, each.options), "NULL"])
            blocks.append(f"static const char *const {options}[] KFUSION_UNUSED = {{{listed}}};")
        head = f"kfusion_added_head_{number}" if each.head else '""'
        if each.head:
            blocks.append(f"static const char {head}[] KFUSION_UNUSED =\n{_literal(each.head)};")
        rows.append(f"    {{0x{each.source:016x}ULL, {options}, {head}, {text}}},")
    if rows:
        head = "static const kfusion_addition kfusion_additions[] KFUSION_UNUSED = {"
        blocks.append("\n".join([head, *rows, "};"]))
    if additions.known:
        head = "static const kfusion_known_text kfusion_known_texts[] KFUSION_UNUSED = {"
        rows = [f"    {{{c_string(e.name)}, 0x{e.source:016x}ULL}}," for e in additions.known]
        blocks.append("\n".join([head, *rows, "};"]))
    return "\n\n".join(blocks)


def additions_fields(additions: Additions) -> str:
    """The tables in the row of a region: how many, and where."""
    count, known = len(_once(additions.texts)), len(additions.known)
    texts = f"{count}, kfusion_additions" if count else "0, NULL"
    return f"{texts}, {known}, kfusion_known_texts" if known else f"{texts}, 0, NULL"


def _once(additions: Sequence[Addition]) -> list[Addition]:
    """The first of those for one source."""
    found: dict[int, Addition] = {}
    for each in additions:
        found.setdefault(each.source, each)
    return list(found.values())


def _literal(text: str) -> str:
    """One line of the text on each line, without a warning that it is long."""
    lines = [f"    {c_string(line)}" for line in text.splitlines(keepends=True)]
    return "    __extension__\n" + "\n".join(lines)
