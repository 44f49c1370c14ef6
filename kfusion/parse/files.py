"""Read the input files, tell them apart by what they hold, and parse them."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable
from pathlib import Path

from kfusion.parse.annotations import Annotations, find_annotations
from kfusion.parse.compiler import Preprocessor, cpp_host
from kfusion.parse.host import parse_host
from kfusion.parse.opencl import parse_opencl
from kfusion.parse.unit import Unit
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import error
from kfusion.source.text import SourceFile, Span

KERNEL_SUFFIXES = (".cl", ".clh", ".ocl")
_CPP_SUFFIXES = (".cpp", ".cc", ".cxx", ".c++", ".C", ".hpp", ".hh", ".hxx", ".cu")


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


def read_source(path: Path) -> SourceFile:
    try:
        data = path.read_bytes()
    except OSError as failure:
        reason = failure.strerror or "it cannot be read"
        raise error("KF101", f"cannot read {path}: {reason}", argument=str(path)) from None
    if not data.strip():
        raise error("KF102", f"{path} is empty", argument=str(path))
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise error(
            "KF102",
            f"{path} is not UTF-8 text, but UTF-16",
            help="convert it, for example: iconv -f utf-16 -t utf-8",
            argument=str(path),
        )
    if b"\0" in data:
        raise error("KF102", f"{path} is a binary file, not source text", argument=str(path))
    try:
        return SourceFile(path, data.decode("utf-8"))
    except UnicodeDecodeError as failure:
        before = data[: failure.start].decode("utf-8")
        shown = SourceFile(path, before + data[failure.start :].decode(errors="replace"))
        raise error(
            "KF102",
            f"this file is not UTF-8 text (byte 0x{data[failure.start]:02x})",
            Span(shown, len(before), len(before) + 1),
            help="convert it, for example: iconv -f latin1 -t utf-8",
        ) from None


def read_inputs(
    paths: Iterable[Path],
    how: Preprocessor,
    kernel_defines: Callable[[tuple[Unit, ...]], tuple[str, ...]] = lambda _: (),
) -> Inputs:
    """`kernel_defines` finds in the hosts what the kernels are built with."""
    paths = list(paths)
    _refuse_twice(paths)
    hosts: list[tuple[SourceFile, Annotations]] = []
    kernels: list[tuple[SourceFile, Annotations]] = []
    for source in [read_source(path) for path in paths]:
        if source.path.suffix in _CPP_SUFFIXES:
            raise cpp_host(source.line_span(1))
        is_kernel = source.path.suffix in KERNEL_SUFFIXES
        annotations = find_annotations(source, is_kernel)
        if is_kernel and annotations.regions:
            raise error(
                "KF111",
                "a region in a kernel file: regions belong to C applications",
                annotations.regions[0].annotation,
            )
        (kernels if is_kernel else hosts).append((source, annotations))
    parsed = [parse_host(source, marks, how) for source, marks in hosts]
    applications = tuple(unit for unit in parsed if unit.annotations.regions)
    libraries = tuple(unit for unit in parsed if not unit.annotations.regions)
    given = {define.split("=")[0] for define in how.defines}
    found = kernel_defines((*applications, *libraries))
    defines = (*how.defines, *(d for d in found if d.split("=")[0] not in given))
    kernel_how = Preprocessor(how.cc, how.include_dirs, (), defines)
    return Inputs(
        applications,
        libraries,
        tuple(parse_opencl(source, marks, kernel_how) for source, marks in kernels),
    )


def _refuse_twice(paths: list[Path]) -> None:
    seen: dict[Path, Path] = {}
    for path in paths:
        real = path.resolve()
        if real in seen:
            raise error("KF103", f"{path} is given twice", argument=str(path))
        seen[real] = path
    names: dict[str, Path] = {}
    for path in paths:
        if path.name in names:
            raise error(
                "KF103",
                f"{path} and {names[path.name]} have the same name",
                help="both would be written to the same place",
                argument=str(path),
            )
        names[path.name] = path
