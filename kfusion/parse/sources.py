"""Read the input files, tell kernels from hosts, and start the preprocessor on each.

The C compiler works while the parsers are loaded and the first files are parsed.
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Iterable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kfusion.parse.annotations import Annotations, find_annotations
from kfusion.parse.compiler import Preprocessor, cpp_host
from kfusion.parse.preprocess import Preprocessed, preprocess
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import error
from kfusion.source.text import SourceFile, Span, text_of

if TYPE_CHECKING:
    from kfusion.parse.cpp import CppUnit

KERNEL_SUFFIXES = (".cl", ".clh", ".ocl")
CPP_SUFFIXES = (".cpp", ".cc", ".cxx", ".c++", ".C", ".hpp", ".hh", ".hxx")
SUFFIXES = (".c", *CPP_SUFFIXES, *KERNEL_SUFFIXES)
# What an OpenCL compiler defines before it reads a program (device-neutral values).
PREDEFINED = (
    "__OPENCL_VERSION__=120",
    "__OPENCL_C_VERSION__=120",
    "CL_VERSION_1_0=100",
    "CL_VERSION_1_1=110",
    "CL_VERSION_1_2=120",
    "__IMAGE_SUPPORT__=1",
    "__ENDIAN_LITTLE__=1",
    "CLK_LOCAL_MEM_FENCE=1",
    "CLK_GLOBAL_MEM_FENCE=2",
    "cl_khr_fp64=1",
    "cl_khr_global_int32_base_atomics=1",
    "cl_khr_local_int32_base_atomics=1",
    "cl_khr_byte_addressable_store=1",
)


@dataclass(frozen=True, eq=False)
class Source:
    """A file that is being preprocessed."""

    file: SourceFile
    annotations: Annotations
    is_kernel: bool
    preprocessed: Future[Preprocessed]


@dataclass(frozen=True, eq=False)
class Sources:
    """The input files, each kind in the order given."""

    how: Preprocessor
    files: tuple[Source, ...]
    cpp: tuple[Future[CppUnit], ...] = ()  # C++ hosts


def read_sources(paths: Iterable[Path], how: Preprocessor) -> Sources:
    paths = list(paths)
    _refuse_twice(paths)
    files = [read_source(path) for path in paths]
    for file in files:
        _refuse_outputs(file)
    read = [(file, *_annotations(file)) for file in files if not _is_cpp(file)]
    pool = ThreadPoolExecutor(max(2, os.cpu_count() or 2))
    plus = [pool.submit(_parse_cpp, file, how) for file in files if _is_cpp(file)]
    return Sources(how, tuple(_begin(*each, how, pool) for each in read), tuple(plus))


def _refuse_outputs(file: SourceFile) -> None:
    """What kfusion has written once is not fused again: of its run time nothing can be told."""
    found = re.search(r'(?m)^#include "(kfusion_fused|kfusion_calls)\.h"', file.text)
    if found and file.path.suffix not in KERNEL_SUFFIXES:
        raise error(
            "KF114",
            "this file is one that kfusion has written",
            Span(file, *found.span()),
            help="give the file that it was made of",
        )


def _parse_cpp(file: SourceFile, how: Preprocessor) -> CppUnit:
    from kfusion.parse.cpp import parse_cpp

    return parse_cpp(file, how)


def _is_cpp(file: SourceFile) -> bool:
    return file.path.suffix in CPP_SUFFIXES


def _annotations(file: SourceFile) -> tuple[Annotations, bool]:
    if file.path.suffix == ".cu":
        raise cpp_host(file.line_span(1))
    is_kernel = file.path.suffix in KERNEL_SUFFIXES
    annotations = find_annotations(file, is_kernel)
    if is_kernel and annotations.regions:
        raise error(
            "KF111",
            "a region in a kernel file: regions belong to C applications",
            annotations.regions[0].annotation,
        )
    return annotations, is_kernel


def _begin(
    file: SourceFile, annotations: Annotations, is_kernel: bool, how: Preprocessor, pool: Executor
) -> Source:
    work = preprocess_opencl if is_kernel else preprocess_host
    return Source(file, annotations, is_kernel, pool.submit(work, file, annotations, how))


def preprocess_host(file: SourceFile, annotations: Annotations, how: Preprocessor) -> Preprocessed:
    text = annotations.blanked(file.text)
    return preprocess(file, text, how, stubs_allowed=not how.real_headers)


def preprocess_opencl(
    file: SourceFile, annotations: Annotations, how: Preprocessor
) -> Preprocessed:
    given = {define.split("=")[0] for define in how.defines}
    defines = [d for d in PREDEFINED if d.split("=")[0] not in given]
    how = replace(how, system_dirs=(), defines=(*defines, *how.defines), real_headers=False)
    return preprocess(file, annotations.blanked(file.text), how, stubs_allowed=False)


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
    return SourceFile(path, text_of(data))


def _refuse_twice(paths: list[Path]) -> None:
    seen: dict[Path, Path] = {}
    for path in paths:
        real = path.resolve()
        if real in seen:
            raise error("KF103", f"{path} is given twice", argument=str(path))
        seen[real] = path
