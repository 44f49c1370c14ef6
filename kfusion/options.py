"""What options mean that several commands have."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import click

from kfusion.graph.target import ANY, AUTO, Targets, Tuned, targets_of
from kfusion.parse.compiler import Preprocessor, is_define
from kfusion.paths import fake_libc_dir
from kfusion.paths import include_dir as include_folder
from kfusion.source.diagnostics import error

PATH = click.Path(path_type=Path)
takes_build_options = click.option(
    "--build-options",
    type=shlex.split,
    default="",
    metavar="OPTIONS",
    help="For the kernels, besides the host's.",
)


def targets_of_options(
    name: str | None, budgets: tuple[str, ...], files: tuple[Path, ...]
) -> Targets:
    """Without a name that of the `tuned` files; else one for all devices, where that is good."""
    tuned: Mapping[str, Tuned] = {}
    if files:
        from kfusion.tuned import read_tuned

        tuned = read_tuned(files)
    if tuned and name is None:
        name = AUTO if len(tuned) > 1 else next(iter(tuned))
    targets = targets_of(name or ANY.name, budgets, tuned)
    if name is None and not budgets:
        targets = replace(targets, near=targets_of(AUTO, ()).each)
    for other in tuned.keys() - {each.name for each in targets.each}:
        text = f"--tuned: a file is for the target '{other}', which --target does not ask for"
        raise error("KF100", text, argument="--tuned")
    return targets


def check_defines(defines: tuple[str, ...]) -> None:
    for define in defines:
        if not is_define(define):
            raise error(
                "KF100", "-D wants NAME or NAME=VALUE", help="see kfusion --help", argument=define
            )


def _has_c_library(folder: Path) -> bool:
    """`/usr/include`, as CMake and pkg-config may name it: kfusion has headers of its own."""
    return all((folder / name).exists() for name in ("stdlib.h", "stdio.h", "stdint.h"))


def preprocessor(
    cc: str, include_dirs: tuple[Path, ...], defines: tuple[str, ...], real_headers: bool
) -> Preprocessor:
    # As the compiler does, which looks there in the end anyway.
    own = [each for each in include_dirs if real_headers or not _has_c_library(each)]
    include_dirs = (*own, include_folder())
    return Preprocessor(cc, include_dirs, (fake_libc_dir(),), defines, real_headers)
