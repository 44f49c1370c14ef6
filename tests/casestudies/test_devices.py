"""`--target auto`: kernels for CPUs and for GPUs, of which the run time takes those of the device.
All of it runs on PoCL, which is said to be something else (tests/support/builds.c)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from casestudies.demo import CONVOLUTION, LINALG, STENCIL, STEPS, Study
from tests.casestudies.test_stencils import WARNINGS
from tests.support import called

CPU, GPU, ACCELERATOR = "2", "4", "8"
DEVICES = {(CPU, "32768"): "", (GPU, "32768"): "_on_gpu", (GPU, "32767"): None}
DEVICES |= {(ACCELERATOR, "32768"): None}
JACOBI = STEPS["jacobi"].defines


@pytest.mark.parametrize(
    ("study", "application", "defines", "options", "pattern", "launches"),
    [
        (CONVOLUTION, "separable", (), ("-n", 67, "-y", 130), "separable", (1, 2)),
        (STENCIL, "steps", JACOBI, ("-s", 9, "-n", 67, "-y", 130), "steps_loop", (3, 9)),
    ],
    ids=["separable", "steps"],
)
def test_the_device_decides(
    study: Study,
    application: str,
    defines: tuple[str, ...],
    options: tuple[object, ...],
    pattern: str,
    launches: tuple[int, int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = study.sources(application)
    sources = study.fuse(before, tmp_path / "out", defines, ("--target", "auto"))
    program = study.build(sources, tmp_path / "fused", defines, WARNINGS)
    unfused = study.build(before, tmp_path / "unfused", defines, WARNINGS)
    dump = tmp_path / "dump"
    study.run(unfused, before[2], *options, "-d", dump)
    expected = dump.read_bytes()
    monkeypatch.setenv("KFUSION", "trace")
    for (type_, local), suffix in DEVICES.items():
        monkeypatch.setenv("TESTS_DEVICE_TYPE", type_)
        monkeypatch.setenv("TESTS_LOCAL_MEMORY", local)
        run = study.run(program, sources[2], *options, "-d", dump)
        made = set(re.findall(r"\): (\w+) made", run.stderr))
        assert made == (set() if suffix is None else {pattern + suffix})
        assert ("all patterns are for other devices" in run.stderr) == (suffix is None)
        assert run.total == launches[suffix is None]
        assert dump.read_bytes() == expected
    groups = re.findall(
        r"reqd_work_group_size\((\d+), 1, 1\).*\nvoid (\w+)", sources[2].read_text()
    )
    assert {(size, name.endswith("_on_gpu")) for size, name in groups} == {
        ("1", False),
        ("64", True),
    }


def test_the_table_tells_the_devices_apart_where_plans_differ() -> None:
    words = [*map(str, LINALG.sources("cg")), "-D", "REAL=float", "--dry-run", "--explain-plan"]
    words += [f"-I{folder}" for folder in LINALG.include_dirs]
    told = called.kfusion([*words, "--target", "auto"], Path.cwd())
    titles = re.findall(r"^cg\.c:\d+(.*): kernels", told.stdout, re.MULTILINE)
    assert titles == ["", " on cpu", " on gpu", " on cpu", " on gpu"]


def test_what_is_the_same_for_all_devices_is_there_once(tmp_path: Path) -> None:
    *_, kernels = LINALG.fuse(LINALG.sources("cg"), tmp_path, (), ("--target", "auto"))
    header = (tmp_path / "kfusion_fused.h").read_text()
    assert re.findall(r'\{"(\w+)", 1, \w+, CL_DEVICE_TYPE_(\w+, \d+)\}', header) == [
        ("cg", "ALL, 0"),
        *((f"cg_{n}{on}", f"{type_}, 32768") for n in (2, 3) for on, type_ in TWICE.items()),
    ]
    fused = re.findall(r"kernel void (\w+_mult\w*_add\w*)\(", kernels.read_text())
    assert fused == ["sparse_vector_mult_add_mult_add"]


def test_without_a_target_only_neighbours_tell_devices_apart(tmp_path: Path) -> None:
    def made(study: Study, application: str, *options: str) -> list[str]:
        folder = tmp_path / "-".join([application, *options])
        return [p.read_text() for p in study.fuse(study.sources(application), folder, (), options)]

    assert made(LINALG, "distance") == made(LINALG, "distance", "--target", "any")
    assert made(LINALG, "distance") != made(LINALG, "distance", "--target", "auto")
    assert made(CONVOLUTION, "separable") == made(CONVOLUTION, "separable", "--target", "auto")
    assert made(STENCIL, "steps") == made(STENCIL, "steps", "--target", "auto")
    assert made(CONVOLUTION, "separable") != made(CONVOLUTION, "separable", "--target", "any")


TWICE = {"": "CPU", "_on_gpu": "GPU"}
