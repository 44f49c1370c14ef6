"""Builds kernels on PoCL from Python, and shows what its compiler says of them."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pyopencl as cl

from kfusion.source.dataclasses import dataclass

_POCL = "Portable Computing Language"
_VERSION = re.compile(r"PoCL (\d+)\.(\d+)")

# PoCL refuses -Wall as a build option; its compiler, Clang, takes it from here.
_NAMELESS = "<kernel>"
_ALL_WARNINGS = """\
#pragma clang diagnostic warning "-Wall"
#pragma clang diagnostic warning "-Wextra"
"""


class KernelBuildError(Exception):
    """The OpenCL compiler rejected a program. The message is its log."""


class NoDeviceError(Exception):
    """PoCL, or the device that is asked for, is not there."""


@dataclass(frozen=True)
class BuiltProgram:
    """A program built for one device."""

    name: str
    context: cl.Context
    device: cl.Device
    program: cl.Program
    log: str

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the compiler warned of in the text, one line each, in order.

        Warnings about PoCL's own headers are nobody's business here.
        """
        ours = f"warning: {self.name}:"
        return tuple(dict.fromkeys(x for x in self.log.splitlines() if x.startswith(ours)))


def pocl_device() -> cl.Device:
    """The CPU device of the newest PoCL installed."""
    platforms = [found for found in _platforms() if found.name == _POCL]
    if not platforms:
        raise NoDeviceError("no PoCL found (pip install 'kfusion[pocl]')")
    return max(platforms, key=_pocl_version).get_devices()[0]


def all_devices() -> list[cl.Device]:
    return [device for platform in _platforms() for device in platform.get_devices()]


def _platforms() -> list[cl.Platform]:
    try:
        return cl.get_platforms()
    except cl.LogicError:  # there are none
        return []


def find_device(name: str) -> cl.Device:
    """The first device whose name, or whose platform's name, contains the text; "": PoCL's."""
    if not name:
        return pocl_device()
    there = all_devices()
    for device in there:
        if name.lower() in f"{device.platform.name} {device.name}".lower():
            return device
    known = ", ".join(f"{d.platform.name} ({d.name})" for d in there) or "none"
    raise NoDeviceError(f"no OpenCL device is called '{name}'; there are: {known}")


def build_program(
    source: str,
    options: Sequence[str] = (),
    *,
    name: str = "kernels.cl",
    all_warnings: bool = False,
    device: cl.Device | None = None,
    context: cl.Context | None = None,
) -> BuiltProgram:
    """Build a program from its text, for PoCL unless a device is given.

    The log calls the text ``name`` and counts its lines from 1. With
    ``all_warnings`` it is compiled with ``-Wall -Wextra``. Raises
    KernelBuildError.
    """
    device = device or pocl_device()
    context = context or cl.Context([device])
    prologue = _ALL_WARNINGS if all_warnings else ""
    source = without_bom(source)
    text = f'{prologue}#line 1 "{name}"\n{source}'.encode(errors="replace").decode()
    # PoCL keeps one log for all programs that preprocessing makes equal, and
    # appends to it: the define keeps programs with other names or lines apart.
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    program = cl.Program(context, text)
    with TemporaryDirectory() as folder:
        options = [*_without_spaces(options, Path(folder))]
        try:
            program.build([*options, f"-DKFUSION_TEXT_{digest}"])
        except cl.RuntimeError as error:
            raise KernelBuildError(_told(error, context, source, options, name)) from error
    log: str = program.get_build_info(device, cl.program_build_info.LOG)
    return BuiltProgram(name, context, device, program, log)


def without_bom(text: str) -> str:
    """Files of some editors begin with a byte order mark, which is an error behind a first line."""
    return text.removeprefix("\ufeff")


def _without_spaces(options: Sequence[str], folder: Path) -> Iterator[str]:
    """An option of OpenCL holds no space: a link is another name of a folder with one."""
    for number, option in enumerate(options):
        if option.startswith("-I") and len(option.split()) > 1:
            link = folder / str(number)
            link.symlink_to(Path(option[2:].strip()).absolute())
            option = f"-I{link}"
        yield option


def _told(
    error: cl.RuntimeError, context: cl.Context, source: str, options: Sequence[str], name: str
) -> str:
    """NVIDIA's compiler knows no other name than `<kernel>`: it gets the text without a `#line`."""
    if f"\n{_NAMELESS}:" in str(error):
        try:
            cl.Program(context, source).build([*options])
        except cl.RuntimeError as again:
            return str(again).replace(f"\n{_NAMELESS}:", f"\n{name}:")
    return str(error)


def _pocl_version(platform: cl.Platform) -> tuple[int, int]:
    found = _VERSION.search(platform.version)
    return (int(found[1]), int(found[2])) if found else (0, 0)
