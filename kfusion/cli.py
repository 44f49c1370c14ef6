"""The command line: `kfusion app.c lib.c kernels.cl -o out/`."""

from __future__ import annotations

import gc
import shlex
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kfusion import __version__
from kfusion.commands import bench, tune, verify
from kfusion.graph.target import AUTO, TARGETS
from kfusion.options import (
    PATH,
    check_defines,
    preprocessor,
    takes_build_options,
    targets_of_options,
)
from kfusion.parse.sources import read_sources
from kfusion.paths import cmake_dir, fake_libc_dir, make_dir
from kfusion.paths import include_dir as include_folder
from kfusion.regenerate.depfile import depfile
from kfusion.regenerate.files import (
    UNUSED_HEADER,
    output_names,
    refuse_overwriting,
    require_writable,
    stale_files,
    write_all,
)
from kfusion.runtime import CALLS_NAME, HEADER_NAME
from kfusion.source.diagnostics import Diagnostic, KFusionError, error, nearest, render
from kfusion.source.text import SourceFile, Span

if TYPE_CHECKING:
    from kfusion.results import PlannedPattern, Result


@click.command(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit status: 0 done; 1 understood, but the request cannot be met; "
    "2 not understood.  `kfusion strip FILE... -o OUT` writes sources without annotations; "
    "`kfusion explain CODE` says what a message means; `kfusion check FILE...` compiles what would "
    "be written, and writes nothing; `kfusion verify FILE...` runs the "
    "kernels, as they were and fused, and compares; `kfusion bench FILE...` times them; "
    "`kfusion tune FILE...` looks for the numbers that are fastest on a device.",
)
@click.argument("files", nargs=-1, type=PATH)
@click.option("-o", "--output", type=PATH, help="The folder to write to.")
@click.option("-I", "include_dirs", multiple=True, type=PATH, help="A folder with headers.")
@click.option(
    "-D", "defines", multiple=True, help="A macro for the preprocessor: NAME or NAME=VALUE."
)
@click.option("--cc", default="cc", show_default=True, help="The C compiler that preprocesses.")
@click.option("--real-headers", is_flag=True, help="Read hosts with the system's own headers.")
@click.option("--strict", is_flag=True, help="Fail if something in a region is not fused.")
@click.option(
    "--require",
    "required",
    multiple=True,
    metavar="FILE:LINE=N",
    help="Fail if the region that begins there comes to more than N kernels.",
)
@click.option(
    "--exact", is_flag=True, help="The same bits on devices that contract across kernels, too."
)
@click.option(
    "--target",
    type=click.Choice([*TARGETS, AUTO]),
    help="The devices that kernels must pay on; auto: CPUs and GPUs, each with its own kernels. "
    "Without it, auto for regions in which values are computed again for neighbours, else any.",
)
@click.option("--budget", "budgets", multiple=True, help="NAME=NUMBER: what the target has.")
@click.option("--tuned", multiple=True, type=PATH, help="What kfusion tune wrote for a device.")
@click.option(
    "--recorded",
    multiple=True,
    type=PATH,
    help="What a run with KFUSION=record wrote: the launches to expect.",
)
@click.option("--for-recording", is_flag=True, help="Fuse nothing: mark regions, for such a run.")
@click.option(
    "--patience",
    type=click.FloatRange(min=0),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="How long one kernel may be read; then it stays as it is.",
)
@click.option("--dry-run", is_flag=True, help="Write nothing.")
@click.option("--explain-plan", is_flag=True, help="Print the plan as a table.")
@click.option("-q", "--quiet", is_flag=True, help="Print errors only.")
@click.option("-v", "--verbose", is_flag=True, help="Print what was fused, too.")
@click.option(
    "--keep-folders",
    "base",
    type=PATH,
    metavar="DIR",
    help="Outputs keep their folders, as seen from DIR; else all go into one.",
)
@click.option("-MD", "wants_depfile", is_flag=True, help="Write what was read, as make wants it.")
@click.option("-MF", "depfile_path", type=PATH, help="Where to; OUT/kfusion.d without it.")
@click.option("-MT", "rule_targets", multiple=True, help="What depends on it; all outputs without.")
@click.option(
    "--include-dir", "folder", flag_value="include", help="Print the folder of kfusion.h."
)
@click.option("--cmake-dir", "folder", flag_value="cmake", help="Print the folder for CMake.")
@click.option("--make-dir", "folder", flag_value="make", help="Print the folder of kfusion.mk.")
@click.version_option(__version__, prog_name="kfusion")
def fuse(folder: str | None, **given: Any) -> None:
    """Fuse the kernels of annotated OpenCL programs.

    FILES are C applications with `kfuse` regions, C files of the library that they call,
    and OpenCL kernel files; which is which is told by what they hold.
    """
    if folder is not None:
        folders = {"include": include_folder, "cmake": cmake_dir, "make": make_dir}
        click.echo(str(folders[folder]()))
    else:
        _fuse(**given)


