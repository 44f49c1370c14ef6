"""The results as Markdown."""

from __future__ import annotations

from bench import thesis
from bench.tables import (
    SAME_SHAPE,
    Results,
    Row,
    best_copy,
    kinds,
    number,
    of_kind,
    peer_ratios,
    predicted,
    ratio,
    roofline_points,
    speed_up,
    table,
)

NOISE = 0.97  # a ratio that counts as "not slower"

_TIMED = """\
Kernel times by OpenCL's events, medians of {repeats} repetitions of the programs in C, taken in
turns: unfused, fused (`kfusion {options}`), fused by hand. The results are the same to the bit,
unless a number of units in the last place (ulp) is given. "By traffic" is the speed-up if time
were bytes moved (each buffer once for a kernel, all pictures of an application taken to have one
size); "of a copy" is the bandwidth that the fused kernels make of these bytes, as a share of the
best copy's: more than all of it where the data stays in caches."""
_ROOFLINE = """\
At the largest size. Attainable is what the bandwidth of the best copy allows. In the thesis:
unfused 16.36 attainable, 11.44 achieved; fused 60 and 35.93."""
_SAME_WORK = """\
Same run, same data, results compared with those of the unfused program; kernel time only."""
_CONTRACTION = """\
Where the compiler contracts products and sums of two kernels once they are one, all versions were
built with `#pragma OPENCL FP_CONTRACT OFF` and compared again."""


