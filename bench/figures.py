"""The results as SVG: speed-ups by size, and the roofline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.document import best_copy, kinds, of_kind, predicted, roofline_points, speed_up

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Results = dict[str, Any]

_MARKS = {"unfused": "o", "fused": "s", "by hand": "x"}


def draw(results: Results, folder: Path) -> None:
    for kind in kinds(results):
        _speed_ups(results, kind, folder / f"speed-up-{kind}.svg")
    if roofline_points(results):
        _roofline(results, folder / "roofline.svg")


def _speed_ups(results: Results, kind: str, path: Path) -> None:
    """Figures 5.1 to 5.5 and 5.7: by size, for each application a panel."""
    rows = of_kind(results, kind)
    names = list(dict.fromkeys(row["application"] for row in rows))
    figure = _figure(3 * len(names), 3.2)
    panels = figure.subplots(1, len(names), sharey=True, squeeze=False)[0]
    for axes, name in zip(panels, names, strict=True):
        mine = [row for row in rows if row["application"] == name]
        sizes = [row["size"] for row in mine]
        axes.plot(sizes, [speed_up(row) for row in mine], "s-", label="kfusion")
        axes.plot(sizes, [speed_up(row, "by hand") for row in mine], "x--", label="by hand")
        if all(predicted(row) for row in mine):
            expected = [predicted(row) for row in mine]
            axes.plot(sizes, expected, ":", color="grey", label="by traffic")
        axes.axhline(1, color="black", linewidth=0.8)
        axes.set_xscale("log", base=2)
        axes.set_title(name)
        axes.set_xlabel("size")
        axes.set_ylim(bottom=0)
    panels[0].set_ylabel("unfused time / time")
    panels[0].legend(fontsize="small")
    _save(figure, results, path)


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