def _fuse(
    files: tuple[Path, ...],
    output: Path | None,
    include_dirs: tuple[Path, ...],
    defines: tuple[str, ...],
    cc: str,
    real_headers: bool,
    strict: bool,
    required: tuple[str, ...],
    exact: bool,
    target: str | None,
    budgets: tuple[str, ...],
    tuned: tuple[Path, ...],
    recorded: tuple[Path, ...],
    for_recording: bool,
    patience: float,
    dry_run: bool,
    explain_plan: bool,
    quiet: bool,
    verbose: bool,
    base: Path | None,
    wants_depfile: bool,
    depfile_path: Path | None,
    rule_targets: tuple[str, ...],
    compiled: Callable[[Result], list[Diagnostic]] = lambda _: [],
) -> Result:
    """`compiled`: errors of compilers."""
    if not files:
        raise click.UsageError("give the files to fuse: applications, libraries and kernels")
    if output is None and not dry_run and not explain_plan:
        raise click.UsageError("give the folder to write to: -o OUT (or --dry-run)")
    how = preprocessor(cc, include_dirs, defines, real_headers)
    check_defines(defines)
    targets = targets_of_options(target, budgets, tuned)
    name_of = output_names(files, base)
    where = depfile_path or (output or Path()) / "kfusion.d"
    if output is not None:
        refuse_overwriting(files, output, name_of)
        if not dry_run:
            require_writable(output, where.parent)
    sources = read_sources(files, how)
    # Loaded while the preprocessor runs.
    from kfusion.demands import check_demands
    from kfusion.driver import fuse_files

    result = fuse_files(
        sources,
        exact=exact,
        targets=targets,
        recorded=recorded,
        for_recording=for_recording,
        patience=patience,
        name_of=name_of,
    )
    shown = result.diagnostics
    if quiet:
        shown = result.not_fused if strict else []
    if explain_plan:
        plans = [p.plan for region in result.regions for p in region.patterns]
        in_table = {why.as_cut() for plan in plans for cut in plan.cuts for why in cut.reasons}
        shown = [each for each in shown if each not in in_table]
    errors = compiled(result)
    places = {(each.span.file, each.span.start) for each in errors if each.span}
    shown = [d for d in shown if not d.span or (d.span.file, d.span.start) not in places]
    if shown:
        click.echo("\n".join(dict.fromkeys(map(render, shown))), err=True)  # each place once
    if explain_plan:
        from kfusion.report.plan import plan_table

        alike: dict[object, list[PlannedPattern]] = {}  # one is enough for the same on all devices
        for p in (p for region in result.regions for p in region.patterns):
            shown_plan = plan_table(
                [(replace(p, on="").name, p.plan, p.origin, p.region.mark.says)]
            )
            alike.setdefault(shown_plan, []).append(p)
        shown_plans = [replace(p, on="") if others else p for p, *others in alike.values()]
        told = [(p.name, p.plan, p.origin, p.region.mark.says) for p in shown_plans]
        left = [r.region.name for r in result.regions if not r.patterns and not r.for_recording]
        plain = [f"{name}: no plan, it stays as it is written" for name in left]
        click.echo("\n\n".join(filter(None, [plan_table(told), *plain])))
    if not for_recording:
        check_demands(result, strict=strict, required=required)
    if errors:
        raise KFusionError(*errors, exit_code=1)
    if output is not None and not dry_run:
        rule = partial(depfile, files=(*files, *tuned, *recorded), how=how, own=fake_libc_dir())
        _write(
            output,
            result.files,
            where if wants_depfile or depfile_path else None,
            rule_targets,
            rule,
        )
    if verbose:
        for planned in result.to_run:
            groups = [g for g in planned.plan.groups if g.fused]
            count = len(planned.plan.invocations)
            click.echo(
                f"{planned.name}: {count} kernels become {len(planned.plan.groups)} "
                f"({len(groups)} fused)"
            )
    return result


