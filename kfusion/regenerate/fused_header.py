"""The headers of an output: the run time with the patterns of its regions, and for files without
a region what calls it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Sequence

from kfusion.parse.cpp import CppUnit
from kfusion.parse.unit import Unit
from kfusion.regenerate.additions import Additions, additions_fields, additions_text
from kfusion.regenerate.tables import FusedKernels, RegionText, region_text
from kfusion.runtime import CALLS_NAME, HEADER_NAME, calls_text, runtime_text
from kfusion.source.text import bytes_of
from kfusion.synthesis.model import FusedKernel

_HIDDEN = re.compile(r"#\s*pragma\s+GCC\s+visibility\b")
_PACK = re.compile(r"#\s*pragma\s+pack\b")
_WORD = re.compile(r"[A-Za-z_]\w*")


def header_texts(
    regions: Sequence[RegionText],
    additions: Additions,
    kernels: Sequence[FusedKernel],
    fused: FusedKernels,
    units: Iterable[Unit | CppUnit],
    callers: Sequence[Unit | CppUnit],
    *,
    outside: Collection[str] = (),
    readers: Collection[str] = (),
    closed: bool,
) -> dict[str, str]:
    """By name. `additions` are for programs that lack fused kernels, all of which are `kernels`;
    `fused` names one of each program, if there is one; `units` are the files with a region,
    `callers` others with calls of OpenCL, or of functions that are `outside`; `readers` are
    functions of theirs that tell where a handle is."""
    fields = additions_fields(additions)
    blocks = ["\n".join(f"KFUSION_READER({name})" for name in sorted(readers))] if readers else []
    blocks += [text] if (text := additions_text(additions)) else []
    blocks += [region_text(region, fields, fused) for region in regions]
    patterns = "\n\n".join(blocks) + "\n"
    parts = [patterns, *sorted(outside), *(kernel.text for kernel in kernels)]
    digest = hashlib.sha1(bytes_of("\0".join(parts)), usedforsecurity=False).hexdigest()[:8]
    called = _words(callers) if callers else None
    text = runtime_text(digest, patterns, closed=closed, called=called, outside=outside)
    texts = {HEADER_NAME: text}
    if callers:
        texts[CALLS_NAME] = calls_text(digest, outside=outside)
    both = [*units, *callers]
    return {name: _without_macros(text, both) for name, text in texts.items()}


def _words(units: Iterable[Unit | CppUnit]) -> frozenset[str]:
    """All that may be the name of a function, with what conditions leave out."""
    words: set[str] = set()
    for unit in units:
        words.update(token.text for token in unit.tokens)
        words.update(_WORD.findall(unit.source.text))
    return frozenset(words)


def _without_macros(text: str, units: Iterable[Unit | CppUnit]) -> str:
    """The program's own macros may have names that the header uses for something else."""
    words = set(_WORD.findall(text))
    own = {
        name
        for unit in units
        for name in (unit.macros if isinstance(unit, CppUnit) else unit.macros.history)
        if name in words and not name.startswith(("CL_", "__", "_")) and name not in _SHARED
    }
    before = [f'#pragma push_macro("{name}")\n#undef {name}' for name in sorted(own)]
    after = [f'#pragma pop_macro("{name}")' for name in sorted(own)]
    if any(_PACK.match(token.text) for unit in units for token in unit.tokens):
        before += ["#pragma pack(push)", "#pragma pack()"]
        after += ["#pragma pack(pop)"]
    if any(_HIDDEN.match(token.text) for unit in units for token in unit.tokens):
        before += ["#pragma GCC visibility push(default)"]
        after += ["#pragma GCC visibility pop"]
    if not before:
        return text
    return "\n".join([*before, "", text.rstrip("\n"), "", *after, ""])


# What standard headers define, and what tells compilers and versions apart.
_SHARED = frozenset(
    "NULL EOF stdin stdout stderr errno EINVAL SYS_rt_sigprocmask offsetof assert bool true false "
    "SIZE_MAX va_start va_end va_arg va_copy kfuse inline".split()
)
