"""`kfusion check`: does what would be written compile? Messages name the lines of the inputs."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import tempfile
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from kfusion.device.builds import Built, NotBuilt, ToBuild, build, macro_to_give
from kfusion.parse.compiler import (
    Preprocessor,
    errors_in,
    first_error,
    header_file,
    place_in,
)
from kfusion.parse.sources import CPP_SUFFIXES, KERNEL_SUFFIXES
from kfusion.results import Result
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import Diagnostic, Severity, error
from kfusion.source.text import Edit, SourceFile, Span, Spliced, bytes_of

_OF_REGION = re.compile(
    r"^/\* ---- \w+, at (?P<name>.+?) ---- \*/.*?^static const kfusion_region .*?^};",
    re.DOTALL | re.MULTILINE,
)
# PoCL writes it in front of the place; other compilers behind it.
_ERROR_FIRST = re.compile(
    r"^(?:fatal )?error: (.*?:\d+:\d+)(?: <Spelling=.*?:\d+:\d+>)?: ", re.MULTILINE
)
_CALL = re.compile(r"\w+\s*\(")  # of a function that is not declared: no macro, most likely
_TAB = 1  # so far compilers count one: Clang anyway, GCC if it is told so
_GENERATED = "this line is generated"


@dataclass(frozen=True)
class Checked:
    errors: list[Diagnostic]
    hosts: Collection[str]
    programs: Collection[str]
    built: Built

    @property
    def compiled(self) -> str:
        kernels = f"; {', '.join(self.programs)} on {', '.join(self.built.devices)}"
        built = self.programs and self.built.devices
        return f"compiled: {', '.join(self.hosts)}{kernels if built else ''}"

    @property
    def not_built(self) -> str:
        """Why, if no kernel was compiled."""
        if not self.built.none:
            return ""
        return f"{self.built.none}: kernels are read and type-checked by kfusion, not compiled"


def check(
    result: Result,
    how: Preprocessor,
    cxx: str,
    builder: subprocess.Popen[bytes],
    device: str,
    build_options: Sequence[str],
) -> Checked:
    """Compile hosts with the C and C++ compiler, and kernels on the device with that name, or on
    all."""
    kernels = {n: made for n, made in result.spliced.items() if _is_kernel(made)}
    hosts = {n: made for n, made in result.spliced.items() if n not in kernels}
    programs = kernels | result.strings
    with (
        tempfile.TemporaryDirectory(prefix="kfusion-") as folder,
        ThreadPoolExecutor(max(2, os.cpu_count() or 2)) as pool,
    ):
        to_build = [_to_build(*program, result, how, build_options) for program in programs.items()]
        building = pool.submit(build, builder, to_build, device)
        out = Path(folder).resolve()
        for name, text in result.files.items():
            (out / name).parent.mkdir(parents=True, exist_ok=True)
            (out / name).write_bytes(bytes_of(text))
        compiling = [
            pool.submit(_compile, name, made, result, out, how, cxx) for name, made in hosts.items()
        ]
        errors = [found for each in compiling for found in each.result()]
        built = building.result()
    if built.none and device:
        help = "without --device kernels are compiled on the devices that are there, if any"
        raise error("KF304", built.none, help=help, argument=device, exit_code=1)
    by_number = list(programs.values())
    for failed in built.failed:
        errors += _not_built(by_number[failed.program], failed, result)
    once = {each.headline: each for each in errors}  # a header's, of several files
    return Checked(list(once.values()), hosts, programs, built)


def _is_kernel(made: Spliced) -> bool:
    return made.source.path.suffix in KERNEL_SUFFIXES


def _compile(
    name: str, made: Spliced, result: Result, out: Path, how: Preprocessor, cxx: str
) -> list[Diagnostic]:
    is_cpp = made.source.path.suffix in CPP_SUFFIXES
    compiler = cxx if is_cpp else how.cc
    command = ["-x", "c++" if is_cpp else "c", "-fsyntax-only", "-w", f"-ftabstop={_TAB}"]
    command += [f"-D{define}" for define in how.defines]
    command += ["-iquote", str(made.source.path.parent.absolute())]
    command += [f"-I{directory}" for directory in how.include_dirs]
    try:
        done = subprocess.run(
            [*shlex.split(compiler), *command, str(out / name)],
            capture_output=True,
            check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
    except (OSError, ValueError) as failure:
        text = f"cannot run the compiler '{compiler}': {failure}"
        help = f"name another one with {'--cxx' if is_cpp else '--cc'}"
        raise error("KF106", text, help=help, argument=compiler) from None
    if done.returncode == 0:
        return []
    said = done.stderr.decode(errors="replace").replace(f"{out}{os.sep}", "")
    told = _Told("KF307", "the output does not compile", result)
    return told.errors(said, made)


def _to_build(
    name: str, made: Spliced, result: Result, how: Preprocessor, build_options: Sequence[str]
) -> ToBuild:
    path = made.source.path
    own = shlex.split(result.options.get(path.name, ""))
    folders = (path.parent, *how.include_dirs)
    return ToBuild(
        name,
        made.text,
        (
            *own,
            *(f"-D{define}" for define in how.defines),
            *build_options,
            *(f"-I{folder.absolute()}" for folder in folders),
        ),
    )


def _not_built(made: Spliced, failed: NotBuilt, result: Result) -> list[Diagnostic]:
    what = f"the kernels do not build on {failed.device}"
    told = _Told("KF305", what, result, result.builds.get(made.source.path.name, ()))
    return told.errors(_ERROR_FIRST.sub(r"\1: error: ", failed.log), made)


@dataclass(frozen=True)
class _Told:
    """What a compiler says of outputs, as messages about inputs."""

    code: str
    what: str
    result: Result
    builds: Sequence[str] | None = None  # of a program: the options that are known

    def errors(self, said: str, made: Spliced) -> list[Diagnostic]:
        """`made`: the output that was compiled."""
        found = [self._error(*each, made) for each in errors_in(said)]
        if not found:
            return [self._told(first_error(said), made.source.line_span(1))]
        # What is wrong with a kernel is wrong with the fused one, too.
        own = [each for each in found if not (each.help or "").startswith(_GENERATED)]
        return own or found

    def _error(
        self, file: str, line: int, column: int | None, text: str, compiled: Spliced
    ) -> Diagnostic:
        name = os.path.normpath(file)
        made = (self.result.spliced | self.result.strings).get(name)
        if made is not None:
            skipped = _skipped(made.edits)
            span = _place(_output(name, made.text), line + skipped, column)
            origin = made.origin(span.start)
            if isinstance(origin, Edit):
                served = dict.fromkeys(_served(origin, made.source, self.result))
                return self._told(text, span, _generated(served))
            end = made.source.line_span(made.source.location(origin).line).end
            return self._told(text, Span(made.source, origin, max(origin, end)))
        if name in self.result.files:
            header = _output(name, self.result.files[name])
            span = _place(header, line, column)
            blocks = _OF_REGION.finditer(header.text)
            served = {m["name"]: None for m in blocks if m.start() <= span.start < m.end()}
            return self._told(text, span, _generated(served))
        own = header_file(compiled.source, file)
        span = _place(own, line, column) if own else compiled.source.line_span(1)
        return self._told(text, span)

    def _told(self, text: str, span: Span, help: str | None = None) -> Diagnostic:
        if help is None and self.builds is not None and not _CALL.match(span.text):
            help = macro_to_give(text, self.builds)
        return Diagnostic(self.code, Severity.ERROR, f"{self.what}: {text}", span, help)


def _place(file: SourceFile, line: int, column: int | None) -> Span:
    return place_in(file, line, column, _TAB)


def _output(name: str, text: str) -> SourceFile:
    return SourceFile(Path(f"{name} (output)"), text)


def _generated(regions: Collection[str]) -> str:
    """What to do about an error in such a line."""
    serves = f" for the region at {', '.join(regions)}" if regions else ""
    return f"{_GENERATED}{serves}: please report it, with the input"


def _skipped(edits: Sequence[Edit]) -> int:
    """Lines in front of a `#line 1`, with which compilers begin to count again."""
    heads = (edit.new for edit in edits if edit.new.rstrip().endswith("#line 1"))
    return sum(head.count("\n") for head in heads)


def _served(edit: Edit, source: SourceFile, result: Result) -> Iterator[str]:
    """The regions that an added line is for."""
    for region in result.regions:
        if region.region.unit.source is source:
            if edit.start == region.region.mark.block.start + 1:
                yield region.region.name
        patterns = (pattern for each in region.patterns for pattern in each.patterns)
        forms = (form for pattern in patterns for form in pattern.forms)
        kernels = (kernel.name for form in forms for kernel in form.kernels.values())
        if any(re.search(rf"void {name}\(", edit.new) for name in kernels):
            yield region.region.name