def markdown(results: Results) -> str:
    parts = [
        _head(results),
        _short(results),
        _speed_ups(results),
        _verdict(results),
        _roofline(results),
        thesis.code(results),
        thesis.times(results),
        _programs(results),
        _peers(results),
        _missing(results),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _head(results: Results) -> str:
    device = results["device"]
    lines = [
        f"# Measured on {device['name']}",
        "",
        f"{device['platform']}, driver {device['driver']}, {device['version']}; {results['date']}.",
        "",
        f"    {results['command']}",
    ]
    if results["copies"]:
        found = ", ".join(f"{name} {gb_s:.0f}" for name, gb_s in results["copies"].items())
        lines += ["", f"Copies of large buffers, in GB/s (loads and stores): {found}."]
    return "\n".join(lines)


def _short(results: Results) -> str:
    """Of each application the largest size, and the fastest of the other fusers."""
    latest = {r["application"]: r for kind in kinds(results) for r in of_kind(results, kind)}
    if not latest:
        return ""
    cells = []
    for name, row in latest.items():
        ms = row["ms"]
        by_hand = ms["by hand"] / ms["fused"] if "by hand" in ms else None
        ratios = (speed_up(row), predicted(row), by_hand)
        cells.append((f"`{name}`", str(row["size"]), *map(ratio, ratios), _fastest(results, name)))
    head = ("", "largest size", "unfused time / fused", "by traffic", "time by hand / fused")
    return "\n".join(["## In short", "", *table((*head, "fastest other fuser / fused"), cells)])


def _fastest(results: Results, application: str) -> str:
    """At the size at which others were measured, which need not be the largest."""
    ratios = [
        (ratio, f"{row['peer']} at {row['size']}")
        for row, ratio in peer_ratios(results)
        if row["application"] == application
    ]
    if not ratios:
        return "-"
    least, peer = min(ratios)
    return f"{least:.2f} ({peer})"


_SIZES = {
    "image": ("Pictures", "width and height, pixels of four floats in buffers"),
    "texture": ("Pictures in images", "width and height, `image2d_t`"),
    "vector": ("Vectors", "elements"),
    "matrix": ("Dense matrices", "rows and columns"),
    "convolution": ("Convolutions", "width and height"),
    "stencil": ("Stencils", "width and height"),
    "plane": ("Steps in two dimensions", "width and height"),
    "volume": ("Steps in three dimensions", "width, height and depth"),
}


def _speed_ups(results: Results) -> str:
    if not results["applications"]:
        return ""
    copy = best_copy(results)
    text = [
        "## Speed-up over the kernels as written",
        "",
        _TIMED.format(repeats=results["repeats"], options=results["kfusion"]),
        "",
        "![Speed-ups by size](speed-ups.svg)",
    ]
    for kind in kinds(results):
        title, unit = _SIZES[kind]
        head = ["", unit, "kernels", "unfused ms", "fused ms", "by hand ms"]
        head += ["fused", "by hand", "by traffic", "of a copy", "thesis (GPU, CPU)"]
        rows = [_speed_up_cells(row, copy) for row in of_kind(results, kind)]
        alone = [speed_up(row, SAME_SHAPE) for row in of_kind(results, kind)]
        if any(alone):
            head.append("same shape, one launch per stage")
            rows = [[*cells, ratio(each)] for cells, each in zip(rows, alone, strict=True)]
        text += ["", f"### {title}", "", *table(head, rows)]
    return "\n".join(text)


def _speed_up_cells(row: Row, copy: float | None) -> list[str]:
    ms, ulps = row["ms"], row["ulps"].get("by hand", 0)
    by_hand = number(ms.get("by hand")) + (f" ({ulps} ulp)" if ulps else "")
    share = None
    if row["bytes"] and copy:
        share = row["bytes"][1] / ms["fused"] / 1e6 / copy
    thesis = row["thesis"]
    return [
        f"`{row['application']}`",
        str(row["size"]),
        f"{row['kernels']['unfused']} → {row['kernels']['fused']}",
        number(ms["unfused"]),
        number(ms["fused"]),
        by_hand,
        ratio(speed_up(row)),
        ratio(speed_up(row, "by hand")),
        ratio(predicted(row)),
        "-" if share is None else f"{share:.0%}",
        "-" if not thesis else f"{thesis[0]:.2f}, {thesis[1]:.2f}",
    ]


def _verdict(results: Results) -> str:
    """No application is slower than unfused, and none slower than by hand."""
    rows = [row for kind in kinds(results) for row in of_kind(results, kind)]
    rows += results["programs"]
    if not rows:
        return ""
    cells = []
    for row in rows:
        name = row.get("program") or f"`{row['application']}`, {row['size']}"
        fused = speed_up(row)
        assert fused is not None
        hand = row["ms"]["by hand"] / row["ms"]["fused"] if "by hand" in row["ms"] else None
        cells.append((name, ratio(fused), "yes" if fused >= NOISE else "**no**", ratio(hand)))
    slower = sum(cell[2] != "yes" for cell in cells)
    said = f"All {len(cells)} are" if not slower else f"All but {slower} of {len(cells)} are"
    head = ("", "unfused time / fused", f"at least {NOISE}", "time by hand / fused")
    return "\n".join(
        [f"## Not slower than unfused\n\n{said} at {NOISE} or better.\n", *table(head, cells)]
    )


def _roofline(results: Results) -> str:
    points = roofline_points(results)
    if not points:
        return ""
    cells = [
        (
            f"`{name}`",
            kind,
            f"{intensity:.3f}",
            f"{most:.0f}",
            f"{found:.0f}",
            f"{found / most:.0%}",
        )
        for name, kind, intensity, most, found in points
    ]
    head = ("", "", "flop per byte", "attainable GFlop/s", "achieved GFlop/s", "share")
    return "\n".join(
        [
            "## Roofline (figure 5.6, table 5.4)",
            "",
            _ROOFLINE,
            "",
            "![Roofline](roofline.svg)",
            "",
            *table(head, cells),
        ]
    )


def _programs(results: Results) -> str:
    rows = results["programs"]
    if not rows:
        return ""
    cells = []
    for row in rows:
        ms, steps = row["ms"], row["steps"]
        scale, unit = (1e3 / steps, "µs a step") if steps else (1, "ms")
        times = [number(ms[k] * scale) if k in ms else "-" for k in ("unfused", "fused", "by hand")]
        if not row["same"].get("by hand", True):
            times[2] += " (other bits)"
        ratios = (ratio(speed_up(row)), ratio(speed_up(row, "by hand")))
        cells.append((row["program"], f"`{row['arguments']}`", unit, *times, *ratios))
    head = ("", "arguments", "wall time", "unfused", "fused", "by hand", "speed-up", "by hand")
    return "\n".join(
        [
            "## Whole programs",
            "",
            "Wall times with everything that the host does, medians of runs taken in turns.",
            "",
            "![Speed-ups of whole programs](programs.svg)",
            "",
            *table(head, cells),
        ]
    )


def _peers(results: Results) -> str:
    rows = results["peers"]
    if not rows:
        return ""
    own = {(r["application"], r["size"]): r["ms"] for r in results["applications"]}
    cells = []
    for row in rows:
        mine = own.get((row["application"], row["size"]), {})
        fused = mine.get("fused")
        ms = row.get("ms")
        cells.append(
            (
                row["peer"],
                f"`{row['application']}`",
                str(row["size"]),
                number(fused),
                row["not"] if ms is None else number(ms),
                "-" if ms is None or not fused else ratio(ms / fused),
                row.get("off", "-"),
                row.get("how", "-"),
            )
        )
    head = ("fuser", "", "size", "kfusion ms", "ms", "time / kfusion's", "results", "timed by")
    return "\n".join(
        [
            "## Today's fusers on the same work",
            "",
            _SAME_WORK,
            "",
            *(["![Times of other fusers](peers.svg)", ""] if peer_ratios(results) else []),
            *table(head, cells),
        ]
    )


def _missing(results: Results) -> str:
    lines: list[str] = []
    if results.get("differences"):
        lines += ["## Rounding", ""]
        for each in results["differences"]:
            found = ", ".join(
                f"{kind} differs in {d['differing']} of {d['elements']} elements, by at most "
                f"{d['ulps']} ulp"
                for kind, d in each["found"].items()
            )
            lines.append(f"- `{each['application']}` {each['how']}: {found}.")
        lines += [
            "",
            _CONTRACTION,
            "",
        ]
    if results["failed"]:
        lines += ["## Not measured", ""]
        lines += [f"- {each['what']}: {_one_line(each['reason'])}" for each in results["failed"]]
        lines.append("")
    found = "; ".join(f"{name} {value}" for name, value in results["versions"].items())
    return "\n".join([*lines, "## Versions", "", f"{found}."])


def _one_line(text: str) -> str:
    return " ".join(text.split())[:400]
