"""Local arrays of one shape, of stages that come one after the other, share their storage.

A stage begins to write what the items of a group may still read in the stage before: a
barrier stands between. Arrays that are filled by copies which start earlier have their own.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kfusion.kernel.model import Symbol
from kfusion.kernel.together import ALONE
from kfusion.synthesis.usage import StageUse

Array = tuple[int, Symbol]  # the stage that declares it, and its name there


def shared_arrays(uses: Sequence[StageUse], early: Collection[int]) -> list[dict[Symbol, Array]]:
    """For each stage its arrays that take the place of another one; `early`: not theirs."""
    found: list[dict[Symbol, Array]] = []
    owners: dict[tuple[str, int], list[Array]] = {}
    for use in uses:
        mine: dict[Symbol, Array] = {}
        found.append(mine)
        together = use.kernel.together
        if together is None or use.number in early or not use.live:
            continue
        counts: dict[tuple[str, int], int] = {}
        for token, shape in sorted(together.shapes.items()):
            symbol = use.kernel.symbols[token]
            if shape[0].startswith(ALONE) or symbol not in use.symbols:
                continue
            known = owners.setdefault(shape, [])
            count = counts[shape] = counts.get(shape, 0) + 1
            if count <= len(known):
                mine[symbol] = known[count - 1]
            else:
                known.append((use.number, symbol))
    return found
