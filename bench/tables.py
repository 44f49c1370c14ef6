"""What document, thesis's tables and figures share: rows of the results, and ratios."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

Results = dict[str, Any]
Row = dict[str, Any]
SAME_SHAPE = "same shape"  # a way to build programs: strips, but one launch for each stage


def speed_up(row: Row, kind: str = "fused") -> float | None:
    ms = row["ms"]
    return ms["unfused"] / ms[kind] if kind in ms else None


def predicted(row: Row) -> float | None:
    """The speed-up if time were bytes."""
    return row["bytes"][0] / row["bytes"][1] if row["bytes"] else None


def best_copy(results: Results) -> float | None:
    return max(results["copies"].values(), default=None)


def of_kind(results: Results, kind: str) -> list[Row]:
    rows = [row for row in results["applications"] if row["kind"] == kind]
    names = list(dict.fromkeys(row["application"] for row in rows))
    return sorted(rows, key=lambda row: (names.index(row["application"]), row["size"]))


def kinds(results: Results) -> list[str]:
    return list(dict.fromkeys(row["kind"] for row in results["applications"]))


def peer_ratios(results: Results) -> list[tuple[Row, float]]:
    """Times of other fusers as parts of kfusion's, where both were measured at one size."""
    own = {(row["application"], row["size"]): row["ms"]["fused"] for row in results["applications"]}
    rows = [row for row in results["peers"] if "ms" in row]
    keys = [(row["application"], row["size"]) for row in rows]
    return [(r, r["ms"] / own[key]) for r, key in zip(rows, keys, strict=True) if key in own]


def roofline_points(results: Results) -> list[tuple[str, str, float, float, float]]:
    """Application, kind, flops for each byte, attainable and achieved GFlop/s."""
    copy = best_copy(results)
    points = []
    latest = {r["application"]: r for r in sorted(results["applications"], key=_size)}
    for row in latest.values():
        if not row["flops"] or not row["bytes"] or not copy:
            continue
        for kind, ms in row["ms"].items():
            intensity = row["flops"] / row["bytes"][kind != "unfused"]
            points.append(
                (row["application"], kind, intensity, intensity * copy, row["flops"] / ms / 1e6)
            )
    return points


def _size(row: Row) -> int:
    size: int = row["size"]
    return size


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(line) + " |" for line in lines]


def number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}" if value < 1e4 else f"{value:.0f}"


def ratio(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
