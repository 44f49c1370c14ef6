"""What a region must load and store, as written and fused: the plan tells, no device is needed."""

from __future__ import annotations

from bench.studies import Application
from kfusion.device.bench import traffic
from kfusion.device.evaluate import CannotRunError, Number, Numbers
from kfusion.device.verify import launches_of
from kfusion.driver import fuse_files
from kfusion.graph.target import targets_of
from kfusion.parse.compiler import Preprocessor
from kfusion.parse.sources import read_sources
from kfusion.paths import fake_libc_dir
from kfusion.paths import include_dir as include_folder
from kfusion.results import PlannedPattern


def planned_region(application: Application, target: str) -> PlannedPattern | None:
    """Of an application with one region; None if there is not exactly one."""
    study = application.study
    include_dirs = (*study.include_dirs, include_folder())
    # What linalg.c hands to the OpenCL compiler; nobody else's kernels have the name.
    defines = (*application.precision.defines, f"REAL={application.precision.name}")
    how = Preprocessor("cc", include_dirs, (fake_libc_dir(),), defines, False)
    shared = (study.apps / name for name in study.shared)
    sources = read_sources([*study.sources(application.name), *shared], how)
    expected = fuse_files(sources, targets=targets_of(target, ())).expected
    return expected[0] if len(expected) == 1 else None


def moved(planned: PlannedPattern, size: int) -> tuple[int, int] | None:
    """Bytes as written and fused, where all sizes are `size`; None if they are not known."""
    given: dict[str, Number] = {}
    try:
        return traffic(planned, launches_of(planned, Numbers(size, given)))
    except (CannotRunError, KeyError):  # an argument, or memory, of a kind that has no size
        return None
