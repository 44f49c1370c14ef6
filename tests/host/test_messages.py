"""What is not fused on the host side, as users read it: C as they write it, and a help."""

from __future__ import annotations

import io
import shutil
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from kfusion.cli import main

PROGRAM = Path(__file__).parent / "messages"
FILES = ("app.c", "lib.c", "k.cl")


def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *options: str) -> tuple[str, str]:
    """The output and the messages of kfusion, started in the program's folder."""
    folder = tmp_path / "in"
    shutil.copytree(PROGRAM, folder)
    monkeypatch.chdir(folder)
    out = io.TextIOWrapper(io.BytesIO(), write_through=True)
    err = io.TextIOWrapper(io.BytesIO(), write_through=True)
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit):
        main([*FILES, "-o", str(tmp_path / "out"), *options])
    out.seek(0)
    err.seek(0)
    return out.read(), err.read()


def region(text: str, title: str) -> str:
    """The part of the plan that is about one region."""
    start = text.index(title)
    end = text.find("\napp.c:", start)
    return text[start:] if end < 0 else text[start:end].rstrip() + "\n"


def test_messages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, messages = said(tmp_path, monkeypatch)
    assert messages == (PROGRAM / "expected.txt").read_text()


def test_the_plan_shown_is_the_one_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan, _ = said(tmp_path, monkeypatch, "--explain-plan")
    assert region(plan, "app.c:26") == (PROGRAM / "plan.txt").read_text()
    application = (tmp_path / "out/app.c").read_text()
    assert application.count("KFUSION_REGION(") == 1
    assert "kernel void square_square_square(" in (tmp_path / "out/k.cl").read_text()
