"""Parse the input files and tell them apart by what they hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from kfusion.parse.cpp import CppUnit
from kfusion.parse.embedded import EmbeddedUnit, embedded_units, kernel_names
from kfusion.parse.host import parse_host
from kfusion.parse.opencl import parse_opencl
from kfusion.parse.recorded import RecordedProgram, recorded_units
from kfusion.parse.sources import Sources, preprocess_opencl
from kfusion.parse.unit import Unit
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import Diagnostic


@dataclass(frozen=True)
class Inputs:
    """The parsed input, by kind, in the order given."""

    applications: tuple[Unit, ...]
    libraries: tuple[Unit, ...]
    kernels: tuple[Unit, ...]
    cpp: tuple[CppUnit, ...] = ()  # C++ hosts, of which there are tokens only
    embedded: tuple[EmbeddedUnit, ...] = ()  # kernels too, but in strings of the hosts
    unread: tuple[Diagnostic, ...] = ()  # why some strings with kernels cannot be read

    @property
    def files(self) -> tuple[Unit, ...]:
        """Without what stands in strings."""
        strings = [each.unit for each in self.embedded]
        return tuple(unit for unit in self.all if unit not in strings)

    @property
    def all(self) -> tuple[Unit, ...]:
        return (*self.applications, *self.libraries, *self.kernels)

    @property
    def hosts(self) -> tuple[Unit, ...]:
        return (*self.applications, *self.libraries)


def parse_sources(
    sources: Sources,
    kernel_defines: Callable[[tuple[Unit, ...]], tuple[str, ...]] = lambda _: (),
    *,
    strings: bool = False,
    recorded: Sequence[RecordedProgram] = (),
) -> Inputs:
    """`kernel_defines` finds in the hosts what the kernels are built with.

    `strings`: kernels may stand in strings of the hosts. Files go before programs of a
    recorded run, and those before strings, which may be parts of them.
    """
    hosts = [
        parse_host(each.file, each.annotations, each.preprocessed.result())
        for each in sources.files
        if not each.is_kernel
    ]
    applications = tuple(unit for unit in hosts if unit.annotations.regions)
    libraries = tuple(unit for unit in hosts if not unit.annotations.regions)
    given = {define.split("=")[0] for define in sources.how.defines}
    defines = kernel_defines((*applications, *libraries))
    added = [define for define in defines if define.split("=")[0] not in given]
    how = replace(sources.how, defines=(*sources.how.defines, *added))
    kernels = tuple(
        parse_opencl(
            each.file,
            each.annotations,
            preprocess_opencl(each.file, each.annotations, how)
            if added  # they were preprocessed without
            else each.preprocessed.result(),
        )
        for each in sources.files
        if each.is_kernel
    )
    cpp = tuple(each.result() for each in sources.cpp)
    inputs = Inputs(applications, libraries, kernels, cpp)
    if not strings and not recorded:
        return inputs
    taken = frozenset[str]().union(*map(kernel_names, kernels))
    run = recorded_units(recorded, how, taken)
    found = embedded_units((*inputs.hosts, *cpp) if strings else (), how, taken | run.kernels)
    embedded = (*run.units, *found.units)
    return replace(
        inputs,
        kernels=(*kernels, *(each.unit for each in embedded)),
        embedded=embedded,
        unread=(*run.unread, *found.unread),
    )
