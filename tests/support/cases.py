"""Run cases, and accept what has changed: `python -m tests.support.cases [--accept] [FILE]...`.

Without --accept it shows what differs from the files. With it, launches, statuses, kernels and
messages are written into the files, for review. Results that differ are never accepted.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import fields
from pathlib import Path

import click

from tests.support.case_accept import accepted
from tests.support.case_format import Case, Expected, case_files, read_cases
from tests.support.case_run import Outcome, run_case


def changes(expected: Expected, found: Expected) -> list[str]:
    """What differs, field by field."""
    lines: list[str] = []
    for field in fields(Expected):
        before, after = (_shown(getattr(each, field.name)) for each in (expected, found))
        if before != after:
            lines += [f"  {field.name}:", *(f"  - {line}" for line in before)]
            lines += [f"  + {line}" for line in after]
    return lines


def _shown(value: object) -> list[str]:
    if isinstance(value, tuple):
        return [str(each) for each in value]
    return str(value or "").splitlines()


def report(case: Case, done: Future[Outcome]) -> bool:
    """Print what is to be told of a case; whether its results are right."""
    error = done.exception()
    wrong = [f"{type(error).__name__}: {error}"] if error else list(done.result().wrong)
    told = wrong if error else [*wrong, *changes(case.expected, done.result().found)]
    if told:
        print(f"{case.id}\n" + "\n".join(told), flush=True)
    return not wrong


def run_all(cases: Sequence[Case], jobs: int) -> Iterable[tuple[Case, Future[Outcome]]]:
    with ProcessPoolExecutor(jobs) as pool:
        futures = [pool.submit(run_case, case) for case in cases]
        yield from zip(cases, futures, strict=True)


@click.command()
@click.argument("files", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("--accept", is_flag=True, help="Write what was found into the files.")
@click.option("-k", "words", default="", help="Only cases with these words in their name.")
@click.option("-j", "jobs", default=2, show_default=True, help="How many run at a time.")
def main(files: tuple[Path, ...], accept: bool, words: str, jobs: int) -> None:
    """Run the cases of FILES (or all), and show what is not as expected."""
    total = right = 0
    for path in files or case_files():
        cases = [case for case in read_cases(path) if words in case.name]
        ran = run_all(cases, jobs)
        good = {case.name: done.result().found for case, done in ran if report(case, done)}
        total, right = total + len(cases), right + len(good)
        if accept:
            path.write_text(accepted(path.read_text(), good))
    print(f"{total} cases, {total - right} with wrong results")
    sys.exit(0 if right == total else 1)


if __name__ == "__main__":
    main()
