"""The results as SVG: speed-ups by size, and the roofline."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.tables import (
    best_copy,
    kinds,
    of_kind,
    peer_ratios,
    predicted,
    roofline_points,
    speed_up,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Results = dict[str, Any]

_MARKS = {"unfused": "o", "fused": "s", "by hand": "x"}


def draw(results: Results, folder: Path) -> None:
    if results["applications"]:
        _speed_ups(results, folder / "speed-ups.svg")
    if roofline_points(results):
        _roofline(results, folder / "roofline.svg")
    if results["programs"]:
        _programs(results, folder / "programs.svg")
    if peer_ratios(results):
        _peers(results, folder / "peers.svg")


def _speed_ups(results: Results, path: Path) -> None:
    """Figures 5.1 to 5.5 and 5.7: for each kind of data a row, for each application a panel."""
    shown = [of_kind(results, kind) for kind in kinds(results)]
    names = [list(dict.fromkeys(row["application"] for row in rows)) for rows in shown]
    across = max(map(len, names))
    figure = _figure(2.8 * across, 2.6 * len(shown))
    panels = figure.subplots(len(shown), across, sharey="row", squeeze=False)
    for rows, mine, line in zip(shown, names, panels, strict=True):
        for name, axes in zip(mine, line[: len(mine)], strict=True):
            _speed_up(axes, name, [row for row in rows if row["application"] == name])
        for axes in line[len(mine) :]:
            axes.set_axis_off()
        line[0].set_ylabel("unfused time / time")
        line[0].set_ylim(bottom=0)
    panels[0][0].legend(fontsize="small")
    _save(figure, results, path)


def _speed_up(axes: Axes, name: str, rows: list[dict[str, Any]]) -> None:
    sizes = [row["size"] for row in rows]
    axes.plot(sizes, _shown(speed_up(row) for row in rows), "s-", label="kfusion")
    axes.plot(sizes, _shown(speed_up(row, "by hand") for row in rows), "x--", label="by hand")
    if all(predicted(row) for row in rows):
        traffic = _shown(predicted(row) for row in rows)
        axes.plot(sizes, traffic, ":", color="grey", label="by traffic")
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_xscale("log", base=2)
    axes.set_title(name, fontsize="medium")


def _shown(figures: Iterable[float | None]) -> list[float]:
    """Nothing is drawn where there is no figure."""
    return [math.nan if figure is None else figure for figure in figures]


def _programs(results: Results, path: Path) -> None:
    """Figure 5.8."""
    rows = results["programs"]
    figure = _figure(1.5 + 2 * len(rows), 3.4)
    axes: Axes = figure.subplots()
    for place, row in enumerate(rows):
        axes.bar(place - 0.2, _shown([speed_up(row)])[0], 0.4, color="C0", label="kfusion")
        by_hand = speed_up(row, "by hand")
        if by_hand:
            axes.bar(place + 0.2, by_hand, 0.4, color="C1", label="by hand")
    axes.axhline(1, color="black", linewidth=0.8)
    titles = [row["program"].replace(", ", ",\n") for row in rows]
    axes.set_xticks(range(len(rows)), titles, fontsize="small")
    axes.set_ylabel("unfused wall time / wall time")
    _legend(axes)
    _save(figure, results, path)


def _peers(results: Results, path: Path) -> None:
    """Kernel times on the same work, as parts of kfusion's."""
    ratios = peer_ratios(results)
    names = list(dict.fromkeys(row["application"] for row, _ in ratios))
    peers = list(dict.fromkeys(row["peer"] for row, _ in ratios))
    figure = _figure(1.5 + 1.3 * len(names), 3.4)
    axes: Axes = figure.subplots()
    width = 0.8 / len(peers)
    for row, ratio in ratios:
        number = peers.index(row["peer"])
        place = names.index(row["application"]) + (number + 0.5) * width - 0.4
        axes.bar(place, ratio, width, color=f"C{number}", label=row["peer"])
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_xticks(range(len(names)), names)
    axes.set_ylabel("kernel time / kfusion's")
    _legend(axes)
    _save(figure, results, path)


def _legend(axes: Axes) -> None:
    """Each label once."""
    handles, labels = axes.get_legend_handles_labels()
    found = dict(zip(labels, handles, strict=True))
    axes.legend(found.values(), found.keys(), fontsize="small")


def _roofline(results: Results, path: Path) -> None:
    """Figure 5.6."""
    points = roofline_points(results)
    copy = best_copy(results) or 0
    figure = _figure(6, 4.2)
    axes: Axes = figure.subplots()
    low, high = 0.5 * min(p[2] for p in points), 2 * max(p[2] for p in points)
    axes.plot([low, high], [low * copy, high * copy], "k-", label=f"copy: {copy:.0f} GB/s")
    names = list(dict.fromkeys(point[0] for point in points))
    for name, kind, intensity, _, achieved in points:
        colour = f"C{names.index(name)}"
        axes.plot(intensity, achieved, _MARKS[kind], color=colour, label=f"{name}, {kind}")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("floating-point operations for each byte of global memory")
    axes.set_ylabel("GFlop/s")
    axes.legend(fontsize="small")
    _save(figure, results, path)


def _figure(width: float, height: float) -> Any:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _save(figure: Any, results: Results, path: Path) -> None:
    figure.suptitle(f"{results['device']['name']}, {results['date']}", fontsize="small")
    # Neither a date nor random names: equal results are equal files.
    import matplotlib as mpl

    with mpl.rc_context({"svg.hashsalt": "kfusion"}):
        figure.savefig(path, metadata={"Date": None})
