"""Write all files or none: they are complete in a temporary folder before any is in place.

What would not change is not touched, so that build tools see what did.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from itertools import zip_longest
from pathlib import Path

from kfusion.parse.sources import SUFFIXES
from kfusion.runtime import CALLS_NAME, HEADER_NAME
from kfusion.source.diagnostics import Diagnostic, KFusionError, Severity, error
from kfusion.source.text import SourceFile, Span, bytes_of, text_of

_GENERATED = (HEADER_NAME, CALLS_NAME)
# So that a build can name the generated headers beforehand.
UNUSED_HEADER = "/* Nothing is fused that needs this header. */\n"


def output_names(inputs: Iterable[Path], base: Path | None) -> Callable[[Path], str]:
    """Where each input goes, below the folder of the outputs: with a base to where it is, seen from
    there, else all into one folder."""

    def name_of(path: Path) -> str:
        if base is None:
            return path.name
        folder = Path(os.path.relpath(path.absolute().parent, base.absolute()))
        if ".." in folder.parts:
            text = f"--keep-folders: {path} is not in {base}, nor in a folder of it"
            raise error("KF103", text, argument=str(path))
        return (folder / path.name).as_posix()

    if base is not None and not base.is_dir():
        raise error("KF103", f"--keep-folders: there is no folder {base}", argument=str(base))
    names: dict[str, Path] = {}
    for path in inputs:
        other = names.setdefault(name_of(path), path)
        if other.resolve() != path.resolve():  # the same file is told of elsewhere
            raise error(
                "KF103",
                f"{path} and {other} have the same name",
                help="both would be written to the same place; with --keep-folders . they keep "
                "their folders",
                argument=str(path),
            )
    return name_of


def stale_files(files: Mapping[str, str], folder: Path, *, flat: bool) -> list[Diagnostic]:
    """How a folder differs from what would be written to it. Other files than sources may stand
    there, too."""
    again = f"write the folder again, with -o {folder}"

    def told(message: str, span: Span | None = None, help: str = again) -> Diagnostic:
        return Diagnostic("KF308", Severity.ERROR, message, span, help, argument=str(folder))

    if not folder.is_dir():
        return [told(f"there is no folder {folder}", help=f"write it, with -o {folder}")]
    found: list[Diagnostic] = []
    for name, text in sorted(files.items(), key=lambda file: file[0] in _GENERATED):
        if found and name in _GENERATED:
            break  # it follows from the others
        path = folder / name
        if not path.is_file():
            found.append(told(f"{path} is missing"))
        elif (there := text_of(path.read_bytes())) != text:
            lines = zip_longest(there.split("\n"), text.split("\n"))
            line = next(n for n, (old, new) in enumerate(lines, 1) if old != new)
            span = SourceFile(path, there).line_span(line)
            found.append(told("this file is not what would be written now", span))
    for path in sorted(folder.glob("*") if flat else folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        is_output = path.suffix in SUFFIXES or path.name in _GENERATED
        if name not in files and is_output and path.is_file():
            if not _holds(path, UNUSED_HEADER):
                text = f"{path} is left over: it would not be written now"
                found.append(told(text, help="remove it"))
    return found


def refuse_overwriting(inputs: Iterable[Path], out: Path, name_of: Callable[[Path], str]) -> None:
    """An output may neither take an input's place nor that of the file that it links to."""
    for path in inputs:
        target = out.resolve() / name_of(path)
        if target in (path.parent.resolve() / path.name, path.resolve()):
            raise error(
                "KF113",
                f"the output folder {out} would overwrite the input {path}",
                help="choose another folder with -o",
                argument=str(out),
            )


def require_writable(*folders: Path) -> None:
    """Before any work is done: the folders can be made, and files in them."""
    for out in dict.fromkeys(folders):
        made = _first_missing(out)
        try:
            out.mkdir(parents=True, exist_ok=True)
            Path(tempfile.mkdtemp(prefix=".kfusion-", dir=out)).rmdir()
        except OSError as failure:
            raise _cannot_write(out, failure) from None
        finally:
            if made is not None:
                shutil.rmtree(made, ignore_errors=True)


def write_all(out: Path, files: Mapping[str, str]) -> None:
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


def _write_all(out: Path, files: Mapping[str, str]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    files = {name: text for name, text in files.items() if not _holds(out / name, text)}
    staging = Path(tempfile.mkdtemp(prefix=".kfusion-", dir=out))
    after, before = staging / "after", staging / "before"  # the files that are replaced
    in_place: list[str] = []
    try:
        for name, text in files.items():
            for folder in (out, after, before):
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
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


def _holds(path: Path, text: str) -> bool:
    return path.is_file() and path.read_bytes() == bytes_of(text)


def _put_back(old: Path, new: Path) -> None:
    if old.exists():
        old.replace(new)
    else:
        new.unlink()


def _cannot_write(out: Path, failure: OSError) -> KFusionError:
    taken = isinstance(failure, IsADirectoryError)  # the place of a file
    where = failure.filename2 or failure.filename if taken else out
    text = f"cannot write to {where}: {failure.strerror or failure}"
    is_file = isinstance(failure, FileExistsError)
    help = "-o wants a folder, and this is a file" if is_file else None
    return error("KF116", text, help=help, argument=str(out))