def _write(
    output: Path,
    files: dict[str, str],
    where: Path | None,
    targets: tuple[str, ...],
    rule: Callable[[Iterable[str]], str],
) -> None:
    """And `where`, what they depend on."""
    if where is not None:
        for header in (HEADER_NAME, CALLS_NAME):
            files.setdefault(header, UNUSED_HEADER)
    write_all(output, files)
    if where is not None:
        text = rule(targets or [str(output / name) for name in files])
        write_all(where.parent, {where.name: text})


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("files", nargs=-1, type=PATH, required=True)
@click.option("-o", "--output", type=PATH, required=True, help="The folder to write to.")
def strip(files: tuple[Path, ...], output: Path) -> None:
    """Write the FILES without kfusion's annotations."""
    from kfusion.regenerate.strip import stripped

    refuse_overwriting(files, output, output_names(files, None))
    require_writable(output)
    write_all(output, {path.name: stripped(path) for path in files})


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("codes", nargs=-1, metavar="[CODE]...")
def explain(codes: tuple[str, ...]) -> None:
    """Say what the CODEs of messages mean, with an example and what to do.

    Without a CODE: a line for each of them.
    """
    from kfusion.report import explain as report

    texts = [report.explain(code) for code in map(report.read_code, codes)]
    click.echo("\n\n\n".join(texts) if codes else report.list_codes())


_OF_OUTPUT = "output dry_run wants_depfile depfile_path rule_targets".split()


@click.command(
    context_settings={"help_option_names": ["-h", "--help"]},
    params=[p for p in fuse.params if p.name not in (*_OF_OUTPUT, "folder", "version")],
)
@click.option("--cxx", default="c++", show_default=True, help="The compiler for hosts in C++.")
@takes_build_options
@click.option("--device", default="", help="A part of the device's or platform's name.")
@click.option(
    "--against", type=PATH, metavar="DIR", help="Compile nothing; is DIR what would be written?"
)
def check(
    cxx: str, build_options: list[str], device: str, against: Path | None, **given: Any
) -> None:
    """Fuse, write nothing, and compile what would be written.

    FILES and options are those of kfusion. Hosts are compiled with the C and C++ compiler,
    kernels for each OpenCL device, or for --device. Messages name the lines of FILES. With
    --against nothing is compiled: DIR is compared, byte by byte, with what would be written to
    it. Exit status 1 if something does not compile or is different.
    """
    from kfusion.device.builds import builder

    given |= dict.fromkeys(_OF_OUTPUT) | {"dry_run": True}
    if against is not None:
        files = _fuse(**given).files
        errors = stale_files(files, against, flat=given["base"] is None)
        if errors:
            raise KFusionError(*errors, exit_code=1)
        if given["verbose"]:
            click.echo(f"compared with {against}: {', '.join(files)}: the same")
        return
    how = preprocessor(*(given[o] for o in ("cc", "include_dirs", "defines", "real_headers")))
    told: list[str] = []

    def compiled(result: Result) -> list[Diagnostic]:
        from kfusion.checking import check

        checked = check(result, how, cxx, process, device, build_options)
        if checked.not_built and not given["quiet"]:
            click.echo(checked.not_built, err=True)
        told.append(checked.compiled)
        return checked.errors

    with builder() as process:
        _fuse(**given, compiled=compiled)
    if given["verbose"]:
        click.echo(told[0])


