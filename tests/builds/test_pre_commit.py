"""The hooks of .pre-commit-hooks.yaml, run by pre-commit."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support import called

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = ("app.c", "vec.c", "vec.cl")
OF_KFUSION = "kfusion fake_libc_include pyproject.toml README.md LICENSE .pre-commit-hooks.yaml"
CONFIG = """\
repos:
  - repo: {repo}
    rev: {rev}
    hooks:
      - id: kfusion-check
        args: [app.c, vec.c, vec.cl]
      - id: kfusion-fresh
        args: [out/, app.c, vec.c, vec.cl]
"""


def git(folder: Path, *words: str) -> str:
    command = ["git", "-c", "user.name=T", "-c", "user.email=t@example.org", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@dataclass(frozen=True)
class Project:
    """A program with its fused output, both committed."""

    folder: Path
    environment: dict[str, str]

    def fuse(self) -> None:
        done = called.kfusion((*PROGRAM, "-o", "out"), self.folder)
        assert (done.returncode, done.stderr) == (0, "")

    def change(self, name: str, old: str, new: str) -> None:
        path = self.folder / name
        assert path.read_text().count(old) == 1
        path.write_text(path.read_text().replace(old, new))

    def hooks(self) -> tuple[dict[str, str], str]:
        """What becomes of each, and all that is said."""
        git(self.folder, "add", "-A")
        done = subprocess.run(
            ["pre-commit", "run", "--all-files"],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        ends = [line.split(".....") for line in done.stdout.splitlines() if "....." in line]
        found = {each[0]: each[-1].strip(".") for each in ends}
        assert done.returncode == ("Failed" in found.values()), done.stdout + done.stderr
        return found, done.stdout


def _folder(source: Path, target: Path) -> None:
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """pre-commit installs kfusion from a clone; what kfusion needs is here already."""
    repo, folder = tmp_path / "kfusion", tmp_path / "program"
    repo.mkdir()
    for name in OF_KFUSION.split():
        copy = _folder if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, repo / name)
    git(repo, "init", "-q")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "A version")
    shutil.copytree(ROOT / "tests/cli/program", folder)
    config = CONFIG.format(repo=repo, rev=git(repo, "rev-parse", "HEAD"))
    (folder / ".pre-commit-config.yaml").write_text(config)
    git(folder, "init", "-q")
    own = sysconfig.get_paths()
    environment = {
        **os.environ,
        "PATH": f"{own['scripts']}:{os.environ['PATH']}",
        "PRE_COMMIT_HOME": str(tmp_path / "pre-commit"),
        "PYTHONPATH": own["purelib"],
        "PIP_NO_BUILD_ISOLATION": "0",  # which means that there is none
        "PIP_NO_COMPILE": "1",
        "PIP_NO_INDEX": "1",
    }
    project = Project(folder, environment)
    project.fuse()
    return project


def test_hooks_stop_commits_of_what_does_not_compile_or_is_stale(project: Project) -> None:
    compiles, is_fresh = "what kfusion writes compiles", "what kfusion has written is up to date"
    project.change("vec.cl", "factor * x[i]", "x[i] * factor")
    found, said = project.hooks()
    assert found == {compiles: "Passed", is_fresh: "Failed"}
    assert "out/vec.cl:4:5: error[KF308]: this file is not what would be written now" in said

    project.change("app.c", "return 0;", "return not_declared;")
    project.change("vec.cl", "x[i] * factor", "x[i] * factor.q")
    project.fuse()
    found, said = project.hooks()
    assert found == {compiles: "Failed", is_fresh: "Passed"}
    assert "app.c:11:12: error[KF307]: the output does not compile: 'not_declared' " in said
    assert "vec.cl:4:25: error[KF305]: the kernels do not build on " in said

    project.change("app.c", "return not_declared;", "return 0;")
    project.change("vec.cl", "factor.q", "factor")
    project.fuse()
    assert project.hooks()[0] == {compiles: "Passed", is_fresh: "Passed"}
