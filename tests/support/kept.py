"""What needs no kfusion is made once for all tests of a test run.

That is what the C compiler makes of a file, and what a program does as it was written. Both are
found again under a hash of all that they are made of: commands, the texts of files and of each
header of the program. Half of the time of the cases would go into the same again.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from casestudies import measure
from casestudies.measure import RunResult
from kfusion.paths import include_dir

COMPILERS = {".c": "cc", ".cpp": "c++"}
LINKER = ["-fuse-ld=gold"] * (shutil.which("ld.gold") is not None)  # takes two thirds of the time

FOLDER = "KFUSION_TESTS_KEPT"  # an environment variable: all processes of a test run have it
_OPENCL = re.compile("OCL_|OPENCL|POCL_(?!CACHE_DIR)|KFUSION|LD_")
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\b(?:[ \t]*[\"<]([^\">]+))?", re.MULTILINE)


def kept_object(name: str, folders: Sequence[Path], flags: Sequence[str], scratch: Path) -> Path:
    """The object of a file that is in the first of the folders that has it. Headers of the
    program are looked for in the same way. What the compiler said is beside the object."""
    where = next(folder for folder in folders if (folder / name).exists())
    command = [COMPILERS[Path(name).suffix], *flags]
    includes = [f"-I{os.path.relpath(folder, where)}" for folder in folders]
    texts = _with_headers(name, [where, *folders, include_dir()])
    key = _key([*command, *texts])
    made = _folder() / f"{Path(name).stem}-{key}.o"
    if not made.exists():
        new = scratch / f"{os.getpid()}.o"
        command += [*includes, f"-I{include_dir()}", "-c", name, "-o", str(new)]
        said = subprocess.run(command, cwd=where, capture_output=True, text=True, check=True)
        _put(said.stderr.encode(), made.with_suffix(".txt"))
        _put(new.read_bytes(), made)
    return made


def kept_run(parts: Sequence[str], run: Callable[[], RunResult]) -> RunResult:
    """What a run of a program gives, if it succeeds. The parts are all that it depends on, but
    for its environment."""
    shared = [f"{name}={value}" for name, value in os.environ.items() if _OPENCL.match(name)]
    shim = Path(measure.__file__).with_name("shim.c").read_text()
    path = _folder() / f"run-{_key([shim, *sorted(shared), *parts])}.json"
    if path.exists():
        return RunResult(**json.loads(path.read_text()))
    done = run()
    if done.returncode == 0:
        fields = ("stdout", "stderr", "returncode", "launches")
        _put(json.dumps({name: getattr(done, name) for name in fields}).encode(), path)
    return done


@cache
def _folder() -> Path:
    return Path(os.environ.get(FOLDER) or tempfile.mkdtemp(prefix="kept-"))


def _key(parts: Sequence[str]) -> str:
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
