"""The traps of DESIGN.md, section 6: for each of them programs that step into it.

A folder `NN_name` shows trap NN. It holds what differs from the library in `common`, or from
the smaller ones that its expect.toml names as `base`; plan.txt, what `--explain-plan` prints;
and messages.txt, what kfusion says. Each program is fused, built and run both ways: the same
bytes on stdout, and the launches that expect.toml tells for each run. README.md lists them.

After a deliberate change run `KFUSION_UPDATE_GOLDEN=1 pytest tests/traps` and judge each
difference: everything legal is fused, nothing else, and a message says what stands in the way.
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kfusion.device.measure import RunResult
from tests.support.trap_programs import TRAPS, Program

PROGRAMS = sorted(path.parent.name for path in TRAPS.glob("[0-9]*/expect.toml"))
UPDATE = bool(os.environ.get("KFUSION_UPDATE_GOLDEN"))

TITLES = {
    1: "what is read after the region, or in the next iteration, is stored",
    2: "the load is replaced, not the statement around it",
    3: "ranges: sizes, offsets, dimensions, groups",
    4: "items write what other items have read or written",
    5: "one item writes, all read",
    6: "guards",
    7: "updates, several stores, a load after a store",
    8: "a store rounds to the stored type",
    9: "texels: samplers, neighbours, sizes of images",
    10: "one memory under several names",
    11: "names",
    12: "work-groups: barriers, local memory, collectives; printf",
    13: "atomics, volatile, pointers, vloadn, struct elements, casts",
    15: "groups are convex",
    16: "budgets",
    17: "where arguments are set",
    18: "conditions, loops and several launches in a function",
    19: "statuses",
    20: "events, wait lists, queues",
    21: "waiting, reading back, releasing, re-allocating",
    22: "control flow around and in a region",
    23: "macros, build options, pragmas",
    24: "the kernels that a program has",
    25: "several contexts, re-initialisation",
    26: "documented limits",
}

VERDICTS = {
    "handled": "fused; no cut",
    "guarded": "fused, and checked at run time: in some run the original calls are made",
    "refused": "cut, or refused with an error; what else is legal is fused",
}


@dataclass(frozen=True)
class Expected:
    what: str
    verdict: str
    status: int = 0  # exit status of kfusion
    base: tuple[str, ...] = ()  # folders that the program's own lies over
    without: tuple[str, ...] = ()  # files of those folders that the program does not have
    flags: tuple[str, ...] = ()  # of the C compiler
    options: tuple[str, ...] = ()  # of kfusion
    runs: tuple[dict[str, Any], ...] = ()

    @staticmethod
    def of(name: str) -> Expected:
        values = tomllib.loads((TRAPS / name / "expect.toml").read_text())
        return Expected(
            values["what"],
            values["verdict"],
            values.get("status", 0),
            tuple(values.get("base", ())),
            tuple(values.get("without", ())),
            tuple(values.get("flags", ())),
            tuple(values.get("options", ())),
            tuple(values.get("run", ())),
        )


def program_of(name: str, scratch: Path) -> Program:
    expected = Expected.of(name)
    layers = [TRAPS / layer for layer in (*expected.base, name)]
    return Program(layers, scratch, expected.flags, expected.without)


def assert_golden(path: Path, text: str) -> None:
    """The text is that of the file; there is no file for an empty one."""
    if UPDATE:
        path.unlink(missing_ok=True)
        if text:
            path.write_text(text)
    assert text == (path.read_text() if path.exists() else "")


def assert_verdict(verdict: str, plan: str, messages: str, kept: list[bool]) -> None:
    """What expect.toml claims is what plan, messages and runs show."""
    cut = ": cut[" in messages or ": error[" in messages
    found = "refused" if cut else "guarded" if any(kept) else "handled"
    assert found == verdict
    assert cut or "(fused" in plan


def run_both(program: Program, each: dict[str, Any]) -> tuple[RunResult, RunResult]:
    how = each.get("args", []), each.get("options", "")
    unfused, fused = program.run("in", *how), program.run("out", *how)
    assert unfused.returncode == 0, unfused.stderr
    assert fused.returncode == 0, fused.stderr
    assert unfused.stdout
    assert fused.stdout == unfused.stdout
    return unfused, fused


@pytest.mark.parametrize("name", PROGRAMS)
def test_trap(name: str, tmp_path: Path) -> None:
    expected = Expected.of(name)
    program = program_of(name, tmp_path)
    plan = program.fuse("--explain-plan", "--dry-run", *expected.options).output
    assert_golden(TRAPS / name / "plan.txt", plan)
    said = program.fuse(*expected.options)
    assert_golden(TRAPS / name / "messages.txt", said.messages)
    assert said.status == expected.status
    kept: list[bool] = []
    if said.status != 0:
        assert not program.out.exists()
    for each in expected.runs:
        unfused, fused = run_both(program, each)
        assert unfused.total == each["before"]
        assert fused.launches == each["after"], fused.stderr
        kept.append(fused.launches == unfused.launches)
    assert said.status != 0 or kept
    assert_verdict(expected.verdict, plan, said.messages, kept)


def listing() -> str:
    """The part of README.md that lists the programs."""
    lines: list[str] = []
    for number, title in TITLES.items():
        lines += ["", f"### {number}: {title}", "", "| program | | verdict |", "|---|---|---|"]
        names = [name for name in PROGRAMS if name.startswith(f"{number:02}_")]
        assert names, f"no program steps into trap {number}"
        for name in names:
            expected = Expected.of(name)
            what = expected.what.replace("|", "\\|")
            lines.append(f"| [{name}]({name}) | {what} | {expected.verdict} |")
    return "\n".join(lines) + "\n"


def test_readme_lists_all_programs() -> None:
    path = TRAPS / "README.md"
    head, mark, _ = path.read_text().partition("<!-- The rest is written by test_traps.py -->\n")
    assert all(verdict in head for verdict in VERDICTS.values())
    assert_golden(path, head + mark + listing())
