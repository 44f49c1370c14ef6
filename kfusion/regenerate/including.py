"""The lines that are added to a host file: the header's include, and one in each region."""

from __future__ import annotations

from collections.abc import Collection

from kfusion.host.at_end import EndNames
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
