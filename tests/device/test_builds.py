"""Programs are built in a process of their own, which may crash."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kfusion.device.builds import Built, ToBuild, build, builder
from kfusion.device.opencl import all_devices
from kfusion.source.diagnostics import KFusionError

FINE = ToBuild("fine.cl", "kernel void f(global int *a) { *a = SIZE; }", ("-DSIZE=3",))


def built_apart(*programs: ToBuild, device: str = "") -> Built:
    with builder() as process:
        return build(process, programs, device)


def test_a_compiler_that_crashes_is_what_is_wrong_with_the_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENCL_LAYERS")  # or this process builds it, too (tests/support/builds.py)
    deep = f"kernel void f(global int *a) {{ *a = {'- ' * 20000} 1; }}"
    name = all_devices()[0].name
    built = built_apart(FINE, ToBuild("deep.cl", deep, ()), device=name)
    assert built.devices == (name,)
    assert [(each.program, each.device) for each in built.failed] == [(1, name)]
    assert built.failed[0].log == "error: the compiler crashed (status -11)"


def test_options_are_those_of_the_program() -> None:
    built = built_apart(FINE, ToBuild("bare.cl", FINE.text, ()), device=all_devices()[0].name)
    (failed,) = built.failed
    assert failed.program == 1
    assert "error: bare.cl:1:37: use of undeclared identifier 'SIZE'" in failed.log


def test_a_driver_that_crashes_is_no_missing_device(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "#include <stdlib.h>\n__attribute__((constructor)) static void f(void) { abort(); }\n"
    (tmp_path / "driver.c").write_text(text)
    driver = tmp_path / "driver.so"
    subprocess.run(["cc", "-shared", "-fPIC", tmp_path / "driver.c", "-o", driver], check=True)
    (tmp_path / "driver.icd").write_text(f"{driver}\n")
    monkeypatch.setenv("OCL_ICD_VENDORS", str(tmp_path))
    with pytest.raises(KFusionError, match=r"cannot be asked for devices: .* status -6"):
        built_apart(FINE)
