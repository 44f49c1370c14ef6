"""Times of regions, unfused and fused, for people, programs and pictures."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from textwrap import wrap

from kfusion.report.columns import columns
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import error

Pair = tuple[float, float]  # unfused and fused


@dataclass(frozen=True)
class Row:
    region: str
    size: int
    kernels: tuple[int, int]
    ms: Pair
    gb_s: Pair
    share: Pair  # of the bandwidth of a copy
    speed_up: float
    predicted: float  # if time were bytes moved
    doubt: float = 0  # by such a part the medians may be wrong


# A good kernel may be a little faster than the copies of `bench`.
_IN_MEMORY = 1.1  # of the bandwidth of a copy
_FEW, _DOUBT = 10, 0.05
_WIDTH, _LETTERS = 7, 14  # inches, and letters of a title for each
_HEAD = ("region", "size", "kernels", "ms", "GB/s", "of a copy", "speed-up", "by traffic")


def table(rows: Sequence[Row]) -> str:
    cells = [
        (
            row.region,
            str(row.size),
            f"{row.kernels[0]} -> {row.kernels[1]}",
            f"{row.ms[0]:.4g} -> {row.ms[1]:.4g}",
            f"{row.gb_s[0]:.4g} -> {row.gb_s[1]:.4g}",
            " -> ".join(dict.fromkeys(map(_share, row.share))),
            f"{row.speed_up:.2f}",
            f"{row.predicted:.2f}",
        )
        for row in rows
    ]
    lines = columns([_HEAD, *cells])
    if any(share > _IN_MEMORY for row in rows for share in row.share):
        lines.append("in caches: data stays in caches, not in memory; a larger --size may not fit")
    return "\n".join(lines)


def _share(share: float) -> str:
    return f"{share:.0%}" if share <= _IN_MEMORY else "in caches"


def doubts(rows: Sequence[Row], repeats: int) -> list[str]:
    """Where more repeats are wanted."""
    if repeats < _FEW:
        return [f"medians of {repeats} say little: take --repeats {_FEW} or more"]
    return [
        f"{row.region}, size {row.size}: times vary, and medians are known to {row.doubt:.0%}; "
        f"take --repeats {_round_up(repeats * (row.doubt / _DOUBT) ** 2)}, or a machine that does "
        "nothing else"
        for row in rows
        if row.doubt > _DOUBT
    ]


def _round_up(number: float) -> int:
    """To one digit that is not 0."""
    unit: int = 10 ** int(math.log10(number))
    return math.ceil(number / unit) * unit


def as_json(device: str, copy_gb_s: float, repeats: int, rows: Sequence[Row]) -> str:
    found = {
        "device": device,
        "copy_gb_s": copy_gb_s,
        "repeats": repeats,
        "regions": [vars(row) for row in rows],
    }
    return json.dumps(found, indent=2) + "\n"


def require_matplotlib() -> None:
    if find_spec("matplotlib") is None:
        raise error(
            "KF304",
            "Matplotlib is not installed",
            help="install it: pip install 'kfusion[plot]'",
            argument="--plot",
            exit_code=1,
        )


def plot(path: Path, device: str, rows: Sequence[Row]) -> None:
    """Bars of what was measured, marks for what the traffic predicts."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDTH, 1.5 + 0.5 * len(rows)), layout="constrained")
    axes = figure.subplots()
    places = range(len(rows))
    axes.barh(places, [row.speed_up for row in rows], color="C0", alpha=0.6, label="measured")
    axes.plot([row.predicted for row in rows], places, "k|", markersize=16, label="by traffic")
    axes.set_yticks(places, [f"{row.region}\n{row.size}" for row in rows])
    axes.invert_yaxis()
    axes.axvline(1, color="grey", linewidth=0.8)
    axes.set_xlabel("unfused time / fused time")
    figure.suptitle("\n".join(wrap(device, _LETTERS * _WIDTH)), fontsize="small")
    figure.legend(loc="outside lower center", ncols=2)
    figure.savefig(path)
