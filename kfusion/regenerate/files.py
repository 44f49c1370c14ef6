"""Write all files or none: they are complete in a temporary folder before any is in place."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from kfusion.source.diagnostics import error


def refuse_overwriting(inputs: list[Path], out: Path) -> None:
    for path in inputs:
        if path.resolve().parent == out.resolve():
            raise error(
                "KF113",
                f"the output folder {out} would overwrite the input {path}",
                help="choose another folder with -o",
            )


def write_all(out: Path, files: dict[str, str]) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix=".kfusion-", dir=out))
    except OSError as failure:
        raise error("KF116", f"cannot write to {out}: {failure.strerror}") from None
    try:
        for name, text in files.items():
            (staging / name).write_bytes(text.encode())
        for name in files:
            os.replace(staging / name, out / name)
    except OSError as failure:
        raise error("KF116", f"cannot write to {out}: {failure.strerror}") from None
    finally:
        shutil.rmtree(staging, ignore_errors=True)
