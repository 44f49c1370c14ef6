"""Write all files or none: they are complete in a temporary folder before any is in place."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from kfusion.source.diagnostics import KFusionError, error
from kfusion.source.text import bytes_of


def refuse_overwriting(inputs: list[Path], out: Path) -> None:
    """An output may neither take an input's place nor that of the file that it links to."""
    for path in inputs:
        target = out.resolve() / path.name
        if target in (path.parent.resolve() / path.name, path.resolve()):
            raise error(
                "KF113",
                f"the output folder {out} would overwrite the input {path}",
                help="choose another folder with -o",
                argument=str(out),
            )


def require_writable(out: Path) -> None:
    """Before any work is done: the folder can be made, and files in it."""
    made = _first_missing(out)
    try:
        out.mkdir(parents=True, exist_ok=True)
        Path(tempfile.mkdtemp(prefix=".kfusion-", dir=out)).rmdir()
    except OSError as failure:
        raise _cannot_write(out, failure) from None
    finally:
        if made is not None:
            shutil.rmtree(made, ignore_errors=True)


def write_all(out: Path, files: dict[str, str]) -> None:
    made = _first_missing(out)
    try:
        _write_all(out, files)
    except OSError as failure:
        if made is not None:
            shutil.rmtree(made, ignore_errors=True)
        raise _cannot_write(out, failure) from None


def _first_missing(folder: Path) -> Path | None:
    """The outermost folder that has to be made."""
    missing = None
    while not folder.exists():
        missing, folder = folder, folder.parent
    return missing


def _write_all(out: Path, files: dict[str, str]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(prefix=".kfusion-", dir=out))
    after, before = staging / "after", staging / "before"  # the files that are replaced
    in_place: list[str] = []
    try:
        after.mkdir()
        before.mkdir()
        for name, text in files.items():
            (after / name).write_bytes(bytes_of(text))
            if (out / name).exists():
                shutil.copy2(out / name, before / name)
        try:
            for name in files:
                (after / name).replace(out / name)
                in_place.append(name)
        except OSError:
            for name in in_place:
                _put_back(before / name, out / name)
            raise
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _put_back(old: Path, new: Path) -> None:
    if old.exists():
        old.replace(new)
    else:
        new.unlink()


def _cannot_write(out: Path, failure: OSError) -> KFusionError:
    return error(
        "KF116", f"cannot write to {out}: {failure.strerror or failure}", argument=str(out)
    )
