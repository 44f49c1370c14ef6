"""Tables 5.1 and 5.2: lines of code, original, generated and by hand, and annotations."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.studies import APPLICATIONS, PROGRAMS
from casestudies.demo import Study, fuse
from kfusion.source.lexer import tokenize

if TYPE_CHECKING:
    from bench.report import Report

REGION = re.compile(r"^\s*(#\s*pragma\s+kfuse|kfuse)\b", re.MULTILINE)
OTHER = re.compile(
    r"^\s*(#\s*pragma\s+(kload|kstore|kcore|sync|immovable)|(kload|kstore))\b", re.MULTILINE
)


def measure(report: Report) -> None:
    used = [(a.study, a.name) for a in APPLICATIONS if a.by_hand]
    used += [(each.study, each.name) for each in PROGRAMS]
    for study in dict.fromkeys(study for study, _ in used):
        names = list(dict.fromkeys(name for other, name in used if other is study))
        report.attempt(f"{study.library}: lines of code", partial(_measure, report, study, names))


def _measure(report: Report, study: Study, names: list[str]) -> None:
    report.results["code"].append(_measured(study, names, report.build / "code"))


def _measured(study: Study, names: list[str], folder: Path) -> dict[str, Any]:
    """Of the library and its kernels, all applications of a study fused together."""
    apps = [study.apps / f"{name}.c" for name in names]
    library, kernels = study.sources(names[0])[1:]
    out = folder / study.library
    fuse([*apps, library, kernels], out, study.include_dirs)
    return {
        "study": f"{study.folder.name}/{study.library}",
        "applications": len(apps),
        "library": lines([library]),
        "kernels": lines([kernels]),
        "fused library": lines([out / library.name]),
        "fused kernels": lines([out / kernels.name]),
        "library by hand": lines([library, study.reference(".c")]),
        "kernels by hand": lines([kernels, study.reference(".cl")]),
        "kernel and library annotations": count([library, kernels], OTHER),
        "application annotations": count(apps, REGION),
    }


def lines(paths: Iterable[Path]) -> int:
    """Lines that hold code: no blank lines, no comments."""
    return sum(code_lines(path.read_text()) for path in paths)


def code_lines(text: str) -> int:
    return len({text.count("\n", 0, token.start) for token in tokenize(text)})


def count(paths: Iterable[Path], pattern: re.Pattern[str]) -> int:
    return sum(len(pattern.findall(path.read_text())) for path in paths)
