"""The command, run as a process on a copy of a small program."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support import called

HERE = Path(__file__).parent
ROOT = HERE.parent.parent


@dataclass(frozen=True)
class Command:
    folder: Path

    def write(self, name: str, text: str | bytes) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)

    def read(self, name: str) -> str:
        return (self.folder / name).read_bytes().decode()

    def change(self, name: str, old: str, new: str) -> None:
        text = self.read(name)
        assert text.count(old) == 1, f"{name} holds {old!r} {text.count(old)} times"
        self.write(name, text.replace(old, new))

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "kfusion", *arguments],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    def contents(self) -> dict[str, bytes]:
        return {
            str(path.relative_to(self.folder)): path.read_bytes()
            for path in self.folder.rglob("*")
            if path.is_file()
        }

    def refused(self, *arguments: str, status: int = 2, **environment: str) -> str:
        """What the command says when it fails, which must leave all files as they are.

        It needs no process of its own for that, unless something is set for it.
        """
        before = self.contents()
        if environment:
            done = self.run(*arguments, **environment)
        else:
            done = called.kfusion(arguments, self.folder)
        assert done.returncode == status, done.stderr
        assert done.stdout == ""
        assert self.contents() == before
        assert not (self.folder / "out").exists()
        return done.stderr

    def left_program(self, *arguments: str) -> str:
        """What the command says to a program that it copies, for its only region is as it was."""
        done = called.kfusion(("app.c", "vec.c", "vec.cl", "-o", "out", *arguments), self.folder)
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
        written = {p.name: p.read_bytes() for p in (self.folder / "out").iterdir()}
        assert written == {
            name: (self.folder / name).read_bytes() for name in ("app.c", "vec.c", "vec.cl")
        }
        return done.stderr

    def refused_program(self, status: int = 2) -> str:
        return self.refused("app.c", "vec.c", "vec.cl", "-o", "out", status=status)


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """vec.c and vec.cl are a library, app.c has a region that fuses into one call."""
    shutil.copytree(HERE / "program", tmp_path, dirs_exist_ok=True)
    return Command(tmp_path)
