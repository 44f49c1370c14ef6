"""`kfusion_fused.h`: the run time, with the patterns of this output's regions."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence

from kfusion.parse.cpp import CppUnit
from kfusion.parse.unit import Unit
from kfusion.regenerate.additions import Addition, additions_fields, additions_text
from kfusion.regenerate.tables import RegionText, region_text
from kfusion.runtime import runtime_text

_WORD = re.compile(r"[A-Za-z_]\w*")


def header_text(
    regions: Sequence[RegionText],
    additions: Sequence[Addition],
    kernels: Iterable[str],
    units: Iterable[Unit | CppUnit],
    *,
    outside: Iterable[str] = (),
    closed: bool,
) -> str:
    """`additions` are for programs that lack fused kernels, whose texts are `kernels`; `units`
    are the files that include the header, and call functions of others that are `outside`."""
    fields = additions_fields(additions)
    blocks = [additions_text(additions)] if additions else []
    blocks += [region_text(region, fields) for region in regions]
    blocks += _outside(sorted(outside))
    patterns = "\n\n".join(blocks) + "\n"
    digest = hashlib.sha1("\0".join([patterns, *kernels]).encode(), usedforsecurity=False)
    text = runtime_text(digest.hexdigest()[:8], patterns, closed=closed)
    return _without_macros(text, units)


def _outside(names: Sequence[str]) -> list[str]:
    """Macros for the functions that nothing is held back around."""
    if not names:
        return []
    defines = [f"#define {name}(...) KFUSION_OUTSIDE({name}(__VA_ARGS__))" for name in names]
    return ["\n".join(["#ifndef __cplusplus", *defines, "#endif"])]


def _without_macros(text: str, units: Iterable[Unit | CppUnit]) -> str:
    """The program's own macros may have names that the header uses for something else."""
    words = set(_WORD.findall(text))
    own = {
        name
        for unit in units
        for name in (unit.macros if isinstance(unit, CppUnit) else unit.macros.history)
        if name in words and not name.startswith(("CL_", "__", "_")) and name not in _SHARED
    }
    if not own:
        return text
    before = [f'#pragma push_macro("{name}")\n#undef {name}' for name in sorted(own)]
    after = [f'#pragma pop_macro("{name}")' for name in sorted(own)]
    return "\n".join([*before, "", text.rstrip("\n"), "", *after, ""])


# What standard headers define, and what tells compilers and versions apart.
_SHARED = frozenset(
    "NULL EOF stdin stdout stderr errno offsetof assert bool true false SIZE_MAX va_start va_end "
    "va_arg va_copy kfuse inline".split()
)
