"""Parse the input files and tell them apart by what they hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from kfusion.parse.host import parse_host
from kfusion.parse.opencl import parse_opencl
from kfusion.parse.sources import Sources, preprocess_opencl
from kfusion.parse.unit import Unit
from kfusion.source.dataclasses import dataclass


@dataclass(frozen=True)
class Inputs:
    """The parsed input, by kind, in the order given."""

    applications: tuple[Unit, ...]
    libraries: tuple[Unit, ...]
    kernels: tuple[Unit, ...]

    @property
    def all(self) -> tuple[Unit, ...]:
        return (*self.applications, *self.libraries, *self.kernels)

    @property
    def hosts(self) -> tuple[Unit, ...]:
        return (*self.applications, *self.libraries)


def parse_sources(
    sources: Sources,
    kernel_defines: Callable[[tuple[Unit, ...]], tuple[str, ...]] = lambda _: (),
) -> Inputs:
    """`kernel_defines` finds in the hosts what the kernels are built with."""
    hosts = [
        parse_host(each.file, each.annotations, each.preprocessed.result())
        for each in sources.files
        if not each.is_kernel
    ]
    applications = tuple(unit for unit in hosts if unit.annotations.regions)
    libraries = tuple(unit for unit in hosts if not unit.annotations.regions)
    given = {define.split("=")[0] for define in sources.how.defines}
    found = [d for d in kernel_defines((*applications, *libraries)) if d.split("=")[0] not in given]
    how = replace(sources.how, defines=(*sources.how.defines, *found))
    kernels = tuple(
        parse_opencl(
            each.file,
            each.annotations,
            preprocess_opencl(each.file, each.annotations, how)
            if found  # they were preprocessed without
            else each.preprocessed.result(),
        )
        for each in sources.files
        if each.is_kernel
    )
    return Inputs(applications, libraries, kernels)
