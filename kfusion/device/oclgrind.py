"""Oclgrind, which runs OpenCL programs step by step, looks for data races in one."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path


class MeasureError(Exception):
    """A tool is missing, or a program did not build or did not run."""


def oclgrind_races(
    argv: Sequence[str | Path],
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    build_options: str | None = None,
    *,
    timeout: float = 600,
    status: int = 0,
    uninitialized: bool = True,
) -> list[str]:
    """Run a program on Oclgrind; return its complaints, one text for each.

    It complains of data races (except where all writers write the same value),
    of uninitialised values that are used, and of invalid accesses. The program may end
    with an exit status up to `status`.
    """
    with tempfile.TemporaryDirectory(prefix="kfusion-") as scratch:
        log = Path(scratch) / "oclgrind.log"
        command = [
            *(oclgrind(), "--data-races", "--log", str(log)),
            *(["--uninitialized"] if uninitialized else []),
            *build_options_of(build_options),
            *map(str, argv),
        ]
        done = run(command, env or {}, cwd, timeout)
        if not 0 <= done.returncode <= status:
            require_success(command, done)
        return parse_complaints(log.read_text(errors="replace") if log.exists() else "")


def parse_complaints(log: str) -> list[str]:
    """Split Oclgrind's log: a complaint begins at the margin, its details do not."""
    complaints: list[list[str]] = []
    for line in log.splitlines():
        if line and not line[0].isspace():
            complaints.append([line])
        elif line.strip() and complaints:
            complaints[-1].append(line.rstrip())
    return ["\n".join(lines) for lines in complaints]


def has_oclgrind() -> bool:
    return shutil.which("oclgrind") is not None


def oclgrind() -> str:
    found = shutil.which("oclgrind")
    if found is None:
        raise MeasureError("oclgrind is not installed (Debian, Ubuntu: apt-get install oclgrind)")
    return found


def build_options_of(options: str | None) -> list[str]:
    return [] if options is None else ["--build-options", options]


def run(
    argv: Sequence[str], extra_env: Mapping[str, str], cwd: Path | None, timeout: float
) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            argv,
            env={**os.environ, **extra_env},
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired as expired:
        raise MeasureError(f"{' '.join(argv)}: still running after {timeout} s") from expired


def require_success(argv: Sequence[str], done: subprocess.CompletedProcess[str]) -> None:
    if done.returncode != 0:
        raise MeasureError(
            f"{' '.join(argv)}: exit status {done.returncode}\n{done.stdout}{done.stderr}"
        )
