"""The wheel and the source package: complete, and usable where nothing else is installed."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from kfusion import __version__

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = ROOT / "tests/cli/program"
FUSING_IMPORTS = ("pycparser", "click")
TYPES_COME_FROM = ("numpy", "pyopencl", "pytools", "typing_extensions.py")
SCRIPT = """\
import kfusion

source = "kernel void square(global float *x) { size_t i = get_global_id(0); x[i] *= x[i]; }"
fused = kfusion.fuse(source, ["square(x)", "square(x)"])
names: list[str] = [launch.name for launch in fused.kernels]
print(len(names), kfusion.__version__, kfusion.TARGETS["cpu"].name)
"""


def run(*command: str | Path, cwd: Path) -> str:
    """What the command prints; it sees nothing of this checkout."""
    hidden = ("PYTHONPATH", "PYTHONHOME", "MYPYPATH", "PIP_FIND_LINKS")
    environment = {name: text for name, text in os.environ.items() if name not in hidden}
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build(kind: str, project: Path, folder: Path) -> Path:
    run(sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", folder, cwd=project)
    (package,) = folder.iterdir()
    return package


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


@dataclass(frozen=True)
class Installed:
    wheel: Path
    bin: Path
    packages: Path

    def lend(self, *names: str) -> None:
        """Makes packages of this Python's usable, in place of a download."""
        ours = Path(sysconfig.get_path("purelib"))
        for name in names:
            if not (self.packages / name).exists():
                (self.packages / name).symlink_to(ours / name)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel in an environment that has only what fusing imports."""
    folder = tmp_path_factory.mktemp("packages")
    wheel = build("wheel", ROOT, folder / "dist")
    run(sys.executable, "-m", "venv", "--without-pip", "venv", cwd=folder)
    python = folder / "venv/bin/python"
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--python", python]
    run(*pip, "install", "--no-index", "--no-deps", wheel, cwd=folder)
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    found = Installed(wheel, python.parent, Path(run(python, "-c", where, cwd=folder).strip()))
    found.lend(*FUSING_IMPORTS)
    return found


def test_wheel_has_all_files_of_the_package(installed: Installed) -> None:
    there = contents(installed.wheel)
    places = {"kfusion": "kfusion", "fake_libc_include": "kfusion/_fake_libc_include"}
    for folder, packed in places.items():
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                name = f"{packed}/{path.relative_to(ROOT / folder).as_posix()}"
                assert there.pop(name) == path.read_bytes()
    assert {name.split("/")[0] for name in there} == {f"kfusion-{__version__}.dist-info"}


def test_source_package_builds_the_same_wheel(installed: Installed, tmp_path: Path) -> None:
    with tarfile.open(build("sdist", ROOT, tmp_path / "sdist")) as packed:
        # Python 3.11 of Debian has no filters yet; it takes no notice of one.
        packed.extraction_filter = getattr(tarfile, "data_filter", None)
        packed.extractall(tmp_path)
        (project,) = {Path(name).parts[0] for name in packed.getnames()}
    again = build("wheel", tmp_path / project, tmp_path / "wheel")
    assert contents(again) == contents(installed.wheel)
    for name in ("tests/conftest.py", "docs/rooms.md", "Makefile", "README.md"):
        assert (tmp_path / project / name).is_file()


def test_command_fuses_where_only_the_wheel_is_installed(
    installed: Installed, tmp_path: Path
) -> None:
    command = installed.bin / "kfusion"
    assert run(command, "--version", cwd=tmp_path) == f"kfusion, version {__version__}\n"
    files = [str(PROGRAM / name) for name in ("app.c", "vec.c", "vec.cl")]
    run(command, *files, "--strict", "-o", "out", cwd=tmp_path)
    assert "scale_add" in (tmp_path / "out/vec.cl").read_text()
    assert run(command, "explain", "KF203", cwd=tmp_path).startswith("KF203: the index")
    for option, name in {
        "--include-dir": "kfusion.h",
        "--cmake-dir": "KFusionConfig.cmake",
        "--make-dir": "kfusion.mk",
    }.items():
        folder = Path(run(command, option, cwd=tmp_path).strip())
        assert folder.is_relative_to(installed.packages)
        assert (folder / name).is_file()


def test_script_of_a_user_passes_strict_type_checks(installed: Installed, tmp_path: Path) -> None:
    installed.lend(*TYPES_COME_FROM)
    (tmp_path / "script.py").write_text(SCRIPT)
    python = installed.bin / "python"
    mypy: list[str | Path] = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--python-executable",
        python,
    ]
    assert "no issues" in run(*mypy, "script.py", cwd=tmp_path)
    assert run(python, "script.py", cwd=tmp_path) == f"1 {__version__} cpu\n"

    (tmp_path / "wrong.py").write_text(SCRIPT.replace("kfusion.fuse(", "kfusion.fuze("))
    with pytest.raises(AssertionError, match=r"no attribute.*fuze"):
        run(*mypy, "wrong.py", cwd=tmp_path)


def test_workflow_runs_each_python_that_is_supported() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    matrix = workflow["jobs"]["test"]["strategy"]["matrix"]["python"]
    versions = [line.rpartition(" :: ")[2] for line in project["classifiers"]]
    assert matrix == [version for version in versions if version.startswith("3.")]
    steps = [step.get("run", "") for job in workflow["jobs"].values() for step in job["steps"]]
    for command in ("make test", "build", "properdocs build --strict"):
        assert any(command in step for step in steps)
