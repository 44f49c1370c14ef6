"""Tests fuse and build the case studies as `make demo` does, but start no Python for it, and
compile no text twice. Each program is linked anew."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from casestudies import demo
from kfusion.device.oclgrind import MeasureError
from tests.support import called
from tests.support.kept import LINKER, kept_object


def kfusion(words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return called.kfusion(words, Path.cwd())


def build(
    sources: Iterable[Path],
    output: Path,
    include_dirs: Iterable[Path] = (),
    defines: Iterable[str] = (),
    flags: Sequence[str] = (),
    libraries: Iterable[str] = (),
) -> Path:
    output.parent.mkdir(parents=True, exist_ok=True)
    folders, given = list(include_dirs), [*flags, *(f"-D{define}" for define in defines)]
    try:
        with tempfile.TemporaryDirectory() as scratch:
            objects = [
                str(kept_object(source.name, [source.parent, *folders], given, Path(scratch)))
                for source in sources
            ]
        linked = [f"-l{library}" for library in (*libraries, "OpenCL", "m")]
        command = ["cc", *LINKER, *objects, "-o", str(output), *linked]
        subprocess.run(command, capture_output=True, text=True, check=True)
    except subprocess.CalledProcessError as failed:
        raise MeasureError(failed.stderr) from failed
    return output


@pytest.fixture(autouse=True, scope="session")
def _in_this_process() -> Iterable[None]:
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(demo, "kfusion", kfusion)
        changed.setattr(demo, "build", build)
        yield
