"""Random host programs leave the same when they are fused; `python -m tests.random.hosts`
tries more of them."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.random.hosts import model as m
from tests.random.hosts import running
from tests.random.hosts.batch import files_of
from tests.random.hosts.campaign import BATCH, run
from tests.random.hosts.flavour import flavour_of
from tests.random.hosts.generate import generate
from tests.random.hosts.interpret import Fault, Interpreter
from tests.random.hosts.minimise import minimised
from tests.random.hosts.running import as_written

SEED = 7_000_487  # kfusion refuses none of these, and so all are built at once
COUNT = 11


def test_random_host_programs_print_the_same_when_they_are_fused() -> None:
    summary = run(SEED, COUNT)
    assert summary.count == COUNT
    assert summary.fused >= 5  # or little was tried
    assert not summary.faults
    assert not summary.differences


def test_a_number_stands_for_one_program() -> None:
    assert [generate(n) for n in range(5)] == [generate(n) for n in range(5)]


def test_programs_as_written_print_what_the_interpreter_expects(tmp_path: Path) -> None:
    programs = [generate(number) for number in range(SEED, SEED + COUNT)]
    files = files_of(programs, flavour_of(SEED // BATCH))
    for name, text in files.texts.items():
        (tmp_path / name).write_text(text)
    assert len(as_written(programs, files, tmp_path).sections) == COUNT


def _program(*statements: m.Statement) -> m.Program:
    body = (m.Create("a", "int", 6), m.Create("b", "int", 6), *statements)
    main = m.Function("program_0", (), (), body, m.Errors.OR, m.Place.APPLICATION)
    main = replace(main, hosts=("h",), local_kernels=("own",))
    return m.Program(0, (main,), ("a", "b", "c"), False)


COPY = (
    m.SetArgument("k_i_copy", 0, m.Argument(memory="b")),
    m.SetArgument("k_i_copy", 1, m.Argument(memory="a")),
)
LAUNCH = m.Launch("k_i_copy", 6)
UNORDERED = (m.Launch("k_i_copy", 6, queue=2),) * 2


@pytest.mark.parametrize(
    ("statements", "why"),
    [
        ((m.Show("c", 0, 6),), "c holds no buffer"),
        ((m.Show("a", 1, 6),), "element 6 of 6"),
        ((m.Create("c", "int", 6, m.Storage.EMPTY), m.Show("c", 0, 6)), "is not initialised"),
        ((*COPY[1:], LAUNCH), "argument y is not set"),
        ((*COPY, m.Launch("k_i_copy", 7)), "element 6 of 6"),
        ((*COPY, m.Release("a"), LAUNCH), "argument x was released"),
        ((*COPY, LAUNCH, m.Launch("k_i_copy", 6, queue=1)), "two commands use memory at once"),
        ((*COPY, *UNORDERED), "two commands use memory at once"),
        ((*COPY, LAUNCH, m.ShowReferences("a")), "may hold it"),
        ((m.Read("a", "h", 6, blocking=False), m.ShowHost("h", 6)), "a command that goes on"),
        ((m.Region(("b",), ("a",), (), (*COPY, LAUNCH)), m.Show("b", 0, 6)), "not initialised"),
        ((m.Region((), (), ("a",), ()), m.Show("a", 0, 6)), "not initialised"),
        (
            (m.CreateKernel("own", "i_copy"), m.ReleaseKernel("own"), m.Launch("own", 6)),
            "no kernel",
        ),
        ((m.If("v1", "==", 0, ()),), "v1 has no value"),
    ],
)
def test_what_is_not_defined_is_found(statements: m.Block, why: str) -> None:
    with pytest.raises(Fault, match=why):
        Interpreter(_program(*statements)).run()


def test_a_barrier_orders_what_has_no_order() -> None:
    first, second = UNORDERED
    Interpreter(_program(*COPY, first, m.Barrier(2), second)).run()


def test_a_neighbour_that_another_item_writes_is_a_race() -> None:
    in_place = [m.SetArgument("k_i_before", i, m.Argument(memory="a")) for i in (0, 1)]
    size = m.SetArgument("k_i_before", 2, m.Argument(number=6))
    with pytest.raises(Fault, match="a race between items"):
        Interpreter(_program(*in_place, size, m.Launch("k_i_before", 6))).run()


WRONG_TOOL = """\
import sys
from pathlib import Path

out = Path(sys.argv[-1])
out.mkdir()
for name in sys.argv[1:-2]:
    text = Path(name).read_text()
    (out / name).write_text(text.replace("y[i] * 3 + 1", "y[i] * 3 + 2"))
"""


def test_a_tool_that_changes_results_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = tmp_path / "tool.py"
    tool.write_text(WRONG_TOOL)
    monkeypatch.setattr(running, "TOOL", (sys.executable, str(tool)))
    summary = run(SEED, COUNT)
    differing = {d.number for d in summary.differences}
    assert 0 < len(differing) < COUNT
    assert {d.run for d in summary.differences} == {"fused", "check", "off", "trace"}


def test_a_program_is_minimised_to_the_statements_that_matter() -> None:
    def shows_e(program: m.Program) -> bool:
        body = program.main.body
        return any(isinstance(m.at(body, p), m.Show) for p in m.paths(body))

    small = minimised(generate(3), shows_e)
    assert [type(s) for s in small.main.body] == [m.Create, m.Show]