_COMMANDS = {
    "bench": bench,
    "check": check,
    "explain": explain,
    "strip": strip,
    "tune": tune,
    "verify": verify,
}


def main(arguments: list[str] | None = None) -> None:
    """Run the command; whatever goes wrong comes out as a diagnostic."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    command, name = fuse, "kfusion"
    if words and words[0] in _COMMANDS:
        command, name, words = _COMMANDS[words[0]], f"kfusion {words[0]}", words[1:]
    typed = [word for word in words if word != "--here"]  # which kfusion itself adds
    line = [*name.split(), *typed]
    try:
        _refuse_misspelt(words)
        sys.exit(command.main(words, prog_name=name, standalone_mode=False, obj=words))
    except KFusionError as failure:
        _fail(failure, line)
    except click.UsageError as failure:
        _fail(_usage(failure, name, line), line)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(141)
    except Exception as failure:  # noqa: BLE001 - users get a diagnostic for this, too
        _fail(error("KF199", _internal(failure), help="please report it, with the input"), line)
    finally:
        gc.freeze()  # or the interpreter looks for garbage once more when it ends


def _refuse_misspelt(words: list[str]) -> None:
    """`kfusion expalin`: it would be taken for a file."""
    if not words or not words[0].isalpha() or Path(words[0]).exists():
        return
    near = nearest(words[0], _COMMANDS, 0.7)
    if near:
        help = f"did you mean: kfusion {near}"
        raise error("KF100", f"no such command: {words[0]}", help=help, argument=words[0])


def _place(words: list[str], argument: str | None) -> Span:
    """Of errors that no file is to blame for: the word of the command line that is the argument, or
    ends with it; the end if there is none."""
    text = shlex.join(words)
    file = SourceFile(Path("<command line>"), text)
    end = len(text)
    told = [f"{prefix}{argument}" for prefix in ("", "--cc=", "-o", "-D") if argument is not None]
    for word in reversed(words):
        quoted = shlex.quote(word)
        if word in told:
            return Span(file, end - len(quoted), end)
        end -= len(quoted) + 1
    return Span(file, len(text), len(text))


def _usage(failure: click.UsageError, name: str, line: list[str]) -> KFusionError:
    message, help = failure.format_message(), f"see {name} --help"
    for of_click, plain in (("float", "number"), ("integer", "whole number")):
        message = message.replace(f"a valid {of_click} range", f"a {plain}")
    argument = getattr(failure, "option_name", None)
    if isinstance(failure, click.BadParameter) and failure.param is not None:
        given = [n for n, word in enumerate(line) if word.split("=")[0] in failure.param.opts]
        argument = line[given[-1] if "=" in line[given[-1]] else given[-1] + 1] if given else None
    if isinstance(failure, click.NoSuchOption):
        message = f"no such option: {failure.option_name}"
        near = nearest(failure.option_name, failure.possibilities or (), 0.7)
        help = f"did you mean {near}?" if near else help
    return error(
        "KF100",
        message[0].lower() + message[1:].rstrip("."),
        help=help,
        argument=argument,
    )


def _fail(failure: KFusionError, line: list[str]) -> None:
    placed = [
        d if d.span else replace(d, span=_place(line, d.argument)) for d in failure.diagnostics
    ]
    click.echo("\n".join(map(render, placed)).encode("utf-8", "replace"), err=True)
    sys.exit(failure.exit_code)


def _internal(failure: Exception) -> str:
    """What and where, for whoever mends it."""
    import traceback  # only when something has gone wrong

    place = traceback.extract_tb(failure.__traceback__)[-1]
    file = Path(place.filename).name
    return f"internal error: {type(failure).__name__}: {failure} ({file}:{place.lineno})"
