"""The linear algebra case study, fused and unfused on PoCL and on Oclgrind."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench.programs import fused_by_hand
from casestudies.demo import LINALG, fuse
from casestudies.measure import RunResult, build, oclgrind_bytes, run_counted
from kfusion.device.oclgrind import oclgrind_races

PRECISIONS = {"float": (), "double": ("LINALG_DOUBLE",)}
ELEMENT = 4  # bytes of a float
BY_HAND = ("pythagoras", "distance", "cg_steps", "cg")


class Programs:
    """An application built both ways, and by hand where `reference/` has it."""

    def __init__(self, sources: list[Path], folder: Path, defines: tuple[str, ...] = ()) -> None:
        self.folder = folder
        self.out = folder / "out"
        fused = LINALG.fuse(sources, self.out, defines)
        ways = {"unfused": sources, "fused": fused}
        if sources[0].stem in BY_HAND:
            made = fused_by_hand(LINALG, sources[0].stem, sources[2], folder / "by_hand")
            ways["by hand"] = made
        self.kernels = {kind: paths[2] for kind, paths in ways.items()}
        reference = [LINALG.folder / "reference"]
        self.programs = {
            kind: LINALG.build(paths, folder / kind, defines, include_dirs=reference)
            for kind, paths in ways.items()
        }

    def run(self, kind: str, *arguments: object) -> tuple[RunResult, bytes]:
        dump = self.folder / f"{kind}.bin"
        result = LINALG.run(self.programs[kind], self.kernels[kind], *arguments, "-o", dump)
        return result, dump.read_bytes()

    def compare(self, *arguments: object) -> tuple[int, ...]:
        """Launches of each way; results and output must be the same to the bit."""
        runs = {kind: self.run(kind, *arguments) for kind in self.programs}
        unfused, expected = runs["unfused"]
        assert expected
        for kind, (result, found) in runs.items():
            assert found == expected, kind
            assert result.stdout == unfused.stdout, kind
        return tuple(result.total for result, _ in runs.values())


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize(
    ("application", "before", "after"),
    [("pythagoras", 4, 1), ("distance", 6, 1), ("cg_steps", 4, 1)],
)
def test_thesis_applications_launch_one_kernel(
    application: str, before: int, after: int, precision: str, tmp_path: Path
) -> None:
    programs = Programs(LINALG.sources(application), tmp_path, PRECISIONS[precision])
    for size in (1, 37, 512, 1000):
        assert programs.compare("-n", size) == (before, after, after)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_conjugate_gradients_take_five_launches_an_iteration(
    precision: str, tmp_path: Path
) -> None:
    programs = Programs(LINALG.sources("cg"), tmp_path, PRECISIONS[precision])
    launches = programs.compare("-n", 16)
    result, _ = programs.run("fused", "-n", 16)
    iterations = len(re.findall(r"^ *\d+  \S+e[+-]\d+ ", result.stdout, re.MULTILINE)) - 1
    assert iterations > 10
    assert launches == (5 + 7 * iterations, 2 + 5 * iterations, 1 + 3 * iterations)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_conjugate_gradients_notice_a_solution_of_other_equations(
    precision: str, tmp_path: Path
) -> None:
    """The recurrence converges as ever; what rounding explains is far less than this."""
    *hosts, kernels = LINALG.sources("cg")
    wrong = tmp_path / "linalg.cl"
    right = "sum += value[k] * x[column[k]];"
    text = kernels.read_text()
    assert right in text
    wrong.write_text(text.replace(right, "sum += (REAL)1.01 * value[k] * x[column[k]];"))
    program = LINALG.build([*hosts, kernels], tmp_path / "program", PRECISIONS[precision])
    for path, status in ((kernels, 0), (wrong, 1)):
        result = run_counted([program, "-n", "32"], LINALG.environment(path))
        assert result.returncode == status
        assert "true residual: " in result.stdout
        assert result.stderr == ""


@pytest.mark.parametrize(
    ("variant", "launches"),
    [
        ("pythagoras_permuted", (4, 1)),
        ("pythagoras_intermediate", (4, 1)),
        ("pythagoras_aliased", (12, 9)),  # 4 fused to 1; twice aliased: 4 stay 4
    ],
)
def test_variants_launch_what_they_deserve(
    variant: str, launches: tuple[int, int], tmp_path: Path
) -> None:
    programs = Programs(LINALG.sources(f"variants/{variant}"), tmp_path)
    assert programs.compare("-n", 1000) == launches


def test_renamed_functions_and_kernels_fuse_alike(tmp_path: Path) -> None:
    folder = tmp_path / "renamed"
    folder.mkdir()
    names = {
        "vector_mult": "hadamard",
        "vector_add": "axpby",
        "vector_sqrt": "root_of",
        "mult_kernel": "k1",
        "add_kernel": "second_one",
        "a2": "left_squared",
    }
    for source in [
        *LINALG.sources("pythagoras"),
        LINALG.folder / "linalg.h",
        LINALG.apps / "app.h",
        LINALG.apps / "app.c",
    ]:
        text = source.read_text()
        for old, new in names.items():
            text = re.sub(rf"\b{old}\b", new, text)
        (folder / source.name).write_text(text)
    renamed = [folder / source.name for source in LINALG.sources("pythagoras")]
    out = tmp_path / "out"
    fuse(renamed, out, [folder])
    fused = [out / source.name for source in renamed]
    extra = [folder / "app.c"]
    programs = {
        "unfused": build([*renamed[:2], *extra], tmp_path / "u", [folder], flags=["-O0"]),
        "fused": build([*fused[:2], *extra], tmp_path / "f", [folder], flags=["-O0"]),
    }
    kernels = {"unfused": renamed[2], "fused": fused[2]}
    results = {
        kind: LINALG.run(program, kernels[kind], "-n", 1000, "-o", tmp_path / f"{kind}.bin")
        for kind, program in programs.items()
    }
    assert (tmp_path / "fused.bin").read_bytes() == (tmp_path / "unfused.bin").read_bytes()
    assert (results["unfused"].total, results["fused"].total) == (4, 1)


@pytest.mark.parametrize("options", [None, "-cl-opt-disable"])
@pytest.mark.parametrize(
    ("application", "loaded", "stored"),
    [("pythagoras", 2, 1), ("distance", 4, 1), ("variants/pythagoras_intermediate", 2, 2)],
)
def test_bytes_are_those_of_the_inputs_and_outputs(
    application: str, loaded: int, stored: int, options: str | None, tmp_path: Path
) -> None:
    programs = Programs(LINALG.sources(application), tmp_path)
    n = 512
    moved = oclgrind_bytes(
        [programs.programs["fused"], "-n", str(n)],
        LINALG.environment(programs.kernels["fused"]),
        build_options=options,
    )
    assert (moved.loaded, moved.stored) == (loaded * n * ELEMENT, stored * n * ELEMENT)


@pytest.mark.parametrize("kind", ["fused", "by hand"])
@pytest.mark.parametrize("application", BY_HAND)
def test_fused_programs_have_no_races(application: str, kind: str, tmp_path: Path) -> None:
    programs = Programs(LINALG.sources(application), tmp_path)
    size = "4" if application == "cg" else "37"
    complaints = oclgrind_races(
        [programs.programs[kind], "-n", size], LINALG.environment(programs.kernels[kind])
    )
    assert complaints == []
