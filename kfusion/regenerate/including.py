"""The lines that are added to a host file: the header's include, and one in each region."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from pycparser import c_ast

from kfusion.host.at_end import EndNames, Reader
from kfusion.host.outside import include_place, include_place_in_cpp
from kfusion.host.region import CppRegion, RefusedRegion, Region
from kfusion.parse.cpp import CppUnit, without_raw_strings
from kfusion.parse.unit import Unit
from kfusion.source.text import Edit

_OPENCL = re.compile(r"cl[A-Z]\w*")


def region_edit(region: Region | CppRegion | RefusedRegion, names: EndNames | None = None) -> Edit:
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
    for node in unit.nodes[c_ast.Struct]:
        if node.name != tag or node.decls is None or not unit.in_main_file(node):
            continue
        last = unit.declaration_end(unit.index(node))
        return unit.range(last, last)[1]
    return 0


# C++: nothing else of the file is redirected. A region of C++ calls OpenCL itself, or functions of
# C files. The bindings of OpenCL for C++ are inline functions that other files of the program may
# share, so a file that includes them is left as it is.


def include_cpp_edit(unit: CppUnit, header: str, leaves: Collection[str] = ()) -> Edit:
    """`leaves`: functions by which its regions leave the program."""
    text = without_raw_strings(unit.source.text)
    place = include_place_in_cpp(text)
    lead = "\n" if place and text[place - 1] != "\n" else ""
    macros = [
        f"#define {name}(...) KFUSION_LEAVE({name}, __VA_ARGS__)\n" for name in sorted(leaves)
    ]
    return Edit(place, place, f'{lead}#include "{header}"\n{"".join(macros)}')
