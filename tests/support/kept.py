"""What the C compiler makes of a file is kept, from one test and one test run to the next.

It is found again under a hash of all that it is made of: the command, the text of the file and
of each header of the program, the compiler, and a stamp of the packages of the system, which
have the other headers. Half of the time of the cases would go into compiling the same again.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from kfusion.paths import include_dir

COMPILERS = {".c": "cc", ".cpp": "c++"}

_PACKAGES = Path("/var/lib/dpkg/status")  # changes with every package
_VARIABLES = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "GCC_EXEC_PREFIX")
_UNUSED = 7 * 24 * 3600  # seconds after which an object is thrown away
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\b(?:[ \t]*[\"<]([^\">]+))?", re.MULTILINE)


def kept_object(name: str, folders: Sequence[Path], flags: Sequence[str], scratch: Path) -> Path:
    """The object of a file that is in the first of the folders that has it. Headers of the
    program are looked for in the same way. What the compiler said is beside the object."""
    where = next(folder for folder in folders if (folder / name).exists())
    command = [COMPILERS[Path(name).suffix], *flags]
    includes = [f"-I{os.path.relpath(folder, where)}" for folder in folders]
    key = _key(command, includes, _with_headers(name, [*folders, include_dir()]))
    made = _folder() / f"{Path(name).stem}-{key}.o"
    try:
        os.utime(made)
    except FileNotFoundError:
        new = scratch / f"{os.getpid()}.o"
        command += [*includes, f"-I{include_dir()}", "-c", name, "-o", str(new)]
        said = subprocess.run(command, cwd=where, capture_output=True, text=True, check=True)
        _put(said.stderr.encode(), made.with_suffix(".txt"))
        _put(new.read_bytes(), made)
    return made


@cache
def _folder() -> Path:
    """Of the user's, for all test runs; nobody knows the packages elsewhere than on Debian."""
    if not _PACKAGES.exists():
        return Path(tempfile.mkdtemp(prefix="objects-"))
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kfusion/objects"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.o"):
        with suppress(FileNotFoundError):  # another process does this, too
            if old.stat().st_mtime < time.time() - _UNUSED:
                old.unlink()
                old.with_suffix(".txt").unlink()
    return folder


@cache
def _stamp(compiler: str) -> str:
    tools = [Path(shutil.which(compiler) or compiler).resolve(), _PACKAGES]
    times = [(str(t), t.stat().st_size, t.stat().st_mtime_ns) for t in tools if t.exists()]
    return repr((times, [os.environ.get(name) for name in _VARIABLES]))


def _key(command: Sequence[str], includes: Sequence[str], texts: Sequence[str]) -> str:
    parts = [_stamp(command[0]), *command, *includes, *texts]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


def _with_headers(name: str, places: Sequence[Path]) -> list[str]:
    """The text of a file, and those of the program's headers that it, or one of them, includes:
    where a macro says which, this may be any of them."""
    texts: dict[str, str] = {}
    waiting = [name]
    while waiting:
        found = waiting.pop()
        path = next((place / found for place in places if (place / found).exists()), None)
        if path is not None and found not in texts:
            texts[found] = path.read_text()
            names = _INCLUDE.findall(texts[found])
            anything = "" in names
            waiting += [each for each in names if each]
            if anything:
                waiting += [
                    each.name for place in places for each in place.iterdir() if each.is_file()
                ]
    return [each for name in sorted(texts) for each in (name, texts[name])]


def _put(data: bytes, path: Path) -> None:
    """Into its place at once: several processes may do this at the same time."""
    near = path.with_name(f"{os.getpid()}-{path.name}")
    near.write_bytes(data)
    near.replace(path)
