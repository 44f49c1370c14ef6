"""Programs that were written to be fused wrongly: whatever is done, results stay.

Each hides from the reader of its text what a call changes, reads, keeps or returns. Files
that a program does not bring are those of `common`.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from casestudies.demo import only_pocl
from kfusion.device.measure import build, run_counted

ATTACKS = Path(__file__).parent / "attacks"
NAMES = sorted(p.name for p in ATTACKS.iterdir() if p.name != "common")


def results(folder: Path, headers: list[Path], output: Path) -> str:
    sources = sorted(folder.glob("*.c"))
    if not (folder / "rig.c").exists():
        sources.append(headers[-1] / "rig.c")
    program = build(sources, output, [folder, *headers], (), ("-O1", "-w"))
    settings = only_pocl() | {"KERNELS": str(folder / "kernels.cl")}
    done = run_counted([str(program)], settings, timeout=60)
    assert done.returncode == 0
    return done.stdout


@pytest.mark.parametrize("name", NAMES)
def test_results_stay(name: str, tmp_path: Path) -> None:
    folder, out = tmp_path / "program", tmp_path / "out"
    shutil.copytree(ATTACKS / "common", folder)
    shutil.copytree(ATTACKS / name, folder, dirs_exist_ok=True)
    given = [p.name for p in sorted(folder.glob("*.c")) if p.name != "rig.c"]
    command = [sys.executable, "-m", "kfusion", "-q", *given, "kernels.cl", "-o", str(out)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:  # refused as a whole: the program stays as it is
        assert re.match(r".+?:\d+:\d+: error\[KF\d{3}\]", done.stderr), done.stderr
        assert "KF199" not in done.stderr
        assert not out.exists()
        return
    expected = results(folder, [], tmp_path / "unfused")
    assert expected.strip()
    assert results(out, [folder], tmp_path / "fused") == expected
