"""Programs that are fused, built and run twice: as they were written, and as kfusion wrote them.

A program's folder holds what differs from the folders below it: a rig (device, program, data)
and a small library, which many programs share.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

from kfusion.cli import main
from kfusion.device.measure import RunResult, build, run_counted

TRAPS = Path(__file__).parents[1] / "traps"
COMMON = TRAPS / "common"
WARNINGS = ("-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas")
KINDS = (": cut[", ": note[", ": error[")


@dataclass(frozen=True)
class Said:
    """What kfusion printed, with the paths of its inputs relative to their folder."""

    status: object
    output: str
    messages: str

    @property
    def first_lines(self) -> tuple[str, ...]:
        """Of each message what it says, without what it shows."""
        lines = self.messages.splitlines()
        return tuple(line for line in lines if any(kind in line for kind in KINDS))


class Program:
    """A program's sources in one folder, and what kfusion makes of them."""

    def __init__(
        self,
        layers: Sequence[Path],
        scratch: Path,
        flags: Sequence[str] = (),
        without: Sequence[str] = (),
    ) -> None:
        self.folder, self.out = scratch / "in", scratch / "out"
        self.flags = flags
        for layer in (COMMON, *layers):
            shutil.copytree(layer, self.folder, dirs_exist_ok=True)
        for name in without:
            (self.folder / name).unlink()

    def files(self, *suffixes: str) -> list[str]:
        names = sorted(p.name for p in self.folder.iterdir() if p.suffix in suffixes)
        return [name for name in names if name != "rig.c"]

    def fuse(self, *options: str) -> Said:
        """kfusion, started in the folder of the program."""
        out, err = (io.TextIOWrapper(io.BytesIO(), write_through=True) for _ in range(2))
        files = self.files(".c", ".cpp", ".cl")
        where = Path.cwd()
        os.chdir(self.folder)
        try:
            with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as left:
                main([*files, "-o", f"../{self.out.name}", *options])
        finally:
            os.chdir(where)
        out.seek(0)
        err.seek(0)
        return Said(left.value.code or 0, out.read(), err.read())

    @cached_property
    def programs(self) -> dict[str, Path]:
        return {kind: self._build(kind) for kind in ("in", "out")}

    def _build(self, kind: str) -> Path:
        folder = self.folder.parent / kind
        hosts = [folder / name for name in self.files(".c")]
        output = self.folder.parent / "programs" / kind
        flags = (*WARNINGS, *self.flags)
        return build([*hosts, self._rig(flags)], output, [folder, self.folder], flags=flags)

    def _rig(self, flags: Sequence[str]) -> Path:
        """Compiled once for all programs of a test run that have these flags."""
        text = (self.folder / "rig.c").read_text() + " ".join(flags)
        made = self.folder.parents[1] / f"rig-{hashlib.sha256(text.encode()).hexdigest()[:16]}.o"
        if not made.exists():
            rig = self.folder / "rig.c"
            subprocess.run(["cc", *flags, "-c", str(rig), "-o", str(made)], check=True)
        return made

    def environment(self, kind: str, options: str = "") -> dict[str, str]:
        """Where the program finds its kernels, and how it is to build them."""
        (name,) = self.files(".cl")
        return {
            "KERNELS": str(self.folder.parent / kind / name),
            "OPTIONS": options,
            "KFUSION_TRACE": "1",
            "POCL_MAX_PTHREAD_COUNT": "2",
        }

    def run(self, kind: str, arguments: Sequence[str] = (), options: str = "") -> RunResult:
        command: list[str | Path] = [self.programs[kind], *arguments]
        return run_counted(command, self.environment(kind, options))
