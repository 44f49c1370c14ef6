"""Where the files that come with the package are."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def include_dir() -> Path:
    """The folder of ``kfusion.h``."""
    return _PACKAGE / "include"


def cmake_dir() -> Path:
    """The folder of the CMake package."""
    return _PACKAGE / "cmake"


def make_dir() -> Path:
    """The folder of ``kfusion.mk``."""
    return _PACKAGE / "make"


def fake_libc_dir() -> Path:
    """The folder of stand-in system headers that hosts are parsed with.

    A wheel carries it inside the package; in a checkout it is the top-level
    folder beside it.
    """
    packaged = _PACKAGE / "_fake_libc_include"
    return packaged if packaged.is_dir() else _PACKAGE.parent / "fake_libc_include"
