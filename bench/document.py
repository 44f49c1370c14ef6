"""The results as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

Results = dict[str, Any]
Row = dict[str, Any]

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
_THESIS_SIZES = """\
The thesis's sizes are 4096 x 4096 pixels, 4096 elements and matrices of 4096 x 4096; here those
measured that are nearest. What its applications compute in between is not known in all detail."""
_LINES = """\
Lines with code, without comments, all applications fused together. (For its own lines the thesis
prints increases of 34.5%, 75.3% and 26.9%.)"""
_SAME_WORK = """\
Same run, same data, results compared with those of the unfused program; kernel time only."""
_CONTRACTION = """\
Where the compiler contracts products and sums of two kernels once they are one, all versions were
built with `#pragma OPENCL FP_CONTRACT OFF` and compared again."""


def markdown(results: Results) -> str:
    parts = [
        _head(results),
        _speed_ups(results),
        _verdict(results),
        _roofline(results),
        _code(results),
        _thesis_times(results),
        _programs(results),
        _peers(results),
        _missing(results),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


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


_SIZES = {
    "image": ("Pictures", "width and height, pixels of four floats in buffers"),
    "texture": ("Pictures in images", "width and height, `image2d_t`"),
    "vector": ("Vectors", "elements"),
    "matrix": ("Dense matrices", "rows and columns"),
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
        text += ["", f"### {title}", "", *table(head, rows)]
    return "\n".join(text)


def _speed_up_cells(row: Row, copy: float | None) -> list[str]:
    ms, ulps = row["ms"], row["ulps"].get("by hand", 0)
    by_hand = _number(ms.get("by hand")) + (f" ({ulps} ulp)" if ulps else "")
    share = None
    if row["bytes"] and copy:
        share = row["bytes"][1] / ms["fused"] / 1e6 / copy
    thesis = row["thesis"]
    return [
        f"`{row['application']}`",
        str(row["size"]),
        f"{row['kernels']['unfused']} → {row['kernels']['fused']}",
        _number(ms["unfused"]),
        _number(ms["fused"]),
        by_hand,
        _ratio(speed_up(row)),
        _ratio(speed_up(row, "by hand")),
        _ratio(predicted(row)),
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
        ratio = speed_up(row)
        assert ratio is not None
        hand = row["ms"]["by hand"] / row["ms"]["fused"] if "by hand" in row["ms"] else None
        cells.append((name, _ratio(ratio), "yes" if ratio >= NOISE else "**no**", _ratio(hand)))
    slower = sum(cell[2] != "yes" for cell in cells)
    said = f"All {len(cells)} are" if not slower else f"All but {slower} of {len(cells)} are"
    head = ("", "unfused time / fused", f"at least {NOISE}", "time by hand / fused")
    return "\n".join(
        [f"## Not slower than unfused\n\n{said} at {NOISE} or better.\n", *table(head, cells)]
    )


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


def _code(results: Results) -> str:
    rows = results["code"]
    if not rows:
        return ""
    cells = []
    for row in rows:
        before = row["library"] + row["kernels"]
        after = row["fused library"] + row["fused kernels"]
        hand = row["library by hand"] + row["kernels by hand"]
        cells.append(
            (
                row["study"],
                str(row["library"]),
                str(row["kernels"]),
                str(row["fused library"]),
                str(row["fused kernels"]),
                f"{after / before - 1:.1%}",
                f"{hand / before - 1:.1%}",
            )
        )
    head = ("case study", "library", "kernels", "fused library", "fused kernels", "increase")
    notes = [
        (
            row["study"],
            str(row["kernel and library annotations"]),
            str(row["application annotations"]),
            str(row["applications"]),
        )
        for row in rows
    ]
    note_head = ("case study", "in kernels and library", "in applications", "applications")
    return "\n".join(
        [
            "## Lines of code (table 5.1)",
            "",
            _LINES,
            "",
            *table((*head, "increase by hand"), [*cells, *_THESIS_LINES]),
            "",
            "## Annotations (table 5.2)",
            "",
            *table(note_head, [*notes, *_THESIS_ANNOTATIONS]),
        ]
    )


_THESIS_LINES = (
    ("thesis: images", "815", "322", "1034", "759", "57.7%", "-"),
    ("thesis: linear algebra", "422", "159", "626", "393", "75.4%", "-"),
    ("thesis: physics", "593", "232", "624", "377", "21.3%", "-"),
)
_THESIS_ANNOTATIONS = (
    ("thesis: images", "20", "4", "4"),
    ("thesis: linear algebra", "12", "3", "3"),
    ("thesis: physics", "8", "1", "1"),
)
# Tables 5.3 and 5.5: ms on the thesis's CPU, unfused and fused, and on its GPU.
_THESIS_TIMES = {
    "ldd": (3155, 773, 99, 29),
    "mdd": (3236, 2301, 114, 65),
    "hdd": (4873, 3842, 143, 101),
    "hddlf": (4241, 3789, 236, 213),
    "pythagoras": (0.12, 0.06, 0.06, 0.04),
    "distance": (0.13, 0.05, 0.06, 0.04),
    "cg_steps": (102.35, 102.8, 3.53, 3.52),
}


def _thesis_times(results: Results) -> str:
    cells = []
    wanted = {"image": 4096, "vector": 4096, "matrix": 4096}
    for kind, size in wanted.items():
        rows: dict[str, Row] = {}
        for row in of_kind(results, kind):
            if row["application"] not in _THESIS_TIMES:
                continue
            kept = rows.setdefault(row["application"], row)
            if abs(row["size"] - size) <= abs(kept["size"] - size):
                rows[row["application"]] = row
        for name, row in rows.items():
            cpu, cpu_fused, gpu, gpu_fused = _THESIS_TIMES[name]
            cells.append(
                (
                    f"`{name}`",
                    str(row["size"]),
                    _number(row["ms"]["unfused"]),
                    _number(row["ms"]["fused"]),
                    f"{gpu} → {gpu_fused}",
                    f"{cpu} → {cpu_fused}",
                )
            )
    if not cells:
        return ""
    head = ("", "size", "unfused ms", "fused ms", "thesis's GPU", "thesis's CPU")
    return "\n".join(
        [
            "## Times beside the thesis's (tables 5.3 and 5.5)",
            "",
            _THESIS_SIZES,
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
        times = [
            _number(ms[k] * scale) if k in ms else "-" for k in ("unfused", "fused", "by hand")
        ]
        if not row["same"].get("by hand", True):
            times[2] += " (other bits)"
        ratios = (_ratio(speed_up(row)), _ratio(speed_up(row, "by hand")))
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
                _number(fused),
                row["not"] if ms is None else _number(ms),
                "-" if ms is None or not fused else _ratio(ms / fused),
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
            *(["![Times of other fusers](peers.svg)", ""] if any("ms" in r for r in rows) else []),
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


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(line) + " |" for line in lines]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}" if value < 1e4 else f"{value:.0f}"


def _ratio(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
