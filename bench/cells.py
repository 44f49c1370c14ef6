"""Steps of stencils: how many cells a second, unfused and fused.

    python -m bench.cells --device NVIDIA --target nvidia -o FILE.md star_2d_1:16383:1000 ...

Times are wall times that the programs tell of whole loops, from the first launch to the end of
the last one, the median of three. Both programs are built without contraction, and their results
after 41 steps are compared.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click

from bench.programs import Builder, Built, difference, run_alone, wall_ms
from bench.tables import table
from casestudies.demo import STENCIL, STEPS

HEAD = (
    *("", "size", "steps", "unfused ms", "Gcells/s", "fused ms", "Gcells/s"),
    *("unfused / fused", "result"),
)
COMPARED = 41  # steps


@click.command()
@click.option("--device", required=True)
@click.option("--target", required=True)
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True)
@click.argument("jobs", nargs=-1, required=True)
def main(device: str, target: str, output: Path, jobs: tuple[str, ...]) -> None:
    """NAME:SIZE:STEPS for each, see STEPS in casestudies/demo.py."""
    read = [(name, int(size), int(steps)) for name, size, steps in (j.split(":") for j in jobs)]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        builder = Builder(Path(folder), ("--target", target))
        names = dict.fromkeys(name for name, _, _ in read)
        built = dict(zip(names, pool.map(lambda name: _build(builder, name), names), strict=True))
        rows = []
        for name, size, steps in read:
            row = tuple(_row(name, size, steps, built[name], device, Path(folder)))
            click.echo(" ".join(row))
            rows.append(row)
    output.write_text("\n".join([*table(HEAD, rows), ""]))


def _build(builder: Builder, name: str) -> dict[str, Built]:
    return builder.build(STENCIL, "steps", STEPS[name], contract=False, by_hand=False)


def _row(
    name: str, size: int, steps: int, programs: Mapping[str, Built], device: str, folder: Path
) -> Iterator[str]:
    dimensions = 3 if "3d" in name else 2
    yield from (f"`{name}`", str(size), str(steps))
    dumps = {kind: folder / f"{name}.{kind}" for kind in programs}
    times = {}
    for kind, program in programs.items():
        run_alone(
            program,
            ["-n", {2: 1000, 3: 100}[dimensions], "-s", COMPARED, "-d", dumps[kind]],
            device,
        )
        times[kind] = wall_ms(program, ["-n", size, "-s", steps, "-r", 3], device)
        yield from (f"{times[kind]:.1f}", f"{size**dimensions * steps / times[kind] / 1e6:.3g}")
    found = difference(dumps["unfused"], dumps["fused"], STEPS[name].dtype)
    yield f"{times['unfused'] / times['fused']:.2f}"
    yield "same bits" if found.same else f"at most {found.ulps} ulp"


if __name__ == "__main__":
    main()
