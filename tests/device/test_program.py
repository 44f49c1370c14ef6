"""`kfusion verify --run`: the fused program itself compares."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support import called

BASE = Path(__file__).parent.parent / "cases" / "base"
FILES = ("app.c", "lib.c", "kernels.cl", "-I.")
SECOND = """\
    for (int i = getenv("ROUNDS") ? 3 : 1; getenv("MORE") && i > 0; i--)
#pragma kfuse(a, b, t)
        {
            vec_square(&b, &t);
            if (getenv("SHOW") && i == 1)
                vec_show("b", &b);
            vec_add(&t, &b, &a);
        }
    if (getenv("FAIL"))
        return 4;
    vec_show("t", &t);
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program with two regions; its fused version is ./app."""
    path = tmp_path_factory.mktemp("program")
    for base in ("rig", "vectors"):
        shutil.copytree(BASE / base, path, dirs_exist_ok=True)
    app = (path / "app.c").read_text()
    text = "#include <stdlib.h>\n" + app.replace('    vec_show("t", &t);\n', SECOND)
    (path / "app.c").write_text(text)
    assert called.kfusion((*FILES, "-o", "out", "-q"), path).returncode == 0
    sources = ["out/app.c", "out/lib.c", "rig.c"]
    command = ["cc", "-w", "-I.", "-Iout", *sources, "-o", "app", "-lOpenCL", "-lm"]
    subprocess.run(command, cwd=path, check=True)
    return path


def verified(
    folder: Path, monkeypatch: pytest.MonkeyPatch, kernels: str, *names: str, run: str = "./app"
) -> tuple[int, list[str]]:
    monkeypatch.setenv("KERNELS", kernels)
    for name in names:
        monkeypatch.setenv(name, "1")
    done = called.kfusion(("verify", *FILES, "--run", run), folder)
    return done.returncode, (done.stdout + done.stderr).splitlines()


def test_all_regions_are_compared(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    same = "fused launches compared: 1, all the same"
    found = verified(folder, monkeypatch, "out/kernels.cl", "MORE")
    assert found == (0, [f"app.c:22: {same}", f"app.c:29: {same}"])


def test_a_region_that_is_never_entered(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    status, lines = verified(folder, monkeypatch, "out/kernels.cl")
    assert status == 3
    assert lines[1] == "app.c:29: never entered, or nothing was launched in it"


def test_a_region_that_is_never_fused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    status, lines = verified(folder, monkeypatch, "out/kernels.cl", "MORE", "SHOW")
    assert status == 3
    why = "clEnqueueReadBuffer, behind 1 of the 2 launches of app_2 (1)"
    other = "launches that are no whole pattern (1)"
    assert lines[1] == f"app.c:29: never fused: {why}; {other}"


def test_a_region_that_is_compared_in_part(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROUNDS", "3")
    status, lines = verified(folder, monkeypatch, "out/kernels.cl", "MORE", "SHOW")
    assert status == 0
    assert lines[1].startswith("app.c:29: compared 2 of 4 times, all the same; not compared: clEn")


def test_the_program_is_run_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether or not something is compared."""
    count = folder / "count"
    (folder / "counted").write_text(f"#!/bin/sh\necho >> {count}\nexec ./app\n")
    (folder / "counted").chmod(0o755)
    verified(folder, monkeypatch, "out/kernels.cl", "MORE", "SHOW", run="./counted")
    assert count.read_text() == "\n"


def test_a_program_that_fails(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    status, lines = verified(folder, monkeypatch, "out/kernels.cl", "FAIL")
    assert (status, lines[-1]) == (1, "the program ended with exit status 4")


def test_a_difference(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (folder / "out" / "kernels.cl").read_text()
    at = (folder / "kernels.cl").stat().st_size
    wrong = text[at:].replace(" + a[i];", " - a[i];")
    assert wrong != text[at:]
    (folder / "wrong.cl").write_text(text[:at] + wrong)
    status, lines = verified(folder, monkeypatch, "wrong.cl", "MORE")
    assert status == 1
    assert lines[1].startswith("app.c:29: DIFFERENT: argument ")


def test_a_command_that_is_not_there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    status, lines = verified(folder, monkeypatch, "out/kernels.cl", run="./nope")
    assert status == 2
    assert "error[KF100]: --run: cannot run './nope': No such file or directory" in lines[0]


def test_a_command_that_is_none(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    status, lines = verified(folder, monkeypatch, "out/kernels.cl", run="")
    assert status == 2
    assert "error[KF100]: --run: cannot run '': no program is named" in lines[0]


def test_a_program_that_is_not_the_fused_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    status, lines = verified(folder, monkeypatch, "out/kernels.cl", run="true")
    assert status == 3
    assert lines[-1] == (
        "the program tells nothing of its regions: is it built from what kfusion writes?"
    )
