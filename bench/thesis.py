"""The thesis's own tables, beside what is measured here: 5.1, 5.2, 5.3 and 5.5."""

from __future__ import annotations

from bench.tables import Results, Row, number, of_kind, table

_SIZES = """\
The thesis's sizes are 4096 x 4096 pixels, 4096 elements and matrices of 4096 x 4096; here those
measured that are nearest. What its applications compute in between is not known in all detail."""
_LINES = """\
Lines with code, without comments, all applications fused together. (For its own lines the thesis
prints increases of 34.5%, 75.3% and 26.9%.)"""
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


def code(results: Results) -> str:
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


def times(results: Results) -> str:
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
                    number(row["ms"]["unfused"]),
                    number(row["ms"]["fused"]),
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
            _SIZES,
            "",
            *table(head, cells),
        ]
    )
