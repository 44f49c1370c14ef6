"""Times of regions, unfused and fused, for people, programs and pictures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

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


_HEAD = ("region", "size", "kernels", "ms", "GB/s", "of a copy", "speed-up", "by traffic")


def table(rows: Sequence[Row]) -> str:
    cells = [
        (
            row.region,
            str(row.size),
            f"{row.kernels[0]} -> {row.kernels[1]}",
            f"{row.ms[0]:.4g} -> {row.ms[1]:.4g}",
            f"{row.gb_s[0]:.4g} -> {row.gb_s[1]:.4g}",
            f"{row.share[0]:.0%} -> {row.share[1]:.0%}",
            f"{row.speed_up:.2f}",
            f"{row.predicted:.2f}",
        )
        for row in rows
    ]
    return "\n".join(columns([_HEAD, *cells]))


def as_json(device: str, copy_gb_s: float, repeats: int, rows: Sequence[Row]) -> str:
    found = {
        "device": device,
        "copy_gb_s": copy_gb_s,
        "repeats": repeats,
        "regions": [vars(row) for row in rows],
    }
    return json.dumps(found, indent=2) + "\n"


def plot(path: Path, device: str, rows: Sequence[Row]) -> None:
    """Bars of what was measured, marks for what the traffic predicts."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise error(
            "KF304",
            "Matplotlib is not installed",
            help="install it: pip install 'kfusion[plot]'",
            argument="--plot",
            exit_code=1,
        ) from None
    figure = Figure(figsize=(max(4, 1 + 0.8 * len(rows)), 4), layout="constrained")
    axes = figure.subplots()
    places = range(len(rows))
    axes.bar(places, [row.speed_up for row in rows], label="measured")
    axes.plot(places, [row.predicted for row in rows], "k_", markersize=16, label="by traffic")
    labels = [f"{row.region}\n{row.size}" for row in rows]
    axes.set_xticks(places, labels, rotation=30, ha="right")
    axes.axhline(1, color="grey", linewidth=0.8)
    axes.set_ylabel("unfused time / fused time")
    axes.set_title(device, fontsize="small")
    axes.legend()
    figure.savefig(path)
