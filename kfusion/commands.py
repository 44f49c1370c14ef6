"""The commands that run kernels: `kfusion verify`, `kfusion bench`, `kfusion tune`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kfusion.graph.target import AUTO, TARGETS, Targets, target_of
from kfusion.options import PATH, preprocessor, takes_build_options, targets_of_options
from kfusion.parse.sources import KERNEL_SUFFIXES, read_sources
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import error

if TYPE_CHECKING:
    from kfusion.device.command import Wanted
    from kfusion.results import Result

_Command = TypeVar("_Command", bound=Callable[..., None])
_takes_tuned = click.option("--tuned", multiple=True, type=PATH, help="As for kfusion.")


def _runs_kernels(command: _Command) -> _Command:
    """The options of commands that run the kernels of each region."""
    options = [
        click.option("-I", "include_dirs", multiple=True, type=PATH, help="A folder of headers."),
        click.option("-D", "defines", multiple=True, help="A macro, for hosts and kernels."),
        click.option("--cc", default="cc", show_default=True, help="The C preprocessor."),
        click.option("--real-headers", is_flag=True, help="Read hosts as kfusion does with it."),
        click.option(
            "--let", "lets", multiple=True, help="NAME=NUMBER: the value of a size or scalar."
        ),
        click.option(
            "--size", "sizes", multiple=True, type=int, help="The value of all other sizes."
        ),
        takes_build_options,
        click.option("--no-contract", is_flag=True, help="Build both with FP_CONTRACT OFF."),
        click.option("--exact", is_flag=True, help="Look at what --exact writes."),
        click.option(
            "--target",
            type=click.Choice([*TARGETS, AUTO]),
            help="As for kfusion; auto: that of the device.",
        ),
        click.option("--budget", "budgets", multiple=True, help="NAME=NUMBER, as for kfusion."),
        click.option(
            "--data", multiple=True, help="BUFFER=FILE.npy: its data, instead of random ones."
        ),
        click.option("--seed", default=0, show_default=True, help="Of the random data."),
        click.option("--device", default="", help="A part of the device's or platform's name."),
        click.option("--recorded", multiple=True, type=PATH, help="As for kfusion."),
    ]
    for option in reversed(options):
        command = option(command)
    return click.argument("files", nargs=-1, type=PATH, required=True)(command)


@dataclass(frozen=True)
class _Kernels:
    """What those options say."""

    files: tuple[Path, ...]
    include_dirs: tuple[Path, ...]
    defines: tuple[str, ...]
    cc: str
    real_headers: bool
    lets: tuple[str, ...]
    sizes: tuple[int, ...]
    build_options: list[str]
    no_contract: bool
    exact: bool
    target: str | None
    budgets: tuple[str, ...]
    data: tuple[str, ...]
    seed: int
    device: str
    recorded: tuple[Path, ...]
    tuned: tuple[Path, ...] = ()

    def wanted(self) -> Wanted:
        from kfusion.device import command

        options = [*(f"-D{define}" for define in self.defines), *self.build_options]
        beside = dict.fromkeys(f.parent for f in self.files if f.suffix in KERNEL_SUFFIXES)
        options += [f"-I{folder.absolute()}" for folder in (*beside, *self.include_dirs)]
        return command.Wanted(
            self.sizes,
            tuple(options),
            command.numbers_of(self.lets),
            command.arrays_of(self.data),
            self.seed,
            self.device,
            not self.no_contract,
        )

    def targets(self) -> Targets:
        targets = targets_of_options(self.target, self.budgets, self.tuned)
        if self.target != AUTO and not targets.near:
            return targets
        from kfusion.device.opencl import find_device

        own = (target_of(find_device(self.device), targets),)
        return replace(targets, near=own) if targets.near else replace(targets, each=own)

    def fuse(self) -> Result:
        return self.fuser()(self.targets())

    def fuser(self) -> Callable[[Targets], Result]:
        """What fuses the files for targets, as often as is wanted."""
        how = preprocessor(self.cc, self.include_dirs, self.defines, self.real_headers)
        sources = read_sources(self.files, how)
        from kfusion.driver import fuse_files

        def fuse(targets: Targets) -> Result:
            return fuse_files(sources, exact=self.exact, targets=targets, recorded=self.recorded)

        return fuse


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@_runs_kernels
@_takes_tuned
@click.option("--oclgrind", is_flag=True, help="Look for data races with Oclgrind, too.")
@click.option("--run", metavar="COMMAND", help="Let the fused program compare, as it is built.")
@click.option("--here", is_flag=True, hidden=True)
def verify(oclgrind: bool, run: str | None, here: bool, **given: Any) -> None:
    """Run each region's kernels, as they are and fused, on random data, and compare.

    FILES are those that kfusion fuses. Exit status 1 if one bit differs, if the kernels
    crash, if Oclgrind complains, or if nothing could be run; 3 if all that was run is the
    same, but a fused region was not run: at none of the sizes, or not at one of --size.

    With --run './app 100' the program, built from the fused files, is run with KFUSION=check;
    exit status 3 then if a region was never entered or never fused.
    """
    words: list[str] = click.get_current_context().obj
    if run is not None:
        from kfusion.device.program import verify_program

        kernels = _Kernels(**given)
        targets = targets_of_options(kernels.target, kernels.budgets, kernels.tuned)
        sys.exit(verify_program(kernels.fuser()(targets), run))
    if not here:
        from kfusion.device.apart import verify_apart

        sys.exit(verify_apart(words, oclgrind))
    from kfusion.device import command

    kernels = _Kernels(**given)
    wanted = kernels.wanted()
    targets_of_options(kernels.target, kernels.budgets, kernels.tuned)
    command.require_device(kernels.device)
    result = kernels.fuse()
    sys.exit(command.verify_here(result, wanted, words))


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@_runs_kernels
@_takes_tuned
@click.option(
    "--repeats",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="Runs of each, in turns.",
)
@click.option("--json", type=PATH, help="Write the figures to a file.")
@click.option("--plot", type=PATH, help="Draw the speed-ups: FILE.svg.")
def bench(repeats: int, json: Path | None, plot: Path | None, **given: Any) -> None:
    """Time each region's kernels, as they are and fused, after comparing their results.

    FILES are those that kfusion fuses. Exit status 1 if a result differs, or if nothing
    could be timed.
    """
    from kfusion.device import command
    from kfusion.report.times import require_matplotlib

    if plot is not None:
        require_matplotlib()
    kernels = _Kernels(**given)
    wanted = kernels.wanted()
    command.require_device(kernels.device)
    for path in filter(None, (json, plot)):
        if not path.absolute().parent.is_dir():
            raise error("KF100", f"there is no folder for {path}", argument=str(path))
    result = kernels.fuse()
    words: list[str] = click.get_current_context().obj
    sys.exit(command.bench_here(result, wanted, repeats, json, plot, words))


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@_runs_kernels
@click.option(
    "-o",
    "--output",
    type=PATH,
    default="kfusion-tuned.toml",
    show_default=True,
    help="The file to write, and to go on from.",
)
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help="Stop then, with what is fastest so far.",
)
@click.option(
    "--repeats",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Runs of each, in turns.",
)
@click.option("--here", is_flag=True, hidden=True)
def tune(output: Path, time_limit: float | None, repeats: int, here: bool, **given: Any) -> None:
    """Look for the numbers of the target (see --budget) that are fastest on a device.

    FILES are those that kfusion fuses. For each region its kernels are built in many ways:
    no neighbours' values computed again, inline, in strips, marching; with strips, groups and
    kernels of other sizes. Each is run on random data, compared with the kernels as written, to
    the bit, and timed. What differs is told and never used. `kfusion --tuned FILE` then builds
    with the numbers that were fastest.

    The search may be interrupted (Ctrl-C): the next run goes on from the file. Without --target
    it begins with that of the device. Exit status 1 if a result differs, if kernels crash, or if
    nothing could be timed.
    """
    words: list[str] = click.get_current_context().obj
    if not here:
        from kfusion.device.apart import tune_apart

        sys.exit(tune_apart(words, output, time_limit))
    from kfusion.device import command

    kernels = _Kernels(**given)
    wanted = kernels.wanted()
    command.require_device(kernels.device)
    if not output.absolute().parent.is_dir():
        raise error("KF100", f"there is no folder for {output}", argument=str(output))
    from kfusion.device.tune import Tuner, begun, target_at_hand

    if kernels.target is None:
        kernels = replace(kernels, target=target_at_hand(kernels.device))
    fuse, (base,) = kernels.fuser(), kernels.targets().each
    texts = [path.read_bytes() for path in kernels.files]
    measured = begun(output, kernels.device, base, (repr(kernels), *texts))
    tuner = Tuner(fuse, wanted, base, repeats, measured, output)
    sys.exit(command.tune_here(tuner, time_limit))
