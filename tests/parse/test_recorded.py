"""Programs that a recorded run left beside its record are kernel units."""

from __future__ import annotations

from pathlib import Path

import pytest

from kfusion.parse.compiler import Preprocessor
from kfusion.parse.embedded import source_hash
from kfusion.parse.files import parse_sources
from kfusion.parse.recorded import agreed_defines, recorded_programs, recorded_units
from kfusion.parse.sources import read_sources
from kfusion.paths import fake_libc_dir
from kfusion.source.diagnostics import KFusionError

SCALE = b"kernel void scale(global float *a) { a[get_global_id(0)] *= FACTOR; }"
HOW = Preprocessor(system_dirs=(fake_libc_dir(),))


def record(folder: Path, source: bytes, options: str | None = None, name: str = "run") -> Path:
    path = folder / f"{name}.{source_hash(source):016x}.ocl"
    path.write_bytes(source)
    if options is not None:
        path.with_suffix(".options").write_text(options)
    return folder / name


def test_programs_are_read_with_the_options_of_all_builds(tmp_path: Path) -> None:
    path = record(tmp_path, SCALE, "-DFACTOR=2  -DA\n\n-DFACTOR=2 -DA\n")
    record(tmp_path, b"another record", name="run2")
    (program,) = recorded_programs(path)
    assert (program.data, program.options) == (SCALE, ("-DFACTOR=2 -DA", ""))
    (unit,) = recorded_units([program], HOW, ()).units
    assert unit.kernels == {"scale"}
    assert unit.options == ("-DFACTOR=2 -DA", "")
    factor = unit.unit.macros.at_end("FACTOR")
    assert factor is not None
    assert factor.body == "2"


def test_options_that_were_not_recorded_are_unknown(tmp_path: Path) -> None:
    (unit,) = recorded_units(recorded_programs(record(tmp_path, SCALE)), HOW, ()).units
    assert unit.options is None


def test_a_program_that_was_edited_is_refused(tmp_path: Path) -> None:
    path = record(tmp_path, SCALE)
    next(tmp_path.glob("*.ocl")).write_bytes(SCALE + b"\n")
    with pytest.raises(KFusionError, match="is not what was recorded"):
        recorded_programs(path)


def test_macros_that_builds_disagree_on_stay_undefined() -> None:
    builds = ["-D A=1 -DB=2 -DREAL=double", "-DA -DB=3 -DC=(4) -DD=1e-3f -DE=.5 -DF=a[1]"]
    assert agreed_defines(builds) == ("A=1", "C=(4)", "D=1e-3f", "E=.5")


def test_types_of_which_the_name_does_not_tell() -> None:
    builds = ["-Dreal=float -DREAL=float -Dreal_t=double -Dother=x", "-Dreal=float"]
    assert agreed_defines(builds) == ("real=float",)


def test_headers_are_looked_for_where_the_builds_looked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = b'#include "factor.h"\nkernel void scale(global float *a) { a[0] *= FACTOR; }\n'
    (tmp_path / "cl").mkdir()
    (tmp_path / "cl" / "factor.h").write_text("#define FACTOR 3\n")
    monkeypatch.chdir(tmp_path)
    programs = recorded_programs(record(tmp_path, source, "-w -I cl -Inowhere"))
    (unit,) = recorded_units(programs, HOW, frozenset()).units
    assert "FACTOR" in unit.unit.macros.history


def test_a_recorded_program_goes_before_a_string_and_behind_a_file(tmp_path: Path) -> None:
    host = tmp_path / "a.c"
    host.write_text('const char *part = "kernel void scale(global float *a) { }";\n')
    kernels = tmp_path / "k.cl"
    kernels.write_bytes(SCALE)
    programs = recorded_programs(record(tmp_path, SCALE + b"\n"))
    found = parse_sources(read_sources([host], HOW), strings=True, recorded=programs)
    assert [each.data for each in found.embedded] == [SCALE + b"\n"]
    found = parse_sources(read_sources([host, kernels], HOW), strings=True, recorded=programs)
    assert not found.embedded
