"""The lines that are added to a host file: the header's include, and one in each region."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from pycparser import c_ast

from kfusion.host.at_end import EndNames, Reader
from kfusion.host.outside import include_place
from kfusion.host.region import CppRegion, Region
from kfusion.parse.unit import Unit
from kfusion.source.text import Edit


def region_edit(region: Region | CppRegion, names: EndNames | None = None) -> Edit:
    """Behind the opening brace, on its line. `names`: what the run time looks at in the end."""
    place = region.mark.block.start + 1
    macro, behind = names.line if names is not None else ("KFUSION_REGION", "")
    listed = f"{region.identifier}, {behind}" if behind else region.identifier
    return Edit(place, place, f" {macro}({listed});")


def include_edit(unit: Unit, header: str, outside: Collection[str] = ()) -> Edit:
    """`outside`: functions that the header has macros for; there is a place (host/outside.py)."""
    text = unit.source.text
    place = include_place(unit, outside)
    assert place is not None, "regions that need such a macro are not closed"
    lead = "\n" if text[:place].rpartition("\n")[2].strip("\ufeff \t") else ""
    return Edit(place, place, f'{lead}#include "{header}"\n')


def reader_edits(
    unit: Unit, readers: Collection[Reader], outside: Collection[str] = ()
) -> Iterator[Edit]:
    """Functions that tell other files where a handle is, behind the structure and the include."""
    include = include_place(unit, outside)
    assert include is not None
    for tag in sorted({reader.tag for reader in readers}):
        place = max(include, _end_of(tag, unit))
        names = {reader.name: reader.member for reader in readers if reader.tag == tag}
        lines = [f"KFUSION_READS({n}, struct {tag}, {m})" for n, m in sorted(names.items())]
        text = " ".join(lines)
        yield Edit(place, place, f"{text}\n" if place == include else f" {text}")


def _end_of(tag: str, unit: Unit) -> int:
    """Behind the declaration of a structure in the file itself; 0: it stands in a header."""
    for node in unit.nodes.get(c_ast.Struct, ()):
        if node.name != tag or node.decls is None or not unit.in_main_file(node):
            continue
        index = unit.index(node)
        while unit.tokens[index].text != "{":
            index += 1
        index = unit.match(index)
        while unit.tokens[index].text != ";":
            index += 1
        return unit.range(index, index)[1]
    return 0
